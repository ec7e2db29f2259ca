"""Services that are there, against a fake of the server: waiting, finding, asking, changing."""

import json
import os
import subprocess
import sys

import pytest
from conftest import PYTHON_FOLDER
from fake_endpoints import HOME

from azureml.core import Model
from azureml.core.webservice import (
    AciWebservice,
    AksEndpoint,
    AksWebservice,
    LocalWebservice,
    Webservice,
)
from azureml.core.webservice import _waiting as waiting
from azureml.exceptions import WebserviceException

# Failing.


def test_failure_text(server, ws, model, inference, capsys):
    server.ends_as = "Failed"
    message = "ModuleNotFoundError: No module named 'birds'"
    server.error = {
        "code": "AciDeploymentFailed",
        "message": message,
        "details": [{"code": "CrashLoopBackOff", "message": message}],
    }
    service = Model.deploy(ws, "birds-svc", [model], inference)
    with pytest.raises(WebserviceException) as caught:
        service.wait_for_deployment(True)
    text = caught.value.message
    first, operation, more, error, found = text.split("\n", 4)
    assert first.endswith("non-successful terminal state, current service state: Failed")
    assert operation.startswith("Operation ID: ") and error == "Error:"
    assert more == "More information can be found using '.get_logs()'"
    assert json.loads(found) == {**server.error, "statusCode": 400}
    assert text in capsys.readouterr().out and service.state == "Failed"
    assert service.error["details"][0]["code"] == "CrashLoopBackOff"
    assert service.get_logs() == "log of the replica\n"
    server.log = ""
    assert service.get_logs(num_lines=10, init=True) is None


def test_no_room(server, ws, model, inference, monkeypatch):
    monkeypatch.setitem(waiting._PATIENCE_SECONDS, "Unschedulable", 0.0)
    server.ends_as = "Unschedulable"
    server.error = {"code": "Unschedulable", "message": "no node is free", "details": []}
    service = Model.deploy(ws, "b-svc", [model], inference, AksWebservice.deploy_configuration())
    with pytest.raises(WebserviceException, match="Couldn't Schedule because the kubernetes"):
        service.wait_for_deployment()
    assert service.state == "Unschedulable"


def test_local_failure_shows_the_log(server, ws, model, inference, capsys):
    server.ends_as = "Failed"
    server.error = {"code": "CrashLoopBackOff", "message": "boom", "details": []}
    config = LocalWebservice.deploy_configuration(port=6789)
    service = Model.deploy(ws, "local", [model], inference, config)
    with pytest.raises(WebserviceException, match="Did your init method fail"):
        service.wait_for_deployment(True)
    assert "log of the replica" in capsys.readouterr().out


def test_output_comes_line_by_line_on_a_pipe(server, ws, model, inference):
    Model.deploy(ws, "birds-svc", [model], inference)
    code = (
        "from azureml.core import Workspace, Webservice\n"
        "Webservice(Workspace.get('default'), 'birds-svc').wait_for_deployment(True)\n"
        "import os; os._exit(0)\n"
    )
    environment = {**os.environ, "PYTHONPATH": PYTHON_FOLDER}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, text=True
    )
    assert done.stdout.splitlines()[-1].startswith("ACI service creation operation finished")


# Finding.


def test_lookup_gives_the_right_class(server, ws, model, inference):
    for name, config in [
        ("of-aci", AciWebservice.deploy_configuration()),
        ("of-aks", AksWebservice.deploy_configuration()),
        ("versions", AksEndpoint.deploy_configuration(version_name="first")),
        ("here", LocalWebservice.deploy_configuration(port=1)),
    ]:
        Model.deploy(ws, name, [model], inference, config)
    kinds = {name: type(Webservice(ws, name)) for name in server.all}
    assert kinds == {
        "of-aci": AciWebservice,
        "of-aks": AksWebservice,
        "versions": AksEndpoint,
        "here": LocalWebservice,
    }
    assert type(Webservice(workspace=ws, name="of-aci")) is AciWebservice
    with pytest.raises(WebserviceException, match="is no AciWebservice but"):
        AciWebservice(ws, "of-aks")
    assert sorted(ws.webservices) == ["of-aci", "of-aks", "versions"]
    assert ws.webservices() == ws.webservices or sorted(ws.webservices()) == sorted(ws.webservices)
    assert [one.name for one in Webservice.list(ws, compute_type="AKS")] == ["of-aks", "versions"]
    assert [one.name for one in Webservice.list(ws, model_name="cats")] == []
    assert len(Webservice.list(ws, model_id="birds:1")) == 3
    again = Webservice.deserialize(ws, Webservice(ws, "of-aci").serialize())
    assert type(again) is AciWebservice and again.name == "of-aci"


