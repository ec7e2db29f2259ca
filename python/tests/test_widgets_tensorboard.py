"""Tensorboard: the logs of runs in a folder, and the program over it."""

import os
import stat
import sys
import time

import pytest
from fake_run import FakeRun

from azureml.exceptions import OptionalDependencyMissingException, UserErrorException
from azureml.tensorboard import Tensorboard, _mirror, _program

SERVING = """#!{python}
import sys, time
print("TensorFlow installation not found - running with reduced feature set.", flush=True)
with open({seen!r}, "w") as file:
    file.write(" ".join(sys.argv[1:]))
print("TensorBoard 2.0 at http://localhost:%s/ (Press CTRL+C to quit)" % sys.argv[4], flush=True)
time.sleep(60)
"""
REFUSING = """#!{python}
import sys
print("ERROR: TensorBoard could not bind to port 6006, it was already in use", flush=True)
sys.exit(1)
"""


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(_mirror, "_PAUSE_SECONDS", 0.01)


@pytest.fixture
def install(tmp_path, monkeypatch):
    """install(source) puts a `tensorboard` on PATH."""

    def make(source):
        folder = tmp_path / "bin"
        folder.mkdir()
        program = folder / "tensorboard"
        seen = tmp_path / "arguments"
        program.write_text(source.format(python=sys.executable, seen=str(seen)))
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)
        monkeypatch.setattr(sys, "executable", str(folder / "python"))
        return seen

    return make


def logging_run(status="Completed"):
    run = FakeRun(status=status)
    run.logs = {
        "logs/train/events.out.tfevents.1": b"abc",
        "logs/../../escape": b"no",
        "azureml-logs/70_driver_log.txt": b"no",
    }
    return run


def wait_for(path, content):
    give_up_at = time.monotonic() + 10
    while not path.exists() or path.read_bytes() != content:
        assert time.monotonic() < give_up_at, path
        time.sleep(0.01)


def test_serves_the_logs_of_a_run(install, tmp_path, capsys):
    seen = install(SERVING)
    board = Tensorboard([logging_run()], local_root=str(tmp_path / "root"), port=7001)
    url = board.start()
    process = board._program._process
    board.stop()
    assert url == "http://localhost:7001/"
    assert capsys.readouterr().out == "http://localhost:7001/\n"
    assert process.returncode is not None
    root = tmp_path / "root"
    found = sorted(str(p.relative_to(root)) for p in root.rglob("*") if p.is_file())
    assert found == ["birds_1_0a1b2c3d/train/events.out.tfevents.1"]
    assert not (tmp_path / "escape").exists()
    assert seen.read_text() == f"--logdir {root} --port 7001"


def test_follows_a_run_that_goes_on(install, tmp_path):
    install(SERVING)
    run = logging_run("Running")
    board = Tensorboard(run, local_root=str(tmp_path / "root"))
    board.start()
    try:
        path = tmp_path / "root" / run.id / "train" / "events.out.tfevents.1"
        inode = path.stat().st_ino
        run.logs["logs/train/events.out.tfevents.1"] = b"abcdef"
        wait_for(path, b"abcdef")
        assert path.stat().st_ino == inode  # TensorBoard has it open
        run.facts["attempt"] = 2  # a retry writes from the start
        run.logs["logs/train/events.out.tfevents.1"] = b"xyz"
        wait_for(path, b"xyz")
        run.logs["logs/late"] = b"late"
        run.facts["status"] = "Completed"
        wait_for(tmp_path / "root" / run.id / "late", b"late")
    finally:
        board.stop()


def test_a_temporary_folder_goes_away(install):
    install(SERVING)
    board = Tensorboard([logging_run()])
    board.start()
    root = board._mirror._root
    assert os.path.isdir(root)
    board.stop()
    assert not os.path.exists(root)
    board.stop()


def test_the_reason_it_did_not_start(install, tmp_path):
    install(REFUSING)
    board = Tensorboard([logging_run()], local_root=str(tmp_path / "root"))
    with pytest.raises(UserErrorException, match="already in use.*port=0"):
        board.start()
    assert board._program._process is None


def test_not_installed(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(OptionalDependencyMissingException, match="pip install tensorboard"):
        Tensorboard([logging_run()], local_root=str(tmp_path / "root")).start()
    assert not (tmp_path / "root").exists()


def test_found_as_a_module(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setattr("importlib.util.find_spec", lambda _: object())
    found = _program.TensorboardProgram(0).find()
    assert found == [str(tmp_path / "python"), "-m", "tensorboard.main"]


def test_only_runs_of_a_workspace():
    with pytest.raises(UserErrorException, match="takes runs of a workspace, not str"):
        Tensorboard(["birds_1"])
