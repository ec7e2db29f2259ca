"""A run as it happens: its states and what it prints, pushed by the server."""

from __future__ import annotations

import time
from typing import Any, Dict, Iterator, Optional, Set, Tuple

from .client import Client, quote
from .errors import RoostError

BUILD_LOG = "azureml-logs/20_image_build_log.txt"
DRIVER_LOG = "azureml-logs/70_driver_log.txt"
TERMINAL = ("Completed", "Failed", "Canceled")
_FIRST_DELAY_SECONDS = 0.2
_LONGEST_DELAY_SECONDS = 5.0
_PATIENCE_SECONDS = 600.0


def follow(
    client: Client,
    run: str,
    log: str = DRIVER_LOG,
    offset: int = 0,
    patience_seconds: float = _PATIENCE_SECONDS,
) -> Iterator[Dict[str, Any]]:
    """The lines of follow_run without pings, up to and with the one of type "end". What the build
    of its environment prints comes before what the run prints. A lost connection is taken up where
    it broke: nothing comes twice, nothing is left out."""
    position = _Position(offset)
    give_up_at: Optional[float] = None
    delay = _FIRST_DELAY_SECONDS
    while True:
        try:
            path = f"/api/v1/runs/{quote(run)}/follow"
            for line in client.lines(
                path, log=log, offset=position.offset, build_offset=position.build_offset
            ):
                give_up_at, delay = None, _FIRST_DELAY_SECONDS
                if position.is_news(line):
                    yield line
                if line["type"] == "end":
                    return
        except RoostError as error:
            if error.code != "unavailable":
                raise
            failure: RoostError = error
        else:
            failure = RoostError("unavailable", f"the server closed the stream of {run}")
        now = time.monotonic()
        give_up_at = give_up_at or now + patience_seconds
        if now + delay > give_up_at:
            raise failure
        time.sleep(delay)
        delay = min(2 * delay, _LONGEST_DELAY_SECONDS)
        position.resume(client, run)


class _Position:
    """How far a stream was read."""

    def __init__(self, offset: int) -> None:
        self.offset = offset
        self.build_offset = 0
        self._attempt: Optional[int] = None
        self._states: Set[Tuple[Any, Any]] = set()

    def is_news(self, line: Dict[str, Any]) -> bool:
        kind = line["type"]
        if kind == "log" and line["name"] == BUILD_LOG:
            self.build_offset = line["offset"]
            return True
        if kind == "log":
            self.offset, self._attempt = line["offset"], line.get("attempt")
            return True
        if kind == "status":
            state = (line["status"], line["at"])
            fresh = state not in self._states
            self._states.add(state)
            return fresh
        return bool(kind == "end")

    def resume(self, client: Client, run: str) -> None:
        """A new attempt writes its log from the start."""
        if self._attempt is None:
            return
        try:
            if client.get_run(run)["attempt"] != self._attempt:
                self.offset, self._attempt = 0, None
        except RoostError as error:
            if error.code != "unavailable":
                raise
