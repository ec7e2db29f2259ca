"""How far tokens reach in time and in what they show: revoked ones, those of runs, and the values of variables."""
import json
import threading
from typing import Any, Dict, List

import pytest

from conftest import Gate
from http_api import Api
from live_events import LiveEvents
from processes import wait_until
from roost_fixture import RoostServer

RUNS = "/workspaces/default/runs"
SECRET = "hunter2-of-ada"
CHANGED = "ivoufs2-pg-beb"  # as the run prints it


def ended(api: Api, path: str) -> threading.Event:
    """Reads a stream that does not end by itself to its end; set when that came. Returns once it has begun."""
    begun, over = threading.Event(), threading.Event()

    def read() -> None:
        connection = api.connect(60)
        connection.request("GET", path, headers=api.headers())
        answer = connection.getresponse()
        assert answer.status == 200, answer.read()
        begun.set()
        while answer.read1(65536):
            pass
        connection.close()
        over.set()

    threading.Thread(target=read, daemon=True).start()
    assert begun.wait(20)
    return over


def test_streams_end_with_the_token(server: RoostServer, gate: Gate) -> None:
    run = server.submit("print('hello', flush=True)\n" + gate.wait_code)
    server.wait(run, "Running")
    wait_until(lambda: server.log(run), 20, "a line")
    made = server.new_token("reader")
    api = Api(server.info["url"], made["token"])
    paths = [f"/api/v1/runs/{run['id']}/follow", "/api/v1/live?topic=runs/default",
             f"/api/v1/runs/{run['id']}/logs/azureml-logs/70_driver_log.txt?follow=true"]
    streams = {path: ended(api, path) for path in paths}
    others = {path: ended(server.api_client, path) for path in paths}
    server.expect(200, "DELETE", f"/tokens/{made['id']}")
    for path, over in streams.items():
        assert over.wait(10), f"{path} goes on after its token was revoked"
    assert not any(over.is_set() for over in others.values()), "somebody else's stream was ended"
    gate.open()
    server.wait(run)


def test_streams_end_when_the_token_expires(server: RoostServer, gate: Gate) -> None:
    run = server.submit(gate.wait_code)
    server.wait(run, "Running")
    api = Api(server.info["url"], server.new_token("reader", expires_in_seconds=3)["token"])
    assert ended(api, f"/api/v1/runs/{run['id']}/follow").wait(20)
    gate.open()
    server.wait(run)


def test_a_revoked_token_is_never_taken_again(server: RoostServer) -> None:
    """Whoever asks at the very moment of the revocation must not make the server remember the token."""
    for _ in range(40):
        made = server.new_token("reader")
        stop = threading.Event()

        def ask() -> None:
            connection = server.api_client.connect()
            while not stop.is_set():
                connection.request("GET", "/api/v1/server", headers={"Authorization": f"Bearer {made['token']}"})
                connection.getresponse().read()
            connection.close()

        askers = [threading.Thread(target=ask) for _ in range(3)]
        for asker in askers:
            asker.start()
        server.expect(200, "DELETE", f"/tokens/{made['id']}")
        stop.set()
        for asker in askers:
            asker.join()
        assert server.api("GET", "/server", token=made["token"]).status == 401


SAY = """
import json, os, urllib.request
def ask(path):
    request = urllib.request.Request(os.environ["ROOST_URL"] + "/api/v1" + path,
                                     headers={"Authorization": "Bearer " + os.environ["ROOST_TOKEN"]})
    try:
        return json.load(urllib.request.urlopen(request))
    except urllib.error.HTTPError as error:
        return error.code
"""


def test_a_run_lists_its_family_only(server: RoostServer, gate: Gate) -> None:
    server.run("print(1)", environment_variables={"KEY": SECRET})
    parent = server.submit(gate.wait_code)
    sibling = server.run("print(1)", parent=parent["id"], environment_variables={"KEY": SECRET})
    niece = server.run("print(1)", parent=sibling["id"])
    code = SAY + "print(json.dumps([ask('/workspaces/default/runs?limit=1000'), ask('/runs/PARENT'), ask('/runs/SIBLING')]))"
    code = code.replace("PARENT", parent["id"]).replace("SIBLING", sibling["id"])
    run = server.run(code, parent=parent["id"], environment_variables={"MINE": "own"})
    listed, above, beside = json.loads(server.log(run))
    assert {item["id"] for item in listed["items"]} == {run["id"], parent["id"], sibling["id"]}, niece["id"]
    assert above["id"] == parent["id"] and beside["spec"]["environment_variables"] == {"KEY": "***"}
    own = next(item for item in listed["items"] if item["id"] == run["id"])
    assert own["spec"]["environment_variables"] == {"MINE": "own"}
    assert SECRET.encode() not in server.log(run)
    gate.open()
    server.wait(parent)


