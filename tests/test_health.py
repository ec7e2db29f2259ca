"""Nobody is taken for dead by what fails by itself: a clock that is set, a pause, a full table, a port, a copy."""
import resource
import shutil
import signal
import socket
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, List

import pytest

from conftest import IMPATIENT, Gate, MakeServer
from processes import environment_of, is_alive, kill, processes_with, wait_until
from roost_fixture import RoostServer
from trainer import Training
from wall_clock import WallClock

QUICK = {"heartbeat_seconds": 0.5, "node_silent_seconds": 2, "node_lost_seconds": 4, "cancel_grace_seconds": 1}


def begun(server: RoostServer, diary: Path, count: int = 700, **spec: Any) -> Training:
    training = Training(server, diary, count=count, **spec)
    wait_until(lambda: training.steps() > 10, 30, "the training is under way")
    return training


def check_it_went_on(server: RoostServer, training: Training) -> None:
    run = server.wait(training.run, timeout=60)
    assert (run["status"], run["attempt"]) == ("Completed", 1), (run["error"], server.events(run))
    training.check_all_is_there_once()


def runner_of(server: RoostServer, run: dict) -> int:
    (pid,) = [node["pid"] for node in server.nodes() if node["run"] == run["id"]]
    return pid


def test_a_server_that_stood_still_blames_nobody(make_server: MakeServer, tmp_path: Path) -> None:
    """The runner stands still too, and a little longer, as on a machine that was asleep."""
    server = make_server(QUICK)
    training = begun(server, tmp_path / "diary")
    runner = runner_of(server, training.run)
    for pid in (server.pid, runner):
        kill(pid, signal.SIGSTOP)
    try:
        time.sleep(6)  # longer than node_lost_seconds
    finally:
        kill(server.pid, signal.SIGCONT)
    time.sleep(1)
    kill(runner, signal.SIGCONT)
    check_it_went_on(server, training)
    assert "NotResponding" not in server.states(training.run)


def test_a_short_pause_of_a_runner_is_forgiven_and_a_long_one_is_not(make_server: MakeServer, tmp_path: Path) -> None:
    server = make_server({**QUICK, "node_silent_seconds": 1, "node_lost_seconds": 8})
    training = begun(server, tmp_path / "diary")
    runner = runner_of(server, training.run)
    kill(runner, signal.SIGSTOP)
    try:
        server.wait(training.run, "NotResponding", timeout=20)
    finally:
        kill(runner, signal.SIGCONT)
    check_it_went_on(server, training)
    lost = begun(server, tmp_path / "lost", count=100_000)
    runner = runner_of(server, lost.run)
    kill(runner, signal.SIGSTOP)
    assert server.wait(lost.run, "Failed", timeout=40)["error"]["code"] == "node_lost"
    wait_until(lambda: not is_alive(runner), 10, "a node that is lost is ended")


@pytest.mark.parametrize("hours", [2, -2])
def test_a_wall_clock_that_is_set_ends_nothing(make_server: MakeServer, tmp_path: Path, hours: int) -> None:
    if not (shutil.which("cc") or shutil.which("gcc")):
        pytest.skip("there is no C compiler to make a clock with")
    clock = WallClock(tmp_path / "clock")
    server = make_server(QUICK, start=False)
    server.environment.update(clock.environment)
    server.start()
    server.expect(201, "POST", "/workspaces/default/computes",
                  json={"name": "patient", "max_nodes": 1, "idle_seconds_before_scaledown": 600})
    assert server.run("print('a node that stays')", compute="patient")["status"] == "Completed"
    [idle] = server.nodes("patient")
    training = begun(server, tmp_path / "diary", max_run_duration_seconds=120)
    clock.set(hours * 3600)
    check_it_went_on(server, training)
    assert [node["id"] for node in server.nodes("patient")] == [idle["id"]], "idle for seconds, not for hours"
    assert server.wait(server.submit("import time; time.sleep(60)", max_run_duration_seconds=1),
                       timeout=30)["error"]["code"] == "time_limit"
    assert server.run("print('next')")["status"] == "Completed"


