"""The client against a server that misbehaves."""

import io
import json
import os
import threading

import pytest
from fake_api import FakeApi, in_turn, refusal

from roost import Client, RoostError


@pytest.fixture
def client(api):
    return Client(api.url, "t", patience_seconds=10)


def test_verbs_and_queries(api, client):
    for method in ("GET", "POST", "PUT", "PATCH", "DELETE"):
        api.routes[f"{method} /api/v1/x"] = {"by": method}
    assert client.get("/api/v1/x", a=None, b=[1, "two words"], c=True, d="ü&") == {"by": "GET"}
    assert client.post("/api/v1/x", {"k": 1}, q=False) == {"by": "POST"}
    assert client.put("/api/v1/x") == {"by": "PUT"}
    assert client.patch("/api/v1/x", [1]) == {"by": "PATCH"}
    assert client.delete("/api/v1/x") == {"by": "DELETE"}
    get, post, put, patch, delete = api.asked
    assert get.query == {"b": ["1", "two words"], "c": ["true"], "d": ["ü&"]} and get.body == b""
    assert post.json == {"k": 1} and post.query == {"q": ["false"]}
    assert post.headers["Content-Type"] == "application/json"
    assert get.headers["Authorization"] == "Bearer t"
    assert put.json == {} and patch.json == [1] and delete.body == b""


def test_pages(api, client):
    api.routes["GET /api/v1/xs"] = in_turn(
        {"items": [1, 2], "next_cursor": "c"}, {"items": [3], "next_cursor": None}
    )
    assert list(client.pages("/api/v1/xs", limit=2)) == [1, 2, 3]
    assert [asked.query for asked in api.asked] == [
        {"limit": ["2"]},
        {"limit": ["2"], "cursor": ["c"]},
    ]


def test_connections_are_kept(api, client):
    api.routes["GET /api/v1/x"] = 1
    for _ in range(5):
        client.get("/api/v1/x")
    assert api.connections == 1
    threads = [threading.Thread(target=client.get, args=("/api/v1/x",)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(api.asked) == 9 and api.connections <= 5


def test_a_post_survives_a_connection_the_server_has_closed(api, client):
    api.routes["POST /api/v1/workspaces/w/runs"] = {"id": "r"}
    assert client.post("/api/v1/workspaces/w/runs") == {"id": "r"}
    api.hang_up()
    assert client.post("/api/v1/workspaces/w/runs") == {"id": "r"}
    assert len(api.asked) == 2


def test_a_post_is_not_sent_twice(api, client):
    api.routes["POST /api/v1/workspaces/w/runs"] = in_turn(None, {"id": "r"})
    with pytest.raises(RoostError) as caught:
        client.post("/api/v1/workspaces/w/runs")
    assert caught.value.code == "unavailable" and len(api.asked) == 1


def test_what_may_be_repeated_is(api, client):
    api.routes["POST /api/v1/runs/r/records"] = in_turn(None, (503, b""), {"length": 3})
    assert client.send("POST", "/api/v1/runs/r/records", b"abc", "text/plain", offset=0)
    assert [asked.body for asked in api.asked] == [b"abc"] * 3


def test_a_server_that_was_never_there_is_given_up_soon():
    gone = FakeApi()
    gone.stop()
    client = Client(gone.url, "t", patience_seconds=1000, first_patience_seconds=0.2)
    with pytest.raises(RoostError, match="roost up") as caught:
        client.get("/api/v1/x")
    assert caught.value.code == "unavailable" and gone.url in caught.value.message


def test_a_server_that_comes_back_elsewhere_is_found(api, tmp_path):
    file = tmp_path / "server.json"
    gone = FakeApi()
    file.write_text(json.dumps({"url": gone.url}))
    gone.stop()
    client = Client(gone.url, "t", patience_seconds=10, server_file=str(file))
    api.routes["GET /api/v1/x"] = 1
    threading.Timer(0.2, lambda: file.write_text(json.dumps({"url": api.url}))).start()
    assert client.get("/api/v1/x") == 1 and client.url == api.url


def test_fetch_goes_on_where_it_broke(api, client):
    content = os.urandom(300_000)

    def ranged(asked):
        start = int(asked.headers["Range"].split("=")[1].rstrip("-"))
        return 206, content[start:]

    api.routes["GET /api/v1/blobs/b"] = in_turn(_Short(content), ranged)
    out, seen = io.BytesIO(), []
    assert client.fetch("/api/v1/blobs/b", out, seen.append) == len(content)
    assert out.getvalue() == content and sum(seen) == len(content)
    assert len(api.asked) == 2


def test_fetch_of_what_has_no_ranges_skips_what_it_has(api, client):
    content = os.urandom(200_000)
    api.routes["GET /api/v1/logs"] = in_turn(_Short(content), lambda _: content)
    out = io.BytesIO()
    assert client.fetch("/api/v1/logs", out) == len(content) and out.getvalue() == content


def test_fetch_to_a_full_disk(api, client):
    class Full(io.BytesIO):
        def write(self, piece):
            raise OSError(28, "No space left on device")

    api.routes["GET /api/v1/blobs/b"] = b"bytes"
    with pytest.raises(OSError, match="No space left"):
        client.fetch("/api/v1/blobs/b", Full())
    assert len(api.asked) == 1


def test_fetch_refused(api, client):
    api.routes["GET /api/v1/blobs/b"] = refusal(403, "permission_denied", "not yours")
    with pytest.raises(RoostError, match="not yours"):
        client.fetch("/api/v1/blobs/b", io.BytesIO())


def test_lines(api, client):
    api.routes["GET /api/v1/s"] = b'{"a":1}\n{"a":2}\n'
    assert list(client.lines("/api/v1/s", offset=4)) == [{"a": 1}, {"a": 2}]
    assert api.asked[0].query == {"offset": ["4"]}
    with pytest.raises(RoostError) as caught:
        list(client.lines("/api/v1/nothing"))
    assert caught.value.code == "not_found"


def test_wrong_addresses():
    for url in ("", "localhost:80", "ftp://x", "http://"):
        with pytest.raises(RoostError) as caught:
            Client(url, "t")
        assert caught.value.code == "invalid_argument"


def test_a_forked_child_uses_connections_of_its_own(api, client):
    api.routes["GET /api/v1/x"] = 1
    client.get("/api/v1/x")
    pid = os.fork()
    if pid == 0:
        try:
            os._exit(0 if client.get("/api/v1/x") == 1 else 1)
        finally:
            os._exit(2)
    assert os.waitpid(pid, 0)[1] == 0
    client.get("/api/v1/x")
    assert api.connections == 2


class _Short(bytes):
    """Promises all of its bytes, sends half and hangs up."""

    def __call__(self, asked):
        return _Half(self)


class _Half(bytes):
    pass


@pytest.fixture(autouse=True)
def half_answers(monkeypatch):
    import fake_api

    plain = fake_api._Handler.answer

    def answer(self, status, content):
        if not isinstance(content, _Half):
            return plain(self, status, content)
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content[: len(content) // 2])
        self.close_connection = True
        return None

    monkeypatch.setattr(fake_api._Handler, "answer", answer)
