"""Run configurations: what to run, where, and in which environment."""

from __future__ import annotations

import copy
import os
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Union

from azureml._absent import absent_name
from azureml.core._distributed import (
    MpiConfiguration,
    ParallelTaskConfiguration,
    PyTorchConfiguration,
    TensorflowConfiguration,
)
from azureml.core._environment_sections import camel_case
from azureml.core._runconfig_sections import (
    AmlComputeConfiguration,
    ContainerInstanceConfiguration,
    DataReferenceConfiguration,
    DockerConfiguration,
    HdiConfiguration,
    HistoryConfiguration,
    JarLibrary,
    SourceDirectoryDataStore,
    SparkConfiguration,
)
from azureml.core.conda_dependencies import CondaDependencies
from azureml.core.container_registry import ContainerRegistry
from azureml.core.environment import (
    DEFAULT_CPU_IMAGE,
    DEFAULT_GPU_IMAGE,
    DatabricksSection,
    DockerSection,
    Environment,
    PythonSection,
    SparkPackage,
    SparkSection,
)
from azureml.core.resource_configuration import ResourceConfiguration
from azureml.exceptions import RunConfigurationException, UserErrorException

if TYPE_CHECKING:
    from azureml.core.compute import ComputeTarget

__all__ = [
    "DEFAULT_CPU_IMAGE",
    "DEFAULT_GPU_IMAGE",
    "AmlComputeConfiguration",
    "CondaDependencies",
    "ContainerInstanceConfiguration",
    "ContainerRegistry",
    "DataReferenceConfiguration",
    "DatabricksSection",
    "DockerConfiguration",
    "DockerEnvironment",
    "DockerSection",
    "Environment",
    "EnvironmentDefinition",
    "HdiConfiguration",
    "HistoryConfiguration",
    "JarLibrary",
    "MpiConfiguration",
    "ParallelTaskConfiguration",
    "PyTorchConfiguration",
    "PythonEnvironment",
    "PythonSection",
    "RunConfiguration",
    "SourceDirectoryDataStore",
    "SparkConfiguration",
    "SparkEnvironment",
    "SparkPackage",
    "SparkSection",
    "TensorflowConfiguration",
]

EnvironmentDefinition = Environment
PythonEnvironment = PythonSection
DockerEnvironment = DockerSection
SparkEnvironment = SparkSection

DEFAULT_MAX_RUN_DURATION_SECONDS = 2592000
SUPPORTED_DATAREF_MODES = ["mount", "download", "upload"]
_FOLDERS = (".azureml", "aml_config")
_FRAMEWORKS = ("python", "pyspark", "cntk", "tensorflow", "pytorch")
_COMMUNICATORS = ("none", "parameterserver", "openmpi", "intelmpi", "gloo", "nccl", "mpi")
_PLAIN = ("script", "arguments", "command", "framework", "communicator", "node_count")