def test_idle_connections_without_a_token_do_no_harm(make_server: MakeServer, tmp_path: Path) -> None:
    """More of them than the server may have files open."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < 2048:
        pytest.skip("this test itself needs 2,048 open files")
    server = make_server(QUICK, start=False)
    begin = server.command
    server.command = lambda: ["prlimit", "--nofile=1024:1024", *begin()]  # type: ignore[method-assign]
    server.start()
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 2048), hard))
    held: List[socket.socket] = []
    try:
        training = begun(server, tmp_path / "diary")
        address = ("127.0.0.1", int(server.info["url"].rsplit(":", 1)[1]))
        for _ in range(1124):
            held.append(socket.create_connection(address, timeout=5))
        check_it_went_on(server, training)
        assert server.run("print('and the next')")["status"] == "Completed"
        assert "NotResponding" not in server.states(training.run)
    finally:
        for connection in held:
            connection.close()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_a_run_has_the_file_limit_that_the_server_was_started_with(make_server: MakeServer) -> None:
    server = make_server(start=False)
    begin = server.command
    server.command = lambda: ["prlimit", "--nofile=1000:2000", *begin()]  # type: ignore[method-assign]
    server.start()
    run = server.run("import resource; print(resource.getrlimit(resource.RLIMIT_NOFILE))")
    assert server.log(run) == b"(1000, 2000)\n"
    assert resource.prlimit(server.pid, resource.RLIMIT_NOFILE) == (2000, 2000)


def test_a_copy_of_the_folder_leaves_the_original_alone(make_server: MakeServer, tmp_path: Path) -> None:
    """A backup is started beside what it was made of: it knows the runners by pid and start time."""
    server = make_server(QUICK)
    training = begun(server, tmp_path / "diary", count=1500)
    runner = runner_of(server, training.run)
    shutil.copytree(server.data, tmp_path / "restored", ignore=shutil.ignore_patterns("server.json", "port"))
    restored = make_server({**QUICK, "cancel_grace_seconds": 0}, data=tmp_path / "restored")
    assert restored.info.get("data_id") == server.info.get("data_id")
    wait_until(lambda: restored.get_run(training.run)["status"] == "Failed", 20, "the copy knows that it has no such node")
    assert is_alive(runner)
    restored.stop()
    assert is_alive(runner)
    check_it_went_on(server, training)


class Stranger(BaseHTTPRequestHandler):
    """Another server that got the port: it knows nobody."""

    asked: List[str] = []

    def _answer(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.asked.append(self.path)
        body = b'{"error": {"code": "unauthenticated", "message": "who are you?"}}'
        self.send_response(401)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = do_PUT = _answer

    def log_message(self, *_: Any) -> None:
        pass


def test_another_server_at_the_same_port_is_not_believed(make_server: MakeServer, tmp_path: Path) -> None:
    server = make_server(QUICK)
    training = begun(server, tmp_path / "diary", count=1000)
    file = (server.data / "server.json").read_text()
    port = int(server.info["url"].rsplit(":", 1)[1])
    server.kill9()
    Stranger.asked.clear()
    stranger = ThreadingHTTPServer(("127.0.0.1", port), Stranger)
    threading.Thread(target=stranger.serve_forever, daemon=True).start()
    try:
        assert (server.data / "server.json").read_text() == file
        wait_until(lambda: len(Stranger.asked) > 5, 20, "the runner has heard the stranger")
        before = training.steps()
        wait_until(lambda: training.steps() > before + 20, 20, "the training goes on")
    finally:
        stranger.shutdown()
        stranger.server_close()
    server.start()
    check_it_went_on(server, training)


def test_every_answer_says_whose_it_is(server: RoostServer) -> None:
    wanted = (server.data / "id").read_text().strip()
    assert server.info["data_id"] == wanted and len(wanted) == 32
    for path, token in [("/server", None), ("/server", "wrong"), ("/nowhere", None)]:
        assert server.api("GET", path, token=token, check=False).headers["roost-data"] == wanted
    server.restart()
    assert server.info["data_id"] == wanted


SAVES = """
import os, signal, sys, time
done = "outputs/step.txt"
step = int(open(done).read()) if os.path.exists(done) else 0
def save(*_):
    time.sleep(float(sys.argv[2]))
    with open(done, "w") as file: file.write(str(step))
    print("saved", step, flush=True)
    sys.exit(0)
