"""What runs in front of a deployed model: a script, its folder and its environment."""

from __future__ import annotations

import os
import posixpath
import sys
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Tuple

from azureml._absent import not_here
from azureml._errors import calling
from azureml.core._model_paths import MODEL_FOLDER
from azureml.exceptions import WebserviceException

if TYPE_CHECKING:
    from azureml.core.environment import Environment
    from azureml.core.workspace import Workspace

__all__ = ["InferenceConfig"]

_OLD_FORM = ("conda_file", "extra_docker_file_steps", "enable_gpu", "base_image", "cuda_version")


class InferenceConfig:
    """With `environment`, or in the older form with `runtime` and `conda_file`.

    `entry_script` is relative to `source_directory`, which goes along whole and keeps its name.
    """

    def __init__(
        self,
        entry_script: str,
        runtime: Optional[str] = None,
        conda_file: Optional[str] = None,
        extra_docker_file_steps: Optional[str] = None,
        source_directory: Optional[str] = None,
        enable_gpu: Optional[bool] = None,
        description: Optional[str] = None,
        base_image: Optional[str] = None,
        base_image_registry: Any = None,
        cuda_version: Optional[str] = None,
        environment: Optional[Environment] = None,
    ) -> None:
        self.entry_script = entry_script
        self.runtime = runtime
        self.conda_file = conda_file
        self.extra_docker_file_steps = extra_docker_file_steps
        self.source_directory = source_directory
        self.enable_gpu = enable_gpu
        self.description = description
        self.base_image = base_image
        self.base_image_registry = base_image_registry
        self.cuda_version = cuda_version
        self.environment = environment
        self.validate_configuration()

    def validate_configuration(self) -> None:
        from azureml.core.environment import Environment

        if not isinstance(self.entry_script, (str, os.PathLike)) or not self.entry_script:
            raise WebserviceException(
                f"entry_script must be the path of a script, not {self.entry_script!r}."
            )
        if self.environment is not None:
            if not isinstance(self.environment, Environment):
                raise WebserviceException(
                    "environment must be an Environment, not "
                    f"{type(self.environment).__name__}. Make one with "
                    "Environment.from_conda_specification(name, file)."
                )
            both = [name for name in ("runtime", *_OLD_FORM) if getattr(self, name)]
            if both:
                raise WebserviceException(
                    f"{both[0]}= and environment= exclude each other. Put what {both[0]} says into "
                    "the environment."
                )
        elif self.runtime is not None:
            check_runtime(self.runtime)

    # What is sent.

    def _deployment(self, workspace: Workspace, compute: Optional[str]) -> Dict[str, Any]:
        """The part of a deployment that this says."""
        from azureml.core.environment import Environment

        environment = self.environment
        if environment is None:
            environment = conda_environment(
                self._beside_script(self.conda_file),
                self.base_image,
                self._beside_script(self.extra_docker_file_steps),
                bool(self.enable_gpu),
            )
        assert isinstance(environment, Environment)
        return {
            "code": self._upload(workspace),
            **environment_fields(workspace, environment, compute),
            "description": self.description or "",
        }

    def _upload(self, workspace: Workspace) -> Dict[str, Any]:
        from roost.transfer import upload_files

        files, script, folder = self._files()
        with calling(WebserviceException):
            snapshot = upload_files(workspace._client, files)
        return {"snapshot": snapshot, "entry_script": script, "source_directory": folder}

    def _files(self) -> Tuple[Dict[str, str], str, str]:
        """Where each part of the code lies, and what script and folder are called there."""
        script = os.fspath(self.entry_script)
        if self.source_directory is None:
            path = os.path.abspath(script)
            _check_script(path, "Give source_directory= if it is in another folder.")
            return {os.path.basename(path): path}, os.path.basename(path), ""
        top = os.path.abspath(os.fspath(self.source_directory))
        if not os.path.isdir(top):
            raise WebserviceException(f"source_directory names {top}, which is no folder.")
        path = os.path.normpath(os.path.join(top, script))
        _check_script(path, f"entry_script is looked for in source_directory, {top}.")
        below = os.path.relpath(path, top).replace(os.sep, "/")
        if below.startswith("../"):
            raise WebserviceException(
                f"entry_script {script} is not in source_directory {top}. Move it there, or give "
                "the folder that holds both."
            )
        name = os.path.basename(top) or "code"
        if name == MODEL_FOLDER:
            raise WebserviceException(
                f"source_directory cannot be called {name}: the models lie there. Rename it."
            )
        return {name: top}, posixpath.join(name, below), name

    def _sources(self) -> Dict[str, Any]:
        """Where the code was taken from, so that a local service can be loaded anew."""
        folder = self.source_directory
        script = os.fspath(self.entry_script)
        if folder is None:
            return {"entry_script": os.path.abspath(script), "source_directory": None}
        return {"entry_script": script, "source_directory": os.path.abspath(os.fspath(folder))}

    def _beside_script(self, path: Optional[str]) -> Optional[str]:
        """Files are named relative to the source folder, or else to where one is."""
        if path is None or self.source_directory is None:
            return path
        inside = os.path.join(os.fspath(self.source_directory), os.fspath(path))
        return inside if os.path.exists(inside) else path


