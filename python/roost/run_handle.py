"""A run of the server, looked at from outside."""

from __future__ import annotations

import os
import sys
import time
from typing import Any, Dict, List, Optional

from .client import Client, quote
from .errors import RoostError
from .metric_values import metric_points, metric_values
from .streaming import TERMINAL


def find_run(id: str, client: Optional[Client] = None) -> RunHandle:
    """The run of that id; RoostError not_found when there is none."""
    client = client or Client.connect()
    return RunHandle(client, client.get_run(id))


class RunHandle:
    """What roost.submit and roost.run give. It holds what the server said last; `refresh`, `wait`
    and `status` ask again. Any thread may use it."""

    def __init__(self, client: Client, facts: Dict[str, Any]) -> None:
        self._client = client
        self._facts = facts

    @property
    def id(self) -> str:
        return str(self._facts["id"])

    @property
    def name(self) -> str:
        return str(self._facts["display_name"])

    @property
    def project(self) -> str:
        return str(self._facts["experiment"])

    @property
    def url(self) -> str:
        """The run's page in the studio."""
        return f"{self._client.url}/runs/{quote(self.id)}"

    @property
    def params(self) -> Dict[str, str]:
        """What its arguments set and what it logged as parameters."""
        return dict(self.refresh()._facts.get("params") or {})

    @property
    def tags(self) -> Dict[str, Optional[str]]:
        return dict(self.refresh()._facts["tags"])

    @property
    def status(self) -> str:
        """Its state; the server is asked until it has ended."""
        if self._facts["status"] not in TERMINAL:
            self.refresh()
        return str(self._facts["status"])

    @property
    def error(self) -> Optional[str]:
        """Why it failed, in a line; None if it did not."""
        error = self._facts.get("error")
        return str(error["message"]) if error else None

    def refresh(self) -> RunHandle:
        self._facts = self._client.get_run(self.id)
        return self

    def wait(
        self, timeout: Optional[float] = None, follow: bool = False, check: bool = True
    ) -> RunHandle:
        """Waits until the run has ended, or RoostError deadline_exceeded after `timeout` seconds.
        With `follow` what it prints is printed. With `check` a run that did not complete is an
        error: RoostError failed_precondition."""
        if timeout is None:
            self._follow(print_it=follow)
        else:
            self._wait_until(time.monotonic() + timeout)
        self.refresh()
        if check and self._facts["status"] != "Completed":
            reason = self.error or self._facts.get("cancel_reason") or ""
            raise RoostError(
                "failed_precondition",
                f"run {self.id} is {self._facts['status']}" + (f": {reason}" if reason else ""),
            )
        return self

    def logs(self, name: Optional[str] = None) -> str:
        """What it printed so far, or another of its logs by name."""
        import io

        from .streaming import DRIVER_LOG

        out = io.BytesIO()
        path = f"/api/v1/runs/{quote(self.id)}/logs/{quote(name or DRIVER_LOG, '/')}"
        try:
            self._client.fetch(path, out)
        except RoostError as error:
            if error.code != "not_found" or name is not None:
                raise  # it printed nothing yet
        return out.getvalue().decode("utf-8", "replace")

    def metrics(self, name: Optional[str] = None) -> Any:
        """Metrics by name, or the one of that name, None if there is none: the value where it was
        logged once, else a list of all; a table is a dict of columns."""
        values = metric_values(self._client, self.id, name)
        return values if name is None else values.get(name)

    def history(self) -> List[Dict[str, Any]]:
        """Every point of every metric: name, index, step, at, value."""
        return [{"name": name, **point} for name, _, point in metric_points(self._client, self.id)]

    def outputs(self, folder: Optional[str] = None, prefix: str = "") -> List[str]:
        """The names of the files it left; with `folder` they are downloaded below that, and it is
        their paths."""
        from .run_files import download_files, list_files

        files = [f for f in list_files(self._client, self.id, prefix).values() if f.digest]
        if folder is None:
            return [file.name for file in files]
        wanted = [(file, os.path.join(folder, *file.name.split("/"))) for file in files]
        download_files(self._client, self.id, wanted)
        return [path for _, path in wanted]

    def cancel(self) -> RunHandle:
        """Asks it to end. One that has ended stays as it is."""
        try:
            self._client.post(f"/api/v1/runs/{quote(self.id)}/cancel")
        except RoostError as error:
            if error.code != "failed_precondition":
                raise
        return self.refresh()

    def _follow(self, print_it: bool) -> None:
        from .streaming import follow

        for line in follow(self._client, self.id):
            if print_it and line["type"] == "log":
                sys.stdout.write(line["text"])
                sys.stdout.flush()

    def _wait_until(self, give_up_at: float) -> None:
        import threading

        ended = threading.Event()
        failures: List[BaseException] = []

        def wait() -> None:
            try:
                self._follow(print_it=False)
            except BaseException as error:
                failures.append(error)
            ended.set()

        threading.Thread(target=wait, name="roost-wait", daemon=True).start()
        if not ended.wait(max(0.0, give_up_at - time.monotonic())):
            raise RoostError("deadline_exceeded", f"run {self.id} is still {self.status}")
        if failures:
            raise failures[0]

    def __repr__(self) -> str:
        return f"<run {self.id} {self._facts['status']} {self.url}>"
