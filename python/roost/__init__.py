"""Roost: report what a training does, submit trainings, and look at what they did.

    import roost

    roost.init(project="birds", config={"lr": 0.1})
    roost.log({"loss": 0.25}, step=3)
    roost.finish()

docs/python.md has the rest.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import run
    from .active_run import ActiveRun
    from .client import Client
    from .errors import RoostError
    from .run import OfflineRun, Run
    from .run_handle import RunHandle
    from .run_table import RunTable, runs
    from .submission import submit
    from .tracking import (
        finish,
        init,
        log,
        log_artifact,
        log_histogram,
        log_image,
        log_params,
        log_table,
    )

__version__ = "0.1.0"
__all__ = [
    "ActiveRun",
    "Client",
    "OfflineRun",
    "RoostError",
    "Run",
    "RunHandle",
    "RunTable",
    "finish",
    "init",
    "log",
    "log_artifact",
    "log_histogram",
    "log_image",
    "log_params",
    "log_table",
    "run",
    "runs",
    "submit",
]

_HOMES = {
    "ActiveRun": "active_run",
    "Client": "client",
    "RoostError": "errors",
    "OfflineRun": "run",
    "Run": "run",
    "RunHandle": "run_handle",
    "RunTable": "run_table",
    "runs": "run_table",
    "submit": "submission",
    **dict.fromkeys(
        (
            "finish",
            "init",
            "log",
            "log_artifact",
            "log_histogram",
            "log_image",
            "log_params",
            "log_table",
        ),
        "tracking",
    ),
}


def __getattr__(name: str) -> Any:
    """Imports what is asked for: a script in a run needs little of this package."""
    if name in ("run", "client", "integrations"):
        return importlib.import_module(f"{__name__}.{name}")
    if name in _HOMES:
        found = getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
        globals()[name] = found
        return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
