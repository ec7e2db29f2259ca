"""The Python of this process, for runs that are to have it."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Optional

if TYPE_CHECKING:
    from .workspace import Workspace

_LOCAL = ("localhost", "127.0.0.1", "::1")


def own_interpreter(workspace: Workspace) -> Optional[str]:
    """What `user_managed_dependencies` means on the compute `local`: the interpreter of what
    submits, a notebook perhaps. None where the server is on another machine, and in a run, whose
    interpreter may be one of an image."""
    if not sys.executable or os.environ.get("ROOST_SPOOL"):
        return None
    return sys.executable if is_here(workspace) else None


def is_here(workspace: Workspace) -> bool:
    from urllib.parse import urlsplit

    client = workspace._client
    if client._server_file is not None:
        return True
    if urlsplit(client.url).hostname not in _LOCAL:
        return False
    # The other end of a tunnel looks the same from here, but is no process of this machine.
    try:
        with open(f"/proc/{int(client.get('/api/v1/server')['pid'])}/comm") as file:
            return file.read().strip() == "roost"
    except (OSError, ValueError):
        return False
