"""Deploying against a fake of the server: where names are, what is sent, what is refused."""

import inspect

import pytest

from azureml.core import Environment, Model
from azureml.core.model import InferenceConfig
from azureml.core.webservice import (
    AciWebservice,
    AksWebservice,
    LocalWebservice,
    Webservice,
)
from azureml.core.webservice import _configuration as configuration
from azureml.exceptions import WebserviceException


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
