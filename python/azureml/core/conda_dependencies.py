"""The packages of a Python environment, in the form of a conda environment file."""

from __future__ import annotations

import copy
import os
import re
from typing import Any, Dict, Iterable, Iterator, List, Optional, Union

from azureml.exceptions import UserErrorException

__all__ = ["CondaDependencies", "PYTHON_DEFAULT_VERSION", "TENSORFLOW_DEFAULT_VERSION"]

PYTHON_PREFIX = "python"
# No version: whichever Python the node has. A pin that nobody chose must not fail a build.
PYTHON_DEFAULT_VERSION = None
TENSORFLOW_PACKAGE_PREFIX = "tensorflow"
TENSORFLOW_DEFAULT_VERSION = "1.13.1"
PYTORCH_DEFAULT_VERSION = "1.0"
CHAINER_DEFAULT_VERSION = "5.1.0"
CNTK_DEFAULT_VERSION = "2.7"
BASE_PROJECT_FILE_RELATIVE_PATH = "conda_dependencies.yml"
DEFAULT_SDK_PACKAGE = "azureml-defaults"
DEFAULT_CHANNELS = ["conda-forge"]

_PACKAGE_NAME = re.compile(r"\s*(?:[^\s:]+::)?([A-Za-z0-9][A-Za-z0-9._-]*)")


