"""A run that gets nowhere: it is said to hang, and one can see where."""
import shutil

import pytest

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


# One rank does not come, and the others wait for it as MPI does: by asking again and again.
SPINNING = """
    import time
    from mpi4py import MPI
    world = MPI.COMM_WORLD
    print("up", flush=True)
    if world.Get_rank() == 1:
        time.sleep(600)
    world.Barrier()
"""

# Says nothing for long, but is at another place whenever one looks.
WORKING = """
    import time
    def deeper(depth):
        end = time.time() + 0.02
        while time.time() < end: pass
        if depth: deeper(depth - 1)
    end = time.time() + 9
    while time.time() < end: deeper(60)
"""


@pytest.mark.skipif(not shutil.which("mpirun"), reason="there is no mpirun on this machine")
def test_ranks_that_spin_are_flagged_too(make_server: MakeServer) -> None:
    pytest.importorskip("mpi4py")
    server = make_server({"heartbeat_seconds": 0.5, "hang_seconds": 3})
    run = server.wait(server.submit(SPINNING, distributed={"kind": "mpi", "process_count_per_node": 3}), "Running")
    flagged = wait_until(lambda: server.get_run(run)["notices"], 60, "the run is said to hang")
    assert len(flagged) == 1 and "always stood at the same place" in flagged[0], flagged
    assert server.get_run(run)["status"] == "Running", "nothing is ended for it"
    server.cancel(run)
    assert server.wait(run)["status"] == "Canceled"


def test_ranks_that_work_in_silence_are_not_said_to_hang(make_server: MakeServer) -> None:
    server = make_server({"heartbeat_seconds": 0.5, "hang_seconds": 3})
    run = server.wait(server.submit(WORKING, distributed=GANG), timeout=60)
    assert run["status"] == "Completed" and server.get_run(run)["notices"] == [], run


def test_a_busy_or_talking_run_is_not_said_to_hang(make_server: MakeServer) -> None:
    server = make_server({"heartbeat_seconds": 0.5, "hang_seconds": 2})
    busy = server.submit("import time\nend = time.time() + 6\nwhile time.time() < end: pass")
    talking = server.submit("import time\nfor i in range(12): print(i, flush=True); time.sleep(0.5)")
    for run in (busy, talking):
        assert server.wait(run, timeout=40)["status"] == "Completed" and server.get_run(run)["notices"] == []
