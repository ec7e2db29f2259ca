"""Blobs on their way to the server: many small ones together, a big one alone."""

from __future__ import annotations

import hashlib
import io
import json
import os
import threading
from typing import Any, BinaryIO, Dict, Iterator, List, NamedTuple, Sequence, Tuple, cast

from .client import Client
from .errors import RoostError
from .lanes import run_lanes
from .progress import Bar, Progress, opened

SMALL_BLOB = 256 * 1024
FRAMES_TYPE = "application/x-roost-frames"
LANES = 4

_BATCH_BYTES = 8 * 1024 * 1024
_BATCH_COUNT = 2000
_FRAME_HEADER = 120
_TRIES = 5
_PATIENCE = 3  # how often it is asked whether the upload of somebody else is done
_OPEN = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


class Blob(NamedTuple):
    digest: str
    size: int
    path: str  # of a file that has its bytes


def make_batches(blobs: Sequence[Blob]) -> List[List[Blob]]:
    """Groups small blobs; a large one is alone. The largest come first, so that the lanes end
    together."""
    batches: List[List[Blob]] = []
    room = 0
    for blob in sorted(blobs, key=lambda blob: (-blob.size, blob.path)):
        small = blob.size < SMALL_BLOB
        need = blob.size + _FRAME_HEADER
        if not small or room < need or len(batches[-1]) == _BATCH_COUNT:
            batches.append([])
            room = _BATCH_BYTES if small else 0
        if small:
            room -= need
        batches[-1].append(blob)
    return batches


def send_blobs(client: Client, blobs: Sequence[Blob], progress: Progress = None) -> None:
    if not blobs:
        return
    stop = threading.Event()
    with opened(progress, "Uploading", sum(blob.size for blob in blobs)) as bar:

        def send(batch: List[Blob]) -> None:
            if batch[0].size < SMALL_BLOB:
                _send_together(client, batch, bar)
            else:
                _send_alone(client, batch[0], bar, stop)

        run_lanes(make_batches(blobs), send, LANES, stop)


def _send_together(client: Client, batch: List[Blob], bar: Bar) -> None:
    body = io.BytesIO()
    for blob in batch:
        with _open(blob) as file:
            content = file.read(blob.size + 1)
        if hashlib.sha256(content).hexdigest() != blob.digest:
            raise _changed(blob)
        body.write(json.dumps({"digest": blob.digest, "length": len(content)}).encode() + b"\n")
        body.write(content)
    client.send("POST", "/api/v1/blobs", body.getvalue(), FRAMES_TYPE)
    for blob in batch:
        bar.advance(blob.size)
        bar.done_file(blob.path)


def _send_alone(client: Client, blob: Blob, bar: Bar, stop: threading.Event) -> None:
    path = f"/api/v1/blobs/{blob.digest}"
    counted = _Counted(bar)
    furthest = attempt = 0
    while True:
        state = _upload_state(client, path)
        if state.get("stored"):
            break
        start = int(state["received"])
        if start > blob.size:
            start = 0
        attempt = 1 if start > furthest else attempt + 1
        furthest = max(furthest, start)
        with _open(blob) as file:
            file.seek(start)
            content = _Content(file, blob, counted, stop)
            try:
                client.send("PUT", path, cast(BinaryIO, content), offset=start)
                break
            except RoostError as error:
                # The server goes on at another place when a try of the client came through in
                # part; what it kept of an earlier upload may be what does not fit.
                resumed = error.code == "data_mismatch" and start > 0
                if error.code == "data_mismatch" and not resumed:
                    raise _changed(blob) from None
                if not (resumed or error.code == "failed_precondition") or attempt >= _TRIES:
                    raise
    counted.set(blob.size)
    bar.done_file(blob.path)


def _upload_state(client: Client, path: str) -> Dict[str, Any]:
    """How far the server is, once nobody else is sending it; who is slow is not waited for."""
    for _ in range(_PATIENCE):
        state: Dict[str, Any] = client.get(f"{path}/upload", wait_seconds=10)
        if not state.get("active"):
            break
    return state


class _Counted:
    """What the bar has of one blob; it may go back when bytes are sent once more."""

    def __init__(self, bar: Bar) -> None:
        self._bar = bar
        self._at = 0

    def set(self, at: int) -> None:
        if at != self._at:
            self._bar.advance(at - self._at)
            self._at = at


class _Content(io.RawIOBase):
    """The bytes of a file as they are sent, no more than the blob has."""

    def __init__(
        self, file: io.BufferedReader, blob: Blob, counted: _Counted, stop: threading.Event
    ) -> None:
        self._file = file
        self._blob = blob
        self._counted = counted
        self._stop = stop

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        if self._stop.is_set():
            raise RoostError("unavailable", "the transfer was stopped")
        at = self._file.tell()
        left = max(0, self._blob.size - at)
        piece = self._file.read(left if size < 0 else min(size, left))
        if left and not piece and size:
            raise _changed(self._blob)
        self._counted.set(at + len(piece))
        return piece

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        if whence == os.SEEK_END:
            offset, whence = self._blob.size + offset, os.SEEK_SET
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()


def _open(blob: Blob) -> io.BufferedReader:
    try:
        file = os.fdopen(os.open(blob.path, _OPEN), "rb")
    except OSError as error:
        if isinstance(error, PermissionError):
            raise RoostError(
                "permission_denied", f"cannot read {blob.path}: {error.strerror}"
            ) from None
        raise _changed(blob) from None
    if os.fstat(file.fileno()).st_size != blob.size:
        file.close()
        raise _changed(blob)
    return file


def _changed(blob: Blob) -> RoostError:
    return RoostError(
        "failed_precondition",
        f"{blob.path} changed while it was uploaded; try again when it is at rest",
    )


def read_frames(body: bytes) -> Iterator[Tuple[str, bytes]]:
    """Digests and bytes, as fetch_blobs answers them."""
    at = 0
    while at < len(body):
        end = body.find(b"\n", at)
        try:
            header = json.loads(body[at:end] if end >= 0 else b"")
            digest, length = str(header["digest"]), int(header["length"])
        except (ValueError, KeyError, TypeError):
            raise RoostError(
                "internal", "the server's answer to fetch_blobs is not as it should be"
            ) from None
        content = body[end + 1 : end + 1 + length]
        if len(content) < length:
            raise RoostError("unavailable", "the server ended its answer to fetch_blobs too early")
        yield digest, content
        at = end + 1 + length
