"""The limit that real code raises here. Roost has none, so its value changes nothing."""

from __future__ import annotations

from .constants import SNAPSHOT_MAX_SIZE_BYTES

__all__ = ["SNAPSHOT_MAX_SIZE_BYTES"]
