"""What run.input_datasets holds, for a script that runs."""

from __future__ import annotations

import os
from typing import Any, Dict, List, Mapping, Optional

_PATH_PREFIX = "AZUREML_DATAREFERENCE_"
_DATASET_PREFIX = "ROOST_DATASET_"


def input_datasets(environment: Optional[Mapping[str, str]] = None) -> Dict[str, Any]:
    """{name of the input: path of its files}; of an input without as_mount() or as_download() a
    dataset that has the files already."""
    variables = os.environ if environment is None else environment
    found: Dict[str, Any] = {}
    for key, value in variables.items():
        if key.startswith(_PATH_PREFIX):
            name = key[len(_PATH_PREFIX) :]
            identity = variables.get(_DATASET_PREFIX + name)
            found[name] = value if identity is None else LocalDataset(value, identity)
    return found


class LocalDataset(str):
    """The folder of an input, with the methods of a FileDataset. As a text it is the path."""

    id: str

    def __new__(cls, folder: str, identity: str) -> LocalDataset:
        made = super().__new__(cls, folder)
        made.id = identity
        return made

    def to_path(self) -> List[str]:
        found = []
        for place, folders, names in os.walk(self):
            folders.sort()
            below = os.path.relpath(place, self)
            head = "" if below == "." else below.replace(os.sep, "/") + "/"
            found += [f"/{head}{name}" for name in sorted(names)]
        return found

    def download(
        self,
        target_path: Optional[str] = None,
        overwrite: bool = False,
        ignore_not_found: bool = False,
    ) -> List[str]:
        if target_path is None:
            return [str(self) + path for path in self.to_path()]
        import shutil

        copies = []
        for path in self.to_path():
            copy = os.path.join(os.fspath(target_path), path[1:])
            if os.path.exists(copy) and not overwrite:
                raise FileExistsError(f"{copy} exists already. Give overwrite=True.")
            os.makedirs(os.path.dirname(copy) or ".", exist_ok=True)
            copies.append(shutil.copyfile(str(self) + path, copy))
        return copies

    def mount(self, mount_point: Optional[str] = None, **_: Any) -> LocalMount:
        return LocalMount(str(self))


class LocalMount:
    def __init__(self, folder: str) -> None:
        self.mount_point = folder

    def start(self) -> None:
        """The files are there already."""

    def stop(self) -> None:
        """They stay: they belong to the run."""

    def __enter__(self) -> LocalMount:
        return self

    def __exit__(self, *_: Any) -> None:
        self.stop()
