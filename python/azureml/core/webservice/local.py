"""Services for trying out: one replica, a port of its own, no key."""

from __future__ import annotations

import re
import socket
import sys
from typing import TYPE_CHECKING, Any, Dict, List, Optional

from azureml._errors import calling
from azureml.core.webservice._checks import check_name, check_whole, given
from azureml.core.webservice._configuration import WebserviceDeploymentConfiguration
from azureml.core.webservice.webservice import Webservice
from azureml.exceptions import WebserviceException

if TYPE_CHECKING:
    from azureml.core.workspace import Workspace

__all__ = ["LocalWebservice", "LocalWebserviceDeploymentConfiguration"]


class LocalWebserviceDeploymentConfiguration(WebserviceDeploymentConfiguration):
    _kind = "local"

    def __init__(self, port: Optional[int] = None) -> None:
        super().__init__()
        self.port = port
        self.validate_configuration()

    def validate_configuration(self) -> None:
        super().validate_configuration()
        check_whole(self.port, "port", most=65535)

    def _before_deploy(self, workspace: Workspace, body: Dict[str, Any]) -> None:
        """One that is there gives way, as a container of that name did."""
        body["overwrite"] = True
        body.update(given({"port": self.port or _free_port(workspace)}))


class LocalWebservice(Webservice):
    """Served by the Roost server, not by Docker; the port is one of the server's machine."""

    _kinds = ("local",)
    _compute_type = "LOCAL"

    def __init__(
        self,
        workspace: Workspace,
        name: str,
        must_exist: bool = True,
        *,
        _facts: Optional[Dict[str, Any]] = None,
        **_: Any,
    ) -> None:
        try:
            super().__init__(workspace, local_name(name), _facts=_facts)
        except WebserviceException as error:
            if must_exist or error.status_code != 404:
                raise
            from roost.endpoint import Endpoint

            # Something to be asked about: it is not there.
            self.name = local_name(name)
            facts: Dict[str, Any] = {
                "name": self.name,
                "kind": "local",
                "state": "Unknown",
                "auth": "none",
                "description": "",
                "tags": {},
                "properties": {},
                "deployments": [],
            }
            self._endpoint = Endpoint(self.name, workspace.name, workspace._client, facts)

    @staticmethod
    def deploy_configuration(port: Optional[int] = None) -> LocalWebserviceDeploymentConfiguration:
        """None is any port that is free."""
        return LocalWebserviceDeploymentConfiguration(port)

    @staticmethod
    def _checked_name(name: Any) -> str:
        return check_name(local_name(name))

    @property
    def port(self) -> Optional[int]:
        from urllib.parse import urlsplit

        return self._facts.get("port") or urlsplit(str(self._facts.get("scoring_uri"))).port

    @property
    def base_url(self) -> str:
        return str(self.scoring_uri or "").rpartition("/score")[0]

    @property
    def scoring_uri(self) -> Optional[str]:
        return _at_localhost(super().scoring_uri)

    @property
    def swagger_uri(self) -> Optional[str]:
        return _at_localhost(super().swagger_uri)

    def wait_for_deployment(
        self, show_output: bool = False, timeout_sec: Optional[float] = None
    ) -> None:
        from azureml.core.webservice._waiting import wait_for_local

        wait_for_local(self, show_output, timeout_sec)

    # Changing it.

    def update(
        self,
        models: Any = None,
        inference_config: Any = None,
        deployment_config: Any = None,
        wait: bool = False,
        **options: Any,
    ) -> None:
        """Other models, code or port. None leaves a thing as it is."""
        for name in options:
            raise WebserviceException(f"LocalWebservice.update has no argument {name}=.")
        if isinstance(models, LocalWebserviceDeploymentConfiguration):
            models, deployment_config = None, models
        if deployment_config is not None and deployment_config.port:
            self._change(port=deployment_config.port)
        self._update(WebserviceDeploymentConfiguration(), models, inference_config)
        if wait:
            self.wait_for_deployment(True)

    def reload(self, wait: bool = False) -> None:
        """Starts it again with the script and its folder as they are now. What they import was
        installed before: a changed environment needs update()."""
        from azureml.core._inference_config import InferenceConfig
        from azureml.core.webservice._deploying import sent_deployment

        sources = self._settings.get("sources")
        with calling(WebserviceException):
            self._endpoint.refresh()
        before = self._deployment
        deployment = sent_deployment(before)
        if sources:
            deployment["code"] = InferenceConfig(**sources)._upload(self.workspace)
        with calling(WebserviceException):
            if deployment.get("code") == before.get("code"):
                self._endpoint.restart(before["name"])
            else:
                self._endpoint.put_deployment(before["name"], deployment)
        if wait:
            self.wait_for_deployment(True)

    def delete(self, delete_cache: bool = True, delete_image: bool = False) -> None:
        """There are neither a cache nor an image to be kept or deleted."""
        super().delete()

    def deploy_to_cloud(
        self, name: str, deployment_config: Any = None, deployment_target: Any = None
    ) -> Webservice:
        """The same models, code and environment as a service of another kind."""
        from azureml.core.webservice._deploying import redeploy

        return redeploy(self.workspace, name, self, deployment_config, deployment_target)

    # A local service is open to whoever reaches its port.

    def get_keys(self) -> Any:
        raise self._no("get_keys()")

    def regen_key(self, key: str, set_key: Optional[str] = None) -> None:
        raise self._no("regen_key()")

    def get_token(self) -> Any:
        raise self._no("get_token()")

    def get_access_token(self) -> Any:
        raise self._no("get_access_token()")

    def add_tags(self, tags: Dict[str, Any]) -> None:
        raise self._no("add_tags()")

    def remove_tags(self, tags: List[str]) -> None:
        raise self._no("remove_tags()")

    def add_properties(self, properties: Dict[str, Any]) -> None:
        raise self._no("add_properties()")

    def _no(self, what: str) -> NotImplementedError:
        return NotImplementedError(
            f"Local webservices do not support {what}: they have no keys, tags or properties. "
            "Deploy with AciWebservice.deploy_configuration(auth_enabled=True)."
        )


def local_name(name: Any) -> str:
    """Names of containers may have capitals and underscores."""
    if not isinstance(name, str):
        return check_name(name)
    return re.sub(r"[^a-z0-9-]", "-", name.lower())


def _free_port(workspace: Workspace) -> Optional[int]:
    """Of this machine if the server is on it; elsewhere the address of all endpoints does."""
    from azureml.core._own_interpreter import is_here

    with calling(WebserviceException):
        if not is_here(workspace):
            return None
    try:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            return int(probe.getsockname()[1])
    except OSError as error:
        print(f"No port of its own for the service: {error}", file=sys.stderr)
        return None


def _at_localhost(uri: Optional[str]) -> Optional[str]:
    return uri if uri is None else uri.replace("//127.0.0.1:", "//localhost:", 1)


LocalWebserviceDeploymentConfiguration._service = LocalWebservice
