"""What Experiment.submit takes for a sweep."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Optional

from azureml._absent import not_here
from azureml.core.run import Run

from ._checks import refusal, whole
from .policy import EarlyTerminationPolicy
from .run import HyperDriveRun, PrimaryMetricGoal
from .sampling import HyperParameterSampling

if TYPE_CHECKING:
    from azureml.core._submission import Submission
    from azureml.core.workspace import Workspace

__all__ = ["HyperDriveConfig", "HyperDriveRunConfig"]

DEFAULT_MAX_DURATION_MINUTES = 10080  # a week
_MOST_PARENTS = 5


class HyperDriveConfig:
    """A training, the space of its hyperparameters, what is best, and how far to search.

    The training is a ScriptRunConfig (`run_config`) or an estimator. Each child gets its values as
    arguments after those of the training.
    """

    def __init__(
        self,
        hyperparameter_sampling: HyperParameterSampling,
        primary_metric_name: str,
        primary_metric_goal: PrimaryMetricGoal,
        max_total_runs: int,
        max_concurrent_runs: Optional[int] = None,
        max_duration_minutes: int = DEFAULT_MAX_DURATION_MINUTES,
        policy: Optional[EarlyTerminationPolicy] = None,
        estimator: Any = None,
        run_config: Any = None,
        resume_from: Any = None,
        resume_child_runs: Any = None,
        pipeline: Any = None,
        debug_flag: Any = None,
        custom_run_id: Optional[str] = None,
    ) -> None:
        if pipeline is not None:
            raise not_here(
                "HyperDriveConfig(pipeline=)",
                "sweeps over pipelines",
                "Give the training as run_config=ScriptRunConfig(...).",
            )
        self._training = _checked_training(estimator, run_config)
        if not isinstance(hyperparameter_sampling, HyperParameterSampling):
            raise refusal(
                "hyperparameter_sampling must be a RandomParameterSampling, GridParameterSampling "
                f"or BayesianParameterSampling, not {type(hyperparameter_sampling).__name__}."
            )
        if policy is not None and not isinstance(policy, EarlyTerminationPolicy):
            raise refusal(f"policy must be a BanditPolicy or the like, not {policy!r}.")
        if not isinstance(primary_metric_name, str) or not primary_metric_name:
            raise refusal(
                "primary_metric_name must be the name that the script gives to run.log(), to the "
                f"letter, not {primary_metric_name!r}."
            )
        self._sampling = hyperparameter_sampling
        self._metric = primary_metric_name
        self._goal = PrimaryMetricGoal._checked(primary_metric_goal)
        self._policy = policy
        self._max_total_runs = whole(max_total_runs, "max_total_runs", 1)
        self._max_concurrent_runs = (
            None
            if max_concurrent_runs is None
            else whole(max_concurrent_runs, "max_concurrent_runs", 1)
        )
        if (self._max_concurrent_runs or 0) > self._max_total_runs:
            raise refusal(
                f"max_concurrent_runs is {max_concurrent_runs}, but there are only "
                f"max_total_runs={max_total_runs} runs in all. Lower the first or raise the second."
            )
        self._max_duration_minutes = whole(max_duration_minutes, "max_duration_minutes", 1)
        self._resume_from = _checked_parents(resume_from)
        self._resume_child_runs = _checked_children(resume_child_runs)

    @property
    def estimator(self) -> Any:
        """The estimator, or None."""
        return self._training if hasattr(self._training, "_estimator_config") else None

    @property
    def run_config(self) -> Any:
        """The ScriptRunConfig, or None."""
        return None if self.estimator is not None else self._training

    @property
    def source_directory(self) -> Any:
        return self._training.source_directory

    # For Experiment.submit.

    def _submission(self, workspace: Workspace) -> Submission:
        found: Submission = self._training._submission(workspace)
        return found

    def _sweep_spec(self, run: Dict[str, Any]) -> Dict[str, Any]:
        """The SweepSpec of the REST API."""
        return {
            "run": run,
            "space": self._sampling._space(),
            "sampling": self._sampling._sampling(),
            "metric": {"name": self._metric, "goal": self._goal.value.lower()},
            "policy": None if self._policy is None else self._policy._policy(),
            "max_total_runs": self._max_total_runs,
            "max_concurrent_runs": self._max_concurrent_runs,
            "max_duration_minutes": self._max_duration_minutes,
            "resume_from": self._resume_from,
            "resume_child_runs": self._resume_child_runs,
        }

    def __repr__(self) -> str:
        goal = self._goal.value.lower()
        return f"{type(self).__name__}({goal} {self._metric!r} over {self._sampling!r})"


class HyperDriveRunConfig(HyperDriveConfig):
    """The older form: the estimator comes first."""

    def __init__(
        self,
        estimator: Any,
        hyperparameter_sampling: HyperParameterSampling,
        primary_metric_name: str,
        primary_metric_goal: PrimaryMetricGoal,
        max_total_runs: int,
        max_concurrent_runs: Optional[int] = None,
        max_duration_minutes: int = DEFAULT_MAX_DURATION_MINUTES,
        policy: Optional[EarlyTerminationPolicy] = None,
    ) -> None:
        super().__init__(
            hyperparameter_sampling,
            primary_metric_name,
            primary_metric_goal,
            max_total_runs,
            max_concurrent_runs,
            max_duration_minutes,
            policy,
            estimator=estimator,
        )


def _checked_training(estimator: Any, run_config: Any) -> Any:
    if (estimator is None) == (run_config is None):
        given = "neither" if run_config is None else "both"
        raise refusal(
            "HyperDriveConfig takes run_config=ScriptRunConfig(...) or estimator=, and got "
            f"{given}. Give one of them."
        )
    training = run_config if estimator is None else estimator
    if isinstance(training, HyperDriveConfig) or not hasattr(training, "_submission"):
        name = "run_config" if estimator is None else "estimator"
        raise refusal(
            f"{name} is a {type(training).__name__}, which is no training. Give "
            "run_config=ScriptRunConfig(source_directory=..., script=...)."
        )
    return training


def _checked_parents(given: Any) -> List[str]:
    parents = _ids(given, "resume_from", "a HyperDriveRun, or a list of them")
    for run in _many(given):
        if isinstance(run, Run) and not isinstance(run, HyperDriveRun):
            raise refusal(
                f"resume_from names {run.id}, which is no sweep. Give the HyperDriveRun above it, "
                "or put the child into resume_child_runs."
            )
    if len(parents) > _MOST_PARENTS:
        raise refusal(
            f"resume_from takes at most {_MOST_PARENTS} sweeps, not {len(parents)}. "
            "Keep those that reached most."
        )
    return parents


def _checked_children(given: Any) -> List[str]:
    for run in _many(given):
        if isinstance(run, HyperDriveRun):
            raise refusal(
                f"resume_child_runs names {run.id}, which is a whole sweep. Give children of it, "
                "or put the sweep into resume_from."
            )
    return _ids(given, "resume_child_runs", "a Run, or a list of them")


def _many(given: Any) -> List[Any]:
    if given is None:
        return []
    return [*given] if isinstance(given, (list, tuple)) else [given]


def _ids(given: Any, name: str, wanted: str) -> List[str]:
    found = []
    for run in _many(given):
        if not isinstance(run, (Run, str)):
            raise refusal(f"{name} must be {wanted}, not {type(run).__name__}.")
        found.append(run if isinstance(run, str) else run.id)
    return found
