"""Writes what a store has into a workspace, through Roost's MLflow API, and reads it back.

Every run keeps its id, so what names it (parents, models, notebooks) goes on to mean it, and a
second import finds what the first brought. A run is done once it has the tag _DONE; one without it
is written again, which changes nothing that is there: equal points and parameters are kept once.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from typing import (
    Any,
    Callable,
    Dict,
    Iterable,
    Iterator,
    List,
    NamedTuple,
    Optional,
    Tuple,
    TypeVar,
)

from .api import Api, ApiError
from .rest_store import RestStore, history_of, run_of
from .store import Experiment, Labels, Point, RegisteredModel, Run, Store, StoreError, Version

_DONE = "roost.imported"  # where it came from
_METRICS = 1000
_PARAMS = 100
_MISSING = "RESOURCE_DOES_NOT_EXIST"
_THERE = "RESOURCE_ALREADY_EXISTS"
_PARENT = "mlflow.parentRunId"

_T = TypeVar("_T")
Progress = Callable[[int, int], None]


class Kind(NamedTuple):
    found: int
    brought: int  # by this import or an earlier one
    equal: int


class Report:
    """What was found, brought, and equal when it was read back; and what was not."""

    def __init__(self) -> None:
        self.found: Counter[str] = Counter()
        self.brought: Counter[str] = Counter()
        self.equal: Counter[str] = Counter()
        self.remarks: List[str] = []

    def kinds(self) -> Dict[str, Kind]:
        names = (
            "experiments",
            "runs",
            "points",
            "params",
            "tags",
            "inputs",
            "files",
            "models",
            "versions",
        )
        return {
            name: Kind(self.found[name], self.brought[name], self.equal[name])
            for name in names
            if self.found[name] or name in ("experiments", "runs")
        }

    def is_whole(self) -> bool:
        return all(kind.found == kind.brought == kind.equal for kind in self.kinds().values())


class Importer:
    def __init__(self, store: Store, roost: Api, progress: Optional[Progress] = None) -> None:
        self._store = store
        self._roost = roost
        self._mirror = RestStore(roost)
        self._progress = progress
        self._brought_runs: Dict[str, Run] = {}  # as the store has them
        self.report = Report()

    def run(self) -> Report:
        for experiment in self._store.experiments():
            self._bring_experiment(experiment)
        for model in self._store.models():
            self._bring_model(model)
        return self.report

    # Experiments.

    def _bring_experiment(self, experiment: Experiment) -> None:
        report = self.report
        report.found["experiments"] += 1
        there = self._open_experiment(experiment)
        for key, value in experiment.tags.items():
            self._roost.post(
                "experiments/set-experiment-tag", experiment_id=there, key=key, value=value
            )
        report.brought["experiments"] += 1
        for run in _parents_first(self._store.runs(experiment)):
            self._bring_run(there, run)
        if experiment.is_deleted:
            self._roost.post("experiments/delete", experiment_id=there)
        read = self._roost.get("experiments/get", experiment_id=there)["experiment"]
        tags = {tag["key"]: tag.get("value", "") for tag in read.get("tags", [])}
        same_stage = (read.get("lifecycle_stage") == "deleted") == experiment.is_deleted
        if same_stage and all(tags.get(key) == value for key, value in experiment.tags.items()):
            report.equal["experiments"] += 1
        else:
            report.remarks.append(f"experiment {experiment.name}: its tags or its stage differ")

    def _open_experiment(self, experiment: Experiment) -> str:
        """Its id here. It is made if it is missing, and restored if it is deleted."""
        try:
            found = self._roost.get("experiments/get-by-name", experiment_name=experiment.name)
        except ApiError as error:
            if error.code != _MISSING:
                raise
            made = self._roost.post("experiments/create", name=experiment.name)
            return str(made["experiment_id"])
        there = str(found["experiment"]["experiment_id"])
        if found["experiment"].get("lifecycle_stage") == "deleted":
            self._roost.post("experiments/restore", experiment_id=there)
        return there

    # Runs.

    def _bring_run(self, experiment: str, run: Run) -> None:
        report = self.report
        report.found["runs"] += 1
        for name, items in (("params", run.params), ("tags", run.tags), ("inputs", run.inputs)):
            report.found[name] += len(items)
        points = {metric: list(self._store.history(run, metric)) for metric in run.metrics}
        report.found["points"] += sum(map(len, points.values()))
        try:
            files = sorted(self._store.files(run))
        except StoreError as error:
            report.remarks.append(f"files of run {run.id}: {error}")
            files = []
        report.found["files"] += len(files)
        there = self._find(run.id)
        is_done = there is not None and _DONE in there.tags
        if there is None:
            there = self._make_run(experiment, run)
        if not is_done:
            if there.is_deleted:
                self._roost.post("runs/restore", run_id=run.id)
            self._fill(run, points)
            self._send_files(run, there, files)
            self._end(run)
        report.brought["runs"] += 1
        self._brought_runs[run.id] = run
        self._compare(run, points, files)
        if self._progress is not None:
            self._progress(report.found["runs"], report.found["points"])

    def _find(self, run: str) -> Optional[Run]:
        try:
            return run_of(self._roost.get("runs/get", run_id=run)["run"])
        except ApiError as error:
            if error.code == _MISSING:
                return None
            raise

    def _make_run(self, experiment: str, run: Run) -> Run:
        body: Dict[str, Any] = {
            "experiment_id": experiment,
            "roost_import": {"run_id": run.id, "user_id": run.user},
            "run_name": run.name,
            "tags": _pairs(item for item in run.tags.items() if item[0] == _PARENT),
        }
        if run.start is not None:
            body["start_time"] = run.start
        return run_of(self._roost.post("runs/create", **body)["run"])

    def _fill(self, run: Run, points: Dict[str, List[Point]]) -> None:
        every = [(metric, point) for metric, history in points.items() for point in history]
        for batch in _batches(every, _METRICS):
            self._roost.post(
                "runs/log-batch", run_id=run.id, metrics=[_metric(*one) for one in batch]
            )
        for params in _batches(sorted(run.params.items()), _PARAMS):
            self._roost.post("runs/log-batch", run_id=run.id, params=_pairs(params))
        for tags in _batches(sorted(run.tags.items()), _PARAMS):
            self._roost.post("runs/log-batch", run_id=run.id, tags=_pairs(tags))
        if run.inputs:
            datasets = [
                {"dataset": one.dataset, "tags": _pairs(sorted(one.tags.items()))}
                for one in run.inputs
            ]
            self._roost.post("runs/log-inputs", run_id=run.id, datasets=datasets)

    def _send_files(self, run: Run, there: Run, files: Iterable[Any]) -> None:
        root = there.artifact_uri.split(":", 1)[1].strip("/")
        for file in files:
            with self._store.open_file(run, file.path) as content:
                self._roost.put(f"{root}/{file.path}", content)

    def _end(self, run: Run) -> None:
        ended = {"end_time": run.end} if run.end is not None else {}
        self._roost.post("runs/update", run_id=run.id, status=run.status, **ended)
        self._roost.post("runs/set-tag", run_id=run.id, key=_DONE, value=self._store.where)
        if run.is_deleted:
            self._roost.post("runs/delete", run_id=run.id)

    # Reading back.

    def _compare(self, run: Run, points: Dict[str, List[Point]], files: List[Any]) -> None:
        report = self.report
        there = self._find(run.id)
        if there is None:
            report.remarks.append(f"run {run.id} is not found again")
            return
        differences: List[str] = []
        heads = ("name", "status", "start", "end", "is_deleted")
        differences += [name for name in heads if not _is_same_head(name, run, there)]
        for kind in ("params", "tags"):
            mine, theirs = getattr(run, kind), getattr(there, kind)
            same = sum(1 for key, value in mine.items() if theirs.get(key) == value)
            self._count(kind, len(mine), same, differences)
        same = sum(1 for one in run.inputs if one in there.inputs)
        self._count("inputs", len(run.inputs), same, differences)
        for metric, mine in points.items():
            found = Counter(map(_exact, history_of(self._roost, run.id, metric)))
            wanted = Counter(map(_exact, mine))
            # MLflow's file store may have a point twice; it is one.
            repeated = len(mine) - len(wanted)
            same = sum(1 for point in wanted if point in found)
            self._count(
                "points", len(mine), same + (repeated if same == len(wanted) else 0), differences
            )
        self._compare_files(there, files, differences)
        if differences:
            report.remarks.append(f"run {run.id} ({run.name}): {', '.join(differences)} differ")
        else:
            report.equal["runs"] += 1

    def _compare_files(self, there: Run, files: List[Any], differences: List[str]) -> None:
        found = set(self._mirror.files(there)) if files else set()
        self._count("files", len(files), len(found.intersection(files)), differences)

    def _count(self, kind: str, wanted: int, same: int, differences: List[str]) -> None:
        self.report.brought[kind] += wanted
        self.report.equal[kind] += same
        if same != wanted and kind not in differences:
            differences.append(kind)

    # Registered models.

    def _bring_model(self, model: RegisteredModel) -> None:
        report = self.report
        report.found["models"] += 1
        report.found["versions"] += len(model.versions)
        try:
            self._roost.post(
                "registered-models/create",
                name=model.name,
                tags=_pairs(sorted(model.tags.items())),
                description=model.description,
            )
        except ApiError as error:
            if error.code != _THERE:
                report.remarks.append(f"model {model.name}: {error}")
                return
        report.brought["models"] += 1
        numbers = {version.number for version in self._mirror.versions(model.name)}
        last = max(numbers, default=0)
        for version in model.versions:
            if version.number in numbers:
                continue
            if version.number <= last:
                report.remarks.append(
                    f"model {model.name}: version {version.number} was deleted here, and its "
                    "number is not used again"
                )
                continue
            try:
                self._make_version(model.name, version, last)
            except StoreError as error:
                report.remarks.append(f"model {model.name}, version {version.number}: {error}")
                break  # the next would get its number
            last = version.number
        for alias, number in model.aliases.items():
            try:
                self._roost.post(
                    "registered-models/alias", name=model.name, alias=alias, version=number
                )
            except ApiError as error:
                report.remarks.append(f"model {model.name}: alias {alias}: {error}")
        self._compare_model(model)

    def _make_version(self, name: str, version: Version, last: int) -> None:
        """Numbers that were deleted in the store are made and deleted here too."""
        source = self._source(version)
        for number in range(last + 1, version.number + 1):
            made = self._roost.post(
                "model-versions/create",
                name=name,
                source=source,
                run_id=version.run,
                tags=_pairs(sorted(version.tags.items())) if number == version.number else [],
                description=version.description if number == version.number else "",
                run_link=version.run_link,
            )["model_version"]
            if int(made["version"]) != number:
                raise StoreError(
                    f"it would become version {made['version']}: the model has others here"
                )
            if number != version.number:
                self._roost.send("DELETE", "model-versions/delete", name=name, version=str(number))
        if version.stage not in ("", "None"):
            self._roost.post(
                "model-versions/transition-stage",
                name=name,
                version=str(version.number),
                stage=version.stage,
                archive_existing_versions=False,
            )

    def _source(self, version: Version) -> str:
        """Below the run's files here, if it was below them there."""
        run = self._brought_runs.get(version.run)
        if run is None:
            return version.source
        root = self._store.artifact_root(run)
        source = version.source
        for prefix in (root, root[len("file://") :] if root.startswith("file://") else root):
            if source == prefix or source.startswith(prefix.rstrip("/") + "/"):
                there = self._find(run.id)
                assert there is not None
                return there.artifact_uri + source[len(prefix.rstrip("/")) :]
        return source

    def _compare_model(self, model: RegisteredModel) -> None:
        report = self.report
        found = self._mirror.model(model.name)
        same_aliases = all(found.aliases.get(k) == v for k, v in model.aliases.items())
        same_tags = all(found.tags.get(k) == v for k, v in model.tags.items())
        if same_aliases and same_tags and found.description == model.description:
            report.equal["models"] += 1
        else:
            report.remarks.append(f"model {model.name}: aliases, tags or description differ")
        there = {version.number: version for version in found.versions}
        for version in model.versions:
            if version.number not in there:
                continue
            report.brought["versions"] += 1
            if _is_same_version(version, there[version.number]):
                report.equal["versions"] += 1
            else:
                report.remarks.append(f"model {model.name}: version {version.number} differs")


