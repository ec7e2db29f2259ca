"""Training: the old estimators, and sweeps. AutoML is absent, and says so."""

from __future__ import annotations

from typing import Any

from azureml._absent import absent_name


def __getattr__(name: str) -> Any:
    return absent_name(__name__, name)
