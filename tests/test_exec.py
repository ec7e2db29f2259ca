"""Getting into a run: exec, shell and port-forward, in its environment and isolation, and never further."""
import http.client
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Dict, Iterator, List

import pytest

from conftest import IMPATIENT, Gate, MakeServer
from plain_user import PlainServer
from processes import command_line, kill, oldest, processes_with, wait_until
from roost_fixture import RoostServer, roost_program
from shell_terminal import Terminal

pytestmark = pytest.mark.both


@pytest.fixture(scope="module")
def shared(make_shared_server: Any) -> RoostServer:
    return make_shared_server(IMPATIENT)


@pytest.fixture
def run(shared: RoostServer, gate: Gate) -> Iterator[Dict[str, Any]]:
    """One that goes on until it is canceled."""
    started = shared.submit(gate.wait_code, files={"data.txt": "of the snapshot\n"}, environment_variables={"OF_THE_RUN": "yes"})
    yield shared.wait(started, "Running")
    gate.open()
    shared.wait(started)


def into(server: RoostServer, run: Any, *command: str, **more: Any) -> subprocess.CompletedProcess:
    return subprocess.run([str(roost_program()), "exec", run["id"], "--", *command], env=server.environment, cwd=server.folder,
                          capture_output=True, timeout=60, **more)


def test_it_has_what_the_runs_processes_have(shared: RoostServer, run: Dict[str, Any]) -> None:
    done = into(shared, run, "sh", "-c", "cat data.txt; echo $OF_THE_RUN; echo $AZUREML_RUN_ID; echo oops >&2; exit 7", stdin=subprocess.DEVNULL)
    assert done.stdout.decode() == f"of the snapshot\nyes\n{run['id']}\n"
    assert (done.stderr, done.returncode) == (b"oops\n", 7)
    # Not the data folder, nor anybody else's processes.
    assert into(shared, run, "cat", str(shared.data / "owner.token"), stdin=subprocess.DEVNULL).returncode != 0
    namespaces = into(shared, run, "readlink", "/proc/1/ns/mnt", "/proc/self/ns/mnt", "/proc/self/ns/pid", stdin=subprocess.DEVNULL).stdout.split()
    if len(namespaces) == 3:
        assert namespaces[0] == namespaces[1] and namespaces[2].decode() != os.readlink("/proc/self/ns/pid")
    event = shared.events(run)[-1]
    assert "a owner" not in event["reason"] and "ran: readlink" in event["reason"], event


def test_bytes_go_through_as_they_are(shared: RoostServer, run: Dict[str, Any]) -> None:
    content = os.urandom(5_000_000)
    done = into(shared, run, "sh", "-c", "cat > big && cat big", input=content)
    assert done.returncode == 0 and done.stdout == content
    assert into(shared, run, "wc", "-c", input=b"").stdout.split() == [b"0"]


def test_the_end_is_told_as_it_was(shared: RoostServer, run: Dict[str, Any]) -> None:
    assert into(shared, run, "sh", "-c", "kill -9 $$", stdin=subprocess.DEVNULL).returncode == 128 + 9
    missing = into(shared, run, "no-such-program", stdin=subprocess.DEVNULL)
    assert missing.returncode == 127 and b"no-such-program" in missing.stderr
    # What it leaves behind holds the output open, and is no reason to wait.
    assert into(shared, run, "sh", "-c", "sleep 100 & echo up", stdin=subprocess.DEVNULL).stdout == b"up\n"


