"""Requests that are wrong: each is refused in the one shape, names what was wrong, and changes nothing."""
import json
from typing import Any, Iterator

import pytest

import contract
from bad_requests import refused, state_of
from http_api import query
from processes import allowed_mb, peak_memory_mb
from raw_http import exchange, send_body
from roost_fixture import RoostServer

CONTRACT = contract.load()
RUNS = "/workspaces/default/runs"


@pytest.fixture(scope="module")
def server(shared_server: RoostServer) -> RoostServer:
    run = shared_server.run("print('hello')", experiment="base", display_name="the base run")
    assert run["status"] == "Completed", run
    shared_server.base_run = run["id"]
    shared_server.expect(201, "POST", "/workspaces/default/computes", json={"name": "base-compute"})
    shared_server.expect(201, "POST", "/workspaces/default/experiments", json={"name": "base-experiment"})
    return shared_server


@pytest.fixture(autouse=True)
def nothing_changes(server: RoostServer) -> Iterator[None]:
    before = state_of(server)
    yield
    assert state_of(server) == before, "a refused request left something behind"
    assert server.get("//healthz")["status"] == "ok"


# Things that do not exist.

@pytest.mark.parametrize("method, path, body, named", [
    ("GET", "/workspaces/nope-1", None, "nope-1"),
    ("GET", "/workspaces/nope-1/runs", None, "nope-1"),
    ("GET", "/workspaces/nope-1/experiments", None, "nope-1"),
    ("GET", "/workspaces/nope-1/computes", None, "nope-1"),
    ("POST", "/workspaces/nope-1/runs", {"experiment": "e", "command": "true"}, "nope-1"),
    ("POST", "/workspaces/nope-1/experiments", {"name": "e"}, "nope-1"),
    ("POST", "/workspaces/nope-1/computes", {"name": "cc"}, "nope-1"),
    ("GET", "/workspaces/default/experiments/nope-2", None, "nope-2"),
    ("PATCH", "/workspaces/default/experiments/nope-2", {"archived": True}, "nope-2"),
    ("GET", "/workspaces/default/computes/nope-3", None, "nope-3"),
    ("PATCH", "/workspaces/default/computes/nope-3", {"max_nodes": 2}, "nope-3"),
    ("DELETE", "/workspaces/default/computes/nope-3", None, "nope-3"),
    ("GET", "/workspaces/default/computes/nope-3/nodes", None, "nope-3"),
    ("POST", RUNS, {"experiment": "e", "command": "true", "compute": "nope-3"}, "nope-3"),
    ("POST", RUNS, {"experiment": "e", "command": "true", "parent": "nope-4"}, "nope-4"),
    ("GET", "/runs/nope-4", None, "nope-4"),
    ("PATCH", "/runs/nope-4", {"tags": {"a": "b"}}, "nope-4"),
    ("POST", "/runs/nope-4/cancel", None, "nope-4"),
    ("GET", "/runs/nope-4/events", None, "nope-4"),
    ("GET", "/runs/nope-4/follow", None, "nope-4"),
    ("GET", "/runs/nope-4/logs", None, "nope-4"),
    ("GET", "/runs/nope-4/logs/azureml-logs/70_driver_log.txt", None, "nope-4"),
    ("GET", "/runs/nope-4/metrics", None, "nope-4"),
    ("GET", "/runs/nope-4/metrics/loss", None, "nope-4"),
    ("GET", "/runs/nope-4/system-metrics", None, "nope-4"),
    ("GET", "/runs/nope-4/artifacts", None, "nope-4"),
    ("GET", "/runs/nope-4/artifacts/outputs/x", None, "nope-4"),
    ("GET", "/runs/{base}/logs/azureml-logs/nope-5.txt", None, "nope-5"),
    ("GET", "/runs/{base}/metrics/nope-6", None, "nope-6"),
    ("GET", "/runs/{base}/artifacts/outputs/nope-7", None, "nope-7"),
    ("GET", "/snapshots/" + "0" * 64, None, "0" * 64),
    ("GET", "/blobs/" + "0" * 64, None, "0" * 64),
    ("POST", "/blobs/fetch", {"digests": ["0" * 64]}, "0" * 64),
    ("DELETE", "/tokens/nope-8", None, "nope-8"),
])
def test_unknown_thing(server: RoostServer, method: str, path: str, body: Any, named: str) -> None:
    answer = server.api(method, path.replace("{base}", server.base_run), json=body)
    refused(answer, 404, "not_found", named)


def test_unknown_snapshot(server: RoostServer) -> None:
    """Not a 404: what is missing can be uploaded, and the command line does so when it reads this."""
    answer = server.api("POST", RUNS, json={"experiment": "e", "script": "x.py", "snapshot": "0" * 64})
    refused(answer, 409, "failed_precondition", "0" * 64)


@pytest.mark.parametrize("header", [
    "", "Bearer", "Bearer ", "Bearer nope", "Basic cm9vc3Q6cm9vc3Q=", "Bearer " + "x" * 4000, "Bearer \xff\xfe",
], ids=lambda header: header[:12])
def test_unknown_token(server: RoostServer, header: str) -> None:
    headers = {"Authorization": header} if header else {}
    refused(server.api("GET", "/server", token="", headers=headers), 401, "unauthenticated", "token")


