"""Local files into a datastore."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Dict, List, Optional

from azureml._errors import calling
from azureml.exceptions import UserErrorException

if TYPE_CHECKING:
    from azureml.core.workspace import Workspace

_FILES_AT_ONCE = 10_000


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
    """Stores {path on the datastore: local path}. Without `overwrite` what is there stays."""
    from roost.transfer import upload_blobs

    paths = sorted(files)
    counts = {"added": 0, "skipped": 0}
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
    if show_progress and counts["skipped"]:
        print(
            f"{counts['skipped']} files are in {datastore} already and were left as they are; "
            "overwrite=True replaces them."
        )
    if show_progress:
        print(f"Uploaded {counts['added']} files to {datastore}")
    return counts


def joined(folder: Optional[str], path: str) -> str:
    return f"{folder}/{path}" if folder else path
