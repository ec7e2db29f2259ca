"""The same bytes from several at once: all are served, nobody is refused, nothing is stuck."""
import os
import subprocess
import threading
from pathlib import Path
from typing import Any, List

from http_api import FRAMES, frame
from raw_http import connect
from roost_fixture import RoostServer, roost_program, sha256
from processes import wait_until

BYTES = "application/octet-stream"
LARGE = 24 << 20  # sent alone, and long enough to meet


def all_at_once(jobs: List[Any]) -> List[Any]:
    """Runs them in threads that start together; returns what each returned."""
    barrier = threading.Barrier(len(jobs))
    results: List[Any] = [None] * len(jobs)

    def work(index: int) -> None:
        barrier.wait()
        results[index] = jobs[index]()

    threads = [threading.Thread(target=work, args=(i,)) for i in range(len(jobs))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def test_runs_that_end_with_the_same_large_file(server: RoostServer, gate: Any) -> None:
    server.post("/workspaces/default/computes", json={"name": "four", "max_nodes": 4})
    code = f"{gate.wait_code}\nopen('outputs/weights', 'wb').write(b'w' * {LARGE})"
    runs = [server.submit(code, compute="four") for _ in range(4)]
    for run in runs:
        server.wait(run, "Running", timeout=60)
    gate.open()
    for run in runs:
        ended = server.wait(run, timeout=120)
        assert ended["status"] == "Completed", ended["error"]
        assert server.artifacts(run)["outputs/weights"]["digest"] == sha256(b"w" * LARGE)


def test_nodes_of_a_run_with_the_same_weights(server: RoostServer) -> None:
    server.post("/workspaces/default/computes", json={"name": "two", "max_nodes": 2})
    code = ("import os\nplace = 'outputs/' + os.environ.get('RANK', '0')\n"
            f"open(place, 'wb').write(b'w' * {LARGE})")
    run = server.run(code, compute="two", timeout=120,
                     distributed={"kind": "pytorch", "node_count": 2, "process_count": 2})
    assert run["status"] == "Completed", run["error"]
    assert set(server.artifacts(run)) == {"outputs/0", "outputs/1"}


def test_one_folder_submitted_from_eight_shells(server: RoostServer, source: Path) -> None:
    (source / "train.py").write_text("print('hello')")
    (source / "data.bin").write_bytes(os.urandom(LARGE))

    def submit() -> Any:
        return subprocess.run([str(roost_program()), "submit", "--detach", "--experiment", "e", "--", "train.py"], cwd=source,
                              env=server.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=120)

    for done in all_at_once([submit] * 8):
        assert done.returncode == 0, done.stderr


def test_large_uploads_of_the_same_bytes_without_asking(server: RoostServer) -> None:
    """More than the server has threads, each sending everything."""
    content = os.urandom(4 << 20)
    path = f"/blobs/{sha256(content)}"

    def put() -> int:
        return server.api("PUT", path, data=content, content_type=BYTES).status

    assert all_at_once([put] * 24) == [201] * 24
    assert server.get(path) == content


def test_small_files_of_the_same_bytes_wedge_nothing(server: RoostServer) -> None:
    for _ in range(20):
        content = os.urandom(100)

        def put() -> int:
            answer = server.api("POST", "/blobs", data=frame(content, digest=sha256(content)), content_type=FRAMES)
            server.snapshot({"data": content})
            return answer.status

        assert all_at_once([put] * 8) == [200] * 8
    assert server.run("open('outputs/x', 'w').write('x')")["status"] == "Completed"


def test_an_upload_that_is_silent_is_overtaken(server: RoostServer) -> None:
    content = os.urandom(3 << 20)
    path = f"/blobs/{sha256(content)}"
    with connect(server) as silent:
        silent.sendall(f"PUT /api/v1{path} HTTP/1.1\r\nHost: x\r\nContent-Type: {BYTES}\r\n"
                       f"Authorization: Bearer {server.api_client.token}\r\n"
                       f"Content-Length: {len(content)}\r\n\r\n".encode() + content[:1 << 20])
        wait_until(lambda: server.get(f"{path}/upload")["received"] == 1 << 20, 10, "its first bytes came")
        state = server.get(f"{path}/upload?wait_seconds=20")
        assert state == {"stored": False, "active": False, "received": 1 << 20}
        answer = server.api("PUT", f"{path}?offset={1 << 20}", data=content[1 << 20:], content_type=BYTES)
        assert answer.status == 201, answer.body
        assert server.get(f"{path}/upload")["stored"]
    assert server.get(path) == content
