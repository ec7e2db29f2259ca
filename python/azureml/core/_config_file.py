"""config.json: which workspace a folder belongs to."""

from __future__ import annotations

import json
import os
from typing import Dict, List, Optional, Union

from ..exceptions import UserErrorException

PathLike = Union[str, "os.PathLike[str]"]
FILE_NAME = "config.json"
FOLDER = ".azureml"
_OLD_FOLDER = "aml_config"
_KEYS = ("subscription_id", "resource_group", "workspace_name")


def find_config(path: Optional[PathLike], file_name: Optional[str]) -> str:
    """The file itself, or the nearest one in the folder `path`, in its .azureml, or above it."""
    start = os.path.abspath(os.fspath(path) if path else os.getcwd())
    if os.path.isfile(start):
        return start
    name = file_name or FILE_NAME
    if not os.path.isdir(start):
        raise UserErrorException(
            f"{start} is neither a file nor a folder. Give from_config the path of a {name}, or of "
            "a folder to begin the search in."
        )
    searched: List[str] = []
    folder = start
    while True:
        for place in (folder, os.path.join(folder, FOLDER), os.path.join(folder, _OLD_FOLDER)):
            if os.path.isfile(os.path.join(place, name)):
                return os.path.join(place, name)
        searched.append(folder)
        if os.path.dirname(folder) == folder:
            break
        folder = os.path.dirname(folder)
    raise UserErrorException(
        f"there is no {name} in {', '.join(searched)}, nor in a folder {FOLDER} of theirs. "
        f'Make one: {{"subscription_id": "any", "resource_group": "any", '
        f'"workspace_name": "default"}}; or use Workspace.get(name="default").'
    )


def read_config(path: str) -> Dict[str, str]:
    try:
        with open(path, encoding="utf-8-sig") as file:
            content = json.load(file)
    except OSError as error:
        raise UserErrorException(f"cannot read {path}: {error.strerror}.") from error
    except ValueError as error:
        raise UserErrorException(f"{path} is not JSON: {error}. Correct it there.") from error
    values = {key: content.get(key) for key in _KEYS} if isinstance(content, dict) else {}
    if not isinstance(values.get("workspace_name"), str) or not values["workspace_name"]:
        raise UserErrorException(
            f'{path} does not say which workspace to use. Add "workspace_name": "default", or the '
            "name of another one; `roost workspace ls` shows them."
        )
    return {key: str(value) for key, value in values.items() if value}


def write_config(path: Optional[PathLike], file_name: Optional[str], values: Dict[str, str]) -> str:
    """Writes below `path` in .azureml, unless `path` is such a folder. Returns the file."""
    folder = os.path.abspath(os.fspath(path) if path else os.getcwd())
    if os.path.isfile(folder):
        raise UserErrorException(
            f"{folder} is a file. Give write_config the folder to write {FILE_NAME} into."
        )
    if os.path.basename(folder) not in (FOLDER, _OLD_FOLDER):
        folder = os.path.join(folder, FOLDER)
    target = os.path.join(folder, file_name or FILE_NAME)
    try:
        os.makedirs(folder, exist_ok=True)
        with open(target, "w", encoding="utf-8") as file:
            json.dump({key: values[key] for key in _KEYS}, file, indent=4)
            file.write("\n")
    except OSError as error:
        raise UserErrorException(f"cannot write {target}: {error.strerror}.") from error
    return target
