"""How much a deployed model needs."""

from __future__ import annotations

from typing import Any, Dict, Optional

__all__ = ["ResourceConfiguration"]


class ResourceConfiguration:
    """Kept with a registered model."""

    def __init__(
        self,
        cpu: Optional[float] = None,
        memory_in_gb: Optional[float] = None,
        gpu: Optional[int] = None,
    ) -> None:
        self.cpu = cpu
        self.memory_in_gb = memory_in_gb
        self.gpu = gpu

    def serialize(self) -> Dict[str, Any]:
        return {"cpu": self.cpu, "memoryInGB": self.memory_in_gb, "gpu": self.gpu}

    @staticmethod
    def deserialize(payload_obj: Dict[str, Any]) -> Optional[ResourceConfiguration]:
        if not payload_obj:
            return None
        memory = payload_obj.get("memoryInGB", payload_obj.get("memory_in_gb"))
        return ResourceConfiguration(payload_obj.get("cpu"), memory, payload_obj.get("gpu"))
