"""rerun_run: the same run again."""
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
    for key in ("script", "arguments", "environment_variables", "environment"):
        assert again["spec"][key] == run["spec"][key], key
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
