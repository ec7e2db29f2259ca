"""The smaller parts of a run configuration."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

from azureml.core._environment_sections import DEFAULT_SHM_SIZE, Section
from azureml.exceptions import UserErrorException


class DockerConfiguration(Section):
    """What `docker run` is told of a run. Roost starts it without Docker, and does as `arguments`
    and `shm_size` say where that means something; the run's notices name the rest."""

    _defaults = {
        "use_docker": False,
        "shared_volumes": True,
        "shm_size": DEFAULT_SHM_SIZE,
        "arguments": [],
    }

    def __init__(
        self,
        use_docker: bool = False,
        shared_volumes: bool = True,
        arguments: Optional[List[str]] = None,
        shm_size: Optional[str] = DEFAULT_SHM_SIZE,
    ) -> None:
        super().__init__()
        self.use_docker = use_docker
        self.shared_volumes = shared_volumes
        self.arguments = _checked_words(arguments)
        self.shm_size = shm_size

    def _spec(self) -> Dict[str, Any]:
        """What differs from the defaults, as the server wants it."""
        spec: Dict[str, Any] = {}
        words = _checked_words(self.arguments)
        if words:
            spec["arguments"] = words
        if self.shm_size and self.shm_size != DEFAULT_SHM_SIZE:
            spec["shm_size"] = str(self.shm_size)
        return spec


def _checked_words(arguments: Any) -> List[str]:
    if arguments is None:
        return []
    if isinstance(arguments, str) or not isinstance(arguments, (list, tuple)):
        raise UserErrorException(
            "arguments of DockerConfiguration must be a list such as ['--cpus', '2'], "
            f"not {arguments!r}."
        )
    return [str(word) for word in arguments]


class HistoryConfiguration(Section):
    """What is kept of a run. Roost always keeps outputs/ and logs/."""

    _defaults = {
        "output_collection": True,
        "snapshot_project": True,
        "directories_to_watch": ["logs"],
    }

    def __init__(self) -> None:
        super().__init__()
        self.output_collection: bool
        self.snapshot_project: bool
        self.directories_to_watch: List[str]


class DataReferenceConfiguration(Section):
    """Files of a datastore, and how a run gets them."""

    _defaults = {
        "data_store_name": None,
        "mode": "mount",
        "path_on_data_store": None,
        "path_on_compute": None,
        "overwrite": False,
    }

    def __init__(
        self,
        datastore_name: Optional[str] = None,
        mode: str = "mount",
        path_on_datastore: Optional[str] = None,
        path_on_compute: Optional[str] = None,
        overwrite: bool = False,
    ) -> None:
        super().__init__()
        self.data_store_name = datastore_name
        self.mode = mode
        self.path_on_data_store = path_on_datastore
        self.path_on_compute = path_on_compute
        self.overwrite = overwrite

    @property
    def datastore_name(self) -> Optional[str]:
        return self.data_store_name

    @datastore_name.setter
    def datastore_name(self, value: Optional[str]) -> None:
        self.data_store_name = value

    @property
    def path_on_datastore(self) -> Optional[str]:
        return self.path_on_data_store

    @path_on_datastore.setter
    def path_on_datastore(self, value: Optional[str]) -> None:
        self.path_on_data_store = value


class SourceDirectoryDataStore(Section):
    _defaults: Dict[str, Any] = {}


class AmlComputeConfiguration(Section):
    """A cluster made for one run. Kept; name a compute of the workspace as the target instead."""

    _defaults = {
        "vm_size": None,
        "vm_priority": None,
        "retain_cluster": False,
        "name": None,
        "cluster_max_node_count": 1,
    }

    def __init__(self) -> None:
        super().__init__()
        self.vm_size: Optional[str]
        self.vm_priority: Optional[str]
        self.retain_cluster: bool
        self.name: Optional[str]
        self.cluster_max_node_count: int


class ContainerInstanceConfiguration(Section):
    """Kept; Roost has no container instances."""

    _defaults = {"region": None, "cpu_cores": 2.0, "memory_gb": 3.5}

    def __init__(self) -> None:
        super().__init__()
        self.region: Optional[str]
        self.cpu_cores: float
        self.memory_gb: float


class SparkConfiguration(Section):
    """Kept; Roost runs no Spark."""

    _defaults: Dict[str, Any] = {"configuration": {}}

    def __init__(self) -> None:
        super().__init__()
        self.configuration: Dict[str, Any]


class HdiConfiguration(Section):
    """Kept; Roost has no HDInsight."""

    _defaults = {"yarn_deploy_mode": "cluster"}


class JarLibrary(Section):
    """Kept; Roost does not run on Databricks."""

    _defaults = {"library": None}

    def __init__(self, library: Optional[str] = None) -> None:
        super().__init__()
        self.library = library
