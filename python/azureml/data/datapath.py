"""A path of a datastore, and how a run gets at it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Optional

from azureml.data.data_reference import DataReference
from azureml.exceptions import UserErrorException

if TYPE_CHECKING:
    from azureml.core.datastore import Datastore

__all__ = ["DataPath", "DataPathComputeBinding"]


class DataPath:
    def __init__(
        self,
        datastore: Optional[Datastore] = None,
        path_on_datastore: Optional[str] = None,
        name: Optional[str] = None,
    ) -> None:
        self._datastore = datastore
        self._path_on_datastore = path_on_datastore
        self._name = name

    @property
    def datastore(self) -> Optional[Datastore]:
        return self._datastore

    @property
    def datastore_name(self) -> Optional[str]:
        return None if self._datastore is None else self._datastore.name

    @property
    def path_on_datastore(self) -> Optional[str]:
        return self._path_on_datastore

    @property
    def name(self) -> Optional[str]:
        return self._name

    @staticmethod
    def create_from_data_reference(data_reference: DataReference) -> DataPath:
        return DataPath(
            data_reference.datastore,
            data_reference.path_on_datastore,
            data_reference.data_reference_name,
        )

    def create_data_reference(
        self,
        data_reference_name: Optional[str] = None,
        datapath_compute_binding: Optional[DataPathComputeBinding] = None,
    ) -> DataReference:
        if self._datastore is None:
            raise UserErrorException("This DataPath names no datastore: DataPath(datastore, path).")
        binding = datapath_compute_binding or DataPathComputeBinding()
        return DataReference(
            self._datastore,
            data_reference_name or self._name,
            self._path_on_datastore,
            binding.mode,
            binding.path_on_compute,
            binding.overwrite,
        )

    def __repr__(self) -> str:
        return f"DataPath(datastore={self.datastore_name!r}, path={self._path_on_datastore!r})"


class DataPathComputeBinding:
    def __init__(
        self,
        mode: str = "mount",
        path_on_compute: Optional[str] = None,
        overwrite: bool = False,
    ) -> None:
        self.mode = mode
        self.path_on_compute = path_on_compute
        self.overwrite = overwrite

    def create_data_reference(
        self,
        data_reference_name: Optional[str] = None,
        datapath: Optional[DataPath] = None,
    ) -> DataReference:
        if datapath is None:
            raise UserErrorException("Say which datapath= the reference is for.")
        return datapath.create_data_reference(data_reference_name, self)