class CondaDependencies:
    """Packages, pip packages and channels. Their order is kept: it decides what is installed.

    Without arguments it holds Python and the SDK, as every training script needs.
    """

    def __init__(
        self,
        conda_dependencies_file_path: Optional[Union[str, os.PathLike[str]]] = None,
        _underlying_structure: Optional[Dict[str, Any]] = None,
    ) -> None:
        if conda_dependencies_file_path is not None and _underlying_structure is not None:
            raise UserErrorException(
                "Give CondaDependencies a file or a structure, not both at once."
            )
        if _underlying_structure is not None:
            self._data = copy.deepcopy(_underlying_structure)
        elif conda_dependencies_file_path is not None:
            self._data = _read_conda_file(os.fspath(conda_dependencies_file_path))
        else:
            self._data = {
                "name": "project_environment",
                "dependencies": [
                    PYTHON_PREFIX,
                    {"pip": [DEFAULT_SDK_PACKAGE]},
                ],
                "channels": list(DEFAULT_CHANNELS),
            }

    @staticmethod
    def create(
        pip_indexurl: Optional[str] = None,
        pip_packages: Optional[Iterable[str]] = None,
        conda_packages: Optional[Iterable[str]] = None,
        python_version: Optional[str] = PYTHON_DEFAULT_VERSION,
        pin_sdk_version: bool = True,
    ) -> CondaDependencies:
        """`pin_sdk_version` changes nothing: a run has the SDK of its server."""
        del pin_sdk_version
        made = CondaDependencies()
        if python_version:
            made.set_python_version(str(python_version))
        if pip_packages is not None:
            made._set_pip([])
        if pip_indexurl:
            made.set_pip_index_url(pip_indexurl)
        for package in _names(pip_packages, "pip_packages"):
            made.add_pip_package(package)
        for package in _names(conda_packages, "conda_packages"):
            made.add_conda_package(package)
        return made

    @staticmethod
    def merge_requirements(requirements: Iterable[str]) -> List[str]:
        """Requirements of the same package become one line."""
        merged: Dict[str, List[str]] = {}
        for requirement in requirements:
            match = re.match(r"\s*([A-Za-z0-9._-]+(?:\[[^\]]*\])?)\s*(.*)", requirement)
            name, rest = (match.group(1), match.group(2)) if match else (requirement.strip(), "")
            limits = merged.setdefault(name, [])
            limits += [limit.strip() for limit in rest.split(",") if limit.strip() not in limits]
        return [name + ",".join(filter(None, limits)) for name, limits in merged.items()]

    @staticmethod
    def sdk_origin_url() -> str:
        """Where pip looks for the SDK: nowhere, a run has it already."""
        return ""

    # Reading.

    @property
    def conda_channels(self) -> Iterator[str]:
        return iter(list(self._data.get("channels") or []))

    @property
    def conda_packages(self) -> Iterator[str]:
        return iter([item for item in self._items() if isinstance(item, str)])

    @property
    def pip_packages(self) -> Iterator[str]:
        return iter([line for line in self._pip() if not line.startswith("-")])

    @property
    def pip_options(self) -> Iterator[str]:
        return iter([line for line in self._pip() if line.startswith("-")])

    def get_python_version(self) -> Optional[str]:
        for item in self.conda_packages:
            if _package_name(item) == PYTHON_PREFIX:
                return re.sub(r"^\s*python\s*=*\s*", "", item).strip() or None
        return None

    def get_default_number_of_packages(self) -> int:
        return 2

    # Changing.

    def add_channel(self, channel: str) -> None:
        channels = self._list("channels")
        if channel not in channels:
            channels.append(channel)

    def remove_channel(self, channel: str) -> None:
        self._data["channels"] = [kept for kept in self._list("channels") if kept != channel]

    def add_conda_package(self, conda_package: str) -> None:
        """Replaces what was said about the same package before."""
        package = _checked_package(conda_package, "conda package")
        self._drop_conda(_package_name(package))
        items = self._items()
        pip = next((at for at, item in enumerate(items) if isinstance(item, dict)), len(items))
        items.insert(0 if _package_name(package) == PYTHON_PREFIX else pip, package)

    def remove_conda_package(self, conda_package: str) -> None:
        self._drop_conda(_package_name(conda_package))

    def add_pip_package(self, pip_package: str) -> None:
        """Replaces what was said about the same package before."""
        package = _checked_package(pip_package, "pip package")
        name = _package_name(package)
        kept = [line for line in self._pip() if _package_name(line) != name or line.startswith("-")]
        self._set_pip([*kept, package])

    def remove_pip_package(self, pip_package: str) -> None:
        name = _package_name(pip_package)
        self._set_pip([line for line in self._pip() if _package_name(line) != name])

    def set_pip_option(self, pip_option: str) -> None:
        head = pip_option.split()[0]
        kept = [line for line in self._pip() if line.split()[0] != head]
        self._set_pip([pip_option, *kept])

    def remove_pip_option(self, pip_option: str) -> None:
        head = pip_option.split()[0]
        self._set_pip([line for line in self._pip() if line.split()[0] != head])

    def set_pip_index_url(self, index_url: str) -> None:
        self.set_pip_option(f"--index-url {index_url}")

    def set_pip_requirements(self, pip_requirements: Iterable[str]) -> None:
        self._set_pip(list(_names(pip_requirements, "pip_requirements")))

    def set_python_version(self, version: str) -> None:
        self._drop_conda(PYTHON_PREFIX)
        self._items().insert(0, f"{PYTHON_PREFIX}={version}")

    def add_tensorflow_conda_package(
        self, core_type: str = "cpu", version: Optional[str] = None
    ) -> None:
        self.add_conda_package(_tensorflow(core_type, version, "="))

    def add_tensorflow_pip_package(
        self, core_type: str = "cpu", version: Optional[str] = None
    ) -> None:
        self.add_pip_package(_tensorflow(core_type, version, "=="))

    def remove_tensorflow_conda_package(self) -> None:
        self.remove_conda_package("tensorflow")
        self.remove_conda_package("tensorflow-gpu")

    def remove_tensorflow_pip_package(self) -> None:
        self.remove_pip_package("tensorflow")
        self.remove_pip_package("tensorflow-gpu")

    def add_cntk_package(self, core_type: str = "cpu") -> None:
        _check_core_type(core_type)
        name = "cntk-gpu" if core_type == "gpu" else "cntk"
        self.add_pip_package(f"{name}=={CNTK_DEFAULT_VERSION}")

    # Files.

    def serialize_to_string(self) -> str:
        from roost import yaml

        return (
            "# What runs with this environment need; conda reads this file too.\n"
        ) + yaml.write(self.as_dict())

    def as_dict(self) -> Dict[str, Any]:
        return copy.deepcopy(self._data)

    def save_to_file(self, base_directory: str, conda_file_path: Optional[str] = None) -> str:
        """Writes the file and returns its path relative to `base_directory`."""
        relative = conda_file_path or BASE_PROJECT_FILE_RELATIVE_PATH
        path = os.path.join(base_directory, relative)
        os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.serialize_to_string())
        return relative

    def save(self, path: Optional[str] = None) -> str:
        """Writes to a file, or to conda_dependencies.yml in a folder (default: this one)."""
        path = path or os.getcwd()
        if os.path.isdir(path):
            path = os.path.join(path, BASE_PROJECT_FILE_RELATIVE_PATH)
        folder, name = os.path.split(os.path.abspath(path))
        self.save_to_file(folder, name)
        return path

    def __repr__(self) -> str:
        return self.serialize_to_string()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CondaDependencies) and self._data == other._data

    __hash__ = None  # type: ignore[assignment]

    # The structure: a list of texts, and one {"pip": [...]} in it.

    def _list(self, key: str) -> List[Any]:
        if not isinstance(self._data.get(key), list):
            self._data[key] = []
        found: List[Any] = self._data[key]
        return found

    def _items(self) -> List[Any]:
        return self._list("dependencies")

    def _pip(self) -> List[str]:
        for item in self._items():
            if isinstance(item, dict) and isinstance(item.get("pip"), list):
                return [str(line) for line in item["pip"]]
        return []

    def _set_pip(self, lines: List[str]) -> None:
        for item in self._items():
            if isinstance(item, dict) and "pip" in item:
                if lines:
                    item["pip"] = lines
                else:
                    self._items().remove(item)
                return
        if lines:
            self._items().append({"pip": lines})

    def _drop_conda(self, name: str) -> None:
        self._data["dependencies"] = [
            item
            for item in self._items()
            if not isinstance(item, str) or _package_name(item) != name
        ]


