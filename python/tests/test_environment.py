"""Environments: factories, definitions, files, and what a run is told."""

import json
import pathlib

import pytest
from fake_workspace import FakeWorkspace

from azureml.core import Environment
from azureml.core.conda_dependencies import CondaDependencies
from azureml.core.environment import DEFAULT_CPU_IMAGE, ContainerRegistry
from azureml.exceptions import UserErrorException


def test_defaults():
    made = Environment("x")
    definition = made._definition()
    python, docker = definition["python"], definition["docker"]
    assert python["userManagedDependencies"] is False
    assert python["interpreterPath"] == "python"
    assert docker["baseImage"] == DEFAULT_CPU_IMAGE
    assert docker["shmSize"] == "2g" and docker["arguments"] == []
    assert made.python.conda_dependencies is not None
    assert made.environment_variables == {} and made.version is None


def test_sections_are_not_shared():
    first, second = Environment("a"), Environment("b")
    first.docker.arguments.append("--x")
    first.python.conda_dependencies.add_pip_package("y")
    assert second.docker.arguments == []
    assert "y" not in second.python.conda_dependencies.pip_packages


def test_from_files(tmp_path):
    (tmp_path / "env.yml").write_text("dependencies:\n- numpy\n")
    (tmp_path / "req.txt").write_text("a==1  # one\n\n# two\nb[x]>=2 ; python_version>'3' \\\n  \n")
    (tmp_path / "Dockerfile").write_text("FROM x\n")
    conda = Environment.from_conda_specification("c", tmp_path / "env.yml")
    assert list(conda.python.conda_dependencies.conda_packages) == ["numpy"]
    pip = Environment.from_pip_requirements("p", str(tmp_path / "req.txt"))
    assert list(pip.python.conda_dependencies.pip_packages) == [
        "a==1",
        "b[x]>=2 ; python_version>'3'",
    ]
    docker = Environment.from_dockerfile("d", tmp_path / "Dockerfile", tmp_path / "env.yml")
    assert docker.docker.base_dockerfile == "FROM x\n" and docker.docker.base_image is None
    assert (
        Environment.from_dockerfile("d", "FROM y\nRUN z").docker.base_dockerfile == "FROM y\nRUN z"
    )
    for wrong in (Environment.from_conda_specification, Environment.from_dockerfile):
        with pytest.raises(UserErrorException, match="none"):
            wrong("x", pathlib.Path("none"))


def test_base_dockerfile_may_be_a_path(tmp_path):
    (tmp_path / "Dockerfile").write_text("FROM x\n")
    made = Environment("d")
    made.docker.base_image = None
    made.docker.base_dockerfile = str(tmp_path / "Dockerfile")
    assert made._definition()["docker"]["baseDockerfile"] == "FROM x\n"


def test_packages_may_be_in_a_file(tmp_path):
    (tmp_path / "env.yml").write_text("dependencies:\n- numpy\n")
    made = Environment("f")
    made.python.conda_dependencies_file = str(tmp_path / "env.yml")
    assert made._definition()["python"]["condaDependencies"] == {"dependencies": ["numpy"]}


def test_saved_to_a_folder_and_read_again(tmp_path):
    made = Environment("x")
    made.python.conda_dependencies = CondaDependencies.create(pip_packages=["torch"])
    made.environment_variables = {"A": "1"}
    made.docker.enabled = True
    made.save_to_directory(path=str(tmp_path / "x"))
    names = sorted(path.name for path in (tmp_path / "x").iterdir())
    assert names == ["azureml_environment.json", "conda_dependencies.yml"]
    assert json.loads((tmp_path / "x/azureml_environment.json").read_text())["name"] == "x"
    again = Environment.load_from_directory(tmp_path / "x")
    assert again.name == "x" and again._definition() == made._definition()
    with pytest.raises(UserErrorException, match="overwrite"):
        made.save_to_directory(str(tmp_path / "x"))
    made.save_to_directory(str(tmp_path / "x"), overwrite=True)
    with pytest.raises(UserErrorException, match="save_to_directory"):
        Environment.load_from_directory(str(tmp_path))


def test_unknown_keys_of_a_definition_are_kept():
    definition = {"name": "x", "python": {"new": 1}, "docker": {"later": [2]}, "more": {"a": 3}}
    made = Environment._from_definition(definition)._definition()
    assert made["python"]["new"] == 1 and made["docker"]["later"] == [2]
    assert made["more"] == {"a": 3}


def test_passwords_stay_here():
    made = Environment("x")
    registry = ContainerRegistry()
    registry.address, registry.password = "example.org", "secret"
    made.docker.base_image_registry = registry
    assert "secret" not in json.dumps(made._definition())
    assert made._definition()["docker"]["baseImageRegistry"]["address"] == "example.org"


def test_clone():
    made = Environment("x")
    made.version = "3"
    clone = made.clone("y")
    clone.docker.enabled = True
    assert (clone.name, clone.version, made.docker.enabled) == ("y", None, False)
    with pytest.raises(UserErrorException):
        made.clone("")


