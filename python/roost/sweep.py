"""Sweeps without Azure's classes: one training, many sets of values, the best of them.

from roost.sweep import integer, loguniform, sweep

search = sweep("train.py", space={"lr": loguniform(1e-4, 1e-1), "layers": integer(1, 4)},
               metric="accuracy", goal="maximize", max_runs=20, concurrency=4)
print(search.wait().best)
"""

from __future__ import annotations

import math
import os
import re
import shlex
import sys
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Union

from .client import Client, quote
from .errors import RoostError
from .streaming import TERMINAL, follow

__all__ = ["Sweep", "Trial", "choice", "integer", "loguniform", "sweep", "uniform"]

_LOG = "azureml-logs/hyperdrive.txt"
_SAMPLERS = ("tpe", "gp", "random", "sobol", "grid", "bayesian")
_GOALS = ("maximize", "minimize")
_POLICIES = ("bandit", "median", "truncation", "asha", "hyperband", "pbt")
_A_WEEK_IN_MINUTES = 10080

Expression = Dict[str, Any]
When = Optional[Mapping[str, Any]]


# What values a parameter may take. `when={"optimizer": "sgd"}` has it only in trials where another
# parameter, which is a choice, has that value, or one of a list of values.


def choice(*options: Any, when: When = None) -> Expression:
    """One of the options, given one by one or as one list."""
    if len(options) == 1 and isinstance(options[0], (list, tuple, range)):
        options = tuple(options[0])
    if not options:
        raise _wrong("choice() has nothing to choose from. Name the values: choice(16, 32).")
    return _expression("choice", [*options], when)


def uniform(low: float, high: float, when: When = None) -> Expression:
    """Any number from low to high."""
    return _expression("uniform", _bounds("uniform", low, high), when)


def loguniform(low: float, high: float, when: When = None) -> Expression:
    """Any number from low to high, small ones as likely as large ones: 0.0001 to 0.001 gets as many
    trials as 0.01 to 0.1. The bounds are the values themselves, not their logarithms."""
    bounds = _bounds("loguniform", low, high)
    if low <= 0:
        raise _wrong(f"loguniform({low}, {high}): both bounds must be above 0. Use uniform().")
    return _expression("loguniform", [math.log(bound) for bound in bounds], when)


def integer(low: int, high: int, when: When = None) -> Expression:
    """A whole number from low to high, both of them included."""
    for bound in (low, high):
        if isinstance(bound, bool) or not isinstance(bound, int):
            raise _wrong(f"integer({low!r}, {high!r}): both bounds must be whole numbers.")
    if low == high:
        return _expression("choice", [low], when)
    _bounds("integer", low, high)
    # A little wider, so that rounding gives the first and the last as often as the others.
    return _expression("quniform", [low - 0.49, high + 0.49, 1], when)


class Trial(NamedTuple):
    """One child. `value` is the best it has logged of the metric, None if nothing."""

    number: int
    run: str
    parameters: Dict[str, Any]
    value: Optional[float]
    status: str  # of its run; Stopped or Paused where the policy did that
    reason: str = ""  # why it was stopped or paused


class Sweep:
    """A sweep on the server; sweep() makes one, Sweep(id) finds it again."""

    def __init__(self, id: str, client: Optional[Client] = None) -> None:
        self.id = id
        self._client = client or Client.connect()

    @property
    def url(self) -> str:
        """Its page in the studio."""
        return f"{self._client.url}/runs/{quote(self.id)}"

    @property
    def status(self) -> str:
        return str(self._facts()["status"])

    @property
    def message(self) -> str:
        """What it does, or why it ended."""
        return str(self._facts()["message"])

    @property
    def best(self) -> Optional[Trial]:
        """The trial with the best value so far; None while no trial has logged the metric."""
        found = self._facts()["best"]
        if not found:
            return None
        # A resumed sweep may have its best in the sweep before.
        known = (trial for trial in self.trials() if trial.run == found["run"])
        made = Trial(found["trial"], found["run"], found["parameters"], found["value"], "")
        return next(known, made)

    def trials(self) -> List[Trial]:
        """All trials so far, in the order in which they were made."""
        return [_trial(facts) for facts in self._client.list_trials(self.id)]

    def wait(self, show_output: bool = False) -> Sweep:
        """Waits for the end; RoostError if the sweep fails or is cancelled. With `show_output` its
        log is printed as it is written. Ctrl-C ends the waiting, not the sweep."""
        for line in follow(self._client, self.id, _LOG):
            if show_output and line["type"] == "log":
                print(line["text"], end="", flush=True)
        facts = self._facts()
        if facts["status"] != "Completed":
            raise RoostError(
                "failed_precondition",
                f"the sweep {self.id} is {facts['status']}: {facts['message']}\nSee {self.url}",
            )
        return self

    def pause(self) -> None:
        """Starts no further trials until resume(); those that run go on."""
        self._client.update_sweep(self.id, paused=True)

    def resume(self) -> None:
        self._client.update_sweep(self.id, paused=False)

    def stop(self) -> None:
        """Starts no further trials; when those that run have ended, the sweep is Completed."""
        self._client.update_sweep(self.id, stop=True)

    def cancel(self) -> None:
        """Ends the sweep and all its trials at once."""
        if self.status not in TERMINAL:
            self._client.post(f"/api/v1/runs/{quote(self.id)}/cancel")

    def add(self, parameters: Dict[str, Any]) -> Trial:
        """One more trial, of these values."""
        return _trial(self._client.add_trial(self.id, parameters))

    def _facts(self) -> Dict[str, Any]:
        return self._client.get_sweep(self.id)

    def __repr__(self) -> str:
        return f"Sweep({self.id!r})"


