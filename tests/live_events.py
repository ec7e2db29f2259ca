"""Hears a server's live stream as a browser does."""
import json
import time
import urllib.parse
from typing import Any, Callable, Dict, List, Tuple

from roost_fixture import RoostServer

Event = Tuple[str, Dict[str, Any]]


class LiveEvents:
    """`with LiveEvents(server, "runs/default") as live: live.until(...)`; leaving hangs up."""

    def __init__(self, server: RoostServer, *topics: str, headers: Any = None) -> None:
        self.server, self.topics, self.headers = server, topics, headers
        self.seen: List[Event] = []

    def __enter__(self) -> "LiveEvents":
        api = self.server.api_client
        self.connection = api.connect(60)
        query = urllib.parse.urlencode([("topic", topic) for topic in self.topics])
        self.connection.request("GET", "/api/v1/live?" + query, headers=self.headers or api.headers())
        self.answer = self.connection.getresponse()
        assert self.answer.status == 200, (self.answer.status, self.answer.read())
        assert self.answer.headers.get_content_type() == "text/event-stream"
        return self

    def __exit__(self, *_: Any) -> None:
        self.connection.close()

    def next(self) -> Event:
        """The next event; fails if the stream ends."""
        kind = ""
        deadline = time.monotonic() + 30
        while True:
            assert time.monotonic() < deadline, f"nothing came for 30 s; before: {self.seen[-3:]}"
            line = self.answer.readline().decode()
            assert line, "the stream ended"
            if line.startswith("event: "):
                kind = line[7:].strip()
            elif line.startswith("data: "):
                event = (kind, json.loads(line[6:]))
                assert event[1]["topic"] in self.topics, event
                self.seen.append(event)
                return event

    def until(self, wanted: Callable[[str, Dict[str, Any]], Any]) -> Dict[str, Any]:
        while True:
            kind, data = self.next()
            if wanted(kind, data):
                return data

    def ended(self) -> bool:
        """Whether the server hangs up, whatever it sends before."""
        while self.answer.readline():
            pass
        return True
