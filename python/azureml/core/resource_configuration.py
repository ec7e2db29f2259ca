"""How much a run, or a deployed model, needs."""

from __future__ import annotations

import math
from typing import Any, Dict, Optional

from azureml.exceptions import UserErrorException

__all__ = ["ResourceConfiguration"]


def _whole(number: Any, name: str) -> Optional[int]:
    """Parts of a CPU are rounded up."""
    if number is None:
        return None
    is_number = isinstance(number, (int, float)) and not isinstance(number, bool)
    if not is_number or not 0 <= number < math.inf:
        raise UserErrorException(
            f"ResourceConfiguration.{name} is {number!r}; it must be a number from 0 on."
        )
    return math.ceil(number)


class ResourceConfiguration:
    """Of each node of a run (``RunConfiguration.resources``); kept with a registered model."""

    def __init__(
        self,
        cpu: Optional[float] = None,
        memory_in_gb: Optional[float] = None,
        gpu: Optional[int] = None,
    ) -> None:
        self.cpu = cpu
        self.memory_in_gb = memory_in_gb
        self.gpu = gpu

    def _spec(self) -> Dict[str, int]:
        """"resources" of a run: what is not set is left open."""
        memory = self.memory_in_gb and self.memory_in_gb * 1024
        asked = {
            "gpus": _whole(self.gpu, "gpu"),
            "cpus": _whole(self.cpu, "cpu") or None,
            "memory_mb": _whole(memory, "memory_in_gb") or None,
        }
        return {name: number for name, number in asked.items() if number is not None}

    def serialize(self) -> Dict[str, Any]:
        return {"cpu": self.cpu, "memoryInGB": self.memory_in_gb, "gpu": self.gpu}

    @staticmethod
    def deserialize(payload_obj: Dict[str, Any]) -> Optional[ResourceConfiguration]:
        if not payload_obj:
            return None
        memory = payload_obj.get("memoryInGB", payload_obj.get("memory_in_gb"))
        return ResourceConfiguration(payload_obj.get("cpu"), memory, payload_obj.get("gpu"))
