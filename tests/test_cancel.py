"""Cancel and time limit: SIGTERM, a grace period, SIGKILL, and nothing of the run is left."""
import os
import time

import pytest

from conftest import IMPATIENT, Gate, MakeServer
from processes import processes_with, wait_until
from roost_fixture import RoostServer

DAEMON = """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.chdir('/')
        for fd in range(3): os.close(fd)
        os.execve('/bin/sleep', [{mark!r}, '600'], {{}})
    os._exit(0)
os.wait()
print('daemon started', flush=True)
"""


@pytest.fixture(scope="module")
def server(make_shared_server: MakeServer) -> RoostServer:
    return make_shared_server(IMPATIENT)


def started(server: RoostServer, code: str, word: str = "ready", **spec: object) -> dict:
    """Submits and waits until the script has printed `word`."""
    run = server.submit(code, **spec)
    text = ""
    for line in server.follow(run):
        text += line.get("text", "")
        if word in text:
            return run
    raise AssertionError(f"the run ended without {word!r}: {text}")


def none_left(run: dict) -> bool:
    return not processes_with(run["id"])


def test_cancel_sends_sigterm_first(server: RoostServer) -> None:
    run = started(server, """
        import signal, sys, time
        def leave(*_):
            print('cleaning up', flush=True); open('outputs/saved', 'w').write('yes'); sys.exit(0)
        import os; os.makedirs('outputs', exist_ok=True)
        signal.signal(signal.SIGTERM, leave)
        print('ready', flush=True)
        time.sleep(600)
    """)
    assert server.cancel(run)["status"] in ("CancelRequested", "Finalizing", "Canceled")
    ended = server.wait(run, "Canceled")
    assert b"cleaning up" in server.log(run) and server.artifact(run, "outputs/saved") == b"yes"
    assert "CancelRequested" in server.states(run) and ended["ended_at"]
    assert none_left(run)


def test_script_that_ignores_sigterm_is_killed(server: RoostServer) -> None:
    run = started(server, """
        import signal, time
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        print('ready', flush=True)
        time.sleep(600)
    """)
    before = time.monotonic()
    server.cancel(run)
    ended = server.wait(run, "Canceled", timeout=15)
    assert ended["signal"] == 9 and time.monotonic() - before > IMPATIENT["cancel_grace_seconds"] * 0.8
    assert none_left(run)


@pytest.mark.parametrize("end", ["cancel", "exit"])
def test_daemon_that_forked_twice_is_gone(server: RoostServer, end: str) -> None:
    mark = f"daemon-{os.urandom(6).hex()}"
    code = DAEMON.format(mark=mark) + ("time.sleep(600)" if end == "cancel" else "")
    run = started(server, code, "daemon started")
    if end == "cancel":
        assert processes_with(mark)
        server.cancel(run)
    server.wait(run, "Canceled" if end == "cancel" else "Completed", timeout=15)
    wait_until(lambda: not processes_with(mark), 2, "the daemon is gone")
    assert none_left(run)


def test_whole_tree_is_ended(server: RoostServer) -> None:
    run = started(server, command="for i in 1 2 3; do (sleep 600 & sleep 600) & done; echo ready; wait", code=None)
    server.cancel(run)
    server.wait(run, "Canceled", timeout=15)
    assert none_left(run)


def test_cancel_of_a_queued_run(server: RoostServer, gate: Gate) -> None:
    server.expect(201, "POST", "/workspaces/default/computes", json={"name": "one-node", "max_nodes": 1})
    first = server.submit(gate.wait_code, compute="one-node")
    second = server.submit("print('never')", compute="one-node")
    server.wait(first, "Running")
    server.cancel(second)
    ended = server.wait(second, "Canceled")
    assert ended["started_at"] is None and ended["exit_code"] is None and "Running" not in server.states(second)
    gate.open()
    assert server.wait(first)["status"] == "Completed"


def test_cancel_of_a_finished_run_changes_nothing(server: RoostServer) -> None:
    run = server.run("print('done')")
    answer = server.api("POST", f"/runs/{run['id']}/cancel")
    assert (answer.status, answer.code) == (409, "failed_precondition") and run["id"] in answer.message
    assert server.get_run(run)["status"] == "Completed"


def test_cancel_twice(server: RoostServer) -> None:
    run = started(server, "import time; print('ready', flush=True); time.sleep(600)")
    for _ in range(3):
        assert server.api("POST", f"/runs/{run['id']}/cancel").status in (200, 409)
    assert server.wait(run, "Canceled")["status"] == "Canceled"
    assert server.states(run).count("CancelRequested") == 1


def test_time_limit(server: RoostServer) -> None:
    run = started(server, "import time; print('ready', flush=True); time.sleep(600)", max_run_duration_seconds=1)
    ended = server.wait(run, ("Canceled", "Failed"), timeout=15)
    text = str([event["reason"] for event in server.events(run)]) + str(ended["error"])
    assert "max_run_duration_seconds" in text or "time limit" in text, text
    assert none_left(run)
