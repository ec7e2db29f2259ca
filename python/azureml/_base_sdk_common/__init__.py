"""Where some code looks for the version of the SDK."""

from __future__ import annotations

from ..core import VERSION

__version__ = VERSION
