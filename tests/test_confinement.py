"""A run on this machine, in no image, reaches its own share of the data folder and nothing else of it."""
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any, Dict, List

import pytest

from processes import wait_until
from roost_fixture import RoostServer, roost_program

pytestmark = pytest.mark.both

# Tries every way in, and prints which of them were open.
PROBES = """
    import ctypes, glob, json, os, signal, sqlite3, sys
    data, server, runner, open_doors = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), {}

    def attempt(name, way):
        try:
            open_doors[name] = repr(way())
        except Exception:
            pass

    def read(path):
        with open(path, "rb") as file:
            return file.read(200)

    def append(path):
        with open(path, "ab") as file:
            file.write(b"# poisoned")

    def trace(pid):
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.ptrace(16, pid, 0, 0) != 0:  # PTRACE_ATTACH
            raise OSError(ctypes.get_errno(), "ptrace")
        os.waitpid(pid, 0)
        libc.ptrace(17, pid, 0, 0)

    def query():
        return sqlite3.connect(f"file:{data}/roost.db?mode=ro", uri=True).execute("SELECT count(*) FROM run").fetchall()

    def any_of(pattern, way):
        found = glob.glob(pattern, recursive=True)
        if not found:
            raise OSError("nothing there")
        return way(found[0])

    attempt("owner.token", lambda: read(f"{data}/owner.token"))
    attempt("secret", lambda: read(f"{data}/secret"))
    attempt("database", query)
    attempt("runs of others", lambda: any_of(f"{data}/nodes/*/runs/*/code/theirs.txt", read))
    attempt("logs", lambda: any_of(f"{data}/logs/**/*", str))
    attempt("blobs", lambda: any_of(f"{data}/blobs/??/*", str))
    attempt("cached code", lambda: any_of(f"{data}/nodes/cache/blobs/??/*", append))
    attempt("a new file in the cache", lambda: append(f"{data}/nodes/cache/new"))
    attempt("the package of every run", lambda: any_of(f"{data}/nodes/cache/sdk-*/in_run/sitecustomize.py", append))
    attempt("a new file in the data folder", lambda: append(f"{data}/new"))
    for name, pid in (("server", server), ("runner", runner), ("supervisor", os.getppid())):
        attempt(f"environment of the {name}", lambda: read(f"/proc/{pid}/environ"))
        attempt(f"memory of the {name}", lambda: read(f"/proc/{pid}/mem"))
        attempt(f"files of the {name}", lambda: read(f"/proc/{pid}/root{data}/secret"))
        attempt(f"tracing the {name}", lambda: trace(pid))
    attempt("a signal to the server", lambda: os.kill(server, signal.SIGCONT))
    attempt("a signal to the runner", lambda: os.kill(runner, signal.SIGCONT))
    libc = ctypes.CDLL(None)
    attempt("taking the cover away", lambda: 1 / (libc.umount2(data.encode(), 2) == 0))
    attempt("owner.token in the end", lambda: read(f"{data}/owner.token"))
    print(json.dumps(open_doors))
"""

# What training does with its folders.
WORK = """
    import os, subprocess, sys, tempfile
    from pathlib import Path
    from azureml.core import Run
    Path("outputs/model.txt").write_text("weights")
    Path("logs/own.log").write_text("line\\n")
    Run.get_context().log("loss", 0.5)
    assert Path(os.environ["AZUREML_DATAREFERENCE_pictures"], "a.txt").read_text() == "a"
    assert subprocess.run([sys.executable, "-c", "print(1)"]).returncode == 0
    with tempfile.NamedTemporaryFile() as file:
        file.write(b"x")
    Path(os.environ["HOME"], "kept.txt").write_text("by the run")
    print("done", os.getcwd())
"""



def _runner(server: RoostServer) -> int:
    for pid in (int(name) for name in os.listdir("/proc") if name.isdigit()):
        try:
            words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if b"runner" in words and str(server.data).encode() in b" ".join(words):
            return pid
    raise AssertionError("no runner")


def open_doors(server: RoostServer, gate: Any) -> Dict[str, str]:
    """What a run finds open while another one is at work on the next node."""
    other = server.submit(gate.wait_code, files={"theirs.txt": "theirs"})
    server.wait(other, "Running")
    run = server.run(PROBES, arguments=[str(server.data), str(server.pid), str(_runner(server))])
    gate.open()
    server.wait(other, "Completed")
    assert run["status"] == "Completed", (run["error"], server.log(run))
    return json.loads(server.log(run).splitlines()[-1])


def without_namespaces(server: RoostServer) -> RoostServer:
    """Starts it where the kernel allows it none."""
    if not shutil.which("unshare") or subprocess.run(["unshare", "-Ur", "true"], check=False).returncode != 0:
        pytest.skip("a user namespace cannot be made here")
    command = server.command()
    limits = "; ".join(f"echo 0 > /proc/sys/user/max_{kind}_namespaces" for kind in ("user", "mnt", "pid"))
    server.command = lambda: ["unshare", "-Ur", "sh", "-c", limits + '; exec "$@"', "sh", *command]  # type: ignore
    return server.start()


