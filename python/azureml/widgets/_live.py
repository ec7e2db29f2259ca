"""Keeps what a notebook shows of a run up to date, from a thread beside the cell."""

from __future__ import annotations

import importlib
import sys
import threading
from typing import TYPE_CHECKING, Dict, Optional

from ._page import as_html
from ._run_view import RunState, RunView
from ._text import as_text

_FIRST_PAUSE_SECONDS = 1.0
_LONGEST_PAUSE_SECONDS = 5.0
_SLOWER = 1.02  # reaches the longest pause after some five minutes

_watchers: Dict[str, threading.Event] = {}  # run -> what stops its watcher


if TYPE_CHECKING:
    from typing import Protocol

    class Display(Protocol):
        def __call__(self, bundle: Dict[str, str], display_id: str, update: bool) -> None: ...


def notebook() -> Optional[Display]:
    """How to show something in the notebook this runs in; None on a terminal or in a script.
    IPython is used if it is there already, never imported for this."""
    ipython = sys.modules.get("IPython")
    if ipython is None:
        return None
    shell = ipython.get_ipython()
    if shell is None or getattr(shell, "kernel", None) is None:
        return None
    module = importlib.import_module("IPython.display")

    def publish(bundle: Dict[str, str], display_id: str, update: bool) -> None:
        show = module.update_display if update else module.display
        show(bundle, raw=True, display_id=display_id)

    return publish


def show_live(display: Display, view: RunView) -> Optional[threading.Thread]:
    """Shows the run now; if it goes on, a thread follows it to its end. A second show of the
    same run takes over from the first, which the reader has left behind."""
    import uuid

    display_id = f"roost-{uuid.uuid4().hex}"
    state = view.read()
    display(_bundle(state), display_id=display_id, update=False)
    stop = threading.Event()
    earlier = _watchers.pop(view.run_id, None)
    if earlier is not None:
        earlier.set()
    if state.ended:
        return None
    _watchers[view.run_id] = stop
    thread = threading.Thread(
        target=_follow,
        args=(display, display_id, view, state, stop),
        name=f"RunDetails {view.run_id}",
        daemon=True,
    )
    thread.start()
    return thread


def _follow(
    display: Display, display_id: str, view: RunView, state: RunState, stop: threading.Event
) -> None:
    pause = _FIRST_PAUSE_SECONDS
    shown = as_html(state)
    while not state.ended and not stop.wait(pause):
        pause = min(pause * _SLOWER, _LONGEST_PAUSE_SECONDS)
        problem = ""
        try:
            state = view.read()
        except Exception as error:  # whatever it is, the reader sees it and the next try follows
            problem = f"This is not up to date: {error}"
            pause = _LONGEST_PAUSE_SECONDS
        page = as_html(state, problem)
        if page != shown and not stop.is_set():
            shown = page
            try:
                display(_bundle(state, problem), display_id=display_id, update=True)
            except Exception:
                return  # the kernel is going away
    if _watchers.get(view.run_id) is stop:
        del _watchers[view.run_id]


def _bundle(state: RunState, problem: str = "") -> Dict[str, str]:
    return {"text/html": as_html(state, problem), "text/plain": as_text(state)}
