"""What a dataset of files is made of, and the files it stands for now."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any, Dict, List, NamedTuple, Optional, Tuple

from azureml._errors import calling
from azureml.data._stored_files import (
    StoredFile,
    clean_path,
    common_folder,
    list_files,
    match_files,
    parent,
)
from azureml.exceptions import UserErrorException

if TYPE_CHECKING:
    from azureml.core.workspace import Workspace

_WEB = re.compile(r"https?://", re.IGNORECASE)
_WEB_DATASTORE = "workspaceblobstore"


class Source(NamedTuple):
    """A path or pattern on a datastore, or the address of a file on the web."""

    datastore: str = ""
    path: str = ""
    url: str = ""

    def to_dict(self) -> Dict[str, str]:
        if self.url:
            return {"url": self.url}
        return {"datastore": self.datastore, "path": self.path}


def read_sources(path: Any) -> Tuple[List[Source], Optional[Workspace]]:
    """What Dataset.File.from_files is given: one path, or a list of them."""
    workspace: Optional[Workspace] = None
    sources: List[Source] = []
    for item in path if isinstance(path, list) else [path]:
        source, place = _read_source(item)
        sources.append(source)
        if place is not None and workspace is not None and place.name != workspace.name:
            raise UserErrorException("The paths of one dataset must be in one workspace.")
        workspace = workspace or place
    if not sources:
        raise UserErrorException("The list of paths is empty; a dataset needs at least one.")
    return sources, workspace


def _read_source(item: Any) -> Tuple[Source, Optional[Workspace]]:
    if isinstance(item, tuple) and len(item) == 2:
        return _on_datastore(item[0], item[1])
    if hasattr(item, "datastore") and hasattr(item, "path_on_datastore"):
        return _on_datastore(item.datastore, item.path_on_datastore or "")
    if isinstance(item, str) and _WEB.match(item):
        return Source(url=item), None
    if isinstance(item, (str, os.PathLike)):
        raise UserErrorException(
            f"{os.fspath(item)!r} is a path on this machine, which runs cannot see. Upload it: "
            "Dataset.File.upload_directory(src_dir, target=(datastore, 'path'))."
        )
    raise UserErrorException(
        "A path of a dataset is (datastore, 'path'), datastore.path('path') or a web address, "
        f"not {type(item).__name__}."
    )


def _on_datastore(datastore: Any, path: Any) -> Tuple[Source, Workspace]:
    if not hasattr(datastore, "datastore_type") or not isinstance(path, (str, os.PathLike)):
        raise UserErrorException(
            f"A path on a datastore is (datastore, 'path'), not ({datastore!r}, {path!r})."
        )
    workspace: Workspace = datastore.workspace
    return Source(datastore.name, clean_path(os.fspath(path))), workspace


def resolve(
    workspace: Workspace, sources: List[Source], root: Optional[str]
) -> Dict[str, StoredFile]:
    """{path in the tree that runs see: file}. Web files are fetched and kept on the server."""
    stored = [_kept(workspace, source) if source.url else source for source in sources]
    several = len({source.datastore for source in stored}) > 1
    found: List[Tuple[str, StoredFile]] = []
    folders: List[str] = []
    for source in stored:
        folder, files = match_files(workspace, source.datastore, source.path)
        if not files:
            raise UserErrorException(
                f"There are no files at {source.path or '/'!r} on {source.datastore}. "
                "Check the path, or upload the files first."
            )
        place = f"{source.datastore}/" if several else ""
        # What was fetched from the web is shown by its name alone.
        folders.append(f"{place}{folder}".rstrip("/"))
        found += [(f"{place}{file.path}", file) for file in files]
    if all(source.url for source in sources):
        return {file.path.rpartition("/")[2]: file for _, file in found}
    base = common_folder(folders) if root is None else root
    start = len(base) + 1 if base else 0
    return {path[start:]: file for path, file in found}


def _kept(workspace: Workspace, source: Source) -> Source:
    """Where on the server the file of a web address is; fetches it the first time."""
    import hashlib
    from urllib.parse import unquote, urlsplit

    name = clean_path(unquote(urlsplit(source.url).path)).rpartition("/")[2] or "index.html"
    folder = f"web/{hashlib.sha256(source.url.encode()).hexdigest()[:16]}"
    path = f"{folder}/{name}"
    if not any(file.path == path for file in list_files(workspace, _WEB_DATASTORE, path)):
        _fetch(workspace, source.url, path)
    return Source(_WEB_DATASTORE, path)


def _fetch(workspace: Workspace, url: str, path: str) -> None:
    import tempfile

    from azureml.data._uploads import upload

    with tempfile.TemporaryDirectory(prefix="roost-") as folder:
        local = os.path.join(folder, "file")
        fetch_url(url, local)
        with calling(UserErrorException):
            upload(workspace, _WEB_DATASTORE, {path: local}, overwrite=True, show_progress=False)


def fetch_url(url: str, local: str) -> None:
    import shutil
    import urllib.request

    try:
        with urllib.request.urlopen(url, timeout=60) as answer, open(local, "wb") as file:
            shutil.copyfileobj(answer, file)
    except OSError as error:
        raise UserErrorException(f"Cannot fetch {url}: {error}.") from None


def split_root(files: Dict[str, StoredFile]) -> str:
    """The folder on the datastore that the tree of one source is shown relative to."""
    for path, file in files.items():
        return file.path[: len(file.path) - len(path)].rstrip("/") if path else parent(file.path)
    return ""
