"""A run that this process reports to."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Mapping
from typing import Any, Dict, Optional, Sequence, Union

from .image_values import image_file
from .notices import tell_once
from .params import params_of
from .reporters import FLUSH_SECONDS, Failure, Reporter
from .scalars import scalar_of
from .table_values import DEFAULT_BINS, columns_of, histogram_of
from .times import time_micros

STATUSES = ("Completed", "Failed", "Canceled")


class ActiveRun:
    """What roost.init gives. Any thread may use it, and so may forked children, whose `finish` does
    nothing: the process that called init ends the run.

    log and its like cost microseconds and never wait for the network; what cannot be kept is said
    on stderr. As a context manager it finishes: Failed if an exception leaves the block.
    """

    def __init__(self, reporter: Reporter, owns: bool = True) -> None:
        self.id = reporter.id
        self.url = reporter.url
        self.params: Dict[str, Any] = {}
        self._reporter = reporter
        self._owner = os.getpid() if owns else 0
        self._ended = False
        self._lock = threading.Lock()

    def log(self, values: Mapping[str, Any], step: Optional[int] = None) -> None:
        """Adds a point to each metric: {name: number}. Names of nested dicts are joined by dots."""
        if not isinstance(values, Mapping):
            tell_once(
                "log", f"log takes a dict such as {{'loss': 0.5}}, not {values!r:.80}: not logged."
            )
            return
        log = self._reporter.log
        for name, value in values.items():
            kind = type(value)
            if kind is float or kind is int:
                log(name, value, step)
            elif isinstance(value, Mapping):
                self.log({f"{name}.{key}": item for key, item in value.items()}, step)
            else:
                number = scalar_of(str(name), value, "log")
                if number is not None:
                    log(str(name), number, step)

    def log_params(self, config: Any) -> None:
        """Adds parameters; the last value of a name counts. Takes what roost.init takes as
        config."""
        params = params_of(config)
        self.params.update(params)
        for name, value in params.items():
            self._reporter.record("param", name, value)

    def log_image(self, name: str, image: Any, step: Optional[int] = None) -> None:
        """Adds an image: a path, the bytes of an image file, a PIL image, a matplotlib figure, or
        an array or tensor of height x width, HWC or CHW; integers 0 to 255, other numbers 0 to
        1."""
        content, suffix = image_file(image)
        safe = re.sub(r"[^\w.-]", "_", name)
        path = f"images/{safe}_{time_micros()}_{os.urandom(2).hex()}{suffix}"
        reporter = self._reporter
        reporter.put_image(
            path, content, lambda: reporter.record("image", name, {"path": path}, step)
        )

    def log_table(
        self,
        name: str,
        table: Any,
        columns: Optional[Sequence[str]] = None,
        step: Optional[int] = None,
    ) -> None:
        """Adds a table: a dict of columns, a list of dicts, a list of rows with `columns`, or a
        DataFrame."""
        self._reporter.record("table", name, columns_of(table, columns), step)

    def log_histogram(
        self, name: str, values: Any, step: Optional[int] = None, bins: int = DEFAULT_BINS
    ) -> None:
        """Adds a histogram of the finite numbers among the values: an array, a tensor or a list."""
        self._reporter.record("histogram", name, histogram_of(values, bins), step)

    def log_artifact(self, path: Union[str, os.PathLike[str]], name: Optional[str] = None) -> None:
        """Keeps a file or a folder under that name, by default its own. Returns when it is kept."""
        place = os.fspath(path)
        if not os.path.exists(place):
            raise FileNotFoundError(f"there is no file or folder {os.path.abspath(place)}")
        self._reporter.put_files(name or os.path.basename(os.path.abspath(place)), place)

    def tag(self, key: str, value: Optional[str] = None) -> None:
        """Sets a tag, which may be set again."""
        self._reporter.record("tag", key, None if value is None else str(value))

    def flush(self) -> None:
        """Waits until what was logged is kept: by the server, in a submitted run by its runner."""
        self._reporter.flush()

    def finish(self, status: str = "Completed", message: str = "") -> None:
        """Ends the run as Completed, Failed or Canceled once everything is sent. In a submitted run
        the script's own end does that, and this waits; Failed makes it Failed whatever the exit
        code. Again it does nothing."""
        wanted = status.capitalize()
        if wanted not in STATUSES:
            raise ValueError(f"status is {status!r}; it must be one of {', '.join(STATUSES)}")
        self._end(wanted, Failure(message, code="reported_failure") if message else None)

    def _end(
        self, status: str, failure: Optional[Failure], timeout_seconds: float = FLUSH_SECONDS
    ) -> None:
        with self._lock:
            if self._ended:
                return
            self._ended = True
        if self._owner == os.getpid():
            self._reporter.end(status, failure, timeout_seconds)
        else:
            self._reporter.flush(timeout_seconds)

    def __enter__(self) -> ActiveRun:
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if error is None:
            self.finish()
            return
        from .endings import ending_of

        status, failure = ending_of(kind, error, trace)
        self._end(status, failure)

    def __repr__(self) -> str:
        return f"<run {self.id} {self.url}>"
