"""What code for Azure ML may ask for and Roost does not have: one table, one kind of message.

`install()` lets imports of absent modules fail with that message; modules answer for absent names
with `absent_name` in their `__getattr__`; methods raise `not_here`.
"""

from __future__ import annotations

import sys
from typing import Any, Dict, NamedTuple, Optional, Sequence

_DOCS = "docs/azureml.md lists what Roost has and what it lacks."
_LATER = "A later release brings it."


class _Absent(NamedTuple):
    purpose: str
    instead: str


_PIPELINES = "Until then submit the steps one after the other as ScriptRunConfig runs."
_SERVING = "Until then fetch the model with Model.download() and serve it with a program of yours."
_DEPLOYING = _Absent("serves models as web services", f"{_LATER} {_SERVING}")
_NO_CLOUD = (
    "It stands for a machine of Azure. Use AmlCompute, or compute_target='local', "
    "which run on your own machines."
)
_TABULAR = _Absent(
    "reads tables",
    f"{_LATER} Until then pass the files with Dataset.File and read them in the script.",
)

_MODULES: Dict[str, _Absent] = {
    "azureml.pipeline": _Absent("chains steps into pipelines", f"{_LATER} {_PIPELINES}"),
    "azureml.train.hyperdrive": _Absent(
        "searches hyperparameters",
        f"{_LATER} Until then submit one ScriptRunConfig for each set of values.",
    ),
    "azureml.train.automl": _Absent(
        "chooses models automatically", "There is no plan for it. Train the model in a script."
    ),
    "azureml.automl": _Absent(
        "chooses models automatically", "There is no plan for it. Train the model in a script."
    ),
    "azureml.core.webservice": _DEPLOYING,
    "azureml.core.image": _Absent("builds serving images", f"{_LATER} {_SERVING}"),
    "azureml.interpret": _Absent(
        "explains models", "There is no plan for it. Call interpret-community in the script."
    ),
    "azureml.explain": _Absent(
        "explains models", "There is no plan for it. Call interpret-community in the script."
    ),
    "azureml.contrib": _Absent("holds previews of Azure's", "There is no plan for it."),
    "azureml.dataprep": _Absent(
        "prepares data", "There is no plan for it. Read the files with pandas in the script."
    ),
    "azureml.opendatasets": _Absent(
        "fetches public data sets of Azure's",
        "There is no plan for it. Upload the files with Dataset.File.upload_directory().",
    ),
    "azureml.datadrift": _Absent("watches data for drift", "There is no plan for it."),
    "azureml.monitoring": _Absent("collects the data of web services", _DEPLOYING.instead),
    "azureml.accel": _Absent("runs models on FPGAs", "There is no plan for it."),
    "azureml.studio": _Absent("belongs to Azure's designer", "There is no plan for it."),
    "azureml.mlflow": _Absent(
        "connects MLflow to a workspace",
        f"{_LATER} Until then log with Run.log() and its relatives.",
    ),
    "azureml.fsspec": _Absent(
        "opens datastores as file systems", "Use Datastore.download() or Dataset.File."
    ),
}

_NAMES: Dict[str, _Absent] = {
    "azureml.core.Webservice": _DEPLOYING,
    "azureml.core.webservice": _DEPLOYING,
    "azureml.core.Image": _MODULES["azureml.core.image"],
    "azureml.core.image": _MODULES["azureml.core.image"],
    "azureml.core.ContainerImage": _MODULES["azureml.core.image"],
    "azureml.core.LinkedService": _Absent("links Azure Synapse", "There is no plan for it."),
    "azureml.core.SynapseWorkspaceLinkedServiceConfiguration": _Absent(
        "links Azure Synapse", "There is no plan for it."
    ),
    "azureml.core.PrivateEndPoint": _Absent("sets up Azure's network", "There is no plan for it."),
    "azureml.core.model.InferenceConfig": _DEPLOYING,
    "azureml.core.model.ModelPackage": _DEPLOYING,
    "azureml.core.environment.ImageBuildDetails": _Absent(
        "follows the build of an environment", f"{_LATER} Runs use the Python of their node."
    ),
    "azureml.train.hyperdrive": _MODULES["azureml.train.hyperdrive"],
    "azureml.train.automl": _MODULES["azureml.train.automl"],
    "azureml.data.TabularDataset": _TABULAR,
    "azureml.data.HDFSOutputDatasetConfig": _Absent("runs Spark", "There is no plan for it."),
    "azureml.data.OutputTabularDatasetConfig": _TABULAR,
    "azureml.data.DataType": _TABULAR,
    "azureml.data.dataset_factory.TabularDatasetFactory": _TABULAR,
    "azureml.data.dataset_factory.DataType": _TABULAR,
    "azureml.data.tabular_dataset": _TABULAR,
    "azureml.data.output_dataset_config.HDFSOutputDatasetConfig": _Absent(
        "runs Spark", "There is no plan for it."
    ),
    "azureml.data.output_dataset_config.OutputTabularDatasetConfig": _TABULAR,
}
_NAMES.update(
    {
        f"azureml.core.compute.{name}": _Absent("runs on a compute that Roost does not have", text)
        for name, text in {
            "AksCompute": f"It serves models on Kubernetes. {_LATER}",
            "AdlaCompute": _NO_CLOUD,
            "BatchCompute": _NO_CLOUD,
            "DataFactoryCompute": _NO_CLOUD,
            "DatabricksCompute": _NO_CLOUD,
            "HDInsightCompute": _NO_CLOUD,
            "KubernetesCompute": _NO_CLOUD,
            "RemoteCompute": f"It runs on a machine over ssh. {_LATER} Until then use AmlCompute.",
            "SynapseCompute": _NO_CLOUD,
        }.items()
    }
)
_MODULES["azureml.data.tabular_dataset"] = _TABULAR
for _name in ("aks", "databricks", "datafactory", "hdinsight", "remote"):
    _MODULES[f"azureml.core.compute.{_name}"] = _Absent(
        "runs on a compute that Roost does not have", _NO_CLOUD
    )


def text(what: str, absent: Optional[_Absent] = None) -> str:
    found = absent or _NAMES.get(what) or _MODULES.get(what)
    if found is None:
        return f"Roost does not have {what}. {_DOCS}"
    yet = " yet" if _LATER in found.instead else ""
    return f"Roost does not have {what}{yet}, which {found.purpose}. {found.instead} {_DOCS}"


def not_here(what: str, purpose: str, instead: str) -> NotImplementedError:
    """The error of a method that is there in Azure ML, for the caller to raise."""
    return NotImplementedError(text(what, _Absent(purpose, instead)))


def absent_name(module: str, name: str) -> Any:
    """For a module's `__getattr__`: ImportError for what Roost lacks, else AttributeError."""
    if f"{module}.{name}" in _NAMES:
        raise ImportError(text(f"{module}.{name}"), name=module)
    raise AttributeError(f"module {module!r} has no attribute {name!r}")


class _Finder:
    """Asked last, so that a module some other package installed is found before."""

    def find_spec(
        self, name: str, path: Optional[Sequence[str]] = None, target: Any = None
    ) -> None:
        if name in _MODULES:  # what is below an absent module is never asked for
            raise ModuleNotFoundError(text(name), name=name)


def install() -> None:
    """Lets imports of absent modules say why they fail. Once per process."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.append(_Finder())
