"""What environments read from files, and what they check before they are written."""

from __future__ import annotations

import os
import re
from typing import Any, Dict, List, Union

from azureml.exceptions import UserErrorException

PathLike = Union[str, "os.PathLike[str]"]


def checked_variables(variables: Any) -> Dict[str, str]:
    if not isinstance(variables, dict):
        raise UserErrorException(
            f"environment_variables must be a dict of names and values, not {variables!r}."
        )
    return {str(key): str(value) for key, value in variables.items()}


def read_requirements(path: str) -> List[str]:
    try:
        with open(path, encoding="utf-8-sig") as file:
            text = file.read().replace("\\\n", " ")
    except OSError as error:
        raise UserErrorException(
            f"Cannot read the pip requirements {path}: {error.strerror}."
        ) from None
    lines = (re.sub(r"(^|\s)#.*$", "", line).strip() for line in text.split("\n"))
    return [line for line in lines if line]


def dockerfile_text(dockerfile: PathLike) -> str:
    path = os.fspath(dockerfile)
    is_text = isinstance(dockerfile, str) and ("\n" in path or not path or " " in path.strip())
    if is_text and not os.path.exists(path):
        return path
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError as error:
        raise UserErrorException(f"Cannot read the Dockerfile {path}: {error.strerror}.") from None
