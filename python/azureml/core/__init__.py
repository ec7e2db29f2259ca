"""Workspace, Experiment, Run and what they need. Each is imported when it is asked for."""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any, List

if TYPE_CHECKING:
    from .compute_target import ComputeTarget as ComputeTarget
    from .container_registry import ContainerRegistry as ContainerRegistry
    from .dataset import Dataset as Dataset
    from .datastore import Datastore as Datastore
    from .environment import Environment as Environment
    from .experiment import Experiment as Experiment
    from .image import ContainerImage as ContainerImage
    from .image import Image as Image
    from .keyvault import Keyvault as Keyvault
    from .model import Model as Model
    from .resource_configuration import ResourceConfiguration as ResourceConfiguration
    from .run import Run as Run
    from .run import get_run as get_run
    from .runconfig import RunConfiguration as RunConfiguration
    from .script_run_config import ScriptRunConfig as ScriptRunConfig
    from .webservice import Webservice as Webservice
    from .workspace import Workspace as Workspace

VERSION = "1.60.0"  # of the SDK this one stands in for; code compares it
__version__ = VERSION

_HOMES = {
    "ComputeTarget": "compute_target",
    "ContainerImage": "image",
    "ContainerRegistry": "container_registry",
    "Dataset": "dataset",
    "Datastore": "datastore",
    "Environment": "environment",
    "Experiment": "experiment",
    "Image": "image",
    "Keyvault": "keyvault",
    "Model": "model",
    "ResourceConfiguration": "resource_configuration",
    "Run": "run",
    "RunConfiguration": "runconfig",
    "ScriptRunConfig": "script_run_config",
    "Webservice": "webservice",
    "Workspace": "workspace",
    "get_run": "run",
}
_MODULES = (
    "authentication",
    "compute",
    "compute_target",
    "conda_dependencies",
    "container_registry",
    "dataset",
    "datastore",
    "environment",
    "experiment",
    "image",
    "keyvault",
    "model",
    "resource_configuration",
    "run",
    "runconfig",
    "script_run_config",
    "webservice",
    "workspace",
)
__all__ = ["VERSION", *_HOMES]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
        globals()[name] = value
        return value
    if name in _MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    from .._absent import absent_name

    return absent_name(__name__, name)


def __dir__() -> List[str]:
    return sorted([*globals(), *_HOMES, *_MODULES])


def _complete_urllib() -> None:
    """Scripts write `import urllib` and then `urllib.request`: Azure's SDK has it imported by then.
    Here it is imported when it is asked for, which takes long."""
    import urllib

    if sys.version_info < (3, 7):
        import urllib.request

        return

    def __getattr__(name: str) -> Any:
        if name in ("error", "parse", "request", "response", "robotparser"):
            return importlib.import_module(f"urllib.{name}")
        raise AttributeError(f"module 'urllib' has no attribute {name!r}")

    if not hasattr(urllib, "__getattr__"):
        vars(urllib)["__getattr__"] = __getattr__


_complete_urllib()
