"""Who gets nodes when many wait: users, limits, big runs and small ones."""
from typing import Any, Dict, List

import pytest

from conftest import IMPATIENT, Gate, MakeServer
from processes import wait_until
from roost_fixture import RoostServer


@pytest.fixture(scope="module")
def server(make_shared_server: MakeServer) -> RoostServer:
    return make_shared_server(IMPATIENT)


class User:
    """Somebody with a token of their own."""

    def __init__(self, server: RoostServer, name: str) -> None:
        self.server = server
        self.token = server.expect(201, "POST", "/tokens", json={"name": name, "role": "contributor"})["token"]

    def submit(self, code: str = "", **spec: Any) -> Dict[str, Any]:
        wanted = {"experiment": "tests", "command": f"python3 -c '{code}'" if code else "true", **spec}
        return self.server.expect(201, "POST", "/workspaces/default/runs", json=wanted, token=self.token)


def make_compute(server: RoostServer, name: str, **options: Any) -> str:
    server.expect(201, "POST", "/workspaces/default/computes", json={"name": name, **options})
    return name


def in_order(server: RoostServer, runs: List[dict]) -> List[int]:
    started = [server.wait(run, timeout=60)["started_at"] for run in runs]
    return sorted(range(len(runs)), key=lambda i: started[i])


def test_users_take_turns(server: RoostServer, gate: Gate) -> None:
    name = make_compute(server, "turns", max_nodes=1)
    ann, bob = User(server, "ann"), User(server, "bob")
    blocker = server.submit(gate.wait_code, compute=name)
    server.wait(blocker, "Running")
    runs = [ann.submit(compute=name) for _ in range(6)] + [bob.submit(compute=name) for _ in range(2)]
    gate.open()
    order = in_order(server, runs)
    # Bob came last with little: he need not wait for all that Ann asked for before.
    assert max(order.index(6), order.index(7)) <= 4, order
    assert [run for run in order if run < 6] == list(range(6)), "each user's own runs stay in order"


def test_a_user_at_the_limit_holds_up_nobody_else(server: RoostServer, gate: Gate) -> None:
    name = make_compute(server, "limited", max_nodes=3, max_nodes_per_user=1)
    ann, bob = User(server, "anna"), User(server, "bobby")
    first = ann.submit(compute=name, command=f"while [ ! -e {gate.path} ]; do sleep 0.02; done")
    server.wait(first, "Running")
    second = ann.submit(compute=name, priority=9)
    other = bob.submit(compute=name)
    assert server.wait(other)["status"] == "Completed"
    assert server.get_run(second)["status"] in ("Queued", "Provisioning")
    answer = server.api("POST", "/workspaces/default/runs", token=bob.token,
                        json={"experiment": "tests", "command": "true", "compute": name, "node_count": 2,
                              "distributed": {"kind": "pytorch", "process_count": 2, "node_count": 2}})
    assert answer.status == 400 and "at most 1" in answer.message, answer.body
    gate.open()
    assert server.wait(second)["status"] == "Completed"


def test_limits_can_be_changed(server: RoostServer, gate: Gate) -> None:
    name = make_compute(server, "changed", max_nodes=2, max_runs_per_user=1)
    runs = [server.submit(gate.wait_code, compute=name) for _ in range(2)]
    server.wait(runs[0], "Running")
    assert server.get_run(runs[1])["status"] in ("Queued", "Provisioning")
    shown = server.cli("compute", "update", name, "--max-runs-per-user", "2").stdout
    assert "at most 2 runs" in shown
    server.wait(runs[1], "Running")
    gate.open()
    assert [server.wait(run)["status"] for run in runs] == ["Completed"] * 2


def gang(nodes: int) -> Dict[str, Any]:
    return {"kind": "pytorch", "process_count": nodes, "node_count": nodes}


def test_small_runs_fill_the_time_before_a_big_one_and_do_not_delay_it(server: RoostServer, gate: Gate) -> None:
    name = make_compute(server, "backfill", max_nodes=2)
    blocker = server.submit(gate.wait_code, compute=name, max_run_duration_seconds=600)
    server.wait(blocker, "Running")
    big = server.submit("pass", compute=name, distributed=gang(2))
    endless = server.submit("pass", compute=name)
    long = server.submit("pass", compute=name, max_run_duration_seconds=3600)
    short = server.submit("pass", compute=name, max_run_duration_seconds=60)
    assert server.wait(short)["status"] == "Completed", "it ends before the big one could start"
    states = [server.get_run(run)["status"] for run in (big, endless, long)]
    assert all(state in ("Queued", "Provisioning") for state in states), states
    gate.open()
    assert in_order(server, [big, endless, long])[0] == 0


def test_without_time_limits_a_big_run_still_gets_its_turn(server: RoostServer, gate: Gate) -> None:
    name = make_compute(server, "endless", max_nodes=2)
    blocker = server.submit(gate.wait_code, compute=name)
    server.wait(blocker, "Running")
    big = server.submit("pass", compute=name, distributed=gang(2))
    small = [server.submit("pass", compute=name) for _ in range(3)]
    wait_until(lambda: server.get(f"/workspaces/default/computes/{name}")["node_state_counts"]["preparing"] == 0, 20,
               "no node is coming up")
    assert all(server.get_run(run)["status"] in ("Queued", "Provisioning") for run in [big, *small])
    gate.open()
    assert in_order(server, [big, *small])[0] == 0


def test_children_count_for_whoever_started_the_script(server: RoostServer) -> None:
    ann = User(server, "annabel")
    code = "from azureml.core import Run; Run.get_context().child_run(\"child\").complete()"
    parent = ann.submit(code)
    assert server.wait(parent)["status"] == "Completed"
    child = server.get(f"/workspaces/default/runs?parent={parent['id']}")["items"][0]
    assert child["created_by"] == server.get_run(parent)["created_by"] == "annabel"