# Bodies that are not what they should be.

@pytest.mark.parametrize("method, path", [
    ("POST", "/workspaces"), ("POST", "/workspaces/default/experiments"), ("POST", RUNS), ("PATCH", "/runs/{base}"),
    ("POST", "/workspaces/default/computes"), ("POST", "/tokens"), ("POST", "/blobs/missing"),
])
@pytest.mark.parametrize("body", [
    b"", b"{", b'{"name": "x"', b'{"name": "x"}}', b'{"name": "x"} {}', b"{'name': 'x'}", b'{"name": x}', b"\x00",
    b"\xff\xfe{}",
    b'{"name": "\xff"}', b'{"name": "\\ud800"}', '{"name": "x"}'.encode("utf-16"), b"[" * 100_000,
    b'{"name":' * 50_000, b"[]", b"null", b'"text"', b"17", b'{"name": NaN}', b'{"name": 1e400}',
    b'{"name": -Infinity}',
], ids=range(21))
def test_malformed_json(server: RoostServer, method: str, path: str, body: bytes) -> None:
    answer = server.api(method, path.replace("{base}", server.base_run), data=body, content_type="application/json")
    refused(answer, 400, "invalid_argument")


@pytest.mark.parametrize("path", ["/workspaces", RUNS, "/blobs/missing", "/tokens"])
@pytest.mark.parametrize("chunked", [False, True])
def test_100_mb_of_json(server: RoostServer, path: str, chunked: bool) -> None:
    before = peak_memory_mb(server.pid)
    answer = send_body(server, "POST", "/api/v1" + path, b'{"name": "', 100, chunked)
    refused(answer, 413, "too_large")
    assert peak_memory_mb(server.pid) - before < allowed_mb(server.pid, 32)


@pytest.mark.parametrize("chunked", [False, True])
def test_100_mb_that_are_no_manifest(server: RoostServer, chunked: bool) -> None:
    """A manifest may be large, and is taken whole before it is read."""
    before = peak_memory_mb(server.pid)
    answer = send_body(server, "POST", "/api/v1/snapshots", b'["', 100, chunked)
    refused(answer, (400, 413), ("invalid_argument", "too_large"))
    assert peak_memory_mb(server.pid) - before < allowed_mb(server.pid, 256)


VALID = {
    "create_workspace": ("/workspaces", {"name": "valid"}),
    "create_experiment": ("/workspaces/default/experiments", {"name": "valid"}),
    "update_experiment": ("/workspaces/default/experiments/base-experiment", {}),
    "submit_run": (RUNS, {"experiment": "valid", "command": "true"}),
    "update_run": ("/runs/{base}", {}),
    "create_compute": ("/workspaces/default/computes", {"name": "valid"}),
    "update_compute": ("/workspaces/default/computes/base-compute", {}),
    "create_token": ("/tokens", {"name": "valid", "role": "reader"}),
    "find_missing_blobs": ("/blobs/missing", {"digests": []}),
    "fetch_blobs": ("/blobs/fetch", {"digests": []}),
    "collect_blobs": ("/blobs/collect", {}),
    "stop_server": ("/server/shutdown", {}),
}
STRANGE = [5, -1, 2**70, -(2**70), 1.5, True, "two words", "", [], {}, [1], [[]], {"a": 1}, {"a": []}]


def strange_values() -> Iterator[Any]:
    """Every field of every JSON body, with each strange value its schema does not allow."""
    for operation, (path, valid) in VALID.items():
        schema = CONTRACT.resolve(CONTRACT.operations[operation].body["content"]["application/json"]["schema"])
        for field, rule in schema["properties"].items():
            for value in STRANGE:
                try:
                    CONTRACT.check(rule, value, field)
                except AssertionError:
                    yield pytest.param(operation, field, value, id=f"{operation}-{field}-{json.dumps(value)[:12]}")


@pytest.mark.parametrize("operation, field, value", strange_values())
def test_wrong_value(server: RoostServer, operation: str, field: str, value: Any) -> None:
    path, valid = VALID[operation]
    body = {**valid, field: value}
    if field == "script":
        del body["command"]
    answer = server.api(CONTRACT.operations[operation].method, path.replace("{base}", server.base_run), json=body)
    refused(answer, 400, "invalid_argument")
    assert field.rstrip("s") in answer.message or str(value) in answer.message, answer.message


@pytest.mark.parametrize("operation", VALID)
def test_unknown_field(server: RoostServer, operation: str) -> None:
    path, valid = VALID[operation]
    answer = server.api(CONTRACT.operations[operation].method, path.replace("{base}", server.base_run),
                        json={**valid, "bogus": 1})
    refused(answer, 400, "invalid_argument", "bogus")


