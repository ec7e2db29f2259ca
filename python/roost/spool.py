"""Appends records to a file the runner follows. The format is in docs/spool.md."""

import atexit
import errno
import mmap
import os
import sys
import threading
import time
import weakref
from typing import Any, Callable, Dict, List, Optional

from .encoding import encode, encode_scalar
from .times import time_micros

SEGMENT = 1 << 20
_RETRY_SECONDS = 1.0
_MIN_INT, _MAX_INT = -(1 << 63), (1 << 63) - 1


class SpoolWriter:
    """Writes one spool file, created on the first record.

    Any thread and any signal handler may call it. A forked child goes on in a file of its own. The
    runner has a record once the call returns, even if the process is killed then. When the disk is
    full, records are dropped until there is room again; stderr says so once.
    """

    _map: Optional[mmap.mmap]
    _write: Callable[[bytes], Any]

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._heads: Dict[str, str] = {}
        self._warned = False
        self._forget_file()
        _writers.add(self)

    def log(self, name: str, value: Any, step: Optional[int] = None) -> None:
        """Appends one scalar point."""
        head = self._heads.get(name) or self._add_head(name)
        kind = type(value)
        if (kind is not float or value - value != 0.0) and (
            kind is not int or not _MIN_INT <= value <= _MAX_INT
        ):
            value = encode_scalar(value)
        if step is None:
            step = "null"  # type: ignore[assignment]
        elif type(step) is not int:
            step = int(step)
        line = f"{head}{value!s},{step},{time_micros()}e-6]\n".encode()
        with self._lock:
            try:
                self._write(line)
            except ValueError:
                self._write_to_next_segment(line)

    def record(self, kind: str, name: str, value: Any, step: Optional[int] = None) -> None:
        """Appends one record of any kind."""
        step_text = "null" if step is None else str(int(step))
        what = f"{encode(kind)},{encode(str(name))},{encode(value)}"
        self._append(f"[{what},{step_text},{time_micros()}e-6]\n".encode())

    def flush(self) -> None:
        """Waits until the records are on disk. The runner sees them without this."""
        with self._lock:
            if self._map is not None:
                self._map.flush()

    def close(self) -> None:
        """Cuts the file to its real length. A later record opens it again."""
        with self._lock:
            self._changing = True
            try:
                self._unmap()
                os.truncate(self._path, self._end)
            except OSError:
                pass  # no file yet; or zeros stay behind, "not written yet" to the reader
            finally:
                self._changing = False
            self._write_late()

    def _append(self, line: bytes) -> None:
        with self._lock:
            try:
                self._write(line)
            except ValueError:
                self._write_to_next_segment(line)

    def _add_head(self, name: str) -> str:
        head = f'["scalar",{encode(str(name))},'
        self._heads[name] = head
        return head

    def _forget_file(self) -> None:
        self._path = ""
        self._map = None
        self._base = 0
        self._end = 0
        self._write = _no_room
        self._lock = threading.RLock()
        self._changing = False
        self._late: List[bytes] = []
        self._retry_at = 0.0

    def _write_to_next_segment(self, line: bytes) -> None:
        if self._changing:  # a signal handler came between the steps
            self._late.append(line)
            return
        if time.monotonic() < self._retry_at:
            return
        self._changing = True
        try:
            self._map_next_segment(len(line))
            self._write(line)
        except (OSError, ValueError) as error:
            self._retry_at = time.monotonic() + _RETRY_SECONDS
            self._warn(error)
        finally:
            self._changing = False
        self._write_late()

    def _write_late(self) -> None:
        late, self._late = self._late, []
        for line in late:
            self._append(line)

    def _map_next_segment(self, needed: int) -> None:
        """Maps the file from the page of its end on, with room for `needed` bytes."""
        self._unmap()
        end = self._end
        base = end - end % mmap.ALLOCATIONGRANULARITY
        size = (end - base + needed + SEGMENT - 1) // SEGMENT * SEGMENT
        fd = self._open()
        try:
            _allocate(fd, base, size)
            segment = mmap.mmap(fd, size, offset=base)
        finally:
            os.close(fd)
        segment.seek(end - base)
        self._map, self._base, self._write = segment, base, segment.write

    def _unmap(self) -> None:
        """Ends the segment in an order that lets a signal handler log between any two steps."""
        self._write = _no_room
        segment = self._map
        if segment is not None:
            self._end = self._base + segment.tell()
            self._map = None
            segment.close()

    def _open(self) -> int:
        if self._path:
            return os.open(self._path, os.O_RDWR)
        path = os.path.join(self._folder, f"{os.getpid()}-{os.urandom(4).hex()}.spool")
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o644)
        self._path = path
        return fd

    def _warn(self, error: Exception) -> None:
        if self._warned:
            return
        self._warned = True
        try:
            print(
                f"roost: cannot write metrics to {self._folder}: {error}. The training goes on; "
                "metrics are dropped until there is room again. Free space on that disk.",
                file=sys.stderr,
                flush=True,
            )
        except (OSError, ValueError, AttributeError):
            pass  # stderr is closed


_writers: "weakref.WeakSet[SpoolWriter]" = weakref.WeakSet()


def _no_room(_: bytes) -> None:
    raise ValueError("no segment is mapped")


def _allocate(fd: int, offset: int, size: int) -> None:
    """Reserves the blocks: a full disk is an OSError here, not a SIGBUS at the write to the map."""
    if hasattr(os, "posix_fallocate"):
        try:
            os.posix_fallocate(fd, offset, size)
            return
        except OSError as error:
            if error.errno not in (errno.EOPNOTSUPP, errno.EINVAL, errno.ENOSYS):
                raise
    missing = offset + size - os.lseek(fd, 0, os.SEEK_END)
    while missing > 0:
        missing -= os.write(fd, bytes(missing))


def _close_all() -> None:
    for writer in list(_writers):
        writer.close()


def _forget_files_of_parent() -> None:
    for writer in list(_writers):
        writer._forget_file()


atexit.register(_close_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_files_of_parent)
