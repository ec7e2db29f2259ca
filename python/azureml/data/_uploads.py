"""Local files into a datastore."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Dict, List, Optional, TextIO

from azureml._errors import calling
from azureml.data._stored_files import list_files
from azureml.exceptions import UserErrorException

if TYPE_CHECKING:
    from azureml.core.workspace import Workspace

_FILES_AT_ONCE = 10_000
_SKIPPED_SHOWN = 20


def files_below(folder: str) -> Dict[str, str]:
    """{path relative to the folder, with "/": local path}, of all files below it."""
    if not os.path.isdir(folder):
        what = "is a file" if os.path.exists(folder) else "does not exist"
        raise UserErrorException(
            f"The folder to upload, {folder!r}, {what} (looked from {os.getcwd()})."
        )
    found: Dict[str, str] = {}
    for place, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(place, name)
            found[os.path.relpath(path, folder).replace(os.sep, "/")] = path
    return found


def check_files(files: List[str]) -> None:
    for path in files:
        if not os.path.isfile(path):
            what = "is a folder; use upload()" if os.path.isdir(path) else "does not exist"
            raise UserErrorException(
                f"The file to upload, {path!r}, {what} (looked from {os.getcwd()})."
            )


def upload(
    workspace: Workspace,
    datastore: str,
    files: Dict[str, str],
    overwrite: bool,
    show_progress: bool,
) -> Dict[str, int]:
    """Stores {path on the datastore: local path}. Without `overwrite` what is there stays, which is
    said also where no progress is shown."""
    from roost.transfer import upload_blobs

    paths = sorted(files)
    there = [] if overwrite else _present(workspace, datastore, paths)
    _tell_skipped(there, sys.stdout if show_progress else sys.stderr)
    paths = sorted(set(paths) - set(there))
    counts = {"added": 0, "skipped": len(there)}
    with calling(UserErrorException):
        blobs = upload_blobs(
            workspace._client, [files[path] for path in paths], None if show_progress else False
        )
        entries = [
            {"path": path, "digest": digest, "size": size}
            for path, (digest, size) in zip(paths, blobs)
        ]
        for start in range(0, len(entries), _FILES_AT_ONCE):
            answer = workspace._client.post(
                workspace._path("datastores", datastore, "files"),
                {"files": entries[start : start + _FILES_AT_ONCE], "overwrite": bool(overwrite)},
            )
            counts["added"] += answer["added"]
            counts["skipped"] += answer["skipped"]
    if show_progress:
        print(f"Uploaded {counts['added']} files to {datastore}")
    return counts


def _present(workspace: Workspace, datastore: str, paths: List[str]) -> List[str]:
    """Which of the sorted paths there are on the datastore."""
    if not paths:
        return []
    shared = os.path.commonprefix([paths[0], paths[-1]])
    stored = {file.path for file in list_files(workspace, datastore, shared)}
    return [path for path in paths if path in stored]


def _tell_skipped(paths: List[str], out: TextIO) -> None:
    for path in paths[:_SKIPPED_SHOWN]:
        print(f"Target already exists. Skipping upload for {path}", file=out)
    if len(paths) > _SKIPPED_SHOWN:
        print(f"... and for {len(paths) - _SKIPPED_SHOWN} more", file=out)
    if paths:
        print("overwrite=True replaces what is there.", file=out, flush=True)


def joined(folder: Optional[str], path: str) -> str:
    return f"{folder}/{path}" if folder else path