@pytest.mark.parametrize("spec, named", [
    ({}, "script"),
    ({"script": "a.py", "command": "true"}, "script"),
    ({"command": "true", "arguments": ["x"]}, "arguments"),
    ({"command": "a\0b"}, "NUL"),
    ({"command": "x" * 1_000_000}, "128 KiB"),
    ({"script": "/etc/passwd"}, "/etc/passwd"),
    ({"script": "../x.py"}, "../x.py"),
    ({"script": "train.py"}, "snapshot"),
    ({"command": "true", "environment": {"bogus": 1}}, "bogus"),
    ({"command": "true", "environment": {"python": 5}}, "python"),
    ({"command": "true", "environment": {"variables": {"A": 1}}}, "variables"),
    ({"command": "true", "environment_variables": {"A=B": "x"}}, "A=B"),
    ({"command": "true", "environment_variables": {"": "x"}}, "environment variable"),
    ({"command": "true", "environment_variables": {"A": "x\0y"}}, "A"),
    ({"command": "true", "git": {"dirty": "yes"}}, "dirty"),
    ({"command": "true", "git": {"bogus": 1}}, "bogus"),
    ({"command": "true", "tags": {str(i): "x" for i in range(51)}}, "50"),
    ({"command": "true", "properties": {"a": None}}, "properties"),
    ({"command": "true", "snapshot": "A" * 64}, "snapshot"),
    ({"command": "true", "node_count": 0}, "node_count"),
    ({"command": "true", "priority": 1e300}, "priority"),
    ({"command": "true", "max_run_duration_seconds": -1}, "max_run_duration_seconds"),
    ({"command": "true", "max_retries": 2**63}, "max_retries"),
])
def test_bad_run_spec(server: RoostServer, spec: Any, named: str) -> None:
    refused(server.api("POST", RUNS, json={"experiment": "bad-spec", **spec}), 400, "invalid_argument", named)


def test_compute_with_more_least_than_most_nodes(server: RoostServer) -> None:
    answer = server.api("POST", "/workspaces/default/computes", json={"name": "cc", "min_nodes": 3, "max_nodes": 2})
    refused(answer, 400, "invalid_argument", "min_nodes")


# Query parameters.

@pytest.mark.parametrize("path, parameter, values", [
    (RUNS, "limit", ["0", "1001", "-1", "x", "1.5", str(2**70), "1e400", "NaN", "", "0x10"]),
    (RUNS, "cursor", ["x", "-1", "../", str(2**70), "é"]),
    (RUNS, "status", ["Nope", "Completed,Nope", "completed"]),
    (RUNS, "created_after", ["yesterday", "2026-13-01T00:00:00Z", "0", "1e400"]),
    (RUNS, "created_before", ["now", "2026-02-30T00:00:00Z"]),
    ("/workspaces/default/experiments", "limit", ["0", "x"]),
    ("/runs/{base}/follow", "offset", ["-1", "x", str(2**70), "1.5"]),
    ("/runs/{base}/logs/azureml-logs/70_driver_log.txt", "offset", ["-1", "x", str(2**70)]),
    ("/runs/{base}/logs/azureml-logs/70_driver_log.txt", "limit", ["-1", "x"]),
    ("/runs/{base}/logs/azureml-logs/70_driver_log.txt", "attempt", ["-1", "x", "2", str(2**70)]),
    ("/runs/{base}/system-metrics", "buckets", ["0", "-1", "x", str(2**70)]),
    ("/runs/{base}/artifacts", "limit", ["0", "x"]),
])
def test_bad_query(server: RoostServer, path: str, parameter: str, values: list) -> None:
    for value in values:
        answer = server.api("GET", path.replace("{base}", server.base_run) + query(**{parameter: value}))
        refused(answer, 400, "invalid_argument")
        assert parameter in answer.message or f'"{value}"' in answer.message, answer.message


# Bytes that are hardly HTTP.

@pytest.mark.parametrize("request_bytes", [
    b"GARBAGE\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",  # the first bytes of TLS
    b"GET /healthz HTTP/9.9\r\n\r\n",
    b"GET /healthz%zz HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET healthz HTTP/1.1\r\nHost: x\r\n\r\n",
    b"POST /api/v1/workspaces HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n",
    b"POST /api/v1/workspaces HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999999\r\n\r\n",
    b"POST /api/v1/workspaces HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    b"GET /healthz HTTP/1.1\r\nHost: x\r\nX: " + b"y" * 1_000_000 + b"\r\n\r\n",
    b"GET /" + b"y" * 1_000_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
], ids=["garbage", "tls", "version", "escape", "no-slash", "negative", "huge", "bad-chunk", "long-header", "long-path"])
def test_bytes_that_are_hardly_http(server: RoostServer, request_bytes: bytes) -> None:
    answer = exchange(server, request_bytes)
    assert answer is None or answer.status >= 400, answer  # None: the server hung up
    if answer is not None:
        CONTRACT.check(CONTRACT.schema("Error"), answer.json, "the answer to garbage")


def test_a_client_that_says_nothing_blocks_nobody(server: RoostServer) -> None:
    silent = [server.api_client.connect() for _ in range(50)]
    try:
        for connection in silent:
            connection.connect()
            connection.sock.sendall(b"POST /api/v1/workspaces HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\n{")
        assert server.get("//healthz")["status"] == "ok"
        assert server.get("/workspaces")["items"]
    finally:
        for connection in silent:
            connection.close()
