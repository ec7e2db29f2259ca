"""A sweep: the run above its children."""

from __future__ import annotations

import json
import warnings
from enum import Enum
from typing import Any, Dict, List, Optional

from azureml._absent import not_here
from azureml._errors import calling
from azureml.core.run import Run
from azureml.exceptions import ServiceException, UserErrorException
from roost.streaming import TERMINAL

__all__ = ["HyperDriveRun", "PrimaryMetricGoal"]

_LANES = 8


class PrimaryMetricGoal(Enum):
    """Which way is better. PrimaryMetricGoal('maximize') works too."""

    MAXIMIZE = "MAXIMIZE"
    MINIMIZE = "MINIMIZE"

    @classmethod
    def _missing_(cls, value: object) -> Any:
        return cls.__members__.get(value.upper()) if isinstance(value, str) else None

    @classmethod
    def _checked(cls, goal: Any) -> PrimaryMetricGoal:
        try:
            return cls(goal)
        except ValueError:
            raise UserErrorException(
                "primary_metric_goal is PrimaryMetricGoal.MAXIMIZE or PrimaryMetricGoal.MINIMIZE, "
                f"not {goal!r}."
            ) from None


class HyperDriveRun(Run):
    """A sweep, which Experiment.submit gives; HyperDriveRun(experiment, run_id) finds one again.

    Its children are ordinary runs. It is Completed even when some of them failed or were stopped.
    """

    _main_log = "azureml-logs/hyperdrive.txt"

    def __init__(
        self,
        experiment: Any,
        run_id: str,
        hyperdrive_config: Any = None,
        *,
        _facts: Optional[Dict[str, Any]] = None,
        **_: Any,
    ) -> None:
        super().__init__(experiment, run_id, _facts=_facts)
        self._config = hyperdrive_config
        self._spec: Optional[Dict[str, Any]] = None
        if self._known["type"] != "hyperdrive":
            raise UserErrorException(
                f"run {self.id} is no sweep. Use Run(experiment, {self.id!r}), or name its parent."
            )

    @property
    def hyperdrive_config(self) -> Any:
        """The configuration it was submitted with; None when it was found again."""
        return self._config

    def get_details(self) -> Dict[str, Any]:
        """As of any run; its runDefinition has the sweep in `telemetryValues`, as Azure has."""
        from ._sweep_details import sweep_settings

        details = super().get_details()
        self._spec = None  # its limits may have been changed
        details["runDefinition"]["telemetryValues"] = sweep_settings(self._sweep_spec)
        return details

    # What its children reached.

    def get_best_run_by_primary_metric(
        self,
        include_failed: bool = True,
        include_canceled: bool = True,
        include_resume_from_runs: bool = True,
    ) -> Optional[Run]:
        """The child with the best value of the primary metric, by the best that each logged; None
        when none has logged it. With `include_resume_from_runs` it may be a child of a sweep that
        this one was resumed from."""
        trials = self._trials()
        if include_resume_from_runs:
            trials += self._earlier_trials()
        left_out = {
            *([] if include_failed else ["Failed"]),
            *([] if include_canceled else ["Canceled", "CancelRequested"]),
        }
        found = self._ranked([trial for trial in trials if trial["status"] not in left_out])
        if found:
            return Run.get(self._experiment.workspace, found[0]["run"])
        self._warn_of_other_names()
        return None

    def get_children_sorted_by_primary_metric(
        self, top: int = 0, reverse: bool = False, discard_no_metric: bool = False
    ) -> List[Dict[str, Any]]:
        """run_id, hyperparameters (as JSON), best_primary_metric and status of each child, the best
        first, or last with `reverse`. Those without the metric come last, unless discarded. `top`
        is how many; 0 means all."""
        trials = self._trials()
        ranked = self._ranked(trials)
        if reverse:
            ranked.reverse()
        if not discard_no_metric:
            with_metric = {trial["run"] for trial in ranked}
            ranked += [trial for trial in trials if trial["run"] not in with_metric]
        return [
            {
                "run_id": trial["run"],
                "hyperparameters": self._as_json(trial["parameters"]),
                "best_primary_metric": trial["best"],
                "status": trial["status"],
            }
            for trial in (ranked[:top] if top > 0 else ranked)
        ]

    def get_hyperparameters(self) -> Dict[str, str]:
        """Child id -> its values, as JSON."""
        return {trial["run"]: self._as_json(trial["parameters"]) for trial in self._trials()}

    def get_metrics(
        self,
        name: Optional[str] = None,
        recursive: bool = False,
        run_type: Optional[str] = None,
        populate: bool = False,
    ) -> Dict[str, Any]:
        """Child id -> its metrics by name."""
        from roost.lanes import run_lanes
        from roost.metric_values import metric_values

        ids = [str(trial["run"]) for trial in self._trials()]
        found: Dict[str, Any] = {}

        def read(child: str) -> None:
            found[child] = metric_values(self._client, child, name)

        with calling(ServiceException):
            run_lanes(ids, read, _LANES)
        return {child: found[child] for child in ids}

    def get_diagnostics(self) -> str:
        """Writes the logs of the sweep and of its children, and what is known of each child, into
        <run id>-diagnostics.zip in the current folder, and returns that path."""
        from ._diagnostics import write_diagnostics

        with calling(ServiceException):
            return write_diagnostics(self._client, self.id, self._trials())

    # Ending.

    def cancel(self) -> bool:  # type: ignore[override]
        """Cancels the sweep and all its children. True if that ended it, False if it had ended."""
        if self.get_status() in TERMINAL:
            return False
        self._end("cancel")
        return str(self._known["status"]) in ("Canceled", "CancelRequested")

    def fail(self, *_: Any, **__: Any) -> None:
        """Refuses: a sweep ends by its children."""
        raise not_here(
            "HyperDriveRun.fail", "ends a sweep as Failed", "Use cancel(), which ends it."
        )

    def complete(self, *_: Any, **__: Any) -> None:
        """Refuses: a sweep ends by its children."""
        raise not_here(
            "HyperDriveRun.complete",
            "ends a sweep as Completed",
            "Use cancel(), or stop it in the studio, which lets the running children finish.",
        )

    # For the rest of this package.

    def _trials(self) -> List[Dict[str, Any]]:
        return self._children_of(self.id)

    def _children_of(self, sweep: str) -> List[Dict[str, Any]]:
        """Its trials that are runs: one that was drawn may wait for its turn."""
        with calling(ServiceException):
            return [trial for trial in self._client.list_trials(sweep) if trial["created_at"]]

    @property
    def _sweep_spec(self) -> Dict[str, Any]:
        if self._spec is None:
            with calling(ServiceException):
                self._spec = dict(self._client.get_sweep(self.id)["spec"])
        return self._spec

    def _as_json(self, parameters: Dict[str, Any]) -> str:
        """In the order of the space, as the child has them among its arguments."""
        names = [dimension["name"] for dimension in self._sweep_spec["space"]]
        return json.dumps({name: parameters[name] for name in names if name in parameters})

    def _earlier_trials(self) -> List[Dict[str, Any]]:
        """Of the sweeps this one was resumed from that searched for the same."""
        found: List[Dict[str, Any]] = []
        for parent in self._sweep_spec.get("resume_from") or []:
            with calling(ServiceException):
                earlier = self._client.get_sweep(parent)
            if earlier["spec"]["metric"] == self._sweep_spec["metric"]:
                found += self._children_of(parent)
        return found

    def _warn_of_other_names(self) -> None:
        """The usual cause: the script logs the metric by another name than was configured."""
        with calling(ServiceException):
            seen = self._client.get_sweep(self.id)["metrics_seen"]
        if seen:
            warnings.warn(
                f"no child of {self.id} has a value of {self._sweep_spec['metric']['name']!r}, so "
                f"none is the best. What they logged: {', '.join(map(repr, seen))}. Give one of "
                "these as primary_metric_name, to the letter.",
                UserWarning,
                stacklevel=3,
            )

    def _ranked(self, trials: List[Dict[str, Any]]) -> List[Dict[str, Any]]:
        """Those that logged the metric, the best first."""
        found = [trial for trial in trials if _is_value(trial["best"])]
        if not found:
            return []
        maximize = self._sweep_spec["metric"]["goal"] == "maximize"
        return sorted(found, key=lambda trial: float(trial["best"]), reverse=maximize)

    def __repr__(self) -> str:
        facts = ",\n".join(f"{key}: {value}" for key, value in self._describe().items())
        return f"HyperDriveRun({facts})"


def _is_value(value: Any) -> bool:
    return isinstance(value, (int, float)) and value == value
