"""The server dies, is stopped, comes back: training goes on and nothing is lost or doubled."""
import http.client
import random
import sqlite3
import time
from pathlib import Path

import pytest

from conftest import Gate, MakeServer
from processes import command_line, kill, oldest, processes_with, wait_until
from roost_fixture import RoostServer
from trainer import Training


def test_kill_9_at_random_moments(server: RoostServer, tmp_path: Path) -> None:
    dice = random.Random(20261115)
    trainings = [Training(server, tmp_path / f"diary{i}", count=1500) for i in range(4)]
    answered = []
    for training in trainings:
        wait_until(training.steps, 20, "the training has begun")
    for _ in range(6):
        time.sleep(dice.uniform(0.05, 0.8))
        server.kill9()
        time.sleep(dice.uniform(0, 0.5))
        server.start()
        answered.append(server.submit("print('in between')"))
    for training in trainings:
        run = server.wait(training.run, timeout=90)
        assert (run["status"], run["attempt"]) == ("Completed", 1), run["error"]
        training.check_it_never_stopped(longest_pause=2)
        training.check_all_is_there_once()
    for run in answered:
        assert server.wait(run, timeout=60)["status"] == "Completed"
        assert server.log(run) == b"in between\n"


def test_kill_9_before_a_new_node_was_written_down(server: RoostServer, gate: Gate) -> None:
    """The server starts a runner and dies before its pid is in the database: the runner is no stranger for that."""
    run = server.wait(server.submit(gate.wait_code), "Running")
    server.kill9()
    with sqlite3.connect(server.data / "roost.db") as database:
        assert database.execute("UPDATE node SET pid = 0, pid_started = 0").rowcount == 1
    server.start()
    time.sleep(6)  # longer than a node may take to start
    gate.open()
    run = server.wait(run)
    assert (run["status"], run["attempt"]) == ("Completed", 1), run["error"]
    [node] = server.nodes("local")
    kill(oldest(pid for pid in processes_with(node["id"]) if "runner" in command_line(pid)))
    wait_until(lambda: not server.nodes("local"), 10, "the death of the runner is seen, so its process is known again")


def test_kill_9_while_submitting(server: RoostServer) -> None:
    dice = random.Random(7)
    answered = []
    for kill in range(3):
        until = time.monotonic() + dice.uniform(0.1, 0.5)
        while time.monotonic() < until:
            answered.append(server.submit(command="true", tags={"n": str(len(answered))})["id"])
        server.kill9()
        with pytest.raises((OSError, http.client.HTTPException)):
            server.submit(command="true")
        server.start()
    runs = {run["id"]: run for run in server.pages("/workspaces/default/runs", limit=1000)}
    assert set(answered) <= set(runs), "a run that was answered with 201 is gone"
    assert len({run["number"] for run in runs.values()}) == len(runs)
    for run in runs:
        finished = server.wait(run, timeout=120)
        assert finished["status"] == "Completed", (finished["error"], server.events(run))


def test_kill_9_while_finishing(server: RoostServer, tmp_path: Path) -> None:
    """Kills around the moments of Running -> Finalizing -> Completed."""
    for i in range(8):
        training = Training(server, tmp_path / f"diary{i}", count=60, pause=0)
        wait_until(lambda: training.steps() >= 1 + i * 8, 20, "the training is under way", interval=0.001)
        server.kill9()
        server.start()
        run = server.wait(training.run, timeout=30)
        assert (run["status"], run["attempt"]) == ("Completed", 1), run["error"]
        training.check_all_is_there_once()


def test_clean_stop_leaves_training_running(server: RoostServer, tmp_path: Path) -> None:
    training = Training(server, tmp_path / "diary", count=400)
    wait_until(lambda: training.steps() > 20, 20, "the training is under way")
    assert server.terminate() == 0
    before = training.steps()
    wait_until(lambda: training.steps() > before + 50, 10, "the training goes on without the server")
    server.start()
    run = server.wait(training.run)
    assert (run["status"], run["attempt"]) == ("Completed", 1), run["error"]
    training.check_it_never_stopped(longest_pause=2)
    training.check_all_is_there_once()


def test_training_that_ends_while_the_server_is_away(server: RoostServer, tmp_path: Path) -> None:
    training = Training(server, tmp_path / "diary", count=200)
    wait_until(lambda: training.steps() > 5, 20, "the training is under way")
    server.kill9()
    wait_until(lambda: training.steps() == 200, 20, "the training has done its last step")
    wait_until(lambda: not training.processes(), 10, "the training has ended")
    server.start()
    run = server.wait(training.run)
    assert (run["status"], run["exit_code"]) == ("Completed", 0), run["error"]
    training.check_all_is_there_once()


def test_follower_goes_on_after_a_restart(server: RoostServer, tmp_path: Path) -> None:
    training = Training(server, tmp_path / "diary", count=300)
    text, offset, kills = "", 0, 0
    while True:
        try:
            for line in server.follow(training.run, offset=offset):
                if line["type"] == "log":
                    text, offset = text + line["text"], line["offset"]
                    if text.count("\n") > 60 * (kills + 1) and kills < 2:
                        kills += 1
                        server.kill9()
                        server.start()
                        break
                if line["type"] == "end":
                    assert kills == 2 and text.encode() == server.log(training.run)
                    return
        except (OSError, http.client.HTTPException):
            pass


def test_queued_runs_survive_a_restart(make_server: MakeServer, tmp_path: Path) -> None:
    server = make_server()
    server.expect(201, "POST", "/workspaces/default/computes", json={"name": "one", "max_nodes": 1})
    first = Training(server, tmp_path / "diary", count=100, compute="one")
    queued = [server.submit(command=f"echo {i}", compute="one") for i in range(3)]
    wait_until(first.steps, 20, "the first has begun")
    server.kill9()
    server.start()
    assert [server.wait(run)["status"] for run in [first.run, *queued]] == ["Completed"] * 4
    first.check_all_is_there_once()
    assert [server.log(run) for run in queued] == [b"0\n", b"1\n", b"2\n"]


def test_cancel_survives_a_kill(make_server: MakeServer) -> None:
    server = make_server({"cancel_grace_seconds": 2})
    run = server.submit("""
        import signal, time
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        print('ready', flush=True)
        time.sleep(600)
    """)
    wait_until(lambda: server.get_run(run)["status"] == "Running" and server.log(run), 20, "the run is ready")
    server.cancel(run)
    server.kill9()
    server.start()
    assert server.wait(run, "Canceled", timeout=20)["signal"] == 9
    assert processes_with(run["id"]) == []


def test_down_ends_everything(server: RoostServer) -> None:
    run = server.submit("import time; time.sleep(600)")
    server.wait(run, "Running")
    server.stop()
    wait_until(lambda: not processes_with(str(server.data)), 10, "no process is left")
    server.start()
    assert server.wait(run)["status"] == "Canceled"
