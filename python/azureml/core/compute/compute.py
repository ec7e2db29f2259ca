"""A compute of a workspace, whatever its kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Dict, List, Optional

from azureml._absent import not_here
from azureml._errors import calling
from azureml.exceptions import ComputeTargetException, UserErrorException

if TYPE_CHECKING:
    from azureml.core.run import Run
    from azureml.core.workspace import Workspace

__all__ = ["ComputeTarget", "ComputeTargetProvisioningConfiguration"]

_ACTIVE = ("NotStarted", "Starting", "Provisioning", "Preparing", "Queued", "Running", "Finalizing")


class ComputeTargetProvisioningConfiguration:
    """What ComputeTarget.create takes."""

    _kind: ClassVar[Any] = None  # the class of what is made; ComputeTarget decides if it is None

    def _body(self, name: str) -> Dict[str, Any]:
        raise NotImplementedError


class ComputeTarget:
    """`ComputeTarget(workspace, name)` is the compute of that name, of its own class; it raises
    ComputeTargetException if there is none."""

    name: str
    type: str

    def __new__(
        cls, workspace: Workspace, name: str, _facts: Optional[Dict[str, Any]] = None
    ) -> ComputeTarget:
        from azureml.core.compute.amlcompute import AmlCompute

        if cls is ComputeTarget:
            return object.__new__(AmlCompute)
        return object.__new__(cls)

    def __init__(
        self, workspace: Workspace, name: str, _facts: Optional[Dict[str, Any]] = None
    ) -> None:
        self.workspace = workspace
        if not isinstance(name, str):
            raise UserErrorException(f"The name of a compute is a text, not {name!r}.")
        self.name = name
        self._facts = _facts if _facts is not None else self._get_facts()
        self._was_created = False
        self.type = str(self._facts["type"])
        if self.type == "Slurm":
            from azureml.core.compute.slurm import SlurmCompute

            if not isinstance(self, SlurmCompute):
                self.__class__ = SlurmCompute
        elif self.type == "AmlCompute":
            from azureml.core.compute.aks import AksCompute, is_aks

            if is_aks(self._facts):
                self.type = "AKS"
                if not isinstance(self, AksCompute):
                    self.__class__ = AksCompute

    def __getnewargs__(self) -> Any:
        return (self.workspace, self.name, self._facts)

    # Making and finding them.

    @staticmethod
    def create(workspace: Workspace, name: str, provisioning_configuration: Any) -> ComputeTarget:
        """Begins to make a compute; wait_for_completion() waits until it is there."""
        if not isinstance(provisioning_configuration, ComputeTargetProvisioningConfiguration):
            raise ComputeTargetException(
                "provisioning_configuration must be made by AmlCompute.provisioning_configuration, "
                f"not {type(provisioning_configuration).__name__}."
            )
        body = provisioning_configuration._body(name)
        with calling(ComputeTargetException):
            facts = workspace._client.post(workspace._path("computes"), body)
        made: ComputeTarget = (provisioning_configuration._kind or ComputeTarget)(
            workspace, name, facts
        )
        made._was_created = True
        return made

    @staticmethod
    def attach(workspace: Workspace, name: str, attach_configuration: Any) -> ComputeTarget:
        from azureml.core.compute.aks import AksAttachConfiguration
        from azureml.core.compute.slurm import SlurmAttachConfiguration, SlurmCompute

        if isinstance(attach_configuration, SlurmAttachConfiguration):
            return SlurmCompute.attach(workspace, name, attach_configuration)
        if isinstance(attach_configuration, AksAttachConfiguration):
            return ComputeTarget.create(workspace, name, attach_configuration)
        raise not_here(
            "ComputeTarget.attach",
            "adds a machine that exists already",
            "SlurmCompute.attach adds a Slurm cluster. Make a compute on this machine with "
            "ComputeTarget.create(workspace, name, AmlCompute.provisioning_configuration(...)).",
        )

    @staticmethod
    def attach_configuration(*args: Any, **kwargs: Any) -> Any:
        raise not_here(
            "attach_configuration()",
            "adds a machine that exists already",
            "Use AmlCompute.provisioning_configuration().",
        )

    @staticmethod
    def list(workspace: Workspace) -> List[ComputeTarget]:
        with calling(ComputeTargetException):
            items = [*workspace._client.pages(workspace._path("computes"))]
        return [ComputeTarget(workspace, item["name"], item) for item in items]

    # Its facts, as of the last look.

    @property
    def provisioning_state(self) -> str:
        return str(self._facts["provisioning_state"])

    @property
    def provisioning_errors(self) -> Optional[List[Any]]:
        return None

    @property
    def tags(self) -> Dict[str, str]:
        return {}

    @property
    def location(self) -> str:
        return str(self.workspace.location)

    @property
    def cluster_location(self) -> str:
        return self.location

    @property
    def description(self) -> Optional[str]:
        return None

    @property
    def created_on(self) -> str:
        return str(self._facts["created_at"])

    @property
    def modified_on(self) -> str:
        return str(self._facts["modified_at"])

    def refresh_state(self) -> None:
        """Looks again."""
        self._facts = self._get_facts()

    # What clusters do; see AmlCompute.

    @property
    def status(self) -> Any:
        raise self._not_a_cluster()

    def get_status(self) -> Any:
        raise self._not_a_cluster()

    def list_nodes(self) -> List[Dict[str, Any]]:
        raise self._not_a_cluster()

    def update(
        self,
        min_nodes: Optional[int] = None,
        max_nodes: Optional[int] = None,
        idle_seconds_before_scaledown: Any = None,
    ) -> None:
        raise self._not_a_cluster()

    def wait_for_completion(
        self,
        show_output: bool = False,
        min_node_count: Optional[int] = None,
        timeout_in_minutes: Optional[float] = 25,
        is_delete_operation: bool = False,
        **kwargs: Any,
    ) -> None:
        raise self._not_a_cluster()

    def _not_a_cluster(self) -> ComputeTargetException:
        return ComputeTargetException(f"{self.name} is of type {self.type}, which has no nodes.")

    def get_active_runs(
        self,
        type: Optional[str] = None,
        tags: Any = None,
        properties: Any = None,
        status: Optional[str] = None,
    ) -> List[Run]:
        """Runs that wait for this compute or run on it."""
        from azureml.core.experiment import Experiment
        from azureml.core.run import Run

        workspace = self.workspace
        with calling(ComputeTargetException):
            found = [
                *workspace._client.pages(
                    workspace._path("runs"),
                    status=[status] if status else [*_ACTIVE],
                    compute=self.name,
                    type=type,
                )
            ]
        return [
            Run(Experiment(workspace, facts["experiment"]), facts["id"])
            for facts in found
            if _matches(facts["tags"], tags) and _matches(facts["properties"], properties)
        ]

    # Ending them.

    def delete(self) -> None:
        """Ends its nodes and removes it. Refused while runs wait for it or run on it."""
        with calling(ComputeTargetException):
            self.workspace._client.delete(self.workspace._path("computes", self.name))
        self._facts = {**self._facts, "provisioning_state": "Deleting"}

    def detach(self) -> None:
        raise not_here(
            "detach()", "leaves the machines running", "Use delete(), which ends the nodes."
        )

    # As a dict.

    def serialize(self) -> Dict[str, Any]:
        return {
            "name": self.name,
            "location": self.location,
            "type": self.type,
            "tags": self.tags,
            "description": self.description,
            "provisioningState": self.provisioning_state,
            "provisioningErrors": self.provisioning_errors,
            "createdOn": self.created_on,
            "modifiedOn": self.modified_on,
        }

    @staticmethod
    def deserialize(workspace: Workspace, object_dict: Dict[str, Any]) -> ComputeTarget:
        return ComputeTarget(workspace, object_dict["name"])

    def __repr__(self) -> str:
        return f"{type(self).__name__}(workspace={self.workspace!r}, name={self.name})"

    def _get_facts(self) -> Dict[str, Any]:
        with calling(ComputeTargetException):
            return dict(self.workspace._client.get(self.workspace._path("computes", self.name)))


def _matches(found: Dict[str, Any], wanted: Any) -> bool:
    """`wanted` is a key, or a dict of keys and values."""
    if not wanted:
        return True
    if isinstance(wanted, str):
        return wanted in found
    return all(key in found and found[key] == value for key, value in dict(wanted).items())
