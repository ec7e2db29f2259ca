"""Web services as notebooks have them: deployed, asked, changed and deleted on a real server."""
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from processes import wait_until
from roost_fixture import PYTHON, ROOT, RoostServer
from sdk_fixtures import at_server, ws  # noqa: F401
from serving_fixtures import deploy, get_json, inference, post, register, write_script  # noqa: F401


def test_the_way_of_a_notebook(ws: Any, deploy: Any, capsys: Any) -> None:
    from azureml.core.webservice import AciWebservice, Webservice
    from azureml.exceptions import WebserviceException

    model = register(ws, "notebook", "first")
    try:
        Webservice(ws, "notebook").delete()
    except WebserviceException as error:
        assert "not found" in error.message
    config = AciWebservice.deploy_configuration(cpu_cores=1, memory_gb=1, tags={"area": "birds"}, description="which bird")
    service = deploy("notebook", [model], inference(), config)
    assert service.state == "Transitioning"
    capsys.readouterr()
    service.wait_for_deployment(show_output=True)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("Tips: You can try get_logs()") and lines[1] == "Running"
    assert lines[-2:] == ["Succeeded", 'ACI service creation operation finished, operation "Succeeded"']
    assert all(line[:2] == "20" and "+00:00 " in line for line in lines[2:-2]) and len(lines) > 4
    assert service.state == "Healthy" and service.error is None
    assert service.run(json.dumps([1])) == {"model": "first", "asked": [1]}
    assert service.run(input_data=b'"x"') == {"model": "first", "asked": "x"}
    assert json.loads(service.run('"text"')) == {"model": "first"}
    assert post(service.scoring_uri, b"[2]")[0] == 200
    assert get_json(service.swagger_uri)["info"]["title"] == "notebook"
    assert "init of first" in service.get_logs()
    with pytest.raises(WebserviceException, match="Response Code: 502"):  # as Azure's router had it
        service.run('"raise"')
    wait_until(lambda: "a bad bird" in service.get_logs(num_lines=50), 20, "the exception in the log")


def test_finding_and_what_serves_a_model(ws: Any, deploy: Any) -> None:
    from azureml.core import Model
    from azureml.core.webservice import AciWebservice, AksWebservice, Webservice
    from azureml.exceptions import WebserviceException

    model = register(ws, "found")
    config = AciWebservice.deploy_configuration(tags={"found": "yes"})
    service = deploy("found", [model], inference(), config)
    service.wait_for_deployment()
    again = Webservice(ws, "found")
    assert type(again) is AciWebservice and again.scoring_uri == service.scoring_uri
    assert again.models[0].id == model.id and again.tags == {"found": "yes"} and again.created_time <= again.updated_time
    assert [one.name for one in Webservice.list(ws, tags=["found"], model_name="found")] == ["found"]
    assert ws.webservices["found"].state == ws.webservices()["found"].state == "Healthy"
    with pytest.raises(WebserviceException, match="is no AksWebservice"):
        AksWebservice(ws, "found")
    with pytest.raises(WebserviceException, match="overwrite=True"):
        deploy("found", [model], inference())
    assert [(one["endpoint"], one["deployment"]) for one in Model(ws, "found").serves] == [("found", "default")]
    with pytest.raises(WebserviceException):
        model.delete()
    service.delete()
    service.delete()
    assert Model(ws, "found").serves == []
    model.delete()


def test_update(ws: Any, deploy: Any) -> None:
    from azureml.exceptions import WebserviceException

    service = deploy("update", [register(ws, "update", "first")], inference())
    service.wait_for_deployment()
    second = register(ws, "update", "second")
    assert service.run("1")["model"] == "first"  # a new version never moves a service by itself
    service.update(models=[second], tags={"new": 1}, description="better")
    service.wait_for_deployment(True)
    wait_until(lambda: service.run("1")["model"] == "second", 10, "the second model")
    assert (service.tags, service.description) == ({"new": "1"}, "better")
    service.update(inference_config=inference(code="def init(): pass\ndef run(data): return 'other'\n"))
    service.wait_for_deployment(True)
    wait_until(lambda: service.run("1") == "other", 10, "the other script")
    assert service.models[0].id == second.id
    service.update(inference_config=inference(code="import nothing_like_this\n"))
    with pytest.raises(WebserviceException, match="nothing_like_this"):
        service.wait_for_deployment(True)
    assert service.run("1") == "other"  # what was there goes on


def test_overwrite(ws: Any, deploy: Any) -> None:
    model = register(ws, "over", "words")
    deploy("over", [model], inference()).wait_for_deployment()
    code = "def init(): pass\ndef run(data): return 'new'\n"
    service = deploy("over", [model], inference(code=code), overwrite=True)
    service.wait_for_deployment()
    wait_until(lambda: service.run("1") == "new", 10, "the new script")


