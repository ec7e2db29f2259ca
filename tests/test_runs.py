"""A run from submit to its end, through the API."""

import pytest

from conftest import Gate
from roost_fixture import RoostServer, own_properties, sha256


@pytest.fixture(scope="module")
def server(shared_server: RoostServer) -> RoostServer:
    return shared_server


def test_completed_run_went_through_every_state_in_order(server: RoostServer) -> None:
    run = server.run("print('hello')")
    assert (run["status"], run["exit_code"], run["signal"], run["error"]) == ("Completed", 0, None, None)
    events = server.events(run)
    states = [event["to"] for event in events if event["to"] != "Provisioning"]
    assert states == ["Starting", "Preparing", "Queued", "Running", "Finalizing", "Completed"]
    for before, after in zip(events, events[1:]):
        assert after["from"] == before["to"] and after["at"] >= before["at"] and after["seq"] > before["seq"]
    assert run["created_at"] <= run["started_at"] <= run["ended_at"]
    assert set(run["durations"]) >= {"Queued", "Running", "Finalizing"}
    assert server.log(run) == b"hello\n"


def test_run_keeps_what_it_was_given(server: RoostServer, name: str) -> None:
    git = {"repository_uri": "ssh://git/birds", "branch": "main", "commit": "abc123", "dirty": True}
    spec = {"experiment": name, "display_name": "first try", "arguments": ["--lr", "0.1"], "priority": 3,
            "max_retries": 2, "environment_variables": {"A": "1"}, "tags": {"bird": "turkey"},
            "properties": {"seed": "7"}, "git": git, "max_run_duration_seconds": 100}
    run = server.run("print('x')", **spec)
    assert run["status"] == "Completed", run["error"]
    assert {key: run["spec"][key] for key in spec} == spec
    assert (run["workspace"], run["experiment"], run["number"]) == ("default", name, 1)
    assert run["git"] == git and run["tags"] == {"bird": "turkey"} and own_properties(run) == {"seed": "7"}
    assert run["id"].startswith(name + "_") and run["created_by"] and run["compute"] == "local"
    assert run["snapshot"] and run["environment"]
    assert server.submit(command="true", experiment=name)["number"] == 2


def test_lines_are_seen_while_the_run_still_runs(server: RoostServer, gate: Gate) -> None:
    first = "print('the first line', flush=True)\n"
    run = server.submit(first + gate.wait_code + "print('last')")
    text = ""
    lines = server.follow(run)
    for line in lines:
        if line["type"] == "log":
            text += line["text"]
        if "\n" in text:
            break
    assert text == "the first line\n" and server.get_run(run)["status"] == "Running"  # how late, bench/ measures
    gate.open()
    rest = list(lines)
    assert rest[-1]["type"] == "end" and rest[-1]["run"]["status"] == "Completed"
    assert text + "".join(line["text"] for line in rest if line["type"] == "log") == server.log(run).decode()


def test_follow_tells_the_states_and_ends(server: RoostServer) -> None:
    run = server.submit("print('a')")
    lines = list(server.follow(run))
    states = [line["status"] for line in lines if line["type"] == "status"]
    assert states[-1] == "Completed" and states == [s for s in server.states(run) if s in states]
    assert lines[-1]["run"]["id"] == run["id"] and lines[-1]["run"]["exit_code"] == 0


def test_tags_change_and_properties_do_not(server: RoostServer) -> None:
    run = server.run(command="true", tags={"a": "1", "b": "2"}, properties={"p": "1"})
    path = f"/runs/{run['id']}"
    change = {"tags": {"b": None, "c": "4"}, "remove_tags": ["a", "none such"], "properties": {"q": "2"}}
    changed = server.expect(200, "PATCH", path, json=change)
    assert changed["tags"] == {"b": None, "c": "4"} and own_properties(changed) == {"p": "1", "q": "2"}
    answer = server.api("PATCH", path, json={"tags": {"x": "y"}, "properties": {"new": "1", "p": "2"}})
    assert (answer.status, answer.code) == (409, "failed_precondition") and "p" in answer.message
    assert own_properties(server.get_run(run)) == {"p": "1", "q": "2"}, "half of a refused change was made"
    assert server.get_run(run)["tags"] == {"b": None, "c": "4"}


def test_experiments_count_their_runs(server: RoostServer, name: str) -> None:
    runs = [server.submit(command="true", experiment=name) for _ in range(3)]
    assert [run["number"] for run in runs] == [1, 2, 3]
    experiment = server.get(f"/workspaces/default/experiments/{name}")
    assert experiment["run_count"] == 3 and experiment["last_run_at"] == runs[-1]["created_at"]
    for run in runs:
        server.wait(run)


def test_workspaces_are_apart(server: RoostServer) -> None:
    server.expect(201, "POST", "/workspaces", json={"name": "other"})
    run = server.wait(server.submit(command="echo other", workspace="other", experiment="there"))
    assert run["status"] == "Completed", run["error"]
    assert [r["id"] for r in server.get("/workspaces/other/runs")["items"]] == [run["id"]]
    assert run["id"] not in [r["id"] for r in server.get("/workspaces/default/runs?limit=1000")["items"]]
    assert server.api("GET", "/workspaces/default/experiments/there").status == 404


def test_a_script_that_changes_its_files_changes_no_snapshot(server: RoostServer) -> None:
    code = "print(open('data.txt').read())\nopen('data.txt', 'w').write('changed')\nopen('train.py', 'w').write('x')\n"
    files = {"data.txt": "original"}
    first, second = (server.run(code, files=files) for _ in range(2))
    assert first["snapshot"] == second["snapshot"]
    assert server.log(first) == server.log(second) == b"original\n"
    entries = {e["path"]: e for e in server.get(f"/snapshots/{first['snapshot']}")["entries"]}
    assert server.get(f"/blobs/{entries['data.txt']['digest']}") == b"original"
    assert entries["data.txt"]["digest"] == sha256(b"original")


def test_runs_on_local_compute_run_at_once(server: RoostServer, gate: Gate) -> None:
    runs = [server.submit(gate.wait_code) for _ in range(2)]
    for run in runs:
        server.wait(run, "Running")
    gate.open()
    assert [server.wait(run)["status"] for run in runs] == ["Completed"] * 2
