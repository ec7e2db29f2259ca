"""Clusters that grow and shrink with the runs that wait."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Union

from azureml._errors import calling
from azureml.core.compute._amlcompute_status import AmlComputeStatus, ScaleSettings
from azureml.core.compute._amlcompute_waiting import wait_for_nodes
from azureml.core.compute.compute import ComputeTarget, ComputeTargetProvisioningConfiguration
from azureml.exceptions import ComputeTargetException

if TYPE_CHECKING:
    from azureml.core.workspace import Workspace

__all__ = ["AmlCompute", "AmlComputeProvisioningConfiguration", "AmlComputeStatus", "ScaleSettings"]

DEFAULT_VM_SIZE = "STANDARD_NC6"
DEFAULT_MAX_NODES = 4
DEFAULT_IDLE_SECONDS = 1800


class AmlCompute(ComputeTarget):
    """Nodes of one size, from min_nodes to max_nodes of them."""

    def __init__(
        self, workspace: Workspace, name: str, _facts: Optional[Dict[str, Any]] = None
    ) -> None:
        super().__init__(workspace, name, _facts)

    @staticmethod
    def provisioning_configuration(
        vm_size: str = "",
        vm_priority: str = "dedicated",
        min_nodes: int = 0,
        max_nodes: Optional[int] = None,
        idle_seconds_before_scaledown: Union[int, str, None] = DEFAULT_IDLE_SECONDS,
        admin_username: Optional[str] = None,
        admin_user_password: Optional[str] = None,
        admin_user_ssh_key: Optional[str] = None,
        vnet_resourcegroup_name: Optional[str] = None,
        vnet_name: Optional[str] = None,
        subnet_name: Optional[str] = None,
        tags: Optional[Dict[str, str]] = None,
        description: Optional[str] = None,
        remote_login_port_public_access: str = "NotSpecified",
        identity_type: Optional[str] = None,
        identity_id: Optional[List[str]] = None,
        compute_location: Optional[str] = None,
        enable_node_public_ip: bool = True,
        location: Optional[str] = None,
    ) -> AmlComputeProvisioningConfiguration:
        """What a node is and how many there may be. Networks, identities, users and locations are
        Azure's and change nothing here."""
        return AmlComputeProvisioningConfiguration(
            vm_size=vm_size,
            vm_priority=vm_priority,
            min_nodes=min_nodes,
            max_nodes=max_nodes,
            idle_seconds_before_scaledown=idle_seconds_before_scaledown,
            admin_username=admin_username,
            admin_user_password=admin_user_password,
            admin_user_ssh_key=admin_user_ssh_key,
            vnet_resourcegroup_name=vnet_resourcegroup_name,
            vnet_name=vnet_name,
            subnet_name=subnet_name,
            tags=tags,
            description=description,
            remote_login_port_public_access=remote_login_port_public_access,
            identity_type=identity_type,
            identity_id=identity_id,
            location=compute_location or location,
            enable_node_public_ip=enable_node_public_ip,
        )

    @staticmethod
    def supported_vmsizes(
        workspace: Workspace, location: Optional[str] = None
    ) -> List[Dict[str, Any]]:
        with calling(ComputeTargetException):
            sizes = [*workspace._client.pages("/api/v1/vm-sizes")]
        return [
            {
                "name": size["name"],
                "vCPUs": size["cpus"],
                "gpus": size["gpus"],
                "memoryGB": round(size["memory_mb"] / 1024, 1),
                "maxResourceVolumeMB": 0,
            }
            for size in sizes
        ]

    @property
    def vm_size(self) -> str:
        return str(self._facts["vm_size"])

    @property
    def vm_priority(self) -> str:
        return self.status.vm_priority

    @property
    def scale_settings(self) -> ScaleSettings:
        return self.status.scale_settings

    @property
    def status(self) -> AmlComputeStatus:
        """As of the last look; get_status() looks again."""
        return AmlComputeStatus(self._facts)

    def get_status(self) -> AmlComputeStatus:
        self.refresh_state()
        return self.status

    def wait_for_completion(
        self,
        show_output: bool = False,
        min_node_count: Optional[int] = None,
        timeout_in_minutes: Optional[float] = 25,
        is_delete_operation: bool = False,
        **kwargs: Any,
    ) -> None:
        """Until the cluster is there and has `min_node_count` nodes (default: its min_nodes)."""
        wait_for_nodes(self, show_output, min_node_count, timeout_in_minutes, is_delete_operation)

    def list_nodes(self) -> List[Dict[str, Any]]:
        with calling(ComputeTargetException):
            nodes = [
                *self.workspace._client.pages(self.workspace._path("computes", self.name, "nodes"))
            ]
        return [
            {
                "nodeId": node["id"],
                "port": None,
                "publicIpAddress": None,
                "privateIpAddress": None,
                "nodeState": node["state"],
                "runId": node["run"],
            }
            for node in nodes
        ]

    def update(
        self,
        min_nodes: Optional[int] = None,
        max_nodes: Optional[int] = None,
        idle_seconds_before_scaledown: Union[int, str, None] = None,
    ) -> None:
        changes = {
            "min_nodes": _whole(min_nodes, "min_nodes"),
            "max_nodes": _whole(max_nodes, "max_nodes"),
            "idle_seconds_before_scaledown": _whole(
                idle_seconds_before_scaledown, "idle_seconds_before_scaledown"
            ),
        }
        body = {key: value for key, value in changes.items() if value is not None}
        with calling(ComputeTargetException):
            self._facts = dict(
                self.workspace._client.patch(self.workspace._path("computes", self.name), body)
            )

    def detach(self) -> None:
        raise ComputeTargetException(
            f"{self.name} is an AmlCompute, which cannot be detached. "
            "Use delete(), which ends its nodes."
        )

    # Azure's identities; nodes here run as the server's user.

    identity_type: Optional[str] = None
    identity_id: Optional[List[str]] = None

    def add_identity(self, identity_type: str, identity_id: Optional[List[str]] = None) -> None:
        self._ignore_identity("add_identity")

    def remove_identity(self, identity_id: Optional[List[str]] = None) -> None:
        self._ignore_identity("remove_identity")

    def _ignore_identity(self, method: str) -> None:
        text = f"Compute {self.name}: Roost has no identities and ignores {method}()."
        print(text, file=sys.stderr)

    def serialize(self) -> Dict[str, Any]:
        return {
            **super().serialize(),
            "vmSize": self.vm_size,
            "vmPriority": self.vm_priority,
            "scaleSettings": self.scale_settings.serialize(),
            "status": self.status.serialize(),
        }


