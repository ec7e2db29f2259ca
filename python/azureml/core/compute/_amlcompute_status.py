"""The state of a cluster, in Azure's words."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

_KINDS = ("preparing", "running", "idle", "unusable", "leaving", "preempted")


class ScaleSettings:
    def __init__(
        self,
        minimum_node_count: int,
        maximum_node_count: int,
        idle_seconds_before_scaledown: int,
    ) -> None:
        self.minimum_node_count = minimum_node_count
        self.maximum_node_count = maximum_node_count
        self.idle_seconds_before_scaledown = idle_seconds_before_scaledown

    def serialize(self) -> Dict[str, Any]:
        return {
            "minNodeCount": self.minimum_node_count,
            "maxNodeCount": self.maximum_node_count,
            "nodeIdleTimeBeforeScaleDown": f"PT{self.idle_seconds_before_scaledown}S",
        }


class AmlComputeNodeStateCounts:
    def __init__(self, counts: Dict[str, int]) -> None:
        self.preparing_node_count = counts.get("preparing", 0)
        self.running_node_count = counts.get("running", 0)
        self.idle_node_count = counts.get("idle", 0)
        self.unusable_node_count = counts.get("unusable", 0)
        self.leaving_node_count = counts.get("leaving", 0)
        self.preempted_node_count = counts.get("preempted", 0)

    def serialize(self) -> Dict[str, int]:
        return {f"{kind}NodeCount": getattr(self, f"{kind}_node_count") for kind in _KINDS}


class AmlComputeStatus:
    """Nodes now and wanted, and what they do."""

    def __init__(self, facts: Dict[str, Any]) -> None:
        self.current_node_count: int = facts["current_node_count"]
        self.target_node_count: int = facts["target_node_count"]
        self.node_state_counts = AmlComputeNodeStateCounts(facts["node_state_counts"])
        self.allocation_state: str = facts["allocation_state"]
        self.allocation_state_transition_time = _time(facts["allocation_state_at"])
        self.errors: Optional[List[Any]] = None
        self.creation_time = _time(facts["created_at"])
        self.modified_time = _time(facts["modified_at"])
        self.provisioning_state: str = facts["provisioning_state"]
        self.provisioning_state_transition_time: Any = None
        self.scale_settings = ScaleSettings(
            facts["min_nodes"], facts["max_nodes"], facts["idle_seconds_before_scaledown"]
        )
        self.vm_priority = "LowPriority" if facts["vm_priority"] == "lowpriority" else "Dedicated"
        self.vm_size: str = facts["vm_size"]

    def serialize(self) -> Dict[str, Any]:
        return {
            "currentNodeCount": self.current_node_count,
            "targetNodeCount": self.target_node_count,
            "nodeStateCounts": self.node_state_counts.serialize(),
            "allocationState": self.allocation_state,
            "allocationStateTransitionTime": _text(self.allocation_state_transition_time),
            "errors": self.errors,
            "creationTime": _text(self.creation_time),
            "modifiedTime": _text(self.modified_time),
            "provisioningState": self.provisioning_state,
            "provisioningStateTransitionTime": _text(self.provisioning_state_transition_time),
            "scaleSettings": self.scale_settings.serialize(),
            "vmPriority": self.vm_priority,
            "vmSize": self.vm_size,
        }

    def __repr__(self) -> str:
        return repr(self.serialize())


def _time(text: Optional[str]) -> Any:
    from roost.times import read_time

    return read_time(text) if text else None


def _text(time: Any) -> Optional[str]:
    return None if time is None else str(time.isoformat())
