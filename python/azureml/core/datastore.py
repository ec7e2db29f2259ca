"""Datastores: named places for files. All of them are kept by the Roost server."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any, Dict, List, Optional

from azureml._absent import not_here
from azureml._errors import calling, is_code
from azureml.exceptions import UserErrorException

if TYPE_CHECKING:
    from azureml.core.workspace import Workspace
    from azureml.data.data_reference import DataReference

__all__ = ["Datastore"]


class Datastore:
    """`Datastore(workspace, name)` is the one of that name; without a name the default one."""

    name: str
    workspace: Workspace
    datastore_type: str

    def __new__(
        cls,
        workspace: Workspace,
        name: Optional[str] = None,
        _facts: Optional[Dict[str, Any]] = None,
    ) -> Datastore:
        from azureml.data.azure_storage_datastore import class_of

        facts = _facts or _get_facts(workspace, name)
        made = object.__new__(class_of(facts["type"]) if cls is Datastore else cls)
        made._facts = facts
        return made

    def __init__(
        self,
        workspace: Workspace,
        name: Optional[str] = None,
        _facts: Optional[Dict[str, Any]] = None,
    ) -> None:
        self._facts: Dict[str, Any]
        self.workspace = workspace
        self.name = self._facts["name"]
        self.datastore_type = self._facts["type"]
        self.is_default = bool(self._facts.get("is_default"))
        self.tags: Dict[str, str] = {}

    def __getnewargs__(self) -> Any:
        return (self.workspace, self.name, self._facts)

    # Finding and making them.

    @staticmethod
    def get(workspace: Workspace, datastore_name: str) -> Datastore:
        return Datastore(workspace, datastore_name)

    @staticmethod
    def get_default(workspace: Workspace) -> Datastore:
        return Datastore(workspace)

    @staticmethod
    def register_azure_blob_container(
        workspace: Workspace,
        datastore_name: str,
        container_name: str,
        account_name: str,
        sas_token: Optional[str] = None,
        account_key: Optional[str] = None,
        protocol: Optional[str] = None,
        endpoint: Optional[str] = None,
        overwrite: bool = False,
        create_if_not_exists: bool = False,
        skip_validation: bool = False,
        blob_cache_timeout: Optional[int] = None,
        grant_workspace_access: bool = False,
        subscription_id: Optional[str] = None,
        resource_group: Optional[str] = None,
    ) -> Datastore:
        """A datastore on the Roost server under that name. Keys and tokens are not kept."""
        properties = {
            "account_name": account_name,
            "container_name": container_name,
            "protocol": protocol or "https",
            "endpoint": endpoint or "core.windows.net",
        }
        return _register(workspace, datastore_name, "AzureBlob", properties, overwrite)

    @staticmethod
    def register_azure_file_share(
        workspace: Workspace,
        datastore_name: str,
        file_share_name: str,
        account_name: str,
        sas_token: Optional[str] = None,
        account_key: Optional[str] = None,
        protocol: Optional[str] = None,
        endpoint: Optional[str] = None,
        overwrite: bool = False,
        create_if_not_exists: bool = False,
        skip_validation: bool = False,
    ) -> Datastore:
        """A datastore on the Roost server under that name. Keys and tokens are not kept."""
        properties = {
            "account_name": account_name,
            "container_name": file_share_name,
            "protocol": protocol or "https",
            "endpoint": endpoint or "core.windows.net",
        }
        return _register(workspace, datastore_name, "AzureFile", properties, overwrite)

    @staticmethod
    def register_azure_data_lake(*args: Any, **kwargs: Any) -> Datastore:
        raise _no_kind("register_azure_data_lake")

    @staticmethod
    def register_azure_data_lake_gen2(*args: Any, **kwargs: Any) -> Datastore:
        raise _no_kind("register_azure_data_lake_gen2")

    @staticmethod
    def register_azure_sql_database(*args: Any, **kwargs: Any) -> Datastore:
        raise _no_kind("register_azure_sql_database")

    @staticmethod
    def register_azure_postgre_sql(*args: Any, **kwargs: Any) -> Datastore:
        raise _no_kind("register_azure_postgre_sql")

    @staticmethod
    def register_azure_my_sql(*args: Any, **kwargs: Any) -> Datastore:
        raise _no_kind("register_azure_my_sql")

    @staticmethod
    def register_dbfs(*args: Any, **kwargs: Any) -> Datastore:
        raise _no_kind("register_dbfs")

    @staticmethod
    def register_hdfs(*args: Any, **kwargs: Any) -> Datastore:
        raise _no_kind("register_hdfs")

    def unregister(self) -> None:
        """Removes the datastore and forgets its files."""
        with calling(UserErrorException):
            self.workspace._client.delete(self.workspace._path("datastores", self.name))

    def set_as_default(self) -> None:
        self.workspace.set_default_datastore(self.name)

    # Files.

    def upload(
        self,
        src_dir: str,
        target_path: Optional[str] = None,
        overwrite: bool = False,
        show_progress: bool = True,
    ) -> DataReference:
        """All files below a folder. Without `overwrite` files that are there already stay."""
        from azureml.data import _uploads
        from azureml.data._stored_files import clean_path

        target = clean_path(target_path)
        files = {
            _uploads.joined(target, path): local
            for path, local in _uploads.files_below(os.fspath(src_dir)).items()
        }
        _uploads.upload(self.workspace, self.name, files, overwrite, show_progress)
        return self.path(target_path)

    def upload_files(
        self,
        files: List[str],
        relative_root: Optional[str] = None,
        target_path: Optional[str] = None,
        overwrite: bool = False,
        show_progress: bool = True,
    ) -> DataReference:
        """Files, under their paths below `relative_root` (default: the folder they share)."""
        from azureml.data import _uploads
        from azureml.data._stored_files import clean_path

        if isinstance(files, str) or not all(isinstance(f, (str, os.PathLike)) for f in files):
            raise UserErrorException("files must be a list of paths.")
        local = [os.path.abspath(path) for path in files]
        _uploads.check_files(local)
        root = os.path.abspath(relative_root) if relative_root else _shared_folder(local)
        target = clean_path(target_path)
        placed = {}
        for path in local:
            below = os.path.relpath(path, root).replace(os.sep, "/")
            if below.startswith("../"):
                raise UserErrorException(f"{path} is not below relative_root {root}.")
            placed[_uploads.joined(target, below)] = path
        _uploads.upload(self.workspace, self.name, placed, overwrite, show_progress)
        return self.path(target_path)

    def download(
        self,
        target_path: str,
        prefix: Optional[str] = None,
        overwrite: bool = False,
        show_progress: bool = True,
    ) -> int:
        """Files below `prefix`, under their paths on the datastore. Returns how many came."""
        from azureml.data._stored_files import clean_path, list_files, write_files

        folder = os.fspath(target_path)
        files = {
            file.path: file
            for file in list_files(self.workspace, self.name, clean_path(prefix))
            if overwrite or not os.path.lexists(os.path.join(folder, *file.path.split("/")))
        }
        return len(write_files(self.workspace, files, folder, overwrite, show_progress))

    def path(
        self, path: Optional[str] = None, data_reference_name: Optional[str] = None
    ) -> DataReference:
        from azureml.data.data_reference import DataReference

        return DataReference(self, data_reference_name, path or None)

    def as_mount(self) -> DataReference:
        return self.path().as_mount()

    def as_download(self, path_on_compute: Optional[str] = None) -> DataReference:
        return self.path().as_download(path_on_compute)

    def as_upload(self, path_on_compute: Optional[str] = None) -> DataReference:
        return self.path().as_upload(path_on_compute)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Datastore)
            and self.name == other.name
            and self.workspace.name == other.workspace.name
        )

    def __hash__(self) -> int:
        return hash((self.workspace.name, self.name))

    def __repr__(self) -> str:
        import json

        shown = {
            "name": self.name,
            "container_name": self.container_name,
            "account_name": self.account_name,
            "protocol": self.protocol,
            "endpoint": self.endpoint,
        }
        return json.dumps(shown, indent=2)

    # What Azure's datastores say about themselves; the files are on the Roost server all the same.

    @property
    def account_name(self) -> Optional[str]:
        return self._property("account_name", "roost")

    @property
    def container_name(self) -> Optional[str]:
        return self._property("container_name", self.name)

    @property
    def protocol(self) -> Optional[str]:
        return self._property("protocol", "https")

    @property
    def endpoint(self) -> Optional[str]:
        return self._property("endpoint", None)

    @property
    def account_key(self) -> None:
        """Never kept."""

    @property
    def sas_token(self) -> None:
        """Never kept."""

    def _property(self, name: str, otherwise: Optional[str]) -> Optional[str]:
        value = (self._facts.get("properties") or {}).get(name)
        return otherwise if value is None else str(value)


def _get_facts(workspace: Workspace, name: Optional[str]) -> Dict[str, Any]:
    with calling(UserErrorException):
        if name is not None:
            found: Dict[str, Any] = workspace._client.get(workspace._path("datastores", name))
            return found
        for item in workspace._client.pages(workspace._path("datastores")):
            if item["is_default"]:
                return dict(item)
    raise UserErrorException(f"The workspace {workspace.name} has no default datastore.")


def _register(
    workspace: Workspace, name: str, kind: str, properties: Dict[str, Any], overwrite: bool
) -> Datastore:
    if not overwrite:
        _check_same(workspace, name, kind, properties)
    with calling(UserErrorException):
        facts = workspace._client.post(
            workspace._path("datastores"), {"name": name, "type": kind, "properties": properties}
        )
    print(
        f"Datastore {name}: the Roost server keeps its files; nothing is read from or written "
        f"to {properties['container_name']!r} of the Azure account {properties['account_name']!r}.",
        file=sys.stderr,
    )
    return Datastore(workspace, name, facts)


def _check_same(workspace: Workspace, name: str, kind: str, properties: Dict[str, Any]) -> None:
    try:
        there = _get_facts(workspace, name)
    except UserErrorException as error:
        if is_code(error, "not_found"):
            return
        raise
    if (there["type"], there["properties"]) != (kind, properties):
        raise UserErrorException(
            f"There is a datastore {name!r} already, with other settings. Give overwrite=True to "
            "change them; its files stay."
        )


def _no_kind(method: str) -> NotImplementedError:
    return not_here(
        f"Datastore.{method}",
        "connects a store of Azure's",
        "Files are kept by the Roost server: use Datastore.register_azure_blob_container() for a "
        "name of your own, or workspace.get_default_datastore().",
    )


def _shared_folder(paths: List[str]) -> str:
    return os.path.commonpath([os.path.dirname(path) for path in paths]) if paths else os.sep
