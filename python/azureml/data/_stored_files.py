"""Files of datastores: which match a path, and their tree as a manifest."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Match, NamedTuple, Optional, Tuple

from azureml._errors import calling
from azureml.exceptions import UserErrorException

if TYPE_CHECKING:
    from azureml.core.workspace import Workspace

_MAGIC = re.compile(r"[*?\[]")
_WILDCARD = re.compile(r"\*+|\?|\[!?[^\[\]/]+\]|.", re.DOTALL)


class StoredFile(NamedTuple):
    path: str
    size: int
    digest: str


def clean_path(path: Optional[str]) -> str:
    """Without slashes around and without "./"; a path on a datastore is always relative to it."""
    parts = [part for part in (path or "").replace("\\", "/").split("/") if part not in ("", ".")]
    if ".." in parts:
        raise UserErrorException(f"A path on a datastore cannot hold '..': {path!r}.")
    return "/".join(parts)


def list_files(workspace: Workspace, datastore: str, prefix: str = "") -> List[StoredFile]:
    """All files whose path begins with `prefix`, sorted."""
    with calling(UserErrorException):
        items = workspace._client.pages(
            workspace._path("datastores", datastore, "files"), prefix=prefix or None, limit=1000
        )
        found = [StoredFile(item["path"], item["size"], item["digest"]) for item in items]
    return sorted(found)


def match_files(workspace: Workspace, datastore: str, pattern: str) -> Tuple[str, List[StoredFile]]:
    """The files that a path, folder or pattern (*, ?, **) stands for, and the folder they are
    shown relative to."""
    pattern = clean_path(pattern)
    fixed, magic = split_pattern(pattern)
    if magic:
        regex = re.compile(_regex(pattern))
        start = f"{fixed}/" if fixed else ""
        files = list_files(workspace, datastore, start)
        return fixed, [file for file in files if regex.match(file.path)]
    files = list_files(workspace, datastore, pattern)
    exact = [file for file in files if file.path == pattern]
    if exact:
        return parent(pattern), exact
    below = f"{pattern}/" if pattern else ""
    return pattern, [file for file in files if file.path.startswith(below)]


def split_pattern(pattern: str) -> Tuple[str, str]:
    """The folders before the first one with a wildcard, and the rest."""
    parts = pattern.split("/")
    for at, part in enumerate(parts):
        if _MAGIC.search(part):
            return "/".join(parts[:at]), "/".join(parts[at:])
    return pattern, ""


def parent(path: str) -> str:
    return path.rpartition("/")[0]


def common_folder(folders: Iterable[str]) -> str:
    """The deepest folder that holds all of these."""
    split = [folder.split("/") if folder else [] for folder in folders]
    if not split:
        return ""
    shared = split[0]
    for parts in split[1:]:
        length = 0
        while length < min(len(shared), len(parts)) and shared[length] == parts[length]:
            length += 1
        shared = shared[:length]
    return "/".join(shared)


def _regex(pattern: str) -> str:
    """`**` stands for any number of folders, `*` and `?` stay within one."""
    made: List[str] = []
    parts = pattern.split("/")
    for at, part in enumerate(parts):
        last = at == len(parts) - 1
        if part == "**":
            made.append(".*" if last else "(?:.*/)?")
        else:
            made.append(_WILDCARD.sub(_wildcard, part) + ("" if last else "/"))
    return "(?s:" + "".join(made) + r")\Z"


def _wildcard(match: Match[str]) -> str:
    found = match.group()
    if found[0] == "*":
        return "[^/]*"
    if found == "?":
        return "[^/]"
    if found[0] == "[":
        inner = found[1:-1].replace("\\", "\\\\")
        return f"[^{inner[1:]}]" if inner[0] == "!" else f"[{inner}]"
    return re.escape(found)


def store_manifest(workspace: Workspace, files: Dict[str, StoredFile]) -> str:
    """Stores the tree {path in it: file} and returns the digest of its manifest."""
    import json

    from roost.manifest import manifest_text

    with calling(UserErrorException):
        text = manifest_text(entries_of(files))
        answer: Dict[str, Any] = json.loads(
            workspace._client.send("POST", "/api/v1/snapshots", text, "text/plain")
        )
    if answer["missing"]:
        raise UserErrorException(
            f"{len(answer['missing'])} files of the data are no longer on the server. "
            "Upload them again."
        )
    return str(answer["digest"])


def write_files(
    workspace: Workspace,
    files: Dict[str, StoredFile],
    folder: str,
    overwrite: bool,
    show_progress: bool,
) -> List[str]:
    """Writes the tree {path in it: file} below `folder` and returns where the files are."""
    from roost.download import write_entries
    from roost.progress import opened

    with calling(UserErrorException), opened(show_progress, "Downloading", 0) as bar:
        return write_entries(workspace._client, entries_of(files), folder, overwrite, bar)


def entries_of(files: Dict[str, StoredFile]) -> List[Any]:
    from roost.manifest import FILE, Entry, check_entries, sort_entries

    entries = sort_entries(
        Entry(path, FILE, file.size, file.digest) for path, file in files.items()
    )
    check_entries(entries)
    return entries
