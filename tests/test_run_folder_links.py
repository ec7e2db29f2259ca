"""What the runner lays out in a run's folder stays there, whatever links the run's snapshot and inputs have."""
import os
from pathlib import Path
from typing import Any, Dict, List

from conftest import IMPATIENT, Gate, MakeServer
from http_api import FRAMES, frame
from processes import command_line, kill, oldest, processes_with, wait_until
from roost_fixture import RoostServer, manifest_entry, manifest_line, sha256

# Each of these links stays in its own tree, so that neither is refused. Laid out together they do not: "up" leads to the
# folder `data` beside the script, and what follows it climbs from there.
UP = "d/e/f/g/up"
INPUT = manifest_entry(UP, "120000", "../../../..") + manifest_line("file.txt", b"data")
TO_NODES = f"data/{UP}/../../../../.."  # code, run, runs, node, nodes


def store(server: RoostServer, manifest: bytes, *contents: bytes) -> str:
    server.post_manifest(manifest)
    body = b"".join(frame(content, digest=sha256(content)) for content in contents)
    server.expect(200, "POST", "/blobs", data=body, content_type=FRAMES)
    answer = server.post_manifest(manifest)
    assert answer["missing"] == [], answer
    return answer["digest"]


def submit(server: RoostServer, code: str, link: str, target: str, **spec: Any) -> Dict[str, Any]:
    entries = sorted([(link, manifest_entry(link, "120000", target)), ("train.py", manifest_line("train.py", code.encode()))])
    snapshot = store(server, b"".join(entry for _, entry in entries), code.encode())
    data = {"name": "x", "content": store(server, INPUT, b"data"), "path": "data"}
    inputs = [data, *spec.pop("inputs", [])]
    return server.post("/workspaces/default/runs", {"experiment": "tests", "script": "train.py", "snapshot": snapshot,
                                                    "inputs": inputs, **spec})


def runner_of(node: str) -> int:
    return oldest(pid for pid in processes_with(node) if f"runner --node {node} " in command_line(pid))


def named(folder: Path, word: str) -> List[str]:
    """What has the word in its name, in a tree of which others remove folders meanwhile."""
    return [f"{place}/{name}" for place, folders, files in os.walk(folder) for name in (*folders, *files) if word in name]


def test_outputs_are_not_put_back_through_a_link(make_server: MakeServer, gate: Gate) -> None:
    server = make_server(IMPATIENT)
    code = gate.wait_code + "print('attempt', os.environ['RESTART_COUNT'], os.path.exists('data/file.txt'))\n"
    run = server.wait(submit(server, code, "outputs", f"{TO_NODES}/cache", max_retries=1), "Running")
    for path in ("outputs/escaped", "outputs/deep/escaped"):
        server.expect((200, 201), "PUT", f"/runs/{run['id']}/artifacts/{path}", data=b"# poisoned",
                      content_type="application/octet-stream")
    kill(runner_of(server.get_run(run)["node"]))
    wait_until(lambda: server.get_run(run)["attempt"] == 2, 40, "it is tried again")
    server.wait(run, "Running", timeout=40)
    gate.open()
    run = server.wait(run, timeout=40)
    assert named(server.data, "escaped") == []
    assert run["status"] == "Completed", run["error"]
    assert server.log(run) == b"attempt 1 True\n"
    told = [notice for notice in run["notices"] if "outputs/escaped" in notice]
    assert told and "not put back" in told[0], run["notices"]


def test_an_input_is_not_laid_out_through_a_link(server: RoostServer) -> None:
    """One link leads to a folder of Roost's own, one beside the script's, and one to where the script might write."""
    content = server.snapshot({"escaped": "x"})
    for target in (f"{TO_NODES}/cache", f"data/{UP}/../..", "data"):
        run = submit(server, "pass", "way", target, inputs=[{"name": "y", "content": content, "path": "way/new"}])
        run = server.wait(run)
        assert run["status"] == "Failed", run
        assert "Roost's own folder" in run["error"]["message"] or "no link" in run["error"]["message"], run["error"]
        assert named(server.data, "escaped") == []


def test_links_of_a_snapshot_stay_usable(server: RoostServer) -> None:
    code = """
import os
assert os.path.islink("logs")
os.makedirs("logs/", exist_ok=True) if os.path.isdir("logs") else os.mkdir("kept")
open("logs/a.log", "w").write("x")
open("outputs/b", "w").write("b")
print(open("kept/a.log").read())
"""
    entries = manifest_entry("logs", "120000", "kept") + manifest_line("train.py", code.encode())
    run = server.post("/workspaces/default/runs", {"experiment": "tests", "script": "train.py",
                                                   "snapshot": store(server, entries, code.encode())})
    run = server.wait(run)
    assert run["status"] == "Completed", (run["error"], server.log(run))
    assert server.log(run) == b"x\n" and server.artifact(run, "outputs/b") == b"b"
