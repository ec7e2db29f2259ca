"""The files that code will find: those on disk, and those that it writes before it reads them."""

from __future__ import annotations

import os
import tempfile
from typing import Dict, List, Optional, Set

_LARGEST = 4 << 20


class Files:
    """Paths are as the code writes them, from `folder`. Nothing is written there: what the code
    would write is kept here, in a temporary folder where something has to read it as a file."""

    def __init__(self, folder: str) -> None:
        self.folder = os.path.abspath(folder or ".")
        self._written: Dict[str, Optional[str]] = {}  # None: what is in it is not known
        self._folders: Set[str] = set()
        self._below: Set[str] = set()  # folders into which something unknown was put
        self._temporary: Optional[tempfile.TemporaryDirectory[str]] = None

    def view(self, folder: str) -> Files:
        """The same files as code finds them that runs in another folder."""
        made = Files(self.absolute(folder))
        made._written, made._folders, made._below = self._written, self._folders, self._below
        return made

    def absolute(self, path: str) -> str:
        return os.path.normpath(os.path.join(self.folder, os.path.expanduser(path)))

    def is_file(self, path: str) -> bool:
        full = self.absolute(path)
        return full in self._written or os.path.isfile(full) or self._may_be(full)

    def is_folder(self, path: str) -> bool:
        full = self.absolute(path)
        return full in self._folders or os.path.isdir(full) or self._may_be(full)

    def exists(self, path: str) -> bool:
        return self.is_file(path) or self.is_folder(path)

    def has_files(self, path: str) -> bool:
        full = self.absolute(path)
        if self._may_be(full) or full in self._below:
            return True
        inside = full.rstrip(os.sep) + os.sep
        if any(name.startswith(inside) for name in (*self._written, *self._below)):
            return True
        return os.path.isdir(full) and any(files for _, _, files in os.walk(full))

    def read(self, path: str) -> Optional[str]:
        """The text, or None if it is not there or not known."""
        full = self.absolute(path)
        if full in self._written:
            return self._written[full]
        try:
            if os.path.getsize(full) > _LARGEST:
                return None
            with open(full, encoding="utf-8-sig", errors="replace") as file:
                return file.read()
        except (OSError, ValueError):
            return None

    def write(self, path: str, text: Optional[str]) -> None:
        full = self.absolute(path)
        self._written[full] = text
        self._folders.add(os.path.dirname(full))

    def make_folder(self, path: str) -> None:
        self._folders.add(self.absolute(path))

    def fill_folder(self, path: str) -> None:
        """Something is put there that cannot be foreseen: whatever is looked for below may be."""
        self.make_folder(path)
        self._below.add(self.absolute(path))

    def copy(self, source: str, target: str) -> bool:
        """False if there is nothing to copy."""
        if self.is_folder(source) and not self.is_file(source):
            for name in self.names(source):
                self.write(os.path.join(target, name), self.read(os.path.join(source, name)))
            self.make_folder(target)
            return True
        if not self.is_file(source):
            return False
        if self.is_folder(target):
            target = os.path.join(target, os.path.basename(source))
        self.write(target, self.read(source))
        return True

    def names(self, path: str) -> List[str]:
        """What lies directly in a folder."""
        full = self.absolute(path)
        found = {os.path.basename(name) for name in self._written if os.path.dirname(name) == full}
        try:
            found.update(os.listdir(full))
        except OSError:
            pass
        return sorted(found)

    def real(self, path: str) -> str:
        """A path under which a reader finds what the code would find."""
        full = self.absolute(path)
        text = self._written.get(full)
        if text is None:
            return full
        if self._temporary is None:
            self._temporary = tempfile.TemporaryDirectory(prefix="roost-import-")
        name = f"{len(self._written)}-{os.path.basename(full)}"
        copy = os.path.join(self._temporary.name, name)
        with open(copy, "w", encoding="utf-8") as file:
            file.write(text)
        return copy

    def _may_be(self, full: str) -> bool:
        return any(full.startswith(folder + os.sep) for folder in self._below)
