"""How the values of each child are chosen."""

from __future__ import annotations

import math
from typing import Any, Dict, List, Optional, Tuple

from ._checks import number, refusal, whole
from .parameter_expressions import Expression, is_expression, to_base

__all__ = [
    "BayesianParameterSampling",
    "GridParameterSampling",
    "HyperParameterSampling",
    "RandomParameterSampling",
]

_BAYESIAN = ("choice", "uniform", "quniform")
_PROPERTIES = ("seed", "rule", "logbase")


class HyperParameterSampling:
    """A space, and a way through it. The base of the three below."""

    SAMPLING_NAME = ""

    def __init__(
        self,
        sampling_method_name: str,
        parameter_space: Dict[str, Expression],
        properties: Optional[Dict[str, Any]] = None,
    ) -> None:
        self._name = sampling_method_name
        self._parameter_space = _checked_space(parameter_space)
        self._properties = dict(properties or {})

    @property
    def name(self) -> str:
        return self._name

    # For HyperDriveConfig.

    def _space(self) -> List[Dict[str, Any]]:
        return [
            {"name": name, "expression": kind, "values": list(values)}
            for name, (kind, values) in self._parameter_space.items()
        ]

    def _sampling(self) -> Dict[str, Any]:
        return {"type": self._name.lower()}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._parameter_space!r})"


class RandomParameterSampling(HyperParameterSampling):
    """Draws each value by itself. `properties` may hold `seed`, `rule` ('random', or 'sobol' which
    covers the space more evenly) and `logbase`, the base of what loguniform, lognormal and their
    q forms draw: 10 makes loguniform(-4, -1) go from 0.0001 to 0.1. It is 'e' by default."""

    SAMPLING_NAME = "RANDOM"

    def __init__(
        self,
        parameter_space: Dict[str, Expression],
        properties: Optional[Dict[str, Any]] = None,
    ) -> None:
        super().__init__(self.SAMPLING_NAME, parameter_space, _checked_properties(properties))

    def _space(self) -> List[Dict[str, Any]]:
        base = float(self._properties.get("logbase", math.e))
        return [
            {**dimension, "values": to_base(dimension["expression"], dimension["values"], base)}
            for dimension in super()._space()
        ]

    def _sampling(self) -> Dict[str, Any]:
        kept = {key: value for key, value in self._properties.items() if key == "seed"}
        return {"type": self._properties.get("rule", "random"), **kept}


class GridParameterSampling(HyperParameterSampling):
    """Tries every combination."""

    SAMPLING_NAME = "GRID"

    def __init__(self, parameter_space: Dict[str, Expression]) -> None:
        super().__init__(self.SAMPLING_NAME, parameter_space)
        for name, (kind, _) in self._parameter_space.items():
            if kind != "choice":
                raise refusal(
                    f"a grid tries every combination, and {name} is {kind}, which cannot be "
                    "counted out. Name its values with choice(...), or use RandomParameterSampling."
                )


class BayesianParameterSampling(HyperParameterSampling):
    """Chooses by what the children before have reached. Best with few at a time."""

    SAMPLING_NAME = "BAYESIANOPTIMIZATION"

    def __init__(self, parameter_space: Dict[str, Expression]) -> None:
        super().__init__(self.SAMPLING_NAME, parameter_space)
        for name, (kind, _) in self._parameter_space.items():
            if kind not in _BAYESIAN:
                raise refusal(
                    f"BayesianParameterSampling takes choice, uniform and quniform, and {name} is "
                    f"{kind}. Change it, or use RandomParameterSampling."
                )

    def _sampling(self) -> Dict[str, Any]:
        return {"type": "bayesian"}


def _checked_space(space: Any) -> Dict[str, Tuple[str, List[Any]]]:
    if not isinstance(space, dict):
        raise refusal(
            "the parameter space is a dict of name to expression, such as "
            f"{{'--lr': uniform(0.01, 0.1)}}, not {type(space).__name__}."
        )
    if not space:
        raise refusal(
            "the parameter space is empty, so there is nothing to search. Name at least one "
            "parameter: {'--lr': uniform(0.01, 0.1)}."
        )
    seen: Dict[str, str] = {}
    for name, expression in space.items():
        if not isinstance(name, str) or not name.strip("-"):
            raise refusal(f"the name of a parameter must be a text such as '--lr', not {name!r}.")
        bare = name.lstrip("-")
        if bare in seen:
            raise refusal(
                f"{seen[bare]!r} and {name!r} are the same argument of the script. Keep one."
            )
        seen[bare] = name
        if not is_expression(expression):
            raise refusal(
                f"the parameter {name} is {expression!r}. Say how its values are drawn: "
                "choice(...), uniform(low, high) or another function of parameter_expressions."
            )
    return {name: (kind, list(values)) for name, (kind, values) in space.items()}


def _checked_properties(properties: Any) -> Dict[str, Any]:
    if properties is None:
        return {}
    if not isinstance(properties, dict):
        raise refusal(f"properties must be a dict, not {type(properties).__name__}.")
    found: Dict[str, Any] = {key: value for key, value in properties.items() if value is not None}
    unknown = sorted(str(key) for key in found if key not in _PROPERTIES)
    if unknown:
        raise refusal(
            f"properties may hold {', '.join(_PROPERTIES)}; leave out {', '.join(unknown)}."
        )
    if "seed" in found:
        found["seed"] = whole(found["seed"], "the property seed", 0)
    if "rule" in found:
        found["rule"] = str(found["rule"]).lower()
        if found["rule"] not in ("random", "sobol"):
            raise refusal(f"the property rule is random or sobol, not {properties['rule']!r}.")
    if "logbase" in found:
        found["logbase"] = _checked_base(found["logbase"])
    return found


def _checked_base(given: Any) -> float:
    if given == "e":
        return math.e
    base = number(given, "the property logbase")
    if base <= 1:
        raise refusal(f"the property logbase is a number above 1, or 'e', not {given!r}.")
    return float(base)
