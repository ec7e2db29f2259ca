"""Copies the ./logs of runs into a folder and keeps them up to date."""

from __future__ import annotations

import os
import threading
from typing import Any, Dict, List, Optional
from urllib.parse import quote

_PREFIX = "logs/"
_PAUSE_SECONDS = 3.0
_TERMINAL = ("Completed", "Failed", "Canceled")


class LogMirror:
    """One folder per run, named by its id."""

    def __init__(self, runs: List[Any], local_root: Optional[str]) -> None:
        self._runs = runs
        self._root = local_root
        self._temporary = local_root is None
        self._attempts: Dict[str, int] = {}  # local file -> attempt that wrote it
        self._stop = threading.Event()
        self._thread: Optional[threading.Thread] = None

    def start(self) -> str:
        """Fetches what is there, then follows the runs that go on. Returns the folder."""
        if self._root is None:
            import tempfile

            self._root = tempfile.mkdtemp(prefix="roost-tensorboard-")
        os.makedirs(self._root, exist_ok=True)
        going_on = [run for run in self._runs if self._refresh(run)]
        if going_on and self._thread is None:
            self._stop.clear()
            self._thread = threading.Thread(target=self._follow, args=(going_on,), daemon=True)
            self._thread.start()
        return self._root

    def stop(self) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join(10)
            self._thread = None
        if self._temporary and self._root is not None:
            import shutil

            shutil.rmtree(self._root, ignore_errors=True)
            self._root = None
            self._attempts = {}

    def _follow(self, runs: List[Any]) -> None:
        while runs and not self._stop.wait(_PAUSE_SECONDS):
            runs = [run for run in runs if self._try_refresh(run)]

    def _try_refresh(self, run: Any) -> bool:
        try:
            return self._refresh(run)
        except Exception:  # the server may be away for a while
            return True

    def _refresh(self, run: Any) -> bool:
        """Whether the run may still write."""
        ended = run.get_status() in _TERMINAL  # asked first: what it wrote last is then listed
        assert self._root is not None
        folder = os.path.join(self._root, run.id)
        os.makedirs(folder, exist_ok=True)
        path = f"/api/v1/runs/{quote(run.id, safe='')}"
        for log in run._client.get(f"{path}/logs")["items"]:
            if self._stop.is_set():
                break
            local = _local_path(folder, log["name"])
            if local is not None:
                self._extend(run, f"{path}/logs/{quote(log['name'])}", log, local)
        return not ended

    def _extend(self, run: Any, path: str, log: Dict[str, Any], local: str) -> None:
        """Adds what is new to the end: TensorBoard keeps the file open and reads on. A new attempt
        writes its logs from the start."""
        attempt = int(log.get("attempt") or 0)
        if self._attempts.get(local) != attempt:
            os.makedirs(os.path.dirname(local), exist_ok=True)
            with open(local, "wb"):
                self._attempts[local] = attempt
        present = os.path.getsize(local)
        new = int(log["size"]) - present
        if new > 0:
            with open(local, "ab") as file:
                run._client.fetch(path, file, offset=present, limit=new, attempt=attempt or None)


def _local_path(folder: str, name: str) -> Optional[str]:
    """None for a log of another folder, or a name that would lead out of this one."""
    if not name.startswith(_PREFIX):
        return None
    local = os.path.normpath(os.path.join(folder, name[len(_PREFIX) :]))
    return local if local.startswith(os.path.normpath(folder) + os.sep) else None
