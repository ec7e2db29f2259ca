"""Estimators: deprecated, and the same as a ScriptRunConfig."""

import warnings

import pytest
from fake_workspace import FakeWorkspace, datastore

from azureml.core import Environment
from azureml.core.runconfig import MpiConfiguration
from azureml.exceptions import AzureMLException, TrainingException
from azureml.train.dnn import Chainer, Gloo, Mpi, Nccl, ParameterServer, PyTorch, TensorFlow
from azureml.train.estimator import Estimator
from azureml.train.sklearn import SKLearn

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "train.py").write_text("print(1)")
    (tmp_path / "env.yml").write_text("dependencies:\n- python=3.7\n- numpy\n")
    (tmp_path / "req.txt").write_text("pandas\n")
    return tmp_path


def spec(estimator, workspace=None):
    return estimator._submission(workspace or FakeWorkspace()).spec


def packages(estimator):
    found = estimator.conda_dependencies
    return [*found.conda_packages], [*found.pip_packages]


def test_deprecated_and_the_warning_points_at_the_caller(folder):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        Estimator(str(folder), entry_script="train.py")
    assert [one.category for one in caught] == [DeprecationWarning]
    assert "ScriptRunConfig" in str(caught[0].message)


def test_script_params_become_arguments(folder):
    made = Estimator(
        source_directory=str(folder),
        compute_target="gpu-cluster",
        entry_script="train.py",
        script_params={"--epochs": 30, "--fast": "", "--lr": 0.1},
    )
    found = spec(made)
    assert found["arguments"] == ["--epochs", "30", "--fast", "--lr", "0.1"]
    assert (found["compute"], found["script"]) == ("gpu-cluster", "train.py")


def test_packages(folder):
    made = Estimator(
        str(folder),
        entry_script="train.py",
        conda_packages=["scikit-learn"],
        pip_packages=["torch"],
        pip_requirements_file="req.txt",
    )
    conda, pip = packages(made)
    assert "scikit-learn" in conda
    assert pip == ["azureml-defaults", "pandas", "torch"]
    from_file = Estimator(str(folder), entry_script="train.py", conda_dependencies_file="env.yml")
    assert packages(from_file)[0] == ["python=3.7", "numpy"]


def test_environment(folder):
    made = Estimator(
        str(folder),
        entry_script="train.py",
        custom_docker_image="example.org/image",
        use_gpu=True,
        user_managed=True,
        environment_variables={"A": 1},
    )
    environment = made.run_config.environment
    assert environment.docker.base_image == "example.org/image"
    assert environment.python.user_managed_dependencies
    assert spec(made)["environment"]["variables"] == {"A": "1"}
    given = Environment("mine")
    assert (
        Estimator(str(folder), entry_script="train.py", environment_definition=given)
        .run_config.environment
        is given
    )  # fmt: skip


def test_data(folder):
    workspace = FakeWorkspace()
    workspace._client.files = {"d/a": "aa"}
    store = datastore(workspace)
    made = Estimator(
        str(folder),
        entry_script="train.py",
        script_params={"--data": store.path("d", "d").as_mount()},
        inputs=[store.path("d", "more").as_download()],
    )
    found = spec(made, workspace)
    assert found["arguments"] == ["--data", "$AZUREML_DATAREFERENCE_d"]
    assert [item["name"] for item in found["inputs"]] == ["d", "more"]
    wrong = Estimator(str(folder), entry_script="train.py", inputs=["x"])
    with pytest.raises(TrainingException, match="as_mount"):
        spec(wrong, workspace)