def test_a_run_finds_no_door_into_the_data_folder(server: RoostServer, gate: Any) -> None:
    assert open_doors(server, gate) == {}


def test_a_run_finds_no_door_where_there_are_no_namespaces(make_server: Any, gate: Any) -> None:
    server = without_namespaces(make_server(start=False))
    if "neither namespaces nor Landlock" in server.output:
        pytest.skip("this kernel has no Landlock")
    doors = open_doors(server, gate)
    # Before its sixth version Landlock has no word on signals.
    assert {name for name in doors if not name.startswith("a signal")} == set()
    assert "by Landlock alone" in server.output


def test_training_has_what_it_needs(server: RoostServer) -> None:
    work(server)


def test_training_has_what_it_needs_where_there_are_no_namespaces(make_server: Any) -> None:
    server = make_server(start=False)
    server.environment["HOME"] = str(server.folder / "home")
    (server.folder / "home").mkdir(parents=True)
    work(without_namespaces(server))


def work(server: RoostServer) -> None:
    data = server.snapshot({"a.txt": "a"})
    run = server.run(WORK, inputs=[{"name": "pictures", "content": data}])
    assert run["status"] == "Completed", (run["error"], server.log(run))
    assert server.artifact(run, "outputs/model.txt") == b"weights"
    assert server.metric(run, "loss")["points"][0]["value"] == 0.5
    assert server.log(run, "logs/own.log") == b"line\n"
    assert (Path(server.environment["HOME"]) / "kept.txt").read_text(encoding="utf-8") == "by the run"


def test_a_run_finds_a_server_that_came_back_elsewhere(server: RoostServer, gate: Any) -> None:
    run = server.submit(gate.wait_code + "from azureml.core import Run\nRun.get_context().set_tags({'seen': 'yes'})\n")
    server.wait(run, "Running")
    server.terminate()
    (server.data / "port").unlink(missing_ok=True)
    server.start()
    gate.open()
    assert server.wait(run, "Completed")["tags"]["seen"] == "yes"


def test_the_folder_is_closed_to_other_users(make_server: Any) -> None:
    server = make_server(start=False)
    (server.data / "nodes").mkdir(parents=True)
    for folder in (server.data, server.data / "nodes"):
        folder.chmod(0o755)
    server.start()
    assert server.run("pass")["status"] == "Completed"
    folders: List[Path] = [server.data, server.data / "nodes", *(server.data / "nodes").iterdir()]
    assert {str(folder): oct(folder.stat().st_mode & 0o077) for folder in folders if folder.is_dir()
            and folder.stat().st_mode & 0o077} == {}


def test_a_detached_server_closes_its_folder_too(tmp_path: Path) -> None:
    data = tmp_path / "data"
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    subprocess.run([str(roost_program()), "--data", str(data), "up", "--detach", "--port", "0"], env=environment, check=True,
                   stdout=subprocess.DEVNULL)
    try:
        assert data.stat().st_mode & 0o077 == 0
    finally:
        subprocess.run([str(roost_program()), "--data", str(data), "down"], env=environment, check=True,
                       stdout=subprocess.DEVNULL)


def test_an_input_cannot_be_put_into_roosts_own_folder(server: RoostServer) -> None:
    run = server.run("pass", inputs=[{"name": "x", "content": server.snapshot({"a.txt": "a"}),
                                      "path": str(server.data / "nodes" / "cache" / "sdk")}])
    assert run["status"] == "Failed"
    assert "Roost's own folder" in run["error"]["message"]


def test_code_changed_in_the_cache_is_not_started(server: RoostServer) -> None:
    code = "print('as submitted')\n"
    assert server.run(code)["status"] == "Completed"
    blobs = server.data / "nodes" / "cache" / "blobs"
    changed = [file for file in blobs.rglob("*") if file.is_file() and file.read_bytes() == code.encode()]
    assert len(changed) == 1
    changed[0].chmod(0o644)
    changed[0].write_bytes(code.replace("as", "AS").encode())
    run = server.run(code)
    assert server.log(run) == b"as submitted\n"


def test_a_changed_package_is_unpacked_again(server: RoostServer) -> None:
    assert server.run("pass")["status"] == "Completed"
    node = server.nodes()[0]["id"]
    package = next((server.data / "nodes" / "cache").glob("sdk-*"))
    (package / "in_run" / "sitecustomize.py").write_text("print('poisoned')\n", encoding="utf-8")
    server.stop()
    server.start()
    run = server.run("print('clean')")
    assert node != server.nodes()[0]["id"]
    assert server.log(run) == b"clean\n"
