"""The text that names a tree: one line for each file, symlink and empty folder.

The same as src/domain/manifest.h. The digest of a snapshot is the SHA-256 of this text.
"""

from __future__ import annotations

import json
from typing import Any, Dict, Iterable, List, NamedTuple, Optional

from .errors import RoostError

FILE = "100644"
EXECUTABLE = "100755"
SYMLINK = "120000"
EMPTY_FOLDER = "040000"

_LONGEST_PATH = 4096
_LONGEST_PART = 255
_LONGEST_TARGET = 4095
_LARGEST_FILE = 1 << 50


class Entry(NamedTuple):
    path: str  # relative; that of an empty folder ends in "/"
    mode: str
    size: int = 0
    digest: str = ""
    target: str = ""  # of a symlink

    @property
    def is_file(self) -> bool:
        return self.mode in (FILE, EXECUTABLE)


def sort_entries(entries: Iterable[Entry]) -> List[Entry]:
    return sorted(entries, key=lambda entry: entry.path.encode("utf-8"))


def manifest_text(entries: Iterable[Entry]) -> bytes:
    """The canonical text of sorted entries. The empty tree is the empty text."""
    quoted = json.encoder.JSONEncoder(ensure_ascii=False).encode
    lines = []
    for entry in entries:
        if entry.is_file:
            rest = f',{entry.size},"{entry.digest}"'
        else:
            rest = f",{quoted(entry.target)}" if entry.mode == SYMLINK else ""
        lines.append(f'[{quoted(entry.path)},"{entry.mode}"{rest}]\n')
    return "".join(lines).encode("utf-8")


def path_problem(path: str) -> Optional[str]:
    """Why a path may not stand in a manifest, or None."""
    try:
        length = len(path.encode("utf-8"))
    except UnicodeEncodeError:
        return "is not valid UTF-8"
    if not path or path.startswith("/"):
        return "is not a relative path"
    if length > _LONGEST_PATH or "\0" in path:
        return "is too long a path or has a NUL in it"
    for part in path.split("/"):
        if part in ("", ".", ".."):
            return 'has an empty part, a "." or a ".."'
        if len(part.encode("utf-8")) > _LONGEST_PART:
            return "has a part longer than 255 bytes"
    return None


def symlink_problem(link: Entry, symlinks: Iterable[str]) -> Optional[str]:
    """Why a symlink may not be stored, or None; `symlinks` are the paths of all of them.

    Targets must be relative and stay in the tree. One that goes through another symlink may not
    go up again behind it, because where ".." leads there cannot be told from the text.
    """
    target = link.target
    if not target:
        return "is a symlink to nothing"
    if "\0" in target:
        return "is a symlink with a NUL in its target"
    shown = printable(target)
    if target.startswith("/"):
        return f"is a symlink to the absolute path {shown}"
    at = link.path.split("/")[:-1]
    behind_symlink = False
    parts = target.split("/")
    for i, part in enumerate(parts):
        if part in ("", "."):
            continue
        if part != "..":
            at.append(part)
            goes_up_later = any(".." in later for later in parts[i + 1 :])
            if goes_up_later and "/".join(at) in symlinks:
                behind_symlink = True
            continue
        if behind_symlink:
            return f"is a symlink to {shown}, which goes through another symlink and then up"
        if not at:
            return f"is a symlink out of the folder, to {shown}"
        at.pop()
    return None


def check_entries(entries: List[Entry]) -> None:
    """Raises RoostError unless the entries can be written below any folder and stay there."""
    holders: Dict[str, str] = {}  # paths that are no folders with something in it
    symlinks = {entry.path for entry in entries if entry.mode == SYMLINK}
    last = None
    for number, entry in enumerate(entries, 1):
        path = entry.path
        empty = entry.mode == EMPTY_FOLDER
        problem = path_problem(path[:-1] if empty else path)
        if problem is None and empty != path.endswith("/"):
            problem = 'is an empty folder without "/" at its end'
        if problem is None and last is not None and path.encode("utf-8") <= last:
            problem = "is not in its place: the paths must ascend"
        if problem is None:
            problem = _entry_problem(entry, symlinks) or _parent_problem(path, holders)
        if problem:
            raise RoostError(
                "invalid_argument", f'manifest line {number}: "{printable(path)}" {problem}'
            )
        holders[path.rstrip("/")] = entry.mode
        last = path.encode("utf-8")


def _entry_problem(entry: Entry, symlinks: Iterable[str]) -> Optional[str]:
    if entry.is_file:
        if not 0 <= entry.size <= _LARGEST_FILE:
            return "has an impossible size"
        return None if is_digest(entry.digest) else "has no digest of 64 lower-case hex digits"
    if entry.mode == SYMLINK:
        if len(entry.target.encode("utf-8", "surrogatepass")) > _LONGEST_TARGET:
            return "is a symlink whose target is longer than 4095 bytes"
        return symlink_problem(entry, symlinks)
    return None if entry.mode == EMPTY_FOLDER else f"has an unknown mode {entry.mode}"


def _parent_problem(path: str, holders: Dict[str, str]) -> Optional[str]:
    parts = path.rstrip("/").split("/")
    for i in range(1, len(parts) + 1):
        parent = "/".join(parts[:i])
        if parent in holders:
            return f'cannot be there, because "{printable(parent)}" is no folder or an empty one'
    return None


def is_digest(text: str) -> bool:
    return len(text) == 64 and not set(text) - set("0123456789abcdef")


def entries_from_json(items: Any) -> List[Entry]:
    """The entries of get_snapshot, checked."""
    try:
        entries = [
            Entry(
                item["path"],
                item["mode"],
                int(item.get("size", 0)),
                item.get("digest", ""),
                item.get("link", ""),
            )
            for item in items
        ]
        check_entries(entries)
    except (KeyError, TypeError, AttributeError, ValueError):
        raise RoostError(
            "internal",
            "the server's answer to get_snapshot is not as it should be; "
            "is it a Roost server of this version?",
        ) from None
    return entries


def printable(text: str, limit: int = 80) -> str:
    shown = "".join(c if c >= " " and c != "\x7f" else f"\\x{ord(c):02x}" for c in text[:limit])
    shown = shown.encode("utf-8", "replace").decode("utf-8")
    return shown + ("..." if len(text) > limit else "")
