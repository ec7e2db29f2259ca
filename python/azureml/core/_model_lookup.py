"""Finding models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Optional, Tuple, Union

from roost.errors import RoostError

from .._errors import calling, is_code
from ..exceptions import AzureMLException, ModelNotFoundException, WebserviceException

if TYPE_CHECKING:
    from .workspace import Workspace

_SHOWN = 20
# Images of before Model.deploy() are kept among the models; see azureml/core/image/image.py.
IMAGE_FRAMEWORK = "ContainerImage"


def find_model(
    workspace: Workspace,
    name: Optional[str],
    id: Optional[str],
    tags: Any,
    properties: Any,
    version: Union[int, str, None],
    run_id: Optional[str],
    framework: Optional[str],
) -> Dict[str, Any]:
    """The newest model that matches everything given."""
    if id:
        name, _, number = id.rpartition(":")
        if not name or not number.isdigit():
            raise WebserviceException(f"the id of a model is name:version, not {id!r}.")
        version = int(number)
    if not name:
        raise WebserviceException("Model takes a name, or an id, such as name:3.")
    simple = not (tags or properties or run_id or framework)
    try:
        with calling(WebserviceException):
            if simple:
                path = workspace._path("models", name)
                return dict(workspace._client.get(path, version=version))
    except WebserviceException as error:
        if not is_code(error, "not_found"):
            raise
        raise _not_found(workspace, name, version, error) from None
    found = list_models(workspace, name, tags, properties, run_id, False, framework)
    found = [facts for facts in found if version is None or facts["version"] == int(version)]
    if not found:
        raise _not_found(workspace, name, version, None)
    return max(found, key=lambda facts: int(facts["version"]))


def list_models(
    workspace: Workspace,
    name: Optional[str],
    tags: Any,
    properties: Any,
    run_id: Optional[str],
    latest: bool,
    framework: Optional[str],
) -> List[Dict[str, Any]]:
    """The models that match everything given, newest first."""
    query = {
        "name": name,
        "run": run_id,
        "framework": framework,
        "latest": True if latest else None,
        "tag": [key if value is None else f"{key}={value}" for key, value in pairs(tags)],
        "limit": 1000,
    }
    with calling(WebserviceException):
        items = [*workspace._client.pages(workspace._path("models"), **query)]
    wanted = pairs(properties)
    return [
        item
        for item in items
        if matches(item["properties"], wanted)
        and (item["framework"] != IMAGE_FRAMEWORK or framework == IMAGE_FRAMEWORK)
    ]


def _not_found(
    workspace: Workspace,
    name: str,
    version: Union[int, str, None],
    error: Optional[AzureMLException],
) -> ModelNotFoundException:
    which = f"model {name!r}" if version is None else f"version {version} of a model {name!r}"
    try:
        items = [*workspace._client.pages(workspace._path("models"), limit=1000)]
    except RoostError:
        items = []
    versions = [str(item["version"]) for item in items if item["name"] == name]
    names = sorted({str(item["name"]) for item in items})
    there = (
        f"of {name!r} there is version {', '.join(versions)}"
        if versions
        else f"there is {', '.join(names[:_SHOWN]) or 'no model at all'}"
    )
    return ModelNotFoundException(
        f"there is no {which} in workspace {workspace.name}; {there}. Model.list(ws) "
        "lists them, Model.register adds one.",
        inner_exception=getattr(error, "inner_exception", None),
    )


def pairs(given: Any) -> List[Tuple[str, Optional[str]]]:
    """'key', ['key', ['key2', 'value']] or {'key': 'value'} as pairs."""
    if not given:
        return []
    if isinstance(given, str):
        return [(given, None)]
    if isinstance(given, dict):
        return [(str(key), None if value is None else str(value)) for key, value in given.items()]
    pairs: List[Tuple[str, Optional[str]]] = []
    for item in given:
        if isinstance(item, str):
            key, equals, value = item.partition("=")
            pairs.append((key, value if equals else None))
        else:
            key, value = item
            pairs.append((str(key), str(value)))
    return pairs


def matches(properties: Dict[str, Any], wanted: List[Tuple[str, Optional[str]]]) -> bool:
    return all(
        key in properties and (value is None or properties[key] == value) for key, value in wanted
    )
