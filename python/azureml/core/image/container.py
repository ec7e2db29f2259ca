"""Images of the one kind that there is."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Dict, List, Optional

from azureml._absent import not_here
from azureml._errors import calling
from azureml.core._inference_config import (
    check_runtime,
    conda_environment,
    environment_fields,
    named_files,
)
from azureml.core.image.image import Image, ImageConfig
from azureml.exceptions import WebserviceException

if TYPE_CHECKING:
    from azureml.core.workspace import Workspace

__all__ = ["ContainerImage", "ContainerImageConfig"]


class ContainerImageConfig(ImageConfig):
    """Checked when it is made, so that the mistake shows where it was written."""

    def __init__(
        self,
        execution_script: str,
        runtime: str,
        conda_file: Optional[str] = None,
        docker_file: Optional[str] = None,
        schema_file: Optional[str] = None,
        dependencies: Optional[List[str]] = None,
        enable_gpu: Optional[bool] = None,
        tags: Optional[Dict[str, Any]] = None,
        properties: Optional[Dict[str, Any]] = None,
        description: Optional[str] = None,
        base_image: Optional[str] = None,
        base_image_registry: Any = None,
        allow_absolute_path: bool = False,
        cuda_version: Optional[str] = None,
    ) -> None:
        self.execution_script = execution_script
        self.runtime = runtime
        self.conda_file = conda_file
        self.docker_file = docker_file
        self.schema_file = schema_file
        self.dependencies = dependencies
        self.enable_gpu = enable_gpu
        self.tags = tags
        self.properties = properties
        self.description = description
        self.base_image = base_image
        self.base_image_registry = base_image_registry
        self.allow_absolute_path = allow_absolute_path
        self.cuda_version = cuda_version
        self.validate_configuration()

    def validate_configuration(self) -> None:
        check_runtime(self.runtime)
        script = os.fspath(self.execution_script)
        if not os.path.isfile(script):
            raise WebserviceException(f"there is no execution_script {os.path.abspath(script)}.")
        if os.path.isabs(script) and not self.allow_absolute_path:
            raise WebserviceException(
                f"execution_script {script} must be relative to where you are. Pass "
                "allow_absolute_path=True to take it from there all the same."
            )

    def _store(self, workspace: Workspace) -> Dict[str, Any]:
        """Uploads the files, stores the environment, and gives what the image says."""
        from roost.transfer import upload_files

        script = os.fspath(self.execution_script)
        name = os.path.basename(script)
        more = [*(self.dependencies or []), *([self.schema_file] if self.schema_file else [])]
        files = {**named_files(more), name: script}
        environment = conda_environment(
            self.conda_file, self.base_image, self.docker_file, bool(self.enable_gpu)
        )
        with calling(WebserviceException):
            snapshot = upload_files(workspace._client, files)
        code = {"snapshot": snapshot, "entry_script": name, "source_directory": ""}
        return {
            "deployment": {"code": code, **environment_fields(workspace, environment, None)},
            "description": self.description,
            "tags": self.tags,
            "properties": self.properties,
        }


class ContainerImage(Image):
    """A definition to deploy from; Roost builds its environment and no image."""

    @staticmethod
    def image_configuration(
        execution_script: str,
        runtime: str,
        conda_file: Optional[str] = None,
        docker_file: Optional[str] = None,
        schema_file: Optional[str] = None,
        dependencies: Optional[List[str]] = None,
        enable_gpu: Optional[bool] = None,
        tags: Optional[Dict[str, Any]] = None,
        properties: Optional[Dict[str, Any]] = None,
        description: Optional[str] = None,
        base_image: Optional[str] = None,
        base_image_registry: Any = None,
        allow_absolute_path: bool = False,
        cuda_version: Optional[str] = None,
    ) -> ContainerImageConfig:
        """`dependencies` are files and folders that the script opens or imports."""
        return ContainerImageConfig(**locals())

    def run(self, input_data: Any) -> Any:
        raise not_here(
            "ContainerImage.run",
            "runs an image in Docker to try it out",
            "Deploy it with LocalWebservice.deploy_configuration() and call run() of that.",
        )