@pytest.mark.parametrize("code, words", [
    ("import nothing_like_this\n", "No module named 'nothing_like_this'"),
    ("def init(): raise RuntimeError('no weights')\ndef run(data): pass\n", "no weights"),
    ("def init(): pass\n", "run"),
    ("def init(:\n", "SyntaxError"),
])
def test_failure(ws: Any, deploy: Any, capsys: Any, code: str, words: str) -> None:
    from azureml.exceptions import WebserviceException

    service = deploy("failure", [register(ws, "failure")], inference(code=code))
    capsys.readouterr()
    with pytest.raises(WebserviceException) as caught:
        service.wait_for_deployment(True)
    text = caught.value.message
    first, operation, more, error, found = text.split("\n", 4)
    assert first == ("Service deployment polling reached non-successful terminal state, current service state: Failed")
    assert operation.startswith("Operation ID: ") and error == "Error:" and text in capsys.readouterr().out
    details = json.loads(found)
    assert (details["code"], details["statusCode"]) == ("AciDeploymentFailed", 400)
    assert words in details["message"] and details["details"][0]["code"] == "CrashLoopBackOff"
    assert service.state == "Failed" and words in service.get_logs() and words in service.error["message"]
    service.delete()


def test_keys_and_tokens(ws: Any, deploy: Any) -> None:
    from azureml.core.webservice import AciWebservice, AksWebservice

    model = register(ws, "keys")
    service = deploy("keys", [model], inference(), AciWebservice.deploy_configuration(auth_enabled=True))
    service.wait_for_deployment()
    primary, secondary = service.get_keys()
    assert service.auth_enabled and service.run("1")["asked"] == 1
    uri = service.scoring_uri
    assert post(uri, b"1")[0] == 401
    for key in (primary, secondary):
        assert post(uri, b"1", {"Authorization": f"Bearer {key}"})[0] == 200
    service.regen_key("Primary")
    assert service.get_keys()[0] != primary and service.get_keys()[1] == secondary
    assert service.run("1")["asked"] == 1
    service.update(auth_enabled=False)
    service.wait_for_deployment()
    config = AksWebservice.deploy_configuration(token_auth_enabled=True, num_replicas=1)
    tokens = deploy("tokens", [model], inference(), config)
    tokens.wait_for_deployment()
    token, refresh = tokens.get_token()
    assert tokens.token_auth_enabled and refresh.year >= 2026 and tokens.run("1")["asked"] == 1
    assert post(tokens.scoring_uri, b"1", {"Authorization": f"Bearer {token}"})[0] == 200
    assert post(tokens.scoring_uri, b"1", {"Authorization": "Bearer wrong"})[0] == 401


def test_local(ws: Any, deploy: Any, capsys: Any) -> None:
    """A folder of code, opened by its name from the folder above; changed, and loaded again."""
    from azureml.core.webservice import AciWebservice, LocalWebservice
    from azureml.exceptions import WebserviceException

    code = """
        import helper
        def init():
            global extra
            extra = open("./source/extra.txt").read()
        def run(data):
            if data == "raise": raise ValueError("x")
            return {"extra": extra, "helped": helper.help(data)}
    """
    config = inference("x/y/score.py", "source", code)
    write_script("source/x/y/helper.py", "def help(text): return text + '!'\n")
    Path("source/extra.txt").write_text("one")
    Path("source/.gitignore").write_text("extra.txt\n")
    service = deploy("local-one", [register(ws, "local")], config, LocalWebservice.deploy_configuration())
    service.wait_for_deployment(show_output=True)
    assert f"Local webservice is running at http://localhost:{service.port}" in capsys.readouterr().out
    assert service.scoring_uri == f"http://localhost:{service.port}/score"
    assert service.run("ab") == {"extra": "one", "helped": "ab!"}
    assert post(service.scoring_uri, b"raise")[0] == 500  # no router stands before it
    Path("source/extra.txt").write_text("two")
    service.reload(wait=True)
    assert service.run("ab")["extra"] == "two"
    with pytest.raises(NotImplementedError):
        service.get_keys()
    again = deploy("local-one", [register(ws, "local")], config, LocalWebservice.deploy_configuration(port=service.port))
    again.wait_for_deployment()
    cloud = again.deploy_to_cloud("local-cloud", AciWebservice.deploy_configuration())
    cloud.wait_for_deployment()
    assert cloud.run("ab")["extra"] == "two"
    cloud.delete()
    again.delete(delete_cache=False)
    with pytest.raises(WebserviceException):
        LocalWebservice(ws, "local-one")


