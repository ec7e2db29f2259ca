"""The data of a run: what stands in its arguments becomes inputs of its spec."""

from __future__ import annotations

import itertools
import sys
from typing import TYPE_CHECKING, Any, Dict, List, Optional

from azureml._absent import not_here
from azureml.core._runconfig_sections import DataReferenceConfiguration
from azureml.core.dataset import Dataset
from azureml.core.datastore import Datastore
from azureml.data._stored_files import StoredFile, match_files, parent, store_manifest
from azureml.data.data_reference import DataReference
from azureml.data.datapath import DataPath
from azureml.data.dataset_consumption_config import DatasetConsumptionConfig
from azureml.data.output_dataset_config import OutputDatasetConfig
from azureml.exceptions import UserErrorException

if TYPE_CHECKING:
    from azureml.core.workspace import Workspace

_DATA = (DatasetConsumptionConfig, DataReference, DataPath, Dataset, Datastore, OutputDatasetConfig)
# Their meaning is older than the input's: the script finds that by its longer name only.
_TAKEN_NAMES = ("HOME", "LANG", "LOGNAME", "PATH", "PWD", "SHELL", "TERM", "TMPDIR", "USER")


class Inputs:
    """`specs` goes into the RunSpec."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self.specs: List[Dict[str, Any]] = []
        self._given_names: Dict[str, str] = {}

    @staticmethod
    def is_data(item: Any) -> bool:
        return isinstance(item, _DATA)

    def argument(self, item: Any) -> str:
        """What stands in the command line for this data; the node expands it to a path."""
        if isinstance(item, DatasetConsumptionConfig):
            return self._dataset(self._name_of(item), item)
        if isinstance(item, DataPath):
            item = item.create_data_reference()
        if isinstance(item, DataReference):
            return self.add_reference(item.data_reference_name, item.to_config())
        if isinstance(item, OutputDatasetConfig):
            raise item._refusal()
        what = "dataset.as_mount()" if isinstance(item, Dataset) else "datastore.as_mount()"
        raise UserErrorException(
            f"A {type(item).__name__} cannot be an argument as it is. Say how the run gets the "
            f"files: {what}, or as_download()."
        )

    def add_data(self, name: str, data: Any) -> None:
        """An entry of run_config.data."""
        if not isinstance(data, (DatasetConsumptionConfig, DataReference)):
            raise UserErrorException(
                f"run_config.data[{name!r}] must be a dataset input such as dataset.as_mount(), "
                f"not {type(data).__name__}."
            )
        if isinstance(data, DataReference):
            self.add_reference(name, data.to_config())
        else:
            self._dataset(name, data)

    def add_reference(self, name: str, config: DataReferenceConfiguration) -> str:
        if str(config.mode).lower() == "upload":
            raise not_here(
                "a data reference with mode='upload'",
                "copies files of a run to a datastore",
                "A later release brings it. Until then write to ./outputs, which is kept.",
            )
        if not config.datastore_name:
            raise UserErrorException(f"The data reference {name!r} names no datastore.")
        path = config.path_on_datastore or ""
        folder, found = match_files(self._workspace, config.datastore_name, path)
        if not found and path.strip("/."):
            raise UserErrorException(
                f"There are no files at {path!r} on the datastore {config.datastore_name}. "
                "Upload them first: datastore.upload(src_dir, target_path)."
            )
        start = len(folder) + 1 if folder else 0
        files = {file.path[start:]: file for file in found}
        single = found[0].path[start:] if self._is_file(path, found) else None
        return self._add(name, files, str(config.mode).lower(), config.path_on_compute, single)

    def _dataset(self, name: str, config: DatasetConsumptionConfig) -> str:
        dataset = config.dataset
        if dataset._workspace is None:
            dataset._workspace = self._workspace
        files = dataset._files()
        single = dataset._single_file(files)
        id = str(dataset.id)
        path = self._add(name, files, config.mode, config.path_on_compute, single, id)
        return id if config.mode == "direct" else path

    def _name_of(self, config: DatasetConsumptionConfig) -> str:
        """Inputs without a name are input_1, input_2 and so on, as they come."""
        if not config._is_unnamed:
            return config.name
        if config.name not in self._given_names:
            taken = {spec["name"] for spec in self.specs}
            numbers = (f"input_{number}" for number in itertools.count(1))
            self._given_names[config.name] = next(name for name in numbers if name not in taken)
        return self._given_names[config.name]

    def _add(
        self,
        name: str,
        files: Dict[str, StoredFile],
        mode: str,
        path: Optional[str],
        single: Optional[str],
        dataset: Optional[str] = None,
    ) -> str:
        spec = {
            "name": name,
            "content": store_manifest(self._workspace, files),
            "mode": mode,
            "path": path,
        }
        if single:
            spec["file"] = single
        if dataset:
            spec["dataset"] = dataset
        for other in self.specs:
            if other["name"] == name and other != spec:
                raise UserErrorException(
                    f"Two inputs of the run have the name {name!r}. Give one of them another name."
                )
        if spec not in self.specs:
            self.specs.append(spec)
            if name in _TAKEN_NAMES:
                print(
                    f"The input {name} has the name of an environment variable with a meaning of "
                    f"its own. Scripts find it as AZUREML_DATAREFERENCE_{name}, and by "
                    f"run.input_datasets[{name!r}].",
                    file=sys.stderr,
                )
        return f"$AZUREML_DATAREFERENCE_{name}"

    @staticmethod
    def _is_file(path: str, found: List[StoredFile]) -> bool:
        clean = path.strip("/")
        return len(found) == 1 and found[0].path == clean and parent(clean) != clean
