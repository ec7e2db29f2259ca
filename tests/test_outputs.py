"""Outputs: complete and digest-verified before Completed."""
import hashlib
import os
from typing import Dict

import pytest

from roost_fixture import RoostServer, sha256


@pytest.fixture(scope="module")
def server(shared_server: RoostServer) -> RoostServer:
    return shared_server


def outputs(server: RoostServer, run: dict) -> Dict[str, bytes]:
    """All files below outputs/, each checked against its size and digest."""
    files = {}
    for path, item in server.artifacts(run, "outputs/").items():
        files[path] = server.artifact(run, path.replace("%", "%25").replace(" ", "%20").replace("ü", "%C3%BC"))
        assert (item["size"], item["digest"]) == (len(files[path]), sha256(files[path])), path
    return files


def test_outputs_are_kept(server: RoostServer) -> None:
    run = server.run("""
        import os
        os.makedirs("outputs/deep/er", exist_ok=True)
        open("outputs/model.pt", "wb").write(bytes(range(256)) * 1000)
        open("outputs/deep/er/a b ü%.txt", "w").write("text")
        open("outputs/empty", "w")
        os.symlink("model.pt", "outputs/link.pt")
        open("elsewhere.txt", "w").write("not an output")
    """)
    assert run["status"] == "Completed", run["error"]
    found = outputs(server, run)
    assert found["outputs/model.pt"] == bytes(range(256)) * 1000
    assert found["outputs/deep/er/a b ü%.txt"] == b"text" and found["outputs/empty"] == b""
    assert "elsewhere.txt" not in server.artifacts(run)


def test_outputs_of_a_failed_run_are_kept(server: RoostServer) -> None:
    run = server.run("open('outputs/checkpoint', 'w').write('1')\n1 / 0")
    assert run["status"] == "Failed" and outputs(server, run) == {"outputs/checkpoint": b"1"}


def test_outputs_folder_is_there_before_the_script(server: RoostServer) -> None:
    run = server.run("open('outputs/x', 'w').write('y'); open('logs/z', 'w').write('w')")
    assert run["status"] == "Completed", run["error"]
    assert outputs(server, run) == {"outputs/x": b"y"}


def test_snapshot_with_an_outputs_folder(server: RoostServer) -> None:
    run = server.run("open('outputs/new', 'w').write('n')", files={"outputs/old": "o"})
    assert run["status"] == "Completed" and outputs(server, run)["outputs/new"] == b"n"


def test_what_mlflow_leaves_is_kept(server: RoostServer) -> None:
    run = server.run("""
        import os
        os.makedirs("mlruns/0/abc/metrics")
        open("mlruns/0/abc/metrics/loss", "w").write("1 0.5 0")
        open("mlflow.db", "w").write("a database")
    """, files={"mlruns/0/old/meta.yaml": "of the code"})
    assert run["status"] == "Completed", run["error"]
    assert sorted(server.artifacts(run, "ml")) == ["mlflow.db", "mlruns/0/abc/metrics/loss"]
    assert server.artifact(run, "mlruns/0/abc/metrics/loss") == b"1 0.5 0"
    (notice,) = run["notices"]
    assert notice.startswith("mlruns has what MLflow logged and is kept with the files of the run")
    without = server.run("pass", files={"mlruns/0/old/meta.yaml": "of the code"})
    assert not server.artifacts(without, "ml") and not without["notices"]


def test_last_version_of_a_file_wins(server: RoostServer) -> None:
    run = server.run("""
        import time
        for i in range(50):
            open('outputs/state', 'w').write(str(i) * (50 - i))
            time.sleep(0.01)
    """)
    assert outputs(server, run) == {"outputs/state": b"49"}


def test_large_output(server: RoostServer) -> None:
    run = server.run("""
        import hashlib, random
        block = random.Random(1).randbytes(1 << 20)
        with open("outputs/big.bin", "wb") as file:
            for i in range(100): file.write(block[i:] + block[:i])
        print(hashlib.sha256(open("outputs/big.bin", "rb").read()).hexdigest())
    """, timeout=60)
    assert run["status"] == "Completed", run["error"]
    digest = server.log(run).decode().strip()
    item = server.artifacts(run)["outputs/big.bin"]
    assert (item["size"], item["digest"]) == (100 << 20, digest)
    assert hashlib.sha256(server.artifact(run, "outputs/big.bin")).hexdigest() == digest


def test_unreadable_things_in_outputs_do_not_stop_the_run(server: RoostServer) -> None:
    run = server.run("""
        import os, socket
        os.symlink("/etc/passwd", "outputs/outside")
        os.symlink("nowhere", "outputs/dangling")
        os.symlink("..", "outputs/loop")
        os.mkfifo("outputs/fifo")
        socket.socket(socket.AF_UNIX).bind("outputs/sock")
        open("outputs/good", "w").write("good")
    """)
    assert run["status"] == "Completed", run["error"]
    found = outputs(server, run)
    assert found["outputs/good"] == b"good"
    assert not any(b"root:" in content for content in found.values()), "a symlink led out of the run"


def test_put_artifact_replaces(server: RoostServer) -> None:
    run = server.run("open('outputs/x', 'w').write('1')")
    for content in (os.urandom(1 << 20), b""):
        server.expect(201, "PUT", f"/runs/{run['id']}/artifacts/outputs/x", data=content,
                      content_type="application/octet-stream")
        assert outputs(server, run) == {"outputs/x": content}


def test_collecting_blobs_keeps_outputs_and_snapshots(server: RoostServer) -> None:
    run = server.run("open('outputs/x', 'w').write('precious')")
    server.collect_garbage()
    assert outputs(server, run) == {"outputs/x": b"precious"}
    again = server.submit(script="train.py", snapshot=run["snapshot"])
    assert server.wait(again)["status"] == "Completed"


def test_prefix_is_not_fooled_by_unicode(server: RoostServer) -> None:
    run = server.run("import os\nos.makedirs('outputs/ü')\nopen('outputs/ü/a', 'w'); open('outputs/u', 'w')")
    assert list(server.artifacts(run, "outputs/ü")) == ["outputs/ü/a"]
    assert list(server.artifacts(run, "outputs/ü/")) == ["outputs/ü/a"]
    assert sorted(server.artifacts(run, "outputs/")) == ["outputs/u", "outputs/ü/a"]
    assert server.artifacts(run, "outputs/%") == {}