def test_list_by_tags(server, ws, model, inference):
    config = AciWebservice.deploy_configuration(tags={"area": "birds"}, properties={"p": "1"})
    Model.deploy(ws, "birds-svc", [model], inference, config)
    for tags, count in [(["area"], 1), ([["area", "birds"]], 1), ([["area", "x"]], 0), (["y"], 0)]:
        assert len(Webservice.list(ws, tags=tags)) == count
    assert len(Webservice.list(ws, properties=[["p", "1"]])) == 1
    assert Webservice.list(ws, image_name="i") == []


def test_a_service_that_is_not_there(server, ws, model, inference):
    with pytest.raises(WebserviceException, match="not found") as caught:
        Webservice(ws, "birds-svc")
    assert caught.value.status_code == 404
    try:  # as notebooks have it
        service = Webservice(ws, "birds-svc")
        service.delete()
    except WebserviceException:
        pass
    with pytest.raises(WebserviceException):
        LocalWebservice(ws, "birds-svc")
    assert LocalWebservice(ws, "birds-svc", must_exist=False).state == "Unknown"
    service = Model.deploy(ws, "birds-svc", [model], inference)
    service.delete()
    service.delete()
    service.wait_for_deployment(True)
    assert server.all == {}


# Asking.


def test_run(server, ws, model, inference):
    service = Model.deploy(ws, "birds-svc", [model], inference)
    assert service.run('{"data": [1]}') == {"echo": '{"data": [1]}'}
    assert service.run(input_data=b"bytes") == {"echo": "bytes"}
    server.answer = lambda asked: json.dumps({"a": 1})  # score.py returned json.dumps()
    assert json.loads(service.run("x")) == {"a": 1}
    server.answer = lambda asked: b"plain"
    assert service.run("x") == "plain"
    server.answer = lambda asked: (502, {"message": "wrong"})
    with pytest.raises(WebserviceException, match=r"Response Code: 502(.|\n)*wrong") as caught:
        service.run("x")
    assert caught.value.status_code == 502
    with pytest.raises(WebserviceException, match="json.dumps"):
        service.run({"data": 1})


def test_keys(server, ws, model, inference):
    config = AciWebservice.deploy_configuration(auth_enabled=True, primary_key="my-own-key")
    service = Model.deploy(ws, "birds-svc", [model], inference, config)
    assert service.auth_enabled and service.get_keys() == ("my-own-key", "second-key")
    assert service.run("x") == {"echo": "x"}
    service.regen_key("Primary")
    assert service.get_keys()[0] == "a-new-key"
    service.regen_key("secondary", set_key="given")
    assert service.get_keys()[1] == "given"
    server.keys["birds-svc"] = {"primary": "of-another-process", "secondary": "z"}
    assert service.run("x") == {"echo": "x"}
    with pytest.raises(WebserviceException, match="'Primary' or 'Secondary'"):
        service.regen_key("third")


def test_tokens(server, ws, model, inference):
    config = AksWebservice.deploy_configuration(token_auth_enabled=True)
    service = Model.deploy(ws, "birds-svc", [model], inference, config)
    token, refresh = service.get_token()
    assert token == "a-token" and refresh.hour == 18 and service.token_auth_enabled
    assert service.get_access_token().token_type == "Bearer"
    assert service.run("x") == {"echo": "x"} and not service.auth_enabled


# Changing.


def test_update(server, ws, model, inference, project):
    service = Model.deploy(ws, "birds-svc", [model], inference)
    service.wait_for_deployment()
    server.add_model("birds")
    service.update(tags={"new": 1}, description="better", auth_enabled=True)
    assert service.tags == {"new": "1"} and service.description == "better"
    assert service.auth_enabled and service.state == "Healthy"
    before = service._deployment["code"]
    service.update(models=[Model(ws, "birds", version=2)])
    assert service.state == "Transitioning" and service.models[0].version == 2
    assert service._deployment["code"] == before
    (project / "score.py").write_text("changed")
    service.update(inference_config=inference, properties={"p": 1})
    assert service._deployment["code"] != before and service.properties == {"p": "1"}
    service.wait_for_deployment(True)
    with pytest.raises(WebserviceException, match="no argument color="):
        service.update(color="red")


