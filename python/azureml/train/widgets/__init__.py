"""Where RunDetails was in old releases of SDK v1."""

from __future__ import annotations

from azureml.widgets import RunDetails

__all__ = ["RunDetails"]
