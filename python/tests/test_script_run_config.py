"""ScriptRunConfig: what it refuses, and the spec it becomes."""

import pathlib

import pytest
from fake_workspace import FakeWorkspace, datastore

from azureml.core import Dataset, Environment, RunConfiguration, ScriptRunConfig
from azureml.core.runconfig import DockerConfiguration, MpiConfiguration, PyTorchConfiguration
from azureml.data import OutputFileDatasetConfig
from azureml.data.datapath import DataPath
from azureml.exceptions import AzureMLException, RunConfigurationException, UserErrorException


@pytest.fixture
def workspace():
    return FakeWorkspace()


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "train.py").write_text("print(1)")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "other.py").write_text("print(2)")
    return tmp_path


def spec(config, workspace):
    return config._submission(workspace).spec


def test_the_least(folder, workspace):
    config = ScriptRunConfig(str(folder), "train.py")
    submission = config._submission(workspace)
    assert submission.source_directory == str(folder)
    assert submission.spec == {
        "compute": "local",
        "script": "train.py",
        "arguments": [],
        "node_count": 1,
        "max_run_duration_seconds": 2592000,
    }


def test_arguments_become_texts(folder, workspace):
    arguments = ["--n", 30, "--lr", 0.5, True, pathlib.Path("a/b"), "$AZ_BATCHAI_TASK_INDEX", ""]
    config = ScriptRunConfig(folder, "./sub/other.py", arguments)
    found = spec(config, workspace)
    assert found["script"] == "sub/other.py"
    expected = ["--n", "30", "--lr", "0.5", "True", "a/b", "$AZ_BATCHAI_TASK_INDEX", ""]
    assert found["arguments"] == expected


def test_commands_are_joined_by_blanks(folder, workspace):
    config = ScriptRunConfig(folder, command=["export", "A=1", "&&", "python", "train.py"])
    assert spec(config, workspace)["command"] == "export A=1 && python train.py"
    assert "script" not in spec(config, workspace)
    config = ScriptRunConfig(folder, command=["python", "train.py", "--n", 3, pathlib.Path("a b")])
    assert spec(config, workspace)["command"] == "python train.py --n 3 'a b'"
    assert spec(ScriptRunConfig(folder, command="ls -l"), workspace)["command"] == "ls -l"


def test_run_config_is_alive(folder, workspace):
    config = ScriptRunConfig(folder, "train.py", ["a"])
    config.run_config.target = "cpu-cluster"
    config.run_config.node_count = 2
    config.run_config.environment = Environment("later")
    config.run_config.environment_variables = {"B": 2}
    found = spec(config, workspace)
    assert (found["compute"], found["node_count"]) == ("cpu-cluster", 2)
    assert found["environment"]["name"] == "later"
    assert found["environment_variables"] == {"B": "2"}
    config.arguments = ["b"]
    assert spec(config, workspace)["arguments"] == ["b"]


def test_everything_from_the_run_config(folder, workspace):
    run_config = RunConfiguration(script="train.py", arguments=["x"])
    config = ScriptRunConfig(source_directory=folder, run_config=run_config)
    assert config.run_config is run_config
    assert spec(config, workspace)["arguments"] == ["x"]
    run_config.arguments = ["y"]
    assert spec(config, workspace)["arguments"] == ["y"]
    only_command = ScriptRunConfig(folder, run_config=RunConfiguration(command=["ls", "-l"]))
    assert spec(only_command, workspace)["command"] == "ls -l"


def test_distributed(folder, workspace):
    config = ScriptRunConfig(
        folder, "train.py", distributed_job_config=MpiConfiguration(node_count=2)
    )
    found = spec(config, workspace)
    assert found["distributed"] == {"kind": "mpi", "process_count_per_node": 1, "node_count": 2}
    assert found["node_count"] == 2
    assert config.run_config.mpi.node_count == 2
    config = ScriptRunConfig(
        folder,
        "train.py",
        distributed_job_config=PyTorchConfiguration(process_count=4, node_count=1),
        docker_runtime_config=DockerConfiguration(use_docker=True),
        max_run_duration_seconds=5,
    )
    found = spec(config, workspace)
    assert found["distributed"]["process_count"] == 4
    assert found["max_run_duration_seconds"] == 5
    assert '"useDocker": true' in found["properties"]["azureml.docker"]
    assert "docker" not in found.get("environment", {})


