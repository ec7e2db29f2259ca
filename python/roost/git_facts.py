"""Which commit a folder is at."""

from __future__ import annotations

import os
import re
import subprocess
from typing import Any, Dict, Optional

_PATIENCE_SECONDS = 10.0


def git_facts(folder: str) -> Optional[Dict[str, Any]]:
    """repository_uri, branch, commit and dirty of the working tree `folder` is in; None when it is
    in none, or there is no git."""
    if not _has_repository(folder):
        return None
    commit = _git(folder, "rev-parse", "--verify", "-q", "HEAD")
    if not commit:
        return None
    status = _git(folder, "status", "--porcelain", "--untracked-files=no", "--ignore-submodules")
    return {
        "repository_uri": _without_password(_git(folder, "remote", "get-url", "origin")),
        "branch": _git(folder, "symbolic-ref", "--short", "-q", "HEAD") or None,
        "commit": commit,
        "dirty": None if status is None else bool(status),
    }


def _has_repository(folder: str) -> bool:
    """Spares the folders of most people four processes."""
    at = os.path.realpath(folder)
    while True:
        if os.path.exists(os.path.join(at, ".git")):
            return True
        above = os.path.dirname(at)
        if above == at:
            return False
        at = above


def _git(folder: str, *arguments: str) -> Optional[str]:
    try:
        done = subprocess.run(
            ["git", "--no-optional-locks", "-C", folder, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=_PATIENCE_SECONDS,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.decode("utf-8", "replace").strip() if done.returncode == 0 else None


def _without_password(uri: Optional[str]) -> Optional[str]:
    return re.sub(r"(?<=://)[^/@]*@", "", uri) if uri else None
