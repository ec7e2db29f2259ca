"""What values a hyperparameter may take.

Each function gives a list of its name and its values, such as ['uniform', [0.9, 0.99]].
"""

from __future__ import annotations

import json
import math
import warnings
from typing import Any, Callable, Dict, List

from ._checks import number, plain, refusal, whole

__all__ = [
    "choice",
    "loguniform",
    "lognormal",
    "normal",
    "qloguniform",
    "qlognormal",
    "qnormal",
    "quniform",
    "randint",
    "uniform",
]

Expression = List[Any]
_LARGEST_EXPONENT = 700.0
_UNLIKELY_EXPONENT = 30.0  # exp(30) is 1e13


def choice(*options: Any) -> Expression:
    """One of the options, given one by one, as a list or as a range. Each keeps its type."""
    found = [*options]
    if len(found) == 1 and isinstance(found[0], (set, frozenset)):
        found = sorted(found[0], key=repr)  # whose order is another in each process
    elif len(found) == 1 and _is_many(found[0]):
        found = [*found[0]]
    if not found:
        raise refusal("choice() has nothing to choose from. Name the values: choice(16, 32).")
    return ["choice", [_option(option) for option in found]]


def randint(upper: int) -> Expression:
    """A whole number from 0 to upper - 1."""
    return ["randint", [whole(upper, "randint(upper)", 1)]]


def uniform(min_value: float, max_value: float) -> Expression:
    """Any number from min_value to max_value."""
    return ["uniform", _bounds("uniform", min_value, max_value)]


def quniform(min_value: float, max_value: float, q: float) -> Expression:
    """round(uniform(min_value, max_value) / q) * q."""
    return ["quniform", [*_bounds("quniform", min_value, max_value), _step("quniform", q)]]


def loguniform(min_value: float, max_value: float) -> Expression:
    """exp(uniform(min_value, max_value)): the bounds are logarithms."""
    return ["loguniform", _exponents("loguniform", min_value, max_value)]


def qloguniform(min_value: float, max_value: float, q: float) -> Expression:
    """round(exp(uniform(min_value, max_value)) / q) * q."""
    exponents = _exponents("qloguniform", min_value, max_value)
    return ["qloguniform", [*exponents, _step("qloguniform", q)]]


def normal(mu: float, sigma: float) -> Expression:
    """Normally distributed, without bounds."""
    return ["normal", _bell("normal", mu, sigma)]


def qnormal(mu: float, sigma: float, q: float) -> Expression:
    """round(normal(mu, sigma) / q) * q."""
    return ["qnormal", [*_bell("qnormal", mu, sigma), _step("qnormal", q)]]


def lognormal(mu: float, sigma: float) -> Expression:
    """exp(normal(mu, sigma))."""
    return ["lognormal", _bell("lognormal", mu, sigma)]


def qlognormal(mu: float, sigma: float, q: float) -> Expression:
    """round(exp(normal(mu, sigma)) / q) * q."""
    return ["qlognormal", [*_bell("qlognormal", mu, sigma), _step("qlognormal", q)]]


_EXPRESSIONS: Dict[str, Callable[..., Expression]] = {
    "choice": choice,
    "randint": randint,
    "uniform": uniform,
    "quniform": quniform,
    "loguniform": loguniform,
    "qloguniform": qloguniform,
    "normal": normal,
    "qnormal": qnormal,
    "lognormal": lognormal,
    "qlognormal": qlognormal,
}


def is_expression(found: Any) -> bool:
    """Whether one of these functions made it."""
    return (
        isinstance(found, (list, tuple))
        and len(found) == 2
        and isinstance(found[0], str)
        and found[0] in _EXPRESSIONS
        and isinstance(found[1], (list, tuple))
    )


def to_base(kind: str, values: List[Any], base: float) -> List[Any]:
    """The values of a log form whose exponents are of another base than e, in exponents of e."""
    if "log" not in kind or base == math.e:
        return values
    first, second = (exponent * math.log(base) for exponent in values[:2])
    return [first, second, *values[2:]]


def _is_many(value: Any) -> bool:
    if isinstance(value, (list, tuple, range)):
        return True
    return type(value).__module__ == "numpy" and getattr(value, "ndim", 0) == 1


def _option(option: Any) -> Any:
    option = plain(option)
    if option is None:
        raise refusal("an option of choice() is None, which no command line can hold. Use a text.")
    if isinstance(option, float):
        return number(option, "an option of choice()")
    try:
        json.dumps(option, allow_nan=False)
    except (TypeError, ValueError):
        raise refusal(
            f"an option of choice() is of type {type(option).__name__}. Choose among texts and "
            "numbers, and let the script make of them what it needs."
        ) from None
    return option


def _bounds(name: str, low: Any, high: Any) -> List[Any]:
    low = number(low, f"the lower bound of {name}()")
    high = number(high, f"the upper bound of {name}()")
    if low >= high:
        raise refusal(
            f"{name}({low}, {high}): the lower bound comes first and is below the upper one. "
            f"For one value write choice({low})."
        )
    return [low, high]


def _exponents(name: str, low: Any, high: Any) -> List[Any]:
    bounds = _bounds(name, low, high)
    low, high = bounds
    if high > _LARGEST_EXPONENT:
        raise refusal(
            f"{name}({low}, {high}) takes logarithms, and exp({high}) is no number any more. For "
            f"values from {low} to {high} write the logarithms of the two."
        )
    if low > 0 and (high <= 1 or low < 0.1 or high > _UNLIKELY_EXPONENT):
        warnings.warn(
            f"{name}({low}, {high}) takes logarithms: it gives values from {math.exp(low):.4g} to "
            f"{math.exp(high):.4g}. For values from {low} to {high} write "
            f"{name}({math.log(low):.4g}, {math.log(high):.4g}).",
            UserWarning,
            stacklevel=3,
        )
    return bounds


def _bell(name: str, mu: Any, sigma: Any) -> List[Any]:
    mu, sigma = number(mu, f"mu of {name}()"), number(sigma, f"sigma of {name}()")
    if sigma <= 0:
        raise refusal(f"sigma of {name}({mu}, {sigma}) must be above 0.")
    return [mu, sigma]


def _step(name: str, q: Any) -> Any:
    q = number(q, f"q of {name}()")
    if q <= 0:
        raise refusal(f"q of {name}() is the step between values and must be above 0, not {q}.")
    return q