def test_docker_arguments_go_to_the_server(folder, workspace):
    docker = DockerConfiguration(use_docker=True, arguments=["--cpus", 2], shm_size="64m")
    config = ScriptRunConfig(folder, "train.py", docker_runtime_config=docker)
    wanted = {"arguments": ["--cpus", "2"], "shm_size": "64m"}
    assert spec(config, workspace)["environment"]["docker"] == wanted
    config.run_config.environment = Environment("later")
    found = spec(config, workspace)["environment"]
    assert (found["name"], found["docker"]) == ("later", wanted)
    with pytest.raises(AzureMLException, match="list such as"):
        DockerConfiguration(arguments="--cpus 2")
    docker.arguments = "--cpus 2"
    with pytest.raises(AzureMLException, match="list such as"):
        spec(config, workspace)


@pytest.mark.parametrize(
    "arguments, words",
    [
        ({"script": "train.py", "command": "ls"}, "not both"),
        ({"arguments": ["a"], "command": "ls"}, "not both"),
        ({"command": []}, "empty"),
        ({"command": 3}, "command"),
        ({"script": "train.py", "arguments": "--n 3"}, "list"),
        ({"script": "train.py", "environment": "x"}, "Environment"),
        ({"script": "train.py", "run_config": "x"}, "RunConfiguration"),
        ({"script": "train.py", "distributed_job_config": "mpi"}, "MpiConfiguration"),
        ({"script": "train.py", "docker_runtime_config": True}, "DockerConfiguration"),
        ({"script": "train.py", "compute_target": 3}, "compute"),
        ({"script": "train.py", "max_run_duration_seconds": "1h"}, "seconds"),
        ({"script": 3}, "path"),
    ],
)
def test_wrong_arguments(folder, arguments, words):
    with pytest.raises(AzureMLException, match=words):
        ScriptRunConfig(folder, **arguments)


def test_wrong_names_are_python_errors(folder):
    with pytest.raises(TypeError, match="enviroment"):
        ScriptRunConfig(folder, script="train.py", enviroment=None)


def test_wrong_folders(tmp_path):
    with pytest.raises(UserErrorException, match="does not exist"):
        ScriptRunConfig(str(tmp_path / "none"), "train.py")
    (tmp_path / "file").write_text("")
    with pytest.raises(UserErrorException, match="is a file"):
        ScriptRunConfig(str(tmp_path / "file"), "train.py")
    with pytest.raises(UserErrorException, match="source_directory"):
        ScriptRunConfig(3, "train.py")


def test_wrong_scripts(folder, workspace, tmp_path):
    for script, words in (
        ("none.py", "no script none.py"),
        ("../train.py", "outside"),
        ("sub", "no script sub"),
    ):
        with pytest.raises(UserErrorException, match=words):
            spec(ScriptRunConfig(folder, script), workspace)
    with pytest.raises(UserErrorException, match="nothing to run"):
        spec(ScriptRunConfig(folder), workspace)
    absolute = ScriptRunConfig(folder, str(folder / "sub" / "other.py"))
    assert spec(absolute, workspace)["script"] == "sub/other.py"


def test_wrong_argument_values(folder, workspace):
    for item, words in ((None, "None"), ({"a": 1}, "dict"), (["x"], "list"), (object(), "object")):
        config = ScriptRunConfig(folder, "train.py", ["--x", item])
        with pytest.raises(UserErrorException, match=words):
            spec(config, workspace)
    config = ScriptRunConfig(folder, "train.py")
    config.run_config.max_run_duration_seconds = -1
    with pytest.raises(RunConfigurationException):
        spec(config, workspace)


# Data.


def test_data_references(folder, workspace):
    workspace._client.files = {"d/a.txt": "aa", "d/x/b.txt": "bb", "dd.txt": "cc"}
    store = datastore(workspace)
    reference = store.path("d", "birds").as_download("here")
    found = spec(ScriptRunConfig(folder, "train.py", ["--d", reference]), workspace)
    assert found["arguments"] == ["--d", "$AZUREML_DATAREFERENCE_birds"]
    assert found["inputs"] == [
        {"name": "birds", "content": "d1", "mode": "download", "path": "here"}
    ]
    a, b = "aa" * 32, "bb" * 32
    assert workspace._client.manifests == [
        f'["a.txt","100644",2,"{a}"]\n["x/b.txt","100644",2,"{b}"]\n'
    ]
    single = spec(
        ScriptRunConfig(folder, "train.py", [DataPath(store, "d/a.txt", "one")]), workspace
    )
    assert single["arguments"] == ["$AZUREML_DATAREFERENCE_one"]
    assert single["inputs"][0]["file"] == "a.txt"


