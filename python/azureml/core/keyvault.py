"""Secrets. A Roost server keeps none: they come from the environment."""

from __future__ import annotations

import os
from typing import Any, Dict, List, Optional

from ..exceptions import UserErrorException

__all__ = ["Keyvault"]


class Keyvault:
    """Reads secrets from environment variables; storing them is refused.

    get_secret("db-password") gives the variable of that name, or DB_PASSWORD. A run gets variables
    by Environment.environment_variables.
    """

    def __init__(self, workspace: Any = None) -> None:
        self.workspace = workspace

    def get_secret(self, name: str) -> str:
        """The secret; UserErrorException when the environment does not have it."""
        return secret_of_environment(name)

    def get_secrets(self, secrets: List[str]) -> Dict[str, Optional[str]]:
        """Secrets by name; None for what the environment does not have."""
        return {name: _find(name) for name in secrets}

    def set_secret(self, name: str, value: str) -> None:
        """Refuses: there is no place on the server to keep it safe."""
        raise _no_store("Keyvault.set_secret")

    def set_secrets(self, secrets_batch: Dict[str, str]) -> None:
        raise _no_store("Keyvault.set_secrets")

    def list_secrets(self) -> List[Dict[str, Any]]:
        raise _no_store("Keyvault.list_secrets")

    def delete_secret(self, name: str) -> None:
        raise _no_store("Keyvault.delete_secret")

    def delete_secrets(self, secrets: List[str]) -> None:
        raise _no_store("Keyvault.delete_secrets")


def secret_of_environment(name: str) -> str:
    value = _find(name)
    if value is None:
        raise UserErrorException(
            f"there is no secret {name!r}: a Roost server keeps none. Set the environment variable "
            f"{_variable(name)} where this runs; for a run, in Environment.environment_variables."
        )
    return value


def _find(name: str) -> Optional[str]:
    if not isinstance(name, str) or not name:
        raise UserErrorException(f"the name of a secret must be a string, not {name!r}.")
    value = os.environ.get(name)
    return value if value is not None else os.environ.get(_variable(name))


def _variable(name: str) -> str:
    return name.upper().replace("-", "_")


def _no_store(what: str) -> NotImplementedError:
    from .._absent import not_here

    return not_here(
        what,
        "keeps secrets on the server",
        "Set environment variables instead: Keyvault.get_secret and Run.get_secret read them.",
    )
