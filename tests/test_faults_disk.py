"""The disk is full, or forgets what was not synced. Both need root, for mount."""
import os
import signal
from pathlib import Path

from conftest import Gate, MakeServer
from disks import Disk, fill, mounts, needs_root, small_disk  # noqa: F401 (two are fixtures)
from processes import kill, processes_with, wait_until
from roost_fixture import RoostServer, sha256
from trainer import Training

BYTES = "application/octet-stream"


@needs_root
def test_disk_full(small_disk: Path, make_server: MakeServer, gate: Gate) -> None:
    server = make_server(data=small_disk / "data")
    finished = server.run("print('before'); open('outputs/x', 'w').write('precious')")
    waiting = server.submit("print('one', flush=True)\n" + gate.wait_code + "print('two')")
    server.wait(waiting, "Running")
    wait_until(lambda: server.log(waiting) == b"one\n", 10, "the first line")
    ballast = fill(small_disk)

    content = os.urandom(1 << 20)
    refusals = [
        server.api("PUT", f"/blobs/{sha256(content)}", data=content, content_type=BYTES),
        server.api("PUT", f"/runs/{finished['id']}/artifacts/outputs/y", data=content, content_type=BYTES),
    ]
    for answer in refusals:
        assert (answer.status, answer.code) == (507, "resource_exhausted"), answer.body
        assert "space" in answer.message or "full" in answer.message, answer.message
    submits = [server.api("POST", "/workspaces/default/runs", json={"experiment": "full", "command": "true",
                                                                    "tags": {"pad": "x" * 1000}}) for _ in range(30)]
    assert {answer.status for answer in submits} <= {201, 507}
    accepted = [answer.json["id"] for answer in submits if answer.status == 201]
    assert server.get("//healthz")["status"] == "ok", "the server still serves what it has"
    assert server.log(finished) == b"before\n" and server.artifact(finished, "outputs/x") == b"precious"
    assert server.api("GET", f"/blobs/{sha256(content)}").status == 404

    ballast.unlink()
    gate.open()
    run = server.wait(waiting, timeout=60)
    assert run["status"] == "Completed" and server.log(waiting) == b"one\ntwo\n", run["error"]
    server.expect(201, "PUT", f"/blobs/{sha256(content)}", data=content, content_type=BYTES)
    listed = [r["id"] for r in server.pages("/workspaces/default/runs", experiment="full")]
    assert sorted(listed) == sorted(accepted), "a refused submit must not leave a run"
    for each in accepted:
        assert server.wait(each, timeout=60)["status"] in ("Completed", "Failed")
    after = server.run("print('after'); open('outputs/z', 'w').write('z')")
    assert after["status"] == "Completed" and server.artifact(after, "outputs/z") == b"z"
    server.restart()
    assert server.log(finished) == b"before\n" and server.log(after) == b"after\n"


@needs_root
def test_disk_full_while_training(small_disk: Path, make_server: MakeServer, tmp_path: Path) -> None:
    """The training either gets through whole once there is room again, or fails with the reason."""
    server = make_server(data=small_disk / "data")
    training = Training(server, tmp_path / "diary", count=800)
    wait_until(lambda: training.steps() > 50, 20, "the training is under way")
    ballast = fill(small_disk)
    steps = training.steps()
    wait_until(lambda: training.steps() > steps + 100 or server.get_run(training.run)["status"] != "Running", 20,
               "it goes on or fails", interval=0.1)
    ballast.unlink()
    run = server.wait(training.run, timeout=60)
    if run["status"] == "Completed":
        training.check_all_is_there_once()
    else:
        assert "No space left" in str(run["error"]), run["error"]
        count = len(server.log(run).splitlines())
        assert count > 40 and server.log(run).splitlines()[:40] == [b"line %06d" % i for i in range(40)]
    assert server.run("print('after')")["status"] == "Completed"


@needs_root
def test_server_started_on_a_full_disk_says_so(small_disk: Path, make_server: MakeServer) -> None:
    fill(small_disk)
    server = make_server(data=small_disk / "data", start=False)
    assert server.begin_start().wait(20) not in (0, -6, -11)
    server._killed = True
    assert "No space left" in server.output or "full" in server.output, server.output


