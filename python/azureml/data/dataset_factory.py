"""Making datasets."""

from __future__ import annotations

import fnmatch
import os
from typing import Any, Optional

from azureml._absent import absent_name, not_here
from azureml.data.file_dataset import FileDataset
from azureml.exceptions import UserErrorException

__all__ = ["FileDatasetFactory"]


class FileDatasetFactory:
    """Dataset.File"""

    @staticmethod
    def from_files(
        path: Any,
        validate: bool = True,
        partition_format: Optional[str] = None,
        is_file: bool = False,
    ) -> FileDataset:
        """`path` is (datastore, 'path'), datastore.path('path'), a web address, or a list of these.
        Paths may hold *, ? and **. With `validate` there must be files now."""
        from azureml.data._file_source import read_sources

        if partition_format is not None:
            raise not_here(
                "from_files(partition_format=)",
                "reads columns from paths",
                "Leave it out; the script sees the paths of the files.",
            )
        sources, workspace = read_sources(path)
        made = FileDataset(sources, workspace)
        if validate and workspace is not None and not any(source.url for source in sources):
            made._files()
        return made

    @staticmethod
    def upload_directory(
        src_dir: str,
        target: Any,
        pattern: Optional[str] = None,
        overwrite: bool = False,
        show_progress: bool = True,
    ) -> FileDataset:
        """Uploads a folder to `target` and returns the dataset of what is there."""
        from azureml.data import _uploads
        from azureml.data._file_source import read_sources

        if hasattr(target, "datastore_type"):
            target = (target, "/")
        sources, workspace = read_sources(target)
        if workspace is None or len(sources) != 1:
            raise UserErrorException(
                "target must be (datastore, 'path') or datastore.path('path')."
            )
        store, folder = sources[0].datastore, sources[0].path
        chosen = {
            path: local
            for path, local in _uploads.files_below(os.fspath(src_dir)).items()
            if pattern is None or fnmatch.fnmatch(os.path.basename(path), pattern)
            or fnmatch.fnmatch(path, pattern)
        }  # fmt: skip
        if not chosen:
            raise UserErrorException(f"There are no files to upload in {os.fspath(src_dir)!r}.")
        if show_progress:
            print(f"Uploading {len(chosen)} files to {store}/{folder}")
        placed = {_uploads.joined(folder, path): local for path, local in chosen.items()}
        _uploads.upload(workspace, store, placed, overwrite, show_progress)
        return FileDataset(sources, workspace)


def __getattr__(name: str) -> Any:
    return absent_name(__name__, name)