def sweep(
    what: Union[str, Sequence[Any]],
    space: Mapping[str, Any],
    metric: str,
    goal: str = "maximize",
    sampler: str = "tpe",
    policy: Union[str, Mapping[str, Any], None] = None,
    max_runs: int = 20,
    concurrency: Optional[int] = None,
    folder: Union[str, os.PathLike[str]] = ".",
    experiment: Optional[str] = None,
    compute: str = "local",
    seed: Optional[int] = None,
    python: Optional[str] = None,
    max_minutes: int = _A_WEEK_IN_MINUTES,
    workspace: Optional[str] = None,
    client: Optional[Client] = None,
) -> Sweep:
    """Starts a sweep and returns at once.

    `what` is a script of `folder` (a .py, or a list of one and its arguments) or a command. Each
    trial gets `--name value` for each parameter of `space` after that. A list in `space` is a
    choice. `metric` is the name that the script logs, to the letter. `policy` is the name of one,
    or a dict of its "type" and settings, such as {"type": "bandit", "slack_factor": 0.1}.
    `concurrency` None runs all trials at once, as far as the compute has room. `python` is the
    interpreter on the node; in a virtual environment, and with a server of this machine, its own.
    """
    spec = _spec(space, metric, goal, sampler, policy, max_runs, concurrency, seed, max_minutes)
    run = _what(what, os.fspath(folder))
    run["compute"] = compute
    run["experiment"] = experiment or _name_of(os.fspath(folder))

    from .git_facts import git_facts
    from .snapshot import take_snapshot

    found = client or Client.connect()
    python = python or _own_python(found)
    if python:
        run["environment"] = {"python": python}
    run["snapshot"] = take_snapshot(found, os.fspath(folder)).digest
    run["git"] = git_facts(os.fspath(folder))
    place = workspace or os.environ.get("ROOST_WORKSPACE") or "default"
    made = found.create_sweep(f"/api/v1/workspaces/{quote(place)}/sweeps", {"run": run, **spec})
    return Sweep(str(made["id"]), found)


def _name_of(folder: str) -> str:
    """The folder's own name, as far as an experiment may have it."""
    name = re.sub(r"[^A-Za-z0-9_-]+", "-", os.path.basename(os.path.abspath(folder)))
    return name.strip("-_")[:100] or "default"


def _own_python(client: Client) -> Optional[str]:
    """As `roost submit` has it: a virtual environment is what its user means."""
    is_virtual = sys.prefix != sys.base_prefix
    return sys.executable if is_virtual and client._server_file is not None else None


def _spec(
    space: Any,
    metric: str,
    goal: str,
    sampler: str,
    policy: Any,
    max_runs: int,
    concurrency: Optional[int],
    seed: Optional[int],
    max_minutes: int,
) -> Dict[str, Any]:
    if not isinstance(metric, str) or not metric:
        raise _wrong(f"metric must be the name that the script logs, not {metric!r}.")
    if goal not in _GOALS:
        raise _wrong(f"goal is maximize or minimize, not {goal!r}.")
    if sampler not in _SAMPLERS:
        raise _wrong(f"sampler is one of {', '.join(_SAMPLERS)}, not {sampler!r}.")
    limits = [max_runs, max_runs if concurrency is None else concurrency]
    if not all(type(limit) is int for limit in limits) or not 1 <= limits[1] <= limits[0]:
        raise _wrong(
            f"max_runs={max_runs!r} and concurrency={concurrency!r}: at least one run in all, and "
            "from one to all of them at a time."
        )
    dimensions = _dimensions(space)
    if sampler == "grid":
        dimensions = [_counted_out(dimension) for dimension in dimensions]
    return {
        "space": dimensions,
        "sampling": {"type": sampler} if seed is None else {"type": sampler, "seed": seed},
        "metric": {"name": metric, "goal": goal},
        "policy": _policy(policy),
        "max_total_runs": max_runs,
        "max_concurrent_runs": concurrency,
        "max_duration_minutes": max_minutes,
        "resume_from": [],
        "resume_child_runs": [],
    }


