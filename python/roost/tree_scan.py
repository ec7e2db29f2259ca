"""A folder in, the entries of its snapshot out.

The same answer as src/snapshot/tree_scan.h for the same folder, byte for byte.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from typing import Dict, List, NamedTuple, Optional, Tuple

from .errors import RoostError
from .ignore import AML_IGNORE, GIT_IGNORE, IgnoreScope, is_ignored
from .lanes import run_lanes
from .manifest import (
    EMPTY_FOLDER,
    EXECUTABLE,
    FILE,
    SYMLINK,
    Entry,
    manifest_text,
    printable,
    sort_entries,
    symlink_problem,
)
from .stat_cache import Stamp, StatCache, stamp_of
from .times import time_micros

_LONGEST_PATH = 4095  # what open(2) takes
_NAMED_REFUSALS = 10
_TRIES = 3
_PIECE = 256 * 1024
# The kernel stamps files with a clock that may lag the one we can read by a tick.
_CLOCK_LAG_NS = 20_000_000
_OPEN = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


class ScannedTree(NamedTuple):
    root: str  # absolute
    entries: List[Entry]  # sorted
    digest: str
    size: int
    files: int
    hashed: int  # how many files were read, because the cache did not know them


def scan_tree(folder: str, cache_folder: Optional[str] = None) -> ScannedTree:
    """Raises RoostError naming everything that a snapshot cannot hold."""
    root = os.path.abspath(folder or ".")
    # As in the command line a leading "//" is nothing special.
    root = "/" + root.lstrip("/") if root.startswith("//") else root
    scan_start = time_micros() * 1000 - _CLOCK_LAG_NS
    _check_folder(root)
    cache = StatCache(root, cache_folder)
    walk = _Walk(root)
    walk.list_folder(b"", None)
    entries, hashed = _digest_files(walk, cache, scan_start)
    cache.save()
    symlinks = {entry.path for entry in walk.symlinks}
    for link in walk.symlinks:
        problem = symlink_problem(link, symlinks)
        if problem:
            walk.refuse(link.path.encode("utf-8"), problem)
    if walk.refusals:
        raise _refused(root, walk.refusals, walk.ignore_name)
    entries = sort_entries(entries + walk.symlinks + walk.empty_folders)
    files = [entry for entry in entries if entry.is_file]
    digest = hashlib.sha256(manifest_text(entries)).hexdigest()
    return ScannedTree(root, entries, digest, sum(e.size for e in files), len(files), hashed)


def digest_file(path: str) -> Tuple[str, Stamp]:
    """The digest of a file and the stamp it had before and after it was read.

    A file that changes meanwhile is read again, then ValueError. Also raises OSError.
    """
    for _ in range(_TRIES):
        fd = os.open(path, _OPEN)
        with os.fdopen(fd, "rb", buffering=0) as file:
            before = stamp_of(os.fstat(fd))
            if not stat.S_ISREG(before[5]):
                break
            sha256 = hashlib.sha256()
            size = 0
            while size <= before[0]:  # one that grows is not run after
                piece = file.read(_PIECE)
                if not piece:
                    break
                size += len(piece)
                sha256.update(piece)
            if size == before[0] and stamp_of(os.fstat(fd)) == before:
                return sha256.hexdigest(), before
    raise ValueError("keeps changing while it is read")


class _Walk:
    """Lists a tree. Never follows a symlink; what disappears meanwhile is left out."""

    def __init__(self, root: str) -> None:
        self.root = os.fsencode(root)
        self.ignore_name = GIT_IGNORE
        self.files: List[Tuple[str, Stamp]] = []
        self.symlinks: List[Entry] = []
        self.empty_folders: List[Entry] = []
        self.refusals: List[Tuple[bytes, str]] = []

    def refuse(self, path: bytes, reason: str) -> None:
        self.refusals.append((path, reason))

    def list_folder(self, folder: bytes, above: Optional[IgnoreScope]) -> None:
        """`folder` is b"" or b"a/b/"."""
        todo = [(folder, above)]
        while todo:
            folder, scope = todo.pop()
            refused_before = len(self.refusals)
            try:
                with os.scandir(os.path.join(self.root, folder)) as listing:
                    found = list(listing)
            except FileNotFoundError:
                continue
            except OSError as error:
                self.refuse(folder, _unreadable(error))
                continue
            names = {one.name for one in found}
            if not folder and AML_IGNORE in names:
                self.ignore_name = AML_IGNORE
            if self.ignore_name in names:
                scope = self._read_rules(folder, scope)
            empty = True
            for one in found:
                path = folder + one.name
                kind = self._kind(one, path)
                if kind is None or not self._wanted(path, one.name, kind, scope):
                    continue
                if stat.S_ISDIR(kind):
                    empty = False
                    todo.append((path + b"/", scope))
                else:
                    added = self._add_symlink if stat.S_ISLNK(kind) else self._add_file
                    empty = not added(one, path) and empty
            if empty and folder and len(self.refusals) == refused_before:
                self.empty_folders.append(Entry(folder.decode("utf-8"), EMPTY_FOLDER))

    def _kind(self, one: os.DirEntry[bytes], path: bytes) -> Optional[int]:
        try:
            if one.is_symlink():
                return stat.S_IFLNK
            if one.is_dir(follow_symlinks=False):
                return stat.S_IFDIR
            if one.is_file(follow_symlinks=False):
                return stat.S_IFREG
            return stat.S_IFMT(one.stat(follow_symlinks=False).st_mode)
        except FileNotFoundError:
            return None
        except OSError as error:
            self.refuse(path, _unreadable(error))
            return None

    def _wanted(self, path: bytes, name: bytes, kind: int, scope: Optional[IgnoreScope]) -> bool:
        if is_ignored(scope, path, stat.S_ISDIR(kind)):
            return False
        reason = ""
        if not _is_utf8(name):
            reason = "has a name that is not UTF-8"
        if len(path) >= _LONGEST_PATH:
            reason = "has too long a path"
        if kind not in (stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK):
            reason = _type_reason(kind)
        if reason:
            self.refuse(path, reason)
        return not reason

    def _add_file(self, one: os.DirEntry[bytes], path: bytes) -> bool:
        try:
            info = one.stat(follow_symlinks=False)
        except FileNotFoundError:
            return False
        except OSError as error:
            self.refuse(path, _unreadable(error))
            return False
        self.files.append((path.decode("utf-8"), stamp_of(info)))
        return True

    def _add_symlink(self, one: os.DirEntry[bytes], path: bytes) -> bool:
        try:
            target = os.readlink(one.path)
        except FileNotFoundError:
            return False
        except OSError as error:
            self.refuse(path, _unreadable(error))
            return False
        if not _is_utf8(target):
            self.refuse(path, "is a symlink whose target is not UTF-8")
            return False
        link = Entry(path.decode("utf-8"), SYMLINK, target=target.decode("utf-8"))
        self.symlinks.append(link)
        return True

    def _read_rules(self, folder: bytes, above: Optional[IgnoreScope]) -> Optional[IgnoreScope]:
        path = folder + self.ignore_name
        try:
            fd = os.open(os.path.join(self.root, path), _OPEN)
            with os.fdopen(fd, "rb") as file:
                if not stat.S_ISREG(os.fstat(fd).st_mode):
                    return above
                return IgnoreScope(above, folder, file.read())
        except IsADirectoryError:
            return above
        except OSError as error:
            # git does not read an ignore file through a symlink either. But to leave out nothing
            # where .amlignore says what to leave out would be worse than to refuse.
            link = error.errno == errno.ELOOP
            if error.errno == errno.ENOENT or (link and self.ignore_name == GIT_IGNORE):
                return above
            reason = "is a symlink; ignore rules must be in a file" if link else _unreadable(error)
            self.refuse(path, reason)
            return above


def _digest_files(walk: _Walk, cache: StatCache, scan_start: int) -> Tuple[List[Entry], int]:
    known: Dict[str, Tuple[str, Stamp]] = {}
    unknown: List[Tuple[str, Stamp]] = []
    for path, stamp in walk.files:
        digest = cache.digest(path, stamp)
        if digest is None:
            unknown.append((path, stamp))
        else:
            known[path] = digest, stamp
    root = os.fsdecode(walk.root)

    def digest_one(item: Tuple[str, Stamp]) -> None:
        path = item[0]
        try:
            known[path] = digest_file(os.path.join(root, path))
        except FileNotFoundError:
            pass
        except OSError as error:
            walk.refuse(path.encode("utf-8"), _unreadable(error))
        except ValueError as error:
            walk.refuse(path.encode("utf-8"), str(error))

    # The largest first, so that no thread is left alone with one at the end.
    unknown.sort(key=lambda item: -item[1][0])
    run_lanes(unknown, digest_one, min(os.cpu_count() or 1, 8, len(unknown) // 16 + 1))
    entries = []
    for path, _ in walk.files:
        if path in known:
            digest, stamp = known[path]
            cache.remember(path, stamp, digest, scan_start)
            mode = EXECUTABLE if stamp[5] & stat.S_IXUSR else FILE
            entries.append(Entry(path, mode, stamp[0], digest))
    return entries, len(unknown)


def _check_folder(root: str) -> None:
    try:
        os.scandir(root).close()
    except FileNotFoundError:
        raise RoostError(
            "not_found", f"there is no folder {root}; give the one that holds the script"
        ) from None
    except NotADirectoryError:
        raise RoostError(
            "invalid_argument", f"{root} is not a folder; give the folder that holds the script"
        ) from None
    except OSError as error:
        raise RoostError(
            "permission_denied" if isinstance(error, PermissionError) else "internal",
            f"cannot read the folder {root}: {error.strerror}",
        ) from None


def _refused(root: str, refusals: List[Tuple[bytes, str]], ignore_name: bytes) -> RoostError:
    refusals.sort(key=lambda refusal: refusal[0])
    this, it = ("this", "it") if len(refusals) == 1 else ("these", "them")
    lines = [
        f"cannot take a snapshot of {root}; remove {this} or leave {it} out by "
        f"{ignore_name.decode()}:"
    ]
    for path, reason in refusals[:_NAMED_REFUSALS]:
        lines.append(f"  {printable(path.decode('utf-8', 'replace'), 200)} {reason}")
    if len(refusals) > _NAMED_REFUSALS:
        lines.append(f"  and {len(refusals) - _NAMED_REFUSALS} more")
    return RoostError("invalid_argument", "\n".join(lines))


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _type_reason(kind: int) -> str:
    if kind == stat.S_IFSOCK:
        return "is a socket"
    if kind == stat.S_IFIFO:
        return "is a named pipe"
    if kind in (stat.S_IFCHR, stat.S_IFBLK):
        return "is a device"
    return "is neither a file, a folder nor a symlink"


def _unreadable(error: OSError) -> str:
    return f"cannot be read: {os.strerror(error.errno) if error.errno else error}"
