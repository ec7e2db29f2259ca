"""Files of a datastore that a run gets, the old way."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Optional

from azureml.exceptions import UserErrorException

if TYPE_CHECKING:
    from azureml.core._runconfig_sections import DataReferenceConfiguration
    from azureml.core.datastore import Datastore

__all__ = ["DataReference"]

_NAME = re.compile(r"[A-Za-z0-9_]+\Z")
_MODES = ("mount", "download", "upload")


class DataReference:
    """A path of a datastore. As an argument of a script it stands for where the run finds it."""

    def __init__(
        self,
        datastore: Datastore,
        data_reference_name: Optional[str] = None,
        path_on_datastore: Optional[str] = None,
        mode: str = "mount",
        path_on_compute: Optional[str] = None,
        overwrite: bool = False,
    ) -> None:
        if not hasattr(datastore, "datastore_type"):
            raise UserErrorException(
                f"DataReference takes a Datastore, not {type(datastore).__name__}. "
                "Get one with workspace.get_default_datastore()."
            )
        self.datastore = datastore
        self.path_on_datastore = path_on_datastore
        self.mode = _checked_mode(mode)
        self.path_on_compute = path_on_compute
        self.overwrite = overwrite
        self.data_reference_name = _checked_name(
            data_reference_name or (os.urandom(16).hex() if path_on_datastore else datastore.name)
        )

    def path(
        self, path: Optional[str] = None, data_reference_name: Optional[str] = None
    ) -> DataReference:
        """A path below this one."""
        if not path:
            return self._copy(self.mode, self.path_on_compute, self.overwrite)
        below = f"{self.path_on_datastore}/{path}" if self.path_on_datastore else path
        return DataReference(self.datastore, data_reference_name, below, self.mode)

    def as_mount(self) -> DataReference:
        return self._copy("mount", None, False)

    def as_download(
        self, path_on_compute: Optional[str] = None, overwrite: bool = False
    ) -> DataReference:
        return self._copy("download", path_on_compute, overwrite)

    def as_upload(
        self, path_on_compute: Optional[str] = None, overwrite: bool = False
    ) -> DataReference:
        """Can be made; submitting it is refused, see docs/azureml.md."""
        return self._copy("upload", path_on_compute, overwrite)

    def to_config(self) -> DataReferenceConfiguration:
        from azureml.core._runconfig_sections import DataReferenceConfiguration

        return DataReferenceConfiguration(
            self.datastore.name,
            self.mode,
            self.path_on_datastore,
            self.path_on_compute,
            self.overwrite,
        )

    def _copy(self, mode: str, path_on_compute: Optional[str], overwrite: bool) -> DataReference:
        return DataReference(
            self.datastore,
            self.data_reference_name,
            self.path_on_datastore,
            mode,
            path_on_compute,
            overwrite,
        )

    def __str__(self) -> str:
        return f"$AZUREML_DATAREFERENCE_{self.data_reference_name}"

    def __repr__(self) -> str:
        return str(self)


def _checked_mode(mode: str) -> str:
    if not isinstance(mode, str) or mode.lower() not in _MODES:
        raise UserErrorException(f"mode is one of {', '.join(_MODES)}, not {mode!r}.")
    return mode.lower()


def _checked_name(name: str) -> str:
    if not _NAME.match(name):
        raise UserErrorException(
            f"The name of a data reference may hold letters, digits and '_' only, because scripts "
            f"find it in an environment variable: {name!r}. Give data_reference_name=."
        )
    return name