@pytest.mark.parametrize(
    "arguments, expected",
    [
        ({}, None),
        (
            {"node_count": 2, "distributed_backend": "mpi"},
            {"kind": "mpi", "process_count_per_node": 1, "node_count": 2},
        ),
        (
            {"node_count": 2, "process_count_per_node": 4},
            {"kind": "mpi", "process_count_per_node": 4, "node_count": 2},
        ),
        (
            {"node_count": 2, "distributed_training": Mpi(3)},
            {"kind": "mpi", "process_count_per_node": 3, "node_count": 2},
        ),
        (
            {"node_count": 2, "distributed_training": MpiConfiguration()},
            {"kind": "mpi", "process_count_per_node": 1, "node_count": 2},
        ),
        (
            {"node_count": 2, "process_count_per_node": 2, "distributed_training": Nccl()},
            {
                "kind": "pytorch",
                "communication_backend": "Nccl",
                "process_count": 4,
                "node_count": 2,
            },
        ),
        (
            {"node_count": 2, "distributed_backend": "gloo"},
            {
                "kind": "pytorch",
                "communication_backend": "Gloo",
                "process_count": 2,
                "node_count": 2,
            },
        ),
        (
            {"distributed_training": ParameterServer(2, 1)},
            {"kind": "tensorflow", "worker_count": 2, "parameter_server_count": 1},
        ),
    ],
)
def test_distributed(folder, arguments, expected):
    made = PyTorch(str(folder), entry_script="train.py", use_gpu=True, **arguments)
    assert spec(made).get("distributed") == expected
    assert Gloo()._config(1, 1)._spec()["communication_backend"] == "Gloo"


def test_parameter_servers_by_name(folder):
    made = TensorFlow(
        str(folder),
        entry_script="train.py",
        node_count=3,
        distributed_backend="ps",
        worker_count=2,
        parameter_server_count=1,
    )
    assert spec(made)["distributed"]["worker_count"] == 2


def test_frameworks(folder):
    for kind, package in (
        (PyTorch, "torch==1.4.*"),
        (TensorFlow, "tensorflow==1.13.*"),
        (Chainer, "chainer==5.1.0"),
        (SKLearn, "scikit-learn==0.20.3"),
    ):
        made = kind(str(folder), entry_script="train.py", compute_target="local")
        assert package in packages(made)[1]
    versioned = PyTorch(str(folder), entry_script="train.py", framework_version="1.2")
    assert "torch==1.2.*" in packages(versioned)[1]
    own_image = PyTorch(str(folder), entry_script="train.py", custom_docker_image="x")
    assert "torch==1.4.*" not in packages(own_image)[1]


@pytest.mark.parametrize(
    "kind, package", [(PyTorch, "horovod"), (TensorFlow, "horovod"), (Chainer, "mpi4py")]
)
def test_what_only_mpi_needs_comes_with_mpi_only(folder, kind, package):
    def has_it(**more):
        made = kind(str(folder), entry_script="train.py", compute_target="local", **more)
        return package in packages(made)[1]

    assert not has_it()
    assert not has_it(use_gpu=True)
    assert not has_it(node_count=2, distributed_training=Nccl())
    assert not has_it(node_count=2, distributed_backend="gloo")
    assert not has_it(distributed_training=ParameterServer(1, 1))
    assert has_it(node_count=2)  # which has always meant MPI
    assert has_it(node_count=2, distributed_backend="mpi")
    assert has_it(distributed_training=Mpi(2))
    assert has_it(distributed_training=MpiConfiguration(2))
    assert not has_it(distributed_training=MpiConfiguration(2), custom_docker_image="x")
    asked = kind(str(folder), entry_script="train.py", pip_packages=[package])
    assert package in packages(asked)[1]


def test_the_environment_real_code_reaches_for(folder):
    made = PyTorch(str(folder), entry_script="train.py")
    made._estimator_config.environment.python.user_managed_dependencies = True
    assert made.run_config.environment.python.user_managed_dependencies


@pytest.mark.parametrize(
    "arguments, words",
    [
        ({}, "entry_script"),
        ({"entry_script": "train.py", "vm_size": "STANDARD_D2_V2"}, "compute_target"),
        ({"entry_script": "train.py", "script_params": ["--x"]}, "dict"),
        ({"entry_script": "train.py", "pip_packages": "x"}, "list"),
        ({"entry_script": "train.py", "distributed_backend": "pigeon"}, "mpi"),
        ({"entry_script": "train.py", "distributed_training": 3}, "Mpi"),
    ],
)
def test_wrong_arguments(folder, arguments, words):
    with pytest.raises(AzureMLException, match=words):
        Estimator(str(folder), **arguments)
