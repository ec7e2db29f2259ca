"""A dataset whose files are on this machine already."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, List, Optional

from azureml.data._used_dataset import UsedDataset

if TYPE_CHECKING:
    from azureml.core.workspace import Workspace


class LocalDataset(UsedDataset):
    """The input of a run. Where a path is wanted it is that of its files."""

    def __init__(self, workspace: Workspace, id: str, path: str) -> None:
        super().__init__(workspace, id)
        self._is_file = os.path.isfile(path)
        self._path = path
        self._folder = os.path.dirname(path) if self._is_file else path

    def __fspath__(self) -> str:
        return self._path

    def to_path(self) -> List[str]:
        if self._is_file:
            return ["/" + os.path.basename(self._path)]
        found = []
        for place, folders, names in os.walk(self._folder):
            folders.sort()
            below = os.path.relpath(place, self._folder)
            head = "" if below == "." else below.replace(os.sep, "/") + "/"
            found += [f"/{head}{name}" for name in names]
        return sorted(found)

    def download(
        self,
        target_path: Optional[str] = None,
        overwrite: bool = False,
        ignore_not_found: bool = False,
    ) -> List[str]:
        if target_path is None:
            return [self._folder + path for path in self.to_path()]
        import shutil

        from azureml.exceptions import UserErrorException

        copies = []
        for path in self.to_path():
            copy = os.path.join(os.fspath(target_path), path[1:])
            if os.path.exists(copy) and not overwrite:
                raise UserErrorException(f"{copy} exists already. Give overwrite=True.")
            os.makedirs(os.path.dirname(copy) or ".", exist_ok=True)
            copies.append(shutil.copyfile(self._folder + path, copy))
        return copies

    def mount(self, mount_point: Optional[str] = None, **kwargs: Any) -> Any:
        return LocalMount(self._folder) if mount_point is None else super().mount(mount_point)


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
