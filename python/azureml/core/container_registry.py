"""Where the base image of an environment is pulled from."""

from __future__ import annotations

from typing import Any, Dict, Optional

__all__ = ["ContainerRegistry", "RegistryIdentity"]


class RegistryIdentity:
    """A managed identity of Azure's. Kept in the definition; Roost does not use it."""

    def __init__(self) -> None:
        self.resource_id: Optional[str] = None
        self.client_id: Optional[str] = None


class ContainerRegistry:
    """Its address, and a user and password if it asks for them."""

    def __init__(self) -> None:
        self.address: Optional[str] = None
        self.username: Optional[str] = None
        self.password: Optional[str] = None
        self.registry_identity: Optional[RegistryIdentity] = None

    def _to_dict(self) -> Dict[str, Any]:
        return {"address": self.address, "username": self.username, "password": self.password}

    @classmethod
    def _from_dict(cls, found: Optional[Dict[str, Any]]) -> ContainerRegistry:
        registry = cls()
        for key in ("address", "username", "password"):
            setattr(registry, key, (found or {}).get(key))
        return registry
