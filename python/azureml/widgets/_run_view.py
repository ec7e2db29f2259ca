"""Reads what there is to show of a run, asking only for what has changed since the last time."""

from __future__ import annotations

import io
import math
import re
from dataclasses import asdict, dataclass, field
from typing import Any, Dict, List, Optional, Tuple
from urllib.parse import quote

from roost.sweep import trial_status

TERMINAL = ("Completed", "Failed", "Canceled")
MOST_CURVES = 9
_BUCKETS = 200
_TAIL_BYTES = 16 << 10
_TAIL_LINES = 20
_MOST_CHILDREN = 20
_MOST_LINES = 200
_TRIALS_AT_ONCE = 10_000
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b.")
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")

Point = Tuple[float, float]


@dataclass
class Curve:
    """A series of numbers; NaN is a gap. `band` holds (x, lowest, highest) where points were
    put together."""

    name: str
    points: List[Point]
    band: List[Tuple[float, float, float]] = field(default_factory=list)
    by_step: bool = False
    last: float = math.nan
    counts: str = "step"  # what the places of `by_step` are


@dataclass
class Metric:
    name: str
    kind: str
    count: int
    last: Any
    lowest: Any = None
    highest: Any = None


@dataclass
class Child:
    id: str
    name: str
    status: str
    seconds: Optional[float]
    best: Any = None  # of a sweep: the best value of its metric, its parameters, why it was stopped
    parameters: Dict[str, Any] = field(default_factory=dict)
    why: str = ""


@dataclass
class Search:
    """What a sweep looks for and has found."""

    metric: str
    goal: str
    message: str
    best_run: str = ""
    best: Any = None
    counts: Dict[str, int] = field(default_factory=dict)
    parameters: List[str] = field(default_factory=list)  # in the order of the space
    tried: List[Tuple[Dict[str, Any], float]] = field(default_factory=list)  # values and metric


@dataclass
class RunState:
    """All of it. Strings are as the user and the script wrote them: escape before showing."""

    id: str
    experiment: str
    name: str
    status: str
    url: str = ""
    compute: str = ""
    node: str = ""
    created_at: str = ""
    stages: List[Tuple[str, float]] = field(default_factory=list)
    error: str = ""
    notices: List[str] = field(default_factory=list)
    metrics: List[Metric] = field(default_factory=list)
    curves: List[Curve] = field(default_factory=list)
    log_name: str = ""
    log_lines: List[str] = field(default_factory=list)
    children: List[Child] = field(default_factory=list)
    children_left_out: bool = False
    search: Optional[Search] = None

    @property
    def ended(self) -> bool:
        return self.status in TERMINAL

    def as_dict(self) -> Dict[str, Any]:
        return asdict(self)


