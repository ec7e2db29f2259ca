"""rerun_run: the same run again."""
from typing import Any, List

import pytest

from roost_fixture import RoostServer

CODE = "import os, sys; print(sys.argv[1:], os.environ['A'])"


@pytest.fixture(scope="module")
def server(shared_server: RoostServer) -> RoostServer:
    return shared_server


def test_a_rerun_is_the_same_run_again(server: RoostServer) -> None:
    run = server.run(CODE, arguments=["--lr", "0.1"], environment_variables={"A": "b"}, display_name="a name",
                     tags={"k": "v"}, properties={"p": "q"}, priority=3, git={"branch": "main", "dirty": False})
    server.expect(200, "PATCH", f"/runs/{run['id']}", json={"tags": {"later": "1"}})
    again = server.wait(server.expect(201, "POST", f"/runs/{run['id']}/rerun"))
    assert again["id"] != run["id"] and again["status"] == "Completed" and again["number"] == run["number"] + 1
    for key in ("experiment", "display_name", "snapshot", "compute", "priority", "git", "max_retries"):
        assert again[key] == run[key], key
    for key in ("script", "arguments", "environment_variables"):
        assert again["spec"][key] == run["spec"][key], key
    assert again["environment"] == run["environment"]
    assert again["tags"] == {"k": "v", "later": "1"}
    assert again["properties"]["roost.rerun_of"] == run["id"] and again["properties"]["p"] == "q"
    assert server.log(again) == server.log(run) == b"['--lr', '0.1'] b\n"
    third = server.wait(server.expect(201, "POST", f"/runs/{again['id']}/rerun"))
    assert third["properties"]["roost.rerun_of"] == again["id"]
    assert server.get("/workspaces/default/run-table?q=params.lr%3D0.1")["total"] == 3


def test_it_belongs_to_who_asked_for_it(server: RoostServer) -> None:
    run = server.run(command="false")
    assert run["status"] == "Failed"
    token = server.new_token("contributor")["token"]
    again = server.expect(201, "POST", f"/runs/{run['id']}/rerun", token=token)
    assert again["created_by"] == "a contributor" and server.wait(again)["status"] == "Failed"


def test_what_cannot_be_repeated_says_so(server: RoostServer) -> None:
    interactive = server.expect(201, "POST", "/workspaces/default/runs", json={"experiment": "e", "interactive": True})
    refused = server.api("POST", f"/runs/{interactive['id']}/rerun")
    assert refused.code == "failed_precondition" and "interactive" in refused.message
    server.post(f"/runs/{interactive['id']}/complete")
    assert server.api("POST", "/runs/absent/rerun").status == 404
    run = server.run(command="true")
    reader = server.new_token("reader")["token"]
    assert server.api("POST", f"/runs/{run['id']}/rerun", token=reader).status == 403
    assert server.get("/workspaces/default/run-table?q=experiment:tests%20command")["total"] == 0


def test_a_rerun_needs_its_compute(server: RoostServer) -> None:
    server.expect(201, "POST", "/workspaces/default/computes", json={"name": "short", "max_nodes": 1})
    run = server.submit(command="true", compute="short")
    server.wait(run)
    server.expect((200, 202), "DELETE", "/workspaces/default/computes/short")
    refused = server.api("POST", f"/runs/{run['id']}/rerun")
    assert refused.status in (404, 409) and "short" in refused.message


def changed(server: RoostServer, run: Any, **changes: Any) -> Any:
    return server.wait(server.expect(201, "POST", f"/runs/{run['id']}/rerun", json={"changes": changes}))


def test_single_options_and_all_of_them(server: RoostServer) -> None:
    run = server.run(CODE, arguments=["--lr", "0.1", "--epochs", "3"], environment_variables={"A": "b"})
    assert server.log(changed(server, run, options=["--lr", "1", "--amp"])) == b"['--lr', '1', '--epochs', '3', '--amp'] b\n"
    assert server.log(changed(server, run, arguments=["x"])) == b"['x'] b\n"
    assert server.log(changed(server, run, command="echo all new")) == b"all new\n"
    line = server.run(command="python train.py --lr 0.1 \"$A $A\"", files={"train.py": CODE}, environment_variables={"A": "b"})
    assert server.log(changed(server, line, options=["--lr", "2"])) == b"['--lr', '2', 'b b'] b\n"
    piped = server.run(command="echo --lr 1 | cat")
    refused = server.api("POST", f"/runs/{piped['id']}/rerun", json={"changes": {"options": ["--lr", "2"]}})
    assert refused.status == 409 and "whole command line" in refused.message


def test_variables_compute_and_experiment(server: RoostServer) -> None:
    run = server.run(CODE, arguments=[], environment_variables={"A": "b", "B": "c"})
    server.expect(201, "POST", "/workspaces/default/computes", json={"name": "other", "max_nodes": 2})
    again = changed(server, run, environment_variables={"A": "d", "B": None}, compute="other", experiment="another", node_count=2)
    assert again["experiment"] == "another" and again["compute"] == "other" and again["spec"]["node_count"] == 2
    assert again["spec"]["environment_variables"] == {"A": "d"} and again["properties"]["roost.rerun_of"] == run["id"]
    assert server.log(again, "azureml-logs/70_driver_log_1.txt") == b"[] d\n"


