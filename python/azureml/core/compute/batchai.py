"""An old name of AmlCompute."""

from __future__ import annotations

from typing import Any, Dict, Optional

from azureml.core.compute.amlcompute import (
    DEFAULT_IDLE_SECONDS,
    AmlCompute,
    AmlComputeProvisioningConfiguration,
)

__all__ = ["BatchAiCompute"]


class BatchAiCompute(AmlCompute):
    """Batch AI clusters became AmlCompute; here they are the same thing."""

    @staticmethod
    def provisioning_configuration(  # type: ignore[override]
        vm_size: str = "",
        vm_priority: str = "dedicated",
        autoscale_enabled: bool = True,
        cluster_min_nodes: int = 0,
        cluster_max_nodes: Optional[int] = None,
        idle_seconds_before_scaledown: Any = DEFAULT_IDLE_SECONDS,
        location: Optional[str] = None,
        tags: Optional[Dict[str, str]] = None,
        **settings: Any,
    ) -> AmlComputeProvisioningConfiguration:
        """Without `autoscale_enabled` there are always cluster_max_nodes nodes."""
        return AmlCompute.provisioning_configuration(
            vm_size=vm_size,
            vm_priority=vm_priority,
            min_nodes=cluster_min_nodes if autoscale_enabled else cluster_max_nodes or 1,
            max_nodes=cluster_max_nodes,
            idle_seconds_before_scaledown=idle_seconds_before_scaledown,
            location=location,
            tags=tags,
            **settings,
        )