signal.signal(signal.SIGTERM, save)
print("began at", step, flush=True)
while step < 40 or not os.path.exists(sys.argv[1]):
    step += 1
    time.sleep(0.02)
"""


def test_a_runner_that_is_told_to_end_gives_the_training_its_grace(make_server: MakeServer, gate: Gate) -> None:
    """As at a reboot: the script saves its state, and the run goes on from it elsewhere, at no cost."""
    server = make_server({**QUICK, "cancel_grace_seconds": 10})
    run = server.submit(SAVES, arguments=[str(gate.path), "1.5"])
    wait_until(lambda: server.get_run(run)["status"] == "Running" and server.log(run), 30, "the run is ready")
    first = runner_of(server, run)
    kill(first, signal.SIGTERM)
    wait_until(lambda: server.get_run(run)["attempt"] == 2, 30, "it is tried again")
    wait_until(lambda: not is_alive(first), 20, "the runner has left")
    gate.open()
    run = server.wait(run, "Completed", timeout=30)
    assert run["attempt"] == 2 and run["max_retries"] == 0
    saved = server.log(run, attempt=1).decode().splitlines()
    assert saved[0] == "began at 0" and saved[1].startswith("saved "), saved
    assert server.log(run, attempt=2).decode().splitlines()[0] == "began at " + saved[1].split()[1]
    assert any("told to end" in event["reason"] for event in server.events(run)), server.events(run)


def test_a_runner_told_to_end_while_the_server_is_away_costs_no_retry(make_server: MakeServer, gate: Gate) -> None:
    server = make_server({**QUICK, "cancel_grace_seconds": 1})
    run = server.submit(SAVES, arguments=[str(gate.path), "0"])
    wait_until(lambda: server.get_run(run)["status"] == "Running" and server.log(run), 30, "the run is ready")
    runner = runner_of(server, run)
    server.kill9()
    kill(runner, signal.SIGTERM)
    wait_until(lambda: not [pid for pid in processes_with(run["id"]) if pid != runner], 20, "the training has ended")
    kill(runner)  # as the machine does in the end
    server.start()
    gate.open()
    assert server.wait(run, "Completed", timeout=30)["attempt"] == 2


def test_all_of_a_machine_is_told_to_end_at_once(make_server: MakeServer, gate: Gate) -> None:
    """systemd sends SIGTERM to every process it stops, the training before its runner perhaps."""
    server = make_server(QUICK)
    run = server.submit(gate.wait_code, files={"x": "x"})
    server.wait(run, "Running")
    runner = runner_of(server, run)
    for pid in sorted(processes_with(run["id"]), reverse=True):
        kill(pid, signal.SIGTERM)
    kill(runner, signal.SIGTERM)
    wait_until(lambda: server.get_run(run)["attempt"] == 2, 30, "it is tried again")
    gate.open()
    assert server.wait(run, "Completed", timeout=30)["attempt"] == 2


def test_what_nobody_has_is_given_up(make_server: MakeServer) -> None:
    """A node that answers, but whose order got lost: it says what it has, and this is not among it."""
    server = make_server({**IMPATIENT, "node_lost_seconds": 60, "node_silent_seconds": 2})
    server.expect(201, "POST", "/workspaces/default/computes", json={"name": "one", "min_nodes": 1, "max_nodes": 1})
    wait_until(lambda: [n["state"] for n in server.nodes("one")] == ["idle"], 20, "the node is up")
    [node] = server.nodes("one")
    token = environment_of(node["pid"])["ROOST_NODE_TOKEN"]
    kill(node["pid"], signal.SIGSTOP)
    run = server.submit(command="true", compute="one")
    path = f"/nodes/{node['id']}/heartbeat"
    beat = {"run": None, "attempt": 0, "usage": None, "parts": []}

    def given_up() -> bool:
        server.api("POST", path, json=beat, token=token)
        return any("does not have its part" in event["reason"] for event in server.events(run))

    wait_until(given_up, 30, "the run is tried again", interval=0.3)
    kill(node["pid"], signal.SIGCONT)
    assert server.wait(run, timeout=40)["status"] == "Completed"
