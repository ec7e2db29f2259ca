"""Diagnostics: Roost sends none. The choice is kept so that code which makes it works."""

from __future__ import annotations

from typing import Any, Optional

_choice: Optional[bool] = None


def set_diagnostics_collection(
    send_diagnostics: bool = True, verbosity: Any = None, reason: str = ""
) -> None:
    """Keeps the choice for this process. Whatever it is, nothing leaves this machine."""
    global _choice
    _choice = bool(send_diagnostics)
    print(f"Turning diagnostics collection {'on' if _choice else 'off'}. Roost sends none.")


def is_diagnostics_collection_info_available() -> bool:
    """Whether a choice was made in this process."""
    return _choice is not None


def get_diagnostics_collection_info(component_name: str = "", path: Any = None) -> bool:
    """The choice that was made; False when none was."""
    return bool(_choice)
