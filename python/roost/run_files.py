"""The files of a run: artifacts it left behind, and its logs."""

from __future__ import annotations

import os
from typing import Any, BinaryIO, Dict, List, NamedTuple, Optional, Sequence, Tuple, cast

from .client import Client, quote
from .errors import RoostError
from .lanes import run_lanes
from .progress import Bar, bar

_LANES = 4
_LOG_FOLDERS = ("azureml-logs/", "user_logs/", "system_logs/", "logs/")
_SHOWN = 20


class RunFile(NamedTuple):
    name: str
    size: int
    digest: Optional[str]  # of an artifact; a log has none


def list_files(client: Client, run: str, prefix: str = "") -> Dict[str, RunFile]:
    """Artifacts and logs by name."""
    path = f"/api/v1/runs/{quote(run)}"
    logs = (RunFile(i["name"], i["size"], None) for i in client.pages(f"{path}/logs"))
    items = client.pages(f"{path}/artifacts", prefix=prefix or None, limit=1000)
    artifacts = (RunFile(item["path"], item["size"], item["digest"]) for item in items)
    found = {file.name: file for file in logs if file.name.startswith(prefix)}
    found.update({file.name: file for file in artifacts})
    return {name: found[name] for name in sorted(found)}


def find_file(client: Client, run: str, name: str) -> RunFile:
    """Raises RoostError not_found, saying what there is."""
    found = list_files(client, run, name).get(name)
    if found is None and name.startswith(_LOG_FOLDERS):
        found = _log_by_another_name(client, run, name)
    if found is not None:
        return found
    names = list(list_files(client, run))
    shown = ", ".join(names[:_SHOWN]) + (f" and {len(names) - _SHOWN} more" * (len(names) > _SHOWN))
    raise RoostError(
        "not_found",
        f"run {run} has no file {name!r}; it has {shown or 'none yet'}. Files in ./outputs are "
        "collected when the script has ended, others by run.upload_file.",
    )


def download_files(
    client: Client, run: str, wanted: Sequence[Tuple[RunFile, str]], label: str = "Downloading"
) -> None:
    """Writes each file to its place. A file appears whole, or not at all."""
    with bar(label, sum(file.size for file, _ in wanted)) as shown:
        run_lanes(wanted, lambda one: _download(client, run, one[0], one[1], shown), _LANES)


def upload_files(client: Client, run: str, files: Sequence[Tuple[str, str]]) -> None:
    """Stores local files, given as (name, path), as artifacts."""
    for _, path in files:
        if not os.path.isfile(path):
            raise FileNotFoundError(f"there is no file {os.path.abspath(path)}")
    with bar("Uploading", sum(os.path.getsize(path) for _, path in files)) as shown:

        def upload(one: Tuple[str, str]) -> None:
            with open(one[1], "rb") as file:
                client.put_artifact(run, one[0], cast(BinaryIO, _Counted(file, shown)))
            shown.done_file(one[0])

        run_lanes(files, upload, _LANES)


def files_below(folder: str) -> List[str]:
    """The paths of all files in a folder, relative to it, with '/'."""
    if not os.path.isdir(folder):
        raise NotADirectoryError(f"{os.path.abspath(folder)} is not a folder")
    found = []
    for at, _, names in os.walk(folder, followlinks=True):
        inner = os.path.relpath(at, folder)
        found += [os.path.normpath(os.path.join(inner, name)) for name in names]
    return sorted(path.replace(os.sep, "/") for path in found)


def clean_name(name: str) -> str:
    """An artifact's name without what people put before it, as in ./outputs/model.pt."""
    parts = [p for p in str(name).replace(os.sep, "/").split("/") if p not in ("", ".")]
    if not parts or ".." in parts or str(name).startswith("/"):
        raise RoostError(
            "invalid_argument",
            f"{name!r} is not the name of a file in a run: it must be a relative path without '..'",
        )
    return "/".join(parts)


def _download(client: Client, run: str, file: RunFile, target: str, shown: Bar) -> None:
    import hashlib

    os.makedirs(os.path.dirname(os.path.abspath(target)), exist_ok=True)
    kind = "logs" if file.digest is None else "artifacts"
    path = f"/api/v1/runs/{quote(run)}/{kind}/{quote(file.name, '/')}"
    part = f"{target}.{os.urandom(4).hex()}.part"
    try:
        with open(part, "wb") as out:
            sink = _Hashed(cast(BinaryIO, out), hashlib.sha256())
            client.fetch(path, cast(BinaryIO, sink), shown.advance)
        if file.digest is not None and sink.digest() != file.digest:
            raise RoostError(
                "data_mismatch", f"{file.name} of run {run} arrived damaged; download it again"
            )
        os.replace(part, target)
    except BaseException:
        try:
            os.unlink(part)
        except OSError:
            pass
        raise
    shown.done_file(file.name)


def _log_by_another_name(client: Client, run: str, name: str) -> Optional[RunFile]:
    try:
        path = f"/api/v1/runs/{quote(run)}/logs/{quote(name, '/')}?limit=1"
        client.request("GET", path)
        return RunFile(name, 0, None)
    except RoostError as error:
        if error.code not in ("not_found", "invalid_argument"):
            raise
        return None


class _Hashed:
    """A file that is hashed as it is written."""

    def __init__(self, out: BinaryIO, digest: Any) -> None:
        self._out = out
        self._digest = digest

    def write(self, piece: bytes) -> int:
        self._digest.update(piece)
        return self._out.write(piece)

    def digest(self) -> str:
        return str(self._digest.hexdigest())


class _Counted:
    """A file that tells a bar what was read of it."""

    def __init__(self, file: BinaryIO, shown: Bar) -> None:
        self._file = file
        self._shown = shown

    def read(self, size: int = -1) -> bytes:
        piece = self._file.read(size)
        self._shown.advance(len(piece))
        return piece

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()
