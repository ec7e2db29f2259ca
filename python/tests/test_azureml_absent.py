"""What Roost lacks says so, wherever it is asked for."""

import importlib
import importlib.util
import subprocess
import sys

import pytest

import azureml.core
from azureml import _absent
from azureml.core import Dataset


@pytest.mark.parametrize(
    "module",
    [
        "azureml.pipeline",
        "azureml.pipeline.core",
        "azureml.pipeline.steps",
        "azureml.train.hyperdrive",
        "azureml.train.hyperdrive.parameter_expressions",
        "azureml.train.automl",
        "azureml.core.webservice",
        "azureml.core.image",
        "azureml.interpret",
        "azureml.explain.model",
        "azureml.dataprep",
        "azureml.opendatasets",
        "azureml.contrib.services",
        "azureml.mlflow",
    ],
)
def test_modules(module):
    with pytest.raises(ModuleNotFoundError) as caught:
        importlib.import_module(module)
    text = str(caught.value)
    assert "Roost does not have azureml." in text and "docs/azureml.md" in text
    assert module.startswith(caught.value.name) and caught.value.name in text


@pytest.mark.parametrize(
    "statement",
    [
        "from azureml.core import Webservice",
        "from azureml.core import Image",
        "from azureml.core.compute import AksCompute",
        "from azureml.core.compute import RemoteCompute",
        "from azureml.core.compute import KubernetesCompute",
        "from azureml.core.model import InferenceConfig",
        "from azureml.train import hyperdrive",
        "from azureml.train import automl",
        "from azureml.data import TabularDataset",
        "from azureml.data import DataType",
        "from azureml.data.dataset_factory import TabularDatasetFactory",
        "from azureml.data.tabular_dataset import TabularDataset",
    ],
)
def test_names(statement):
    with pytest.raises(ImportError, match=r"Roost does not have azureml\..*docs/azureml.md"):
        exec(statement, {})


def test_names_that_never_were_are_plain_errors():
    with pytest.raises(ImportError, match="cannot import name"):
        exec("from azureml.core.compute import Toaster", {})
    with pytest.raises(ModuleNotFoundError, match="No module named 'azureml.toast'"):
        importlib.import_module("azureml.toast")
    assert not hasattr(azureml.core, "Toaster")


def test_tables():
    with pytest.raises(NotImplementedError, match="Dataset.File"):
        Dataset.Tabular.from_delimited_files("x")
    assert not hasattr(Dataset, "Tabular")


def test_installed_once():
    _absent.install()
    _absent.install()
    assert sum(isinstance(finder, _absent._Finder) for finder in sys.meta_path) == 1


def test_a_module_of_another_package_is_found_first(tmp_path):
    """Whoever has azureml-mlflow or the like installed keeps it."""
    (tmp_path / "azureml" / "mlflow").mkdir(parents=True)
    (tmp_path / "azureml" / "mlflow" / "__init__.py").write_text("here = 1")
    code = (
        f"import sys; sys.path.append({str(tmp_path)!r}); import azureml.mlflow as m; print(m.here)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "1\n", done.stderr


def test_every_sentence_is_whole():
    for name in [*_absent._MODULES, *_absent._NAMES]:
        text = _absent.text(name)
        assert text.endswith(".") and "  " not in text and ".." not in text
