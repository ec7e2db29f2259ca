"""Runs that some process elsewhere reports to: no compute, no node; and what a script's token may do below its run."""
import json
import textwrap

from conftest import Gate
from processes import wait_until
from roost_fixture import RoostServer

RUNS = "/workspaces/default/runs"


def interactive(server: RoostServer, **more: object) -> dict:
    return server.post(RUNS, {"experiment": "talk", "interactive": True, **more})


def test_life_of_an_interactive_run(server: RoostServer) -> None:
    run = interactive(server, tags={"a": "b"})
    assert (run["status"], run["compute"], run["node"]) == ("Running", "", None) and run["started_at"]
    path = f"/runs/{run['id']}"
    server.api("POST", f"{path}/records?stream=s", data=b'["scalar","loss",1,null,1]\n', content_type="text/plain")
    server.expect(201, "PUT", f"{path}/artifacts/outputs/a.txt", data=b"mine", content_type="application/octet-stream")
    server.restart()
    assert server.get(path)["status"] == "Running", "nobody but its owner ends it"
    assert server.post(f"{path}/complete")["status"] == "Completed"
    assert [e["to"] for e in server.get(f"{path}/events")["items"]] == [
        "Starting", "Running", "Finalizing", "Completed"]
    assert server.get(f"{path}/metrics")["items"][0]["name"] == "loss"


def test_cancel_ends_it_at_once(server: RoostServer) -> None:
    run = interactive(server)
    assert server.post(f"/runs/{run['id']}/cancel")["status"] == "Canceled"
    answer = server.api("POST", f"/runs/{run['id']}/complete")
    assert (answer.status, answer.code) == (409, "failed_precondition")


def test_it_has_nothing_to_start(server: RoostServer) -> None:
    for more in ({"command": "true"}, {"compute": "local"}, {"arguments": ["x"]}):
        answer = server.api("POST", RUNS, json={"experiment": "talk", "interactive": True, **more})
        assert (answer.status, answer.code) == (400, "invalid_argument"), more
    assert server.get(RUNS)["items"] == []


def test_records_come_once_whatever_is_sent_again(server: RoostServer) -> None:
    run = interactive(server)["id"]
    lines = [json.dumps(["scalar", "n", i, None, 1]).encode() + b"\n" for i in range(20)]
    whole = b"".join(lines)
    cut = len(b"".join(lines[:7])) + 5  # in the middle of a line
    for offset, piece in [(0, whole[:cut]), (0, whole[:cut]), (0, whole), (cut, whole[cut:])]:
        server.api("POST", f"/runs/{run}/records?stream=s&offset={offset}", data=piece, content_type="text/plain")
    points = server.get(f"/runs/{run}/metrics/n")["points"]
    assert [p["value"] for p in points] == list(range(20))
    gap = server.api("POST", f"/runs/{run}/records?stream=s&offset=99999", data=b"x\n", content_type="text/plain")
    assert gap.json["length"] == len(whole), "the answer says where to go on"


def test_fail_in_a_script_decides_over_its_exit_code(server: RoostServer) -> None:
    run = server.run(textwrap.dedent("""
        import json, os, urllib.request
        request = urllib.request.Request(os.environ["ROOST_URL"] + "/api/v1/runs/" + os.environ["ROOST_RUN_ID"] + "/fail",
            data=json.dumps({"message": "loss is NaN"}).encode(), headers={"Authorization": "Bearer " + os.environ["ROOST_TOKEN"]})
        urllib.request.urlopen(request)
        """))
    assert (run["status"], run["exit_code"], run["error"]["message"]) == ("Failed", 0, "loss is NaN")


def test_a_scripts_token_reaches_its_children_and_its_workspace_only(server: RoostServer, gate: Gate) -> None:
    other = server.run(command="true")
    server.post("/workspaces", {"name": "elsewhere"})
    run = server.submit("import os\nprint(os.environ['ROOST_TOKEN'][::-1], flush=True)\n" + gate.wait_code)
    wait_until(lambda: server.log(run).endswith(b"\n"), 20, "the token")
    token = server.log(run).decode().strip()[::-1]  # backwards: the log masks it
    child = server.expect(201, "POST", RUNS, token=token,
                          json={"experiment": "talk", "interactive": True, "parent": run["id"]})
    assert server.expect(200, "POST", f"/runs/{child['id']}/complete", token=token)["parent"] == run["id"]
    grandchild = server.expect(201, "POST", RUNS, token=token,
                               json={"experiment": "talk", "command": "true", "parent": child["id"]})
    assert server.wait(grandchild)["status"] == "Completed"
    listed = server.get(f"{RUNS}?parent={run['id']}", token=token)["items"]
    assert [r["id"] for r in listed] == [child["id"]]
    top = server.get(f"{RUNS}?top_level=true")["items"]
    assert {r["id"] for r in top} == {run["id"], other["id"]}
    assert server.get("/workspaces/default/models", token=token)["items"] == []
    for method, path, body in [
        ("POST", RUNS, {"experiment": "talk", "command": "true"}),
        ("POST", RUNS, {"experiment": "talk", "command": "true", "parent": other["id"]}),
        ("POST", f"/runs/{other['id']}/fail", {}),
        ("GET", f"/runs/{other['id']}", None),
        ("GET", "/workspaces/elsewhere/models", None),
        ("GET", "/workspaces/elsewhere/runs", None),
        ("POST", "/workspaces/default/computes", {"name": "cc"}),
        ("DELETE", "/workspaces/default/datastores/workspaceblobstore", None),
    ]:
        answer = server.api(method, path, json=body, token=token)
        assert (answer.status, answer.code) == (403, "permission_denied"), (method, path, answer.body)
    gate.open()
    server.wait(run)
