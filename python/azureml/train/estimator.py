"""The estimator without a framework."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

from azureml.core.environment import Environment
from azureml.core.runconfig import MpiConfiguration
from azureml.train._base_estimator import BaseEstimator
from azureml.train._distributed_training import Gloo, Mpi, Nccl, ParameterServer

__all__ = ["Estimator", "Gloo", "Mpi", "MpiConfiguration", "Nccl", "ParameterServer"]


class Estimator(BaseEstimator):
    """Deprecated, as in Azure ML: a script with packages and an image."""

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
    ) -> None:
        given = {name: value for name, value in locals().items() if name in _ARGUMENTS}
        super().__init__(source_directory, **given)


_ARGUMENTS = frozenset((Estimator.__init__.__kwdefaults__ or {}).keys())
