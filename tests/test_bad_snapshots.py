"""Manifests and blobs that lie, and uploads that are cut off."""
import os
import pytest

from bad_requests import refused
from http_api import FRAMES, frame
from processes import wait_until
from raw_http import connect
from roost_fixture import RoostServer, manifest_entry, manifest_line, sha256

BYTES = "application/octet-stream"
STORED = b"stored bytes"
GOOD = manifest_line("good.py", STORED)
DIGEST = sha256(STORED)


@pytest.fixture(scope="module")
def server(shared_server: RoostServer) -> RoostServer:
    shared_server.expect(201, "PUT", f"/blobs/{DIGEST}", data=STORED, content_type=BYTES)
    return shared_server


def file(path: str, size: object = len(STORED), digest: object = DIGEST, mode: object = "100644") -> bytes:
    return manifest_entry(path, mode, size, digest)


@pytest.mark.parametrize("manifest, line", [
    (file("/etc/passwd"), 1),
    (file("../x"), 1),
    (file("a/../../x"), 1),
    (file("a/.."), 1),
    (file("./x"), 1),
    (file("a//b"), 1),
    (file(""), 1),
    (file("a/"), 1),
    (file("a\0b"), 1),
    (file("b") + file("a"), 2),
    (file("a") + file("a"), 2),
    (file("a") + file("a/b"), 2),
    (manifest_entry("a", "120000", "b") + file("a/b"), 2),
    (file("x", size=-1), 1),
    (file("x", size=1.5), 1),
    (file("x", size="12"), 1),
    (file("x", size=2**70), 1),
    (file("x", digest="abc"), 1),
    (file("x", digest=DIGEST.upper()), 1),
    (file("x", digest=None), 1),
    (file("x", mode="100600"), 1),
    (file("x", mode=100644), 1),
    (manifest_entry("x"), 1),
    (manifest_entry("x", "100644", 1, DIGEST, "more"), 1),
    (manifest_entry("x", "120000", "/etc/passwd"), 1),
    (manifest_entry("x", "120000", "../outside"), 1),
    (manifest_entry("a/x", "120000", "../../outside"), 1),
    (manifest_entry("x", "120000", ""), 1),
    (manifest_entry("x", "120000", "a\0b"), 1),
    (manifest_entry("x", "040000"), 1),
    (b'["a/b\xff","100644",1,"' + DIGEST.encode() + b'"]\n', 1),
    (GOOD + b"not json\n", 2),
    (GOOD + b"\n", 2),
    (GOOD + b"{}\n", 2),
    (GOOD[:-1], 1),
    (GOOD[:20], 1),
    (GOOD.replace(b",", b", "), 1),
    (b"\0" * 100, 1),
    (b"[" * 100_000, 1),
])
def test_bad_manifest(server: RoostServer, manifest: bytes, line: int) -> None:
    answer = server.api("POST", "/snapshots", data=manifest, content_type="text/plain")
    refused(answer, 400, "invalid_argument", f"line {line}")
    assert server.api("GET", f"/snapshots/{sha256(manifest)}").status == 404


@pytest.mark.parametrize("size", [0, 11, 13, 2**40])
def test_manifest_with_the_wrong_size(server: RoostServer, size: int) -> None:
    manifest = file("x", size=size)
    answer = server.api("POST", "/snapshots", data=manifest, content_type="text/plain")
    refused(answer, (400, 422), ("invalid_argument", "data_mismatch"), "x", str(size))
    assert server.api("GET", f"/snapshots/{sha256(manifest)}").status == 404


def test_manifest_of_blobs_that_never_came_is_not_stored(server: RoostServer) -> None:
    manifest = manifest_line("a.py", b"never sent") + GOOD
    for _ in range(2):
        assert server.post_manifest(manifest) == {
            "digest": sha256(manifest), "created": False, "missing": [sha256(b"never sent")]}
    assert server.api("GET", f"/snapshots/{sha256(manifest)}").status == 404
    spec = {"experiment": "e", "script": "a.py", "snapshot": sha256(manifest)}
    refused(server.api("POST", "/workspaces/default/runs", json=spec), 409, "failed_precondition", sha256(manifest))


def test_blob_with_the_wrong_digest(server: RoostServer) -> None:
    digest = sha256(b"right")
    answer = server.api("PUT", f"/blobs/{digest}", data=b"wrong", content_type=BYTES)
    refused(answer, 422, "data_mismatch", digest[:12])
    assert server.post("/blobs/missing", json={"digests": [digest]})["missing"] == [digest]
    assert server.get(f"/blobs/{digest}/upload")["received"] == 0
    server.expect(201, "PUT", f"/blobs/{digest}", data=b"right", content_type=BYTES)
    assert server.get(f"/blobs/{digest}") == b"right"


@pytest.mark.parametrize("body, status", [
    (frame(b"wrong", digest=sha256(b"right one")), 422),
    (frame(b"x"), 400),
    (frame(b"x", digest="../../x"), 400),
    (frame(b"x", digest=5), 400),
    (b'{"digest": "%s", "length": -1}\nx' % DIGEST.encode(), 400),
    (b'{"digest": "%s", "length": 99999999999999999999}\nx' % DIGEST.encode(), 400),
    (b'{"digest": "%s", "length": 1e400}\nx' % DIGEST.encode(), 400),
    (b'{"digest": "%s", "length": "1"}\nx' % DIGEST.encode(), 400),
    (b'{"digest": "%s"}\nx' % DIGEST.encode(), 400),
    (frame(b"cut off", digest=sha256(b"cut off"))[:-3], 400),
    (frame(b"cut off", digest=sha256(b"cut off"))[:20], 400),
    (b"no header\n", 400),
    (b"x" * 100_000, 400),
])
def test_bad_frames(server: RoostServer, body: bytes, status: int) -> None:
    first = os.urandom(20)
    answer = server.api("POST", "/blobs", data=frame(first, digest=sha256(first)) + body, content_type=FRAMES)
    refused(answer, (status, 413) if status == 400 else status, ("invalid_argument", "data_mismatch", "too_large"))
    for content in (b"right one", b"cut off"):
        assert server.api("GET", f"/blobs/{sha256(content)}").status == 404
    answer = server.api("GET", f"/blobs/{sha256(first)}")  # whole or not at all
    assert answer.status == 404 or answer.body == first


