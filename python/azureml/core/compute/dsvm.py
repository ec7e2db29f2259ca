"""A virtual machine for data science, which here is a cluster of one node."""

from __future__ import annotations

from typing import Any, Optional

from azureml.core.compute.amlcompute import AmlCompute, AmlComputeProvisioningConfiguration

__all__ = ["DsvmCompute"]


class DsvmCompute(AmlCompute):
    """Azure's had a Python of its own; here runs use their environment or the node's Python."""

    @staticmethod
    def provisioning_configuration(  # type: ignore[override]
        vm_size: str = "",
        ssh_port: Optional[int] = None,
        location: Optional[str] = None,
        **settings: Any,
    ) -> AmlComputeProvisioningConfiguration:
        return _DsvmConfiguration(
            vm_size=vm_size,
            vm_priority="dedicated",
            min_nodes=0,
            max_nodes=1,
            idle_seconds_before_scaledown=None,
            ssh_port=ssh_port,
            location=location,
            **settings,
        )


class _DsvmConfiguration(AmlComputeProvisioningConfiguration):
    _kind = DsvmCompute
