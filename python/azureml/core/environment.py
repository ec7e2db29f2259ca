"""Environments: what a run needs besides its code."""

from __future__ import annotations

import copy
import os
import re
import sys
from typing import TYPE_CHECKING, Any, Dict, Optional, Set

from azureml._absent import absent_name, not_here
from azureml._errors import calling
from azureml.core._environment_files import (
    PathLike,
    checked_variables,
    dockerfile_text,
    read_requirements,
)
from azureml.core._environment_sections import (
    DEFAULT_CPU_IMAGE,
    DEFAULT_GPU_IMAGE,
    DatabricksSection,
    DockerSection,
    PythonSection,
    SparkPackage,
    SparkSection,
)
from azureml.core._own_interpreter import own_interpreter
from azureml.core.conda_dependencies import CondaDependencies
from azureml.core.container_registry import ContainerRegistry
from azureml.exceptions import UserErrorException

if TYPE_CHECKING:
    from azureml.core.workspace import Workspace

__all__ = [
    "DEFAULT_CPU_IMAGE",
    "DEFAULT_GPU_IMAGE",
    "CondaDependencies",
    "ContainerRegistry",
    "DatabricksSection",
    "DockerSection",
    "Environment",
    "PythonSection",
    "SparkPackage",
    "SparkSection",
]

_RESERVED = re.compile(r"(azureml|microsoft)", re.IGNORECASE)
_ANONYMOUS = "anonymous-"
_DEFINITION_FILE = "azureml_environment.json"
_CONDA_FILE = "conda_dependencies.yml"
_notices_told: Set[str] = set()


