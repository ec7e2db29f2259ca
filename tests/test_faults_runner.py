"""A runner dies or falls silent: the run tells it, is retried or fails, and leaves no process."""
import signal
from pathlib import Path

import pytest

from conftest import IMPATIENT, MakeServer
from processes import kill, processes_with, wait_until
from roost_fixture import RoostServer
from trainer import Training


def runner_of(server: RoostServer, run: dict) -> int:
    (pid,) = [node["pid"] for node in server.nodes() if node["run"] == run["id"]]
    return pid


def under_way(server: RoostServer, diary: Path, **spec: object) -> Training:
    training = Training(server, diary, **{"count": 100_000, **spec})
    wait_until(lambda: training.steps() > 10, 20, "the training is under way")
    return training


def test_kill_9_of_a_runner_fails_the_run(impatient_server: RoostServer, tmp_path: Path) -> None:
    server = impatient_server
    training = under_way(server, tmp_path / "diary")
    kill(runner_of(server, training.run))
    run = server.wait(training.run, "Failed", timeout=30)
    states = server.states(run)
    assert states[states.index("Running") + 1] == "NotResponding"
    assert "node" in run["error"]["message"].lower() and run["error"]["code"], run["error"]
    assert any("heartbeat" in e["reason"] or "node" in e["reason"] or "runner" in e["reason"]
               for e in server.events(run) if e["to"] == "NotResponding")
    assert processes_with(run["id"]) == [] and training.processes() == []
    assert server.log(run).startswith(b"line 000000\n"), "what was shipped before is kept"
    assert server.run("print('next')")["status"] == "Completed"


def test_kill_9_of_a_runner_is_retried(impatient_server: RoostServer, tmp_path: Path) -> None:
    server = impatient_server
    diary = tmp_path / "diary"
    training = under_way(server, diary, count=600, max_retries=1)
    kill(runner_of(server, training.run))
    run = server.wait(training.run, timeout=40)
    assert (run["status"], run["attempt"], run["error"]) == ("Completed", 2, None)
    states = server.states(run)
    assert states.index("NotResponding") < len(states) - states[::-1].index("Queued")
    assert states.count("Running") >= 2 and states[-1] == "Completed"
    assert len(training.starts()) == 2 and training.processes() == [] and processes_with(run["id"]) == []
    training.check_all_is_there_once()
    assert server.log(run, attempt=1).startswith(b"line 000000\n"), "the log of the first attempt is kept"


def test_retries_end(impatient_server: RoostServer, tmp_path: Path) -> None:
    server = impatient_server
    training = under_way(server, tmp_path / "diary", max_retries=1)
    kill(runner_of(server, training.run))
    wait_until(lambda: server.get_run(training.run)["attempt"] == 2 and
               server.get_run(training.run)["status"] == "Running", 30, "the second attempt runs")
    kill(runner_of(server, training.run))
    run = server.wait(training.run, timeout=30)
    assert (run["status"], run["attempt"]) == ("Failed", 2) and processes_with(run["id"]) == []


def test_a_failing_script_is_not_retried(impatient_server: RoostServer) -> None:
    run = impatient_server.run("raise SystemExit(3)", max_retries=5)
    assert (run["status"], run["attempt"], run["exit_code"]) == ("Failed", 1, 3)


def test_silent_runner_may_come_back(make_server: MakeServer, tmp_path: Path) -> None:
    server = make_server({**IMPATIENT, "node_silent_seconds": 2, "node_lost_seconds": 60})
    training = under_way(server, tmp_path / "diary", count=800)
    runner = runner_of(server, training.run)
    kill(runner, signal.SIGSTOP)
    try:
        server.wait(training.run, "NotResponding", timeout=15)
    finally:
        kill(runner, signal.SIGCONT)
    run = server.wait(training.run)
    assert (run["status"], run["attempt"]) == ("Completed", 1), run["error"]
    states = server.states(run)
    assert "Running" in states[states.index("NotResponding"):]
    training.check_it_never_stopped(longest_pause=2)
    training.check_all_is_there_once()


def test_runner_back_from_the_dead_changes_nothing(impatient_server: RoostServer, tmp_path: Path) -> None:
    server = impatient_server
    training = under_way(server, tmp_path / "diary", count=1000, pause=0.002, max_retries=1)
    runner = runner_of(server, training.run)
    kill(runner, signal.SIGSTOP)
    try:
        wait_until(lambda: server.get_run(training.run)["attempt"] == 2, 40, "the second attempt has begun")
    finally:
        kill(runner, signal.SIGCONT)
    run = server.wait(training.run, timeout=40)
    assert (run["status"], run["attempt"]) == ("Completed", 2), run["error"]
    training.check_all_is_there_once()
    wait_until(lambda: processes_with(run["id"]) == [], 10, "nothing of either attempt is left")


def test_runner_killed_while_the_server_is_away(impatient_server: RoostServer, tmp_path: Path) -> None:
    server = impatient_server
    training = under_way(server, tmp_path / "diary")
    runner = runner_of(server, training.run)
    server.kill9()
    kill(runner)
    server.start()
    run = server.wait(training.run, "Failed", timeout=30)
    assert run["error"]["message"]
    wait_until(lambda: processes_with(run["id"]) == [], 10, "nothing is left")


def test_idle_runner_killed_is_replaced(impatient_server: RoostServer) -> None:
    server = impatient_server
    first = server.run("print(1)")
    assert first["status"] == "Completed"
    for node in server.nodes():
        kill(node["pid"])
    assert server.run("print(2)", timeout=40)["status"] == "Completed"


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_runner_survives_what_a_terminal_sends(impatient_server: RoostServer, tmp_path: Path, sign: int) -> None:
    """SIGTERM takes the node away and the run goes on elsewhere; whatever comes, no process is left behind."""
    server = impatient_server
    training = under_way(server, tmp_path / "diary", count=500)
    kill(runner_of(server, training.run), sign)
    run = server.wait(training.run, timeout=40)
    if sign == signal.SIGTERM:
        assert (run["status"], run["attempt"]) == ("Completed", 2), run["error"]
    if run["status"] == "Completed":
        training.check_all_is_there_once()
    else:
        assert run["error"]["message"]
    wait_until(lambda: not processes_with(run["id"]), 10, "no process of the run is left")