def _is_same_version(mine: Version, theirs: Version) -> bool:
    same_tags = all(theirs.tags.get(key) == value for key, value in mine.tags.items())
    facts = ("stage", "description", "run")
    return same_tags and all(getattr(mine, fact) == getattr(theirs, fact) for fact in facts)


def _is_same_head(name: str, mine: Run, theirs: Run) -> bool:
    left, right = getattr(mine, name), getattr(theirs, name)
    return left == right or (name == "start" and not left)


def _exact(point: Point) -> Tuple[int, int, str]:
    return (point.at, point.step, repr(point.value))


def _metric(name: str, point: Point) -> Dict[str, Any]:
    value: Any = point.value
    if math.isnan(value):
        value = "NaN"
    elif math.isinf(value):
        value = "Infinity" if value > 0 else "-Infinity"
    return {"key": name, "value": value, "timestamp": point.at, "step": point.step}


def _pairs(items: Iterable[Tuple[str, str]]) -> List[Labels]:
    return [{"key": key, "value": value} for key, value in items]


def _batches(items: Iterable[_T], size: int) -> Iterator[List[_T]]:
    left = iter(items)
    while True:
        batch = list(itertools.islice(left, size))
        if not batch:
            return
        yield batch


def _parents_first(runs: Iterable[Run]) -> Iterator[Run]:
    """A run is made below its parent, which must be there."""
    waiting: Dict[str, List[Run]] = {}
    everyone = list(runs)
    ids = {run.id for run in everyone}
    ready: List[Run] = []
    for run in everyone:
        parent = run.tags.get(_PARENT, "")
        if parent in ids and parent != run.id:
            waiting.setdefault(parent, []).append(run)
        else:
            ready.append(run)
    while ready:
        run = ready.pop(0)
        yield run
        ready[:0] = waiting.pop(run.id, [])
    for circle in waiting.values():  # runs that are one another's parents
        yield from circle
