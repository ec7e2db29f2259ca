"""Model.package: a folder from which an image that serves can be built, or the image."""

from __future__ import annotations

import json
import os
import re
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
_MAIN = "main.py"
_EVERYWHERE = ("libc.so", "libm.so", "libdl.so", "libpthread.so", "librt.so", "ld-linux")
_MAIN_TEXT = """\
import importlib.util
import os
import sys

here = os.path.dirname(os.path.abspath(__file__))
script = os.path.join(here, {script!r})
sys.path[:0] = [os.path.join(here, {folder!r}), os.path.dirname(script)]
spec = importlib.util.spec_from_file_location("driver_module", script)
driver_module = importlib.util.module_from_spec(spec)
sys.modules["driver_module"] = driver_module
spec.loader.exec_module(driver_module)
"""
_PASSED_ON = """\
init, run = driver_module.init, driver_module.run
"""
_DOCKERFILE = """\
{start}
COPY requirements.txt /var/roost/requirements.txt
RUN if [ -s /var/roost/requirements.txt ]; then \\
    python -m pip install --no-cache-dir -r /var/roost/requirements.txt; fi
COPY lib /usr/local/lib/roost
RUN echo /usr/local/lib/roost > /etc/ld.so.conf.d/roost.conf && ldconfig
COPY roost /var/roost/roost
COPY python /var/roost/python
COPY {app} /var/azureml-app
{variables}ENV PYTHONPATH=/var/roost/python AML_APP_ROOT=/var/azureml-app
WORKDIR /var/azureml-app
EXPOSE {port}
CMD {command}
"""


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
        self.runtime = self._runtime()
        self.program = find_program()
        self.library = find_onnxruntime(self.program) if self.runtime == "onnx" else None

    def write(self, folder: str) -> None:
        app = os.path.join(folder, _APP)
        os.makedirs(app, exist_ok=True)
        for model in self.models:
            model.download(os.path.join(app, MODEL_FOLDER, model.name, str(model.version)))
        for name, path in self.files.items():
            target = os.path.join(app, name)
            if os.path.isdir(path):
                shutil.copytree(path, target)
            else:
                shutil.copy2(path, target)
        if self.runtime != "onnx":
            _write(app, _MAIN, self._main())
        shutil.copy2(self.program, os.path.join(folder, "roost"))
        libraries = os.path.join(folder, "lib")
        os.mkdir(libraries)
        for library in [*libraries_of(self.program), *filter(None, [self.library])]:
            shutil.copy2(library, libraries)
        _copy_sdk(os.path.join(folder, "python"))
        _write(folder, "requirements.txt", "".join(f"{one}\n" for one in self._requirements()))
        packages = self.environment.python.conda_dependencies
        if packages is not None:
            packages.save_to_file(folder, "conda_dependencies.yml")
        _write(folder, "Dockerfile", self._dockerfile())

    def _runtime(self) -> str:
        if self.script:
            return "python"
        frameworks = {model.model_framework for model in self.models}
        for framework, runtime in (("Onnx", "onnx"), ("ScikitLearn", "sklearn")):
            if frameworks == {framework}:
                return runtime
        raise WebserviceException(
            "Without inference_config only models of the framework Onnx or ScikitLearn can be "
            "served. Give an InferenceConfig with an entry script."
        )

    def _main(self) -> str:
        """What is served: the entry script, with the folder above its own as the working folder."""
        if self.runtime == "sklearn":
            return "from roost.scoring import sklearn_script as driver_module\n" + _PASSED_ON
        return _MAIN_TEXT.format(script=self.script, folder=self.folder) + _PASSED_ON

    def _requirements(self) -> List[str]:
        """Packages of conda are asked of pip, as everywhere on Roost."""
        packages = self.environment.python.conda_dependencies
        if packages is None:
            return []
        found = [str(one).split("::")[-1].replace(" ", "") for one in packages.conda_packages]
        names = [one for one in found if re.split(r"[=<>!]", one)[0] not in ("python", "pip")]
        exact = [re.sub(r"(?<![=<>!~])=(?!=)", "==", one) for one in names]
        own = [str(one) for one in packages.pip_packages]
        return exact + [one for one in own if not one.startswith("azureml-")]  # python/ has these

    def _dockerfile(self) -> str:
        docker = self.environment.docker
        own = docker.base_dockerfile or (
            f"FROM {docker.base_image}"
            if self.environment._has_image()
            else f"FROM {self._python_image()}"
        )
        variables = "".join(
            f"ENV {key}={json.dumps(value)}\n"
            for key, value in sorted(self.environment.environment_variables.items())
        )
        return _DOCKERFILE.format(
            start=own.rstrip(), app=_APP, variables=variables, port=PORT,
            command=json.dumps(self._command()),
        )  # fmt: skip

    def _command(self) -> List[str]:
        app = "/var/azureml-app"
        listen = ["--address", "0.0.0.0", "--port", str(PORT)]
        models = f"{app}/{MODEL_FOLDER}"
        if len(self.models) == 1:
            models += f"/{self.models[0].name}/{self.models[0].version}"
        if self.runtime == "onnx":
            named = ["--name", self.models[0].name] if len(self.models) == 1 else []
            return ["/var/roost/roost", "serve", models, *named, *listen]
        workers = str(self.environment.environment_variables.get("WORKER_COUNT", 1))
        script = [f"{app}/{_MAIN}", "--model-dir", models, "--workers", workers]
        return ["/var/roost/roost", "serve", *script, *listen]

    def _python_image(self) -> str:
        packages = self.environment.python.conda_dependencies
        version = str(packages.get_python_version() or "") if packages is not None else ""
        found = re.match(r"[0-9]+\.[0-9]+", version)
        return f"python:{found.group() if found else '3.11'}-slim-bookworm"


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
    name = image_name or (found[0].name.lower() if found else "package")
    location = f"localhost/{name}:{image_label or (found[0].version if found else 1)}"
    return ModelPackage(workspace, parts, bool(generate_dockerfile), location)


