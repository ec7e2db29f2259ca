"""Files of a run: up, down, and by name."""

from __future__ import annotations

import os
from typing import Any, List, Optional, Sequence

from .._errors import calling
from ..exceptions import SnapshotException, UserErrorException
from ._config_file import PathLike
from ._run_logging import RunLogging


class RunArtifacts(RunLogging):
    """Keys are paths such as outputs/model.pt; a leading ./ is accepted everywhere."""

    def get_file_names(self) -> List[str]:
        """All files: artifacts and logs."""
        from roost.run_files import list_files

        with calling(UserErrorException):
            return list(list_files(self._client, self.id))

    def upload_file(
        self, name: str, path_or_stream: Any, datastore_name: Optional[str] = None
    ) -> None:
        """Stores a file, or what is left to read of a binary stream, under `name`."""
        from roost.run_files import clean_name, upload_files

        with calling(UserErrorException):
            key = clean_name(name)
            if isinstance(path_or_stream, (str, os.PathLike)):
                with _missing_file():
                    upload_files(self._client, self.id, [(key, os.fspath(path_or_stream))])
            elif hasattr(path_or_stream, "read"):
                self._report.upload_file(key, path_or_stream)
            else:
                raise UserErrorException(
                    f"upload_file takes a path or a binary stream, not {path_or_stream!r}."
                )

    def upload_files(
        self,
        names: Sequence[str],
        paths: Sequence[PathLike],
        return_artifacts: bool = False,
        timeout_seconds: Optional[int] = None,
        datastore_name: Optional[str] = None,
    ) -> None:
        """Stores each of `paths` under the name in the same place of `names`."""
        from roost.run_files import clean_name, upload_files

        if len(names) != len(paths):
            raise UserErrorException(
                f"upload_files takes as many names as paths; there are {len(names)} and "
                f"{len(paths)}."
            )
        with calling(UserErrorException), _missing_file():
            pairs = [(clean_name(name), os.fspath(path)) for name, path in zip(names, paths)]
            upload_files(self._client, self.id, pairs)

    def upload_folder(
        self, name: str, path: PathLike, datastore_name: Optional[str] = None
    ) -> None:
        """Stores all files below a folder as name/..."""
        from roost.run_files import clean_name, files_below, upload_files

        top = os.fspath(path)
        with calling(UserErrorException), _missing_file():
            key = clean_name(name)
            pairs = [(f"{key}/{file}", os.path.join(top, file)) for file in files_below(top)]
            upload_files(self._client, self.id, pairs)

    def download_file(
        self,
        name: str,
        output_file_path: Optional[PathLike] = None,
        _validate_checksum: bool = False,
    ) -> None:
        """Writes a file of the run to `output_file_path`, or by its own name into the current
        folder. The folders above are made. What arrives is always checked."""
        from roost.run_files import clean_name, download_files, find_file

        with calling(UserErrorException):
            key = clean_name(name)
            target = os.fspath(output_file_path) if output_file_path else os.path.basename(key)
            if os.path.isdir(target) or target.endswith(("/", os.sep)):
                target = os.path.join(target, os.path.basename(key))
            download_files(self._client, self.id, [(find_file(self._client, self.id, key), target)])

    def download_files(
        self,
        prefix: Optional[str] = None,
        output_directory: Optional[PathLike] = None,
        output_paths: Optional[Sequence[PathLike]] = None,
        batch_size: int = 100,
        append_prefix: bool = True,
        timeout_seconds: Optional[int] = None,
    ) -> None:
        """Writes the files whose names begin with `prefix` below `output_directory`, by their whole
        names, or without the prefix when `append_prefix` is False. `output_paths` gives a place
        for each instead."""
        from roost.run_files import clean_name, download_files, list_files

        with calling(UserErrorException):
            key = clean_name(prefix) if prefix and prefix.strip("./") else ""
            found = list(list_files(self._client, self.id, key).values())
            if key:  # a folder, or one file; not model2.pt for model
                whole = [f for f in found if f"{f.name}/".startswith(f"{key}/")]
                found = whole or found
            if prefix and not found:
                raise UserErrorException(
                    f"run {self.id} has no files that begin with {prefix!r}; "
                    "run.get_file_names() lists those it has."
                )
            if output_paths:
                if len(output_paths) != len(found):
                    raise UserErrorException(
                        f"there are {len(found)} files and {len(output_paths)} output_paths: "
                        f"{', '.join(file.name for file in found)}."
                    )
                targets = [os.fspath(path) for path in output_paths]
            else:
                top = os.fspath(output_directory) if output_directory else "."
                cut = 0 if append_prefix else len(key)
                targets = [
                    os.path.join(top, file.name[cut:].lstrip("/") or os.path.basename(file.name))
                    for file in found
                ]
            download_files(self._client, self.id, list(zip(found, targets)))

    def get_all_logs(self, destination: Optional[PathLike] = None) -> List[str]:
        """Downloads all logs into a folder, by default one named as the run; returns the paths."""
        from roost.run_files import download_files, list_files

        top = os.fspath(destination) if destination else os.path.join(".", self.id)
        with calling(UserErrorException):
            logs = [f for f in list_files(self._client, self.id).values() if f.digest is None]
            wanted = [(log, os.path.join(top, log.name)) for log in logs]
            download_files(self._client, self.id, wanted)
        return [target for _, target in wanted]

    # The code.

    def get_snapshot_id(self) -> Optional[str]:
        """The digest of the run's code, or None when it has none."""
        return self._known["snapshot"] or None

    def take_snapshot(self, file_or_folder_path: PathLike) -> str:
        """Stores a folder, or the folder of a file, as it is now and returns its digest."""
        from roost.snapshot import take_snapshot

        path = os.fspath(file_or_folder_path)
        folder = os.path.dirname(os.path.abspath(path)) if os.path.isfile(path) else path
        with calling(SnapshotException):
            return take_snapshot(self._client, folder).digest

    def restore_snapshot(
        self, snapshot_id: Optional[str] = None, path: Optional[PathLike] = None
    ) -> str:
        """Writes the run's code as a zip file and returns where it is: `path` if that ends in
        .zip, else <snapshot id>.zip in the folder `path` or the current one."""
        import shutil
        import tempfile

        from roost.snapshot import restore_snapshot

        digest = snapshot_id or self.get_snapshot_id()
        if not digest:
            raise SnapshotException(
                f"run {self.id} was submitted without code: it has no snapshot."
            )
        target = os.fspath(path) if path else "."
        if not target.endswith(".zip"):
            target = os.path.join(target, f"{digest}.zip")
        target = os.path.abspath(target)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with tempfile.TemporaryDirectory() as folder, calling(SnapshotException):
            code = os.path.join(folder, "code")
            restore_snapshot(self._client, digest, code)
            return shutil.make_archive(target[: -len(".zip")], "zip", code)


class _missing_file:
    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: Any, _: Any) -> None:
        if isinstance(error, (FileNotFoundError, NotADirectoryError)):
            raise UserErrorException(f"{error}.", inner_exception=error) from None