class RunConfiguration:
    """Alive: what is changed here counts at the next submit."""

    def __init__(
        self,
        script: Optional[str] = None,
        arguments: Optional[List[Any]] = None,
        framework: Optional[str] = None,
        communicator: Optional[str] = None,
        conda_dependencies: Optional[CondaDependencies] = None,
        _history_enabled: Optional[bool] = None,
        _path: Optional[str] = None,
        _name: Optional[str] = None,
        command: Optional[Union[str, List[Any]]] = None,
    ) -> None:
        self.script = script
        self.arguments: List[Any] = [] if arguments is None else arguments
        self.command = command
        self.framework = _one_of(framework or "Python", _FRAMEWORKS, "framework")
        self.communicator = _one_of(communicator or "None", _COMMUNICATORS, "communicator")
        self._target: Any = "local"
        self._name = _name
        self._path = _path
        self.node_count: Optional[int] = None
        self.max_run_duration_seconds: Optional[int] = DEFAULT_MAX_RUN_DURATION_SECONDS
        self.environment = Environment()
        self.environment_variables: Dict[str, str] = {}
        self.priority: Optional[int] = None
        self.resources: Optional[ResourceConfiguration] = None
        self.history = HistoryConfiguration()
        if _history_enabled is not None:
            self.history.output_collection = bool(_history_enabled)
        self.docker = DockerConfiguration()
        self.spark = SparkConfiguration()
        self.hdi = HdiConfiguration()
        self.tensorflow = TensorflowConfiguration()
        self.mpi = MpiConfiguration()
        self.pytorch = PyTorchConfiguration()
        self.paralleltask = ParallelTaskConfiguration()
        self.amlcompute = AmlComputeConfiguration()
        self.container_instance = ContainerInstanceConfiguration()
        self.data_references: Dict[str, Any] = {}
        self.data: Dict[str, Any] = {}
        self.output_data: Dict[str, Any] = {}
        self.datacaches: List[Any] = []
        self.source_directory_data_store: Optional[str] = None
        self.auto_prepare_environment: Optional[bool] = None
        self.prepare_environment: Optional[bool] = None
        self.credential_passthrough: bool = False
        self._distributed: Any = None
        if conda_dependencies is not None:
            self.environment.python.conda_dependencies = conda_dependencies

    @property
    def target(self) -> Any:
        """The name of a compute; a compute may be assigned too."""
        return self._target

    @target.setter
    def target(self, value: Union[None, str, ComputeTarget]) -> None:
        self._target = target_name(value)

    @property
    def environment(self) -> Environment:
        return self._environment

    @environment.setter
    def environment(self, value: Environment) -> None:
        if not isinstance(value, Environment):
            raise RunConfigurationException(
                f"environment must be an Environment, not {type(value).__name__}. "
                "Get one with Environment.get(workspace, name) or make one with Environment(name)."
            )
        self._environment = value

    # Files.

    @staticmethod
    def load(
        path: Any = None,
        name: Optional[str] = None,
        project_object: Any = None,
        run_name: Optional[str] = None,
    ) -> RunConfiguration:
        """Reads NAME.runconfig below a folder (.azureml, aml_config), or a file. The two last
        arguments are old names of the first ones."""
        from roost import yaml

        place = project_object if path is None else path
        place = getattr(place, "project_directory", place)
        file_path = _find_file(os.fspath(place if place is not None else "."), name or run_name)
        try:
            found = yaml.read_file(file_path)
            separate = found.get("environment") if isinstance(found, dict) else None
            if isinstance(separate, str):
                folder = os.path.dirname(file_path)
                found["environment"] = yaml.read_file(os.path.join(folder, separate))
        except OSError as error:
            raise RunConfigurationException(
                f"Cannot read {error.filename}: {error.strerror}."
            ) from None
        except yaml.YamlError as error:
            raise RunConfigurationException(
                f"The run configuration is not valid: {error}"
            ) from None
        if not isinstance(found, dict):
            raise RunConfigurationException(f"{file_path} is not a run configuration.")
        made = RunConfiguration._from_dict(found)
        made._path, made._name = os.path.dirname(file_path), _stem(file_path)
        return made

    @staticmethod
    def delete(path: str, name: str) -> None:
        os.remove(_find_file(path, name))

    def save(
        self,
        path: Optional[Union[str, os.PathLike[str]]] = None,
        name: Optional[str] = None,
        separate_environment_yaml: bool = False,
    ) -> None:
        """Writes FOLDER/.azureml/NAME.runconfig, or the file if `path` is one."""
        from roost import yaml

        file_path = self._file_to_write(None if path is None else os.fspath(path), name)
        folder = os.path.dirname(os.path.abspath(file_path))
        os.makedirs(folder, exist_ok=True)
        written = self._to_dict()
        if separate_environment_yaml:
            written["environment"] = "environment.yml"
            with open(os.path.join(folder, "environment.yml"), "w", encoding="utf-8") as file:
                file.write(yaml.write(self.environment._serialize_to_dict()))
        with open(file_path, "w", encoding="utf-8") as file:
            file.write(yaml.write(written))

    def _file_to_write(self, path: Optional[str], name: Optional[str]) -> str:
        if path is not None and not os.path.isdir(path) and name is None:
            return path
        name = name or self._name
        if not name:
            raise UserErrorException("Say under which name to save: run_config.save(path, name).")
        folder = path or self._path or "."
        if os.path.basename(os.path.normpath(folder)) not in _FOLDERS:
            folder = os.path.join(folder, _FOLDERS[0])
        return os.path.join(folder, f"{name}.runconfig")

    def _to_dict(self) -> Dict[str, Any]:
        made: Dict[str, Any] = {camel_case(key): getattr(self, key) for key in _PLAIN}
        made["arguments"] = [_argument_text(item) for item in self.arguments or []]
        if isinstance(self.command, (list, tuple)):
            made["command"] = [_argument_text(item) for item in self.command]
        made["target"] = self.target
        made["maxRunDurationSeconds"] = self.max_run_duration_seconds
        made["environment"] = self.environment._serialize_to_dict()
        made["environmentVariables"] = dict(self.environment_variables)
        for key in ("history", "docker", "spark", "hdi", "amlcompute", "container_instance"):
            made[camel_case(key)] = getattr(self, key)._to_dict()
        for key, names in _DISTRIBUTED.items():
            part = getattr(self, key)
            made[key] = {camel_case(name): getattr(part, name) for name in names}
        made["distributed"] = _kind_of(self._distributed)
        if self.resources is not None:
            made["resources"] = self.resources.serialize()
        made["dataReferences"] = {
            name: reference_config(reference)._to_dict()
            for name, reference in self.data_references.items()
        }
        return made

    @classmethod
    def _from_dict(cls, found: Dict[str, Any]) -> RunConfiguration:
        made = cls()
        for key in _PLAIN:
            if found.get(camel_case(key)) is not None:
                setattr(made, key, found[camel_case(key)])
        made.target = found.get("target") or "local"
        made.max_run_duration_seconds = found.get(
            "maxRunDurationSeconds", DEFAULT_MAX_RUN_DURATION_SECONDS
        )
        if isinstance(found.get("environment"), dict):
            made.environment = Environment._from_definition(found["environment"])
        made.environment_variables = dict(found.get("environmentVariables") or {})
        for key in ("history", "docker", "spark", "hdi", "amlcompute", "container_instance"):
            if isinstance(found.get(camel_case(key)), dict):
                getattr(made, key)._read(found[camel_case(key)])
        for key, names in _DISTRIBUTED.items():
            for name in names:
                if (found.get(key) or {}).get(camel_case(name)) is not None:
                    setattr(getattr(made, key), name, found[key][camel_case(name)])
        made.resources = ResourceConfiguration.deserialize(found.get("resources") or {})
        made._distributed = getattr(made, found.get("distributed") or "", None)
        for name, reference in (found.get("dataReferences") or {}).items():
            made.data_references[name] = DataReferenceConfiguration()
            made.data_references[name]._read(reference)
        return made

    def __repr__(self) -> str:
        from roost import yaml

        return yaml.write(self._to_dict())

    # For a run.

    def _distributed_spec(self) -> Optional[Dict[str, Any]]:
        """What distributed_job_config says, or else the communicator, as in old code."""
        if self._distributed is not None:
            found: Dict[str, Any] = self._distributed._spec()
            return found
        communicator = self.communicator.lower()
        nodes = self.node_count or 1
        if communicator in ("openmpi", "intelmpi", "mpi"):
            count = self.mpi.process_count_per_node
            return MpiConfiguration(count, max(nodes, self.mpi.node_count))._spec()
        if communicator == "parameterserver":
            return self.tensorflow._spec()
        if communicator in ("nccl", "gloo"):
            torch = copy.copy(self.pytorch)
            torch.communication_backend = communicator
            torch.node_count = max(nodes, torch.node_count)
            return torch._spec()
        if self.framework.lower() == "pytorch" and (self.pytorch.process_count or nodes > 1):
            torch = copy.copy(self.pytorch)
            torch.node_count = max(nodes, torch.node_count)
            return torch._spec()
        return None

    def _node_count(self, distributed: Optional[Dict[str, Any]]) -> int:
        if distributed is None:
            return self.node_count or 1
        if distributed["kind"] == "tensorflow":
            count: int = distributed["worker_count"] + distributed["parameter_server_count"]
            return self.node_count or count
        nodes: int = distributed["node_count"]
        return nodes


