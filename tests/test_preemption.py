"""Low-priority computes give way: by hand or to dedicated work. Their runs wait, and go on from their checkpoint."""
import json
from typing import Any

import pytest

from conftest import IMPATIENT, Gate, MakeServer
from processes import wait_until
from roost_fixture import RoostServer

# Saves its state when it is told to end, and says it ended well; then does the rest in the next attempt.
SAVING = """
    import json, os, signal, sys, time
    place = "outputs/checkpoint.json"
    state = json.load(open(place)) if os.path.exists(place) else {"steps": [], "restarts": []}
    state["restarts"].append(os.environ["RESTART_COUNT"])
    first = os.environ["RESTART_COUNT"] == "0"

    def save(*_):
        json.dump(state, open(place, "w"))
        print("saved", len(state["steps"]), flush=True)
        sys.exit(0)

    signal.signal(signal.SIGTERM, save)
    print("from step", len(state["steps"]), flush=True)
    state["steps"].append(len(state["steps"]))
    print("working", flush=True)
    while first: time.sleep(0.01)
    json.dump(state, open(place, "w"))
"""

IGNORING = """
    import os, signal, time
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    print("working", flush=True)
    while os.environ["RESTART_COUNT"] == "0": time.sleep(0.01)
"""


def make_compute(server: RoostServer, name: str, **options: Any) -> str:
    server.expect(201, "POST", "/workspaces/default/computes", json={"name": name, **options})
    return name


def make_low(server: RoostServer, name: str, **options: Any) -> str:
    return make_compute(server, name, vm_priority="lowpriority", **options)


def preempt(server: RoostServer, name: str, **body: Any) -> dict:
    return server.expect(202, "POST", f"/workspaces/default/computes/{name}/preempt", json=body)


def working(server: RoostServer, run: dict) -> dict:
    found = server.wait(run, "Running")
    wait_until(lambda: b"working" in server.log(run), 20, "the script is under way")
    return found


def test_a_preempted_run_goes_on_from_its_checkpoint(make_server: MakeServer) -> None:
    server = make_server(IMPATIENT)
    name = make_low(server, "spot", max_nodes=1)
    run = working(server, server.submit(SAVING, compute=name))
    taken = preempt(server, name)
    assert taken == {"nodes": [run["node"]], "runs": [run["id"]]}
    run = server.wait(run, timeout=40)
    assert run["status"] == "Completed" and run["attempt"] == 2, run["error"]
    assert json.loads(server.artifact(run, "outputs/checkpoint.json")) == {"steps": [0, 1], "restarts": ["0", "1"]}
    assert server.log(run).decode().splitlines() == ["from step 1", "working"]
    history = [(event["from"], event["to"], event["reason"]) for event in server.events(run)]
    shown = [line for line in history if "preempted" in line[2]]
    assert [(line[0], line[1]) for line in shown] == [("Running", "Queued")] and taken["nodes"][0] in shown[0][2]
    assert "preempted" in server.cli("show", run["id"]).stdout


def test_the_node_is_shown_as_preempted_until_it_is_gone(make_server: MakeServer) -> None:
    server = make_server({**IMPATIENT, "cancel_grace_seconds": 2})
    name = make_low(server, "spot", max_nodes=1)
    run = working(server, server.submit(IGNORING, compute=name))
    preempt(server, name, node=run["node"])
    found = server.get(f"/workspaces/default/computes/{name}")
    assert found["node_state_counts"]["preempted"] == 1 and found["allocation_state"] == "Resizing"
    node = next(node for node in server.nodes(name) if node["id"] == run["node"])
    assert node["state"] == "preempted" and node["state_at"] > node["started_at"]
    run = server.wait(run, timeout=40)
    assert run["status"] == "Completed" and run["node"] != node["id"]
    wait_until(lambda: node["id"] not in [n["id"] for n in server.nodes(name)], 10, "the preempted node is gone")


def test_preemptions_do_not_use_up_retries(make_server: MakeServer, gate: Gate) -> None:
    server = make_server(IMPATIENT)
    name = make_low(server, "spot", max_nodes=1)
    run = server.submit("print('working', flush=True)\n" + gate.wait_code, compute=name, max_retries=0)
    for attempt in range(1, 4):
        wait_until(lambda: (server.get_run(run)["status"], server.get_run(run)["attempt"]) == ("Running", attempt), 20,
                   f"attempt {attempt} runs")
        preempt(server, name)
    gate.open()
    run = server.wait(run, timeout=40)
    assert run["status"] == "Completed" and run["attempt"] == 4


