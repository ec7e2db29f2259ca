"""Computes whose nodes an existing Slurm cluster gives. Azure ML has none; these are Roost's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Optional

from azureml.core.compute.amlcompute import AmlCompute
from azureml.core.compute.compute import ComputeTarget, ComputeTargetProvisioningConfiguration

if TYPE_CHECKING:
    from azureml.core.workspace import Workspace

__all__ = ["SlurmCompute"]


class SlurmCompute(AmlCompute):
    """Every run gets a Slurm job of its own; Slurm's queue and priorities decide when it starts."""

    @staticmethod
    def attach(
        workspace: Workspace,
        name: str,
        attach_configuration: Optional[ComputeTargetProvisioningConfiguration] = None,
        **options: Any,
    ) -> SlurmCompute:
        """`SlurmCompute.attach(ws, "a100", partition="gpu", gres="gpu:4")`: the options are
        those of attach_configuration()."""
        configuration = attach_configuration or SlurmCompute.attach_configuration(**options)
        made = ComputeTarget.create(workspace, name, configuration)
        assert isinstance(made, SlurmCompute)
        return made

    @staticmethod
    def attach_configuration(
        partition: str = "",
        account: str = "",
        qos: str = "",
        gres: str = "",
        constraint: str = "",
        reservation: str = "",
        cpus: int = 0,
        memory: str = "",
        max_nodes: Optional[int] = None,
    ) -> SlurmAttachConfiguration:
        """What is asked of Slurm for each node, in the words of sbatch. With neither cpus nor
        gres a node is not shared with other jobs. max_nodes: most that Roost asks for at a time."""
        slurm = {
            "partition": partition,
            "account": account,
            "qos": qos,
            "gres": gres,
            "constraint": constraint,
            "reservation": reservation,
            "cpus": cpus,
            "memory": memory,
        }
        return SlurmAttachConfiguration(
            {key: value for key, value in slurm.items() if value}, max_nodes
        )

    @property
    def slurm(self) -> Dict[str, Any]:
        """What is asked of Slurm."""
        return dict(self._facts["slurm"])

    def detach(self) -> None:
        """Roost forgets it; the Slurm cluster stays as it is."""
        self.delete()


class SlurmAttachConfiguration(ComputeTargetProvisioningConfiguration):
    _kind = SlurmCompute

    def __init__(self, slurm: Dict[str, Any], max_nodes: Optional[int]) -> None:
        self.slurm = slurm
        self.max_nodes = max_nodes

    def _body(self, name: str) -> Dict[str, Any]:
        body: Dict[str, Any] = {"name": name, "slurm": self.slurm}
        if self.max_nodes is not None:
            body["max_nodes"] = self.max_nodes
        return body