def test_a_dry_run_starts_nothing(server: RoostServer) -> None:
    run = server.run(CODE, arguments=["--lr", "0.1"], environment_variables={"A": "b", "HF_TOKEN": "secret-token"})
    before = server.get("/workspaces/default/runs?limit=1")["items"][0]["id"]
    path = f"/runs/{run['id']}/rerun"
    shown = server.expect(200, "POST", path, json={"dry_run": True, "changes": {
        "options": ["--lr", "1"], "environment_variables": {"HF_TOKEN": "another-token", "C": "d"}}})
    assert shown["changes"] == [{"name": "arguments", "from": ["--lr", "0.1"], "to": ["--lr", "1"]},
                                {"name": "environment_variables.C", "from": None, "to": "d"},
                                {"name": "environment_variables.HF_TOKEN", "from": "***", "to": "***"}]
    assert shown["spec"]["arguments"] == ["--lr", "1"] and shown["before"]["arguments"] == ["--lr", "0.1"]
    assert server.expect(200, "POST", path, json={"dry_run": True})["changes"] == []
    for changes, status in (({"compute": "nowhere"}, 404), ({"environment": {"name": "nobodys"}}, 404), ({"node_count": 900}, 400)):
        assert server.api("POST", path, json={"dry_run": True, "changes": changes}).status == status, changes
    assert server.get("/workspaces/default/runs?limit=1")["items"][0]["id"] == before


def test_changes_that_cannot_be_meant(server: RoostServer) -> None:
    run = server.run(CODE, arguments=[], environment_variables={"A": "b"})
    path = f"/runs/{run['id']}/rerun"
    bad: List[Any] = [[], {"changes": []}, {"changes": {"options": ["x"]}}, {"changes": {"options": "--x"}}, {"changes": {"nothing": 1}},
                      {"dry_run": 1}, {"changes": {"options": ["--x"], "arguments": []}}, {"changes": {"environment_variables": {"A": 1}}},
                      {"changes": {"node_count": 0}}, {"changes": {"experiment": "a b"}}, {"changes": {"environment": []}},
                      {"changes": {"snapshot": "x"}}, {"changes": {"tags": {"a": 1}}}, {"changes": {"compute": 5}},
                      {"changes": {"environment_variables": {"API_KEY": "***"}}}, {"changes": {"secrets": {"A": "x y"}}}]
    for body in bad:
        assert server.api("POST", path, json=body, check=False).status == 400, body


def test_other_peoples_secrets_do_not_go_into_other_programs(server: RoostServer) -> None:
    ada, eve = (server.new_token("contributor", name=name)["token"] for name in ("ada", "eve"))
    body = {"experiment": "e", "command": "echo $HF_TOKEN | rev", "environment_variables": {"HF_TOKEN": "adas-own-token"}}
    run = server.expect(201, "POST", "/workspaces/default/runs", token=ada, json=body)
    server.wait(run)
    path = f"/runs/{run['id']}/rerun"
    for changes in ({"command": "env | rev"}, {"environment_variables": {"BASH_ENV": "x"}}, {"environment": {"python": "/bin/sh"}}):
        refused = server.api("POST", path, token=eve, json={"changes": changes})
        assert refused.status == 403 and "HF_TOKEN" in refused.message, changes
    server.expect(201, "POST", path, token=eve, json={"changes": {"display_name": "the same"}})
    own = server.expect(201, "POST", path, token=eve, json={"changes": {"command": "echo $HF_TOKEN | rev",
                                                                     "environment_variables": {"HF_TOKEN": "eves-own-token"}}})
    server.wait(own)
    assert server.log(own).decode().strip() == "eves-own-token"[::-1]
    server.wait(server.expect(201, "POST", path, token=ada, json={"changes": {"command": "echo $HF_TOKEN"}}))


def test_an_answer_that_was_lost_makes_no_second_run(server: RoostServer) -> None:
    run = server.run(command="true")
    once = [server.expect(201, "POST", f"/runs/{run['id']}/rerun", json={}, headers={"Idempotency-Key": "k-1"})["id"] for _ in range(2)]
    assert once[0] == once[1]


def test_the_command_line(server: RoostServer) -> None:
    run = server.run(CODE, arguments=["--lr", "0.1"], environment_variables={"A": "b"})["id"]
    shown = server.cli("rerun", run, "--dry-run", "--set-env", "A=c", "--", "--lr", "0.5").stdout
    assert "train.py --lr 0.5" in shown and "environment_variables.A" in shown
    done = server.cli("rerun", run, "--set-env", "A=c", "--", "--lr", "0.5")
    assert done.stdout == "['--lr', '0.5'] c\n"
    assert server.cli("rerun", run, "--replace-args", "--", "--x").stdout == "['--x'] b\n"
    assert server.cli("rerun", run, "--", "echo", "a b").stdout == "a b\n"
    assert server.cli("rerun", run).stdout == "['--lr', '0.1'] b\n"
    assert "nothing differs" in server.cli("rerun", run, "--dry-run").stdout
    wrong = server.cli("rerun", run, "--env", "A=b", check=False)
    assert wrong.returncode != 0 and "--set-env" in wrong.stderr
