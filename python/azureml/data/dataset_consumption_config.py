"""A dataset as the input of a run."""

from __future__ import annotations

import re
from typing import Any, Optional

from azureml.core.dataset import Dataset
from azureml.exceptions import UserErrorException

__all__ = ["DatasetConsumptionConfig"]

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_MODES = ("direct", "mount", "download")


class DatasetConsumptionConfig:
    """Its name, and how the run gets the files: as a path, or (direct) as a dataset."""

    def __init__(
        self,
        name: str,
        dataset: Any,
        mode: str = "direct",
        path_on_compute: Optional[str] = None,
    ) -> None:
        if not isinstance(name, str) or not _NAME.match(name):
            raise UserErrorException(
                f"The name of an input begins with a letter and holds letters, digits and '_', "
                f"because scripts find it in an environment variable: {name!r}."
            )
        if not isinstance(dataset, Dataset):
            raise UserErrorException(
                f"An input needs a dataset, not {type(dataset).__name__}. "
                "Make one with Dataset.File.from_files((datastore, 'path'))."
            )
        if mode not in _MODES:
            raise UserErrorException(f"mode is one of {', '.join(_MODES)}, not {mode!r}.")
        self.name = name
        self.dataset = dataset
        self.mode = mode
        self.path_on_compute = path_on_compute
        self._is_unnamed = False  # the name stands for one that the run gives it

    def as_mount(self, path_on_compute: Optional[str] = None) -> DatasetConsumptionConfig:
        return self._in_mode("mount", path_on_compute)

    def as_download(self, path_on_compute: Optional[str] = None) -> DatasetConsumptionConfig:
        return self._in_mode("download", path_on_compute)

    def as_named_input(self, name: str) -> DatasetConsumptionConfig:
        return DatasetConsumptionConfig(name, self.dataset, self.mode, self.path_on_compute)

    def _in_mode(self, mode: str, path_on_compute: Optional[str]) -> DatasetConsumptionConfig:
        made = DatasetConsumptionConfig(self.name, self.dataset, mode, path_on_compute)
        made._is_unnamed = self._is_unnamed
        return made

    def __str__(self) -> str:
        return f"$AZUREML_DATAREFERENCE_{self.name}"

    def __repr__(self) -> str:
        return f"DatasetConsumptionConfig({self.name!r}, mode={self.mode!r})"
