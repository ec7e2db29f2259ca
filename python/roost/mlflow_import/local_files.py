"""Artifacts that lie in a folder of this machine."""

from __future__ import annotations

import os
from typing import BinaryIO, Iterator, Optional
from urllib.parse import unquote, urlsplit

from .store import File, StoreError


def folder_of_uri(uri: str, served: Optional[str] = None) -> str:
    """Where `uri` lies. `served` is the folder that an MLflow server keeps mlflow-artifacts: in."""
    parts = urlsplit(uri)
    if parts.scheme == "mlflow-artifacts":
        if served is None:
            raise StoreError(
                f"{uri} is kept by an MLflow server: name its --artifacts-destination, a folder of "
                "this machine, by --artifacts, or import from the server's address"
            )
        return os.path.join(served, unquote(parts.path).lstrip("/"))
    if parts.scheme in ("", "file") and parts.netloc in ("", "localhost"):
        return unquote(parts.path) if parts.scheme else uri
    raise StoreError(f"{uri} is not on this machine, so its files stay where they are")


def files_below(folder: str) -> Iterator[File]:
    """All regular files; links are left out, so nothing outside the folder is read."""
    for where, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(where, name)
            if os.path.islink(path) or not os.path.isfile(path):
                continue
            yield File(os.path.relpath(path, folder).replace(os.sep, "/"), os.path.getsize(path))


def open_below(folder: str, path: str) -> BinaryIO:
    return open(os.path.join(folder, *path.split("/")), "rb")
