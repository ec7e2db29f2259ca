"""Finding services."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Optional

from azureml._errors import calling, is_code
from azureml.core._model_lookup import matches, pairs
from azureml.exceptions import WebserviceException
from roost.endpoint import Endpoint, list_endpoints
from roost.errors import RoostError

if TYPE_CHECKING:
    from azureml.core.workspace import Workspace

_SHOWN = 20
_COMPUTE_TYPES = {"aci": "ACI", "aks": "AKS", "local": "LOCAL"}


def find_endpoint(
    workspace: Workspace, name: Any, facts: Optional[Dict[str, Any]] = None
) -> Endpoint:
    if not isinstance(name, str) or not name:
        raise WebserviceException(f"A web service is found by its name, a text, not {name!r}.")
    try:
        with calling(WebserviceException):
            return Endpoint(name, workspace.name, workspace._client, facts)
    except WebserviceException as error:
        if not is_code(error, "not_found", "invalid_argument"):
            raise
        raise WebserviceException(
            f"WebserviceNotFound: Webservice with name {name} not found in workspace "
            f"{workspace.name}; {_what_is_there(workspace)}. Webservice.list(ws) lists them, "
            "Model.deploy makes one.",
            status_code=404,
            inner_exception=error.inner_exception,
        ) from None


def list_services(
    workspace: Workspace,
    compute_type: Optional[str],
    image_name: Optional[str],
    image_id: Optional[str],
    model_name: Optional[str],
    model_id: Optional[str],
    tags: Any,
    properties: Any,
    image_digest: Optional[str],
) -> List[Dict[str, Any]]:
    with calling(WebserviceException):
        found = [one.facts for one in list_endpoints(workspace._client, workspace.name)]
    if compute_type is None:
        found = [facts for facts in found if facts["kind"] != "local"]
    else:
        wanted = str(compute_type).upper()
        found = [one for one in found if _COMPUTE_TYPES.get(one["kind"], "ROOST") == wanted]
    if image_digest is not None:
        found = []  # services keep no digest of an image
    return [
        facts
        for facts in found
        if matches(facts["tags"], pairs(tags))
        and matches(facts["properties"], pairs(properties))
        and _has_model(facts, model_name, model_id)
        and _has_image(facts, image_name, image_id)
    ]


def _has_model(facts: Dict[str, Any], name: Optional[str], id: Optional[str]) -> bool:
    models = [model for one in facts["deployments"] for model in one["models"]]
    return (name is None or any(model["name"] == name for model in models)) and (
        id is None or any(model["id"] == id for model in models)
    )


def _has_image(facts: Dict[str, Any], name: Optional[str], id: Optional[str]) -> bool:
    image = str((facts.get("settings") or {}).get("image_id") or "")
    return (name is None or image.rpartition(":")[0] == name) and (id is None or image == id)


def _what_is_there(workspace: Workspace) -> str:
    try:
        names = sorted(one.name for one in list_endpoints(workspace._client, workspace.name))
    except RoostError:
        names = []
    return f"there is {', '.join(names[:_SHOWN])}" if names else "there is none at all"
