"""Datasets of files."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, List, Optional, Tuple

from azureml._absent import not_here
from azureml.core.dataset import Dataset
from azureml.exceptions import UserErrorException

if TYPE_CHECKING:
    from azureml.data.dataset_consumption_config import DatasetConsumptionConfig

__all__ = ["FileDataset"]


class FileDataset(Dataset):
    """Files of datastores, or of the web, as one tree."""

    def as_mount(self, path_on_compute: Optional[str] = None) -> DatasetConsumptionConfig:
        """For an argument of a script, which gets the path of the files."""
        return self._input().as_mount(path_on_compute)

    def as_download(self, path_on_compute: Optional[str] = None) -> DatasetConsumptionConfig:
        """For an argument of a script, which gets the path of the files."""
        return self._input().as_download(path_on_compute)

    def as_hdfs(self) -> Any:
        raise not_here("FileDataset.as_hdfs", "hands files to Spark", "Use as_download().")

    def as_cache(self, *args: Any, **kwargs: Any) -> Any:
        raise not_here(
            "FileDataset.as_cache",
            "keeps files on a node",
            "A node of Roost keeps the files of its runs anyway: use as_download().",
        )

    def take(self, count: int) -> FileDataset:
        """The first `count` files."""
        return self._of_files(self._names()[: _checked_count(count)])

    def skip(self, count: int) -> FileDataset:
        """All but the first `count` files."""
        return self._of_files(self._names()[_checked_count(count) :])

    def take_sample(self, probability: float, seed: Optional[int] = None) -> FileDataset:
        """About this share of the files."""
        return self.random_split(probability, seed)[0]

    def random_split(
        self, percentage: float, seed: Optional[int] = None
    ) -> Tuple[FileDataset, FileDataset]:
        """About `percentage` (0 to 1) of the files, and the others."""
        import random

        if not isinstance(percentage, (int, float)) or not 0 <= percentage <= 1:
            raise UserErrorException(f"percentage is a number from 0 to 1, not {percentage!r}.")
        draw = random.Random(seed)
        first: List[str] = []
        second: List[str] = []
        for name in self._names():
            (first if draw.random() < percentage else second).append(name)
        return self._of_files(first), self._of_files(second)

    @property
    def partition_keys(self) -> List[str]:
        """None: files are not partitioned."""
        return []

    def _names(self) -> List[str]:
        return sorted(self._files())

    def _of_files(self, names: List[str]) -> FileDataset:
        from azureml.data._file_source import Source, split_root

        files = self._files()
        if not names:
            raise UserErrorException(f"No files would be left of the {len(files)} of the dataset.")
        stores = {source.datastore for source in self._sources}
        if len(stores) != 1 or "" in stores:
            raise UserErrorException(
                "Only a dataset of one datastore can be divided. Register the parts on their own."
            )
        sources = [Source(self._sources[0].datastore, files[name].path) for name in names]
        root = split_root(files) if self._root is None else self._root
        return FileDataset(sources, self._workspace, root)

    def _input(self) -> DatasetConsumptionConfig:
        from azureml.data.dataset_consumption_config import DatasetConsumptionConfig

        made = DatasetConsumptionConfig(f"input_{os.urandom(4).hex()}", self)
        made._is_unnamed = True
        return made


def _checked_count(count: Any) -> int:
    if isinstance(count, bool) or not isinstance(count, int) or count < 0:
        raise UserErrorException(f"count is a whole number of files, not {count!r}.")
    return count
