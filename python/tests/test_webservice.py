"""Web services against a fake of the server: what is sent, what is told, what is refused."""

import inspect
import json
import os
import subprocess
import sys

import pytest
from conftest import PYTHON_FOLDER
from fake_api import refusal
from fake_endpoints import HOME, FakeEndpoints

from azureml.core import Environment, Model, Workspace
from azureml.core.image import ContainerImage, Image
from azureml.core.model import InferenceConfig
from azureml.core.webservice import (
    AciWebservice,
    AksEndpoint,
    AksWebservice,
    LocalWebservice,
    Webservice,
)
from azureml.core.webservice import _configuration as configuration
from azureml.core.webservice import _waiting as waiting
from azureml.exceptions import WebserviceException


@pytest.fixture
def server(connected):
    return FakeEndpoints(connected)


@pytest.fixture
def ws(server):
    return Workspace.get("default")


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A folder with a script, one beside it, and one that git is told to leave out."""
    source = tmp_path / "source"
    (source / "deep").mkdir(parents=True)
    (source / "score.py").write_text("def init(): pass\ndef run(data): return data\n")
    (source / "deep" / "score.py").write_text("")
    (source / ".gitignore").write_text("extra.json\n")
    (source / ".amlignore").write_text("extra.json\n")
    (source / "extra.json").write_text("{}")
    (tmp_path / "score.py").write_text("")
    (tmp_path / "env.yml").write_text("dependencies: [python=3.8, {pip: [numpy==1.24.2]}]\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def model(server, ws):
    server.add_model("birds")
    return Model(ws, "birds")


@pytest.fixture
def inference(project):
    return InferenceConfig(entry_script="score.py", environment=Environment("scoring"))


def names_of(function):
    return [name for name in inspect.signature(function).parameters if name != "self"]


# Where things are, and in what order they are given.


@pytest.mark.parametrize(
    "statement",
    [
        "from azureml.core import Webservice, Image, ContainerImage",
        "from azureml.core.webservice import Webservice, WebserviceException, AksEndpoint",
        "from azureml.core.webservice.webservice import Webservice, WebserviceException",
        "from azureml.core.webservice.webservice import WebserviceDeploymentConfiguration",
        "from azureml.core.webservice.aci import AciWebservice, AciServiceDeploymentConfiguration",
        "from azureml.core.webservice.aks import AksWebservice, AksEndpoint",
        "from azureml.core.webservice.local import LocalWebservice",
        "from azureml.core.image import Image, ContainerImage",
        "from azureml.core.image.image import Image",
        "from azureml.core.image.container import ContainerImage, ContainerImageConfig",
        "from azureml.core.model import InferenceConfig, Model, ModelPackage, ModelProfile",
        "from azureml.core.compute import AksCompute",
        "from azureml.core.compute.aks import AksCompute",
    ],
)
def test_the_modules_that_real_files_import_from(statement):
    exec(statement, {})


def test_positions():
    assert names_of(Model.deploy)[:7] == [
        "workspace", "name", "models", "inference_config", "deployment_config",
        "deployment_target", "overwrite",
    ]  # fmt: skip
    assert names_of(InferenceConfig)[:4] == [
        "entry_script", "runtime", "conda_file", "extra_docker_file_steps",
    ]  # fmt: skip
    assert names_of(Webservice.deploy_from_model)[:5] == [
        "workspace", "name", "models", "image_config", "deployment_config",
    ]  # fmt: skip
    assert names_of(Webservice.deploy_from_image)[2] == "image"
    assert names_of(LocalWebservice.update)[:3] == [
        "models", "inference_config", "deployment_config",
    ]  # fmt: skip


# Deploying.


def test_deploy_as_notebooks_do(server, ws, model, inference, capsys):
    config = AciWebservice.deploy_configuration(
        cpu_cores=1, memory_gb=1, tags={"data": "birds"}, description="which bird"
    )
    service = Model.deploy(ws, "birds-svc", [model], inference, config)
    assert type(service) is AciWebservice and service.state == "Transitioning"
    sent = server.sent("birds-svc")
    assert (sent["kind"], sent["auth"], sent["overwrite"]) == ("aci", "none", False)
    assert sent["tags"] == {"data": "birds"} and sent["description"] == "which bird"
    assert sent["settings"]["cpu_cores"] == 1 and "compute" not in sent
    (deployment,) = sent["deployments"]
    assert deployment["models"] == ["birds:1"] and deployment["environment"]["name"] == "scoring"
    assert deployment["code"]["entry_script"] == "score.py"
    assert deployment["code"]["source_directory"] == "" and server.files() == ["score.py"]
    service.wait_for_deployment(show_output=True)
    assert service.state == "Healthy" and service.error is None
    out = capsys.readouterr().out.splitlines()
    assert out[0].startswith("Tips: You can try get_logs(): ") and out[1] == "Running"
    assert out[2:] == [
        "2026-11-18 12:00:00+00:00 Registering the environment.",
        "2026-11-18 12:00:00+00:00 Checking the status of inference endpoint birds-svc.",
        "Succeeded",
        'ACI service creation operation finished, operation "Succeeded"',
    ]
    assert service.scoring_uri.endswith("/endpoints/birds-svc/score")
    assert (service.compute_type, service.auth_enabled) == ("ACI", False)
    assert service.container_resource_requirements.cpu == 1
    assert service.serialize()["scoringUri"] == service.scoring_uri
    assert service.created_time.year == 2026 and service.models[0].id == "birds:1"


def test_who_serves_is_said_once(server, ws, model, inference, capsys, monkeypatch):
    monkeypatch.setattr(configuration, "_told", set())
    for name in ("one", "two"):
        Model.deploy(ws, name, [model], inference, AciWebservice.deploy_configuration())
    Model.deploy(ws, "three", [model], inference, LocalWebservice.deploy_configuration(port=1234))
    told = capsys.readouterr().err.splitlines()
    assert len(told) == 1 and "Roost's own replicas serve this" in told[0]


def test_source_folder_keeps_its_name_and_everything_in_it(server, ws, model, project):
    config = InferenceConfig(
        "./deep/score.py", source_directory="./source", environment=Environment()
    )
    Model.deploy(ws, "birds-svc", [model], config)
    code = server.sent("birds-svc")["deployments"][0]["code"]
    assert code["entry_script"] == "source/deep/score.py" and code["source_directory"] == "source"
    assert server.files() == [
        "source/.amlignore", "source/.gitignore", "source/deep/score.py", "source/extra.json",
        "source/score.py",
    ]  # fmt: skip


def test_here_as_source_folder(server, ws, project):
    Model.deploy(ws, "birds-svc", [], InferenceConfig("score.py", source_directory="."))
    code = server.sent("birds-svc")["deployments"][0]["code"]
    assert code["entry_script"] == f"{project.name}/score.py"


def test_conda_file_form(server, ws, model, project):
    config = InferenceConfig(runtime="python", entry_script="score.py", conda_file="env.yml")
    Model.deploy(ws, "birds-svc", [model], config)
    (stored,) = server.environments
    packages = stored["definition"]["python"]["condaDependencies"]["dependencies"]
    assert packages[0] == "python=3.8" and packages[1] == {"pip": ["numpy==1.24.2"]}
    assert server.sent("birds-svc")["deployments"][0]["environment"]["name"].startswith("anonymous")


def test_variables_and_workers(server, ws, model, project):
    environment = Environment("scoring")
    environment.environment_variables = {"WORKER_COUNT": "4", "SECRET": "x"}
    environment.inferencing_stack_version = "latest"
    Model.deploy(ws, "birds-svc", [model], InferenceConfig("score.py", environment=environment))
    (deployment,) = server.sent("birds-svc")["deployments"]
    assert deployment["workers"] == 4 and "variables" not in deployment["environment"]
    assert deployment["environment_variables"]["SECRET"] == "x"
    environment.environment_variables = {"WORKER_COUNT": "many"}
    with pytest.raises(WebserviceException, match="WORKER_COUNT"):
        Model.deploy(ws, "birds-svc", [model], InferenceConfig("score.py", environment=environment))


def test_no_code(server, ws):
    server.add_model("net", "Onnx", resources={"cpu": 2, "memory_in_gb": 3})
    service = Model.deploy(ws, "net-svc", [Model(ws, "net")])
    assert type(service) is AciWebservice
    sent = server.sent("net-svc")
    assert sent["deployments"] == [{"name": "default", "models": ["net:1"]}]
    assert sent["settings"] == {"cpu_cores": 2, "memory_gb": 3}


def test_no_code_of_scikit_learn_has_the_environment_of_its_run(server, ws, connected):
    server.add_model("tree", "ScikitLearn", run="run-1")
    environment = {"name": "sk", "version": "3", "variables": {"A": "b"}}
    connected.routes["GET /api/v1/runs/run-1"] = {"spec": {"environment": environment}}
    Model.deploy(ws, "tree-svc", [Model(ws, "tree")])
    (deployment,) = server.sent("tree-svc")["deployments"]
    assert deployment["environment"] == {"name": "sk", "version": "3"}


def test_a_target_alone_is_kubernetes(server, ws, model, inference):
    from azureml.core.compute import AksCompute, ComputeTarget

    target = ComputeTarget.create(ws, "aks", AksCompute.provisioning_configuration(agent_count=2))
    target.wait_for_completion(show_output=True)
    assert target.get_status() == "Succeeded" and target.provisioning_state == "Succeeded"
    assert isinstance(target, AksCompute) and target.agent_count == 2 and target.type == "AKS"
    found = ComputeTarget(ws, "aks")
    assert type(found) is AksCompute and found.provisioning_errors is None
    assert AksCompute(ws, "aks").serialize()["agentCount"] == 2
    service = Model.deploy(ws, "birds-svc", [model], inference, deployment_target=found)
    assert type(service) is AksWebservice and server.sent("birds-svc")["compute"] == "aks"
    with pytest.raises(WebserviceException, match="takes no deployment_target"):
        Model.deploy(ws, "b-svc", [model], inference, AciWebservice.deploy_configuration(), found)


def test_kubernetes_settings(server, ws, model, inference):
    config = AksWebservice.deploy_configuration(
        autoscale_enabled=True, autoscale_min_replicas=2, autoscale_max_replicas=5,
        autoscale_target_utilization=50, scoring_timeout_ms=1000, max_request_wait_time=50,
        replica_max_concurrent_requests=3, enable_app_insights=True, collect_model_data=True,
    )  # fmt: skip
    service = Model.deploy(ws, "birds-svc", [model], inference, config)
    sent = server.sent("birds-svc")
    (deployment,) = sent["deployments"]
    assert deployment["replicas"] == {"min": 2, "max": 5, "target_utilization": 50}
    assert (deployment["scoring_timeout_ms"], deployment["queue_wait_ms"]) == (1000, 50)
    assert deployment["max_concurrent_requests"] == 3 and sent["auth"] == "key"
    assert service.autoscaler.max_replicas == 5 and service.autoscaler.autoscale_enabled
    assert service.enable_app_insights and service.data_collection.storage_enabled
    assert service.liveness_probe_requirements.initial_delay_seconds == 310
    assert service.max_request_wait_time == 50 and service.compute_name == "endpoints"
    fixed = AksWebservice.deploy_configuration(num_replicas=3)._deployment()
    assert fixed["replicas"] == {"min": 3, "max": 3} and fixed["queue_wait_ms"] == 500
    assert AksWebservice.deploy_configuration()._deployment()["replicas"] == {"min": 1, "max": 10}
    assert AksWebservice.deploy_configuration(token_auth_enabled=True)._auth() == "token"
    assert AksWebservice.deploy_configuration(auth_enabled=False)._auth() == "none"


def test_the_name_is_taken(server, ws, model, inference):
    Model.deploy(ws, "birds-svc", [model], inference)
    with pytest.raises(WebserviceException, match="overwrite=True"):
        Model.deploy(ws, "birds-svc", [model], inference)
    Model.deploy(ws, "birds-svc", [model], inference, overwrite=True)
    assert server.sent("birds-svc")["overwrite"] is True


@pytest.mark.parametrize(
    "wrong, words",
    [
        (lambda: AciWebservice.deploy_configuration(cpu_cores=0), "cpu_cores"),
        (lambda: AciWebservice.deploy_configuration(memory_gb="much"), "memory_gb"),
        (lambda: AciWebservice.deploy_configuration(tags=["a"]), "tags"),
        (lambda: AksWebservice.deploy_configuration(num_replicas=0), "num_replicas"),
        (
            lambda: AksWebservice.deploy_configuration(auth_enabled=True, token_auth_enabled=True),
            "exclude each other",
        ),
        (
            lambda: AksWebservice.deploy_configuration(autoscale_enabled=True, num_replicas=2),
            "num_replicas",
        ),
        (
            lambda: AksWebservice.deploy_configuration(
                autoscale_min_replicas=5, autoscale_max_replicas=2
            ),
            "above",
        ),
        (
            lambda: AksWebservice.deploy_configuration(
                autoscale_enabled=False, autoscale_max_replicas=2
            ),
            "autoscale_enabled=True",
        ),
        (
            lambda: AksWebservice.deploy_configuration(autoscale_target_utilization=101),
            "at most 100",
        ),
        (lambda: LocalWebservice.deploy_configuration(port=70000), "port"),
        (lambda: InferenceConfig(""), "entry_script"),
        (
            lambda: InferenceConfig("s.py", runtime="python", environment=Environment()),
            "exclude each other",
        ),
        (lambda: InferenceConfig("s.py", runtime="cobol"), "runtime"),
        (lambda: InferenceConfig("s.py", environment="mine"), "Environment"),
    ],
)
def test_refused_where_it_is_written(wrong, words):
    with pytest.raises(WebserviceException, match=words):
        wrong()


def test_spark_is_not_here():
    with pytest.raises(NotImplementedError, match="spark-py"):
        InferenceConfig("s.py", runtime="spark-py")


def test_refused_before_anything_is_sent(server, ws, model, inference, project):
    (project / "azureml-models").mkdir()
    (project / "azureml-models" / "s.py").write_text("")
    for name in ("Birds", "b", "1birds", "x" * 33, "birds_svc", 3):
        with pytest.raises(WebserviceException, match="3 to 32 lower-case"):
            Model.deploy(ws, name, [model], inference)
    for config, words in [
        (InferenceConfig("nowhere.py"), "no entry script"),
        (InferenceConfig("x.py", source_directory="source"), "looked for in source_directory"),
        (InferenceConfig("../score.py", source_directory="source"), "is not in source_directory"),
        (InferenceConfig("score.py", source_directory="nowhere"), "no folder"),
        (InferenceConfig("s.py", source_directory="azureml-models"), "models lie there"),
        ("score.py", "InferenceConfig"),
    ]:
        with pytest.raises(WebserviceException, match=words):
            Model.deploy(ws, "birds-svc", [model], config)
    with pytest.raises(WebserviceException, match="deploy_configuration"):
        Model.deploy(ws, "birds-svc", [model], inference, {"cpu": 1})
    with pytest.raises(WebserviceException, match="Model.register"):
        Model.deploy(ws, "birds-svc", ["outputs/model.pkl"], inference)
    assert server.all == {}


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


# Images.


def test_legacy_images(server, ws, model, project, capsys):
    (project / "utils.py").write_text("")
    config = ContainerImage.image_configuration(
        execution_script="score.py", runtime="python", conda_file="env.yml",
        dependencies=["utils.py", "source"], tags={"area": "birds"}, description="an image",
    )  # fmt: skip
    image = ContainerImage.create(name="birds", models=[model], image_config=config, workspace=ws)
    image.wait_for_creation(show_output=True)
    assert image.creation_state == "Succeeded" and (image.name, image.version) == ("birds", 1)
    assert 'finished for image birds:1, operation "Succeeded"' in capsys.readouterr().out
    assert "utils.py" in server.files() and "source/score.py" in server.files()
    again = Image.create(workspace=ws, name="birds", models=[model], image_config=config)
    assert again.id == "birds:2" and [one.id for one in Image.list(ws, tags=["area"])] == [
        "birds:2",
        "birds:1",
    ]
    assert ws.images["birds"].version == 2 and ws.images()["birds"].id == "birds:2"
    assert [one.name for one in Model.list(ws)] == ["birds"] and list(ws.models) == ["birds"]
    service = Webservice.deploy_from_image(
        workspace=ws, name="birds-svc", image=Image(ws, id="birds:1"),
        deployment_config=AciWebservice.deploy_configuration(),
    )  # fmt: skip
    (deployment,) = server.sent("birds-svc")["deployments"]
    assert deployment["models"] == ["birds:1"] and deployment["code"]["entry_script"] == "score.py"
    assert service.image_id == "birds:1" and service.image.id == "birds:1"
    assert [one.name for one in Webservice.list(ws, image_name="birds")] == ["birds-svc"]
    image.add_tags({"more": 1})
    assert image.tags == {"area": "birds", "more": "1"}
    image.update({"only": "this"})
    assert Image(ws, "birds", version=1).tags == {"only": "this"}
    image.delete()
    assert [one.id for one in Image.list(ws)] == ["birds:2"]
    with pytest.raises(WebserviceException, match="there is no image"):
        Image(ws, "cats")


def test_deploy_from_model_and_from_paths(server, ws, model, project):
    config = ContainerImage.image_configuration("score.py", "python", "env.yml")
    target = AciWebservice.deploy_configuration(cpu_cores=1, memory_gb=1)
    service = Webservice.deploy_from_model(ws, "birds-svc", [model], config, target)
    service.wait_for_deployment(True)
    assert service.image_id == "birds-svc:1" and service.models[0].id == "birds:1"
    (project / "model.pkl").write_bytes(b"x")
    service = Webservice.deploy(
        workspace=ws, name="paths-svc", model_paths=["model.pkl"], image_config=config,
        deployment_config=target,
    )  # fmt: skip
    assert service.models[0].id == "model.pkl:1"


def test_image_configuration_is_checked(project):
    with pytest.raises(WebserviceException, match="nowhere.py"):
        ContainerImage.image_configuration("nowhere.py", "python")
    with pytest.raises(WebserviceException, match="allow_absolute_path"):
        ContainerImage.image_configuration(str(project / "score.py"), "python")
    with pytest.raises(WebserviceException, match="runtime"):
        ContainerImage.image_configuration("score.py", "cobol")


# Models.


def test_a_model_in_use(server, ws, model, connected):
    server.models["birds", 1]["serves"] = [
        {"workspace": "default", "endpoint": "birds-svc", "deployment": "default"}
    ]
    found = Model(ws, "birds")
    assert found.serves == server.models["birds", 1]["serves"] and model.serves == []
    path = "DELETE /api/v1/workspaces/default/models/birds/versions/1"
    connected.routes[path] = refusal(409, "failed_precondition", "birds-svc serves it")
    with pytest.raises(WebserviceException, match="birds-svc serves it"):
        found.delete()


def test_profile(server, ws, model, inference):
    profile = Model.profile(ws, "p", [model], inference, ['{"a": 1}', '{"a": 2}'], cpu=2)
    profile.wait_for_completion(True)
    details = profile.get_details()
    assert details["requestedCpu"] == 2 and details["requestedMemoryInGb"] == 15.0
    assert details["successQueries"] == details["totalQueries"] == 20
    assert 0 < details["latencyAtP50"] <= details["latencyAtP99"] and server.all == {}
    with pytest.raises(WebserviceException, match="requests to send"):
        Model.profile(ws, "p", [model], inference, [])


def fake_program(folder, monkeypatch):
    program = folder / "bin" / "roost"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    (folder / "bin" / "onnxruntime").mkdir()
    (folder / "bin" / "onnxruntime" / "libonnxruntime.so.1").write_text("")
    monkeypatch.setenv("ROOST_PROGRAM", str(program))


def stored(server, name, files, monkeypatch, **facts):
    """A model whose files are written instead of fetched."""

    def download(self, target_dir=".", exist_ok=False, exists_ok=None):
        os.makedirs(target_dir)
        for path, text in files.items():
            with open(os.path.join(target_dir, path), "w") as file:
                file.write(text)

    server.add_model(name, **facts)
    monkeypatch.setattr(Model, "download", download)


def test_package_with_a_script(server, ws, project, monkeypatch):
    fake_program(project, monkeypatch)
    stored(server, "birds", {"model.pkl": "weights"}, monkeypatch)
    (project / "env.yml").write_text(
        "dependencies: [python=3.8, scikit-learn=1.0, {pip: [azureml-defaults, numpy==1.24.2]}]\n"
    )
    environment = Environment.from_conda_specification("scoring", "env.yml")
    environment.environment_variables = {"WORKER_COUNT": "2", "WORD": 'a "b"'}
    config = InferenceConfig(
        "deep/score.py", source_directory="source", environment=environment
    )
    package = Model.package(ws, [Model(ws, "birds")], config, generate_dockerfile=True)
    package.wait_for_creation(show_output=True)
    assert package.state == "Succeeded"
    package.save("out")
    assert (project / "out/azureml-app/azureml-models/birds/1/model.pkl").read_text() == "weights"
    assert (project / "out/azureml-app/source/extra.json").exists()
    assert (project / "out/requirements.txt").read_text() == "scikit-learn==1.0\nnumpy==1.24.2\n"
    assert (project / "out/python/azureml/core/model.py").exists()
    dockerfile = (project / "out/Dockerfile").read_text()
    assert dockerfile.startswith("FROM python:3.8-slim-bookworm\n") and "EXPOSE 5001" in dockerfile
    assert 'ENV WORD="a \\"b\\""' in dockerfile
    command = json.loads(dockerfile.rpartition("CMD ")[2])
    assert command[1:3] == ["serve", "/var/azureml-app/main.py"]
    assert command[3:7] == [
        "--model-dir", "/var/azureml-app/azureml-models/birds/1", "--workers", "2",
    ]  # fmt: skip
    with pytest.raises(WebserviceException, match="not empty"):
        package.save("out")
    with pytest.raises(WebserviceException, match="Use save"):
        package.pull()


def test_the_main_of_a_package_runs_the_script(server, ws, project, monkeypatch):
    fake_program(project, monkeypatch)
    stored(server, "birds", {"model.pkl": "weights"}, monkeypatch)
    (project / "source" / "deep" / "score.py").write_text(
        "import helper\ndef init(): pass\ndef run(data): return helper.twice(data)\n"
    )
    (project / "source" / "helper.py").write_text("def twice(text): return text + text\n")
    config = InferenceConfig("deep/score.py", source_directory="source")
    Model.package(ws, [Model(ws, "birds")], config, generate_dockerfile=True).save("out")
    code = "import main; main.init(); print(main.run('ab'), main.driver_module.__name__)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd="out/azureml-app", capture_output=True, text=True
    )
    assert done.stdout == "abab driver_module\n", done.stderr


def test_packages_without_code(server, ws, project, monkeypatch):
    fake_program(project, monkeypatch)
    stored(server, "net", {"net.onnx": "graph"}, monkeypatch, framework="Onnx")
    Model.package(ws, [Model(ws, "net")], generate_dockerfile=True).save("onnx")
    assert (project / "onnx/lib/libonnxruntime.so.1").exists()
    assert '"--name", "net"' in (project / "onnx/Dockerfile").read_text()
    server.add_model("tree", "ScikitLearn")
    Model.package(ws, [Model(ws, "tree")], generate_dockerfile=True).save("tree")
    assert "sklearn_script" in (project / "tree/azureml-app/main.py").read_text()
    server.add_model("other", "PyTorch")
    with pytest.raises(WebserviceException, match="InferenceConfig"):
        Model.package(ws, [Model(ws, "other")], generate_dockerfile=True)


def test_package_that_cannot_be_made(server, ws, model, inference, monkeypatch):
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("ROOST_PROGRAM", raising=False)
    with pytest.raises(WebserviceException, match="generate_dockerfile=True"):
        Model.package(ws, [model], inference)
    with pytest.raises(WebserviceException, match="ROOST_PROGRAM"):
        Model.package(ws, [model], inference, generate_dockerfile=True)


# Export.


def test_export(server, ws, connected):
    server.add_model("birds", "PyTorch", run="run-1", experiment="birds")
    connected.routes["GET /api/v1/runs/run-1"] = {
        "type": "azureml.scriptrun", "compute": "cluster", "snapshot": "5" * 64,
        "environment": {"name": "torch", "version": "2", "lock": ["torch==1.13"], "changes": []},
        "spec": {"command": "python train.py --rate 1", "environment": {"name": "torch"}},
    }  # fmt: skip
    route = f"POST {HOME}/runs"
    connected.routes[route] = lambda asked: {"id": "run-2", "experiment": "birds"}
    run = Model(ws, "birds").export_onnx((2, 3, 8, 8), name="birds-onnx", check=False, wait=False)
    assert run.id == "run-2"
    spec = connected.calls(route)[0].json
    assert spec["command"] == (
        'python -m roost.inference.export_onnx --model "$AZUREML_DATAREFERENCE_roost_model" '
        "--exported-from birds:1 --input 2x3x8x8 --register birds-onnx --script train.py --no-check"
    )
    assert (spec["compute"], spec["snapshot"]) == ("cluster", "5" * 64)
    assert spec["environment"] == {"name": "torch", "version": "2", "lock": ["torch==1.13"]}
    assert spec["inputs"] == [{"name": "roost_model", "content": "0" * 64}]
    inputs = {"ids": "2xlength@16:int64", "mask": (2, 16)}
    Model(ws, "birds").export_onnx(inputs, model_function="net:make", wait=False)
    command = connected.calls(route)[1].json["command"]
    assert "--input ids=2xlength@16:int64 --input mask=2x16 " in command
    assert "--model-function net:make" in command and "--register birds " in command
    with pytest.raises(WebserviceException, match="input_shape"):
        Model(ws, "birds").export_onnx(None)
