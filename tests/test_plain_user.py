"""What a server and its nodes do as a user who is not root."""
import json
import os
from typing import Iterator

import pytest

from cutting_proxy import CuttingProxy
from plain_user import PlainServer
from processes import wait_until
from raw_http import connect
from roost_fixture import sha256

pytestmark = pytest.mark.both

BYTES = "application/octet-stream"


@pytest.fixture
def plain_server() -> Iterator[PlainServer]:
    server = PlainServer()
    yield server.start()  # type: ignore[misc]
    server.close()


def test_a_large_upload_that_broke_off_is_resumed(plain_server: PlainServer) -> None:
    content = os.urandom(3 << 20)
    digest = sha256(content)
    with connect(plain_server) as connection:
        connection.sendall(f"PUT /api/v1/blobs/{digest} HTTP/1.1\r\nHost: x\r\nContent-Type: {BYTES}\r\n"
                           f"Authorization: Bearer {plain_server.api_client.token}\r\n"
                           f"Content-Length: {len(content)}\r\n\r\n".encode() + content[:1 << 20])
        wait_until(lambda: received(plain_server, digest) == 1 << 20, 10, "the first megabyte came")
    wait_until(lambda: not plain_server.get(f"/blobs/{digest}/upload")["active"], 10, "the server saw it break off")
    answer = plain_server.api("PUT", f"/blobs/{digest}?offset={1 << 20}", data=content[1 << 20:], content_type=BYTES)
    assert answer.status == 201, answer.body
    assert plain_server.get(f"/blobs/{digest}") == content


def received(server: PlainServer, digest: str) -> int:
    return server.get(f"/blobs/{digest}/upload", check=False)["received"]


def test_a_node_goes_on_after_a_large_input_came_cut_off(plain_server: PlainServer) -> None:
    info = plain_server.info
    proxy = CuttingProxy(int(info["url"].rsplit(":", 1)[1]), after=1 << 20)
    place = plain_server.data / "server.json"
    before = place.read_text(encoding="utf-8")
    info["url"] = f"http://127.0.0.1:{proxy.port}"
    place.write_text(json.dumps(info), encoding="utf-8")
    weights = os.urandom(4 << 20)
    run = plain_server.run("import hashlib; print(hashlib.sha256(open('weights', 'rb').read()).hexdigest())",
                           files={"weights": weights})
    proxy.close()
    place.write_text(before, encoding="utf-8")  # another may get the port of the proxy
    assert run["status"] == "Completed", run["error"]
    assert plain_server.log(run).decode().strip() == sha256(weights)
    assert proxy.cuts > 0
