"""Where what a run reports goes: to the runner's spool, to the server, to a folder, or nowhere."""

from __future__ import annotations

import os
from typing import Any, BinaryIO, Callable, List, NamedTuple, Optional, cast

from .client import Client, quote
from .errors import RoostError
from .heartbeat import keep_alive, let_go
from .notices import tell
from .recorder import Recorder
from .run_files import clean_name, files_below
from .spool import SpoolWriter
from .streaming import TERMINAL
from .uploads import Uploads

FLUSH_SECONDS = 60.0


class Failure(NamedTuple):
    """Why a run ends as Failed."""

    message: str
    exception: str = ""
    traceback: List[str] = []
    code: str = "exception"


class Reporter:
    """Takes records, which cost microseconds, and files. Any thread may use it, and so may forked
    children, which end nothing."""

    id = ""
    url = ""
    place = ""  # what a child process is told, so that it reports to the same run

    def log(self, name: str, value: Any, step: Optional[int]) -> None:
        raise NotImplementedError

    def record(self, kind: str, name: str, value: Any, step: Optional[int] = None) -> None:
        raise NotImplementedError

    def put_image(self, path: str, content: bytes, then: Callable[[], None]) -> None:
        """Keeps a file; `then` is called, later perhaps, once it is kept."""
        raise NotImplementedError

    def put_file(self, name: str, path: str) -> None:
        """Keeps a file of this machine. Raises RoostError or OSError if it is not kept."""
        raise NotImplementedError

    def put_files(self, name: str, path: str) -> None:
        """Keeps a file under that name, or all files of a folder below it."""
        if os.path.isdir(path):
            for file in files_below(path):
                self.put_file(f"{name}/{file}", os.path.join(path, file))
        else:
            self.put_file(name, path)

    def flush(self, timeout_seconds: float = FLUSH_SECONDS) -> None:
        """Waits until what was reported is kept."""

    def end(self, status: str, failure: Optional[Failure], timeout_seconds: float) -> None:
        """Keeps what was reported and ends the run."""
        self.flush(timeout_seconds)


class NowhereReporter(Reporter):
    """Of mode="disabled"."""

    def log(self, name: str, value: Any, step: Optional[int]) -> None:
        pass

    def record(self, kind: str, name: str, value: Any, step: Optional[int] = None) -> None:
        pass

    def put_image(self, path: str, content: bytes, then: Callable[[], None]) -> None:
        pass

    def put_file(self, name: str, path: str) -> None:
        pass


class _ServerReporter(Reporter):
    """Files go to the server in the background, or at once where they must not get lost."""

    def __init__(self, client: Client, run: str) -> None:
        self.id = run
        self.url = f"{client.url}/runs/{quote(run)}"
        self._client = client
        self._uploads = Uploads(client, run)

    def put_image(self, path: str, content: bytes, then: Callable[[], None]) -> None:
        self._uploads.add(path, content, then)

    def put_file(self, name: str, path: str) -> None:
        with open(path, "rb") as file:
            self._client.put_artifact(self.id, clean_name(name), cast(BinaryIO, file))

    def _post_end(self, status: str, failure: Optional[Failure]) -> None:
        """What comes after a training must not be stopped by a server that is away."""
        path = f"/api/v1/runs/{quote(self.id)}"
        try:
            if status == "Completed":
                self._client.post(f"{path}/complete")
            elif status == "Canceled":
                self._client.post(f"{path}/cancel")
            else:
                self._client.post(f"{path}/fail", _fail_body(failure))
        except RoostError as error:
            if error.code != "failed_precondition":  # it has ended already
                tell(f"run {self.id} could not be ended as {status}: {error.message}")


class SubmittedReporter(_ServerReporter):
    """Of the run that this process was started for. Its end is decided by the script's, unless that
    says that it failed."""

    def __init__(self, client: Client, run: str, spool: SpoolWriter) -> None:
        super().__init__(client, run)
        self._spool = spool

    def log(self, name: str, value: Any, step: Optional[int]) -> None:
        self._spool.log(name, value, step)

    def record(self, kind: str, name: str, value: Any, step: Optional[int] = None) -> None:
        self._spool.record(kind, name, value, step)

    def flush(self, timeout_seconds: float = FLUSH_SECONDS) -> None:
        self._uploads.flush(timeout_seconds)
        self._spool.flush()

    def end(self, status: str, failure: Optional[Failure], timeout_seconds: float) -> None:
        self.flush(timeout_seconds)
        if status != "Completed":
            self._post_end(status, failure)


class OnlineReporter(_ServerReporter):
    """Of an interactive run. Of one that it owns it says that its process lives, and ends it."""

    def __init__(self, client: Client, run: str, owns: bool) -> None:
        super().__init__(client, run)
        self.place = f"run:{run}"
        self._owns = owns
        self._recorder = Recorder(client, run, drops=True)
        if owns:
            keep_alive(client, run, self._was_ended)

    def log(self, name: str, value: Any, step: Optional[int]) -> None:
        self._recorder.log(name, value, step)

    def record(self, kind: str, name: str, value: Any, step: Optional[int] = None) -> None:
        self._recorder.record(kind, name, value, step)

    def flush(self, timeout_seconds: float = FLUSH_SECONDS) -> None:
        self._uploads.flush(timeout_seconds)
        try:
            self._recorder.flush(timeout_seconds)
        except RoostError as error:
            if error.code in ("unavailable", "deadline_exceeded"):
                tell(error.message)  # what was refused was told when it was

    def end(self, status: str, failure: Optional[Failure], timeout_seconds: float) -> None:
        self.flush(timeout_seconds)
        if not self._owns:
            return
        let_go(self.id)
        self._post_end(status, failure)

    def _was_ended(self, status: str) -> None:
        assert status in TERMINAL
        tell(
            f"run {self.id} is {status} on the server. This process goes on; what it logs from now "
            "on is not kept."
        )


class FolderReporter(Reporter):
    """Of mode="offline": a folder that `roost sync` hands in."""

    def __init__(self, folder: str, run: str) -> None:
        from .offline_folder import files_folder, spool_folder

        self.id = run
        self.url = folder
        self.place = f"folder:{folder}"
        self._folder = folder
        self._files = files_folder(folder)
        self._spool = SpoolWriter(spool_folder(folder))

    def log(self, name: str, value: Any, step: Optional[int]) -> None:
        self._spool.log(name, value, step)

    def record(self, kind: str, name: str, value: Any, step: Optional[int] = None) -> None:
        self._spool.record(kind, name, value, step)

    def put_image(self, path: str, content: bytes, then: Callable[[], None]) -> None:
        with open(self._place_for(path), "wb") as out:
            out.write(content)
        then()

    def put_file(self, name: str, path: str) -> None:
        import shutil

        shutil.copyfile(path, self._place_for(clean_name(name)))

    def flush(self, timeout_seconds: float = FLUSH_SECONDS) -> None:
        self._spool.flush()

    def end(self, status: str, failure: Optional[Failure], timeout_seconds: float) -> None:
        from .offline_folder import write_end

        self._spool.close()
        write_end(self._folder, status, _fail_body(failure) if status == "Failed" else {})

    def _place_for(self, path: str) -> str:
        place = os.path.join(self._files, *path.split("/"))
        os.makedirs(os.path.dirname(place), exist_ok=True)
        return place


def _fail_body(failure: Optional[Failure]) -> Any:
    if failure is None:
        return {}
    body: Any = {"message": failure.message, "code": failure.code}
    if failure.exception:
        body["exception"] = failure.exception
    if failure.traceback:
        body["traceback"] = list(failure.traceback)
    return body
