"""How a service is to be deployed: what all kinds of deploy_configuration() have."""

from __future__ import annotations

import sys
from typing import Any, ClassVar, Dict, Optional, Set, Tuple

from azureml.core.webservice._checks import check_dict, given, texts
from azureml.exceptions import WebserviceException

__all__ = ["WebserviceDeploymentConfiguration"]

_told: Set[str] = set()


class WebserviceDeploymentConfiguration:
    """Checked when it is made, so that the mistake shows where it was written."""

    _kind: ClassVar[str] = "roost"
    _service: ClassVar[Any] = None  # the class of what Model.deploy gives
    _settings_names: ClassVar[Tuple[str, ...]] = ()  # kept as given, for the object's attributes
    _ignored_names: ClassVar[Tuple[str, ...]] = ()  # of Azure's network and vaults

    def __init__(
        self,
        description: Optional[str] = None,
        tags: Optional[Dict[str, Any]] = None,
        properties: Optional[Dict[str, Any]] = None,
        primary_key: Optional[str] = None,
        secondary_key: Optional[str] = None,
        location: Optional[str] = None,
    ) -> None:
        self.description = description
        self.tags = tags
        self.properties = properties
        self.primary_key = primary_key
        self.secondary_key = secondary_key
        self.location = location

    def validate_configuration(self) -> None:
        """Raises WebserviceException naming what is wrong."""
        check_dict(self.tags, "tags")
        check_dict(self.properties, "properties")
        for name in ("primary_key", "secondary_key"):
            key = getattr(self, name)
            if key is not None and (not isinstance(key, str) or not key):
                raise WebserviceException(f"{name} must be a text, not {key!r}.")

    def print_deploy_configuration(self) -> None:
        print(f"{type(self).__name__}({given(vars(self))})")

    # What is sent.

    def _auth(self) -> str:
        return "none"

    def _endpoint(self) -> Dict[str, Any]:
        """The fields of a new endpoint, without name and deployments."""
        self.validate_configuration()
        self._tell_ignored()
        return {
            "kind": self._kind,
            "description": self.description or "",
            "tags": texts(self.tags, "tags"),
            "properties": texts(self.properties, "properties"),
            "auth": self._auth(),
            **given({"primary_key": self.primary_key, "secondary_key": self.secondary_key}),
            "settings": self._settings(),
        }

    def _settings(self) -> Dict[str, Any]:
        return given({name: getattr(self, name) for name in self._settings_names})

    def _deployment(self) -> Dict[str, Any]:
        """How many replicas there are, and what each takes."""
        return {}

    def _before_deploy(self, workspace: Any, body: Dict[str, Any]) -> None:
        """For what only this kind sends with a new endpoint."""

    def _tell_ignored(self) -> None:
        found = [name for name in self._ignored_names if getattr(self, name, None)]
        if found:
            tell_once(
                f"Roost has no use for {', '.join(found)} and ignores it: endpoints are as open, "
                "and as encrypted, as the server is."
            )


def tell_once(text: str) -> None:
    """One line on stderr, once in a process."""
    if text not in _told:
        _told.add(text)
        print(text, file=sys.stderr)


def tell_who_serves(kind: str) -> None:
    what = {"aci": "Azure Container Instances", "aks": "Azure Kubernetes"}.get(kind)
    if what is not None:
        tell_once(f"Roost's own replicas serve this, where {what} did; docs/azureml.md says how.")
