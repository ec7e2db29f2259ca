"""Datasets: files under a name and a version."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional, Union

from azureml._absent import not_here
from azureml._errors import calling
from azureml.exceptions import UserErrorException

if TYPE_CHECKING:
    from azureml.core.workspace import Workspace
    from azureml.data._dataset_mount import DatasetMount
    from azureml.data._file_source import Source
    from azureml.data._stored_files import StoredFile
    from azureml.data.dataset_consumption_config import DatasetConsumptionConfig
    from azureml.data.dataset_factory import FileDatasetFactory

__all__ = ["Dataset"]

_ANONYMOUS = "anonymous-"


class _FileFactory:
    def __get__(self, owner: Any, kind: Any = None) -> type[FileDatasetFactory]:
        from azureml.data.dataset_factory import FileDatasetFactory

        return FileDatasetFactory


class _NoTables:
    def __get__(self, owner: Any, kind: Any = None) -> Any:
        raise _AbsentAttribute(str(no_tables("Dataset.Tabular")))


class _AbsentAttribute(NotImplementedError, AttributeError):
    """An AttributeError too, so that hasattr() says that it is not there."""


def no_tables(what: str) -> NotImplementedError:
    return not_here(
        what,
        "reads tables",
        "A later release brings it. Until then pass the files with Dataset.File and read them in "
        "the script.",
    )


class Scenario:
    """What a dataset was to a model."""

    TRAINING = "training"
    VALIDATION = "validation"
    INFERENCE = "inference"


class Dataset:
    """Files of datastores. Made by Dataset.File, found by Dataset.get_by_name."""

    File = _FileFactory()
    Tabular = _NoTables()
    Scenario = Scenario

    def __init__(
        self,
        sources: Optional[List[Source]] = None,
        workspace: Optional[Workspace] = None,
        root: Optional[str] = None,
        facts: Optional[Dict[str, Any]] = None,
    ) -> None:
        if not sources:
            raise UserErrorException(
                "Make a dataset with Dataset.File.from_files((datastore, 'path')), or find one by "
                "Dataset.get_by_name(workspace, name)."
            )
        self._sources = sources
        self._workspace = workspace
        self._root = root
        self._facts = facts or {}

    # Finding them.

    @staticmethod
    def get_by_name(
        workspace: Workspace, name: str, version: Union[int, str, None] = "latest"
    ) -> Dataset:
        wanted = None if version in (None, "latest", "Latest") else str(version)
        with calling(UserErrorException):
            facts = workspace._client.get(workspace._path("datasets", name), version=wanted)
        return _from_facts(workspace, facts)

    @staticmethod
    def get_by_id(workspace: Workspace, id: str, **kwargs: Any) -> Dataset:
        with calling(UserErrorException):
            newest = [*workspace._client.pages(workspace._path("datasets"))]
            for facts in newest:
                if facts["id"] == id:
                    return _from_facts(workspace, facts)
            for older in _older_versions(workspace, newest):
                if older["id"] == id:
                    return _from_facts(workspace, older)
        raise UserErrorException(
            f"The workspace {workspace.name} has no dataset with the id {id!r}. "
            "Dataset.get_all(workspace) lists what it has."
        )

    @staticmethod
    def get_all(workspace: Workspace) -> Dict[str, Dataset]:
        """The newest version of each, by name."""
        found: Dict[str, Dict[str, Any]] = {}
        with calling(UserErrorException):
            for facts in workspace._client.pages(workspace._path("datasets")):
                if facts["version"] >= found.get(facts["name"], facts)["version"]:
                    found[facts["name"]] = facts
        return {
            name: _from_facts(workspace, facts)
            for name, facts in sorted(found.items())
            if not name.startswith(_ANONYMOUS) and facts["kind"] == "file"
        }

    # Facts.

    @property
    def name(self) -> Optional[str]:
        name = self._facts.get("name")
        return None if name is None or name.startswith(_ANONYMOUS) else name

    @property
    def version(self) -> Optional[int]:
        return None if self.name is None else self._facts.get("version")

    @property
    def description(self) -> Optional[str]:
        return self._facts.get("description")

    @property
    def tags(self) -> Dict[str, str]:
        return dict(self._facts.get("tags") or {})

    @property
    def id(self) -> Optional[str]:
        """Of one that is not registered: it is stored without a name first."""
        if not self._facts and self._workspace is not None:
            import hashlib
            import json

            text = json.dumps(self._definition(), sort_keys=True)
            name = _ANONYMOUS + hashlib.sha256(text.encode()).hexdigest()[:16]
            self._facts = self._post(self._workspace, name, None, None, True)
        return self._facts.get("id")

    @property
    def data_changed_time(self) -> Any:
        """When the newest of the files was stored."""
        from azureml.data._file_source import resolve
        from roost.times import read_time

        workspace = self._workspace_or_fail()
        names = {file.path for file in resolve(workspace, self._sources, self._root).values()}
        times: List[str] = []
        for store in {source.datastore for source in self._sources if source.datastore}:
            with calling(UserErrorException):
                items = workspace._client.pages(workspace._path("datastores", store, "files"))
                times += [item["at"] for item in items if item["path"] in names]
        newest = max(times, default="")
        return read_time(newest) if newest else None

    # Storing them.

    def register(
        self,
        workspace: Workspace,
        name: str,
        description: Optional[str] = None,
        tags: Optional[Dict[str, str]] = None,
        create_new_version: bool = False,
    ) -> Any:
        """Under a name; a name that is taken needs create_new_version."""
        if not isinstance(name, str) or not name.strip():
            raise UserErrorException(f"The name of a dataset is a text, not {name!r}.")
        facts = self._post(workspace, name, description, tags, create_new_version)
        return _from_facts(workspace, facts)

    def unregister_all_versions(self) -> None:
        if self._facts:
            workspace = self._workspace_or_fail()
            with calling(UserErrorException):
                workspace._client.delete(workspace._path("datasets", self._facts["name"]))
            self._facts = {}

    def _post(
        self,
        workspace: Workspace,
        name: str,
        description: Optional[str],
        tags: Optional[Dict[str, str]],
        create_new_version: bool,
    ) -> Dict[str, Any]:
        body = {
            "name": name,
            "kind": "file",
            "definition": self._definition(),
            "description": description or "",
            "tags": {str(key): str(value) for key, value in (tags or {}).items()},
            "create_new_version": bool(create_new_version),
        }
        with calling(UserErrorException):
            return dict(workspace._client.post(workspace._path("datasets"), body))

    def _definition(self) -> Dict[str, Any]:
        made: Dict[str, Any] = {"paths": [source.to_dict() for source in self._sources]}
        if self._root is not None:
            made["root"] = self._root
        return made

    # Files.

    def to_path(self) -> List[str]:
        """Paths of the files, as runs see them below where the dataset is."""
        if self._workspace is None and all(source.url for source in self._sources):
            return ["/" + source.url.rpartition("/")[2] for source in self._sources]
        return sorted("/" + path for path in self._files())

    def download(
        self,
        target_path: Optional[str] = None,
        overwrite: bool = False,
        ignore_not_found: bool = False,
    ) -> List[str]:
        """Writes the files below `target_path` (default: a new folder) and says where they are."""
        import tempfile

        from azureml.data._file_source import fetch_url
        from azureml.data._stored_files import write_files

        folder = os.fspath(target_path) if target_path else tempfile.mkdtemp(prefix="roost-data-")
        if self._workspace is not None:
            return write_files(self._workspace, self._files(), folder, overwrite, True)
        os.makedirs(folder, exist_ok=True)
        paths = []
        for source in self._sources:
            path = os.path.join(folder, source.url.rpartition("/")[2] or "index.html")
            if os.path.exists(path) and not overwrite:
                raise UserErrorException(f"{path} exists already. Give overwrite=True.")
            fetch_url(source.url, path)
            paths.append(path)
        return paths

    def mount(self, mount_point: Optional[str] = None, **kwargs: Any) -> DatasetMount:
        """A context manager: inside it the files are at its mount_point. They are copied there."""
        from azureml.data._dataset_mount import DatasetMount

        return DatasetMount(self, mount_point)

    def as_named_input(self, name: str) -> DatasetConsumptionConfig:
        """For a run, which finds it as run.input_datasets[name]."""
        from azureml.data.dataset_consumption_config import DatasetConsumptionConfig

        return DatasetConsumptionConfig(name, self)

    def _files(self) -> Dict[str, StoredFile]:
        from azureml.data._file_source import resolve

        return resolve(self._workspace_or_fail(), self._sources, self._root)

    def _single_file(self, files: Dict[str, StoredFile]) -> Optional[str]:
        """The one file that the dataset names: runs are given that, not the folder it is in."""
        from azureml.data._stored_files import split_pattern

        if len(files) != 1 or len(self._sources) != 1 or self._root is not None:
            return None
        ((path, file),) = files.items()
        source = self._sources[0]
        if source.url:
            return path
        return path if not split_pattern(source.path)[1] and file.path == source.path else None

    def _workspace_or_fail(self) -> Workspace:
        if self._workspace is None:
            raise UserErrorException(
                "This dataset is of web addresses only and belongs to no workspace yet. "
                "Register it first: dataset.register(workspace, name)."
            )
        return self._workspace

    def __repr__(self) -> str:
        import json

        shown: Dict[str, Any] = {
            "source": [
                source.url or f"{source.datastore}/{source.path}" for source in self._sources
            ]
        }
        if self.name:
            shown["registration"] = {
                "id": self.id,
                "name": self.name,
                "version": self.version,
                "workspace": getattr(self._workspace, "name", None),
            }
        return f"{type(self).__name__}\n{json.dumps(shown, indent=2)}"


def _from_facts(workspace: Workspace, facts: Dict[str, Any]) -> Dataset:
    from azureml.data._file_source import Source
    from azureml.data.file_dataset import FileDataset

    if facts["kind"] != "file":
        raise no_tables(f"the tabular dataset {facts['name']!r}")
    definition = facts["definition"]
    sources = [Source(**item) for item in definition["paths"]]
    return FileDataset(sources, workspace, definition.get("root"), facts)


def _older_versions(workspace: Workspace, newest: List[Dict[str, Any]]) -> Iterator[Dict[str, Any]]:
    for facts in newest:
        if facts["version"] > 1:
            yield from workspace._client.pages(workspace._path("datasets"), name=facts["name"])
