"""What code for Azure ML may ask for and Roost does not have: one table, one kind of message.

Absent names can be imported, and say what they are when they are used: an import that nothing uses
must not stop a script that trains. `install()` lets absent modules be imported; modules answer for
absent names with `absent_name` in their `__getattr__`; methods raise `not_here`.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any, Dict, NamedTuple, Optional, Sequence, Tuple

_DOCS = "docs/azureml.md lists what Roost has and what it lacks."
_LATER = "A later release brings it."


class _Absent(NamedTuple):
    purpose: str
    instead: str


_PIPELINES = "Until then submit the steps one after the other as ScriptRunConfig runs."
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
    "azureml.train.automl": _Absent(
        "chooses models automatically", "There is no plan for it. Train the model in a script."
    ),
    "azureml.automl": _Absent(
        "chooses models automatically", "There is no plan for it. Train the model in a script."
    ),
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
    "azureml.accel": _Absent("runs models on FPGAs", "There is no plan for it."),
    "azureml.studio": _Absent("belongs to Azure's designer", "There is no plan for it."),
    "azureml.fsspec": _Absent(
        "opens datastores as file systems", "Use Datastore.download() or Dataset.File."
    ),
}

_NAMES: Dict[str, _Absent] = {
    "azureml.core.LinkedService": _Absent("links Azure Synapse", "There is no plan for it."),
    "azureml.core.SynapseWorkspaceLinkedServiceConfiguration": _Absent(
        "links Azure Synapse", "There is no plan for it."
    ),
    "azureml.core.PrivateEndPoint": _Absent("sets up Azure's network", "There is no plan for it."),
    "azureml.core.environment.ImageBuildDetails": _Absent(
        "follows the build of an environment", f"{_LATER} Runs use the Python of their node."
    ),
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
    "azureml.mlflow.register_model": _Absent(
        "registers a model of a run", "Call register_model() of the azureml Run."
    ),
}
_NAMES.update(
    {
        f"azureml.core.compute.{name}": _Absent("runs on a compute that Roost does not have", text)
        for name, text in {
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
for _name in ("databricks", "datafactory", "hdinsight", "remote"):
    _MODULES[f"azureml.core.compute.{_name}"] = _Absent(
        "runs on a compute that Roost does not have", _NO_CLOUD
    )


def text(what: str, absent: Optional[_Absent] = None) -> str:
    found = absent or _NAMES.get(what) or _module_above(what)
    if found is None:
        return f"Roost does not have {what}. {_DOCS}"
    yet = " yet" if _LATER in found.instead else ""
    return f"Roost does not have {what}{yet}, which {found.purpose}. {found.instead} {_DOCS}"


def not_here(what: str, purpose: str, instead: str) -> NotImplementedError:
    """The error of a method that is there in Azure ML, for the caller to raise."""
    return NotImplementedError(text(what, _Absent(purpose, instead)))


def absent_name(module: str, name: str) -> Any:
    """For a module's `__getattr__`: what stands in for what Roost lacks, or AttributeError."""
    whole = f"{module}.{name}"
    if whole in _MODULES:
        import importlib

        return importlib.import_module(whole)
    if whole in _NAMES:
        return _stand_in(module, name)
    raise AttributeError(f"module {module!r} has no attribute {name!r}")


def _module_above(name: str) -> Optional[_Absent]:
    """The row of the absent module that this is, or is in."""
    parts = name.split(".")
    for length in range(len(parts), 1, -1):
        found = _MODULES.get(".".join(parts[:length]))
        if found is not None:
            return found
    return None


class AbsentError(NotImplementedError, AttributeError):
    """What Roost lacks was used. An AttributeError too: hasattr() says that it is not there."""


class _AbsentClass(type):
    """A class that can be named, as in an annotation or for isinstance(), and nothing more."""

    _what: str

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        raise AbsentError(text(cls._what))

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):  # Python itself looks for these
            raise AttributeError(name)
        raise AbsentError(text(cls._what))

    def __instancecheck__(cls, instance: Any) -> bool:
        return False

    def __repr__(cls) -> str:
        return f"<{cls._what}, which Roost does not have>"


class _AbsentBase(metaclass=_AbsentClass):
    _what = "this"

    def __init_subclass__(cls, **kwargs: Any) -> None:
        if "_what" not in vars(cls):  # a class of the script's own
            raise AbsentError(text(cls._what))


_stand_ins: Dict[Tuple[str, str], Any] = {}


def _stand_in(module: str, name: str) -> Any:
    key = (module, name)
    if key not in _stand_ins:
        if name.endswith(("Exception", "Error")):
            from .exceptions import AzureMLException

            # For an `except` that never comes true.
            _stand_ins[key] = type(name, (AzureMLException,), {"__module__": module})
        else:
            names = {"__module__": module, "_what": f"{module}.{name}"}
            _stand_ins[key] = _AbsentClass(name, (_AbsentBase,), names)
    return _stand_ins[key]


class _AbsentModule(ModuleType):
    """An absent module, whatever is asked of it."""

    __all__: Sequence[str] = ()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        return _stand_in(self.__name__, name)


class _Finder:
    """Asked last, so that a module some other package installed is found before."""

    def find_spec(
        self, name: str, path: Optional[Sequence[str]] = None, target: Any = None
    ) -> Any:
        if not name.startswith("azureml.") or _module_above(name) is None:
            return None
        from importlib.machinery import ModuleSpec

        return ModuleSpec(name, self, origin="absent", is_package=True)  # type: ignore[arg-type]

    def create_module(self, spec: Any) -> ModuleType:
        return _AbsentModule(spec.name, text(spec.name))

    def exec_module(self, module: ModuleType) -> None:
        """There is nothing in it."""


def is_stand_in(found: Any) -> bool:
    """Whether this is a module, class or exception that stands in for one that Roost lacks."""
    return (
        isinstance(found, (_AbsentModule, _AbsentClass))
        or isinstance(found, type)
        and any(found is made for made in _stand_ins.values())
    )


def install() -> None:
    """Lets absent modules be imported. Once per process."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.append(_Finder())
