"""Queueing by priority, and computes that grow and shrink."""
import pytest

from conftest import IMPATIENT, Gate, MakeServer
from processes import is_alive, wait_until
from roost_fixture import RoostServer


@pytest.fixture(scope="module")
def server(make_shared_server: MakeServer) -> RoostServer:
    return make_shared_server(IMPATIENT)


def make_compute(server: RoostServer, name: str, **options: int) -> str:
    server.expect(201, "POST", "/workspaces/default/computes", json={"name": name, **options})
    return name


def compute(server: RoostServer, name: str) -> dict:
    return server.get(f"/workspaces/default/computes/{name}")


def test_higher_priority_first_then_first_come(server: RoostServer, gate: Gate) -> None:
    name = make_compute(server, "one", max_nodes=1)
    blocker = server.submit(gate.wait_code, compute=name)
    server.wait(blocker, "Running")
    order = [0, 5, -5, 5, 100, 0]
    runs = [server.submit(command="true", compute=name, priority=priority) for priority in order]
    gate.open()
    started = [server.wait(run)["started_at"] for run in runs]
    expected = [4, 1, 3, 0, 5, 2]
    assert sorted(range(len(runs)), key=lambda i: started[i]) == expected


def test_compute_grows_to_its_limit_and_shrinks_when_idle(server: RoostServer, gate: Gate) -> None:
    name = make_compute(server, "elastic", max_nodes=2, idle_seconds_before_scaledown=1)
    assert compute(server, name)["current_node_count"] == 0
    runs = [server.submit(gate.wait_code, compute=name) for _ in range(3)]
    wait_until(lambda: sum(server.get_run(run)["status"] == "Running" for run in runs) == 2, 20, "two of three run")
    nodes = server.nodes(name)
    assert sorted(node["state"] for node in nodes) == ["running", "running"]
    assert all(is_alive(node["pid"]) for node in nodes) and len({node["pid"] for node in nodes}) == 2
    found = compute(server, name)
    assert (found["current_node_count"], found["node_state_counts"]["running"]) == (2, 2)
    gate.open()
    assert [server.wait(run)["status"] for run in runs] == ["Completed"] * 3
    wait_until(lambda: compute(server, name)["current_node_count"] == 0, 20, "the compute is empty again")
    wait_until(lambda: not any(is_alive(node["pid"]) for node in nodes), 10, "the runners have ended")
    assert compute(server, name)["allocation_state"] == "Steady"


def test_a_warm_node_is_used_again(server: RoostServer) -> None:
    name = make_compute(server, "warm", max_nodes=2, idle_seconds_before_scaledown=600)
    first = server.run(command="true", compute=name)
    second = server.run(command="true", compute=name)
    assert first["node"] == second["node"] and len(server.nodes(name)) == 1


def test_min_nodes_are_kept(server: RoostServer) -> None:
    name = make_compute(server, "kept", min_nodes=1, max_nodes=2, idle_seconds_before_scaledown=0)
    wait_until(lambda: compute(server, name)["node_state_counts"]["idle"] == 1, 20, "one node waits")
    server.expect(200, "PATCH", f"/workspaces/default/computes/{name}", json={"min_nodes": 0})
    wait_until(lambda: compute(server, name)["current_node_count"] == 0, 20, "no node is left")


def test_a_compute_in_use_is_not_removed(server: RoostServer, gate: Gate) -> None:
    name = make_compute(server, "busy", max_nodes=1)
    run = server.submit(gate.wait_code, compute=name)
    server.wait(run, "Running")
    answer = server.api("DELETE", f"/workspaces/default/computes/{name}")
    assert (answer.status, answer.code) == (409, "failed_precondition") and name in answer.message
    gate.open()
    assert server.wait(run)["status"] == "Completed"
    nodes = server.nodes(name)
    server.expect(202, "DELETE", f"/workspaces/default/computes/{name}")
    wait_until(lambda: server.api("GET", f"/workspaces/default/computes/{name}").status == 404, 20, "it is gone")
    wait_until(lambda: not any(is_alive(node["pid"]) for node in nodes), 20, "its runners have ended")


def test_a_drained_compute_goes_after_its_last_run(server: RoostServer, gate: Gate) -> None:
    name = make_compute(server, "drained", max_nodes=1)
    running = server.submit(gate.wait_code, compute=name)
    server.wait(running, "Running")
    waiting = server.submit("pass", compute=name)
    assert "--drain" in server.api("DELETE", f"/workspaces/default/computes/{name}").message
    assert "takes no new runs" in server.cli("compute", "rm", name, "--drain").stdout
    assert compute(server, name)["provisioning_state"] == "Deleting"
    answer = server.api("POST", "/workspaces/default/runs",
                        json={"experiment": "tests", "command": "true", "compute": name})
    assert answer.status == 409 and "takes no new runs" in answer.message, answer.body
    gate.open()
    assert [server.wait(run)["status"] for run in (running, waiting)] == ["Completed"] * 2
    wait_until(lambda: server.api("GET", f"/workspaces/default/computes/{name}").status == 404, 20, "it is gone")


def test_node_states_have_their_time(server: RoostServer, gate: Gate) -> None:
    name = make_compute(server, "timed", max_nodes=1)
    run = server.wait(server.submit(gate.wait_code, compute=name), "Running")
    running = server.nodes(name)[0]
    assert running["state"] == "running" and running["state_at"] <= run["started_at"]
    assert compute(server, name)["allocation_state_at"] == running["state_at"]
    gate.open()
    server.wait(run)
    idle = server.nodes(name)[0]
    assert idle["state"] == "idle" and idle["state_at"] > running["state_at"]


def test_size_that_the_machine_lacks_is_told(server: RoostServer) -> None:
    name = make_compute(server, "huge")
    server.expect(202, "DELETE", f"/workspaces/default/computes/{name}")
    server.expect(201, "POST", "/workspaces/default/computes", json={"name": name, "vm_size": "Standard_ND96asr_v4"})
    found = compute(server, name)
    assert found["vm_size"].lower() == "standard_nd96asr_v4"
    assert any("GPU" in notice for notice in found["notices"]), found["notices"]


def test_runs_without_gpu_see_none(server: RoostServer) -> None:
    name = make_compute(server, "cpu-only")
    server.expect(202, "DELETE", f"/workspaces/default/computes/{name}")
    server.expect(201, "POST", "/workspaces/default/computes", json={"name": name, "vm_size": "STANDARD_D2_V2"})
    run = server.run("import os; print(repr(os.environ.get('CUDA_VISIBLE_DEVICES')))", compute=name)
    assert server.log(run) in (b"''\n", b"'-1'\n", b"None\n")  # None: this machine has no GPU at all