def test_update_of_kubernetes(server, ws, model, inference):
    config = AksWebservice.deploy_configuration()
    service = Model.deploy(ws, "birds-svc", [model], inference, config)
    service.update(autoscale_max_replicas=4, enable_app_insights=True, collect_model_data=True)
    assert (service.autoscaler.min_replicas, service.autoscaler.max_replicas) == (1, 4)
    assert service.enable_app_insights
    service.update(num_replicas=2, auth_enabled=False)
    assert service.autoscaler.min_replicas == 2 and not service.auth_enabled
    service.update(token_auth_enabled=True)
    assert service.token_auth_enabled


def test_hidden_variables_are_not_sent_back(server, ws, model, inference):
    service = Model.deploy(ws, "birds-svc", [model], inference)
    server.all["birds-svc"]["deployments"][0]["environment_variables"] = {"A": "***"}
    service.update_deployment_state()
    with pytest.raises(WebserviceException, match="hidden"):
        service.update(models=[model])


def test_local(server, ws, model, inference, project, capsys):
    config = LocalWebservice.deploy_configuration(port=6789)
    service = Model.deploy(ws, "Local_Test", [model], inference, config)
    assert service.name == "local-test" and server.sent("local-test")["port"] == 6789
    service.wait_for_deployment(show_output=True)
    assert "Local webservice is running at http://localhost:" in capsys.readouterr().out
    assert service.port == 6789 and service.run("x") == {"echo": "x"}
    Model.deploy(ws, "Local_Test", [model], inference, config)  # in the place of the one there
    found = LocalWebservice(ws, "Local_Test")
    found.reload()
    restarts = server.api.calls(f"POST {HOME}/endpoints/local-test/restart")
    assert len(restarts) == 1
    (project / "score.py").write_text("changed")
    before = found._deployment["code"]
    found.reload(wait=True)
    assert found._deployment["code"] != before
    found.update([model], inference, LocalWebservice.deploy_configuration(port=1), wait=True)
    assert found.port == 1
    for method in ("get_keys", "get_token"):
        with pytest.raises(NotImplementedError, match="do not support"):
            getattr(found, method)()
    cloud = found.deploy_to_cloud("birds-svc", AciWebservice.deploy_configuration())
    assert type(cloud) is AciWebservice and cloud.models[0].id == "birds:1"
    assert server.sent("birds-svc")["deployments"][0]["code"] == found._deployment["code"]
    found.delete(delete_cache=False, delete_image=True)
    assert list(server.all) == ["birds-svc"]


# Versions.


def test_versions(server, ws, model, inference):
    config = AksEndpoint.deploy_configuration(
        cpu_cores=0.1, memory_gb=0.2, version_name="versiona", tags={"a": "b"},
        traffic_percentile=20, enable_app_insights=True,
    )  # fmt: skip
    endpoint = Model.deploy(ws, "birds-svc", [model], inference, config)
    assert type(endpoint) is AksEndpoint and list(endpoint.versions) == ["versiona"]
    endpoint.wait_for_deployment(True)
    endpoint.create_version(
        "versionb", inference_config=inference, models=[model], tags={"v": 1}, traffic_percentile=10
    )
    facts = server.all["birds-svc"]
    assert facts["traffic"] == {"versiona": 90, "versionb": 10}
    assert endpoint.versions["versionb"].name == "versionb"
    assert endpoint.versions["versiona"].is_default and endpoint.versions["versionb"].tags
    endpoint.update_version(
        "versionb", description="new", traffic_percentile=40, is_default=True,
        is_control_version_type=True,
    )  # fmt: skip
    assert facts["default"] == "versionb" and facts["traffic"] == {"versiona": 20, "versionb": 80}
    assert endpoint.versions["versionb"].version_type == AksEndpoint.VersionType.control
    assert endpoint.versions["versionb"].description == "new"
    assert endpoint.run("x") == {"echo": "x"} and "versiona" in endpoint.serialize()["versions"]
    with pytest.raises(WebserviceException, match="At most 100"):
        endpoint.update_version("versiona", traffic_percentile=60)
        endpoint.create_version("versionc", models=[model], traffic_percentile=50)
    with pytest.raises(WebserviceException, match="default version"):
        endpoint.delete_version("versionb")
    with pytest.raises(WebserviceException, match="has no version"):
        endpoint.delete_version("versionz")
    endpoint.delete_version("versiona")
    assert list(endpoint.versions) == ["versionb"] and facts["traffic"] == {"versionb": 100}
    endpoint.delete()
    assert server.all == {}
