"""What the run that made a model ran in: its model is loaded in the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Optional

from azureml._errors import calling, is_code
from azureml.exceptions import AzureMLException, WebserviceException

if TYPE_CHECKING:
    from .workspace import Workspace

_NAMED = ("name", "version", "pins")


def run_that_made(workspace: Workspace, run_id: Optional[str]) -> Optional[Dict[str, Any]]:
    """None if it is not known, is gone, or ran in a process of the user's own."""
    if not run_id:
        return None
    try:
        with calling(WebserviceException):
            facts = workspace._client.get_run(run_id)
    except AzureMLException as error:
        if is_code(error, "not_found"):
            return None
        raise
    return None if facts.get("type") == "interactive" else facts


def environment_of(facts: Dict[str, Any]) -> Dict[str, Any]:
    """The environment of a run, for another one, with the very versions it had."""
    asked = (facts.get("spec") or {}).get("environment") or {}
    found = facts.get("environment") or {}
    kept = {key: value for key, value in asked.items() if value and key != "variables"}
    kept.update({key: found[key] for key in _NAMED if found.get(key)})
    if found.get("lock"):
        kept["lock"] = found["lock"]
        kept.pop("python", None)  # that of what was built, which may be gone by now
        if found.get("changes"):
            kept["pins"] = "nearest"
    elif found.get("python"):
        kept["python"] = found["python"]
    return kept
