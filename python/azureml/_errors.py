"""Refusals of the server as the exceptions real code catches."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Iterator, Type

from roost.errors import RoostError

from .exceptions import (
    AuthenticationException,
    AzureMLException,
    ServiceException,
    SnapshotException,
)


@contextmanager
def calling(exception: Type[AzureMLException]) -> Iterator[None]:
    """Turns a RoostError into `exception`; of a token into AuthenticationException, of a server
    that does not answer into ServiceException."""
    try:
        yield
    except RoostError as error:
        raise translated(error, exception) from error


def translated(error: RoostError, exception: Type[AzureMLException]) -> AzureMLException:
    if error.code == "unauthenticated":
        advice = (
            ""
            if "ROOST_TOKEN" in error.message
            else " Set ROOST_TOKEN to a token that is good now; `roost token create` makes one."
        )
        return AuthenticationException(error.message + advice, inner_exception=error)
    # Of a snapshot it may be a file of this machine that cannot be read.
    if error.code == "permission_denied" and exception is not SnapshotException:
        return AuthenticationException(error.message, inner_exception=error)
    if error.code in ("unavailable", "deadline_exceeded", "internal"):
        return ServiceException(error.message, inner_exception=error)
    return exception(error.message, inner_exception=error)


def is_code(error: BaseException, *codes: str) -> bool:
    """Whether `error` stands for a refusal of the server with one of `codes`."""
    inner = getattr(error, "inner_exception", error)
    return isinstance(inner, RoostError) and inner.code in codes
