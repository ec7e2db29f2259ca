"""What is sent to register a model."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

from ..exceptions import WebserviceException


def model_body(
    name: str,
    tags: Optional[Dict[str, Any]] = None,
    properties: Optional[Dict[str, Any]] = None,
    description: Optional[str] = None,
    framework: Optional[str] = None,
    framework_version: Optional[str] = None,
    datasets: Any = None,
    sample_input: Any = None,
    sample_output: Any = None,
    resources: Any = None,
) -> Dict[str, Any]:
    if not isinstance(name, str) or not name:
        raise WebserviceException(f"model_name must be the name of a model, not {name!r}.")
    body: Dict[str, Any] = {
        "name": name,
        "description": description,
        "tags": texts(tags, "tags"),
        "properties": texts(properties, "properties"),
        "framework": framework,
        "framework_version": None if framework_version is None else str(framework_version),
        "datasets": _datasets(datasets),
        "sample_input": _dataset_name(sample_input),
        "sample_output": _dataset_name(sample_output),
        "resources": _resources(resources),
    }
    return {key: value for key, value in body.items() if value not in (None, {}, [])}


def texts(values: Optional[Dict[str, Any]], what: str) -> Dict[str, Optional[str]]:
    if values is not None and not isinstance(values, dict):
        raise WebserviceException(f"{what} must be a dict of key to value, not {values!r}.")
    return {
        str(key): None if value is None else str(value) for key, value in (values or {}).items()
    }


def refuse_options(what: str, options: Dict[str, Any]) -> None:
    """An argument that is not understood must not be taken for one that is."""
    for name in options:
        raise WebserviceException(f"{what} has no argument {name}=; leave it out.")


def _datasets(given: Any) -> List[Dict[str, Any]]:
    """[(scenario, dataset), ...] as real code has it."""
    found = []
    for item in given or []:
        try:
            scenario, dataset = item
        except (TypeError, ValueError):
            raise WebserviceException(
                "datasets is a list of pairs (Dataset.Scenario.TRAINING, dataset), and has "
                f"{item!r}."
            ) from None
        found.append(
            {
                "scenario": str(scenario),
                "name": _dataset_name(dataset) or "unregistered",
                "version": getattr(dataset, "version", None),
            }
        )
    return found


def _dataset_name(dataset: Any) -> Optional[str]:
    if dataset is None or isinstance(dataset, str):
        return dataset
    name = getattr(dataset, "name", None) or getattr(dataset, "id", None)
    return None if name is None else str(name)


def _resources(given: Any) -> Optional[Dict[str, Any]]:
    if given is None or isinstance(given, dict):
        return given
    found = {key: getattr(given, key, None) for key in ("cpu", "memory_in_gb", "gpu")}
    return {key: value for key, value in found.items() if value is not None}
