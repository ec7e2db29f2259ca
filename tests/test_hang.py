"""A run that does nothing: it is said to hang, and one can see where."""
from conftest import MakeServer
from processes import wait_until

WAITING = """
    import os, threading, time
    def wait_for_the_peer():
        time.sleep(600)
    print("up", flush=True)
    if os.environ["RANK"] == "1":
        wait_for_the_peer()
    threading.Event().wait()
"""
GANG = {"kind": "pytorch", "process_count": 2, "node_count": 2}


def test_a_run_that_hangs_is_flagged_and_shows_its_stacks(make_server: MakeServer) -> None:
    server = make_server({"heartbeat_seconds": 0.5, "hang_seconds": 2})
    run = server.wait(server.submit(WAITING, distributed=GANG), "Running")
    flagged = wait_until(lambda: server.get_run(run)["notices"], 30, "the run is said to hang")
    assert len(flagged) == 1 and "seems to hang" in flagged[0] and f"roost stacks {run['id']}" in flagged[0]
    shown = server.cli("stacks", run["id"]).stdout
    assert "rank 0 on" in shown and "rank 1 on" in shown
    assert "in wait_for_the_peer" in shown.split("rank 1 on")[1] and "threading.py" in shown.split("rank 1 on")[0]
    assert server.get_run(run)["status"] == "Running", "looking changes nothing"
    server.cli("cancel", run["id"])
    assert server.wait(run)["status"] == "Canceled"
    refused = server.cli("stacks", run["id"], check=False)
    assert refused.returncode != 0 and "no processes to look at" in refused.stderr


def test_a_busy_or_talking_run_is_not_said_to_hang(make_server: MakeServer) -> None:
    server = make_server({"heartbeat_seconds": 0.5, "hang_seconds": 2})
    busy = server.submit("import time\nend = time.time() + 6\nwhile time.time() < end: pass")
    talking = server.submit("import time\nfor i in range(12): print(i, flush=True); time.sleep(0.5)")
    for run in (busy, talking):
        assert server.wait(run, timeout=40)["status"] == "Completed" and server.get_run(run)["notices"] == []
