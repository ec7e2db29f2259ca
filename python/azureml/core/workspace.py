"""Workspaces: what experiments, computes, models and data belong to."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Dict, List, Optional

from roost.client import Client, quote

from .._errors import calling, is_code
from ..exceptions import (
    AuthenticationException,
    ProjectSystemException,
    UserErrorException,
    WorkspaceException,
)
from ._config_file import PathLike, find_config, read_config, write_config

if TYPE_CHECKING:
    from .authentication import AbstractAuthentication
    from .compute import ComputeTarget
    from .dataset import Dataset
    from .datastore import Datastore
    from .environment import Environment
    from .experiment import Experiment
    from .image import Image
    from .keyvault import Keyvault
    from .model import Model
    from .run import Run
    from .webservice import Webservice

__all__ = ["AuthenticationException", "ProjectSystemException", "UserErrorException", "Workspace"]

# A Roost server has no subscriptions, groups or regions; what is given is kept and given back.
DEFAULT_SUBSCRIPTION = "00000000-0000-0000-0000-000000000000"
DEFAULT_RESOURCE_GROUP = "roost"
DEFAULT_LOCATION = "local"


class Workspace:
    """A workspace of a Roost server.

    The server is the one ROOST_URL and ROOST_TOKEN name, or else the one of this machine.
    `subscription_id`, `resource_group` and `location` mean nothing to it: they are kept as given.
    """

    DEFAULT_CPU_CLUSTER_NAME = "cpu-cluster"
    DEFAULT_GPU_CLUSTER_NAME = "gpu-cluster"

    def __init__(
        self,
        subscription_id: Optional[str] = None,
        resource_group: Optional[str] = None,
        workspace_name: Optional[str] = None,
        auth: Optional[AbstractAuthentication] = None,
        _location: Optional[str] = None,
        _disable_service_check: bool = False,
        _workspace_id: Optional[str] = None,
        sku: str = "basic",
        tags: Optional[Dict[str, str]] = None,
        _client: Optional[Client] = None,
    ) -> None:
        if not workspace_name or not isinstance(workspace_name, str):
            raise UserErrorException(
                f"workspace_name must be the name of a workspace, not {workspace_name!r}."
            )
        self._name = workspace_name
        self._subscription_id = subscription_id or DEFAULT_SUBSCRIPTION
        self._resource_group = resource_group or DEFAULT_RESOURCE_GROUP
        self._location = _location or DEFAULT_LOCATION
        self._sku = sku
        self._tags = dict(tags or {})
        self._given_auth = auth
        self._facts: Optional[Dict[str, Any]] = None
        if _client is None:
            with calling(WorkspaceException):
                _client = Client.connect()
        self._client = _client
        if not _disable_service_check:
            self._facts = self._get_facts()

    # Finding and making.

    @staticmethod
    def from_config(
        path: Optional[PathLike] = None,
        auth: Optional[AbstractAuthentication] = None,
        _logger: Any = None,
        _file_name: Optional[str] = None,
    ) -> Workspace:
        """The workspace that config.json names. The file is looked for in `path` (or the current
        folder), in its .azureml, and then in the folders above."""
        config = read_config(find_config(path, _file_name))
        return Workspace(
            subscription_id=config.get("subscription_id"),
            resource_group=config.get("resource_group"),
            workspace_name=config["workspace_name"],
            auth=auth,
        )

    @staticmethod
    def get(
        name: str,
        auth: Optional[AbstractAuthentication] = None,
        subscription_id: Optional[str] = None,
        resource_group: Optional[str] = None,
        location: Optional[str] = None,
        cloud: str = "AzureCloud",
        id: Optional[str] = None,
    ) -> Workspace:
        """The workspace of that name; WorkspaceException if there is none."""
        return Workspace(subscription_id, resource_group, name, auth, _location=location)

    @staticmethod
    def create(
        name: str,
        auth: Optional[AbstractAuthentication] = None,
        subscription_id: Optional[str] = None,
        resource_group: Optional[str] = None,
        location: Optional[str] = None,
        create_resource_group: bool = True,
        sku: str = "basic",
        tags: Optional[Dict[str, str]] = None,
        friendly_name: Optional[str] = None,
        storage_account: Optional[str] = None,
        key_vault: Optional[str] = None,
        app_insights: Optional[str] = None,
        container_registry: Optional[str] = None,
        exist_ok: bool = False,
        show_output: bool = True,
        **_: Any,
    ) -> Workspace:
        """Makes a workspace. One that exists is an error unless `exist_ok`. The accounts a cloud
        workspace is made of have no meaning here: the server stores everything itself."""
        with calling(WorkspaceException):
            client = Client.connect()
        try:
            with calling(WorkspaceException):
                client.post("/api/v1/workspaces", {"name": name})
            if show_output:
                print(f"Workspace {name} was made on {client.url}.")
        except WorkspaceException as error:
            if not is_code(error, "already_exists"):
                raise
            if not exist_ok:
                raise WorkspaceException(
                    f"there is a workspace {name!r} already. Pass exist_ok=True to use it.",
                    inner_exception=error.inner_exception,
                ) from None
        return Workspace(
            subscription_id,
            resource_group,
            name,
            auth,
            _location=location,
            sku=sku,
            tags=tags,
            _client=client,
        )

    @staticmethod
    def _get_or_create(name: str, **options: Any) -> Workspace:
        return Workspace.create(name, exist_ok=True, **options)

    @staticmethod
    def list(
        subscription_id: Optional[str] = None,
        auth: Optional[AbstractAuthentication] = None,
        resource_group: Optional[str] = None,
    ) -> Dict[str, List[Workspace]]:
        """All workspaces of the server by name, each as a list of one."""
        with calling(WorkspaceException):
            client = Client.connect()
            items = [*client.pages("/api/v1/workspaces")]
        return {
            item["name"]: [Workspace(subscription_id, resource_group, item["name"], auth,
                                     _disable_service_check=True, _client=client)]
            for item in items
        }  # fmt: skip

    @classmethod
    def _of_run(cls, client: Client) -> Workspace:
        """The workspace of the run this process belongs to; asks nobody."""
        environ = os.environ
        return cls(
            environ.get("AZUREML_ARM_SUBSCRIPTION"),
            environ.get("AZUREML_ARM_RESOURCEGROUP"),
            environ.get("ROOST_WORKSPACE") or environ.get("AZUREML_ARM_WORKSPACE_NAME", "default"),
            _disable_service_check=True,
            _client=client,
        )

    def get_run(self, run_id: str) -> Run:
        """The run of that id, whatever experiment it belongs to."""
        from .run import Run

        return Run.get(self, run_id)

    def write_config(
        self, path: Optional[PathLike] = None, file_name: Optional[str] = None
    ) -> None:
        """Writes .azureml/config.json below `path`, or the current folder, for from_config."""
        write_config(
            path,
            file_name,
            {
                "subscription_id": self._subscription_id,
                "resource_group": self._resource_group,
                "workspace_name": self._name,
            },
        )

    def delete(self, delete_dependent_resources: bool = False, no_wait: bool = False) -> None:
        """Refuses: a workspace stays; its experiments can be deleted."""
        raise WorkspaceException(
            f"workspace {self._name!r} stays: Roost does not delete workspaces. Archive "
            "experiments with Experiment.archive(), and delete models and computes one by one."
        )

    # Facts.

    @property
    def name(self) -> str:
        return self._name

    @property
    def subscription_id(self) -> str:
        return self._subscription_id

    @property
    def resource_group(self) -> str:
        return self._resource_group

    @property
    def location(self) -> str:
        return self._location

    @property
    def sku(self) -> str:
        return self._sku

    @property
    def tags(self) -> Dict[str, str]:
        return dict(self._tags)

    @property
    def discovery_url(self) -> str:
        """The address of the server."""
        return self._client.url

    @property
    def _workspace_id(self) -> str:
        if self._facts is None:
            self._facts = self._get_facts()
        return str(self._facts["id"])

    @property
    def _auth_object(self) -> AbstractAuthentication:
        from .authentication import InteractiveLoginAuthentication

        return self._given_auth or InteractiveLoginAuthentication()

    _auth = _auth_object

    def get_details(self) -> Dict[str, Any]:
        """What is known about the workspace, by the names Azure uses."""
        self._facts = facts = self._get_facts()
        return {
            "id": self._scope,
            "name": self._name,
            "type": "Microsoft.MachineLearningServices/workspaces",
            "location": self._location,
            "sku": self._sku,
            "tags": self.tags,
            "workspaceid": facts["id"],
            "friendlyName": self._name,
            "description": "",
            "creationTime": facts["created_at"],
            "discoveryUrl": self._client.url,
        }

    @property
    def _scope(self) -> str:
        return (
            f"/subscriptions/{self._subscription_id}/resourceGroups/{self._resource_group}"
            f"/providers/Microsoft.MachineLearningServices/workspaces/{self._name}"
        )

    # What is in it.

    @property
    def compute_targets(self) -> Dict[str, ComputeTarget]:
        from .compute import ComputeTarget

        return {target.name: target for target in ComputeTarget.list(self)}

    @property
    def datastores(self) -> Dict[str, Datastore]:
        from .datastore import Datastore

        with calling(UserErrorException):
            names = [item["name"] for item in self._client.pages(self._path("datastores"))]
        return {name: Datastore.get(self, name) for name in names}

    @property
    def datasets(self) -> Dict[str, Dataset]:
        from .dataset import Dataset

        return dict(Dataset.get_all(self))

    @property
    def environments(self) -> Dict[str, Environment]:
        from .environment import Environment

        return dict(Environment.list(self))

    @property
    def experiments(self) -> Dict[str, Experiment]:
        from .experiment import Experiment

        return {experiment.name: experiment for experiment in Experiment.list(self)}

    @property
    def models(self) -> Dict[str, Model]:
        """The newest version of every model."""
        from .model import Model

        return _Called({model.name: model for model in Model.list(self, latest=True)})

    @property
    def webservices(self) -> Dict[str, Webservice]:
        from .webservice import Webservice

        return _Called({service.name: service for service in Webservice.list(self)})

    @property
    def images(self) -> Dict[str, Image]:
        """The newest version of every image."""
        from .image import Image

        return _Called({image.name: image for image in reversed(Image.list(self))})

    def get_default_datastore(self) -> Datastore:
        from .datastore import Datastore

        return Datastore.get_default(self)

    def set_default_datastore(self, name: str) -> None:
        """Accepts the datastore that is the default already; a Roost server has the one."""
        default = self.get_default_datastore().name
        if name != default:
            raise UserErrorException(
                f"the default datastore of a Roost workspace is always {default!r}. Name {name!r} "
                f"where you use it: Datastore.get(ws, {name!r})."
            )

    def get_default_keyvault(self) -> Keyvault:
        from .keyvault import Keyvault

        return Keyvault(self)

    def get_default_compute_target(self, type: str = "CPU") -> Optional[ComputeTarget]:
        """The cluster of the name Azure gives its default one, or None."""
        names = {"CPU": self.DEFAULT_CPU_CLUSTER_NAME, "GPU": self.DEFAULT_GPU_CLUSTER_NAME}
        return self.compute_targets.get(names.get(type.upper(), type))

    def get_mlflow_tracking_uri(self, with_auth: bool = False) -> str:
        """The address by which MLflow logs to this workspace: mlflow.set_tracking_uri(uri).

        MLflow is let in by MLFLOW_TRACKING_TOKEN, which is set in this process, with the token that
        opens the workspace, unless it is set already; so is MLFLOW_TRACKING_SERVER_CERT_PATH where
        the server has a certificate of its own.
        """
        from roost.mlflow_address import let_mlflow_in, mlflow_uri

        let_mlflow_in(self._client)
        return mlflow_uri(self._client.url, self._name)

    # For the rest of this package.

    def _path(self, *parts: str) -> str:
        """The path of something in this workspace, as the client takes it."""
        return "/".join(["/api/v1/workspaces", quote(self._name), *map(quote, parts)])

    def _get_facts(self) -> Dict[str, Any]:
        try:
            with calling(WorkspaceException):
                return dict(self._client.get(self._path()))
        except WorkspaceException as error:
            if not is_code(error, "not_found", "invalid_argument"):
                raise
            names = sorted(item["name"] for item in self._client.pages("/api/v1/workspaces"))
            raise WorkspaceException(
                f"there is no workspace {self._name!r} on {self._client.url}; there is "
                f"{', '.join(names)}. Make it with `roost workspace create {self._name}` or "
                f"Workspace.create(name={self._name!r}), or correct the name in config.json.",
                inner_exception=error.inner_exception,
            ) from None

    def __repr__(self) -> str:
        return (
            f"Workspace.create(name={self._name!r}, subscription_id={self._subscription_id!r}, "
            f"resource_group={self._resource_group!r})"
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Workspace) and (self._client.url, self._name) == (
            other._client.url,
            other._name,
        )

    def __hash__(self) -> int:
        return hash((self._client.url, self._name))


class _Called(Dict[str, Any]):
    """Old code writes ws.webservices(), where newer code has no brackets."""

    def __call__(self) -> Dict[str, Any]:
        return self