class Environment:
    """Python packages, image and variables of a run, under a name and, once stored, a version.

    The server keeps the definition as given, and builds it for the first run that needs it.
    `pins` is Roost's own: "nearest" lets the build take the nearest version that can be had where
    "strict" fails. None leaves it to the server. ROOST_PINS in the environment of the process that
    submits goes before it.
    """

    def __init__(self, name: Optional[str] = None, **kwargs: Any) -> None:
        if name is not None and (not isinstance(name, str) or not name.strip()):
            raise UserErrorException(f"The name of an environment is a text, not {name!r}.")
        if kwargs:
            raise UserErrorException(
                f"Environment() takes a name only; set {', '.join(sorted(kwargs))} on the object."
            )
        self.name = name
        self.version: Optional[str] = None
        self.environment_variables: Dict[str, str] = {}
        self.python = PythonSection()
        self.docker = DockerSection()
        self.spark = SparkSection()
        self.databricks = DatabricksSection()
        self.r: Any = None
        self.inferencing_stack_version: Optional[str] = None
        self.pins: Optional[str] = None
        self._unknown: Dict[str, Any] = {}
        self._stored: Optional[Dict[str, Any]] = None  # the definition as the server has it

    # Made from files.

    @staticmethod
    def from_conda_specification(name: str, file_path: PathLike) -> Environment:
        made = Environment(name)
        made.python.conda_dependencies = CondaDependencies(os.fspath(file_path))
        return made

    @staticmethod
    def from_pip_requirements(
        name: str, file_path: PathLike, pip_version: Optional[str] = None
    ) -> Environment:
        made = Environment(name)
        packages = CondaDependencies()
        packages.set_pip_requirements(read_requirements(os.fspath(file_path)))
        if pip_version:
            packages.add_conda_package(f"pip={pip_version}")
        made.python.conda_dependencies = packages
        return made

    @staticmethod
    def from_dockerfile(
        name: str,
        dockerfile: PathLike,
        conda_specification: Optional[PathLike] = None,
        pip_requirements: Optional[PathLike] = None,
    ) -> Environment:
        """`dockerfile` is a path, or the text itself."""
        if conda_specification is not None and pip_requirements is not None:
            raise UserErrorException("Give conda_specification or pip_requirements, not both.")
        if conda_specification is not None:
            made = Environment.from_conda_specification(name, conda_specification)
        elif pip_requirements is not None:
            made = Environment.from_pip_requirements(name, pip_requirements)
        else:
            made = Environment(name)
            made.python.user_managed_dependencies = True
        made.docker.base_image = None
        made.docker.base_dockerfile = dockerfile_text(dockerfile)
        return made

    @staticmethod
    def from_docker_image(
        name: str,
        image: str,
        container_registry: Optional[ContainerRegistry] = None,
        conda_specification: Optional[PathLike] = None,
        pip_requirements: Optional[PathLike] = None,
    ) -> Environment:
        made = Environment.from_dockerfile(name, "", conda_specification, pip_requirements)
        made.docker.base_dockerfile = None
        made.docker.base_image = image
        if container_registry is not None:
            made.docker.base_image_registry = container_registry
        return made

    @staticmethod
    def from_docker_build_context(name: str, docker_build_context: Any) -> Environment:
        del name, docker_build_context
        raise not_here(
            "Environment.from_docker_build_context",
            "builds an image from a folder",
            "Use Environment.from_dockerfile().",
        )

    @staticmethod
    def from_existing_conda_environment(
        name: str, conda_environment_name: str
    ) -> Optional[Environment]:
        """What `conda env export` says; None, with a line on stderr, if conda cannot."""
        import shutil
        import subprocess

        from roost import yaml

        conda = shutil.which("conda") or shutil.which("mamba") or shutil.which("micromamba")
        if conda is None:
            raise UserErrorException("There is no conda on the PATH to ask for the environment.")
        done = subprocess.run(
            [conda, "env", "export", "--name", conda_environment_name],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            universal_newlines=True,
        )
        if done.returncode != 0:
            print(
                f"conda cannot export {conda_environment_name!r}: {done.stderr.strip()}",
                file=sys.stderr,
            )
            return None
        structure = yaml.read(done.stdout, "the output of conda env export")
        structure.pop("prefix", None)
        made = Environment(name)
        made.python.conda_dependencies = CondaDependencies(_underlying_structure=structure)
        return made

    @staticmethod
    def load_from_directory(path: PathLike) -> Environment:
        """Reads what save_to_directory wrote."""
        import json

        file_path = os.path.join(os.fspath(path), _DEFINITION_FILE)
        try:
            with open(file_path, encoding="utf-8") as file:
                definition = json.load(file)
        except OSError as error:
            raise UserErrorException(
                f"Cannot read {file_path}: {error.strerror}. Give the folder that "
                "Environment.save_to_directory() wrote."
            ) from None
        except ValueError as error:
            raise UserErrorException(f"{file_path} is not valid JSON: {error}") from None
        made = Environment._from_definition(definition)
        conda_path = os.path.join(os.fspath(path), _CONDA_FILE)
        if os.path.exists(conda_path):
            made.python.conda_dependencies = CondaDependencies(conda_path)
        return made

    def save_to_directory(self, path: PathLike, overwrite: bool = False) -> None:
        """Writes azureml_environment.json and conda_dependencies.yml into a new folder."""
        import json

        folder = os.fspath(path)
        if os.path.exists(folder) and not overwrite:
            raise UserErrorException(
                f"{folder} exists already. Give another path, or overwrite=True."
            )
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, _DEFINITION_FILE), "w", encoding="utf-8") as file:
            json.dump(self._serialize_to_dict(), file, indent=4, default=str)
            file.write("\n")
        if self.python.conda_dependencies is not None:
            self.python.conda_dependencies.save_to_file(folder, _CONDA_FILE)

    # On the server.

    @staticmethod
    def get(
        workspace: Workspace,
        name: str,
        version: Optional[str] = None,
        label: Optional[str] = None,
    ) -> Environment:
        """The newest version unless told. Curated names are found in any spelling of case."""
        _check_label(label)
        with calling(UserErrorException):
            found = workspace._client.get(
                workspace._path("environments", name),
                version=None if version is None else str(version),
            )
        return Environment._from_server(found)

    @staticmethod
    def list(workspace: Workspace) -> Dict[str, Environment]:
        with calling(UserErrorException):
            items = list(workspace._client.pages(workspace._path("environments")))
        return {
            item["name"]: Environment._from_server(item, quiet=True)
            for item in items
            if not item["name"].startswith(_ANONYMOUS)
        }

    def register(self, workspace: Workspace, build_on_register: bool = False) -> Environment:
        """Stores this definition; a new version unless it is that of the newest."""
        if not self.name:
            raise UserErrorException("Name the environment before you register it: env.name = ...")
        stored = Environment._from_server(self._store(workspace, self.name), quiet=True)
        if build_on_register:
            from ._environment_build import start_build

            start_build(workspace, self.name, stored.version)
        return stored

    def clone(self, new_name: str) -> Environment:
        if not isinstance(new_name, str) or not new_name.strip():
            raise UserErrorException(f"The name of an environment is a text, not {new_name!r}.")
        made = copy.deepcopy(self)
        made.name, made.version, made._stored = new_name, None, None
        return made

    def build(self, workspace: Workspace, image_build_compute: Optional[str] = None) -> Any:
        """Builds it on the server now, so that the first run need not wait. Registers it."""
        from ._environment_build import start_build

        stored = self.register(workspace)
        return start_build(workspace, str(stored.name), stored.version)

    def build_local(
        self, workspace: Workspace, platform: Optional[str] = None, **kwargs: Any
    ) -> Any:
        """The same as `build`: the server is where runs are."""
        return self.build(workspace)

    def get_image_details(self, workspace: Workspace) -> Any:
        """Interpreter and exact versions of the built environment, and what it was made of."""
        from ._environment_build import image_details, start_build

        stored = self.register(workspace)
        details = start_build(workspace, str(stored.name), stored.version)
        details.wait_for_completion(show_output=False)
        return image_details(details, self._definition())

    # How it is written.

    def _definition(self) -> Dict[str, Any]:
        """As the server keeps it: without name and version, which it gives."""
        docker = self.docker._to_dict()
        if docker["baseDockerfile"]:
            docker["baseDockerfile"] = dockerfile_text(docker["baseDockerfile"])
        docker["baseImageRegistry"]["password"] = None  # whoever may read environments would see it
        return {
            "databricks": self.databricks._to_dict(),
            "docker": docker,
            "environmentVariables": checked_variables(self.environment_variables),
            "inferencingStackVersion": self.inferencing_stack_version,
            "python": self.python._to_dict(),
            "r": copy.deepcopy(self.r),
            "spark": self.spark._to_dict(),
            **({} if self.pins is None else {"pins": _checked_pins(self.pins, "env.pins")}),
            **copy.deepcopy(self._unknown),
        }

    def _serialize_to_dict(self) -> Dict[str, Any]:
        named = {**self._definition(), "name": self.name, "version": self.version}
        return dict(sorted(named.items()))

    def _kept(self) -> Dict[str, Any]:
        """What the server keeps of it for everybody to read: no variables whose names are those of
        secrets. A run that is submitted with this object gets them, sealed."""
        from roost.secret_names import names_secret

        made = self._definition()
        variables = made["environmentVariables"]
        public = {name: value for name, value in variables.items() if not names_secret(name)}
        return {**made, "environmentVariables": public}

    @staticmethod
    def _deserialize_and_add_to_object(serialized: Dict[str, Any]) -> Environment:
        return Environment._from_definition(serialized)

    @classmethod
    def _from_definition(cls, definition: Dict[str, Any]) -> Environment:
        rest = copy.deepcopy(definition)
        made = cls(rest.pop("name", None))
        version = rest.pop("version", None)
        made.version = None if version is None else str(version)
        made.environment_variables = rest.pop("environmentVariables", None) or {}
        made.inferencing_stack_version = rest.pop("inferencingStackVersion", None)
        made.r = rest.pop("r", None)
        made.pins = rest.pop("pins", None)
        made.python._read(rest.pop("python", None))
        made.docker._read(rest.pop("docker", None))
        made.spark._read(rest.pop("spark", None))
        made.databricks._read(rest.pop("databricks", None))
        made._unknown = rest
        return made

    @classmethod
    def _from_server(cls, found: Dict[str, Any], quiet: bool = False) -> Environment:
        made = cls._from_definition({**found["definition"], "name": found["name"]})
        made.version = str(found["version"])
        made._stored = made._kept()
        notice = found.get("notice")
        if notice and not quiet and notice not in _notices_told:
            _notices_told.add(notice)
            print(notice, file=sys.stderr)
        return made

    def __repr__(self) -> str:
        import json

        return json.dumps(self._serialize_to_dict(), indent=4, default=str)

    __str__ = __repr__

    # For a run.

    def _spec(self, workspace: Workspace, compute: str = "") -> Dict[str, Any]:
        """The `environment` of a RunSpec. Stores the definition, if the server has it not yet."""
        variables = checked_variables(self.environment_variables)
        if self._is_default():
            return {"variables": variables} if variables else {}
        name, version = self.name, self.version
        pins = os.environ.get("ROOST_PINS")
        if pins:
            _checked_pins(pins, "ROOST_PINS")
        reserved = bool(name and self._stored is not None and _RESERVED.match(name))
        if reserved and self._differs_in_pins_only():
            pins = pins or self.pins  # a curated one keeps its name: the run is told instead
        elif version is None or self._kept() != self._stored:
            if reserved:
                raise UserErrorException(
                    f"The environment {name} was changed, and its name is reserved. "
                    f"Give your copy a name of its own: env = env.clone('my-{str(name).lower()}')."
                )
            stored = self._store(workspace, name or self._anonymous_name())
            name, version = stored["name"], str(stored["version"])
        spec: Dict[str, Any] = {"name": name, "version": version, "variables": variables}
        python = self.python
        if python.user_managed_dependencies and python.interpreter_path not in (None, "python"):
            spec["python"] = os.fspath(python.interpreter_path)
        elif python.user_managed_dependencies and compute == "local" and not self._has_image():
            own = own_interpreter(workspace)
            if own:
                spec["python"] = own
        if pins:
            spec["pins"] = pins
        return spec

    def _differs_in_pins_only(self) -> bool:
        stored = self._stored or {}
        rest = {**self._kept(), "pins": None}
        return self.pins != stored.get("pins") and rest == {**stored, "pins": None}

    def _has_image(self) -> bool:
        """An image of the user's own; Azure's change nothing."""
        image = str(self.docker.base_image or "")
        azures = image.startswith("azureml/") or image.partition("/")[2].startswith("azureml/")
        return bool(self.docker.base_dockerfile or (image and not azures))

    def _is_default(self) -> bool:
        return (
            self.name is None
            and {
                **self._definition(),
                "environmentVariables": {},
            }
            == Environment()._definition()
        )

    def _anonymous_name(self) -> str:
        import hashlib
        import json

        text = json.dumps(self._kept(), sort_keys=True, default=str)
        return _ANONYMOUS + hashlib.sha256(text.encode()).hexdigest()[:12]

    def _store(self, workspace: Workspace, name: str) -> Dict[str, Any]:
        if _RESERVED.match(name):
            raise UserErrorException(
                f"Names that begin with AzureML or Microsoft are reserved for curated "
                f"environments, so {name!r} cannot be stored. Choose another name, or clone it: "
                "env.clone('...')."
            )
        with calling(UserErrorException):
            stored: Dict[str, Any] = workspace._client.post(
                workspace._path("environments"), {"name": name, "definition": self._kept()}
            )
        if name == self.name:
            self._stored = self._kept()
            self.version = str(stored["version"])
        return stored


def __getattr__(name: str) -> Any:
    return absent_name(__name__, name)


def _checked_pins(pins: object, what: str) -> str:
    if pins in ("strict", "nearest"):
        return str(pins)
    raise UserErrorException(f"{what} is {pins!r}; it must be 'strict' or 'nearest'.")


def _check_label(label: Optional[str]) -> None:
    if label not in (None, "latest", "Latest"):
        raise not_here(
            f"the environment label {label!r}", "picks a version by a label", "Give version=."
        )
