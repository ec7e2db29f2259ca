"""Targets of services: computes whose nodes Roost's own replicas get."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Dict, List, Optional

from azureml.core.compute._amlcompute_waiting import wait_for_nodes
from azureml.core.compute.amlcompute import AmlCompute
from azureml.core.compute.compute import ComputeTarget, ComputeTargetProvisioningConfiguration
from azureml.exceptions import ComputeTargetException

if TYPE_CHECKING:
    from azureml.core.workspace import Workspace

__all__ = ["AksCompute"]

DEFAULT_AGENTS = 3
DEFAULT_VM_SIZE = "Standard_D3_v2"
REPLICAS_PER_AGENT = 10  # each replica has a node to itself
# Agents do not come and go with the load. No other compute waits a year less a second: so these are
# known by it.
AKS_IDLE_SECONDS = 31_535_999


class AksCompute(AmlCompute):
    """Has no Kubernetes below it: replicas run on nodes of the server's machine."""

    class ClusterPurpose:
        FAST_PROD = "FastProd"
        DEV_TEST = "DevTest"

    def __init__(
        self, workspace: Workspace, name: str, _facts: Optional[Dict[str, Any]] = None
    ) -> None:
        super().__init__(workspace, name, _facts)
        if not is_aks(self._facts):
            raise ComputeTargetException(
                f"{name} is no AksCompute but of the kind {self.type}. ComputeTarget(workspace, "
                "name) finds computes of every kind."
            )

    @staticmethod
    def provisioning_configuration(  # type: ignore[override]
        agent_count: Optional[int] = None,
        vm_size: Optional[str] = None,
        ssl_cname: Optional[str] = None,
        ssl_cert_pem_file: Optional[str] = None,
        ssl_key_pem_file: Optional[str] = None,
        location: Optional[str] = None,
        vnet_resourcegroup_name: Optional[str] = None,
        vnet_name: Optional[str] = None,
        subnet_name: Optional[str] = None,
        service_cidr: Optional[str] = None,
        dns_service_ip: Optional[str] = None,
        docker_bridge_cidr: Optional[str] = None,
        cluster_purpose: Optional[str] = None,
        load_balancer_type: Optional[str] = None,
        load_balancer_subnet: Optional[str] = None,
    ) -> AksProvisioningConfiguration:
        """Ten replicas for each agent. Networks, certificates and regions are Azure's and change
        nothing here."""
        return AksProvisioningConfiguration(**locals())

    @staticmethod
    def attach_configuration(
        resource_group: Optional[str] = None,
        cluster_name: Optional[str] = None,
        resource_id: Optional[str] = None,
        cluster_purpose: Optional[str] = None,
        load_balancer_type: Optional[str] = None,
        load_balancer_subnet: Optional[str] = None,
    ) -> AksAttachConfiguration:
        """A cluster of Azure's cannot be reached: what is attached is a new target here."""
        return AksAttachConfiguration(
            cluster_purpose=cluster_purpose, attached=cluster_name or resource_id
        )

    # As of the last look.

    @property
    def agent_count(self) -> int:
        return max(1, int(self._facts["max_nodes"]) // REPLICAS_PER_AGENT)

    @property
    def agent_vm_size(self) -> str:
        return self.vm_size

    cluster_purpose: Optional[str] = None
    cluster_fqdn: Optional[str] = None
    ssl_configuration: Any = None
    aks_virtual_network_configuration: Any = None
    system_services: List[Any] = []

    def get_status(self) -> Any:
        """A text here, "Succeeded" for one that can be used."""
        self.refresh_state()
        return self.provisioning_state

    def wait_for_completion(  # type: ignore[override]
        self, show_output: bool = False, timeout_in_minutes: Optional[float] = None, **_: Any
    ) -> None:
        if show_output and self._was_created:
            print("Creating")
        wait_for_nodes(self, False, 0, timeout_in_minutes, False)
        if show_output:
            print('SucceededProvisioning operation finished, operation "Succeeded"')
            sys.stdout.flush()

    def detach(self) -> None:
        """The same as delete(): there is nothing behind it that could stay."""
        self.delete()

    def get_credentials(self) -> Any:
        raise ComputeTargetException(f"{self.name} has no Kubernetes whose credentials to get.")

    def serialize(self) -> Dict[str, Any]:
        return {
            **ComputeTarget.serialize(self),
            "agentCount": self.agent_count,
            "agentVmSize": self.agent_vm_size,
        }


class AksProvisioningConfiguration(ComputeTargetProvisioningConfiguration):
    """Checked when it is made, so that the mistake shows where it was written."""

    _kind = AksCompute

    def __init__(self, **settings: Any) -> None:
        self.agent_count: int = _agents(settings.pop("agent_count", None))
        self.vm_size: str = settings.pop("vm_size", None) or DEFAULT_VM_SIZE
        self.cluster_purpose: Optional[str] = settings.pop("cluster_purpose", None)
        for name, value in settings.items():
            setattr(self, name, value)
        self._ignored = [name for name, value in settings.items() if value is not None]
        self.validate_configuration()

    def validate_configuration(self) -> None:
        if self.cluster_purpose not in (None, "FastProd", "DevTest"):
            raise ComputeTargetException(
                f"cluster_purpose is 'FastProd' or 'DevTest', not {self.cluster_purpose!r}."
            )

    def enable_ssl(self, *_: Any, **__: Any) -> None:
        self._ignored.append("enable_ssl()")

    def _body(self, name: str) -> Dict[str, Any]:
        ignored = [one for one in self._ignored if one != "location"]
        if ignored:
            print(
                f"Compute {name}: Roost has no use for {', '.join(ignored)} and ignores it.",
                file=sys.stderr,
            )
        return {
            "name": name,
            "vm_size": self.vm_size,
            "min_nodes": 0,
            "max_nodes": min(1000, self.agent_count * REPLICAS_PER_AGENT),
            "idle_seconds_before_scaledown": AKS_IDLE_SECONDS,
        }


class AksAttachConfiguration(AksProvisioningConfiguration):
    """What ComputeTarget.attach takes."""


def is_aks(facts: Dict[str, Any]) -> bool:
    return facts.get("idle_seconds_before_scaledown") == AKS_IDLE_SECONDS


def _agents(count: Any) -> int:
    if count is None:
        return DEFAULT_AGENTS
    try:
        number = int(count)
    except (TypeError, ValueError):
        number = 0
    if number < 1 or isinstance(count, bool):
        raise ComputeTargetException(f"agent_count must be a whole number above 0, not {count!r}.")
    return number
