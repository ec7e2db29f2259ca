"""What can be seen to be wrong with a deployment before anything is sent."""

from __future__ import annotations

import re
from typing import Any, Dict, Optional

from azureml.exceptions import WebserviceException

_NAME = re.compile(r"[a-z][a-z0-9-]{2,31}\Z")


def check_name(name: Any, what: str = "a web service") -> str:
    if not isinstance(name, str) or not _NAME.match(name):
        raise WebserviceException(
            f"{name!r} cannot name {what}: use 3 to 32 lower-case letters, digits and '-', "
            "starting with a letter."
        )
    return name


def check_positive(value: Any, what: str) -> None:
    """None leaves it to the default."""
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not value > 0:
        raise WebserviceException(f"{what} must be a number above 0, not {value!r}.")


def check_whole(value: Any, what: str, least: int = 1, most: Optional[int] = None) -> None:
    if value is None:
        return
    fits = isinstance(value, int) and not isinstance(value, bool) and value >= least
    if not fits or (most is not None and value > most):
        upper = "" if most is None else f" and at most {most}"
        raise WebserviceException(
            f"{what} must be a whole number of at least {least}{upper}, not {value!r}."
        )


def check_dict(value: Any, what: str) -> None:
    if value is not None and not isinstance(value, dict):
        raise WebserviceException(f"{what} must be a dict of key to value, not {value!r}.")


def texts(values: Optional[Dict[str, Any]], what: str) -> Dict[str, Optional[str]]:
    """Tags and properties as the server keeps them."""
    check_dict(values, what)
    return {
        str(key): None if value is None else str(value) for key, value in (values or {}).items()
    }


def given(values: Dict[str, Any]) -> Dict[str, Any]:
    """Without what is None, which leaves the default or what is there."""
    return {key: value for key, value in values.items() if value is not None}


def refuse_options(what: str, options: Dict[str, Any]) -> None:
    """An argument that is not understood must not be taken for one that is."""
    for name in options:
        raise WebserviceException(f"{what} has no argument {name}=; leave it out.")
