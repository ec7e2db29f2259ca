"""Run configurations, distributed ones, and their files."""

import pytest

from azureml.core import Environment, RunConfiguration
from azureml.core.runconfig import (
    CondaDependencies,
    DataReferenceConfiguration,
    DockerConfiguration,
    MpiConfiguration,
    ParallelTaskConfiguration,
    PyTorchConfiguration,
    TensorflowConfiguration,
)
from azureml.exceptions import RunConfigurationException, UserErrorException


def test_defaults():
    made = RunConfiguration()
    assert (made.target, made.framework, made.communicator) == ("local", "Python", "None")
    assert made.environment.name is None
    assert made._distributed_spec() is None


def test_conda_dependencies():
    packages = CondaDependencies.create(pip_packages=["x"])
    made = RunConfiguration(conda_dependencies=packages)
    assert made.environment.python.conda_dependencies is packages


def test_target_takes_a_compute_or_a_name():
    class Compute:
        name = "gpu-cluster"

    made = RunConfiguration()
    made.target = Compute()
    assert made.target == "gpu-cluster"
    with pytest.raises(UserErrorException, match="compute_target"):
        made.target = 3


def test_wrong_values():
    with pytest.raises(RunConfigurationException, match="framework"):
        RunConfiguration(framework="MXNet")
    with pytest.raises(RunConfigurationException, match="communicator"):
        RunConfiguration(communicator="Pigeon")
    with pytest.raises(RunConfigurationException, match="Environment"):
        RunConfiguration().environment = "x"


def test_mpi():
    assert MpiConfiguration(2, 3)._spec() == {
        "kind": "mpi",
        "process_count_per_node": 2,
        "node_count": 3,
    }
    for wrong in (0, "2", True, 1.5):
        with pytest.raises(UserErrorException, match="whole number"):
            MpiConfiguration(node_count=wrong)


def test_pytorch():
    assert PyTorchConfiguration()._spec() == {
        "kind": "pytorch",
        "communication_backend": "Nccl",
        "node_count": 1,
    }
    assert PyTorchConfiguration("gloo", 8, 2)._spec()["process_count"] == 8
    with pytest.raises(UserErrorException, match="evenly"):
        PyTorchConfiguration(process_count=3, node_count=2)
    with pytest.raises(UserErrorException, match="Gloo"):
        PyTorchConfiguration("pigeon")


def test_tensorflow_and_parallel():
    made = TensorflowConfiguration(worker_count=2, parameter_server_count=1)
    assert made._spec() == {"kind": "tensorflow", "worker_count": 2, "parameter_server_count": 1}
    with pytest.raises(NotImplementedError, match="later release"):
        ParallelTaskConfiguration()._spec()


def test_the_old_way_to_say_mpi():
    made = RunConfiguration(communicator="OpenMpi")
    made.node_count = 2
    made.mpi.process_count_per_node = 4
    spec = made._distributed_spec()
    assert spec == {"kind": "mpi", "process_count_per_node": 4, "node_count": 2}
    assert made._node_count(spec) == 2


def full():
    made = RunConfiguration(script="train.py", arguments=["--lr", 0.1, "$X"], framework="PyTorch")
    made.target = "gpu-cluster"
    made.environment = Environment("birds")
    made.environment.python.conda_dependencies = CondaDependencies.create(pip_packages=["torch"])
    made.environment.docker.base_dockerfile = "FROM x\nRUN y\n"
    made.environment.docker.base_image = None
    made.environment_variables = {"A": "1"}
    made.history.output_collection = False
    made.docker = DockerConfiguration(use_docker=True, arguments=["--ipc=host"])
    made.data_references = {"d": DataReferenceConfiguration("store", "download", "a/b")}
    made._distributed = made.mpi = MpiConfiguration(2, 3)
    made.max_run_duration_seconds = 60
    return made


@pytest.mark.parametrize("separate", [False, True])
def test_saved_and_loaded(tmp_path, separate):
    made = full()
    made.save(str(tmp_path), "birds", separate_environment_yaml=separate)
    assert (tmp_path / ".azureml/birds.runconfig").is_file()
    for again in (
        RunConfiguration.load(str(tmp_path), "birds"),
        RunConfiguration.load(project_object=str(tmp_path), run_name="birds"),
        RunConfiguration.load(tmp_path / ".azureml/birds.runconfig"),
    ):
        assert again._to_dict() == made._to_dict()
        assert again.environment._definition() == made.environment._definition()
        assert again._distributed_spec() == made._distributed_spec()


def test_save_to_a_file(tmp_path):
    full().save(tmp_path / "x.yml")
    assert RunConfiguration.load(str(tmp_path / "x.yml")).script == "train.py"
    with pytest.raises(UserErrorException, match="name"):
        full().save(str(tmp_path))


def test_load_says_where_it_looked(tmp_path):
    with pytest.raises(UserErrorException, match=r"none\.runconfig"):
        RunConfiguration.load(str(tmp_path), "none")
    (tmp_path / "bad.yml").write_text("a: &x 1")
    with pytest.raises(RunConfigurationException, match="line 1"):
        RunConfiguration.load(str(tmp_path / "bad.yml"))


def test_resources_are_asked_for_and_kept(tmp_path):
    from azureml.core.resource_configuration import ResourceConfiguration

    made = RunConfiguration()
    assert made.resources is None
    made.resources = ResourceConfiguration(cpu=1.5, memory_in_gb=0.5, gpu=2)
    assert made.resources._spec() == {"gpus": 2, "cpus": 2, "memory_mb": 512}
    made.save(str(tmp_path), "gpus")
    again = RunConfiguration.load(str(tmp_path), "gpus")
    assert again.resources._spec() == made.resources._spec()
    assert ResourceConfiguration(gpu=0)._spec() == {"gpus": 0}
    for bad in (ResourceConfiguration(gpu=-1), ResourceConfiguration(cpu="2")):
        with pytest.raises(UserErrorException):
            bad._spec()
