"""Endpoints by the server's own address: it passes on what comes, and the front decides."""
import http.client
import socket
from typing import Any, Iterator
from urllib.parse import urlsplit

import pytest

from front_fixture import FakeReplica, Front, deployment, endpoint, exchange, sha256
from roost_fixture import RoostServer


class FrontOfServer(Front):
    """A front on the data folder of a server."""

    def __init__(self, server: RoostServer) -> None:
        self.folder = server.folder
        self.data = server.data
        self.serving = self.data / "serving"
        self.serving.mkdir(exist_ok=True)
        self.log = server.folder / "front.log"
        self.generation = 100
        self.process = None


@pytest.fixture
def front(server: RoostServer) -> Iterator[Front]:
    made = FrontOfServer(server)
    made.write()
    yield made.start()
    made.close()


def connection(server: RoostServer) -> http.client.HTTPConnection:
    return http.client.HTTPConnection("127.0.0.1", urlsplit(server.info["url"]).port, timeout=60)


def test_without_a_front(server: RoostServer) -> None:
    reply = exchange(connection(server), "POST", "/endpoints/birds/score", b"{}", last=True)
    assert reply.status == 503 and "deploy" in reply.json["message"] and reply.headers["retry-after"]


def test_requests_go_on_to_the_front(server: RoostServer, front: Front) -> None:
    one = FakeReplica("one", lambda got: (200, {"X-Own": "1", "Set-Cookie": "a=b", "Content-Type": "text/html"}, got.body))
    front.set(endpoint("birds", deployment("blue", one), auth="key", keys=[sha256("k")]))
    kept = connection(server)
    assert exchange(kept, "POST", "/endpoints/birds/score", b"{}").status == 401
    for body in (b"", b"small", bytes(5_000_000)):
        reply = exchange(kept, "POST", "/endpoints/birds/v2/a%2Fb?x=1", body, {"Authorization": "Bearer k", "x-request-id": "mine"})
        assert (reply.status, reply.body) == (200, body)
        assert one.got[-1].path == "/v2/a%2Fb?x=1"
    assert reply.headers["x-request-id"] == "mine" and reply.headers["x-own"] == "1"
    assert reply.headers["x-roost-deployment"] == "blue"
    # Pages of this address are the studio's.
    assert "set-cookie" not in reply.headers and reply.headers["content-security-policy"] == "sandbox"
    chunks = exchange_chunks(kept, "/endpoints/birds/score", [b"ab", b"cd"])
    assert chunks == b"abcd"
    assert exchange(kept, "GET", "/endpoints/fish/score").status == 404
    kept.close()
    one.close()


def exchange_chunks(kept: http.client.HTTPConnection, path: str, pieces: Any) -> bytes:
    kept.request("POST", path, iter(pieces), {"Authorization": "Bearer k", "Transfer-Encoding": "chunked"}, encode_chunked=True)
    return kept.getresponse().read()


def test_a_large_body_is_declined_by_its_head(server: RoostServer, front: Front) -> None:
    front.set(endpoint("birds", deployment("blue"), auth="key", keys=[sha256("k")]))
    with socket.create_connection(("127.0.0.1", urlsplit(server.info["url"]).port), timeout=20) as raw:
        raw.sendall(b"POST /endpoints/birds/score HTTP/1.1\r\nHost: x\r\nContent-Length: 100000000\r\n\r\n" + bytes(100_000))
        assert raw.recv(100).startswith(b"HTTP/1.1 401")