class AmlComputeProvisioningConfiguration(ComputeTargetProvisioningConfiguration):
    """Checked when it is made, so that the mistake shows where it was written."""

    def __init__(self, **settings: Any) -> None:
        self.vm_size: str = settings.pop("vm_size") or DEFAULT_VM_SIZE
        self.vm_priority: str = settings.pop("vm_priority") or "dedicated"
        self.min_nodes = _whole(settings.pop("min_nodes"), "min_nodes") or 0
        self.max_nodes = _whole(settings.pop("max_nodes"), "max_nodes")
        self.max_nodes = DEFAULT_MAX_NODES if self.max_nodes is None else self.max_nodes
        self.idle_seconds_before_scaledown = _whole(
            settings.pop("idle_seconds_before_scaledown"), "idle_seconds_before_scaledown"
        )
        for name, value in settings.items():
            setattr(self, name, value)
        self._ignored = [
            name for name, value in settings.items() if value not in (None, True, "NotSpecified")
        ]
        self.validate_configuration()

    def validate_configuration(self) -> None:
        if not isinstance(self.vm_size, str):
            raise ComputeTargetException(
                f"vm_size is a name such as STANDARD_D2_V2, not {self.vm_size!r}."
            )
        if str(self.vm_priority).lower() not in ("dedicated", "lowpriority"):
            raise ComputeTargetException(
                f"vm_priority is 'dedicated' or 'lowpriority', not {self.vm_priority!r}."
            )
        assert self.max_nodes is not None
        if self.max_nodes < 1 or self.min_nodes > self.max_nodes:
            raise ComputeTargetException(
                f"max_nodes must be at least 1 and not below min_nodes; "
                f"min_nodes is {self.min_nodes} and max_nodes {self.max_nodes}."
            )

    def _body(self, name: str) -> Dict[str, Any]:
        self.validate_configuration()
        if self._ignored:
            print(
                f"Compute {name}: Roost has no use for {', '.join(self._ignored)} and ignores it.",
                file=sys.stderr,
            )
        body = {
            "name": name,
            "vm_size": self.vm_size,
            "vm_priority": self.vm_priority.lower(),
            "min_nodes": self.min_nodes,
            "max_nodes": self.max_nodes,
        }
        if self.idle_seconds_before_scaledown is not None:
            body["idle_seconds_before_scaledown"] = self.idle_seconds_before_scaledown
        return body


def _whole(value: Any, what: str) -> Optional[int]:
    """Real code also passes numbers as texts."""
    if value is None:
        return None
    try:
        number = int(value)
    except (TypeError, ValueError):
        number = -1
    if number < 0 or isinstance(value, bool) or (isinstance(value, float) and value != number):
        raise ComputeTargetException(f"{what} must be a whole number, 0 or more, not {value!r}.")
    return number
