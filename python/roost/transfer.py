"""Files to the server and back. Only what the server lacks travels, over a few connections."""

from __future__ import annotations

import os
import stat
from typing import Dict, Iterable, List, Mapping, Sequence, Tuple, Union

from .blobs import Blob, send_blobs
from .client import Client
from .download import fetch_entries, write_entries
from .errors import RoostError
from .lanes import run_lanes
from .manifest import (
    EMPTY_FOLDER,
    EXECUTABLE,
    FILE,
    Entry,
    check_entries,
    manifest_text,
    path_problem,
    printable,
    sort_entries,
)
from .progress import Progress, opened
from .tree_scan import digest_file

LocalPath = Union[str, "os.PathLike[str]"]

_ROUNDS = 3
_DIGESTS_AT_ONCE = 50_000


def upload_files(client: Client, files: Mapping[str, LocalPath], progress: Progress = None) -> str:
    """Stores files as a tree and returns the digest of its manifest.

    `files` says where each path of the tree lies on this machine. A folder stands for all that is
    in it. Symlinks are followed.
    """
    local: Dict[str, str] = {}
    empty: List[Entry] = []
    for path, source in files.items():
        clean = _clean_path(path)
        for below, file in _files_of(os.fspath(source)):
            whole = f"{clean}/{below}" if below else clean
            if file:
                local[whole] = file
            else:
                empty.append(Entry(whole.rstrip("/") + "/", EMPTY_FOLDER))
    digests = _digest_files(local.values())
    entries = sort_entries(
        empty
        + [
            Entry(path, EXECUTABLE if digests[file][2] else FILE, *_blob_of(digests[file]))
            for path, file in local.items()
        ]
    )
    store_entries(
        client, entries, {entry.path: local.get(entry.path, "") for entry in entries}, progress
    )
    return _digest_of(entries)


def upload_blobs(
    client: Client, local_paths: Iterable[LocalPath], progress: Progress = None
) -> List[Tuple[str, int]]:
    """Stores files without names; returns the digest and the size of each, in the order given."""
    paths = [_real_file(os.fspath(path)) for path in local_paths]
    digests = _digest_files(paths)
    by_digest = {digests[path][0]: Blob(digests[path][0], digests[path][1], path) for path in paths}
    wanted = list(by_digest)
    missing: List[str] = []
    for start in range(0, len(wanted), _DIGESTS_AT_ONCE):
        some = wanted[start : start + _DIGESTS_AT_ONCE]
        missing += client.post("/api/v1/blobs/missing", {"digests": some})["missing"]
    send_blobs(client, [by_digest[digest] for digest in missing], progress)
    return [digests[path][:2] for path in paths]


def store_entries(
    client: Client, entries: Sequence[Entry], local: Mapping[str, str], progress: Progress = None
) -> Tuple[int, int]:
    """Stores a manifest and the files of it that the server lacks; `local` says where they are.

    Returns how many files were sent, and their bytes.
    """
    check_entries(list(entries))
    text = manifest_text(entries)
    sources = {e.digest: Blob(e.digest, e.size, local[e.path]) for e in entries if e.is_file}
    count = size = 0
    # A blob can be collected on the server between two rounds; more than a few is no accident.
    for _ in range(_ROUNDS + 1):
        missing = _create_snapshot(client, text)
        if not missing:
            return count, size
        blobs = [sources[digest] for digest in missing if digest in sources]
        if len(blobs) < len(missing):
            raise RoostError("internal", "the server asks for files that are not in the snapshot")
        send_blobs(client, blobs, progress)
        count += len(blobs)
        size += sum(blob.size for blob in blobs)
    raise RoostError(
        "internal", "the server still lacks files of the snapshot after they were sent"
    )


def download_tree(
    client: Client,
    digest: str,
    folder: LocalPath,
    prefix: str = "",
    overwrite: bool = False,
    progress: Progress = None,
) -> List[str]:
    """Writes the tree of a manifest into a folder; returns where its files and symlinks are now.

    With `prefix`, a path in the tree, only that file or what is in that folder, under the same
    path below `folder`. Each file is checked and appears whole. What is there already is only
    replaced with `overwrite`.
    """
    entries = fetch_entries(client, digest)
    if prefix.strip("/."):
        wanted = _clean_path(prefix)
        chosen = [e for e in entries if f"{e.path}/".startswith(f"{wanted}/")]
        if not chosen:
            raise RoostError("not_found", f'there is no "{printable(prefix)}" in {digest}')
        entries = chosen
    with opened(progress, "Downloading", 0) as bar:
        return write_entries(client, entries, os.fspath(folder), overwrite, bar)


def _create_snapshot(client: Client, text: bytes) -> List[str]:
    import json

    answer = json.loads(client.send("POST", "/api/v1/snapshots", text, "text/plain"))
    return list(answer["missing"])


def _digest_of(entries: Sequence[Entry]) -> str:
    import hashlib

    return hashlib.sha256(manifest_text(entries)).hexdigest()


def _clean_path(path: str) -> str:
    """Windows and "./" spellings are meant well; anything that leaves the tree is not."""
    clean = path.replace(os.sep, "/")
    while clean.startswith("./"):
        clean = clean[2:].lstrip("/")
    clean = clean.rstrip("/")
    problem = path_problem(clean)
    if problem:
        raise RoostError("invalid_argument", f'"{printable(path)}" {problem}')
    return clean


def _files_of(source: str, above: Tuple[Tuple[int, int], ...] = ()) -> List[Tuple[str, str]]:
    """Paths below `source` and the real files there; "" for an empty folder."""
    if not os.path.isdir(source):
        return [("", _real_file(source))]
    info = os.stat(source)
    here = (info.st_dev, info.st_ino)
    if here in above:
        raise RoostError(
            "invalid_argument", f"{source} is a symlink to a folder above it; remove it"
        )
    found: List[Tuple[str, str]] = []
    try:
        names = sorted(os.listdir(source))
    except OSError as error:
        raise _unreadable(source, error) from None
    for name in names:
        for below, file in _files_of(os.path.join(source, name), (*above, here)):
            found.append((f"{name}/{below}" if below else name, file))
    return found or [("", "")]


def _real_file(path: str) -> str:
    real = os.path.realpath(path)
    try:
        mode = os.stat(real).st_mode
    except FileNotFoundError:
        broken = " is a symlink to nothing; remove it" if os.path.islink(path) else ""
        raise RoostError("not_found", f"{path}{broken or ' is not there'}") from None
    except OSError as error:
        raise _unreadable(path, error) from None
    if not stat.S_ISREG(mode):
        raise RoostError("invalid_argument", f"{path} is not a file")
    return real


def _digest_files(paths: Iterable[str]) -> Dict[str, Tuple[str, int, bool]]:
    """Digest, size and whether it can be executed, of each."""
    known: Dict[str, Tuple[str, int, bool]] = {}

    def digest_one(path: str) -> None:
        try:
            digest, stamp = digest_file(path)
        except OSError as error:
            raise _unreadable(path, error) from None
        except ValueError as error:
            raise RoostError("failed_precondition", f"{path} {error}") from None
        known[path] = digest, stamp[0], bool(stamp[5] & stat.S_IXUSR)

    run_lanes(sorted(set(paths)), digest_one, min(os.cpu_count() or 1, 8))
    return known


def _blob_of(known: Tuple[str, int, bool]) -> Tuple[int, str]:
    return known[1], known[0]


def _unreadable(path: str, error: OSError) -> RoostError:
    return RoostError("permission_denied", f"cannot read {path}: {error.strerror or error}")
