"""The run this process belongs to.

    from roost.run import run
    run.log("loss", 0.25, step=3)

or, the same: `roost.run.log("loss", 0.25, step=3)`. Outside a run the calls print what they would
have reported.
"""

from __future__ import annotations

import functools
import os
import sys
import types
from typing import TYPE_CHECKING, Any, BinaryIO, Iterable, Mapping, Optional, Union, cast

from .errors import RoostError
from .scalars import scalar_of
from .spool import SpoolWriter
from .times import time_micros

if TYPE_CHECKING:
    from .client import Client
    from .recorder import Recorder
    from .run_handle import RunHandle

PathOrStream = Union[str, "os.PathLike[str]", BinaryIO]


class Run:
    """Reports to one run. Any thread may use it, and so may forked children.

    Metrics, tags and properties go to the spool and never wait for the network. Files are uploaded
    before the call returns; RoostError is raised when the server refuses them or stays away.
    """

    def __init__(
        self, id: str, spool: Union[SpoolWriter, Recorder], client: Optional[Client] = None
    ) -> None:
        self.id = id
        self._spool = spool
        self._client = client

    @staticmethod
    def get_context(allow_offline: bool = True) -> Run:
        """The run of this process. If there is none: an OfflineRun, or RoostError."""
        folder = os.environ.get("ROOST_SPOOL")
        if folder:
            return _open_run(folder)
        if allow_offline:
            return _offline_run()
        raise RoostError(
            "failed_precondition", "this is not a Roost run. Start the script with `roost submit`."
        )

    @property
    def experiment(self) -> str:
        """Name of the experiment."""
        return os.environ.get("AZUREML_ARM_PROJECT_NAME", "")

    @property
    def workspace(self) -> str:
        """Name of the workspace."""
        return os.environ.get("ROOST_WORKSPACE", "default")

    @property
    def parent(self) -> Optional[str]:
        """Id of the parent run; asks the server."""
        return cast(Optional[str], self._connect().get_run(self.id)["parent"])

    def log(self, name: str, value: Any, step: Optional[int] = None) -> None:
        """Adds a point: number, bool, string, or what has `.item()`, as a tensor of one element. Of
        anything else stderr says once what to do instead."""
        kind = type(value)
        if kind is not float and kind is not int:
            value = scalar_of(str(name), value, "run.log")
            if value is None:
                return
        self._spool.log(name, value, step)

    def log_list(self, name: str, value: Iterable[Any], step: Optional[int] = None) -> None:
        """Adds one point for each element."""
        self._record("list", name, list(value), step)

    def log_row(self, name: str, **columns: Any) -> None:
        """Adds a row to a table."""
        self._record("row", name, columns)

    def log_table(self, name: str, value: Mapping[str, Any], step: Optional[int] = None) -> None:
        """Logs a table: column -> list of values."""
        columns = {key: item if _is_column(item) else [item] for key, item in value.items()}
        self._record("table", name, columns, step)

    def log_image(
        self,
        name: str,
        path: Optional[PathOrStream] = None,
        plot: Any = None,
        step: Optional[int] = None,
    ) -> None:
        """Logs an image file, or a plot: anything with `savefig`, as matplotlib's pyplot."""
        import io
        import re

        if (path is None) == (plot is None):
            raise ValueError("log_image takes either path or plot")
        suffix = ".png"
        if plot is not None:
            path = io.BytesIO()
            plot.savefig(path, format="png")
            path.seek(0)
        elif isinstance(path, (str, os.PathLike)):
            suffix = os.path.splitext(os.fspath(path))[1]
        file_name = re.sub(r"[^\w.-]", "_", name)
        artifact = f"images/{file_name}_{time_micros()}{suffix}"
        self.upload_file(artifact, cast(PathOrStream, path))
        self._record("image", name, {"path": artifact}, step)

    def log_confusion_matrix(self, name: str, value: Mapping[str, Any]) -> None:
        self._record("confusion_matrix", name, value)

    def log_accuracy_table(self, name: str, value: Mapping[str, Any]) -> None:
        self._record("accuracy_table", name, value)

    def log_residuals(self, name: str, value: Mapping[str, Any]) -> None:
        self._record("residuals", name, value)

    def log_predictions(self, name: str, value: Mapping[str, Any]) -> None:
        self._record("predictions", name, value)

    def tag(self, key: str, value: Optional[str] = None) -> None:
        """Sets a tag, which may be set again."""
        self._record("tag", key, None if value is None else str(value))

    def add_properties(self, properties: Mapping[str, str]) -> None:
        """Adds properties, which cannot be changed later."""
        for key, value in properties.items():
            self._record("property", key, str(value))

    def upload_file(self, name: str, path_or_stream: PathOrStream) -> None:
        """Stores a file, or what is left to read of a binary stream, as the artifact `name`."""
        name = _artifact_path(name)
        client = self._connect()
        if isinstance(path_or_stream, (str, os.PathLike)):
            with open(path_or_stream, "rb") as file:
                client.put_artifact(self.id, name, file)
        elif path_or_stream.seekable():
            client.put_artifact(self.id, name, path_or_stream)
        else:
            import tempfile

            read = path_or_stream.read
            with tempfile.TemporaryFile() as copy:
                for chunk in iter(lambda: read(1 << 20), b""):
                    copy.write(chunk)
                copy.seek(0)
                client.put_artifact(self.id, name, cast(BinaryIO, copy))

    def upload_folder(self, name: str, path: Union[str, os.PathLike[str]]) -> None:
        """Stores every file below the folder `path` as `name/...`."""
        top = os.fspath(path)
        if not os.path.isdir(top):
            raise NotADirectoryError(f"{top} is not a folder")
        for folder, _, files in sorted(os.walk(top)):
            for file in sorted(files):
                source = os.path.join(folder, file)
                self.upload_file(f"{name}/{os.path.relpath(source, top)}", source)

    def flush(self) -> None:
        """Waits until what was logged is on disk. It reaches the server without this."""
        self._spool.flush()

    def _record(self, kind: str, name: str, value: Any, step: Optional[int] = None) -> None:
        self._spool.record(kind, name, value, step)

    def _connect(self) -> Client:
        if self._client is None:
            from .client import Client

            self._client = Client.from_environment()
        return self._client


