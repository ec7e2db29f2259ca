"""How a script ended: by itself, by sys.exit, or by an exception."""

from __future__ import annotations

import atexit
import sys
import threading
import traceback
from types import TracebackType
from typing import Any, Callable, Optional, Tuple, Type

from .reporters import Failure

Ending = Tuple[str, Optional[Failure]]

_installed = False
_exit_code: Any = None


def ending_of(
    kind: Type[BaseException], error: BaseException, trace: Optional[TracebackType]
) -> Ending:
    """What an exception that nobody caught makes of a run."""
    if isinstance(error, SystemExit):
        return ending_of_code(error.code)
    if isinstance(error, KeyboardInterrupt):
        return "Canceled", None
    lines = "".join(traceback.format_exception(kind, error, trace)).splitlines()
    last = traceback.format_exception_only(kind, error)[-1].strip()
    return "Failed", Failure(last, last, lines)


def ending_of_code(code: Any) -> Ending:
    """What the argument of sys.exit makes of it."""
    if code is None or code == 0:
        return "Completed", None
    what = f"the script ended with exit code {code}" if isinstance(code, int) else str(code)
    return "Failed", Failure(what, code="exit_code")


def watch_end(end: Callable[[str, Optional[Failure]], None]) -> None:
    """Calls `end` when the interpreter ends, or when an exception leaves the script. Once."""
    global _installed
    if _installed:
        return
    _installed = True
    shown, left = sys.excepthook, sys.exit

    def on_exception(
        kind: Type[BaseException], error: BaseException, trace: Optional[TracebackType]
    ) -> None:
        shown(kind, error, trace)
        end(*ending_of(kind, error, trace))

    def on_exit(code: Any = None) -> Any:
        global _exit_code
        if threading.current_thread() is threading.main_thread():
            _exit_code = code
        left(code)

    sys.excepthook = on_exception
    sys.exit = on_exit
    atexit.register(lambda: end(*ending_of_code(_exit_code)))
