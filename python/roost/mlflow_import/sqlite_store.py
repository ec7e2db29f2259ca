"""MLflow's SQL store in SQLite, opened for reading alone."""

from __future__ import annotations

import math
import os
import sqlite3
from typing import Any, BinaryIO, Dict, Iterator, List, Optional, Tuple
from urllib.parse import quote

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

_LARGEST = 1.7976931348623157e308  # what MLflow stores for infinity


class SqliteStore(Store):
    """`served` is the folder of an MLflow server's artifacts (--artifacts-destination)."""

    def __init__(self, path: str, served: Optional[str]) -> None:
        self.where = os.path.abspath(path)
        if not os.path.isfile(self.where):
            raise StoreError(f"there is no file {self.where}")
        beside = os.path.join(os.path.dirname(self.where), "mlartifacts")
        self._served = served or (beside if os.path.isdir(beside) else None)
        self._db = sqlite3.connect(f"file:{quote(self.where)}?mode=ro", uri=True)
        try:
            self._query("SELECT 1 FROM experiments, runs LIMIT 1")
        except sqlite3.DatabaseError as error:
            raise StoreError(f"{self.where} is no database of MLflow: {error}") from None

    def close(self) -> None:
        self._db.close()

    def experiments(self) -> Iterator[Experiment]:
        rows = self._query(
            "SELECT experiment_id, name, lifecycle_stage FROM experiments ORDER BY experiment_id"
        )
        for number, name, stage in rows:
            tags = self._labels("experiment_tags", experiment_id=number)
            yield Experiment(str(number), name, stage == "deleted", tags)

    def runs(self, experiment: Experiment) -> Iterator[Run]:
        rows = self._query(
            "SELECT run_uuid, name, user_id, status, start_time, end_time, lifecycle_stage,"
            " artifact_uri FROM runs WHERE experiment_id = ? ORDER BY start_time, run_uuid",
            int(experiment.id),
        )
        for run, name, user, status, start, end, stage, uri in rows:
            tags = self._labels("tags", run_uuid=run)
            metrics = self._query("SELECT DISTINCT key FROM metrics WHERE run_uuid = ?", run)
            yield Run(
                run,
                name or tags.get("mlflow.runName", ""),
                user or "",
                status,
                start,
                end,
                stage == "deleted",
                uri or "",
                self._labels("params", run_uuid=run),
                tags,
                sorted(key for (key,) in metrics),
                list(self._inputs(run)),
            )

    def history(self, run: Run, metric: str) -> Iterator[Point]:
        rows = self._db.execute(
            "SELECT timestamp, step, value, is_nan FROM metrics WHERE run_uuid = ? AND key = ?"
            " ORDER BY timestamp, step, value",
            (run.id, metric),
        )
        for at, step, value, is_nan in rows:
            yield Point(at, step, math.nan if is_nan else _finite_or_not(value))

    def files(self, run: Run) -> Iterator[File]:
        return files_below(folder_of_uri(run.artifact_uri, self._served))

    def open_file(self, run: Run, path: str) -> BinaryIO:
        return open_below(folder_of_uri(run.artifact_uri, self._served), path)

    def models(self) -> Iterator[RegisteredModel]:
        for name, about in self._query(
            "SELECT name, description FROM registered_models ORDER BY name"
        ):
            aliases = self._rows_of("registered_model_aliases", "alias, version", name=name)
            yield RegisteredModel(
                name,
                about or "",
                self._labels("registered_model_tags", name=name),
                {alias: str(version) for alias, version in aliases},
                list(self._versions(name)),
            )

    def _versions(self, name: str) -> Iterator[Version]:
        rows = self._query(
            "SELECT version, source, run_id, description, current_stage, run_link"
            " FROM model_versions WHERE name = ? ORDER BY version",
            name,
        )
        for number, source, run, about, stage, link in rows:
            if stage == "Deleted_Internal":
                continue
            tags = self._labels("model_version_tags", name=name, version=number)
            stage = stage or "None"
            yield Version(number, source or "", run or "", about or "", stage, tags, link or "", "")

    def _inputs(self, run: str) -> Iterator[DatasetInput]:
        if not self._has("inputs") or not self._has("datasets"):
            return
        rows = self._query(
            "SELECT input_uuid, d.name, digest, dataset_source_type, dataset_source,"
            " dataset_schema, dataset_profile FROM inputs"
            " JOIN datasets d ON d.dataset_uuid = inputs.source_id"
            " WHERE inputs.destination_id = ? AND inputs.source_type = 'DATASET'",
            run,
        )
        keys = ("name", "digest", "source_type", "source", "schema", "profile")
        for link, *facts in rows:
            tags: Labels = dict(self._pairs("input_tags", "name, value", input_uuid=link))
            yield DatasetInput({k: v for k, v in zip(keys, facts) if v}, tags)

    def _has(self, table: str) -> bool:
        found = self._query("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", table)
        return bool(found)

    def _labels(self, table: str, **where: Any) -> Labels:
        return dict(self._pairs(table, "key, value", **where))

    def _pairs(self, table: str, columns: str, **where: Any) -> Iterator[Tuple[str, str]]:
        for key, value in self._rows_of(table, columns, **where):
            yield str(key), value or ""

    def _rows_of(self, table: str, columns: str, **where: Any) -> List[Tuple[Any, ...]]:
        if not self._has_cached(table):
            return []
        condition = " AND ".join(f"{name} = ?" for name in where)
        return self._query(f"SELECT {columns} FROM {table} WHERE {condition}", *where.values())

    _known: Dict[str, bool] = {}

    def _has_cached(self, table: str) -> bool:
        if table not in self._known:
            self._known = {**self._known, table: self._has(table)}
        return self._known[table]

    def _query(self, text: str, *values: Any) -> List[Tuple[Any, ...]]:
        return self._db.execute(text, values).fetchall()


def _finite_or_not(value: float) -> float:
    if value >= _LARGEST:
        return math.inf
    return -math.inf if value <= -_LARGEST else value
