"""Says for runs that this process reports to that it lives.

A run whose process has once said so and then falls silent ends as Failed, "crashed". One thread
does it for all runs of the process; a forked child says nothing, for it is not the run's process.
"""

from __future__ import annotations

import os
import threading
import time
from typing import Callable, Dict, List, NamedTuple, Optional, Tuple

from .client import Client, quote
from .errors import RoostError
from .streaming import TERMINAL

_FIRST_SECONDS = 15.0
_RETRY_SECONDS = 5.0
_FINAL = ("failed_precondition", "not_found", "permission_denied", "unauthenticated")

Ended = Callable[[str], None]


class _Run(NamedTuple):
    client: Client
    on_end: Optional[Ended]


class _Heart:
    def __init__(self) -> None:
        self.runs: Dict[str, _Run] = {}
        self.due: Dict[str, float] = {}
        self.changed = threading.Condition()
        self.thread: Optional[threading.Thread] = None


_heart = _Heart()


def keep_alive(client: Client, run: str, on_end: Optional[Ended] = None) -> None:
    """Begins to say that the process of an interactive run lives. `on_end` is called, by another
    thread, with the state that the run has, once that is an end."""
    heart = _heart
    with heart.changed:
        heart.runs[run] = _Run(client, on_end)
        heart.due[run] = time.monotonic()
        if heart.thread is None or not heart.thread.is_alive():
            thread = threading.Thread(target=_beat, args=(heart,), name="roost-heart", daemon=True)
            try:
                thread.start()
                heart.thread = thread
            except RuntimeError:
                pass  # the interpreter ends
        heart.changed.notify_all()


def let_go(run: str) -> None:
    """The run has ended, or is no longer this process's."""
    with _heart.changed:
        _heart.runs.pop(run, None)
        _heart.due.pop(run, None)


def _beat(heart: _Heart) -> None:
    while True:
        for run, known in _due_runs(heart):
            next_seconds = _say(run, known)
            with heart.changed:
                if run not in heart.runs:
                    continue
                if next_seconds is None:
                    heart.runs.pop(run, None)
                    heart.due.pop(run, None)
                else:
                    heart.due[run] = time.monotonic() + next_seconds


def _due_runs(heart: _Heart) -> List[Tuple[str, _Run]]:
    """Waits until one is due."""
    with heart.changed:
        while True:
            now = time.monotonic()
            due = [(run, heart.runs[run]) for run, at in heart.due.items() if at <= now]
            if due:
                return due
            heart.changed.wait(min(heart.due.values()) - now if heart.due else None)


def _say(run: str, known: _Run) -> Optional[float]:
    """After how many seconds to say it again; None: never."""
    try:
        answer = known.client.post(f"/api/v1/runs/{quote(run)}/heartbeat")
    except RoostError as error:
        return None if error.code in _FINAL else _RETRY_SECONDS
    except Exception:
        return _RETRY_SECONDS
    if answer["status"] in TERMINAL:
        if known.on_end is not None:
            known.on_end(str(answer["status"]))
        return None
    return max(0.05, float(answer.get("next_seconds", _FIRST_SECONDS)))


def _forget_runs_of_parent() -> None:
    global _heart
    _heart = _Heart()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_runs_of_parent)
