"""How much of the server one caller can take from the others: memory, threads, connections."""
import contextlib
import hashlib
import http.client
import json
import signal
import socket
import threading
from pathlib import Path
from typing import Iterator, List

import pytest

import raw_http
from conftest import Gate, MakeServer
from live_events import LiveEvents
from processes import allowed_mb, kill, wait_until
from roost_fixture import RoostServer


@pytest.mark.parametrize("line", ["POST /api/v1/snapshots", "PUT /api/v1/blobs/" + "0" * 64, "POST /api/v1/attempts/r/1/finished"])
@pytest.mark.parametrize("token", ["", "Authorization: Bearer roost_wrong\r\n"])
def test_who_may_not_is_told_before_the_body(shared_server: RoostServer, line: str, token: str) -> None:
    with raw_http.connect(shared_server, timeout=10) as connection:
        connection.sendall(f"{line} HTTP/1.1\r\nHost: x\r\n{token}Content-Length: 200000000\r\n\r\nbegin".encode())
        answer = raw_http.read_answer(connection)
        assert answer is not None and answer.status == 401


def begun_uploads(server: RoostServer, count: int) -> List[socket.socket]:
    """Uploads of which only the first byte ever comes."""
    connections = []
    for number in range(count):
        digest = hashlib.sha256(b"silent %d" % number).hexdigest()
        connection = raw_http.connect(server)
        connection.sendall(f"PUT /api/v1/blobs/{digest} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "
                           f"{server.api_client.token}\r\nContent-Length: 1000\r\n\r\nx".encode())
        connections.append(connection)
    return connections


def test_silent_uploads_do_not_stop_others(server: RoostServer) -> None:
    connections = begun_uploads(server, 40)
    content = b"loud"
    server.api_client.timeout = 20  # well below the minute after which silent ones are given up
    answer = server.expect(201, "PUT", f"/blobs/{hashlib.sha256(content).hexdigest()}", data=content,
                           content_type="application/octet-stream")
    assert answer["size"] == 4
    for connection in connections:
        connection.close()


def test_one_caller_has_its_share_of_uploads_and_requests(make_server: MakeServer) -> None:
    server = make_server({"caller_requests": 6, "caller_uploads": 3})
    connections = begun_uploads(server, 3)
    content = b"loud"
    path = f"/blobs/{hashlib.sha256(content).hexdigest()}"

    def put(token: str) -> int:
        answer = server.api("PUT", path, data=content, content_type="application/octet-stream", token=token)
        assert answer.status != 503 or answer.headers["retry-after"] == "1"
        return answer.status

    wait_until(lambda: put(server.api_client.token) == 503, 10, "the owner has as many uploads as it may")
    for connection in connections:
        connection.close()
    wait_until(lambda: put(server.api_client.token) == 201, 10, "what ended makes room")
    other = server.new_token("contributor")["token"]
    with contextlib.ExitStack() as streams:
        for _ in range(6):
            streams.enter_context(LiveEvents(server, "runs/default"))
        refused = server.api("GET", "/server")
        assert refused.status == 503 and "under way" in refused.message
        assert server.api("GET", "/server", token=other).status == 200, "others are not concerned"
    wait_until(lambda: server.api("GET", "/server").status == 200, 10, "the streams have gone")


def test_one_address_has_its_share_of_connections(make_server: MakeServer) -> None:
    server = make_server({"address_connections": 5})
    source, most = "127.0.0.2", 20  # loopback has four times as many
    request = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
    with contextlib.ExitStack() as stack:
        held = [stack.enter_context(raw_http.connect(server, source=source)) for _ in range(most)]
        for connection in held:
            connection.sendall(request)
            answer = raw_http.read_answer(connection)
            assert answer is not None and answer.status == 200
        for _ in range(30):
            with raw_http.connect(server, source=source) as one_more:
                refused = raw_http.read_answer(one_more)
                assert refused is not None and refused.status == 503 and refused.headers["retry-after"] == "1"
                assert "from 127.0.0.2" in refused.message and "address_connections" in refused.message
                assert one_more.recv(1) == b"", "it is closed"
        for connection in held:
            connection.sendall(request)
            answer = raw_http.read_answer(connection)
            assert answer is not None and answer.status == 200, "those that are there are not concerned"
        with raw_http.connect(server, source="127.0.0.3") as other:
            other.sendall(request)
            answer = raw_http.read_answer(other)
            assert answer is not None and answer.status == 200, "nor are others"
        assert server.run("print('and runs')")["status"] == "Completed"
    assert server.output.count("127.0.0.2 was refused") == 1, "30 refusals are one line"

    def is_back() -> bool:
        with raw_http.connect(server, source=source) as again:
            again.sendall(request)
            answer = raw_http.read_answer(again)
            return answer is not None and answer.status == 200
    wait_until(is_back, 10, "what was closed makes room")


