"""What Roost lacks can be imported, and says what it is when it is used."""

import importlib
import importlib.util
import subprocess
import sys
from typing import Optional

import pytest

import azureml.core
from azureml import _absent
from azureml.core import Dataset
from azureml.exceptions import AzureMLException

MODULES = [
    "azureml.pipeline",
    "azureml.pipeline.core",
    "azureml.pipeline.core.graph",
    "azureml.pipeline.steps",
    "azureml.train.automl",
    "azureml.interpret",
    "azureml.explain.model",
    "azureml.dataprep",
    "azureml.opendatasets",
    "azureml.contrib.dataset",
]


@pytest.mark.parametrize("module", MODULES)
def test_modules(module):
    found = importlib.import_module(module)
    assert found.__name__ == module and importlib.util.find_spec(module) is not None
    with pytest.raises(NotImplementedError) as caught:
        found.Anything()
    text = str(caught.value)
    assert f"Roost does not have {module}.Anything" in text and "docs/azureml.md" in text
    assert not hasattr(found, "__wrapped__")


@pytest.mark.parametrize(
    "statement",
    [
        "from azureml.core.compute import RemoteCompute as X",
        "from azureml.core.compute import KubernetesCompute as X",
        "from azureml.pipeline.steps import HyperDriveStep as X",
        "from azureml.data import TabularDataset as X",
        "from azureml.data import DataType as X",
        "from azureml.data.dataset_factory import TabularDatasetFactory as X",
        "from azureml.data.tabular_dataset import TabularDataset as X",
    ],
)
def test_names(statement):
    names = {}
    exec(statement, names)
    absent = names["X"]

    def annotated(value: Optional[absent]) -> absent:
        return value

    assert annotated(1) == 1 and not isinstance(annotated, absent) and not hasattr(absent, "list")
    for use in ("X()", "X(1, name=2)", "X.create()", "X.MAXIMIZE", "type('Mine', (X,), {})"):
        with pytest.raises(NotImplementedError, match=r"Roost does not have azureml\..*azureml.md"):
            exec(use, names)


def test_modules_as_names():
    from azureml import fsspec
    from azureml.train import automl

    for module in (fsspec, automl):
        with pytest.raises(NotImplementedError, match=rf"does not have {module.__name__}.x"):
            module.x(1)
    exec("from azureml.pipeline.core import *", {})


def test_an_absent_exception_can_be_caught():
    from azureml.pipeline.core import PipelineException

    assert issubclass(PipelineException, AzureMLException)
    with pytest.raises(ValueError):
        try:
            raise ValueError
        except PipelineException:
            pass


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
    """Whoever has azureml-fsspec or the like installed keeps it."""
    (tmp_path / "azureml" / "fsspec").mkdir(parents=True)
    (tmp_path / "azureml" / "fsspec" / "__init__.py").write_text("here = 1")
    code = (
        f"import sys; sys.path.append({str(tmp_path)!r}); import azureml.fsspec as m; print(m.here)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "1\n", done.stderr


def test_every_sentence_is_whole():
    for name in [*_absent._MODULES, *_absent._NAMES]:
        text = _absent.text(name)
        assert text.endswith(".") and "  " not in text and ".." not in text
