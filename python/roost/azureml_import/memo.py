"""Asking once: the answer of a method for the same arguments is kept with its object."""

from __future__ import annotations

import functools
from typing import Any, Callable, TypeVar, cast

_F = TypeVar("_F", bound=Callable[..., Any])


def once(method: _F) -> _F:
    """Arguments must be hashable. What is asked for again costs nothing and says the same."""

    @functools.wraps(method)
    def asked(self: Any, *arguments: Any) -> Any:
        answers = vars(self).setdefault("_answers", {})
        key = (method.__name__, arguments)
        if key not in answers:
            answers[key] = method(self, *arguments)
        return answers[key]

    return cast(_F, asked)