def test_who_is_over_a_limit_does_not_fill_the_log(make_server: MakeServer) -> None:
    server = make_server({"caller_requests": 2})
    token = server.new_token("reader")["token"]
    with contextlib.ExitStack() as streams:
        for _ in range(2):
            streams.enter_context(LiveEvents(server, "runs/default", headers={"Authorization": f"Bearer {token}"}))
        for _ in range(50):
            assert server.api("GET", "/server", token=token).status == 503
    lines = [line for line in server.output.splitlines() if "503" in line or "was refused" in line]
    assert len(lines) == 1 and "a token from 127.0.0.1 was refused: request " in lines[0], lines
    assert "get_server" in lines[0] and token not in server.output


@pytest.fixture
def silent_run(server: RoostServer, gate: Gate) -> Iterator[str]:
    """A run whose runner answers nothing."""
    run = server.submit(gate.wait_code)
    server.wait(run, "Running")
    (node,) = [node for node in server.nodes("local") if node["run"] == run["id"]]
    kill(node["pid"], signal.SIGSTOP)
    yield run["id"]
    kill(node["pid"], signal.SIGCONT)
    gate.open()
    server.wait(run)


def test_stacks_of_a_silent_node_hold_up_nobody(server: RoostServer, silent_run: str) -> None:
    begun = threading.Barrier(41)
    answers: List[int] = []

    def ask() -> None:
        connection = server.api_client.connect(60)
        connection.request("POST", f"/api/v1/runs/{silent_run}/stacks", headers=server.api_client.headers())
        begun.wait()
        answer = connection.getresponse()
        body = json.loads(answer.read())
        answers.append(answer.status)
        assert body["missing_nodes"] and body["items"] == []
        connection.close()

    threads = [threading.Thread(target=ask) for _ in range(40)]
    for thread in threads:
        thread.start()
    begun.wait()
    for _ in range(20):
        assert server.api("GET", "/server").status == 200
    assert answers == [], "the others waited for the silent node"
    for thread in threads:
        thread.join()
    assert answers == [200] * 40


def resident_peak(pid: int) -> int:
    """In KiB, since the last forget_peak()."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith("VmHWM:")))


def forget_peak(pid: int) -> int:
    Path(f"/proc/{pid}/clear_refs").write_text("5")
    return resident_peak(pid)


def read_all(server: RoostServer, path: str) -> bytes:
    connection: http.client.HTTPConnection = server.api_client.connect(120)
    connection.request("GET", path, headers=server.api_client.headers())
    answer = connection.getresponse()
    assert answer.status == 200
    body = answer.read()
    connection.close()
    return body


def test_a_long_metric_is_answered_piece_by_piece(server: RoostServer) -> None:
    run = server.expect(201, "POST", "/workspaces/default/runs", json={"experiment": "e", "interactive": True})
    count, offset = 200_000, 0
    lines = [json.dumps(["scalar", "loss", i * 0.5, i, 1_700_000_000 + i]) for i in range(count)]
    for first in range(0, count, 50_000):
        piece = ("\n".join(lines[first:first + 50_000]) + "\n").encode()
        server.expect(200, "POST", f"/runs/{run['id']}/records?stream=s&offset={offset}", data=piece,
                      content_type="text/plain")
        offset += len(piece)
    path = f"/api/v1/runs/{run['id']}/metrics/loss?limit=1000000"
    before = forget_peak(server.pid)
    answer = json.loads(read_all(server, path))
    grown = resident_peak(server.pid) - before
    assert [p["index"] for p in answer["points"]] == list(range(count)) and answer["count"] == count
    assert answer["points"][7]["value"] == 3.5 and answer["points"][7]["step"] == 7
    assert grown < allowed_mb(server.pid, 40_000), f"the server took {grown} KiB for one answer"
    some = json.loads(read_all(server, f"/api/v1/runs/{run['id']}/metrics/loss?from_index=150000&limit=10"))
    assert [p["index"] for p in some["points"]] == list(range(150_000, 150_010))
    server.expect(200, "POST", f"/runs/{run['id']}/complete")


def test_a_large_snapshot_is_answered_piece_by_piece(server: RoostServer) -> None:
    server.snapshot({"a": ""})
    server.api_client.timeout = 120
    empty = hashlib.sha256(b"").hexdigest()
    lines = [json.dumps([f"folder/{i:06d}", "100644", 0, empty], separators=(",", ":")) for i in range(40_000)]
    manifest = ("\n".join(lines) + "\n").encode()
    digest = server.post_manifest(manifest)["digest"]
    path = f"/api/v1/snapshots/{digest}"
    read_all(server, path)
    before = forget_peak(server.pid)
    answer = json.loads(read_all(server, path))
    grown = resident_peak(server.pid) - before
    assert len(answer["entries"]) == answer["files"] == 40_000 and answer["entries"][3]["path"] == "folder/000003"
    assert grown < allowed_mb(server.pid, 30_000), f"the server took {grown} KiB for one answer"
