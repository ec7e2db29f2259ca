import json

import pytest
from fake_api import in_turn, refusal, run_facts

from roost import Client, RoostError
from roost.streaming import follow

ROUTE = "GET /api/v1/runs/r/follow"


def lines(*documents):
    return b"".join(json.dumps(document).encode() + b"\n" for document in documents)


def status(name, at):
    return {"type": "status", "status": name, "at": at, "reason": ""}


def log(text, offset, attempt=1):
    return {"type": "log", "name": "log", "offset": offset, "text": text, "attempt": attempt}


@pytest.fixture
def client(api):
    return Client(api.url, "t", patience_seconds=5)


def test_a_lost_stream_is_taken_up(api, client):
    api.routes["GET /api/v1/runs/r"] = run_facts(attempt=1)
    api.routes[ROUTE] = in_turn(
        lines(status("Queued", 1), status("Running", 2), log("one\n", 4), {"type": "ping"}),
        None,
        lines(
            status("Queued", 1),
            status("Running", 2),
            log("two\n", 8),
            status("Completed", 3),
            {"type": "end", "run": {}},
        ),
    )
    seen = list(follow(client, "r"))
    assert [line.get("text") or line.get("status") for line in seen] == [
        "Queued", "Running", "one\n", "two\n", "Completed", None,
    ]  # fmt: skip
    assert [asked.query["offset"] for asked in api.calls(ROUTE)] == [["0"], ["4"], ["4"]]


def test_a_new_attempt_begins_its_log_again(api, client):
    api.routes["GET /api/v1/runs/r"] = run_facts(attempt=2)
    api.routes[ROUTE] = in_turn(
        lines(log("lost\n", 5)), lines(log("again\n", 6, attempt=2), {"type": "end", "run": {}})
    )
    assert [line.get("text") for line in follow(client, "r")] == ["lost\n", "again\n", None]
    assert api.calls(ROUTE)[1].query["offset"] == ["0"]


def test_refusals_and_patience(api, client):
    api.routes[ROUTE] = refusal(404, "not_found", "no such run")
    with pytest.raises(RoostError, match="no such run"):
        list(follow(client, "r"))
    api.routes[ROUTE] = b""
    with pytest.raises(RoostError, match="closed the stream"):
        list(follow(client, "r", patience_seconds=0.3))
