"""The dataset that a run used, by what its spec says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Optional

from azureml.data.file_dataset import FileDataset

if TYPE_CHECKING:
    from azureml.core.workspace import Workspace
    from azureml.data._file_source import Source


def used_dataset(workspace: Workspace, item: Dict[str, Any]) -> FileDataset:
    """`item` is an input of a RunSpec that has the id of a dataset."""
    return UsedDataset(workspace, str(item["dataset"]))


class UsedDataset(FileDataset):
    """A dataset that is known by its id; what it is made of is asked for when it is needed. It may
    have been removed since: only then that is an error."""

    def __init__(self, workspace: Workspace, id: str) -> None:
        self._id = id
        self._workspace = workspace
        self._read: Optional[FileDataset] = None

    @property
    def id(self) -> Optional[str]:
        return self._id

    # Of the dataset itself, where FileDataset has attributes.

    @property
    def _sources(self) -> List[Source]:  # type: ignore[override]
        return self._original._sources

    @property
    def _root(self) -> Optional[str]:  # type: ignore[override]
        return self._original._root

    @property
    def _facts(self) -> Dict[str, Any]:  # type: ignore[override]
        return self._original._facts

    @property
    def _original(self) -> FileDataset:
        if self._read is None:
            from azureml.core.dataset import Dataset

            assert self._workspace is not None
            self._read = Dataset.get_by_id(self._workspace, self._id)  # type: ignore[assignment]
        assert self._read is not None
        return self._read

    def unregister_all_versions(self) -> None:
        self._original.unregister_all_versions()

    def __repr__(self) -> str:
        return f"{{'id': {self._id!r}}}" if self._read is None else super().__repr__()
