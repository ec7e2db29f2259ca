"""The files of a manifest, from the server to a folder."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import stat
import threading
from contextlib import contextmanager
from typing import BinaryIO, Dict, Iterator, List, Sequence, Set, cast

from .blobs import LANES, SMALL_BLOB, Blob, make_batches, read_frames
from .client import Client
from .errors import RoostError
from .lanes import run_lanes
from .manifest import (
    EMPTY_FOLDER,
    EXECUTABLE,
    SYMLINK,
    Entry,
    entries_from_json,
    manifest_text,
    printable,
)
from .progress import Bar

_NAMED = 3
_PIECE = 1 << 20


def fetch_entries(client: Client, digest: str) -> List[Entry]:
    """The entries of a stored manifest, proved by its digest."""
    answer = client.get(f"/api/v1/snapshots/{digest}")
    entries = entries_from_json(answer.get("entries") if isinstance(answer, dict) else None)
    if hashlib.sha256(manifest_text(entries)).hexdigest() != digest:
        raise RoostError(
            "data_mismatch", f"the server sent a manifest that is not that of {digest}"
        )
    return entries


def write_entries(
    client: Client, entries: Sequence[Entry], folder: str, overwrite: bool, bar: Bar
) -> List[str]:
    """Returns the local paths of files and symlinks, in the order of the entries."""
    writer = _Writer(client, entries, folder, bar)
    writer.check(overwrite)
    writer.make_folders()
    writer.fetch_files()
    writer.make_symlinks()
    return [writer.local(entry) for entry in entries if entry.mode != EMPTY_FOLDER]


class _Writer:
    def __init__(self, client: Client, entries: Sequence[Entry], folder: str, bar: Bar) -> None:
        self._client = client
        self._entries = entries
        self._folder = folder
        self._bar = bar
        self._stop = threading.Event()
        self._users: Dict[str, List[Entry]] = {}
        for entry in entries:
            if entry.is_file:
                self._users.setdefault(entry.digest, []).append(entry)

    def local(self, entry: Entry) -> str:
        return os.path.join(self._folder, *entry.path.rstrip("/").split("/"))

    def check(self, overwrite: bool) -> None:
        there = []
        for entry in self._entries:
            if entry.mode == EMPTY_FOLDER:
                continue
            path = self.local(entry)
            if os.path.lexists(path):
                folder = os.path.isdir(path) and not os.path.islink(path)
                if folder or not overwrite:
                    there.append(path)
        if there:
            more = f" and {len(there) - _NAMED} more" if len(there) > _NAMED else ""
            verb = "are" if len(there) > 1 else "is"
            raise RoostError(
                "already_exists",
                f"{', '.join(there[:_NAMED])}{more} {verb} there already; "
                "remove it, choose another folder or allow to overwrite",
            )

    def make_folders(self) -> None:
        os.makedirs(self._folder, exist_ok=True)
        made: Set[str] = set()
        for entry in self._entries:
            parts = entry.path.split("/")[:-1]
            for i in range(1, len(parts) + 1):
                below = "/".join(parts[:i])
                if below not in made:
                    self._make_folder(os.path.join(self._folder, *parts[:i]))
                    made.add(below)

    def _make_folder(self, path: str) -> None:
        try:
            os.mkdir(path)
        except FileExistsError:
            # A symlink that was here before could lead anywhere.
            if not stat.S_ISDIR(os.lstat(path).st_mode):
                raise RoostError(
                    "already_exists",
                    f"{path} must be a folder and is none; remove it or choose another folder",
                ) from None

    def fetch_files(self) -> None:
        blobs = [Blob(d, users[0].size, users[0].path) for d, users in self._users.items()]
        self._bar.set_total(sum(blob.size for blob in blobs))

        def fetch(batch: List[Blob]) -> None:
            if batch[0].size < SMALL_BLOB:
                self._fetch_together(batch)
            else:
                self._fetch_alone(batch[0])

        run_lanes(make_batches(blobs), fetch, LANES, self._stop)

    # After all files: until then there is no symlink that anything could follow.
    def make_symlinks(self) -> None:
        for entry in self._entries:
            if entry.mode == SYMLINK:
                temporary = _temporary(self.local(entry))
                try:
                    os.symlink(entry.target, temporary)
                    os.replace(temporary, self.local(entry))
                except OSError as error:
                    _remove(temporary)
                    raise RoostError(
                        "permission_denied",
                        f"cannot make the symlink {self.local(entry)}: {error.strerror or error}",
                    ) from None

    def _fetch_together(self, batch: List[Blob]) -> None:
        wanted = {blob.digest: blob for blob in batch}
        body = json.dumps({"digests": list(wanted)}).encode()
        frames = self._client.send("POST", "/api/v1/blobs/fetch", body, "application/json")
        for digest, content in read_frames(frames):
            blob = wanted.pop(digest, None)
            if blob is None or hashlib.sha256(content).hexdigest() != digest:
                raise _mismatch(blob.path if blob else digest)
            for entry in self._users[digest]:
                with _new_file(self.local(entry), entry.mode) as out:
                    out.write(content)
            self._bar.advance(len(content))
            self._bar.done_file(blob.path)
        for blob in wanted.values():
            raise RoostError("not_found", f"the server did not send {printable(blob.path)}")

    def _fetch_alone(self, blob: Blob) -> None:
        first, *others = self._users[blob.digest]
        with _new_file(self.local(first), first.mode) as out:
            sink = _Sink(out, blob, self._bar, self._stop)
            self._client.fetch(f"/api/v1/blobs/{blob.digest}", cast(BinaryIO, sink))
            sink.check()
        for entry in others:
            with open(self.local(first), "rb") as source, _new_file(
                self.local(entry), entry.mode
            ) as out:
                shutil.copyfileobj(source, out, _PIECE)
        self._bar.done_file(blob.path)


class _Sink:
    """Where the bytes of a big blob go."""

    def __init__(self, out: BinaryIO, blob: Blob, bar: Bar, stop: threading.Event) -> None:
        self._out = out
        self._blob = blob
        self._bar = bar
        self._stop = stop
        self._sha256 = hashlib.sha256()
        self._size = 0

    def write(self, piece: bytes) -> int:
        if self._stop.is_set():
            raise RoostError("unavailable", "the transfer was stopped")
        self._size += len(piece)
        if self._size > self._blob.size:
            raise _mismatch(self._blob.path)
        self._sha256.update(piece)
        self._out.write(piece)
        self._bar.advance(len(piece))
        return len(piece)

    def check(self) -> None:
        if self._size != self._blob.size or self._sha256.hexdigest() != self._blob.digest:
            raise _mismatch(self._blob.path)


@contextmanager
def _new_file(path: str, mode: str) -> Iterator[BinaryIO]:
    """A file that gets its name when it is whole, and leaves nothing behind when it fails."""
    temporary = _temporary(path)
    try:
        try:
            with open(temporary, "xb") as out:
                yield out
            os.chmod(temporary, 0o755 if mode == EXECUTABLE else 0o644)
            os.replace(temporary, path)
        except BaseException:
            _remove(temporary)
            raise
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        raise RoostError(
            "resource_exhausted" if full else "permission_denied",
            f"cannot write {path}: {error.strerror or error}",
        ) from None


def _temporary(path: str) -> str:
    return os.path.join(os.path.dirname(path), f".roost-{os.urandom(8).hex()}.tmp")


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        pass


def _mismatch(path: str) -> RoostError:
    return RoostError(
        "data_mismatch", f"the server sent other bytes than the snapshot has for {printable(path)}"
    )