_DISTRIBUTED = {
    "mpi": ("process_count_per_node", "node_count"),
    "pytorch": ("communication_backend", "process_count", "node_count"),
    "tensorflow": ("worker_count", "parameter_server_count"),
}


def __getattr__(name: str) -> Any:
    return absent_name(__name__, name)


def target_name(target: Any) -> str:
    if target is None or target == "":
        return "local"
    name = getattr(target, "name", target)
    if not isinstance(name, str):
        raise UserErrorException(
            f"compute_target must be a compute, its name or 'local', not {type(target).__name__}."
        )
    return name


def reference_config(reference: Any) -> DataReferenceConfiguration:
    made = reference.to_config() if hasattr(reference, "to_config") else reference
    if not isinstance(made, DataReferenceConfiguration):
        raise RunConfigurationException(
            "data_references must hold DataReference.to_config() values, "
            f"not {type(reference).__name__}."
        )
    return made


def _kind_of(distributed: Any) -> Optional[str]:
    for kind, made in (
        ("mpi", MpiConfiguration),
        ("pytorch", PyTorchConfiguration),
        ("tensorflow", TensorflowConfiguration),
    ):
        if isinstance(distributed, made):
            return kind
    return None


def _argument_text(item: Any) -> Any:
    return item if isinstance(item, (str, int, float, bool, type(None))) else str(item)


def _one_of(value: Any, allowed: Any, what: str) -> str:
    if not isinstance(value, str) or value.lower() not in allowed:
        raise RunConfigurationException(f"{what} is one of {', '.join(allowed)}, not {value!r}.")
    return value


def _stem(path: str) -> str:
    return os.path.splitext(os.path.basename(path))[0]


def _find_file(path: str, name: Optional[str]) -> str:
    if name is None and os.path.isfile(path):
        return path
    tried = [
        os.path.join(path, folder, f"{name}{ending}")
        for folder in (*_FOLDERS, "")
        for ending in (".runconfig", "")
    ]
    for candidate in tried:
        if os.path.isfile(candidate):
            return candidate
    raise UserErrorException(
        f"There is no run configuration {name!r} below {os.path.abspath(path)}. Looked for "
        f"{tried[0]}. Write one with run_config.save(path, name)."
    )
