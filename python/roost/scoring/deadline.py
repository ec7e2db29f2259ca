"""Ends run() when it takes too long."""

import signal
from types import TracebackType
from typing import Any, Optional, Type


class ScoringTimeout(BaseException):
    """Raised into run() by the alarm; not an Exception, so that `except Exception` lets it pass."""


class Deadline:
    """While the block runs, an alarm is set. `passed` says afterwards whether it went off, also
    where the script caught the exception. In the main thread only; 0 is no deadline.
    """

    def __init__(self, milliseconds: int) -> None:
        self._seconds = milliseconds / 1000
        self.passed = False

    def __enter__(self) -> "Deadline":
        if self._seconds > 0:
            signal.signal(signal.SIGALRM, self._ring)
            signal.setitimer(signal.ITIMER_REAL, self._seconds)
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        if self._seconds > 0:
            signal.setitimer(signal.ITIMER_REAL, 0)

    def _ring(self, number: int, frame: Any) -> None:
        self.passed = True
        raise ScoringTimeout()