def _read_conda_file(path: str) -> Dict[str, Any]:
    from roost import yaml

    try:
        found = yaml.read_file(path)
    except OSError as error:
        raise UserErrorException(
            f"Cannot read the conda file {path}: {error.strerror}. Give the path of a conda "
            "environment file (YAML) with `dependencies:`."
        ) from None
    except (yaml.YamlError, UnicodeDecodeError) as error:
        raise UserErrorException(f"The conda file is not valid: {error}") from None
    return checked_conda_specification(found, path)


def checked_conda_specification(found: Any, name: str) -> Dict[str, Any]:
    """`found` if it has the form of a conda environment file called `name`."""
    if not isinstance(found, dict):
        raise UserErrorException(
            f"{name} is not a conda environment file: it needs `dependencies:` with a list below."
        )
    for key in ("channels", "dependencies"):
        if found.get(key) is not None and not isinstance(found[key], list):
            raise UserErrorException(f"{name}: `{key}` must be a list, each entry after a '-'.")
    for item in found.get("dependencies") or []:
        pip = item.get("pip", []) if isinstance(item, dict) else []
        if not isinstance(item, (str, dict)) or not isinstance(pip, (list, type(None))):
            raise UserErrorException(
                f"{name}: {item!r} in `dependencies` is neither a package nor a `pip:` list."
            )
    return found


def _names(packages: Optional[Iterable[str]], argument: str) -> List[str]:
    if packages is None:
        return []
    if isinstance(packages, str):
        raise UserErrorException(
            f"{argument} must be a list of packages, not the text {packages!r}."
        )
    return list(packages)


def _checked_package(package: Any, kind: str) -> str:
    if not isinstance(package, str) or not package.strip():
        raise UserErrorException(f"A {kind} is a text such as 'numpy==1.21', not {package!r}.")
    return package.strip()


def _package_name(package: str) -> str:
    """In the form in which two spellings of one name are equal. A URL or option is its own name."""
    match = _PACKAGE_NAME.match(package)
    if not match or "://" in package.split("@")[0]:
        return package.strip()
    return re.sub(r"[._-]+", "-", match.group(1)).lower()


def _check_core_type(core_type: str) -> None:
    if core_type not in ("cpu", "gpu"):
        raise UserErrorException(f"core_type is 'cpu' or 'gpu', not {core_type!r}.")


def _tensorflow(core_type: str, version: Optional[str], equals: str) -> str:
    _check_core_type(core_type)
    name = TENSORFLOW_PACKAGE_PREFIX + ("-gpu" if core_type == "gpu" else "")
    return f"{name}{equals}{version or TENSORFLOW_DEFAULT_VERSION}"
