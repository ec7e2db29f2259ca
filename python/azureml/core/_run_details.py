"""A run as the dictionary that get_details gives."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

from roost.client import quote

from ._run_error import run_error


def run_details(facts: Dict[str, Any], logs: List[str], url: str) -> Dict[str, Any]:
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
    details["inputDatasets"] = [_input(item) for item in facts["spec"].get("inputs") or []]
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
        "data": {item["name"]: _input(item) for item in spec.get("inputs") or []},
    }


_FRAMEWORKS = {"pytorch": "PyTorch", "tensorflow": "TensorFlow"}
_COMMUNICATORS = {"mpi": "OpenMpi", "tensorflow": "ParameterServer"}


def _input(item: Dict[str, Any]) -> Dict[str, Any]:
    return {
        "consumptionDetails": {
            "type": "RunInput",
            "inputName": item["name"],
            "mechanism": str(item.get("mode", "download")).capitalize(),
            "pathOnCompute": item.get("path"),
        },
        "dataset": {"id": item.get("content")},
    }
