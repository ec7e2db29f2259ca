"""What a service is, as of the last look."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Dict, List, Optional

from roost.times import read_time

if TYPE_CHECKING:
    import datetime

    from azureml.core.environment import Environment
    from azureml.core.model import Model
    from azureml.core.workspace import Workspace
    from roost.endpoint import Endpoint

_FAILURES = {"aci": "AciDeploymentFailed", "aks": "KubernetesDeploymentFailed"}


class AccessToken:
    """A token and its times."""

    def __init__(self, found: Dict[str, Any]) -> None:
        self.access_token = str(found["token"])
        self.token_type = "Bearer"
        self.refresh_after: datetime.datetime = read_time(found["refresh_after"])
        self.expiry_on: datetime.datetime = read_time(found["expires_at"])


class ServiceFacts:
    """The attributes of a web service; update_deployment_state() looks again."""

    workspace: Workspace
    name: str
    _endpoint: Endpoint
    _compute_type: ClassVar[str] = "ROOST"

    @property
    def _facts(self) -> Dict[str, Any]:
        return self._endpoint.facts

    @property
    def _settings(self) -> Dict[str, Any]:
        return dict(self._facts.get("settings") or {})

    @property
    def _deployment(self) -> Dict[str, Any]:
        """The one that all traffic goes to, or that takes what is left."""
        found: List[Dict[str, Any]] = self._facts.get("deployments") or [{}]
        default = self._facts.get("default")
        return next((one for one in found if one.get("name") == default), found[0])

    @property
    def state(self) -> str:
        """Transitioning, Healthy, Unhealthy, Unschedulable or Failed."""
        return str(self._facts["state"])

    @property
    def error(self) -> Optional[Dict[str, Any]]:
        """Why it is not Healthy, in the shape that tools know."""
        found = self._facts.get("error")
        if not found:
            return None
        return {
            "code": _FAILURES.get(self._facts["kind"], found["code"]),
            "statusCode": 400,
            "message": found["message"],
            "details": found.get("details")
            or [{"code": found["code"], "message": found["message"]}],
        }

    @property
    def scoring_uri(self) -> Optional[str]:
        return self._facts.get("scoring_uri") or None

    @property
    def swagger_uri(self) -> Optional[str]:
        return self._facts.get("swagger_uri") or None

    @property
    def compute_type(self) -> str:
        return self._compute_type

    @property
    def auth_enabled(self) -> bool:
        return bool(self._facts["auth"] == "key")

    @property
    def token_auth_enabled(self) -> bool:
        return bool(self._facts["auth"] == "token")

    @property
    def description(self) -> str:
        return str(self._facts["description"] or "")

    @property
    def tags(self) -> Dict[str, Any]:
        return dict(self._facts["tags"])

    @property
    def properties(self) -> Dict[str, str]:
        return dict(self._facts["properties"])

    @property
    def created_time(self) -> datetime.datetime:
        found: datetime.datetime = read_time(self._facts["created_at"])
        return found

    @property
    def updated_time(self) -> datetime.datetime:
        found: datetime.datetime = read_time(self._facts["updated_at"])
        return found

    @property
    def created_by(self) -> Any:
        return self._facts.get("created_by")

    @property
    def image_id(self) -> Optional[str]:
        """Of services deployed from an image."""
        found: Optional[str] = self._settings.get("image_id")
        return found

    @property
    def image(self) -> Any:
        if self.image_id is None:
            return None
        from azureml.core.image import Image

        return Image(self.workspace, id=self.image_id)

    @property
    def models(self) -> List[Model]:
        from azureml.core.model import Model

        found = self._deployment.get("models") or []
        return [Model(self.workspace, id=model["id"]) for model in found]

    @property
    def environment(self) -> Optional[Environment]:
        """The one it was deployed with; None for the Python of the node."""
        from azureml.core.environment import Environment

        found = self._deployment.get("environment") or {}
        if not found.get("name"):
            return None
        return Environment.get(self.workspace, found["name"], found.get("version"))

    def serialize(self) -> Dict[str, Any]:
        """The service as a dict, by the names Azure uses."""
        models = self._deployment.get("models") or []
        return {
            "name": self.name,
            "description": self.description,
            "tags": self.tags,
            "properties": self.properties,
            "state": self.state,
            "createdTime": self._facts["created_at"],
            "updatedTime": self._facts["updated_at"],
            "error": self.error,
            "computeType": self.compute_type,
            "workspaceName": self.workspace.name,
            "deploymentType": None,
            "imageId": self.image_id,
            "scoringUri": self.scoring_uri,
            "swaggerUri": self.swagger_uri,
            "authEnabled": self.auth_enabled,
            "aadAuthEnabled": self.token_auth_enabled,
            "models": [model["id"] for model in models],
            "createdBy": self.created_by,
        }
