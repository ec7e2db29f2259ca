"""Garbage collection beside other work: nothing that was answered is lost, nobody waits, nothing ends it early."""
import os
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from conftest import Gate, MakeServer
from processes import wait_until
from roost_fixture import RoostServer, manifest_line, sha256

BYTES = "application/octet-stream"
WORKSPACE = "/workspaces/default"


@pytest.fixture
def eager_server(make_server: MakeServer) -> RoostServer:
    """Without the lease that keeps what was stored just now."""
    return make_server({"blob_lease_seconds": 0})


def put(server: RoostServer, content: bytes) -> str:
    server.expect(201, "PUT", f"/blobs/{sha256(content)}", data=content, content_type=BYTES)
    return sha256(content)


def place(server: RoostServer, digest: str) -> Path:
    return server.data / "blobs" / digest[:2] / digest[2:]


def make_old(path: Path, seconds: float = 7200) -> None:
    before = time.time() - seconds
    os.utime(path, (before, before), follow_symlinks=False)


def overwrite(path: Path, content: bytes) -> None:
    path.chmod(0o600)
    path.write_bytes(content)


@pytest.mark.parametrize("config", [{}, {"blob_lease_seconds": 0}], ids=["default", "no lease"])
def test_artifacts_and_models_stored_meanwhile_stay(make_server: MakeServer, config: Any) -> None:
    server = make_server(config or {"port": 0})
    run = server.run("print('x')")
    done = threading.Event()
    problems = []

    def collect() -> None:
        while not done.is_set():
            try:
                ended = server.collect_garbage()
                assert ended["status"] == "done", ended
            except AssertionError as error:
                problems.append(error)
                return

    collector = threading.Thread(target=collect)
    collector.start()
    stored = {}
    try:
        for number in range(60):
            content = os.urandom(200)
            path = f"outputs/net/{number}"
            answer = server.api("PUT", f"/runs/{run['id']}/artifacts/{path}", data=content, content_type=BYTES)
            if answer.status == 201:
                stored[path] = content
            else:
                assert config, answer.body
        model = server.post(f"{WORKSPACE}/models", {"name": "net", "run": run["id"], "path": "outputs/net"})
    finally:
        done.set()
        collector.join()
    assert not problems, problems
    assert {path: server.artifact(run, path) for path in stored} == stored
    for entry in server.get(f"/snapshots/{model['content']}")["entries"]:
        assert server.get(f"/blobs/{entry['digest']}") == stored["outputs/" + entry["path"]]


def test_what_was_stored_just_now_stays_whatever_the_grace(server: RoostServer) -> None:
    digest = put(server, b"about to be named")
    assert server.collect_garbage()["removed"] == 0
    server.restart()
    assert server.collect_garbage()["removed"] == 0, "its time tells, too"
    assert server.get(f"/blobs/{digest}") == b"about to be named"


def test_what_nobody_names_goes(eager_server: RoostServer) -> None:
    digest = put(eager_server, b"garbage")
    eager_server.collect_garbage(grace_seconds=3600)
    assert eager_server.get(f"/blobs/{digest}") == b"garbage"
    ended = eager_server.collect_garbage()
    assert ended["removed"] == 1 and ended["problems"] == []
    assert eager_server.api("GET", f"/blobs/{digest}").status == 404


def test_outputs_of_a_node_that_has_ended_before_the_others_stay(eager_server: RoostServer, gate: Gate) -> None:
    server = eager_server
    code = ("import os\nopen(f\"outputs/of-{os.environ['RANK']}\", 'w').write('kept')\n"
            "if os.environ['RANK'] == '1':\n    " + gate.wait_code.replace("\n", "\n    "))
    run = server.submit(code, distributed={"kind": "pytorch", "process_count": 2, "node_count": 2})
    wait_until(lambda: any(node["state"] == "idle" for node in server.nodes()) and server.get_run(run)["status"] == "Running",
               30, "one node has reported")
    server.collect_garbage()
    gate.open()
    assert server.wait(run)["status"] == "Completed"
    assert [server.artifact(run, f"outputs/of-{rank}") for rank in (0, 1)] == [b"kept", b"kept"]


def test_a_manifest_that_cannot_be_read_ends_nothing(eager_server: RoostServer) -> None:
    server = eager_server
    kept, broken = b"kept", b"named by a damaged manifest"
    manifest = manifest_line("a", broken) + manifest_line("b", b"" * 10)
    for content in (broken, b""):
        put(server, content)
    content = server.post_manifest(manifest)["digest"]
    server.post(f"{WORKSPACE}/models", {"name": "m", "content": content})
    lost = server.snapshot({"train.py": "print(1)"})
    server.submit(script="train.py", snapshot=lost)
    run = server.run("open('outputs/x', 'w').write('kept')")
    garbage = put(server, b"garbage")
    overwrite(place(server, content), manifest[:-3] + b"xx\n")
    place(server, lost).unlink()
    ended = server.collect_garbage()
    assert ended["status"] == "done" and len(ended["problems"]) == 2, ended
    assert server.api("GET", f"/blobs/{garbage}").status == 404
    assert server.get(f"/blobs/{sha256(broken)}") == broken, "what is left of the manifest still names it"
    assert server.artifact(run, "outputs/x") == kept


