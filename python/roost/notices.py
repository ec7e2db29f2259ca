"""What a person is told on stderr."""

from __future__ import annotations

import sys
import threading
from typing import Set

_told: Set[str] = set()
_lock = threading.Lock()


def tell(text: str) -> None:
    """One line, where there is a stderr."""
    try:
        print(f"roost: {text}", file=sys.stderr, flush=True)
    except (OSError, ValueError, AttributeError):
        pass  # it is closed


def tell_once(subject: str, text: str) -> None:
    """The first time only that there is something to say of the subject."""
    with _lock:
        if subject in _told:
            return
        _told.add(subject)
    tell(text)
