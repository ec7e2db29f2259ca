"""The parts of an environment and of their JSON: Python attributes snake_case, JSON camelCase."""

from __future__ import annotations

import copy
import os
from typing import Any, Dict, List, Optional, Union

from azureml.core.conda_dependencies import CondaDependencies
from azureml.core.container_registry import ContainerRegistry
from azureml.exceptions import UserErrorException

DEFAULT_CPU_IMAGE = "azureml/openmpi4.1.0-ubuntu20.04"
DEFAULT_GPU_IMAGE = "azureml/openmpi4.1.0-cuda11.3-cudnn8-ubuntu20.04"
DEFAULT_SHM_SIZE = "2g"


def camel_case(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(word.capitalize() for word in rest)


class Section:
    """Attributes with their defaults; unknown keys of a definition are kept as they came."""

    _defaults: Dict[str, Any] = {}

    def __init__(self) -> None:
        for name, value in self._defaults.items():
            setattr(self, name, copy.deepcopy(value))
        self._unknown: Dict[str, Any] = {}

    def _to_dict(self) -> Dict[str, Any]:
        made = {camel_case(name): _plain(getattr(self, name)) for name in self._defaults}
        return {**made, **copy.deepcopy(self._unknown)}

    def _read(self, found: Optional[Dict[str, Any]]) -> None:
        rest = dict(found or {})
        for name in self._defaults:
            key = camel_case(name)
            if key in rest:
                setattr(self, name, copy.deepcopy(rest.pop(key)))
        self._unknown = copy.deepcopy(rest)

    def __repr__(self) -> str:
        import json

        return json.dumps(self._to_dict(), indent=4, default=str)


def _plain(value: Any) -> Any:
    if hasattr(value, "_to_dict"):
        return value._to_dict()
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return copy.deepcopy(value)


class PythonSection(Section):
    """Which Python and which packages. `interpreter_path` counts with user_managed_dependencies."""

    _defaults = {
        "user_managed_dependencies": False,
        "interpreter_path": "python",
        "conda_dependencies_file": None,
        "base_conda_environment": None,
    }

    def __init__(self, **kwargs: Any) -> None:
        super().__init__()
        self.user_managed_dependencies: bool
        self.interpreter_path: str
        self.conda_dependencies_file: Optional[str]
        self.base_conda_environment: Optional[str]
        self._conda_dependencies: Optional[CondaDependencies] = CondaDependencies()
        for name, value in kwargs.items():
            if name not in self._defaults and name != "conda_dependencies":
                raise TypeError(f"PythonSection has no {name!r}")
            setattr(self, name, value)

    @property
    def conda_dependencies(self) -> Optional[CondaDependencies]:
        return self._conda_dependencies

    @conda_dependencies.setter
    def conda_dependencies(self, value: Optional[CondaDependencies]) -> None:
        if value is not None and not isinstance(value, CondaDependencies):
            raise UserErrorException(
                f"conda_dependencies must be a CondaDependencies, not {type(value).__name__}. "
                "Make one with CondaDependencies.create(pip_packages=[...])."
            )
        self._conda_dependencies = value

    def _to_dict(self) -> Dict[str, Any]:
        packages = self._conda_dependencies
        file_path = self.conda_dependencies_file
        if file_path and os.path.isfile(file_path):
            packages = CondaDependencies(file_path)
        return {
            **super()._to_dict(),
            "condaDependencies": packages.as_dict() if packages is not None else None,
        }

    def _read(self, found: Optional[Dict[str, Any]]) -> None:
        super()._read(found)
        if "condaDependencies" in self._unknown:
            packages = self._unknown.pop("condaDependencies")
            self._conda_dependencies = (
                CondaDependencies(_underlying_structure=packages) if packages else None
            )


class DockerSection(Section):
    """Which image. `enabled` and the run-time settings are kept; Roost runs on the node itself
    until environments are built."""

    _defaults = {
        "enabled": False,
        "base_image": DEFAULT_CPU_IMAGE,
        "base_dockerfile": None,
        "shared_volumes": True,
        "shm_size": DEFAULT_SHM_SIZE,
        "arguments": [],
        "platform": {"os": "Linux", "architecture": "amd64"},
    }

    def __init__(self, **kwargs: Any) -> None:
        super().__init__()
        self.enabled: bool
        self.base_image: Optional[str]
        self.base_dockerfile: Optional[str]
        self.shared_volumes: bool
        self.shm_size: Optional[str]
        self.arguments: List[str]
        self.platform: Any
        self.gpu_support: bool = False
        self.base_image_registry = ContainerRegistry()
        for name, value in kwargs.items():
            if not hasattr(self, name):
                raise TypeError(f"DockerSection has no {name!r}")
            setattr(self, name, value)

    def _to_dict(self) -> Dict[str, Any]:
        registry = self.base_image_registry
        return {**super()._to_dict(), "baseImageRegistry": registry._to_dict()}

    def _read(self, found: Optional[Dict[str, Any]]) -> None:
        super()._read(found)
        registry = self._unknown.pop("baseImageRegistry", None)
        self.base_image_registry = ContainerRegistry._from_dict(registry)


class SparkPackage:
    """A package from a Maven repository."""

    def __init__(
        self,
        group: Optional[str] = None,
        artifact: Optional[str] = None,
        version: Optional[str] = None,
    ) -> None:
        self.group = group
        self.artifact = artifact
        self.version = version

    def _to_dict(self) -> Dict[str, Any]:
        return {"group": self.group, "artifact": self.artifact, "version": self.version}


class SparkSection(Section):
    """Kept in the definition. Roost runs no Spark."""

    _defaults = {"repositories": [], "packages": [], "precache_packages": True}

    def __init__(self, **kwargs: Any) -> None:
        super().__init__()
        self.repositories: List[str]
        self.packages: List[Union[SparkPackage, Dict[str, Any]]]
        self.precache_packages: bool
        for name, value in kwargs.items():
            if name not in self._defaults:
                raise TypeError(f"SparkSection has no {name!r}")
            setattr(self, name, value)


class DatabricksSection(Section):
    """Kept in the definition. Roost does not run on Databricks."""

    _defaults = {
        "maven_libraries": [],
        "pypi_libraries": [],
        "rcran_libraries": [],
        "jar_libraries": [],
        "egg_libraries": [],
    }

    def __init__(self, **kwargs: Any) -> None:
        super().__init__()
        for name, value in kwargs.items():
            if name not in self._defaults:
                raise TypeError(f"DatabricksSection has no {name!r}")
            setattr(self, name, value)