def test_a_run_adds_to_its_parent_and_ends_or_renames_nobody(server: RoostServer, gate: Gate) -> None:
    parent = server.submit(gate.wait_code)
    sibling = server.run("print(1)", parent=parent["id"])
    run = server.submit("import os\nprint(os.environ['ROOST_TOKEN'], flush=True)\n" + gate.wait_code, parent=parent["id"])
    wait_until(lambda: server.log(run), 20, "the token")
    token = server.log(run).decode().strip()
    for other in (parent, sibling):
        assert server.api("GET", f"/runs/{other['id']}", token=token).status == 200
        assert server.api("PATCH", f"/runs/{other['id']}", json={"display_name": "mine"}, token=token).status == 403
        assert server.api("POST", f"/runs/{other['id']}/cancel", token=token).status == 403
    assert server.api("PATCH", f"/runs/{parent['id']}", json={"tags": {"a": "b"}}, token=token).status == 200
    assert server.get_run(parent)["tags"] == {"a": "b"} and server.get_run(sibling)["display_name"] != "mine"
    gate.open()
    for one in (parent, run):
        server.wait(one)


def values(answer: Any) -> List[str]:
    run = answer if "spec" in answer else answer["items"][0]
    given = run["spec"].get("environment", {}).get("variables", {})
    return [*run["spec"]["environment_variables"].values(), *given.values(), *run["environment"].get("variables", {}).values()]


@pytest.fixture
def adas_run(server: RoostServer) -> Dict[str, Any]:
    token = server.new_token("contributor", name="ada")["token"]
    run = server.expect(201, "POST", RUNS, token=token, json={
        "experiment": "e", "command": "echo $GIVEN $OTHER | tr a-y b-z", "environment_variables": {"GIVEN": SECRET},
        "environment": {"variables": {"OTHER": SECRET}}})
    assert values(run).count(SECRET) >= 2
    return {**server.wait(run), "ada": token}


def test_variables_are_shown_to_the_submitter_and_owners_only(server: RoostServer, adas_run: Dict[str, Any]) -> None:
    path = f"/runs/{adas_run['id']}"
    for token in (adas_run["ada"], None):
        assert SECRET in values(server.get(path, token=token)) and SECRET in values(server.get(RUNS, token=token))
        assert SECRET.encode() in server.api("GET", path + "/follow", token=token).body
    strangers = [server.new_token("reader")["token"], server.new_token("contributor")["token"]]
    for token in strangers:
        for answer in (server.get(path, token=token), server.get(RUNS, token=token)):
            assert set(values(answer)) == {"***"} and "GIVEN" in json.dumps(answer)
        everything = [path, RUNS, path + "/follow", path + "/events", "/workspaces/default/run-table?column=params.*",
                      "/workspaces/default/queue?running=true", path + "/ranks"]
        for one in everything:
            assert SECRET.encode() not in server.api("GET", one, token=token).body, one
    changed = server.api("PATCH", path, json={"tags": {"a": "b"}}, token=strangers[1])
    assert changed.status == 200 and SECRET.encode() not in changed.body
    with LiveEvents(server, f"run/{adas_run['id']}", headers=server.api_client.headers(token=strangers[0])) as live:
        name, event = live.next()
        assert name == "run" and set(values(event["run"])) == {"***"}
    assert SECRET not in server.output


def test_a_rerun_has_the_variables_without_showing_them(server: RoostServer, adas_run: Dict[str, Any]) -> None:
    eve = server.new_token("contributor", name="eve")["token"]
    again = server.expect(201, "POST", f"/runs/{adas_run['id']}/rerun", token=eve)
    assert set(values(again)) == {"***"}
    server.wait(again)
    assert server.log(again).decode().split() == [CHANGED, CHANGED]
    assert set(values(server.get(f"/runs/{again['id']}", token=eve))) == {"***"}
    third = server.expect(201, "POST", f"/runs/{again['id']}/rerun", token=eve)
    server.wait(third)
    assert set(values(server.get(f"/runs/{third['id']}", token=eve))) == {"***"}
    # Nor does it help to say that they are one's own.
    server.api("PATCH", f"/runs/{adas_run['id']}", json={"properties": {"roost.variables_of": "eve"}}, token=eve)
    assert set(values(server.get(f"/runs/{adas_run['id']}", token=eve))) == {"***"}
    assert SECRET in values(server.get(f"/runs/{third['id']}"))


def test_a_runs_own_rerun_by_its_submitter_shows_them(server: RoostServer, adas_run: Dict[str, Any]) -> None:
    again = server.expect(201, "POST", f"/runs/{adas_run['id']}/rerun", token=adas_run["ada"])
    assert SECRET in values(again)
    server.wait(again)
