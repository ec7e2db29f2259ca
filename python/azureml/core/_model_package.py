"""Model.package: a folder from which an image that serves can be built, or the image."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any, Dict, List, Optional

from azureml._errors import calling
from azureml.core._model_paths import MODEL_FOLDER
from azureml.core.container_registry import ContainerRegistry
from azureml.exceptions import WebserviceException

if TYPE_CHECKING:
    from azureml.core.workspace import Workspace

__all__ = ["ModelPackage"]

PORT = 5001
_APP = "azureml-app"


class ModelPackage:
    """What Model.package() gives. `state` is Succeeded once it can be saved or run."""

    def __init__(
        self, workspace: Workspace, parts: PackageParts, is_dockerfile: bool, location: str
    ) -> None:
        self.workspace = workspace
        self.state = "Running"
        self.package_type = "DockerBuildContext" if is_dockerfile else "DockerImage"
        self.location: Optional[str] = location
        self.package_build_log_uri: Optional[str] = None
        self.environment = parts.environment
        self._parts = parts
        self._is_dockerfile = is_dockerfile
        self._log = ""

    def wait_for_creation(self, show_output: bool = False) -> None:
        """Until the image is built. A folder is made by save()."""
        if self.state != "Running":
            return
        if show_output:
            print("Running")
            sys.stdout.flush()
        try:
            if not self._is_dockerfile:
                self._build(show_output)
            self.state = "Succeeded"
        except WebserviceException:
            self.state = "Failed"
            raise
        finally:
            if show_output:
                print(self.state)
                print(f'Package creation {"Succeeded" if self.state == "Succeeded" else "Failed"}')
                sys.stdout.flush()

    def save(self, output_directory: Any) -> None:
        """Writes Dockerfile, program, models, code and packages into a folder."""
        folder = os.fspath(output_directory)
        if os.path.isdir(folder) and os.listdir(folder):
            raise WebserviceException(
                f"{os.path.abspath(folder)} is not empty. Give a folder that is, or that is not "
                "there yet."
            )
        self._parts.write(folder)

    def pull(self) -> None:
        """Makes sure that the image is on this machine, where it was built."""
        if self._is_dockerfile:
            raise WebserviceException(
                "This package is a folder with a Dockerfile. Use save(), and build it."
            )
        self.wait_for_creation(True)

    def get_logs(self, decode: bool = True, offset: int = 0) -> Any:
        """What the build printed."""
        text = self._log.encode()[offset:]
        return text.decode("utf-8", "replace") if decode else text

    def get_container_registry(self) -> ContainerRegistry:
        """Where the image is: no registry, but the store of this machine."""
        found = ContainerRegistry()
        found.address, found.username, found.password = "localhost", "", ""
        return found

    def serialize(self) -> Dict[str, Any]:
        return {
            "location": self.location,
            "packageType": self.package_type,
            "state": self.state,
            "environment": self.environment._serialize_to_dict(),
        }

    def _build(self, show_output: bool) -> None:
        import tempfile

        with tempfile.TemporaryDirectory() as folder:
            self._parts.write(os.path.join(folder, "context"))
            command = ["buildah", "build", "--tag", str(self.location), "."]
            process = subprocess.Popen(
                command,
                cwd=os.path.join(folder, "context"),
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                universal_newlines=True,
            )
            assert process.stdout is not None
            for line in process.stdout:
                self._log += line
                if show_output:
                    sys.stdout.write(line)
                    sys.stdout.flush()
            if process.wait() != 0:
                last = self._log.strip().splitlines()[-5:]
                raise WebserviceException(
                    "buildah could not build the image:\n" + "\n".join(last) + "\nModel.package("
                    "..., generate_dockerfile=True) gives the folder to build it elsewhere."
                )


class PackageParts:
    """What goes into the folder."""

    def __init__(self, workspace: Workspace, models: List[Any], inference_config: Any) -> None:
        from azureml.core._inference_config import conda_environment
        from azureml.core.environment import Environment

        self.workspace = workspace
        self.models = models
        self.files: Dict[str, str] = {}
        self.script = self.folder = ""
        environment = None
        if inference_config is not None:
            self.files, self.script, self.folder = inference_config._files()
            environment = inference_config.environment or conda_environment(
                inference_config._beside_script(inference_config.conda_file)
            )
        self.environment: Environment = environment or Environment()
        self.program = _program()

    def write(self, folder: str) -> None:
        app = os.path.join(folder, _APP)
        os.makedirs(app, exist_ok=True)
        for model in self.models:
            target = os.path.join(app, MODEL_FOLDER, model.name, str(model.version))
            model.download(target)
        for name, path in self.files.items():
            target = os.path.join(app, name)
            if os.path.isdir(path):
                shutil.copytree(path, target)
            else:
                shutil.copy2(path, target)
        shutil.copy2(self.program, os.path.join(folder, "roost"))
        _copy_sdk(os.path.join(folder, "python"))
        self._write(folder, "requirements.txt", "".join(f"{one}\n" for one in self.requirements()))
        packages = self.environment.python.conda_dependencies
        if packages is not None:
            packages.save_to_file(folder, "conda_dependencies.yml")
        self._write(folder, "order.json", json.dumps(self.order(), indent=2) + "\n")
        self._write(folder, "Dockerfile", self.dockerfile())

    def order(self) -> Dict[str, Any]:
        """What `roost serve` is told; see src/serve."""
        models = [
            {
                "name": model.name,
                "version": model.version,
                "path": f"{MODEL_FOLDER}/{model.name}/{model.version}",
            }
            for model in self.models
        ]
        return {
            "endpoint": self.models[0].name if self.models else "package",
            "workspace": self.workspace.name,
            "deployment": "default",
            "revision": 1,
            "slug": "",
            "runtime": self.runtime(),
            "models": models,
            "entry_script": self.script,
            "source_directory": self.folder,
            "workers": int(self.environment.environment_variables.get("WORKER_COUNT", 1)),
            "max_concurrent_requests": 0,
            "queue_limit": 256,
            "queue_wait_ms": 30000,
            "scoring_timeout_ms": 60000,
            "max_body_bytes": 104857600,
            "batching": {"max_batch": 32, "max_delay_us": 0},
            "threads": {"intra_op": 0},
            "cors_origins": "",
            "listen": "0.0.0.0",
            "port": PORT,
            "model_dir": models[0]["path"] if len(models) == 1 else MODEL_FOLDER,
        }

    def runtime(self) -> str:
        if self.script:
            return "python"
        frameworks = {model.model_framework for model in self.models}
        if frameworks == {"Onnx"}:
            return "onnx"
        if frameworks == {"ScikitLearn"}:
            return "sklearn"
        raise WebserviceException(
            "Without inference_config only models of the framework ONNX or ScikitLearn can be "
            "served. Give an InferenceConfig with an entry script."
        )

    def requirements(self) -> List[str]:
        """Packages of conda are asked of pip, as everywhere on Roost."""
        packages = self.environment.python.conda_dependencies
        if packages is None:
            return []
        conda = [str(one) for one in packages.conda_packages]
        plain = [one.split("::")[-1] for one in conda if not one.startswith(("python=", "pip"))]
        exact = [one.replace("=", "==") if "==" not in one and "<" not in one and ">" not in one
                 else one for one in plain if one != "python"]  # fmt: skip
        return exact + [str(one) for one in packages.pip_packages]

    def dockerfile(self) -> str:
        docker = self.environment.docker
        image = str(docker.base_image or "")
        own = docker.base_dockerfile or (
            f"FROM {image}" if self.environment._has_image() else f"FROM {self._python_image()}"
        )
        variables = "".join(
            f"ENV {key}={json.dumps(value)}\n"
            for key, value in sorted(self.environment.environment_variables.items())
        )
        return (
            f"{own.rstrip()}\n"
            "COPY requirements.txt /var/roost/requirements.txt\n"
            "RUN if [ -s /var/roost/requirements.txt ]; then "
            "python3 -m pip install --no-cache-dir -r /var/roost/requirements.txt; fi\n"
            "COPY roost /var/roost/roost\n"
            "COPY python /var/roost/python\n"
            "COPY order.json /var/roost/order.json\n"
            f"COPY {_APP} /var/azureml-app\n"
            f"{variables}"
            "ENV PYTHONPATH=/var/roost/python AML_APP_ROOT=/var/azureml-app\n"
            "WORKDIR /var/azureml-app\n"
            f"EXPOSE {PORT}\n"
            'CMD ["/var/roost/roost", "serve", "--order", "/var/roost/order.json"]\n'
        )

    def _python_image(self) -> str:
        packages = self.environment.python.conda_dependencies
        version = str(packages.get_python_version() or "") if packages is not None else ""
        major_minor = ".".join(version.split(".")[:2]) or "3.11"
        return f"python:{major_minor}-slim-bookworm"

    @staticmethod
    def _write(folder: str, name: str, text: str) -> None:
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)


def package_models(
    workspace: Workspace,
    models: Any,
    inference_config: Any,
    generate_dockerfile: bool,
    image_name: Optional[str],
    image_label: Optional[str],
) -> ModelPackage:
    from azureml.core.model import Model
    from azureml.core.webservice._deploying import check_inference_config, model_ids

    if inference_config is not None:
        check_inference_config(inference_config)
    with calling(WebserviceException):
        found = [
            Model(workspace, id=one) if ":" in one else Model(workspace, one)
            for one in model_ids(models)
        ]
    if not generate_dockerfile and shutil.which("buildah") is None:
        raise WebserviceException(
            "Model.package needs buildah to build an image, and this machine has none. Pass "
            "generate_dockerfile=True, save() the folder and build it with Docker or podman."
        )
    parts = PackageParts(workspace, found, inference_config)
    parts.runtime()
    name = image_name or (found[0].name.lower() if found else "package")
    location = f"localhost/{name}:{image_label or (found[0].version if found else 1)}"
    return ModelPackage(workspace, parts, bool(generate_dockerfile), location)


def _program() -> str:
    """The program that serves; it is on the PATH, or is what runs this."""
    found = os.environ.get("ROOST_PROGRAM") or shutil.which("roost")
    if not found or not os.path.isfile(found):
        raise WebserviceException(
            "Model.package puts the program `roost` into the image, and there is none on the PATH. "
            "Install it here, or set ROOST_PROGRAM to where it is."
        )
    return found


def _copy_sdk(target: str) -> None:
    import azureml
    import roost

    leave_out = shutil.ignore_patterns("__pycache__", "*.pyc")
    for package in (azureml, roost):
        source = os.path.dirname(os.path.abspath(str(package.__file__)))
        shutil.copytree(source, os.path.join(target, package.__name__), ignore=leave_out)