def test_the_old_way_to_pass_data(folder, workspace):
    workspace._client.files = {"d/a.txt": "aa"}
    reference = datastore(workspace).path("d").as_mount()
    config = ScriptRunConfig(folder, "train.py", ["--d", str(reference)])
    config.run_config.data_references = {reference.data_reference_name: reference.to_config()}
    found = spec(config, workspace)
    assert found["arguments"] == ["--d", f"$AZUREML_DATAREFERENCE_{reference.data_reference_name}"]
    assert found["inputs"][0]["name"] == reference.data_reference_name
    config.run_config.data_references = {"x": "y"}
    with pytest.raises(RunConfigurationException, match="to_config"):
        spec(config, workspace)


def test_datasets(folder, workspace):
    workspace._client.files = {"d/a.txt": "aa"}
    dataset = Dataset.File.from_files((datastore(workspace), "d"))
    named = dataset.as_named_input("birds").as_mount("/data")
    config = ScriptRunConfig(folder, command=["ls", named, "-l"])
    found = spec(config, workspace)
    assert found["command"] == "ls $AZUREML_DATAREFERENCE_birds -l"
    assert found["inputs"][0] == {
        "name": "birds", "content": "d1", "mode": "mount", "path": "/data", "dataset": "set-1",
    }  # fmt: skip
    twice = ScriptRunConfig(folder, "train.py", [named, named])
    assert len(spec(twice, workspace)["inputs"]) == 1


def test_a_dataset_of_one_file_is_that_file(folder, workspace):
    workspace._client.files = {"d/a.txt": "aa"}
    store = datastore(workspace)
    for path, file in (("d/a.txt", "a.txt"), ("d", None), ("d/*", None)):
        data = Dataset.File.from_files((store, path)).as_named_input("x").as_mount()
        found = spec(ScriptRunConfig(folder, "train.py", [data]), workspace)
        assert found["inputs"][0].get("file") == file, path


def test_inputs_without_a_name_are_counted(folder, workspace):
    workspace._client.files = {"d/a.txt": "aa", "e/b.txt": "bb", "f/c.txt": "cc"}
    store = datastore(workspace)
    d, e, f = (Dataset.File.from_files((store, name)) for name in "def")
    second = e.as_download()
    data = [d.as_mount(), f.as_named_input("input_2").as_mount(), second, second]
    found = spec(ScriptRunConfig(folder, "train.py", data), workspace)
    assert [item["name"] for item in found["inputs"]] == ["input_1", "input_2", "input_3"]
    assert found["arguments"][2:] == ["$AZUREML_DATAREFERENCE_input_3"] * 2


def test_a_direct_input_is_its_id(folder, workspace):
    workspace._client.files = {"d/a.txt": "aa"}
    dataset = Dataset.File.from_files((datastore(workspace), "d"))
    found = spec(
        ScriptRunConfig(folder, "train.py", [dataset.as_named_input("birds")]), workspace
    )
    assert found["arguments"] == ["set-1"] == [dataset.id]
    assert found["inputs"][0]["mode"] == "direct" and found["inputs"][0]["dataset"] == "set-1"


def test_notebooks_are_refused_by_name(folder, workspace):
    (folder / "train.ipynb").write_text("{}")
    with pytest.raises(UserErrorException, match=r"train.ipynb is a notebook.*nbconvert"):
        spec(ScriptRunConfig(folder, "train.ipynb"), workspace)


def test_an_empty_source_directory_is_this_folder(folder, workspace, monkeypatch):
    monkeypatch.chdir(folder)
    assert ScriptRunConfig("", "train.py").source_directory == "."
    assert spec(ScriptRunConfig(source_directory="", script="train.py"), workspace)


def test_wrong_data(folder, workspace):
    workspace._client.files = {"d/a.txt": "aa"}
    store = datastore(workspace)
    dataset = Dataset.File.from_files((store, "d"))
    for item, error, words in (
        (dataset, UserErrorException, "as_mount"),
        (store, UserErrorException, "as_mount"),
        (store.path("none"), UserErrorException, "no files"),
        (store.path("d").as_upload(), NotImplementedError, "later release"),
        (OutputFileDatasetConfig("out"), NotImplementedError, "outputs"),
    ):
        with pytest.raises(error, match=words):
            spec(ScriptRunConfig(folder, "train.py", [item]), workspace)