def test_several_models_and_no_model(ws: Any, deploy: Any) -> None:
    from azureml.core import Model

    os.makedirs("net/deep")
    Path("net/deep/w.txt").write_text("folder")
    folder = Model.register(ws, "net", "several-net")
    code = """
        import os
        from azureml.core.model import Model
        def init(): pass
        def run(data):
            paths = [Model.get_model_path("several"), Model.get_model_path("several-net")]
            return [os.environ["AZUREML_MODEL_DIR"].split("/")[-1], open(paths[0]).read(), open(paths[1] + "/deep/w.txt").read()]
    """
    service = deploy("several", [register(ws, "several", "file"), folder], inference(code=code))
    service.wait_for_deployment()
    assert service.run("") == ["azureml-models", "file", "folder"]
    nothing = deploy("nothing", [], inference(code="def init(): pass\ndef run(data): return len(data)\n"))
    nothing.wait_for_deployment()
    assert nothing.run("abc") == 3


def test_kubernetes(ws: Any, deploy: Any) -> None:
    from azureml.core.compute import AksCompute, ComputeTarget
    from azureml.core.webservice import AksWebservice

    target = ComputeTarget.create(ws, "aks", AksCompute.provisioning_configuration(agent_count=1))
    target.wait_for_completion(show_output=True)
    assert target.get_status() == "Succeeded" and target.provisioning_errors is None
    assert type(ComputeTarget(ws, "aks")) is AksCompute and type(ws.compute_targets["aks"]) is AksCompute
    config = AksWebservice.deploy_configuration(autoscale_enabled=False, num_replicas=2, enable_app_insights=True)
    service = deploy("aks-service", [register(ws, "aks")], inference(), config, ComputeTarget(ws, "aks"))
    service.wait_for_deployment(True)
    assert type(service) is AksWebservice and service.compute_name == "aks" and service.compute_type == "AKS"
    assert service.run("[1]")["asked"] == [1] and post(service.scoring_uri, b"1")[0] == 401
    assert service.enable_app_insights and service.autoscaler.max_replicas == 2
    service.update(num_replicas=1, collect_model_data=True)
    service.wait_for_deployment(True)
    assert service.run("[1]")["asked"] == [1] and service.autoscaler.max_replicas == 1
    service.delete()


def test_versions(ws: Any, deploy: Any) -> None:
    from azureml.core.webservice import AksEndpoint, Webservice

    model = register(ws, "versions")
    code = "def init(): pass\ndef run(data): return {0!r}\n"
    config = AksEndpoint.deploy_configuration(version_name="versiona", traffic_percentile=100, auth_enabled=False)
    endpoint = deploy("versions", [model], inference(code=code.format("a")), config)
    endpoint.wait_for_deployment(True)
    assert type(endpoint) is AksEndpoint and endpoint.versions["versiona"].is_default and endpoint.run("") == "a"
    endpoint.create_version("versionb", inference_config=inference(code=code.format("b")), models=[model], traffic_percentile=0)
    endpoint.wait_for_deployment(True)
    assert {endpoint.run("") for _ in range(20)} == {"a"}
    assert post(endpoint.scoring_uri, b"", {"azureml-model-deployment": "versionb"})[2] == b'"b"'
    endpoint.update_version("versionb", traffic_percentile=50, is_control_version_type=True)
    found = Webservice(ws, "versions")
    assert type(found) is AksEndpoint and found.versions["versionb"].traffic_percentile == 50
    wait_until(lambda: {found.run("") for _ in range(30)} == {"a", "b"}, 20, "answers of both versions")
    found.update_version("versionb", is_default=True, traffic_percentile=100)
    found.update_version("versiona", traffic_percentile=0)
    wait_until(lambda: {found.run("") for _ in range(20)} == {"b"}, 20, "answers of versionb alone")
    found.delete_version("versiona")
    assert list(found.versions) == ["versionb"] and found.run("") == "b"
    found.delete()


def test_from_another_process(ws: Any, at_server: RoostServer, deploy: Any) -> None:
    """What is printed reaches a pipe, and a service is found by its name."""
    deploy("elsewhere", [register(ws, "elsewhere")], inference())
    code = ("from azureml.core import Workspace, Webservice\n"
            "service = Webservice(Workspace.get('default'), 'elsewhere')\n"
            "service.wait_for_deployment(True)\n"
            "print(service.run('[1]'))\n")
    done = subprocess.run([PYTHON, "-c", code], env={**at_server.environment, "PYTHONPATH": str(ROOT / "python")},
                          capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "{'model': 'weights', 'asked': [1]}"
    assert 'operation finished, operation "Succeeded"' in done.stdout