def test_wrong_values():
    made = Environment("x")
    with pytest.raises(UserErrorException, match="CondaDependencies"):
        made.python.conda_dependencies = ["numpy"]
    made.environment_variables = ["A=1"]
    with pytest.raises(UserErrorException, match="dict"):
        made._definition()
    with pytest.raises(UserErrorException):
        Environment(3)




def test_reserved_names_are_refused_before_the_server_is_asked():
    workspace = FakeWorkspace()
    for name in ("AzureML-mine", "azureml_x", "Microsoft-y"):
        with pytest.raises(UserErrorException, match="reserved"):
            Environment(name).register(workspace)
    assert workspace._client.environments == []


def curated():
    return Environment._from_server(
        {
            "name": "AzureML-Minimal",
            "version": "4",
            "definition": {"python": {"userManagedDependencies": False}},
            "notice": None,
        }
    )


def test_a_curated_environment_is_used_as_it_is():
    workspace = FakeWorkspace()
    assert curated()._spec(workspace) == {
        "name": "AzureML-Minimal",
        "version": "4",
        "variables": {},
    }
    assert workspace._client.environments == []


def test_a_changed_curated_environment_needs_a_name_of_its_own():
    workspace = FakeWorkspace()
    made = curated()
    made.python.conda_dependencies.add_pip_package("x")
    with pytest.raises(UserErrorException, match="clone"):
        made._spec(workspace)
    assert made.clone("mine")._spec(workspace)["name"] == "mine"


def test_a_run_is_told_name_version_python_and_variables():
    workspace = FakeWorkspace()
    made = Environment("x")
    made.python.user_managed_dependencies = True
    made.python.interpreter_path = "/opt/python"
    made.environment_variables = {"A": 1}
    assert made._spec(workspace) == {
        "name": "x",
        "version": "1",
        "python": "/opt/python",
        "variables": {"A": "1"},
    }
    made._spec(workspace)
    assert len(workspace._client.environments) == 1
    made.docker.base_image = "other"
    assert made._spec(workspace)["version"] == "2"


def test_the_default_environment_is_not_stored():
    workspace = FakeWorkspace()
    assert Environment()._spec(workspace) == {}
    unnamed = Environment()
    unnamed.environment_variables = {"A": "b"}
    assert unnamed._spec(workspace) == {"variables": {"A": "b"}}
    assert workspace._client.environments == []
    unnamed.python.conda_dependencies.add_pip_package("x")
    assert unnamed._spec(workspace)["name"].startswith("anonymous-")


def test_notices_are_told_once(capsys):
    found = {"name": "a", "version": 1, "definition": {}, "notice": "a stands for b (test)"}
    Environment._from_server(found)
    Environment._from_server(found)
    assert capsys.readouterr().err == "a stands for b (test)\n"


def test_pins_are_part_of_the_definition(tmp_path, monkeypatch):
    monkeypatch.delenv("ROOST_PINS", raising=False)
    workspace = FakeWorkspace()
    made = Environment("x")
    assert "pins" not in made._definition()
    assert "pins" not in made._spec(workspace)
    made.pins = "nearest"
    assert made._definition()["pins"] == "nearest"
    assert made._spec(workspace) == {"name": "x", "version": "2", "variables": {}}
    assert workspace._client.environments[-1]["definition"]["pins"] == "nearest"
    made.save_to_directory(tmp_path / "x")
    again = Environment.load_from_directory(tmp_path / "x")
    assert (again.pins, again.clone("y").pins) == ("nearest", "nearest")
    made.pins = "closest"
    with pytest.raises(UserErrorException, match="env.pins is 'closest'"):
        made._spec(workspace)


def test_pins_may_be_asked_for_without_a_change_of_code(monkeypatch):
    workspace = FakeWorkspace()
    made = Environment("x")
    made.pins = "strict"
    monkeypatch.setenv("ROOST_PINS", "nearest")
    assert made._spec(workspace)["pins"] == "nearest"
    assert made._definition()["pins"] == "strict"
    assert Environment()._spec(workspace) == {}
    monkeypatch.setenv("ROOST_PINS", "")
    assert "pins" not in made._spec(workspace)
    monkeypatch.setenv("ROOST_PINS", "loose")
    with pytest.raises(UserErrorException, match="ROOST_PINS is 'loose'"):
        made._spec(workspace)


def test_pins_of_a_curated_environment_go_with_the_run(monkeypatch):
    monkeypatch.delenv("ROOST_PINS", raising=False)
    workspace = FakeWorkspace()
    made = curated()
    made.pins = "nearest"
    spec = made._spec(workspace)
    assert (spec["name"], spec["version"], spec["pins"]) == ("AzureML-Minimal", "4", "nearest")
    assert workspace._client.environments == []
    made.python.conda_dependencies.add_pip_package("x")
    with pytest.raises(UserErrorException, match="clone"):
        made._spec(workspace)