def test_all_nodes_of_a_gang_are_stopped_when_one_is_taken(make_server: MakeServer, gate: Gate) -> None:
    server = make_server(IMPATIENT)
    name = make_low(server, "spot", max_nodes=2)
    code = "import os\nprint('working', os.environ['RANK'], flush=True)\n" + gate.wait_code
    run = server.submit(code, compute=name, distributed={"kind": "pytorch", "process_count": 2, "node_count": 2})
    server.wait(run, "Running")
    nodes = [rank["node"] for rank in server.get(f"/runs/{run['id']}/ranks")["items"]]
    assert preempt(server, name, node=nodes[1]) == {"nodes": [nodes[1]], "runs": [run["id"]]}
    wait_until(lambda: server.get_run(run)["attempt"] == 2, 30, "it has started again")
    gate.open()
    assert server.wait(run, timeout=40)["status"] == "Completed"
    assert nodes[0] in [rank["node"] for rank in server.get(f"/runs/{run['id']}/ranks")["items"]], "one stayed"


def test_dedicated_work_takes_the_place_of_low_priority_work(make_server: MakeServer, gate: Gate) -> None:
    server = make_server({**IMPATIENT, "local_nodes": 2})
    low = make_low(server, "spot", max_nodes=2)
    own = make_compute(server, "own", max_nodes=2)
    old = working(server, server.submit(SAVING, compute=low))
    young = working(server, server.submit(SAVING, compute=low))
    wanted = server.submit(gate.wait_code, compute=own)
    server.wait(wanted, "Running", timeout=30)
    assert server.get_run(old)["attempt"] == 1 and server.get_run(young)["status"] == "Queued"
    alive = [node for name in (low, own) for node in server.nodes(name)]
    assert len(alive) <= 2, alive
    reasons = [event["reason"] for event in server.events(young)]
    assert any("preempted" in reason and wanted["id"] in reason for reason in reasons), reasons
    gate.open()
    assert server.wait(wanted)["status"] == "Completed"
    young = server.wait(young, timeout=40)
    assert young["status"] == "Completed" and young["attempt"] == 2
    server.cancel(old)
    server.wait(old)


def test_a_canceled_run_is_not_started_again(make_server: MakeServer) -> None:
    server = make_server(IMPATIENT)
    name = make_low(server, "spot", max_nodes=1)
    run = working(server, server.submit(IGNORING, compute=name))
    preempt(server, name)
    server.cancel(run)
    assert server.wait(run, timeout=20)["status"] == "Canceled"


def test_a_restarted_server_still_queues_the_run_again(make_server: MakeServer) -> None:
    server = make_server({**IMPATIENT, "cancel_grace_seconds": 3, "node_silent_seconds": 10, "node_lost_seconds": 20})
    name = make_low(server, "spot", max_nodes=1)
    run = working(server, server.submit(IGNORING, compute=name))
    preempt(server, name)
    server.kill9()
    server.start()
    run = server.wait(run, timeout=40)
    assert run["status"] == "Completed" and run["attempt"] == 2
    assert any("preempted" in event["reason"] for event in server.events(run))


@pytest.mark.parametrize("body,status,words", [({"node": "nobody"}, 404, "nobody"), ({"nodes": 1}, 400, "nodes")])
def test_bad_requests(shared_server: RoostServer, body: dict, status: int, words: str) -> None:
    name = "spot-" + str(status)
    make_low(shared_server, name)
    answer = shared_server.api("POST", f"/workspaces/default/computes/{name}/preempt", json=body)
    assert answer.status == status and words in answer.message


def test_dedicated_nodes_are_not_preempted(shared_server: RoostServer) -> None:
    answer = shared_server.api("POST", "/workspaces/default/computes/local/preempt")
    assert (answer.status, answer.code) == (409, "failed_precondition") and "lowpriority" in answer.message


def test_by_the_command_line(make_server: MakeServer) -> None:
    server = make_server(IMPATIENT)
    name = make_low(server, "spot", max_nodes=1)
    assert "no node to take" in server.cli("compute", "preempt", name).stdout
    run = working(server, server.submit(SAVING, compute=name))
    said = server.cli("compute", "preempt", name, "--node", run["node"]).stdout
    assert run["node"] in said and run["id"] in said
    assert server.wait(run, timeout=40)["status"] == "Completed"