@pytest.mark.parametrize("path", ["/blobs/xyz", "/blobs/" + "A" * 64, "/blobs/" + "0" * 63, "/blobs/..%2f..%2fx"])
def test_blob_under_no_digest(server: RoostServer, path: str) -> None:
    refused(server.api("PUT", path, data=b"x", content_type=BYTES), 400, "invalid_argument", "hex")


@pytest.mark.parametrize("offset", ["-1", "x", str(2**70), "1000"])
def test_upload_from_a_wrong_offset(server: RoostServer, offset: str) -> None:
    digest = sha256(b"offset")
    answer = server.api("PUT", f"/blobs/{digest}?offset={offset}", data=b"offset", content_type=BYTES)
    refused(answer, (400, 409), ("invalid_argument", "failed_precondition"), offset)
    assert server.api("GET", f"/blobs/{digest}").status == 404


def test_upload_cut_off_in_the_middle_is_resumed(server: RoostServer) -> None:
    content = os.urandom(3 << 20)
    digest, sent = sha256(content), 2 << 20
    with connect(server) as connection:
        connection.sendall(f"PUT /api/v1/blobs/{digest} HTTP/1.1\r\nHost: x\r\nContent-Type: {BYTES}\r\n"
                           f"Authorization: Bearer {server.api_client.token}\r\n"
                           f"Content-Length: {len(content)}\r\n\r\n".encode() + content[:sent])

        def received() -> int:
            return server.get(f"/blobs/{digest}/upload")["received"]

        wait_until(lambda: received() > 0, 10, "the first bytes have been received")
        assert server.post("/blobs/missing", json={"digests": [digest]})["missing"] == [digest]
        assert server.api("GET", f"/blobs/{digest}").status == 404
    assert 0 < received() <= sent

    def resumed() -> bool:  # the server may not have noticed yet that the first connection is gone
        offset = received()
        answer = server.api("PUT", f"/blobs/{digest}?offset={offset}", data=content[offset:], content_type=BYTES)
        return answer.status == 201

    wait_until(resumed, 10, "the rest is taken", interval=0.1)
    assert server.get(f"/blobs/{digest}") == content
    assert server.post("/blobs/missing", json={"digests": [digest]})["missing"] == []


def test_resumed_with_other_bytes_is_refused_and_forgotten(server: RoostServer) -> None:
    content = os.urandom(1 << 20)
    digest = sha256(content)
    with connect(server) as connection:
        connection.sendall(f"PUT /api/v1/blobs/{digest} HTTP/1.1\r\nHost: x\r\nContent-Type: {BYTES}\r\n"
                           f"Authorization: Bearer {server.api_client.token}\r\n"
                           f"Content-Length: {len(content)}\r\n\r\n".encode() + content[:1000])
        wait_until(lambda: server.get(f"/blobs/{digest}/upload")["received"] == 1000, 10, "the first bytes came")
    wrong = bytes(len(content) - 1000)

    def mismatch() -> bool:
        return server.api("PUT", f"/blobs/{digest}?offset=1000", data=wrong, content_type=BYTES).status == 422

    wait_until(mismatch, 10, "the wrong rest is refused", interval=0.1)
    assert server.get(f"/blobs/{digest}/upload")["received"] == 0
    assert server.api("GET", f"/blobs/{digest}").status == 404


@pytest.mark.parametrize("header, status", [
    ("bytes=0-3", 206), ("bytes=-4", 206), ("bytes=100-", (400, 416)), ("bytes=5-2", (200, 400, 416)),
    ("bytes=x", (200, 400, 416)),
    ("bytes=0-99999999999999999999", (200, 206, 400, 416)), ("lines=1-2", (200, 400, 416)),
])
def test_ranges_of_a_blob(server: RoostServer, header: str, status: object) -> None:
    answer = server.api("GET", f"/blobs/{DIGEST}", headers={"Range": header})
    assert answer.status in (status if isinstance(status, tuple) else (status,)), answer.body
    if answer.status == 206:
        first, last = answer.headers["content-range"].split()[1].split("/")[0].split("-")
        assert answer.body == STORED[int(first):int(last) + 1]
    elif answer.status == 200:
        assert answer.body == STORED


def test_artifact_cut_off_in_the_middle_leaves_nothing(server: RoostServer) -> None:
    run = server.run(command="true")["id"]
    waiting = server.data / "blobs" / "temporary"
    with connect(server) as connection:
        connection.sendall(f"PUT /api/v1/runs/{run}/artifacts/outputs/half HTTP/1.1\r\nHost: x\r\n"
                           f"Content-Type: {BYTES}\r\nAuthorization: Bearer {server.api_client.token}\r\n"
                           f"Content-Length: 2000000\r\n\r\n".encode() + bytes(1_000_000))
        wait_until(lambda: any(waiting.iterdir()), 10, "the upload has begun")
    wait_until(lambda: not any(waiting.iterdir()), 10, "what came of it is gone")
    assert server.artifacts(run) == {}
    server.expect(201, "PUT", f"/runs/{run}/artifacts/outputs/half", data=b"whole", content_type=BYTES)
    assert server.artifact(run, "outputs/half") == b"whole"
