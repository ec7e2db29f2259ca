"""A machine for one person, which here is a cluster of one node."""

from __future__ import annotations

from typing import Any, Dict, Optional

from azureml.core.compute._amlcompute_status import AmlComputeStatus
from azureml.core.compute._amlcompute_waiting import wait_for_nodes
from azureml.core.compute.amlcompute import AmlCompute, AmlComputeProvisioningConfiguration

__all__ = ["ComputeInstance", "ComputeInstanceStatus"]


class ComputeInstanceStatus(AmlComputeStatus):
    """The status of a cluster, and `state` in one word."""

    def __init__(self, facts: Dict[str, Any]) -> None:
        super().__init__(facts)
        counts = self.node_state_counts
        if counts.idle_node_count + counts.running_node_count > 0:
            self.state = "Running"
        elif counts.preparing_node_count > 0 or self.target_node_count > 0:
            self.state = "Starting"
        else:
            self.state = "Stopping" if counts.leaving_node_count > 0 else "Stopped"

    def serialize(self) -> Dict[str, Any]:
        return {**super().serialize(), "state": self.state}


class ComputeInstance(AmlCompute):
    """Its node is there from start() to stop(); a run that comes while it is stopped starts it."""

    @staticmethod
    def provisioning_configuration(  # type: ignore[override]
        vm_size: str = "",
        ssh_public_access: bool = False,
        admin_user_ssh_public_key: Optional[str] = None,
        vnet_resourcegroup_name: Optional[str] = None,
        vnet_name: Optional[str] = None,
        subnet_name: Optional[str] = None,
        tags: Optional[Dict[str, str]] = None,
        description: Optional[str] = None,
        assigned_user_object_id: Optional[str] = None,
        assigned_user_tenant_id: Optional[str] = None,
        **settings: Any,
    ) -> AmlComputeProvisioningConfiguration:
        """Only the size counts: users, networks and ssh are Azure's and change nothing here."""
        return _InstanceConfiguration(
            vm_size=vm_size,
            vm_priority="dedicated",
            min_nodes=1,
            max_nodes=1,
            idle_seconds_before_scaledown=0,
            admin_user_ssh_public_key=admin_user_ssh_public_key,
            vnet_resourcegroup_name=vnet_resourcegroup_name,
            vnet_name=vnet_name,
            subnet_name=subnet_name,
            tags=tags,
            description=description,
            assigned_user_object_id=assigned_user_object_id,
            **settings,
        )

    @property
    def status(self) -> ComputeInstanceStatus:
        return ComputeInstanceStatus(self._facts)

    def get_status(self) -> ComputeInstanceStatus:
        self.refresh_state()
        return self.status

    def start(self, wait_for_completion: bool = False, show_output: bool = False) -> None:
        self.update(min_nodes=1)
        if wait_for_completion:
            self.wait_for_completion(show_output)

    def stop(self, wait_for_completion: bool = False, show_output: bool = False) -> None:
        """A run under way goes on; the node ends after it."""
        self.update(min_nodes=0)
        if wait_for_completion:
            self.wait_for_completion(show_output)

    def restart(self, wait_for_completion: bool = False, show_output: bool = False) -> None:
        self.stop()
        self.start(wait_for_completion, show_output)

    def wait_for_completion(  # type: ignore[override]
        self, show_output: bool = False, is_delete_operation: bool = False, **kwargs: Any
    ) -> None:
        first = "Deleting" if is_delete_operation else "Creating" if self._was_created else None
        wait_for_nodes(self, False, None, kwargs.get("timeout_in_minutes"), is_delete_operation)
        if show_output and first is not None:
            print(first)
        if show_output:
            print('SucceededProvisioning operation finished, operation "Succeeded"')


class _InstanceConfiguration(AmlComputeProvisioningConfiguration):
    _kind = ComputeInstance
