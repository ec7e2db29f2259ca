"""A run as the dictionary that get_details gives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Optional

from azureml.data._used_dataset import used_dataset
from roost.client import quote

from ._run_error import run_error

if TYPE_CHECKING:
    from .workspace import Workspace


def run_details(workspace: Workspace, facts: Dict[str, Any], logs: List[str]) -> Dict[str, Any]:
    url = workspace._client.url
    details: Dict[str, Any] = {
        "runId": facts["id"],
        "target": facts["compute"] or None,
        "status": facts["status"],
    }
    for name, key in (("startTimeUtc", "started_at"), ("endTimeUtc", "ended_at")):
        if facts.get(key):
            details[name] = facts[key]
    details["services"] = {}
    details["warnings"] = [{"source": "Roost", "message": text} for text in facts["notices"] or []]
    if facts.get("error"):
        details["error"] = run_error(facts)
    details["properties"] = dict(facts["properties"])
    details["inputDatasets"] = [
        {
            "dataset": used_dataset(workspace, item),
            "consumptionDetails": {
                "type": "RunInput",
                "inputName": item["name"],
                "mechanism": _mechanism(item),
            },
        }
        for item in facts["spec"].get("inputs") or []
        if item.get("dataset")
    ]
    details["outputDatasets"] = []
    details["runDefinition"] = run_definition(facts)
    details["logFiles"] = {
        name: f"{url}/api/v1/runs/{quote(facts['id'])}/logs/{quote(name, '/')}" for name in logs
    }
    details["submittedBy"] = facts["created_by"]
    return details


def run_definition(facts: Dict[str, Any]) -> Optional[Dict[str, Any]]:
    """What was submitted; None for a run that start_logging began."""
    spec = facts["spec"]
    if spec.get("interactive"):
        return None
    environment = dict(facts.get("environment") or spec.get("environment") or {})
    variables = {
        **(environment.get("variables") or {}),
        **(spec.get("environment_variables") or {}),
    }
    distributed = spec.get("distributed") or {}
    return {
        "script": spec.get("script"),
        "command": spec.get("command") or "",
        "useAbsolutePath": False,
        "arguments": list(spec.get("arguments") or []),
        "framework": _FRAMEWORKS.get(str(distributed.get("kind")), "Python"),
        "communicator": _COMMUNICATORS.get(str(distributed.get("kind")), "None"),
        "target": facts["compute"],
        "nodeCount": spec.get("node_count", 1),
        "maxRunDurationSeconds": spec.get("max_run_duration_seconds"),
        "priority": spec.get("priority"),
        "environment": {
            "python": {"interpreterPath": environment.get("python")},
            **(environment.get("definition") or {}),
            "name": environment.get("name"),
            "version": environment.get("version"),
            "environmentVariables": variables,
        },
        "data": {
            item["name"]: _data(item) for item in spec.get("inputs") or [] if item.get("dataset")
        },
        "dataReferences": {
            item["name"]: _data(item)
            for item in spec.get("inputs") or []
            if not item.get("dataset")
        },
    }


_FRAMEWORKS = {"pytorch": "PyTorch", "tensorflow": "TensorFlow"}
_COMMUNICATORS = {"mpi": "OpenMpi", "tensorflow": "ParameterServer"}


def _data(item: Dict[str, Any]) -> Dict[str, Any]:
    return {
        "dataLocation": {"dataset": {"id": item.get("dataset")}, "content": item.get("content")},
        "mechanism": _mechanism(item),
        "environmentVariableName": item["name"],
        "pathOnCompute": item.get("path"),
        "overwrite": False,
    }


def _mechanism(item: Dict[str, Any]) -> str:
    return str(item.get("mode", "download")).capitalize()