def test_a_slow_reader_costs_no_memory_and_a_gone_one_nothing(shared: RoostServer, run: Dict[str, Any]) -> None:
    before = memory_of(shared)
    endless = subprocess.Popen([str(roost_program()), "exec", run["id"], "--", "cat", "/dev/zero"], env=shared.environment,
                               stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
    assert endless.stdout is not None
    assert endless.stdout.read(1000) == bytes(1000)
    time.sleep(1)  # it would be gigabytes by now
    assert memory_of(shared) - before < 64 << 20
    endless.kill()
    endless.wait()
    wait_until(lambda: not processes_with("/dev/zero"), 20, "the program there ends with whoever looked")


def memory_of(server: RoostServer) -> int:
    return int(Path(f"/proc/{server.pid}/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_a_shell_is_a_terminal(shared: RoostServer, run: Dict[str, Any]) -> None:
    terminal = Terminal([str(roost_program()), "shell", run["id"]], shared.environment, shared.folder, rows=31, columns=97)
    try:
        terminal.type("stty size; echo T=$TERM\r")
        terminal.until("31 97")
        terminal.until("T=xterm-256color")
        terminal.resize(20, 60)
        os.killpg(terminal.process.pid, signal.SIGWINCH)
        terminal.type("while [ \"$(stty size)\" != '20 60' ]; do sleep 0.1; done; echo resi''zed\r")
        terminal.until("resized")
        terminal.type("sleep 1000\r")
        terminal.until("sleep 1000")
        terminal.type("\x03")
        terminal.type("printf '\\033[31mred\\033[0m\\n'; exit 42\r")
        terminal.until("\x1b[31mred\x1b[0m")
        assert terminal.end() == 42
    finally:
        terminal.close()


def test_a_port_is_reached_from_here(shared: RoostServer, gate: Gate) -> None:
    code = ("import http.server, threading\n"
            "server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), http.server.SimpleHTTPRequestHandler)\n"
            "threading.Thread(target=server.serve_forever, daemon=True).start()\n"
            "print(server.server_address[1], flush=True)\n")
    serving = shared.submit(code + gate.wait_code, files={"page.txt": "x" * 3_000_000})
    shared.wait(serving, "Running")
    wait_until(lambda: shared.log(serving).endswith(b"\n"), 20, "its port is known")
    port, local = int(shared.log(serving)), free_port()
    forward = subprocess.Popen([str(roost_program()), "port-forward", serving["id"], f"{local}:{port}"], env=shared.environment,
                               stderr=subprocess.PIPE)
    try:
        assert forward.stderr is not None and str(local) in forward.stderr.readline().decode()
        for _ in range(5):
            connection = http.client.HTTPConnection("127.0.0.1", local, timeout=20)
            connection.request("GET", "/page.txt")
            assert len(connection.getresponse().read()) == 3_000_000
            connection.close()
        said = [event["reason"] for event in shared.events(serving) if f"connected to port {port}" in event["reason"]]
        assert len(said) == 1, said
        forward.send_signal(signal.SIGINT)
        assert forward.wait(20) == 128 + signal.SIGINT
    finally:
        forward.kill()
        forward.wait()
    gate.open()
    shared.wait(serving)


def free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return sock.getsockname()[1]


def test_ranks_are_told_apart(shared: RoostServer, gate: Gate) -> None:
    gang = shared.submit(gate.wait_code, distributed={"kind": "pytorch", "node_count": 2, "process_count": 4})
    shared.wait(gang, "Running", timeout=60)
    for rank in (0, 3):
        done = shared.cli("exec", gang["id"], "--rank", rank, "--", "sh", "-c", "echo $RANK $LOCAL_RANK")
        assert done.stdout == f"{rank} {rank % 2}\n"
    refused = shared.cli("exec", gang["id"], "--rank", 4, "--", "true", check=False)
    assert refused.returncode != 0 and "its ranks are 0 to 3" in refused.stderr
    gate.open()
    shared.wait(gang)


def test_it_ends_with_the_run(shared: RoostServer, gate: Gate) -> None:
    run = shared.wait(shared.submit(gate.wait_code), "Running")
    session = subprocess.Popen([str(roost_program()), "exec", run["id"], "--", "sh", "-c", "echo up; exec sleep 1000"],
                               env=shared.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
    assert session.stdout is not None and session.stdout.readline() == b"up\n"
    gate.open()
    assert shared.wait(run)["status"] == "Completed"
    _, errors = session.communicate(timeout=20)
    assert session.returncode not in (0, None) and b"ended" in errors, errors
    late = into(shared, run, "true", stdin=subprocess.DEVNULL)
    assert late.returncode != 0 and b"has ended" in late.stderr


def test_kill_9_of_the_server_ends_the_session_not_the_run(make_server: MakeServer, gate: Gate) -> None:
    server = make_server()
    run = server.wait(server.submit(gate.wait_code), "Running")
    session = open_session(server, run)
    server.kill9()
    _, errors = session.communicate(timeout=20)
    assert session.returncode not in (0, None) and b"the run itself goes on" in errors, errors
    server.start()
    wait_until(lambda: not sleeping(), 20, "what it ran has ended")
    assert into(server, run, "echo", "again", stdin=subprocess.DEVNULL).stdout == b"again\n"
    gate.open()
    assert server.wait(run)["status"] == "Completed"


def test_kill_9_of_the_runner_ends_the_session(make_server: MakeServer, gate: Gate) -> None:
    server = make_server(IMPATIENT)
    run = server.wait(server.submit(gate.wait_code), "Running")
    session = open_session(server, run)
    [node] = server.nodes("local")
    kill(oldest(pid for pid in processes_with(node["id"]) if "runner" in command_line(pid)))
    _, errors = session.communicate(timeout=30)
    assert session.returncode not in (0, None) and errors, errors
    wait_until(lambda: not sleeping(), 20, "what it ran has ended")


def open_session(server: RoostServer, run: Any) -> subprocess.Popen:
    session = subprocess.Popen([str(roost_program()), "exec", run["id"], "--", "sh", "-c", "echo up; exec sleep 31415"],
                               env=server.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
    assert session.stdout is not None and session.stdout.readline() == b"up\n"
    return session


def sleeping() -> List[int]:
    return [pid for pid in processes_with("31415") if command_line(pid).startswith("sleep")]


def test_a_plain_user_gets_in_too(gate: Gate) -> None:
    server = PlainServer()
    try:
        server.start()
        run = server.wait(server.submit("import time\ntime.sleep(60)"), "Running")
        done = server.cli("exec", run["id"], "--", "sh", "-c", "id -u; pwd; exit 3", check=False)
        assert done.returncode == 3 and done.stdout.splitlines()[0] == str(os.geteuid() or 65534), done
        server.cancel(run)
        server.wait(run)
    finally:
        server.close()


def test_nobody_else_gets_in(shared: RoostServer, run: Dict[str, Any]) -> None:
    reader = shared.new_token("reader")["token"]
    asked = {"command": ["true"]}
    assert shared.api("POST", f"/runs/{run['id']}/sessions", json=asked, token=reader).status == 403
    other = shared.new_token("contributor")["token"]
    session = shared.post(f"/runs/{run['id']}/sessions", json=asked)
    path = f"/runs/{run['id']}/sessions/{session['id']}"
    assert shared.api("GET", path + "/output", token=other).status == 404
    assert shared.api("POST", path + "/input", data=b"", content_type="application/x-roost-frames", token=other).status == 404
    # Nor does a run's own token, from inside.
    token = into(shared, run, "sh", "-c", "echo $AZUREML_RUN_TOKEN", stdin=subprocess.DEVNULL).stdout.decode().strip()
    assert token and shared.api("POST", f"/runs/{run['id']}/sessions", json=asked, token=token).status == 403


def test_bad_requests_are_refused(shared: RoostServer, run: Dict[str, Any]) -> None:
    for bad in ({}, {"command": []}, {"command": "ls"}, {"command": [1]}, {"port": 0}, {"port": 70000}, {"port": "6006"}, [],
                {"command": ["a"], "port": 1}, {"command": ["a"], "rank": -1}, {"command": ["a"], "rank": 9}, {"command": ["a\0"]},
                {"command": ["a"], "terminal": {"rows": 0}}, {"command": ["a"], "terminal": {"x": 1}}, {"command": ["a"], "x": 1}):
        assert shared.api("POST", f"/runs/{run['id']}/sessions", json=bad).status == 400, bad
    session = shared.post(f"/runs/{run['id']}/sessions", json={"command": ["cat"]})
    for junk in (b"junk", b"{}\n", b'{"length":5}\nabc', b'{"k":"in","length":-1}\n'):
        answer = shared.api("POST", f"/runs/{run['id']}/sessions/{session['id']}/input", data=junk,
                            content_type="application/x-roost-frames")
        assert answer.status == 400, junk
    refused = shared.cli("shell", run["id"], check=False)
    assert refused.returncode != 0 and "terminal" in refused.stderr
    assert shared.cli("port-forward", run["id"], "x", check=False).returncode != 0
