"""MLflow's file store: mlruns/EXPERIMENT/RUN/{meta.yaml, metrics/, params/, tags/, artifacts/}."""

from __future__ import annotations

import os
from typing import Any, BinaryIO, Dict, Iterator, List, Optional

from .. import yaml
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
    StoreError,
    Version,
)

_META = "meta.yaml"
_TRASH = ".trash"
_NO_EXPERIMENTS = ("models", "prompts", _TRASH)
_STATUS = {1: "RUNNING", 2: "SCHEDULED", 3: "FINISHED", 4: "FAILED", 5: "KILLED"}


class FileStore(Store):
    def __init__(self, folder: str) -> None:
        self.where = os.path.abspath(folder)
        if not any(self._experiment_folders()):
            raise StoreError(
                f"{self.where} has no experiments of MLflow: name the folder mlruns itself"
            )

    def experiments(self) -> Iterator[Experiment]:
        for folder in self._experiment_folders():
            meta = _meta(folder)
            yield Experiment(
                _text(meta, "experiment_id") or os.path.basename(folder),
                _text(meta, "name"),
                _text(meta, "lifecycle_stage") == "deleted",
                _texts_below(os.path.join(folder, "tags")),
            )

    def runs(self, experiment: Experiment) -> Iterator[Run]:
        for folder in self._experiment_folders():
            if os.path.basename(folder) != experiment.id:
                continue
            for name in sorted(os.listdir(folder)):
                run = os.path.join(folder, name)
                if os.path.isfile(os.path.join(run, _META)) and "run_id" in _meta(run):
                    yield self._run(folder, run)

    def _run(self, experiment: str, folder: str) -> Run:
        meta = _meta(folder)
        tags = _texts_below(os.path.join(folder, "tags"))
        status = meta.get("status")
        return Run(
            _text(meta, "run_id"),
            _text(meta, "run_name") or tags.get("mlflow.runName", ""),
            _text(meta, "user_id"),
            _STATUS.get(status, "FINISHED") if isinstance(status, int) else str(status),
            _number(meta, "start_time"),
            _number(meta, "end_time"),
            _text(meta, "lifecycle_stage") == "deleted",
            folder,
            _texts_below(os.path.join(folder, "params")),
            tags,
            list(_names_below(os.path.join(folder, "metrics"))),
            list(_inputs(experiment, folder)),
        )

    def history(self, run: Run, metric: str) -> Iterator[Point]:
        path = os.path.join(run.artifact_uri, "metrics", *metric.split("/"))
        with open(path, encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                words = line.split()
                if not words:
                    continue
                try:
                    step = int(words[2]) if len(words) > 2 else 0
                    yield Point(int(words[0]), step, float(words[1]))
                except (ValueError, IndexError):
                    raise StoreError(f"{path}:{number} is no point of a metric: {line!r}") from None

    def files(self, run: Run) -> Iterator[File]:
        return files_below(self._artifacts(run))

    def open_file(self, run: Run, path: str) -> BinaryIO:
        return open_below(self._artifacts(run), path)

    def _artifacts(self, run: Run) -> str:
        beside = os.path.join(run.artifact_uri, "artifacts")
        if os.path.isdir(beside):  # also where the whole store was moved
            return beside
        uri = _text(_meta(run.artifact_uri), "artifact_uri")
        return folder_of_uri(uri) if uri else beside

    def artifact_root(self, run: Run) -> str:
        return _text(_meta(run.artifact_uri), "artifact_uri")

    def models(self) -> Iterator[RegisteredModel]:
        root = os.path.join(self.where, "models")
        for name in sorted(os.listdir(root)) if os.path.isdir(root) else []:
            folder = os.path.join(root, name)
            if not os.path.isfile(os.path.join(folder, _META)):
                continue
            meta = _meta(folder)
            versions: List[Version] = []
            for entry in os.listdir(folder):
                if entry.startswith("version-"):
                    version = _version(os.path.join(folder, entry))
                    if version is not None:
                        versions.append(version)
            yield RegisteredModel(
                _text(meta, "name"),
                _text(meta, "description"),
                _texts_below(os.path.join(folder, "tags")),
                _texts_below(os.path.join(folder, "aliases")),
                sorted(versions),
            )

    def _experiment_folders(self) -> Iterator[str]:
        for root in (self.where, os.path.join(self.where, _TRASH)):
            for name in sorted(os.listdir(root)) if os.path.isdir(root) else []:
                folder = os.path.join(root, name)
                if name not in _NO_EXPERIMENTS and os.path.isfile(os.path.join(folder, _META)):
                    yield folder


def _version(folder: str) -> Optional[Version]:
    meta = _meta(folder)
    stage = _text(meta, "current_stage") or "None"
    if stage == "Deleted_Internal":
        return None
    return Version(
        int(meta["version"]),
        _text(meta, "source"),
        _text(meta, "run_id"),
        _text(meta, "description"),
        stage,
        _texts_below(os.path.join(folder, "tags")),
        _text(meta, "run_link"),
        _text(meta, "model_id"),
    )


def _inputs(experiment: str, run: str) -> Iterator[DatasetInput]:
    folder = os.path.join(run, "inputs")
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        link = _meta(os.path.join(folder, name))
        dataset = os.path.join(experiment, "datasets", _text(link, "source_id"))
        if _text(link, "source_type") != "DATASET" or not os.path.isdir(dataset):
            continue
        tags = link.get("tags")
        meta = _meta(dataset)
        keys = ("name", "digest", "source_type", "source", "schema", "profile")
        yield DatasetInput(
            {key: _text(meta, key) for key in keys if _text(meta, key)},
            {str(k): str(v) for k, v in tags.items()} if isinstance(tags, dict) else {},
        )


def _meta(folder: str) -> Dict[str, Any]:
    path = os.path.join(folder, _META)
    try:
        meta = yaml.read_file(path)
    except (OSError, ValueError) as error:
        raise StoreError(f"{path} cannot be read: {error}") from None
    if not isinstance(meta, dict):
        raise StoreError(f"{path} is not what MLflow writes: it must be a mapping")
    return meta


def _text(meta: Dict[str, Any], key: str) -> str:
    value = meta.get(key)
    return "" if value is None else str(value)


def _number(meta: Dict[str, Any], key: str) -> Optional[int]:
    value = meta.get(key)
    return value if isinstance(value, int) else None


def _names_below(folder: str) -> Iterator[str]:
    for file in files_below(folder):
        yield file.path


def _texts_below(folder: str) -> Labels:
    texts: Labels = {}
    for name in _names_below(folder):
        with open_below(folder, name) as file:
            texts[name] = file.read().decode("utf-8", "replace")
    return texts
