"""Secrets of a workspace: sealed on the server, shown to runs and to those who may start them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Dict, List, Optional

from .._errors import calling, is_code
from ..exceptions import AzureMLException, UserErrorException

if TYPE_CHECKING:
    from .workspace import Workspace

__all__ = ["Keyvault"]


class Keyvault:
    """The secrets of a workspace, `ws.get_default_keyvault()`. In a run, `run.get_secret(name)` is
    the same as get_secret(), and what it gives is masked in the run's logs.

    A secret that the workspace does not have is looked for among the environment variables of this
    process: db-password in db-password and DB_PASSWORD.
    """

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace

    def set_secret(self, name: str, value: str) -> None:
        """Stores a secret, in place of what it was before."""
        self.set_secrets({name: value})

    def set_secrets(self, secrets_batch: Dict[str, str]) -> None:
        """Stores secrets; none if one of them is no text."""
        for name, value in secrets_batch.items():
            if not isinstance(value, str):
                kind = type(value).__name__
                raise UserErrorException(
                    f"the value of the secret {name!r} must be a string, not {kind}."
                )
            _checked_name(name)
        for name, value in secrets_batch.items():
            with calling(UserErrorException):
                self.workspace._client.put(self._path(name), {"value": value})

    def get_secret(self, name: str) -> str:
        """The secret; UserErrorException when neither the workspace nor the environment has it."""
        value = self._find(name)
        if value is None:
            raise UserErrorException(
                f"there is no secret {name!r} in the workspace {self.workspace.name}: "
                f"`roost secret set {name}` or Keyvault.set_secret makes it. "
                f"Nor is the environment variable {_variable(name)} set here."
            )
        return value

    def get_secrets(self, secrets: List[str]) -> Dict[str, Optional[str]]:
        """Secrets by name; None for what there is not."""
        return {name: self._find(name) for name in secrets}

    def list_secrets(self) -> List[Dict[str, Any]]:
        """The names, as [{"name": ...}]; no values."""
        with calling(UserErrorException):
            return [{"name": item["name"]} for item in self.workspace._client.pages(self._path())]

    def delete_secret(self, name: str) -> None:
        """Removes a secret; runs that name it and have not begun will fail."""
        with calling(UserErrorException):
            self.workspace._client.delete(self._path(_checked_name(name)))

    def delete_secrets(self, secrets: List[str]) -> None:
        for name in secrets:
            self.delete_secret(name)

    def _path(self, *name: str) -> str:
        return self.workspace._path("secrets", *name)

    def _find(self, name: str) -> Optional[str]:
        try:
            with calling(UserErrorException):
                answer = self.workspace._client.get(self._path(_checked_name(name)))
        except AzureMLException as error:
            if not is_code(error, "not_found"):
                raise
            return find_in_environment(name)
        _mask(answer["value"])
        return str(answer["value"])


def secret_of_environment(name: str) -> str:
    """For a script that runs in no run: nobody but its environment has secrets for it."""
    value = find_in_environment(name)
    if value is None:
        raise UserErrorException(
            f"there is no secret {name!r} here: outside of a run it is the environment variable "
            f"{_variable(name)}."
        )
    return value


def find_in_environment(name: str) -> Optional[str]:
    value = os.environ.get(_checked_name(name))
    return value if value is not None else os.environ.get(_variable(name))


def _mask(value: str) -> None:
    """In a run: tells the runner what to mask, before anybody can print it (docs/spool.md)."""
    import json

    folder = os.environ.get("ROOST_SPOOL")
    if not folder:
        return
    try:
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
        file = os.open(os.path.join(folder, "secrets"), flags, 0o600)
    except OSError:
        return  # where nothing can be written, nothing is shipped either
    try:
        os.write(file, json.dumps(value).encode() + b"\n")
    finally:
        os.close(file)


def _checked_name(name: Any) -> str:
    if not isinstance(name, str) or not name:
        raise UserErrorException(f"the name of a secret must be a string, not {name!r}.")
    return name


def _variable(name: str) -> str:
    return name.upper().replace("-", "_")
