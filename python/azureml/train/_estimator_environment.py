"""The environment that an estimator's arguments describe."""

from __future__ import annotations

import os
from typing import Any, List, Optional

from azureml.core._environment_files import read_requirements
from azureml.core.conda_dependencies import CondaDependencies
from azureml.core.container_registry import ContainerRegistry
from azureml.core.environment import DEFAULT_GPU_IMAGE, Environment
from azureml.exceptions import TrainingException, UserErrorException


def estimator_environment(
    source_directory: str,
    name: Optional[str],
    packages: List[str],
    use_gpu: bool,
    use_docker: bool,
    custom_docker_image: Optional[str],
    image_registry_details: Optional[ContainerRegistry],
    user_managed: bool,
    conda_packages: Optional[List[str]],
    pip_packages: Optional[List[str]],
    conda_dependencies_file: Optional[str],
    pip_requirements_file: Optional[str],
    environment_variables: Any,
    shm_size: Optional[str],
) -> Environment:
    """`packages` are the pip packages of the framework; they come before the caller's."""
    made = Environment(name)
    made.python.user_managed_dependencies = bool(user_managed)
    made.python.conda_dependencies = _packages(
        source_directory,
        packages,
        conda_packages,
        pip_packages,
        conda_dependencies_file,
        pip_requirements_file,
    )
    made.docker.enabled = bool(use_docker)
    if custom_docker_image:
        made.docker.base_image = custom_docker_image
    elif use_gpu:
        made.docker.base_image = DEFAULT_GPU_IMAGE
    if image_registry_details is not None:
        made.docker.base_image_registry = image_registry_details
    if shm_size:
        made.docker.shm_size = shm_size
    made.environment_variables = dict(environment_variables or {})
    return made


def _packages(
    source_directory: str,
    packages: List[str],
    conda_packages: Optional[List[str]],
    pip_packages: Optional[List[str]],
    conda_dependencies_file: Optional[str],
    pip_requirements_file: Optional[str],
) -> CondaDependencies:
    if conda_dependencies_file:
        found = CondaDependencies(_below(source_directory, conda_dependencies_file))
    else:
        found = CondaDependencies()
    for package in packages:
        found.add_pip_package(package)
    if pip_requirements_file:
        for package in read_requirements(_below(source_directory, pip_requirements_file)):
            found.add_pip_package(package)
    for package in _listed(pip_packages, "pip_packages"):
        found.add_pip_package(package)
    for package in _listed(conda_packages, "conda_packages"):
        found.add_conda_package(package)
    return found


def _below(folder: str, path: str) -> str:
    inside = os.path.join(folder, path)
    return inside if os.path.exists(inside) else path


def _listed(packages: Any, argument: str) -> List[str]:
    if packages is None:
        return []
    if isinstance(packages, str) or not isinstance(packages, (list, tuple)):
        raise UserErrorException(f"{argument} must be a list of packages, not {packages!r}.")
    return list(packages)


def script_arguments(script_params: Any) -> List[Any]:
    """{'--epochs': 30, '--fast': ''} as a list; a flag with an empty value stands alone."""
    if script_params is None:
        return []
    if not isinstance(script_params, dict):
        raise TrainingException(
            f"script_params must be a dict such as {{'--epochs': 30}}, "
            f"not {type(script_params).__name__}."
        )
    arguments: List[Any] = []
    for name, value in script_params.items():
        arguments.append(name)
        if not (isinstance(value, str) and value == "") and value is not None:
            arguments.append(value)
    return arguments
