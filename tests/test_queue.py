"""What waits, why, and when it will likely start: the queue by the API and by the command line."""
from typing import Any, Dict, List

import pytest

from conftest import Gate
from roost_fixture import RoostServer


@pytest.fixture(scope="module")
def server(shared_server: RoostServer) -> RoostServer:
    return shared_server


def make_compute(server: RoostServer, name: str, max_nodes: int) -> str:
    server.expect(201, "POST", "/workspaces/default/computes", json={"name": name, "max_nodes": max_nodes})
    return name


def queue(server: RoostServer, query: str) -> List[Dict[str, Any]]:
    return server.get(f"/workspaces/default/queue?{query}")["items"]


def test_gangs_priorities_and_what_can_never_start(server: RoostServer, gate: Gate) -> None:
    name = make_compute(server, "gangs", 3)
    first = server.submit(gate.wait_code, compute=name)
    server.wait(first, "Running")
    giant = server.submit(gate.wait_code, compute=name, node_count=3)
    server.expect(200, "PATCH", f"/workspaces/default/computes/{name}", json={"max_nodes": 2})
    gang = server.submit(gate.wait_code, compute=name, node_count=2)
    small = server.submit(gate.wait_code, compute=name, priority=-1, node_count=2)
    found = {item["run"]: item for item in queue(server, f"compute={name}")}
    assert set(found) == {gang["id"], small["id"], giant["id"]}
    assert found[gang["id"]]["reason"].startswith("waiting for 1 more node; ")
    assert (found[gang["id"]]["position"], found[gang["id"]]["nodes"]) == (1, 2)
    assert found[small["id"]]["reason"] == "behind 1 run of higher priority"
    assert found[giant["id"]]["reason"] == "the compute may have at most 2 nodes and this run wants 3"
    assert found[giant["id"]]["position"] is None
    assert all(item["estimated_start_at"] is None for item in found.values()), "nothing tells when the first will end"
    assert all(item["waiting_since"] >= first["created_at"] for item in found.values())
    holders = [item for item in queue(server, f"compute={name}&running=true") if item["status"] == "Running"]
    assert [item["run"] for item in holders] == [first["id"]] and len(holders[0]["node_names"]) == 1
    server.cli("cancel", giant["id"])
    gate.open()
    assert server.wait(gang)["status"] == server.wait(small)["status"] == "Completed"
    assert queue(server, f"compute={name}&running=true") == []


def test_starts_are_estimated_by_earlier_runs_or_by_time_limits(server: RoostServer, gate: Gate) -> None:
    name = make_compute(server, "timed", 1)
    for _ in range(3):
        server.run(command="sleep 0.2", compute=name, experiment="timed")
    running = server.submit(gate.wait_code, compute=name, max_run_duration_seconds=3600)
    server.wait(running, "Running")
    runs = [server.submit(command="sleep 0.2", compute=name, experiment="timed") for _ in range(2)]
    first, second = queue(server, f"compute={name}")
    assert (first["run"], second["run"]) == (runs[0]["id"], runs[1]["id"])
    assert first["estimate_basis"] == "by time limits, at the latest"
    assert running["created_at"] < first["estimated_start_at"] < second["estimated_start_at"]
    assert server.cli("queue", "--compute", name).stdout.count("within 1 h") == 2
    gate.open()
    assert [server.wait(run)["status"] for run in runs] == ["Completed"] * 2


def test_the_verb(server: RoostServer, gate: Gate) -> None:
    name = make_compute(server, "shown", 1)
    assert server.cli("queue", "--compute", name).stderr == "nothing waits\n"
    running = server.submit(gate.wait_code, compute=name)
    server.wait(running, "Running")
    waiting = server.submit(command="true", compute=name)
    lines = server.cli("queue", "--compute", name, "--mine").stdout.splitlines()
    assert lines[0].split() == ["#", "RUN", "STATUS", "FOR", "STARTS", "WHY"]
    assert len(lines) == 2 and waiting["id"] in lines[1] and lines[1].endswith("waiting for 1 more node; 1 of 1 in use")
    shown = server.cli("queue", "--all").stdout
    assert running["id"] in shown and server.get_run(running)["node"] in shown
    assert server.cli("queue", "--quiet", "--compute", name).stdout.split() == [waiting["id"]]
    assert server.cli_json("queue", "--compute", name)["items"][0]["run"] == waiting["id"]
    assert server.cli("queue", "--user", "nobody").stderr == "nothing waits\n"
    assert "waits" in server.cli("show", waiting["id"]).stdout
    gate.open()
    server.wait(waiting)


@pytest.mark.parametrize("arguments, code, word", [
    (["--compute", "none-such"], 3, "none-such"), (["--limit", "0"], 2, "--limit"), (["--watch"], 2, "terminal"),
])
def test_wrong_call(server: RoostServer, arguments: List[str], code: int, word: str) -> None:
    done = server.cli("queue", *arguments, check=False)
    assert done.returncode == code and word in done.stderr


@pytest.mark.parametrize("query", ["limit=0", "limit=x", "cursor=-1", "running=perhaps", "mine=1"])
def test_bad_queries_are_refused(server: RoostServer, query: str) -> None:
    assert server.api("GET", f"/workspaces/default/queue?{query}").status == 400


def test_a_run_shows_all_its_nodes_and_the_time_in_each_state(server: RoostServer) -> None:
    name = make_compute(server, "both", 2)
    run = server.get_run(server.run(command="sleep 0.1", compute=name, node_count=2))
    assert len(run["nodes"]) == 2 and run["nodes"][0] == run["node"]
    shown = server.cli("show", run["id"]).stdout
    assert f"{run['nodes'][0]}, {run['nodes'][1]}" in shown
    for state, seconds in run["durations"].items():
        assert seconds >= 0 and sum(line.split()[:1] == [state] for line in shown.splitlines()) == 1, state


def test_a_reader_sees_the_queue(server: RoostServer) -> None:
    token = server.cli_json("token", "create", "looker", "--role", "reader")["token"]
    assert server.api("GET", "/workspaces/default/queue", token=token).status == 200
    assert server.api("GET", "/workspaces/none-such/queue", token=token).status == 404
