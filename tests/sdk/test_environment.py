"""Environments on a real server: stored, found, versioned, used by runs."""
from typing import Any

import pytest

from conftest import MakeServer
from roost_fixture import PYTHON, RoostServer
from sdk_fixtures import at_server, experiment, script, ws  # noqa: F401


@pytest.fixture(scope="module")
def shared_server(make_shared_server: MakeServer) -> RoostServer:
    """Packages come from this machine itself, whether or not a package index can be reached."""
    return make_shared_server({"environments": {"offline": True}})


SCRIPT = "import os, sys\nprint('GREETING', os.environ.get('GREETING'), sys.executable)\n"


def test_register_and_get(ws: Any, name: str) -> None:
    from azureml.core import Environment
    from azureml.core.conda_dependencies import CondaDependencies

    made = Environment(name)
    made.python.conda_dependencies = CondaDependencies.create(pip_packages=["torch==1.6"])
    made.docker.base_image = "example.org/image"
    stored = made.register(workspace=ws)
    assert (stored.name, stored.version, made.version) == (name, "1", "1")
    assert made.register(ws).version == "1"
    made.environment_variables["A"] = "b"
    assert made.register(ws).version == "2"
    newest = Environment.get(workspace=ws, name=name)
    assert newest.environment_variables == {"A": "b"} and newest.docker.base_image == "example.org/image"
    first = Environment.get(ws, name, version="1")
    assert first.environment_variables == {} and list(first.python.conda_dependencies.pip_packages) == ["torch==1.6"]
    assert Environment.list(workspace=ws)[name].version == "2"


def test_curated_names_in_any_case_with_a_notice_once(ws: Any, capsys: Any) -> None:
    from azureml.core import Environment

    found = Environment.get(workspace=ws, name="azureml-pytorch-1.6-gpu")
    again = Environment.get(ws, "AzureML-PyTorch-1.6-GPU")
    assert found.name == again.name == "AzureML-PyTorch-1.6-GPU"
    said = capsys.readouterr()
    assert said.out == "" and said.err.count("stands for") <= 1
    assert found.python.conda_dependencies.get_python_version()
    assert "AzureML-PyTorch-1.6-GPU" in Environment.list(ws)


def test_unknown_and_reserved(ws: Any) -> None:
    from azureml.core import Environment
    from azureml.exceptions import UserErrorException

    with pytest.raises(UserErrorException, match="no environment"):
        Environment.get(ws, "never-made")
    with pytest.raises(UserErrorException, match="version 7|7"):
        Environment("once").register(ws) and Environment.get(ws, "once", version=7)
    with pytest.raises(UserErrorException, match="reserved"):
        Environment("AzureML-mine").register(ws)


def test_curated_in_a_run(ws: Any, experiment: Any, script: Any) -> None:
    from azureml.core import Environment, ScriptRunConfig
    from azureml.exceptions import UserErrorException

    folder = script(SCRIPT).folder
    curated = Environment.get(ws, "AzureML-Minimal")
    config = ScriptRunConfig(folder, "train.py", environment=curated)
    run = experiment.submit(config)
    assert run.wait_for_completion()["status"] == "Completed"
    assert run.get_environment().name == "AzureML-Minimal"
    curated.python.conda_dependencies.add_pip_package("numpy")
    with pytest.raises(UserErrorException, match="clone"):
        experiment.submit(config)
    config.run_config.environment = curated.clone("my-minimal")
    assert experiment.submit(config).wait_for_completion()["status"] == "Completed"


def test_variables_and_interpreter_reach_the_script(ws: Any, experiment: Any, script: Any) -> None:
    from azureml.core import Environment, ScriptRunConfig

    made = Environment("with-variables")
    made.environment_variables = {"GREETING": "hello"}
    made.python.user_managed_dependencies = True
    made.python.interpreter_path = PYTHON
    config = ScriptRunConfig(script(SCRIPT).folder, "train.py", environment=made)
    run = experiment.submit(config)
    run.wait_for_completion()
    log = run.get_details_with_logs()["logFiles"]["azureml-logs/70_driver_log.txt"]
    assert "GREETING hello" in log
    assert ws.environments["with-variables"].version == "1"
    assert not any(name.startswith("anonymous") for name in ws.environments)


def test_an_environment_without_a_name_is_stored_but_not_listed(ws: Any, experiment: Any, script: Any) -> None:
    from azureml.core import ScriptRunConfig

    config = ScriptRunConfig(script(SCRIPT).folder, "train.py")
    config.run_config.environment.python.conda_dependencies.add_pip_package("pillow")
    run = experiment.submit(config)
    run.wait_for_completion()
    assert "pillow" in run.get_environment().python.conda_dependencies.pip_packages
    assert not any(name.startswith("anonymous") for name in ws.environments)
