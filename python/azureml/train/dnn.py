"""Estimators of frameworks."""

from __future__ import annotations

import warnings
from typing import Any, Dict, List, Optional

from azureml.core.environment import Environment
from azureml.core.runconfig import MpiConfiguration, TensorflowConfiguration
from azureml.train._base_estimator import BaseEstimator
from azureml.train._distributed_training import Gloo, Mpi, Nccl, ParameterServer, job_config

__all__ = [
    "Chainer",
    "Gloo",
    "Mpi",
    "MpiConfiguration",
    "Nccl",
    "ParameterServer",
    "PyTorch",
    "TensorFlow",
    "TensorflowConfiguration",
]


class _FrameworkEstimator(BaseEstimator):
    """An Estimator whose environment has the framework in `framework_version`."""

    FRAMEWORK_NAME = ""
    DEFAULT_VERSION = ""

    def __init__(
        self,
        source_directory: Any,
        *,
        compute_target: Any = None,
        vm_size: Optional[str] = None,
        vm_priority: Optional[str] = None,
        entry_script: Optional[str] = None,
        script_params: Optional[Dict[str, Any]] = None,
        node_count: int = 1,
        process_count_per_node: int = 1,
        worker_count: int = 1,
        parameter_server_count: int = 1,
        distributed_backend: Optional[str] = None,
        distributed_training: Any = None,
        use_gpu: bool = False,
        use_docker: bool = True,
        custom_docker_base_image: Optional[str] = None,
        custom_docker_image: Optional[str] = None,
        image_registry_details: Any = None,
        user_managed: bool = False,
        conda_packages: Optional[List[str]] = None,
        pip_packages: Optional[List[str]] = None,
        conda_dependencies_file_path: Optional[str] = None,
        pip_requirements_file_path: Optional[str] = None,
        conda_dependencies_file: Optional[str] = None,
        pip_requirements_file: Optional[str] = None,
        environment_variables: Optional[Dict[str, str]] = None,
        environment_definition: Optional[Environment] = None,
        inputs: Optional[List[Any]] = None,
        source_directory_data_store: Any = None,
        shm_size: Optional[str] = None,
        resume_from: Any = None,
        max_run_duration_seconds: Optional[int] = None,
        framework_version: Optional[str] = None,
        _enable_optimized_mode: bool = False,
        _disable_validation: bool = True,
    ) -> None:
        given = {name: value for name, value in locals().items() if name in _ARGUMENTS}
        if framework_version is None:
            framework_version = self.DEFAULT_VERSION
            if environment_definition is None and not (user_managed or custom_docker_image):
                warnings.warn(
                    f"framework_version is not given; {type(self).__name__} takes "
                    f"{framework_version}.",
                    stacklevel=2,
                )
        self.framework_version = framework_version
        own: List[str] = []
        if not (custom_docker_image or custom_docker_base_image):
            own = self._own_packages(use_gpu)
            # Building these takes a compiler, an MPI and minutes, which only MPI jobs have use for.
            job = job_config(
                distributed_training,
                distributed_backend,
                node_count,
                process_count_per_node,
                worker_count,
                parameter_server_count,
            )
            if isinstance(job, MpiConfiguration):
                own += self._mpi_packages()
        super().__init__(source_directory, **given, packages=own)

    def _own_packages(self, use_gpu: bool) -> List[str]:
        raise NotImplementedError

    def _mpi_packages(self) -> List[str]:
        return []


_ARGUMENTS = frozenset((_FrameworkEstimator.__init__.__kwdefaults__ or {}).keys()) - {
    "framework_version",
    "_enable_optimized_mode",
    "_disable_validation",
}


class PyTorch(_FrameworkEstimator):
    """Deprecated, as in Azure ML."""

    FRAMEWORK_NAME = "PyTorch"
    DEFAULT_VERSION = "1.4"

    @staticmethod
    def get_supported_versions() -> List[str]:
        return ["1.0", "1.1", "1.2", "1.3", "1.4", "1.5", "1.6"]

    def _own_packages(self, use_gpu: bool) -> List[str]:
        return [f"torch=={self.framework_version}.*", "torchvision"]

    def _mpi_packages(self) -> List[str]:
        return ["horovod"]


class TensorFlow(_FrameworkEstimator):
    """Deprecated, as in Azure ML."""

    FRAMEWORK_NAME = "TensorFlow"
    DEFAULT_VERSION = "1.13"

    @staticmethod
    def get_supported_versions() -> List[str]:
        return ["1.10", "1.12", "1.13", "2.0", "2.1", "2.2", "2.3"]

    def _own_packages(self, use_gpu: bool) -> List[str]:
        name = "tensorflow-gpu" if use_gpu else "tensorflow"
        return [f"{name}=={self.framework_version}.*"]

    def _mpi_packages(self) -> List[str]:
        return ["horovod"]


class Chainer(_FrameworkEstimator):
    """Deprecated, as in Azure ML."""

    FRAMEWORK_NAME = "Chainer"
    DEFAULT_VERSION = "5.1.0"

    @staticmethod
    def get_supported_versions() -> List[str]:
        return ["5.1.0", "7.0.0"]

    def _own_packages(self, use_gpu: bool) -> List[str]:
        more = ["cupy-cuda90"] if use_gpu else []
        return [f"chainer=={self.framework_version}", *more]

    def _mpi_packages(self) -> List[str]:
        return ["mpi4py"]
