"""Roost: report metrics, tags and files from a training script.

import roost.run
roost.run.log("loss", 0.25, step=3)
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import run
    from .client import Client
    from .errors import RoostError
    from .run import OfflineRun, Run

__version__ = "0.1.0"
__all__ = ["Client", "OfflineRun", "RoostError", "Run", "run"]

_HOMES = {"Client": "client", "RoostError": "errors", "OfflineRun": "run", "Run": "run"}


def __getattr__(name: str) -> Any:
    """Imports what is asked for: a script in a run needs little of this package."""
    if name in ("run", "client"):
        return importlib.import_module(f"{__name__}.{name}")
    if name in _HOMES:
        return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
