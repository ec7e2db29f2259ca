"""An image: models, the script in front of them and its environment, under a name and a version.

The server keeps one as a registered model of the framework "ContainerImage" whose files are the
script and what it needs; Model.list() leaves these out. Nothing is built but the environment.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any, Dict, List, Optional

from azureml._errors import calling, is_code
from azureml.core._model_lookup import IMAGE_FRAMEWORK, matches, pairs
from azureml.core.webservice._checks import texts
from azureml.exceptions import WebserviceException
from roost.times import read_time

if TYPE_CHECKING:
    import datetime

    from azureml.core.model import Model
    from azureml.core.workspace import Workspace

__all__ = ["Image", "ImageConfig"]

_PREFIX = "container-image."
_PROPERTY = "roost.image"


class ImageConfig:
    """What Image.create takes; see ContainerImage.image_configuration()."""

    def _store(self, workspace: Workspace) -> Dict[str, Any]:
        raise NotImplementedError


class Image:
    """`Image(workspace, name)` is the newest of that name, `Image(workspace, id="name:3")` the
    third; both are of class ContainerImage."""

    def __init__(
        self,
        workspace: Workspace,
        name: Optional[str] = None,
        id: Optional[str] = None,
        tags: Any = None,
        properties: Any = None,
        version: Any = None,
        *,
        _facts: Optional[Dict[str, Any]] = None,
    ) -> None:
        from azureml.core.image.container import ContainerImage

        self.workspace = workspace
        self._build: Any = None
        if type(self) is Image:
            self.__class__ = ContainerImage
        self._take(_facts or _find(workspace, name, id, tags, properties, version))

    def _take(self, facts: Dict[str, Any]) -> None:
        self._facts = facts
        self._definition: Dict[str, Any] = json.loads(facts["properties"][_PROPERTY])
        self.name = str(facts["name"])[len(_PREFIX) :]
        self.version = int(facts["version"])
        self.id = f"{self.name}:{self.version}"
        self.description: Optional[str] = facts.get("description") or None
        self.tags: Dict[str, Any] = dict(facts["tags"])
        found = {key: value for key, value in facts["properties"].items() if key != _PROPERTY}
        self.properties: Dict[str, str] = found
        self.created_time: datetime.datetime = read_time(facts["created_at"])
        self.created_by: Any = facts.get("created_by")
        self.creation_state = "Succeeded"
        self.image_type = "Docker"
        self.image_flavor = "WebApiContainer"
        self.image_digest = str(facts["content"])
        self.image_location = f"roost/{self.id}"
        self.image_build_log_uri: Optional[str] = None
        self.generated_image_uri: Optional[str] = None
        self.model_ids: List[str] = [*self._definition["models"]]

    @property
    def models(self) -> List[Model]:
        from azureml.core.model import Model

        return [Model(self.workspace, id=id) for id in self.model_ids]

    # Making and finding them.

    @staticmethod
    def create(workspace: Workspace, name: str, models: Any, image_config: Any) -> Image:
        """Stores the definition and begins to build its environment."""
        from azureml.core._environment_build import start_build
        from azureml.core.webservice._deploying import model_ids

        if not isinstance(image_config, ImageConfig):
            raise WebserviceException(
                "image_config must be made by ContainerImage.image_configuration(), not "
                f"{type(image_config).__name__}."
            )
        stored = image_config._store(workspace)
        definition: Dict[str, Any] = {**stored["deployment"], "models": model_ids(models)}
        body: Dict[str, Any] = {
            "name": _PREFIX + str(name),
            "framework": IMAGE_FRAMEWORK,
            "content": stored["deployment"]["code"]["snapshot"],
            "description": stored["description"] or "",
            "tags": texts(stored["tags"], "tags"),
            "properties": {
                **texts(stored["properties"], "properties"),
                _PROPERTY: json.dumps(definition, sort_keys=True),
            },
        }
        print("Creating image")
        with calling(WebserviceException):
            facts = workspace._client.post(workspace._path("models"), body)
        made = Image(workspace, _facts=facts)
        environment = definition["environment"]
        if environment.get("name"):
            made._build = start_build(workspace, environment["name"], environment.get("version"))
            made.creation_state = "Running"
        return made

    @staticmethod
    def list(
        workspace: Workspace,
        image_name: Optional[str] = None,
        model_name: Optional[str] = None,
        model_id: Optional[str] = None,
        tags: Any = None,
        properties: Any = None,
        run_id: Optional[str] = None,
    ) -> List[Image]:
        """The images that match everything given, newest first."""
        found = []
        for facts in _all(workspace):
            image = Image(workspace, _facts=facts)
            names = [id.rpartition(":")[0] or id for id in image.model_ids]
            if (
                image_name in (None, image.name)
                and (model_name is None or model_name in names)
                and (model_id is None or model_id in image.model_ids)
                and matches(image.tags, pairs(tags))
                and matches(image.properties, pairs(properties))
            ):
                found.append(image)
        return found

    @staticmethod
    def image_configuration(*args: Any, **kwargs: Any) -> Any:
        from azureml.core.image.container import ContainerImage

        return ContainerImage.image_configuration(*args, **kwargs)

    # Its life.

    def wait_for_creation(self, show_output: bool = False) -> None:
        """Until its environment is built; WebserviceException says why it cannot be."""
        from azureml.exceptions import ActivityFailedException

        if show_output:
            print("Running")
            sys.stdout.flush()
        try:
            if self._build is not None:
                self._build.wait_for_completion(show_output=False)
            self.creation_state = "Succeeded"
        except ActivityFailedException as error:
            self.creation_state = "Failed"
            raise WebserviceException(
                f"Image creation failed for image {self.id}: {error.message}"
            ) from None
        finally:
            if show_output:
                print(self.creation_state)
                print(
                    f"Image creation operation finished for image {self.id}, operation "
                    f'"{self.creation_state}"'
                )
                sys.stdout.flush()

    def update_creation_state(self) -> None:
        if self._build is not None:
            self.creation_state = str(self._build.status)

    def update(self, tags: Dict[str, Any]) -> None:
        """Replaces the tags."""
        wanted = texts(tags, "tags")
        self._change({"tags": wanted, "remove_tags": sorted(set(self.tags) - set(wanted))})

    def add_tags(self, tags: Dict[str, Any]) -> None:
        self._change({"tags": texts(tags, "tags")})

    def remove_tags(self, tags: List[str]) -> None:
        self._change({"remove_tags": [*tags]})

    def add_properties(self, properties: Dict[str, Any]) -> None:
        self._change({"properties": texts(properties, "properties")})

    def delete(self) -> None:
        """Services that were deployed from it stay."""
        with calling(WebserviceException):
            self.workspace._client.delete(self._path())

    def serialize(self) -> Dict[str, Any]:
        return {
            "id": self.id,
            "name": self.name,
            "version": self.version,
            "createdTime": self._facts["created_at"],
            "creationState": self.creation_state,
            "description": self.description,
            "imageFlavor": self.image_flavor,
            "imageLocation": self.image_location,
            "imageType": self.image_type,
            "modelIds": self.model_ids,
            "properties": self.properties,
            "tags": self.tags,
        }

    @staticmethod
    def deserialize(workspace: Workspace, image_payload: Dict[str, Any]) -> Image:
        return Image(workspace, id=image_payload["id"])

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(workspace={self.workspace!r}, name={self.name}, id={self.id}, "
            f"tags={self.tags}, properties={self.properties}, version={self.version})"
        )

    # For services.

    def _deployment(self) -> Dict[str, Any]:
        """What a deployment of it says of models, code and environment."""
        return {**self._definition, "description": self.description or ""}

    def _path(self) -> str:
        return self.workspace._path("models", _PREFIX + self.name, "versions", str(self.version))

    def _change(self, body: Dict[str, Any]) -> None:
        with calling(WebserviceException):
            self._take(self.workspace._client.patch(self._path(), body))


def _all(workspace: Workspace) -> List[Dict[str, Any]]:
    with calling(WebserviceException):
        query = {"framework": IMAGE_FRAMEWORK, "limit": 1000}
        found = [*workspace._client.pages(workspace._path("models"), **query)]
    return [facts for facts in found if str(facts["name"]).startswith(_PREFIX)]


def _find(
    workspace: Workspace,
    name: Optional[str],
    id: Optional[str],
    tags: Any,
    properties: Any,
    version: Any,
) -> Dict[str, Any]:
    if id:
        name, _, number = id.rpartition(":")
        version = number
    if not name:
        raise WebserviceException("Image takes a name, or an id, such as name:3.")
    if not (tags or properties):
        try:
            with calling(WebserviceException):
                path = workspace._path("models", _PREFIX + name)
                return dict(workspace._client.get(path, version=version))
        except WebserviceException as error:
            if not is_code(error, "not_found", "invalid_argument"):
                raise
    else:
        for facts in _all(workspace):
            if (
                facts["name"] == _PREFIX + name
                and matches(facts["tags"], pairs(tags))
                and matches(facts["properties"], pairs(properties))
                and version in (None, facts["version"], str(facts["version"]))
            ):
                return facts
    names = sorted({str(facts["name"])[len(_PREFIX) :] for facts in _all(workspace)})
    raise WebserviceException(
        f"there is no image {name!r}{f' of version {version}' if version else ''} in workspace "
        f"{workspace.name}; there is {', '.join(names) or 'none at all'}. Image.list(ws) lists "
        "them.",
        status_code=404,
    )
