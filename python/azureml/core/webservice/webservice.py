"""A web service of a workspace, whatever its kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Dict, List, Optional, Tuple, Type, Union

from azureml._errors import calling, is_code
from azureml.core.webservice._checks import check_name, given, texts
from azureml.core.webservice._configuration import WebserviceDeploymentConfiguration
from azureml.core.webservice._finding import find_endpoint, list_services
from azureml.core.webservice._service_facts import ServiceFacts
from azureml.exceptions import WebserviceException
from roost.endpoint import Endpoint

if TYPE_CHECKING:
    import datetime

    from azureml.core.workspace import Workspace

__all__ = ["Webservice", "WebserviceDeploymentConfiguration", "WebserviceException"]


class Webservice(ServiceFacts):
    """`Webservice(workspace, name)` is the service of that name, of its own class; it raises
    WebserviceException if there is none."""

    _kinds: ClassVar[Tuple[str, ...]] = ()  # of the server that this class stands for
    _compute_type: ClassVar[str] = "ROOST"

    def __init__(
        self, workspace: Workspace, name: str, *, _facts: Optional[Dict[str, Any]] = None, **_: Any
    ) -> None:
        self.workspace = workspace
        self._endpoint: Endpoint = find_endpoint(workspace, name, _facts)
        self.name = self._endpoint.name
        self._inference_config: Any = None
        self._become(_class_of(self._endpoint.facts))

    def _become(self, kind: Type[Webservice]) -> None:
        if kind is Webservice or isinstance(self, kind):
            return
        if not issubclass(kind, type(self)):
            raise WebserviceException(
                f"{self.name} is no {type(self).__name__} but of the kind {kind.__name__}. "
                "Webservice(workspace, name) finds services of every kind."
            )
        self.__class__ = kind

    # Making and finding them.

    @staticmethod
    def list(
        workspace: Workspace,
        compute_type: Optional[str] = None,
        image_name: Optional[str] = None,
        image_id: Optional[str] = None,
        model_name: Optional[str] = None,
        model_id: Optional[str] = None,
        tags: Any = None,
        properties: Any = None,
        image_digest: Optional[str] = None,
    ) -> List[Webservice]:
        """The services that match everything given, without local ones. `tags` and `properties`
        are lists of keys and of [key, value]."""
        return [
            Webservice(workspace, facts["name"], _facts=facts)
            for facts in list_services(
                workspace, compute_type, image_name, image_id, model_name, model_id, tags,
                properties, image_digest,
            )
        ]  # fmt: skip

    @staticmethod
    def deploy_from_model(
        workspace: Workspace,
        name: str,
        models: Any,
        image_config: Any,
        deployment_config: Any = None,
        deployment_target: Any = None,
        overwrite: bool = False,
    ) -> Webservice:
        """Makes an image of that name and deploys it. Model.deploy() is newer."""
        from azureml.core.image import Image

        image = Image.create(workspace, name, models, image_config)
        return Webservice.deploy_from_image(
            workspace, name, image, deployment_config, deployment_target, overwrite
        )

    @staticmethod
    def deploy_from_image(
        workspace: Workspace,
        name: str,
        image: Any,
        deployment_config: Any = None,
        deployment_target: Any = None,
        overwrite: bool = False,
    ) -> Webservice:
        from azureml.core.webservice._deploying import deploy_image

        return deploy_image(
            workspace, name, image, deployment_config, deployment_target, overwrite
        )

    @staticmethod
    def deploy(
        workspace: Workspace,
        name: str,
        model_paths: Any,
        image_config: Any,
        deployment_config: Any = None,
        deployment_target: Any = None,
        overwrite: bool = False,
    ) -> Webservice:
        """Registers the files first, each under its own name. Model.deploy() is newer."""
        from azureml.core.webservice._deploying import register_paths

        models = register_paths(workspace, model_paths)
        return Webservice.deploy_from_model(
            workspace, name, models, image_config, deployment_config, deployment_target, overwrite
        )

    @staticmethod
    def deploy_local_from_model(
        workspace: Workspace,
        name: str,
        models: Any,
        image_config: Any,
        deployment_config: Any = None,
        wait: bool = False,
    ) -> Webservice:
        from azureml.core.webservice.local import LocalWebservice

        configuration = deployment_config or LocalWebservice.deploy_configuration()
        made = Webservice.deploy_from_model(workspace, name, models, image_config, configuration)
        if wait:
            made.wait_for_deployment(True)
        return made

    @staticmethod
    def _checked_name(name: Any) -> str:
        return check_name(name)

    # How it is.

    def update_deployment_state(self) -> None:
        """Looks again."""
        with calling(WebserviceException):
            self._endpoint.refresh()

    def wait_for_deployment(
        self, show_output: bool = False, timeout_sec: Optional[float] = None
    ) -> None:
        """Until it is Healthy; WebserviceException says why it never will be."""
        from azureml.core.webservice._waiting import wait_for_deployment

        wait_for_deployment(self, show_output, timeout_sec)

    def get_logs(self, num_lines: int = 5000, init: bool = False) -> Optional[str]:
        """What its replicas printed; None if there never was one."""
        with calling(WebserviceException):
            return self._endpoint.logs(lines=num_lines) or None

    # Asking it.

    def run(self, input_data: Union[str, bytes]) -> Any:
        """Posts the body to scoring_uri, with a key or token if it asks for one, and gives what it
        answers, read as JSON."""
        if not isinstance(input_data, (str, bytes, bytearray)):
            raise WebserviceException(
                f"run() takes a text or bytes, not {type(input_data).__name__}. Make it a text "
                "with json.dumps()."
            )
        body = input_data.encode() if isinstance(input_data, str) else bytes(input_data)
        with calling(WebserviceException):
            if not self._endpoint.facts.get("scoring_uri"):
                self._endpoint.refresh()
            answer = self._endpoint.score(body)
        if answer.status != 200:
            raise WebserviceException(
                "Received bad response from service. More information can be found by calling "
                "`.get_logs()` on the webservice object.\n"
                f"Response Code: {answer.status}\nHeaders: {answer.headers}\n"
                f"Content: {answer.body!r}",
                status_code=answer.status,
            )
        try:
            return answer.json
        except ValueError:
            return answer.body.decode("utf-8", "replace")

    # Who may call it.

    def get_keys(self) -> Tuple[str, str]:
        """The primary and the secondary key; either opens it."""
        with calling(WebserviceException):
            primary, secondary = self._endpoint.keys()
        return primary, secondary

    def regen_key(self, key: str, set_key: Optional[str] = None) -> None:
        """A new 'Primary' or 'Secondary' key: `set_key`, or a random one."""
        which = str(key).lower()
        if which not in ("primary", "secondary"):
            raise WebserviceException(f"key must be 'Primary' or 'Secondary', not {key!r}.")
        with calling(WebserviceException):
            self._endpoint.set_key(which, set_key)

    def get_token(self) -> Tuple[str, datetime.datetime]:
        """A token, and when to ask for the next one."""
        token = self.get_access_token()
        return token.access_token, token.refresh_after

    def get_access_token(self) -> Any:
        from azureml.core.webservice._service_facts import AccessToken

        with calling(WebserviceException):
            return AccessToken(self._endpoint.token())

    # Changing it.

    def update(self, *args: Any, **kwargs: Any) -> None:
        """Models, code, scale and texts of it. None leaves a thing as it is."""
        configuration = WebserviceDeploymentConfiguration(
            kwargs.pop("description", None),
            kwargs.pop("tags", None),
            kwargs.pop("properties", None),
        )
        models, inference = kwargs.pop("models", None), kwargs.pop("inference_config", None)
        for name in kwargs:
            raise WebserviceException(f"{self.name} has no {name}= to update; leave it out.")
        self._update(configuration, models, inference, args[0] if args else None)

    def reload(self, wait: bool = False) -> None:
        """Starts its replicas anew, with the code that was deployed. Azure had it of local services
        only, which take their code anew as well."""
        with calling(WebserviceException):
            self._endpoint.restart(self._deployment["name"])
        if wait:
            self.wait_for_deployment(True)

    def add_tags(self, tags: Dict[str, Any]) -> None:
        self._change(tags={**self.tags, **texts(tags, "tags")})

    def remove_tags(self, tags: List[str]) -> None:
        self._change(tags={key: value for key, value in self.tags.items() if key not in tags})

    def add_properties(self, properties: Dict[str, Any]) -> None:
        self._change(properties=texts(properties, "properties"))

    def delete(self) -> None:
        """Ends it, once the requests under way are answered. One that is gone already is fine."""
        from azureml.core.webservice._waiting import wait_until_gone

        try:
            with calling(WebserviceException):
                self._endpoint.delete()
        except WebserviceException as error:
            if not is_code(error, "not_found"):
                raise
        wait_until_gone(self)

    def _update(
        self,
        configuration: WebserviceDeploymentConfiguration,
        models: Any,
        inference_config: Any,
        image: Any = None,
        auth: Optional[str] = None,
        scale: Optional[Dict[str, Any]] = None,
    ) -> None:
        from azureml.core.webservice._deploying import changed_deployment

        configuration.validate_configuration()
        configuration._tell_ignored()
        settings = configuration._settings()
        deployment = changed_deployment(self, models, inference_config, image, scale or {})
        if inference_config is not None:
            self._inference_config = inference_config
            settings["sources"] = inference_config._sources()
        if image is not None:
            settings["image_id"] = image.id
        changes = {
            "description": configuration.description,
            "tags": None if configuration.tags is None else texts(configuration.tags, "tags"),
            "properties": texts(configuration.properties, "properties") or None,
            "auth": auth,
            "primary_key": configuration.primary_key,
            "secondary_key": configuration.secondary_key,
            "settings": settings or None,
        }
        self._change(**changes)
        if deployment is not None:
            with calling(WebserviceException):
                self._endpoint.put_deployment(self._deployment["name"], deployment)

    def _change(self, **changes: Any) -> None:
        found = given(changes)
        if found:
            with calling(WebserviceException):
                self._endpoint.update(**found)

    # As a dict.

    @staticmethod
    def deserialize(workspace: Workspace, webservice_payload: Dict[str, Any]) -> Webservice:
        return Webservice(workspace, webservice_payload["name"])

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(workspace={self.workspace!r}, name={self.name}, "
            f"image_id={self.image_id}, image_digest=None, compute_type={self.compute_type}, "
            f"state={self.state}, scoring_uri={self.scoring_uri}, tags={self.tags}, "
            f"properties={self.properties}, created_by={self.created_by})"
        )


def _class_of(facts: Dict[str, Any]) -> Type[Webservice]:
    from azureml.core.webservice import AciWebservice, AksEndpoint, AksWebservice, LocalWebservice

    kind = facts["kind"]
    if kind == "aks" and (facts.get("settings") or {}).get("versions") is not None:
        return AksEndpoint
    classes: Dict[str, Type[Webservice]] = {
        "aci": AciWebservice,
        "aks": AksWebservice,
        "local": LocalWebservice,
    }
    return classes.get(kind, Webservice)
