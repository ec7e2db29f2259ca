"""A run whose node is lost goes on from its last checkpoint: what it wrote to ./outputs is there again."""
import json

from conftest import IMPATIENT, Gate, MakeServer
from processes import kill, wait_until
from roost_fixture import RoostServer

COUNTING = """
    import json, os, time
    rank = os.environ.get("RANK", "0")
    place = "outputs/checkpoint.json"
    state = json.load(open(place)) if os.path.exists(place) else {"step": 0, "restarts": []}
    state["restarts"].append(os.environ["RESTART_COUNT"])
    print("from step", state["step"], "restart", os.environ["RESTART_COUNT"], flush=True)
    first = os.environ["RESTART_COUNT"] == "0"
    while state["step"] < 5:
        state["step"] += 1
        if rank == "0":
            with open(place + ".new", "w") as file:
                json.dump(state, file)
            os.replace(place + ".new", place)
        if first and state["step"] == 3:
            print("waiting", flush=True)
            time.sleep(600)
    print("done", flush=True)
"""


def runner_of(server: RoostServer, node: str) -> int:
    (pid,) = [one["pid"] for one in server.nodes() if one["id"] == node]
    return pid


def kept(server: RoostServer, run: dict) -> bool:
    files = server.get(f"/runs/{run['id']}/artifacts")["items"]
    return any(file["path"] == "outputs/checkpoint.json" for file in files)


def test_one_process_goes_on(make_server: MakeServer) -> None:
    server = make_server(IMPATIENT)
    run = server.wait(server.submit(COUNTING, max_retries=1), "Running")
    wait_until(lambda: kept(server, run), 60, "the checkpoint is on the server while the run goes on")
    kill(runner_of(server, server.get_run(run)["node"]))
    run = server.wait(run, timeout=40)
    assert run["status"] == "Completed" and run["attempt"] == 2, run["error"]
    assert server.log(run).decode().splitlines() == ["from step 3 restart 1", "done"]
    assert json.loads(server.artifact(run, "outputs/checkpoint.json")) == {"step": 5, "restarts": ["0", "1"]}


def test_all_nodes_of_a_gang_go_on(make_server: MakeServer) -> None:
    server = make_server(IMPATIENT)
    gang = {"kind": "pytorch", "process_count": 4, "node_count": 2}
    run = server.wait(server.submit(COUNTING, max_retries=1, distributed=gang), "Running")
    wait_until(lambda: kept(server, run), 60, "the checkpoint is on the server while the run goes on")
    kill(runner_of(server, server.get(f"/runs/{run['id']}/ranks")["items"][3]["node"]))
    run = server.wait(run, timeout=40)
    assert run["status"] == "Completed" and run["attempt"] == 2, run["error"]
    for rank in range(4):
        first, last = server.log(run, f"azureml-logs/70_driver_log_{rank}.txt").decode().splitlines()
        # Those beside rank 0 share its folder and may come when it is further already.
        assert first in {f"from step {step} restart 1" for step in ((3,) if rank != 1 else (3, 4, 5))} and last == "done"
    reasons = [event["reason"] for event in server.get(f"/runs/{run['id']}/events")["items"]]
    assert any("trying again (1 of 1 retries)" in reason for reason in reasons), reasons


SHARDED = """
    import os, time
    rank = os.environ["RANK"]
    parts = [f"outputs/checkpoint/part-{i}" for i in (0, 1)]
    print("found", [open(part).read() if os.path.exists(part) else None for part in parts], flush=True)
    if os.environ["RESTART_COUNT"] != "0":
        raise SystemExit(0)
    def save(text):
        os.makedirs("outputs/checkpoint", exist_ok=True)
        open(f"outputs/checkpoint/part-{rank}.new", "w").write(text)
        os.replace(f"outputs/checkpoint/part-{rank}.new", f"outputs/checkpoint/part-{rank}")
    save("first")
    while not os.path.exists("%s"): time.sleep(0.01)
    if rank == "0":
        save("second")
        print("saved", flush=True)
    time.sleep(600)
"""


def test_the_parts_of_a_checkpoint_come_back_together(make_server: MakeServer, gate: Gate) -> None:
    """Each node writes its part. One is lost when only the other has written its part of the second checkpoint."""
    server = make_server(IMPATIENT)
    gang = {"kind": "pytorch", "process_count": 2, "node_count": 2}
    run = server.wait(server.submit(SHARDED % gate.path, max_retries=1, distributed=gang), "Running")
    wait_until(lambda: len(server.artifacts(run, "outputs/checkpoint/")) == 2, 60, "the first checkpoint is kept")
    gate.open()
    log = "azureml-logs/70_driver_log_0.txt"
    wait_until(lambda: b"saved" in server.log(run, log), 20, "one part of the second is written")
    kill(runner_of(server, server.get(f"/runs/{run['id']}/ranks")["items"][1]["node"]))
    run = server.wait(run, timeout=60)
    assert run["status"] == "Completed" and run["attempt"] == 2, run["error"]
    assert server.log(run, log) == b"found ['first', 'first']\n"
