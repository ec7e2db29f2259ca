"""Files of a run that are sent in the background, and recorded once they are stored."""

from __future__ import annotations

import atexit
import io
import os
import threading
import time
import weakref
from typing import Callable, List, NamedTuple, Optional

from .client import Client
from .errors import RoostError
from .notices import tell

_MOST_WAITING_BYTES = 256 << 20
_RETRY_SECONDS = 2.0
_LAST_CHANCE_SECONDS = 60.0
_TRIED_AGAIN = ("unavailable", "internal", "resource_exhausted")


class _File(NamedTuple):
    path: str
    content: bytes
    then: Callable[[], None]


class Uploads:
    """Stores files as artifacts of a run, in the order in which they came. Any thread may add some;
    a forked child starts with none. Nobody waits but `flush`: what comes while 256 MB wait is lost,
    and so is what the server refuses, and stderr says so.
    """

    _waiting: List[_File]
    _bytes: int
    _is_full: bool
    _thread: Optional[threading.Thread]
    _changed: threading.Condition

    def __init__(self, client: Client, run: str) -> None:
        self._client = client
        self._run = run
        self._begin()
        _all.add(self)

    def add(self, path: str, content: bytes, then: Callable[[], None]) -> None:
        """`then` is called once the file is stored."""
        with self._changed:
            if self._bytes + len(content) > _MOST_WAITING_BYTES and self._waiting:
                if not self._is_full:
                    tell(
                        f"{_MOST_WAITING_BYTES >> 20} MB of images of run {self._run} wait to be "
                        "sent: those logged now are lost. The training goes on."
                    )
                self._is_full = True
                return
            self._waiting.append(_File(path, content, then))
            self._bytes += len(content)
            if self._thread is None or not self._thread.is_alive():
                self._start()
            self._changed.notify_all()

    def flush(self, timeout_seconds: float = _LAST_CHANCE_SECONDS) -> None:
        """Waits until all is sent. Says what was not."""
        give_up_at = time.monotonic() + timeout_seconds
        with self._changed:
            while self._waiting and self._thread is not None and self._thread.is_alive():
                left = give_up_at - time.monotonic()
                if left <= 0:
                    break
                self._changed.wait(left)
            orphaned = bool(self._waiting) and time.monotonic() < give_up_at
        if orphaned:  # the interpreter ends, and starts no threads
            self._send_all(give_up_at)
        with self._changed:
            if self._waiting:
                tell(
                    f"{len(self._waiting)} images of run {self._run} did not reach "
                    f"{self._client.url} in time."
                )
                self._waiting.clear()
                self._bytes = 0

    def _begin(self) -> None:
        self._waiting = []
        self._bytes = 0
        self._is_full = False
        self._thread = None
        self._changed = threading.Condition()

    def _start(self) -> None:
        thread = threading.Thread(target=self._work, name="roost-uploads", daemon=True)
        try:
            thread.start()
            self._thread = thread
        except RuntimeError:
            pass  # the interpreter ends; flush sends what is left

    def _work(self) -> None:
        while True:
            with self._changed:
                while not self._waiting:
                    self._changed.wait()
            self._send_all(None)

    def _send_all(self, give_up_at: Optional[float]) -> None:
        while True:
            with self._changed:
                if not self._waiting:
                    return
                file = self._waiting[0]
            if not self._send(file):
                if give_up_at is not None and time.monotonic() > give_up_at:
                    return
                time.sleep(_RETRY_SECONDS)
                continue
            with self._changed:
                if self._waiting and self._waiting[0] is file:
                    del self._waiting[0]
                    self._bytes -= len(file.content)
                self._is_full = False
                self._changed.notify_all()

    def _send(self, file: _File) -> bool:
        """False if it is to be tried again."""
        try:
            self._client.put_artifact(self._run, file.path, io.BytesIO(file.content))
            file.then()
        except RoostError as error:
            if error.code in _TRIED_AGAIN:
                return False
            tell(f"{file.path} of run {self._run} is lost. The server refused: {error.message}")
        return True


_all: weakref.WeakSet[Uploads] = weakref.WeakSet()


def _flush_all() -> None:
    for uploads in list(_all):
        uploads.flush()


def _forget_files_of_parent() -> None:
    for uploads in list(_all):
        uploads._begin()


atexit.register(_flush_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_files_of_parent)