def _dimensions(space: Any) -> List[Dict[str, Any]]:
    if not isinstance(space, Mapping) or not space:
        raise _wrong("space must name at least one parameter, such as {'lr': uniform(0.01, 0.1)}.")
    found: List[Dict[str, Any]] = []
    for name, given in space.items():
        expression: Any = choice(*given) if isinstance(given, (list, tuple, range)) else given
        if not isinstance(expression, Mapping) or "expression" not in expression:
            raise _wrong(
                f"the parameter {name} is {given!r}. Say how its values are drawn: uniform(), "
                "loguniform(), integer(), choice() or a list."
            )
        found.append({"name": str(name), **expression})
    for dimension in found:
        above = dimension.get("when")
        if above and above["name"] not in space:
            raise _wrong(
                f"{dimension['name']} depends on {above['name']}, which space does not name."
            )
    return found


def _counted_out(dimension: Dict[str, Any]) -> Dict[str, Any]:
    """For a grid, which tries every combination."""
    kind, values = dimension["expression"], dimension["values"]
    if kind == "quniform":  # of integer()
        numbers = [*range(round(values[0]), round(values[1]) + 1)]
        return {**dimension, "expression": "choice", "values": numbers}
    if kind != "choice":
        raise _wrong(
            f"a grid tries every combination, and {dimension['name']} is {kind}. Name its values "
            "with choice(...), or use another sampler."
        )
    return dimension


def _policy(policy: Any) -> Optional[Dict[str, Any]]:
    if policy is None:
        return None
    given = {"type": policy} if isinstance(policy, str) else dict(policy)
    kind = given.get("type")
    if kind not in _POLICIES:
        raise _wrong(f"policy is one of {', '.join(_POLICIES)}, not {kind!r}.")
    if kind == "bandit" and ("slack_factor" in given) == ("slack_amount" in given):
        raise _wrong(
            "a bandit needs either slack_factor or slack_amount: "
            "policy={'type': 'bandit', 'slack_factor': 0.1}."
        )
    if kind == "truncation" and "truncation_percentage" not in given:
        raise _wrong("say how many: policy={'type': 'truncation', 'truncation_percentage': 20}.")
    return given


def _what(what: Union[str, Sequence[Any]], folder: str) -> Dict[str, Any]:
    if not os.path.isdir(folder):
        raise _wrong(f"there is no folder {os.path.abspath(folder)}. Name the one with the script.")
    words = [what] if isinstance(what, str) else [str(word) for word in what]
    if not words or not words[0].strip():
        raise _wrong("there is nothing to run. Name a script, or a command.")
    if words[0].endswith(".py") and (not isinstance(what, str) or " " not in what.strip()):
        if not os.path.isfile(os.path.join(folder, words[0])):
            raise _wrong(f"there is no script {words[0]} in {os.path.abspath(folder)}.")
        script = os.path.relpath(os.path.join(folder, words[0]), folder).replace(os.sep, "/")
        return {"script": script, "arguments": words[1:]}
    line = what if isinstance(what, str) else " ".join(map(shlex.quote, words))
    return {"command": line}


def _expression(kind: str, values: List[Any], when: When) -> Expression:
    found: Expression = {"expression": kind, "values": values}
    if when is not None:
        if len(when) != 1:
            raise _wrong("when= names one other parameter: when={'optimizer': 'sgd'}.")
        ((name, value),) = when.items()
        values = list(value) if isinstance(value, (list, tuple)) else [value]
        found["when"] = {"name": name, "values": values}
    return found


def _bounds(name: str, low: Any, high: Any) -> List[float]:
    for bound in (low, high):
        if isinstance(bound, bool) or not isinstance(bound, (int, float)):
            raise _wrong(f"{name}({low!r}, {high!r}): both bounds must be numbers.")
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise _wrong(f"{name}({low}, {high}): the first bound must be below the second.")
    return [low, high]


def trial_status(facts: Mapping[str, Any]) -> str:
    """The status of its run, or what the policy made of it, which a run's status does not tell."""
    state = str(facts.get("state"))
    return state.capitalize() if state in ("stopped", "paused") else str(facts["status"])


def _trial(facts: Dict[str, Any]) -> Trial:
    return Trial(
        int(facts["number"]),
        str(facts["run"]),
        dict(facts["parameters"]),
        facts["best"],
        trial_status(facts),
        str(facts.get("reason") or ""),
    )


def _wrong(text: str) -> RoostError:
    return RoostError("invalid_argument", text)
