"""Data of runs: datasets of files, references to datastores."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, List

from azureml._absent import absent_name

if TYPE_CHECKING:
    from .dataset_consumption_config import DatasetConsumptionConfig as DatasetConsumptionConfig
    from .file_dataset import FileDataset as FileDataset
    from .output_dataset_config import LinkFileOutputDatasetConfig as LinkFileOutputDatasetConfig
    from .output_dataset_config import OutputDatasetConfig as OutputDatasetConfig
    from .output_dataset_config import OutputFileDatasetConfig as OutputFileDatasetConfig

_HOMES = {
    "DatasetConsumptionConfig": "dataset_consumption_config",
    "FileDataset": "file_dataset",
    "LinkFileOutputDatasetConfig": "output_dataset_config",
    "OutputDatasetConfig": "output_dataset_config",
    "OutputFileDatasetConfig": "output_dataset_config",
}
_MODULES = (
    "azure_storage_datastore",
    "data_reference",
    "datapath",
    "dataset_consumption_config",
    "dataset_error_handling",
    "dataset_factory",
    "dataset_type_definitions",
    "file_dataset",
    "output_dataset_config",
)
__all__ = [*_HOMES]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    if name in _MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    return absent_name(__name__, name)


def __dir__() -> List[str]:
    return sorted([*globals(), *_HOMES, *_MODULES])