@needs_root
def test_server_started_again_on_a_full_disk_can_free_it(small_disk: Path, make_server: MakeServer) -> None:
    server = make_server({"blob_lease_seconds": 0}, data=small_disk / "data")
    run = server.run("print('before'); open('outputs/x', 'w').write('precious')")
    garbage = os.urandom(8 << 20)
    server.expect(201, "PUT", f"/blobs/{sha256(garbage)}", data=garbage, content_type=BYTES)
    wait_until(lambda: (server.data / "reserve").stat().st_size > 500_000, 10, "space is kept aside")
    for end in (server.terminate, server.kill9):
        end()
        fill(small_disk)
        server.start()
    assert server.log(run) == b"before\n"
    waiting = server.post("/workspaces/default/runs", {"experiment": "full", "interactive": True})["id"]
    assert server.post(f"/runs/{waiting}/cancel")["status"] == "Canceled"
    freed = server.cli("gc", "--grace", "0", check=False)
    assert freed.returncode == 0 and "8" in freed.stdout, (freed.stdout, freed.stderr)
    content = os.urandom(4 << 20)
    server.expect(201, "PUT", f"/blobs/{sha256(content)}", data=content, content_type=BYTES)
    assert server.run("print('after')")["status"] == "Completed"


@needs_root
def test_power_loss(mounts: list, make_server: MakeServer, tmp_path: Path) -> None:
    disk = Disk(tmp_path / "disk.img", tmp_path / "disk", mounts).make()
    server = make_server(data=disk.folder / "data")
    finished = [Training(server, tmp_path / f"diary{i}", count=120, pause=0) for i in range(3)]
    for training in finished:
        assert server.wait(training.run)["status"] == "Completed"
    blob = os.urandom(300_000)
    server.expect(201, "PUT", f"/blobs/{sha256(blob)}", data=blob, content_type=BYTES)
    snapshot = server.snapshot({f"file{i}.py": f"print({i})" for i in range(50)})
    running = Training(server, tmp_path / "diary", count=100_000)
    wait_until(lambda: running.steps() > 100, 20, "a training is under way")
    answered = [server.submit(command="true")["id"] for _ in range(10)]
    server.expect(200, "PATCH", f"/runs/{answered[0]}", json={"tags": {"last": "words"}})
    (disk.folder / "never-synced").write_bytes(b"x" * 100_000)
    stop_everything(server)
    disk.copy_as_after_power_loss(tmp_path / "copy.img")

    copy = Disk(tmp_path / "copy.img", tmp_path / "copy", mounts).mount()
    lost = copy.folder / "never-synced"
    assert not lost.exists() or lost.read_bytes() != b"x" * 100_000, "this disk loses nothing, so it shows nothing"
    after = make_server(data=copy.folder / "data")
    for training in finished:
        training.server = after
        assert after.get_run(training.run)["status"] == "Completed"
        training.check_all_is_there_once()
        for path, item in after.artifacts(training.run).items():
            assert sha256(after.artifact(training.run, path)) == item["digest"], path
    listed = {run["id"] for run in after.pages("/workspaces/default/runs", limit=1000)}
    assert set(answered) <= listed, "a run that was answered with 201 is gone"
    assert after.get_run(answered[0])["tags"] == {"last": "words"}
    answer = after.api("GET", f"/blobs/{sha256(blob)}")  # nothing refers to it yet, so it may be gone, but never wrong
    assert answer.status == 404 or answer.body == blob
    check_every_blob(copy.folder / "data")
    assert after.run(script="file7.py", snapshot=snapshot, timeout=60)["exit_code"] == 0
    for each in answered:
        assert after.wait(each, timeout=60)["status"] in ("Completed", "Failed")


def stop_everything(server: RoostServer) -> None:
    """The lights go out: nothing of the server, its runners and its runs does anything any more."""
    for pid in processes_with(str(server.data)):
        kill(pid, signal.SIGSTOP)
    for pid in processes_with(str(server.data)):
        kill(pid)
    server._killed = True


def check_every_blob(data: Path) -> None:
    """A file named by a digest has that digest, wherever it lies."""
    checked = 0
    for path in (data / "blobs").rglob("*"):
        name = path.name if len(path.name) == 64 else path.parent.name + path.name
        if path.is_file() and len(name) == 64 and "partial" not in path.parts:
            assert sha256(path.read_bytes()) == name, path
            checked += 1
    assert checked > 50, "the blobs are not where this test looks for them"