def test_a_second_one_joins_the_first_and_the_cli_shows_the_end(eager_server: RoostServer) -> None:
    assert eager_server.api("GET", "/blobs/collect").status == 404
    put(eager_server, b"garbage")
    text = eager_server.cli("gc", "--grace", "0").stdout
    assert text.startswith("removed 1 blobs"), text
    state = eager_server.cli_json("gc", "--verify")
    assert state["status"] == "done" and state["verify"]


@pytest.mark.parametrize("bad", [b"", b"cut", b"X" * 300_000], ids=["empty", "cut off", "changed"])
@pytest.mark.parametrize("restarted", [False, True])
def test_a_damaged_blob_is_not_served_and_is_repaired_when_offered(server: RoostServer, bad: bytes,
                                                                   restarted: bool) -> None:
    content = b"Y" * 300_000
    files = {"data": content, "train.py": "print(1)"}
    snapshot = server.snapshot(files)
    if restarted:
        server.restart()
    overwrite(place(server, sha256(content)), bad)
    answer = server.api("GET", f"/blobs/{sha256(content)}")
    assert answer.status == 404 and sha256(content) in answer.message, answer.body
    assert server.snapshot(files) == snapshot, "the same folder, submitted again"
    assert server.get(f"/blobs/{sha256(content)}") == content
    assert (server.data / "blobs" / "damaged" / sha256(content)).read_bytes() == bad


@pytest.mark.parametrize("size", [100, 3 << 20], ids=["small", "large"])
def test_a_run_that_needs_a_damaged_file_fails_with_its_name(server: RoostServer, size: int) -> None:
    content = os.urandom(size)
    snapshot = server.snapshot({"folder/data": content, "train.py": "print(1)"})
    overwrite(place(server, sha256(content)), os.urandom(size))
    run = server.wait(server.submit(script="train.py", snapshot=snapshot), timeout=60)
    assert run["status"] == "Failed"
    assert "folder/data" in run["error"]["message"] and sha256(content) in run["error"]["message"], run["error"]


def test_verify_names_what_is_damaged(server: RoostServer) -> None:
    run = server.run("open('outputs/weights', 'w').write('precious')")
    overwrite(place(server, sha256(b"precious")), b"rotten!!")
    ended = server.collect_garbage(verify=True)
    assert ended["status"] == "done" and ended["damaged"] == 1
    assert "outputs/weights" in ended["problems"][0] and run["id"] in ended["problems"][0]


def test_caches_packs_and_folders_of_nodes_are_cleaned(eager_server: RoostServer) -> None:
    server = eager_server
    run = server.run("print('x')", files={"data": os.urandom(100)})
    nodes = server.data / "nodes"
    cached = [path for path in (nodes / "cache" / "blobs").rglob("*") if path.is_file()]
    assert len(cached) >= 3
    unused = nodes / "local-7-abcdef"
    (unused / "runs").mkdir(parents=True)
    young = nodes / "local-8-abcdef"
    young.mkdir()
    pack = server.data / "environments" / ("0" * 64 + ".pack.tar")
    pack.write_bytes(b"pack")
    used = [path for path in nodes.iterdir() if path.name == server.nodes()[0]["id"]]
    for path in [*cached, unused, pack, *used]:
        make_old(path)
    partial = put_part(server, os.urandom(1000))
    make_old(partial)
    ended = server.collect_garbage()
    assert ended["cache_files"] == len(cached) + 1 and ended["node_folders"] == 1, ended
    assert not any(path.exists() for path in [*cached, unused, pack, partial])
    assert young.exists() and used[0].exists()
    again = server.submit(script="train.py", snapshot=run["snapshot"])
    assert server.wait(again)["status"] == "Completed"


def put_part(server: RoostServer, content: bytes) -> Path:
    """The file of an upload that broke off."""
    from processes import wait_until
    from raw_http import connect
    digest = sha256(content)
    with connect(server) as connection:
        connection.sendall(f"PUT /api/v1/blobs/{digest} HTTP/1.1\r\nHost: x\r\nContent-Type: {BYTES}\r\n"
                           f"Authorization: Bearer {server.api_client.token}\r\n"
                           f"Content-Length: {len(content)}\r\n\r\n".encode() + content[:500])
        wait_until(lambda: server.get(f"/blobs/{digest}/upload")["received"] == 500, 10, "the first bytes came")
    wait_until(lambda: not server.get(f"/blobs/{digest}/upload")["active"], 10, "the server saw it break off")
    return next((server.data / "blobs" / "partial").glob(digest + "*"))
