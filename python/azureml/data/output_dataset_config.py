"""Outputs of a run as datasets. They can be described; submitting one is refused for now."""

from __future__ import annotations

import os
from typing import Any, Dict, Optional

from azureml._absent import absent_name, not_here
from azureml.data.file_dataset import FileDataset

__all__ = [
    "LinkFileOutputDatasetConfig",
    "OutputDatasetConfig",
    "OutputFileDatasetConfig",
    "UploadOptions",
]


class UploadOptions:
    def __init__(self, overwrite: bool = False, source_globs: Any = None) -> None:
        self.overwrite = overwrite
        self.source_globs = source_globs


class OutputDatasetConfig:
    def __init__(self, mode: str, name: Optional[str] = None, destination: Any = None) -> None:
        self.mode = mode
        self.name = name or f"output_{os.urandom(4).hex()}"
        self.destination = destination
        self.registration: Optional[Dict[str, Any]] = None

    def register_on_complete(
        self, name: str, description: Optional[str] = None, tags: Optional[Dict[str, str]] = None
    ) -> Any:
        self.registration = {"name": name, "description": description, "tags": tags or {}}
        return self

    def _refusal(self) -> NotImplementedError:
        return not_here(
            f"the output {self.name!r} as a dataset",
            "stores files that a run writes as a dataset",
            "A later release brings it. Until then write the files to ./outputs, which is kept "
            "with the run, and fetch them with run.download_files('outputs').",
        )


class OutputFileDatasetConfig(OutputDatasetConfig):
    def __init__(
        self,
        name: Optional[str] = None,
        destination: Any = None,
        source: Optional[str] = None,
        partition_format: Optional[str] = None,
    ) -> None:
        super().__init__("mount", name, destination)
        self.source = source
        self.partition_format = partition_format
        self.upload_options: Optional[UploadOptions] = None

    def as_mount(self, disable_metadata_cache: bool = False) -> OutputFileDatasetConfig:
        self.mode = "mount"
        return self

    def as_upload(
        self, overwrite: bool = False, source_globs: Any = None
    ) -> OutputFileDatasetConfig:
        self.mode = "upload"
        self.upload_options = UploadOptions(overwrite, source_globs)
        return self

    def as_input(self, name: Optional[str] = None) -> FileDataset:
        raise self._refusal()

    def read_delimited_files(self, *args: Any, **kwargs: Any) -> Any:
        raise self._refusal()

    def read_parquet_files(self, *args: Any, **kwargs: Any) -> Any:
        raise self._refusal()


class LinkFileOutputDatasetConfig(OutputDatasetConfig):
    def __init__(self, name: Optional[str] = None) -> None:
        super().__init__("link", name)


def __getattr__(name: str) -> Any:
    return absent_name(__name__, name)
