"""The code of a run: a folder as it is now, kept on the server, and back again."""

from __future__ import annotations

import os
from typing import NamedTuple, Union

from .client import Client
from .download import fetch_entries, write_entries
from .errors import RoostError
from .progress import Progress, opened
from .transfer import store_entries
from .tree_scan import scan_tree

Folder = Union[str, "os.PathLike[str]"]


class Snapshot(NamedTuple):
    digest: str
    files: int
    size: int


def take_snapshot(client: Client, folder: Folder, progress: Progress = None) -> Snapshot:
    """Stores what is in a folder and not ignored. Only what the server lacks is sent.

    Which files are left out .amlignore says, or .gitignore where there is none. Raises RoostError
    naming what a snapshot cannot hold: symlinks out of the folder, sockets, unreadable files.
    """
    tree = scan_tree(os.fspath(folder))
    local = {e.path: os.path.join(tree.root, e.path) for e in tree.entries if e.is_file}
    store_entries(client, tree.entries, local, progress)
    return Snapshot(tree.digest, tree.files, tree.size)


def restore_snapshot(
    client: Client, digest: str, folder: Folder, progress: Progress = None
) -> Snapshot:
    """Makes `folder`, which must not be there yet or be empty, the tree of a snapshot.

    The tree is made aside and moved to its place when it is whole.
    """
    import shutil

    target = os.path.abspath(os.fspath(folder))
    entries = fetch_entries(client, digest)
    exists = os.path.lexists(target)
    if exists and not (os.path.isdir(target) and not os.listdir(target)):
        raise RoostError(
            "already_exists",
            f"{target} is already there and is not an empty folder; restore into a new one",
        )
    parent = os.path.realpath(target) if exists else os.path.dirname(target)
    place = os.path.join(parent, f".roost-restore-{os.urandom(8).hex()}")
    try:
        os.makedirs(place)
        with opened(progress, "Downloading", 0) as bar:
            write_entries(client, entries, place, False, bar)
        if exists:
            for name in os.listdir(place):
                os.rename(os.path.join(place, name), os.path.join(target, name))
        else:
            os.rename(place, target)
    except OSError as error:
        raise RoostError(
            "permission_denied", f"cannot write {target}: {error.strerror or error}"
        ) from None
    finally:
        shutil.rmtree(place, ignore_errors=True)
    files = [entry for entry in entries if entry.is_file]
    return Snapshot(digest, len(files), sum(entry.size for entry in files))
