"""The folder of a run that was made without a server: run.json, spool/, files/ and end.json."""

from __future__ import annotations

import json
import os
import platform
import time
from typing import Any, Dict, Optional

TOP = "roost-offline"


def new_folder(workspace: str, spec: Dict[str, Any]) -> str:
    """Makes one below ./roost-offline."""
    name = f"{time.strftime('%Y%m%d-%H%M%S')}-{os.urandom(3).hex()}"
    folder = os.path.abspath(os.path.join(TOP, name))
    os.makedirs(spool_folder(folder))
    os.makedirs(files_folder(folder))
    facts = {
        "workspace": workspace,
        "spec": spec,
        "key": os.urandom(16).hex(),
        "host": platform.node(),
        "pid": os.getpid(),
    }
    _write(os.path.join(folder, "run.json"), facts)
    return folder


def spool_folder(folder: str) -> str:
    return os.path.join(folder, "spool")


def files_folder(folder: str) -> str:
    return os.path.join(folder, "files")


def write_end(folder: str, status: str, body: Dict[str, Any]) -> None:
    _write(os.path.join(folder, "end.json"), {"status": status, "body": body})


def write_synced(folder: str, run: str, url: str) -> None:
    """All of it is with the server."""
    _write(os.path.join(folder, "synced.json"), {"run": run, "url": url})


def read_part(folder: str, name: str) -> Optional[Dict[str, Any]]:
    """run.json, end.json or synced.json; None where there is none yet."""
    try:
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            content = json.load(file)
    except FileNotFoundError:
        return None
    return content if isinstance(content, dict) else None


def _write(path: str, content: Dict[str, Any]) -> None:
    with open(path + ".part", "w", encoding="utf-8") as file:
        json.dump(content, file, indent=2)
        file.write("\n")
    os.replace(path + ".part", path)
