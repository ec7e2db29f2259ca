"""What an MLflow server has, read by its REST API."""

from __future__ import annotations

import math
from typing import Any, BinaryIO, Dict, Iterator, List, Optional
from urllib.parse import unquote, urlsplit

from .api import Api, ApiError
from .local_files import files_below, folder_of_uri, open_below
from .store import (
    DatasetInput,
    Experiment,
    File,
    Labels,
    Point,
    RegisteredModel,
    Run,
    Store,
    Version,
)

_PAGE = 1000
_POINTS = 25_000


class RestStore(Store):
    def __init__(self, api: Api) -> None:
        self.where = api.url
        self.api = api

    def experiments(self) -> Iterator[Experiment]:
        asked = {"max_results": _PAGE, "view_type": "ALL"}
        for found in self.api.pages("POST", "experiments/search", "experiments", **asked):
            yield Experiment(
                str(found["experiment_id"]),
                str(found["name"]),
                found.get("lifecycle_stage") == "deleted",
                labels(found.get("tags")),
            )

    def runs(self, experiment: Experiment) -> Iterator[Run]:
        asked = {"experiment_ids": [experiment.id], "max_results": _PAGE, "run_view_type": "ALL"}
        for found in self.api.pages("POST", "runs/search", "runs", **asked):
            yield run_of(found)

    def history(self, run: Run, metric: str) -> Iterator[Point]:
        return history_of(self.api, run.id, metric)

    def files(self, run: Run) -> Iterator[File]:
        root = self._served(run.artifact_uri)
        return files_below(folder_of_uri(run.artifact_uri)) if root is None else self._below(root)

    def open_file(self, run: Run, path: str) -> BinaryIO:
        root = self._served(run.artifact_uri)
        if root is None:
            return open_below(folder_of_uri(run.artifact_uri), path)
        return self.api.fetch(f"{root}/{path}")

    def _served(self, uri: str) -> Optional[str]:
        parts = urlsplit(uri)
        return unquote(parts.path).strip("/") if parts.scheme == "mlflow-artifacts" else None

    def _below(self, root: str, folder: str = "") -> Iterator[File]:
        for found in self.api.list_folder(f"{root}/{folder}".rstrip("/")):
            path = f"{folder}/{found['path']}".lstrip("/")
            if found.get("is_dir"):
                yield from self._below(root, path)
            else:
                yield File(path, int(found.get("file_size") or 0))

    def models(self) -> Iterator[RegisteredModel]:
        try:
            yield from map(
                self._model,
                self.api.pages(
                    "GET", "registered-models/search", "registered_models", max_results=100
                ),
            )
        except ApiError as error:
            if error.status != 404:  # a server whose registry is elsewhere
                raise

    def model(self, name: str) -> RegisteredModel:
        return self._model(self.api.get("registered-models/get", name=name)["registered_model"])

    def _model(self, found: Dict[str, Any]) -> RegisteredModel:
        name = str(found["name"])
        aliases = {str(one["alias"]): str(one["version"]) for one in found.get("aliases", [])}
        about = str(found.get("description") or "")
        return RegisteredModel(name, about, labels(found.get("tags")), aliases, self.versions(name))

    def versions(self, name: str) -> List[Version]:
        quote = '"' if "'" in name else "'"
        asked = {"filter": f"name = {quote}{name}{quote}", "max_results": _PAGE}
        versions: List[Version] = []
        for one in self.api.pages("GET", "model-versions/search", "model_versions", **asked):
            versions.append(
                Version(
                    int(one["version"]),
                    str(one.get("source") or ""),
                    str(one.get("run_id") or ""),
                    str(one.get("description") or ""),
                    str(one.get("current_stage") or "None"),
                    labels(one.get("tags")),
                    str(one.get("run_link") or ""),
                    str(one.get("model_id") or ""),
                )
            )
        return sorted(versions, key=lambda version: version.number)


def labels(pairs: Any) -> Labels:
    return {str(pair["key"]): str(pair.get("value", "")) for pair in pairs or []}


def run_of(found: Dict[str, Any]) -> Run:
    info, data = found["info"], found.get("data", {})
    inputs = found.get("inputs", {}).get("dataset_inputs", [])
    return Run(
        str(info.get("run_id") or info["run_uuid"]),
        str(info.get("run_name") or ""),
        str(info.get("user_id") or ""),
        str(info.get("status") or "FINISHED"),
        _whole(info.get("start_time")),
        _whole(info.get("end_time")),
        info.get("lifecycle_stage") == "deleted",
        str(info.get("artifact_uri") or ""),
        labels(data.get("params")),
        labels(data.get("tags")),
        sorted(str(metric["key"]) for metric in data.get("metrics", [])),
        [
            DatasetInput(
                {str(k): str(v) for k, v in one["dataset"].items() if v}, labels(one.get("tags"))
            )
            for one in inputs
        ],
    )


def history_of(api: Api, run: str, metric: str) -> Iterator[Point]:
    asked = {"run_id": run, "metric_key": metric, "max_results": _POINTS}
    for point in api.pages("GET", "metrics/get-history", "metrics", **asked):
        yield Point(
            int(point.get("timestamp", 0)), int(point.get("step", 0)), number_of(point.get("value"))
        )


def number_of(value: Any) -> float:
    """Also of the texts that stand for what JSON has no numbers for."""
    number = float(value or 0)
    if abs(number) >= 1.7976931348623157e308:  # MLflow's SQL store has no infinity
        return math.copysign(math.inf, number)
    return number


def _whole(value: Any) -> Optional[int]:
    return None if value in (None, "", 0, "0") else int(value)
