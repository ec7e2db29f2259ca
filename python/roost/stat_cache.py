"""Digests of files as they were at the last scan of a folder, so that only what changed is read.

It only saves work: a missing, damaged or foreign cache file is an empty cache, and one that cannot
be written is none. The command line has a cache of its own, in another format.
"""

from __future__ import annotations

import hashlib
import json
import os
from typing import Any, Dict, Optional, Tuple

_MAGIC = b"roost-digests-1"
_SECOND = 1_000_000_000

# Size, mtime, ctime, inode, device, mode. As long as all stay the same so do the bytes of the
# file, provided they were read later than the times say.
Stamp = Tuple[int, int, int, int, int, int]


def stamp_of(info: os.stat_result) -> Stamp:
    return (
        info.st_size,
        info.st_mtime_ns,
        info.st_ctime_ns,
        info.st_ino,
        info.st_dev,
        info.st_mode,
    )


def cache_folder() -> Optional[str]:
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "roost") if os.path.isabs(base) else None


class StatCache:
    """The cache of one source folder. `root` is absolute."""

    def __init__(self, root: str, folder: Optional[str] = None) -> None:
        folder = folder or cache_folder()
        name = hashlib.sha256(os.fsencode(root)).hexdigest()[:32]
        self._file = os.path.join(folder, "digests", name) if folder else None
        self._before: Dict[str, Any] = self._read()
        self._now: Dict[str, Any] = {}

    def digest(self, path: str, stamp: Stamp) -> Optional[str]:
        """The digest of the file if it is as it was."""
        known = self._before.get(path)
        if isinstance(known, list) and tuple(known[:-1]) == stamp and isinstance(known[-1], str):
            return known[-1]
        return None

    def remember(self, path: str, stamp: Stamp, digest: str, scan_start: int) -> None:
        """What changed at `scan_start` or later may change again and keep its time stamp."""
        changed = max(stamp[1], stamp[2])
        # File systems with whole seconds (or two) are told by their zeros.
        unsure = 2 * _SECOND if changed % _SECOND == 0 else 0
        if changed + unsure < scan_start:
            self._now[path] = [*stamp, digest]

    def save(self) -> None:
        """Replaces the file in one step; whoever reads it at the same time sees a whole one."""
        if self._file is None or self._now == self._before:
            return
        body = json.dumps(self._now, separators=(",", ":")).encode("ascii")
        head = _MAGIC + b" " + hashlib.sha256(body).hexdigest().encode("ascii") + b"\n"
        temporary = f"{self._file}.tmp-{os.urandom(6).hex()}"
        try:
            os.makedirs(os.path.dirname(self._file), exist_ok=True)
            fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            try:
                with os.fdopen(fd, "wb") as out:
                    out.write(head + body)
                os.replace(temporary, self._file)
            except BaseException:
                os.unlink(temporary)
                raise
        except OSError:
            pass

    def _read(self) -> Dict[str, Any]:
        if self._file is None:
            return {}
        try:
            with open(self._file, "rb") as file:
                head, _, body = file.read().partition(b"\n")
            magic, _, checksum = head.partition(b" ")
            if magic != _MAGIC or hashlib.sha256(body).hexdigest().encode("ascii") != checksum:
                return {}
            known = json.loads(body)
        except (OSError, ValueError):
            return {}
        return known if isinstance(known, dict) else {}