def environment_fields(
    workspace: Workspace, environment: Environment, compute: Optional[str]
) -> Dict[str, Any]:
    """Environment and workers of a deployment. Stores the environment."""
    spec = environment._spec(workspace, compute or "local")
    variables = spec.pop("variables", None) or {}  # whoever may read endpoints would see them there
    fields = {"environment": spec, "environment_variables": variables}
    workers = variables.get("WORKER_COUNT")
    if workers is None:
        return fields
    if not workers.isdigit() or int(workers) < 1:
        raise WebserviceException(
            f"WORKER_COUNT must be a whole number of at least 1, not {workers!r}."
        )
    return {**fields, "workers": int(workers)}


def conda_environment(
    conda_file: Optional[str],
    base_image: Optional[str] = None,
    docker_steps: Optional[str] = None,
    enable_gpu: bool = False,
) -> Environment:
    """The environment of the older forms."""
    from azureml.core.conda_dependencies import CondaDependencies
    from azureml.core.environment import DEFAULT_GPU_IMAGE, Environment

    made = Environment()
    if conda_file is not None:
        made.python.conda_dependencies = CondaDependencies(os.fspath(conda_file))
    if enable_gpu:
        made.docker.base_image = DEFAULT_GPU_IMAGE
    if base_image is not None:
        made.docker.base_image = base_image
    if docker_steps is not None and base_image is None:
        print(
            f"{docker_steps} has no effect: Roost builds no image here. Give base_image=, or an "
            "Environment with a Dockerfile of its own.",
            file=sys.stderr,
        )
    elif docker_steps is not None:
        made.docker.base_image = None
        made.docker.base_dockerfile = f"FROM {base_image}\n{_read(docker_steps)}"
    return made


def check_runtime(runtime: Any) -> None:
    if str(runtime) == "spark-py":
        raise not_here(
            "runtime='spark-py'", "scores with Spark", "Use runtime='python' or environment=."
        )
    if str(runtime) not in ("python", "python-slim"):
        raise WebserviceException(f"runtime must be 'python', not {runtime!r}.")


def named_files(paths: List[str], allow_absolute: bool = False) -> Dict[str, str]:
    """Files and folders under the names that a script beside them opens them by."""
    files: Dict[str, str] = {}
    for path in paths:
        if not os.path.exists(path):
            raise WebserviceException(
                f"there is no {os.path.abspath(path)}, which is to go into the image."
            )
        name = os.path.normpath(os.fspath(path))
        if os.path.isabs(name) or name.startswith(".."):
            name = os.path.basename(os.path.abspath(path))
        files[name.replace(os.sep, "/")] = os.fspath(path)
    return files


def _check_script(path: str, advice: str) -> None:
    if not os.path.isfile(path):
        raise WebserviceException(f"there is no entry script {path}. {advice}")


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError as error:
        raise WebserviceException(f"Cannot read {path}: {error.strerror}.") from None
