"""dataset.mount(): a copy of the files for as long as it is wanted."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Optional

if TYPE_CHECKING:
    from azureml.core.dataset import Dataset


class DatasetMount:
    """Between start() and stop(), or in a `with`, the files are below mount_point."""

    def __init__(self, dataset: Dataset, mount_point: Optional[str]) -> None:
        self._dataset = dataset
        self._given = os.fspath(mount_point) if mount_point else None
        self._folder: Optional[str] = None

    @property
    def mount_point(self) -> str:
        if self._folder is None:
            self._make_folder()
        assert self._folder is not None
        return self._folder

    def start(self) -> None:
        self._dataset.download(self.mount_point, overwrite=True)

    def stop(self) -> None:
        """Removes the copy, unless the folder was there before."""
        import shutil

        if self._folder is not None and self._is_ours:
            shutil.rmtree(self._folder, ignore_errors=True)
        self._folder = None

    def __enter__(self) -> DatasetMount:
        self.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self.stop()

    def _make_folder(self) -> None:
        import tempfile

        self._is_ours = self._given is None or not os.path.exists(self._given)
        self._folder = self._given or tempfile.mkdtemp(prefix="roost-mount-")
        os.makedirs(self._folder, exist_ok=True)
