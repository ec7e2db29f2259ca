"""Reports to a run from outside of it: the records of docs/spool.md, over the network."""

from __future__ import annotations

import atexit
import os
import threading
import time
import weakref
from typing import Any, List, Optional

from .client import Client, quote
from .encoding import encode, encode_scalar
from .errors import RoostError
from .notices import tell
from .times import time_micros

_GATHERED_SECONDS = 0.1
_BATCH_BYTES = 1 << 20
_MOST_WAITING_BYTES = 64 << 20
_RETRY_SECONDS = 2.0
_IDLE_SECONDS = 10.0
_LAST_CHANCE_SECONDS = 60.0
# Answers after which the same once more would be answered the same.
_FINAL = (
    "data_mismatch",
    "failed_precondition",
    "given_up",
    "invalid_argument",
    "not_found",
    "permission_denied",
    "too_large",
    "unauthenticated",
    "unimplemented",
)


class Recorder:
    """Queues records and posts them in the background. Any thread may call it, and a forked child
    goes on with a stream of its own. A record is sent once, whatever happens to connections.

    Nothing waits for the server but `flush`, and the end of the interpreter, which waits a minute
    at most and says on stderr what was lost. While 64 MB wait to be sent, who logs waits; with
    `drops` nobody does: what comes then is lost, and stderr says so.
    """

    _waiting: List[bytes]
    _refusal: Optional[RoostError]
    _thread: Optional[threading.Thread]
    _changed: threading.Condition

    def __init__(self, client: Client, run: str, drops: bool = False) -> None:
        self._client = client
        self._run = run
        self._drops = drops
        self._begin()
        _recorders.add(self)

    def log(self, name: str, value: Any, step: Optional[int] = None) -> None:
        """Adds one scalar point."""
        self._add(f'["scalar",{encode(str(name))},{encode_scalar(value)}', step)

    def record(self, kind: str, name: str, value: Any, step: Optional[int] = None) -> None:
        """Adds one record of any kind."""
        self._add(f"[{encode(kind)},{encode(str(name))},{encode(value)}", step)

    def flush(self, timeout_seconds: Optional[float] = None) -> None:
        """Waits until the server has everything. Raises RoostError when it refuses it."""
        give_up_at = None if timeout_seconds is None else time.monotonic() + timeout_seconds
        with self._changed:
            self._hurry = True
            self._changed.notify_all()
            while self._waiting and self._refusal is None:
                if self._thread is None or not self._thread.is_alive():
                    break
                left = None if give_up_at is None else give_up_at - time.monotonic()
                if left is not None and left <= 0:
                    raise RoostError("deadline_exceeded", self._unsent())
                self._changed.wait(left)
        if self._waiting and self._refusal is None:  # the interpreter ends, or never had threads
            self._send_all()
        if self._refusal is not None:
            refusal, self._refusal = self._refusal, None
            raise refusal

    def _begin(self) -> None:
        self._stream = f"sdk-{os.getpid()}-{os.urandom(4).hex()}"
        self._offset = 0
        self._waiting = []
        self._waiting_bytes = 0
        self._hurry = False
        self._refusal = None
        self._dropped = 0
        self._changed = threading.Condition()
        self._sending = threading.Lock()
        self._thread = None

    def _add(self, head: str, step: Optional[int]) -> None:
        step_text = "null" if step is None else str(int(step))
        line = f"{head},{step_text},{time_micros()}e-6]\n".encode()
        with self._changed:
            if self._drops and self._waiting_bytes + len(line) > _MOST_WAITING_BYTES:
                self._drop()
                return
            self._waiting.append(line)
            self._waiting_bytes += len(line)
            if self._thread is None or not self._thread.is_alive():
                self._start()
            if len(self._waiting) == 1 or self._waiting_bytes > _BATCH_BYTES:
                self._changed.notify_all()
            while self._waiting_bytes > _MOST_WAITING_BYTES and self._refusal is None:
                self._changed.wait(_RETRY_SECONDS)

    def _drop(self) -> None:
        self._dropped += 1
        if self._dropped == 1:
            tell(
                f"{self._client.url} does not take what run {self._run} logs, and "
                f"{_MOST_WAITING_BYTES >> 20} MB wait already: what is logged now is lost. The "
                "training goes on."
            )

    def _start(self) -> None:
        thread = threading.Thread(target=self._work, name="roost-recorder", daemon=True)
        try:
            thread.start()
            self._thread = thread
        except RuntimeError:
            pass  # the interpreter ends; flush sends what is left

    def _work(self) -> None:
        while True:
            with self._changed:
                if not self._waiting and not self._changed.wait(_IDLE_SECONDS):
                    self._thread = None
                    return
                if not self._waiting:
                    continue
                if not self._hurry and self._waiting_bytes < _BATCH_BYTES:
                    self._changed.wait(_GATHERED_SECONDS)
            try:
                self._send_all()
            except RoostError as error:
                if error.code not in _FINAL:
                    time.sleep(_RETRY_SECONDS)
                    continue
                with self._changed:
                    self._refuse(error)

    def _send_all(self) -> None:
        """Posts what waits, oldest first. What the server has already is not sent again."""
        with self._sending:
            while True:
                with self._changed:
                    count, size = 0, 0
                    while count < len(self._waiting) and size < _BATCH_BYTES:
                        size += len(self._waiting[count])
                        count += 1
                    body = b"".join(self._waiting[:count])
                if not body:
                    break
                self._post(body)
                with self._changed:
                    self._offset += len(body)
                    del self._waiting[:count]
                    self._waiting_bytes -= len(body)
                    if not self._waiting:
                        self._hurry = False
                        self._tell_what_was_dropped()
                    self._changed.notify_all()

    def _tell_what_was_dropped(self) -> None:
        if self._dropped:
            tell(f"{self._dropped} records of run {self._run} were lost; from here on all is kept.")
            self._dropped = 0

    def _post(self, body: bytes) -> None:
        path = f"/api/v1/runs/{quote(self._run)}/records"
        self._client.send(
            "POST", path, body, "text/plain", stream=self._stream, offset=self._offset
        )

    def _refuse(self, error: RoostError) -> None:
        """The run has ended, or the token is not good for it: more of the same will not help."""
        if self._refusal is None:
            tell(f"{self._unsent()} The server refused: {error.message}")
        self._refusal = error
        self._offset = 0
        self._stream = f"sdk-{os.getpid()}-{os.urandom(4).hex()}"
        self._waiting.clear()
        self._waiting_bytes = 0
        self._changed.notify_all()

    def _unsent(self) -> str:
        return f"{len(self._waiting)} records of run {self._run} did not reach {self._client.url}."


_recorders: weakref.WeakSet[Recorder] = weakref.WeakSet()


def _flush_all() -> None:
    for recorder in list(_recorders):
        try:
            recorder.flush(_LAST_CHANCE_SECONDS)
        except RoostError as error:
            tell(f"{recorder._unsent()} {error.message}")


def _forget_records_of_parent() -> None:
    for recorder in list(_recorders):
        recorder._begin()


atexit.register(_flush_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_records_of_parent)