def find_program() -> str:
    """The program that serves; it is on the PATH, or is told by ROOST_PROGRAM."""
    found = os.environ.get("ROOST_PROGRAM") or shutil.which("roost")
    if not found or not os.path.isfile(found):
        raise WebserviceException(
            "Model.package puts the program `roost` into the image, and there is none on the PATH. "
            "Install it here, or set ROOST_PROGRAM to where it is."
        )
    return os.path.realpath(found)


def find_onnxruntime(program: str) -> str:
    """The library that models are run with: told by ROOST_ONNXRUNTIME, or beside the program."""
    told = os.environ.get("ROOST_ONNXRUNTIME")
    places = [told] if told else []
    folder = os.path.dirname(program)
    places.append(os.path.join(folder, "..", "lib", "roost"))
    while folder != os.path.dirname(folder):
        places.append(os.path.join(folder, "onnxruntime"))
        folder = os.path.dirname(folder)
    for place in places:
        for path in (place, os.path.join(place, "libonnxruntime.so.1")):
            if os.path.isfile(path):
                return os.path.realpath(path)
    raise WebserviceException(
        "Model.package puts ONNX Runtime into the image, and this machine has no "
        "libonnxruntime.so.1. Set ROOST_ONNXRUNTIME to where it is."
    )


def libraries_of(program: str) -> List[str]:
    """What the program needs besides the C library, which every image has."""
    try:
        done = subprocess.run(
            ["ldd", program],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            universal_newlines=True,
        )
    except OSError:
        return []
    found = re.findall(r"=> (/\S+)", done.stdout)
    return [path for path in found if not os.path.basename(path).startswith(_EVERYWHERE)]


def _copy_sdk(target: str) -> None:
    import azureml
    import roost

    leave_out = shutil.ignore_patterns("__pycache__", "*.pyc")
    for package in (azureml, roost):
        source = os.path.dirname(os.path.abspath(str(package.__file__)))
        shutil.copytree(source, os.path.join(target, package.__name__), ignore=leave_out)


def _write(folder: str, name: str, text: str) -> None:
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write(text)
