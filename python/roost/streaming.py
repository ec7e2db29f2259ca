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
    ranks: str = "",
) -> Iterator[Dict[str, Any]]:
    """The lines of follow_run without pings, up to and with the one of type "end". What the build
    of its environment prints comes before what the run prints. With `ranks` ("all" or "0,3") it is
    the output of these in place of `log`. A lost connection is taken up where it broke: nothing
    comes twice, nothing is left out."""
    position = _RankPosition(ranks) if ranks else _Position(log, offset)
    give_up_at: Optional[float] = None
    delay = _FIRST_DELAY_SECONDS
    while True:
        try:
            path = f"/api/v1/runs/{quote(run)}/follow"
            for line in client.lines(path, **position.query()):
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

    def __init__(self, log: str = "", offset: int = 0) -> None:
        self._log = log
        self._offset = offset
        self.build_offset = 0
        self._attempt: Optional[int] = None
        self._states: Set[Tuple[Any, Any]] = set()

    def query(self) -> Dict[str, Any]:
        return {"log": self._log, "offset": self._offset, "build_offset": self.build_offset}

    def start_again(self) -> None:
        self._offset = 0

    def note(self, line: Dict[str, Any]) -> None:
        self._offset = line["offset"]

    def is_news(self, line: Dict[str, Any]) -> bool:
        kind = line["type"]
        if kind == "log" and line["name"] == BUILD_LOG:
            self.build_offset = line["offset"]
            return True
        if kind == "log":
            if self._attempt not in (None, line.get("attempt")):
                self.start_again()
            self.note(line)
            self._attempt = line.get("attempt")
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
                self.start_again()
                self._attempt = None
        except RoostError as error:
            if error.code != "unavailable":
                raise


class _RankPosition(_Position):
    """How far the logs of several ranks were read."""

    def __init__(self, ranks: str) -> None:
        super().__init__()
        self._ranks = ranks
        self._offsets: Dict[int, int] = {}

    def query(self) -> Dict[str, Any]:
        last = max(self._offsets, default=-1)
        order = range(last + 1) if self._ranks == "all" else map(int, self._ranks.split(","))
        offsets = ",".join(str(self._offsets.get(rank, 0)) for rank in order)
        found: Dict[str, Any] = {"ranks": self._ranks, "build_offset": self.build_offset}
        return {**found, "offsets": offsets} if self._offsets else found

    def start_again(self) -> None:
        self._offsets.clear()

    def note(self, line: Dict[str, Any]) -> None:
        self._offsets[line["rank"]] = line["offset"]
