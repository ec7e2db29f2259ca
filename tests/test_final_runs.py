"""A finished run is final: what it logged stays, its state stays, and what others add is in its history."""
import json

from conftest import Gate
from roost_fixture import RoostServer

TEXT = "text/plain"
BYTES = "application/octet-stream"


def record(name: str, value: float) -> bytes:
    return json.dumps(["scalar", name, value, None, 1]).encode() + b"\n"


def history(server: RoostServer, run: str) -> list:
    return [(e["to"], e["reason"]) for e in server.get(f"/runs/{run}/events")["items"]]


def test_metrics_of_an_ended_run_are_final(server: RoostServer) -> None:
    run = server.post("/workspaces/default/runs", {"experiment": "talk", "interactive": True})["id"]
    path = f"/runs/{run}/records?stream=s"
    first = record("loss", 1)
    assert server.api("POST", path, data=first, content_type=TEXT).status == 200
    server.post(f"/runs/{run}/complete")
    again = server.api("POST", path, data=first, content_type=TEXT)
    assert (again.status, again.json["length"]) == (200, len(first)), "its answer may have been lost"
    for offset, late in ((len(first), record("loss", 2)), (0, first + record("loss", 2))):
        answer = server.api("POST", f"{path}&offset={offset}", data=late, content_type=TEXT)
        assert (answer.status, answer.code) == (409, "failed_precondition"), answer.body
    assert [p["value"] for p in server.get(f"/runs/{run}/metrics/loss")["points"]] == [1]
    for change in ("complete", "fail", "cancel"):
        server.api("POST", f"/runs/{run}/{change}", json={} if change == "fail" else None)
        assert server.get(f"/runs/{run}")["status"] == "Completed", change


def test_what_people_add_later_is_in_the_history(server: RoostServer) -> None:
    run = server.run("print('done')")["id"]
    before = history(server, run)
    server.expect(200, "PATCH", f"/runs/{run}", json={"tags": {"best": "yes"}, "display_name": "the best"})
    for name in ("a", "b", "c"):
        server.expect(201, "PUT", f"/runs/{run}/artifacts/outputs/{name}", data=b"x", content_type=BYTES)
    added = history(server, run)[len(before):]
    assert [to for to, _ in added] == ["Completed", "Completed"], "files of one upload are one change"
    assert "tags" in added[0][1] and "name" in added[0][1] and "owner" in added[0][1], added
    assert "files" in added[1][1], added
    assert server.get(f"/runs/{run}")["status"] == "Completed"


def test_a_run_cannot_change_itself_after_its_end(server: RoostServer, gate: Gate) -> None:
    run = server.submit("import os; open('outputs/token', 'w').write(os.environ['ROOST_TOKEN'])")
    run = server.wait(run)
    token = server.artifact(run, "outputs/token").decode()
    before = history(server, run["id"])
    path = f"/runs/{run['id']}"
    answers = [
        server.api("PATCH", path, json={"tags": {"a": "b"}}, token=token),
        server.api("POST", f"{path}/records?stream=s", data=record("loss", 1), content_type=TEXT, token=token),
        server.api("PUT", f"{path}/artifacts/outputs/late", data=b"x", content_type=BYTES, token=token),
        server.api("POST", f"{path}/fail", json={}, token=token),
    ]
    assert all(400 <= answer.status < 500 for answer in answers), [a.status for a in answers]
    assert history(server, run["id"]) == before and server.get(path)["tags"] == {}