class RunView:
    """One run. Not for several threads at once."""

    def __init__(self, run: Any) -> None:
        self._run = run
        self._curves: Dict[Tuple[int, str], Tuple[int, List[Curve]]] = {}
        self._tail: Tuple[Any, List[str]] = (None, [])

    @property
    def run_id(self) -> str:
        return str(self._run.id)

    def read(self) -> RunState:
        client = getattr(self._run, "_client", None)
        if client is None:
            return self._read_offline()
        path = f"/api/v1/runs/{quote(self.run_id, safe='')}"
        facts = client.get(path)
        state = RunState(
            id=self.run_id,
            experiment=str(facts["experiment"]),
            name=str(facts.get("display_name") or self.run_id),
            status=str(facts["status"]),
            url=str(self._run.get_portal_url()),
            compute=str(facts.get("compute") or ""),
            node=str(facts.get("node") or ""),
            created_at=str(facts.get("created_at") or ""),
            stages=_stages(facts.get("durations") or {}),
            error=_error(facts.get("error")),
            notices=[str(notice) for notice in facts.get("notices") or []],
        )
        attempt = int(facts.get("attempt") or 0)
        self._read_metrics(client, path, attempt, state)
        self._read_log(client, path, state)
        if facts.get("type") == "hyperdrive":
            self._read_trials(client, state)
        else:
            self._read_children(client, str(facts.get("workspace") or ""), state)
        return state

    def _read_offline(self) -> RunState:
        """A run outside of any server has nothing but itself."""
        notice = "This run is offline: what it logs is printed and kept nowhere."
        status = str(self._run.get_status() or "Running")
        return RunState(self.run_id, "", self.run_id, status, notices=[notice])

    def _read_metrics(self, client: Any, path: str, attempt: int, state: RunState) -> None:
        for item in client.get(path + "/metrics")["items"]:
            name, kind, count = str(item["name"]), str(item["kind"]), int(item["count"])
            if kind == "image":
                continue
            last = item.get("last")
            state.metrics.append(Metric(name, kind, count, last, item.get("min"), item.get("max")))
            drawable = count > 1 and (_is_number(last) or isinstance(last, dict))
            if drawable and len(state.curves) < MOST_CURVES:
                state.curves += self._read_curves(client, path, attempt, name, count)
        del state.curves[MOST_CURVES:]

    def _read_curves(
        self, client: Any, path: str, attempt: int, name: str, count: int
    ) -> List[Curve]:
        key = (attempt, name)
        known = self._curves.get(key)
        if known is not None and known[0] == count:
            return known[1]
        series = client.get(f"{path}/metrics/{quote(name, safe='')}", buckets=_BUCKETS)
        curves = _curves(name, series)
        self._curves[key] = (count, curves)
        return curves

    def _read_log(self, client: Any, path: str, state: RunState) -> None:
        logs = client.get(path + "/logs")["items"]
        chosen = _main_log(logs)
        if chosen is None:
            return
        name, size = str(chosen["name"]), int(chosen["size"])
        version = (name, size, chosen.get("attempt"))
        if self._tail[0] != version:
            start = max(0, size - _TAIL_BYTES)
            content = io.BytesIO()
            client.fetch(f"{path}/logs/{quote(name)}", content, offset=start, limit=_TAIL_BYTES)
            self._tail = (version, tail_lines(content.getvalue(), cut=start > 0))
        state.log_name, state.log_lines = name, self._tail[1]

    def _read_children(self, client: Any, workspace: str, state: RunState) -> None:
        if not workspace:
            return
        path = f"/api/v1/workspaces/{quote(workspace, safe='')}/runs"
        page = client.get(path, parent=self.run_id, limit=_MOST_CHILDREN)
        for run in page["items"]:
            seconds = sum(dict(run.get("durations") or {}).values()) or None
            name = str(run.get("display_name") or run["id"])
            state.children.append(Child(str(run["id"]), name, str(run["status"]), seconds))
        state.children_left_out = page.get("next_cursor") is not None

    def _read_trials(self, client: Any, state: RunState) -> None:
        """The best trials first, then those without a value, the newest first."""
        sweep = client.get_sweep(self.run_id)
        metric, best = sweep["spec"]["metric"], sweep.get("best") or {}
        sign = -1.0 if metric["goal"] == "maximize" else 1.0
        trials = list(client.list_trials(self.run_id, limit=_TRIALS_AT_ONCE))
        valued = [trial for trial in trials if not math.isnan(_number(trial["best"]))]
        ranked = sorted(valued, key=lambda trial: sign * float(trial["best"]))
        shown = ranked + [trial for trial in reversed(trials) if math.isnan(_number(trial["best"]))]
        state.search = Search(
            str(metric["name"]),
            str(metric["goal"]),
            str(sweep.get("message") or ""),
            str(best.get("run") or ""),
            best.get("value"),
            {str(name): int(count) for name, count in sweep["counts"].items() if count},
            [str(dimension["name"]) for dimension in sweep["spec"]["space"]],
            [(dict(trial["parameters"]), float(trial["best"])) for trial in ranked[:_MOST_LINES]],
        )
        if len(valued) > 1:
            state.curves.insert(0, _best_so_far(str(metric["name"]), sign, valued))
        for trial in shown[:_MOST_CHILDREN]:
            run, status = str(trial["run"]), trial_status(trial)
            seconds = _seconds_between(trial.get("started_at"), trial.get("ended_at"))
            parameters, why = dict(trial["parameters"]), str(trial.get("reason") or "")
            child = Child(run, run, status, seconds, trial["best"], parameters, why)
            state.children.append(child)
        state.children_left_out = len(trials) > _MOST_CHILDREN


