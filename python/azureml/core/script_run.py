"""A submitted script's run is a Run like any other."""

from __future__ import annotations

from .run import Run

__all__ = ["ScriptRun"]

ScriptRun = Run
