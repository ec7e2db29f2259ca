"""What all estimators have in common."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Dict, List, Optional

from azureml.core._submission import Submission
from azureml.core.environment import Environment
from azureml.core.runconfig import RunConfiguration
from azureml.core.script_run_config import ScriptRunConfig
from azureml.exceptions import TrainingException
from azureml.train._distributed_training import job_config
from azureml.train._estimator_environment import estimator_environment, script_arguments

if TYPE_CHECKING:
    from azureml.core.workspace import Workspace


class BaseEstimator:
    """A ScriptRunConfig, described the way of 2019."""

    _packages: List[str] = []

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
        worker_count: int = 1,
        parameter_server_count: int = 1,
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
        packages: Optional[List[str]] = None,
    ) -> None:
        warnings.warn(
            f"{type(self).__name__} is deprecated. Use ScriptRunConfig with an Environment.",
            DeprecationWarning,
            stacklevel=3,
        )
        if not entry_script:
            raise TrainingException("entry_script= must name the script to run.")
        if compute_target is None and vm_size is not None:
            raise TrainingException(
                "vm_size= made a cluster for one run, which Roost does not. Make one with "
                "ComputeTarget.create(...) and pass it as compute_target=."
            )
        config = ScriptRunConfig(
            source_directory,
            entry_script,
            script_arguments(script_params),
            compute_target=compute_target,
            distributed_job_config=job_config(
                distributed_training,
                distributed_backend,
                node_count,
                process_count_per_node,
                worker_count,
                parameter_server_count,
            ),
            environment=environment_definition
            or estimator_environment(
                str(source_directory),
                None,
                packages or [],
                use_gpu,
                use_docker,
                custom_docker_image or custom_docker_base_image,
                image_registry_details,
                user_managed,
                conda_packages,
                pip_packages,
                conda_dependencies_file or conda_dependencies_file_path,
                pip_requirements_file or pip_requirements_file_path,
                environment_variables,
                shm_size,
            ),
            resume_from=resume_from,
        )
        if max_run_duration_seconds is not None:
            config.run_config.max_run_duration_seconds = max_run_duration_seconds
        self._config = config
        self._inputs = list(inputs or [])
        self.compute_target = compute_target

    @property
    def source_directory(self) -> str:
        return self._config.source_directory

    @property
    def run_config(self) -> RunConfiguration:
        return self._config.run_config

    @property
    def conda_dependencies(self) -> Any:
        return self.run_config.environment.python.conda_dependencies

    @property
    def _estimator_config(self) -> RunConfiguration:
        """Real code reaches for this to change the environment."""
        return self.run_config

    def _submission(self, workspace: Workspace) -> Submission:
        config = self.run_config
        for item in self._inputs:
            name = getattr(item, "data_reference_name", getattr(item, "name", None))
            if name is None:
                raise TrainingException(
                    "inputs must hold data such as datastore.as_mount() or "
                    f"dataset.as_named_input('x'), not {type(item).__name__}."
                )
            config.data[name] = item
        return self._config._submission(workspace)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(entry_script={self._config.script!r})"