def _best_so_far(metric: str, sign: float, trials: List[Dict[str, Any]]) -> Curve:
    points: List[Point] = []
    best = math.inf
    for trial in trials:  # in the order in which they were drawn
        best = min(best, sign * float(trial["best"]))
        points.append((float(trial["number"]), sign * best))
    return Curve(f"best {metric}", points, by_step=True, last=points[-1][1], counts="trial")


def _seconds_between(start: Any, end: Any) -> Optional[float]:
    """Of two times as the server writes them; None unless both are there."""
    if not isinstance(start, str) or not isinstance(end, str):
        return None
    from datetime import datetime

    try:
        first, last = (datetime.fromisoformat(time.replace("Z", "+00:00")) for time in (start, end))
    except ValueError:
        return None
    return max(0.0, (last - first).total_seconds())


_ORDER = (
    "Starting",
    "Preparing",
    "Queued",
    "Provisioning",
    "Running",
    "NotResponding",
    "CancelRequested",
    "Finalizing",
)


def _stages(durations: Dict[str, Any]) -> List[Tuple[str, float]]:
    rank = {name: index for index, name in enumerate(_ORDER)}
    found = [(str(name), float(value)) for name, value in durations.items() if name not in TERMINAL]
    return sorted(found, key=lambda stage: rank.get(stage[0], len(rank)))


def _error(error: Any) -> str:
    if not error:
        return ""
    return str(error.get("message") or error) if isinstance(error, dict) else str(error)


def _main_log(logs: List[Dict[str, Any]]) -> Optional[Dict[str, Any]]:
    preferred = ("azureml-logs/70_driver_log", "user_logs/std_log")
    for start in preferred:
        for log in logs:
            if str(log["name"]).startswith(start):
                return log
    return logs[0] if logs else None


def tail_lines(content: bytes, cut: bool = False) -> List[str]:
    """The last lines as a terminal would leave them: progress bars at their last state, no
    colours, no control characters."""
    lines = content.decode("utf-8", "replace").split("\n")
    if cut and len(lines) > 1:
        lines = lines[1:]  # the first one lacks its beginning
    while lines and not lines[-1].strip():
        lines.pop()
    shown = []
    for line in lines[-_TAIL_LINES:]:
        line = line.rstrip("\r").rpartition("\r")[2]
        shown.append(_CONTROLS.sub("", _ESCAPES.sub("", line)).expandtabs()[:500])
    return shown


def _is_number(value: Any) -> bool:
    if isinstance(value, str):
        return value in ("NaN", "Infinity", "-Infinity")
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _number(value: Any) -> float:
    """NaN for whatever cannot be drawn."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value) if math.isfinite(value) else math.nan
    return math.nan


def _curves(name: str, series: Dict[str, Any]) -> List[Curve]:
    if "buckets" in series:
        return [_bucketed(name, series["buckets"])]
    points = series.get("points") or []
    by_step = all(point.get("step") is not None for point in points)
    places = [float(p["step"] if by_step else p["index"]) for p in points]
    if points and isinstance(points[-1].get("value"), dict):
        columns = [key for key, value in points[-1]["value"].items() if _is_number(value)]
        rows = [p["value"] if isinstance(p.get("value"), dict) else {} for p in points]
        return [
            Curve(
                f"{name}: {column}",
                [(x, _number(row.get(column))) for x, row in zip(places, rows)],
                by_step=by_step,
                last=_number(rows[-1].get(column)),
            )
            for column in columns[:MOST_CURVES]
        ]
    values = [(x, _number(p.get("value"))) for x, p in zip(places, points)]
    return [Curve(name, values, by_step=by_step, last=values[-1][1] if values else math.nan)]


def _bucketed(name: str, buckets: List[Dict[str, Any]]) -> Curve:
    by_step = all(bucket.get("step_last") is not None for bucket in buckets)
    curve = Curve(name, [], by_step=by_step)
    for bucket in buckets:
        x = float(bucket["step_last"] if by_step else bucket["index"] + bucket["count"] - 1)
        curve.points.append((x, _number(bucket.get("mean"))))
        curve.band.append((x, _number(bucket.get("min")), _number(bucket.get("max"))))
        curve.last = _number(bucket.get("last"))
    return curve