class OfflineRun(Run):
    """Stands in for a run: prints what would be reported, and never fails."""

    def __init__(self) -> None:
        number = os.urandom(16).hex()
        self.id = "OfflineRun_" + "-".join(
            (number[:8], number[8:12], number[12:16], number[16:20], number[20:])
        )

    @property
    def parent(self) -> Optional[str]:
        return None

    def log(self, name: str, value: Any, step: Optional[int] = None) -> None:
        self._record("scalar", name, value)

    def log_image(
        self,
        name: str,
        path: Optional[PathOrStream] = None,
        plot: Any = None,
        step: Optional[int] = None,
    ) -> None:
        self._record("image", name, path or plot)

    def log_list(self, name: str, value: Iterable[Any], step: Optional[int] = None) -> None:
        self._record("list", name, value)

    def log_table(self, name: str, value: Mapping[str, Any], step: Optional[int] = None) -> None:
        self._record("table", name, value)

    def tag(self, key: str, value: Optional[str] = None) -> None:
        _print(f"Attempted to set tag {key}:\n{value}")

    def add_properties(self, properties: Mapping[str, str]) -> None:
        _print(f"Attempted to add properties:\n{properties}")

    def upload_file(self, name: str, path_or_stream: PathOrStream) -> None:
        _print(f"Attempted to upload file {name}:\n{path_or_stream}")

    def upload_folder(self, name: str, path: Union[str, os.PathLike[str]]) -> None:
        _print(f"Attempted to upload folder {name}:\n{path}")

    def flush(self) -> None:
        pass

    def _record(self, kind: str, name: str, value: Any, step: Optional[int] = None) -> None:
        _print(f"Attempted to log {kind} metric {name}:\n{value}")


def _print(text: str) -> None:
    try:
        print(text)
    except (OSError, ValueError):
        pass  # stdout is closed or cannot encode the text


def _is_column(value: Any) -> bool:
    return isinstance(value, (list, tuple, range)) or hasattr(value, "tolist")


def _artifact_path(name: str) -> str:
    parts = [part for part in name.replace(os.sep, "/").split("/") if part not in ("", ".")]
    if not parts or ".." in parts or name.startswith("/"):
        raise RoostError(
            "invalid_argument", f"artifact name {name!r} must be a relative path without '..'"
        )
    return "/".join(parts)


@functools.lru_cache(maxsize=None)
def _open_run(folder: str) -> Run:
    run = os.environ.get("ROOST_RUN_ID", "") or os.environ.get("AZUREML_RUN_ID", "")
    return Run(run, SpoolWriter(folder))


@functools.lru_cache(maxsize=None)
def _offline_run() -> OfflineRun:
    return OfflineRun()


run = Run.get_context()
log = run.log
log_list = run.log_list
log_row = run.log_row
log_table = run.log_table
log_image = run.log_image
log_confusion_matrix = run.log_confusion_matrix
log_accuracy_table = run.log_accuracy_table
log_residuals = run.log_residuals
log_predictions = run.log_predictions
tag = run.tag
add_properties = run.add_properties
upload_file = run.upload_file
upload_folder = run.upload_folder
flush = run.flush


class _Module(types.ModuleType):
    """Besides the run of this process there is any other: `roost.run(id)`."""

    def __call__(self, id: str) -> RunHandle:
        from .run_handle import find_run

        return find_run(id)


sys.modules[__name__].__class__ = _Module
