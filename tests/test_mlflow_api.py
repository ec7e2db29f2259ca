"""MLflow's REST API by plain HTTP: shapes, limits and refusals. That real clients work with it is in test_mlflow_clients.py."""
import concurrent.futures
import itertools
from pathlib import Path
from typing import Any, Dict
from urllib.parse import quote

import pytest

from mlflow_http import Mlflow, basic, documented, pairs
from conftest import Gate, MakeServer
from processes import wait_until
from roost_fixture import RoostServer
from test_token_matrix import machine_token

_names = itertools.count()
NOT_THERE = (404, "RESOURCE_DOES_NOT_EXIST")
WRONG = (400, "INVALID_PARAMETER_VALUE")
TAKEN = (400, "RESOURCE_ALREADY_EXISTS")


@pytest.fixture(scope="module")
def mlflow(shared_server: RoostServer) -> Mlflow:
    return Mlflow(shared_server)


@pytest.fixture
def experiment(mlflow: Mlflow) -> str:
    return mlflow.experiment(f"e{next(_names)}")


def test_an_experiment_is_made_found_and_not_made_twice(mlflow: Mlflow) -> None:
    made = mlflow.experiment("a name: with / odd ü characters")
    by_id = mlflow.get("experiments/get", experiment_id=made)["experiment"]
    assert by_id == mlflow.get("experiments/get-by-name", experiment_name="a name: with / odd ü characters")["experiment"]
    assert by_id["lifecycle_stage"] == "active" and by_id["artifact_location"] == f"mlflow-artifacts:/{made}"
    assert mlflow.server.get(f"/workspaces/default/experiments/{quote(by_id['name'], safe='')}")["name"] == by_id["name"]
    assert mlflow.refused("POST", "experiments/create", {"name": by_id["name"]}) == TAKEN
    assert mlflow.refused("POST", "experiments/create", {"name": ""}) == WRONG
    assert mlflow.refused("POST", "experiments/create", {"name": "x" * 501}) == WRONG
    assert mlflow.refused("GET", "experiments/get", {"experiment_id": "999999"}) == NOT_THERE
    assert mlflow.refused("GET", "experiments/get-by-name", {"experiment_name": "nobody"}) == NOT_THERE


def test_the_default_experiment_is_always_there(mlflow: Mlflow) -> None:
    assert mlflow.get("experiments/get", experiment_id="0")["experiment"]["name"] == "Default"
    run = mlflow.run("0")
    assert mlflow.read(run)["info"]["experiment_id"] == "0"
    assert run in mlflow.search("0")
    assert mlflow.refused("POST", "experiments/create", {"name": "Default"}) == TAKEN


def test_a_run_from_its_start_to_its_end(mlflow: Mlflow, experiment: str) -> None:
    made = mlflow.post("runs/create", experiment_id=experiment, user_id="somebody else", run_name="first",
                       start_time=1_700_000_000_123, tags=[{"key": "mlflow.user", "value": "alice"}])["run"]
    info = made["info"]
    assert info["status"] == "RUNNING" and info["start_time"] == 1_700_000_000_123 and "end_time" not in info
    assert info["run_id"] == info["run_uuid"] and info["user_id"] != "somebody else"
    assert info["artifact_uri"] == f"mlflow-artifacts:/{experiment}/{info['run_id']}/artifacts"
    assert pairs(made["data"]["tags"]) == {"mlflow.user": "alice", "mlflow.runName": "first"}
    mlflow.log(info["run_id"], "loss", 0.5, step=3)
    mlflow.post("runs/log-parameter", run_id=info["run_id"], key="lr", value="0.1")
    told = mlflow.post("runs/update", run_id=info["run_id"], status="FINISHED", end_time=1_700_000_001_000)["run_info"]
    assert told["status"] == "FINISHED" and told["end_time"] == 1_700_000_001_000
    read = mlflow.read(info["run_id"])
    assert read["info"] == told
    assert read["data"]["metrics"] == [{"key": "loss", "value": 0.5, "timestamp": 1_700_000_000_000, "step": 3}]
    assert read["data"]["params"] == [{"key": "lr", "value": "0.1"}]


def test_what_mlflow_logs_is_seen_by_everybody_else(mlflow: Mlflow, experiment: str) -> None:
    run = mlflow.run(experiment, run_name="seen")
    for step in range(5):
        mlflow.log(run, "loss", 1 / (step + 1), step=step, timestamp=1_700_000_000_000 + step)
    mlflow.post("runs/set-tag", run_id=run, key="team", value="red")
    mlflow.post("runs/log-parameter", run_id=run, key="lr", value="0.1")
    server = mlflow.server
    kept = server.get_run(run)
    assert kept["display_name"] == "seen" and kept["status"] == "Running" and kept["tags"]["team"] == "red"
    points = server.get(f"/runs/{run}/metrics/loss")["points"]
    assert [point["step"] for point in points] == list(range(5))
    rows = server.get("/workspaces/default/run-table?q=params.lr%3D0.1+tags.team%3Dred+metrics.loss%3C0.3")["items"]
    assert [row["id"] for row in rows] == [run] and rows[0]["name" if "name" in rows[0] else "display_name"] == "seen"


def test_what_a_run_sets_itself_gives_way_to_what_mlflow_logs(mlflow: Mlflow, gate: Gate) -> None:
    server = mlflow.server
    run = server.submit(f"""
        import json, os
        def say(value):
            with open(os.environ["ROOST_SPOOL"] + "/own.spool", "a") as spool:
                spool.write(json.dumps(["param", "lr", value, None, 1763240000]) + chr(10))
        say(0.1)
        {gate.wait_code.replace(chr(10), chr(10) + "        ")}
        say(0.3)
    """, arguments=["--lr", "1"])
    wait_until(lambda: server.get_run(run)["params"] == {"lr": "0.1"}, 30, "what the run set is there, in place of its argument")
    mlflow.post("runs/log-parameter", run_id=run["id"], key="lr", value="0.2")
    gate.open()
    run = server.wait(run, "Completed")
    assert run["params"] == {"lr": "0.2"}
    assert any("key='lr' was already logged with value='0.2'" in notice for notice in run["notices"]), run["notices"]


def test_rules_may_be_about_what_mlflow_named(mlflow: Mlflow) -> None:
    server = mlflow.server
    name = "rules: for / odd ü " + "n" * 200
    mlflow.experiment(name)
    server.expect(200, "PUT", "/alerts/channels/mlflow", json={"kind": "webhook", "url": "https://example.org/hook", "secret": "0123456789abcdef"})
    rule = server.expect(201, "POST", "/workspaces/default/alert-rules", json={"channel": "mlflow", "experiment": name, "events": ["divergence"]})
    assert rule["experiment"] == name
    kept = server.expect(200, "PUT", "/workspaces/default/retention/mlflow",
                         json={"what": "samples", "experiment": name, "older_than_seconds": 1_000_000})
    assert kept["experiment"] == name
    server.expect(200, "DELETE", f"/workspaces/default/alert-rules/{rule['id']}")
    server.expect(200, "DELETE", "/workspaces/default/retention/mlflow")
    server.expect(200, "DELETE", "/alerts/channels/mlflow")


def test_a_point_sent_again_is_kept_once(mlflow: Mlflow, experiment: str) -> None:
    run = mlflow.run(experiment)
    batch = [{"key": "loss", "value": float(i % 7), "timestamp": 1_700_000_000_000 + i, "step": i} for i in range(1000)]
    for _ in range(3):
        mlflow.post("runs/log-batch", run_id=run, metrics=batch)
        mlflow.log(run, "nan", "NaN", step=1)
    assert len(mlflow.history(run, "loss")) == 1000
    assert [point["value"] for point in mlflow.history(run, "nan")] == ["NaN"]
    mlflow.post("runs/log-batch", run_id=run, metrics=[batch[0], {**batch[0], "value": 9.0}, batch[0]])
    assert len(mlflow.history(run, "loss")) == 1001


def test_the_latest_is_that_of_the_greatest_step_and_the_history_is_in_order(mlflow: Mlflow, experiment: str) -> None:
    run = mlflow.run(experiment)
    for value, step, at in ((1.0, 5, 100), (2.0, 3, 300), (3.0, -2, 200), (4.0, 5, 90)):
        mlflow.log(run, "m", value, step=step, timestamp=at)
    assert mlflow.read(run)["data"]["metrics"] == [{"key": "m", "value": 1.0, "timestamp": 100, "step": 5}]
    assert [point["timestamp"] for point in mlflow.history(run, "m")] == [90, 100, 200, 300]


def test_a_history_comes_in_pages(mlflow: Mlflow, experiment: str) -> None:
    run = mlflow.run(experiment)
    for begin in range(0, 2500, 1000):
        mlflow.post("runs/log-batch", run_id=run,
                    metrics=[{"key": "m", "value": i, "timestamp": i, "step": i} for i in range(begin, min(begin + 1000, 2500))])
    seen, token = [], ""
    while True:
        page = mlflow.get("metrics/get-history", run_id=run, metric_key="m", max_results=999, **({"page_token": token} if token else {}))
        seen += [point["step"] for point in page["metrics"]]
        token = page.get("next_page_token", "")
        if not token:
            break
    assert seen == list(range(2500))
    assert mlflow.get("metrics/get-history", run_id=run, metric_key="none") == {}
    assert mlflow.get("metrics/get-history", run_id="nobody", metric_key="m") == {}
    assert mlflow.refused("GET", "metrics/get-history", {"run_id": run, "metric_key": "m", "page_token": "?"}) == WRONG
    sampled = mlflow.get("metrics/get-history-bulk-interval", run_ids=[run], metric_key="m", start_step=10, end_step=2000, max_results=50)
    steps = [point["step"] for point in sampled["metrics"]]
    assert steps[0] == 10 and steps[-1] == 2000 and 50 <= len(steps) <= 52 and sampled["metrics"][0]["run_id"] == run


def test_infinities_come_back_as_they_went(mlflow: Mlflow, experiment: str) -> None:
    run = mlflow.run(experiment)
    for name in ("NaN", "Infinity", "-Infinity"):
        mlflow.log(run, name, name)
    assert {m["key"]: m["value"] for m in mlflow.read(run)["data"]["metrics"]} == {n: n for n in ("NaN", "Infinity", "-Infinity")}


def test_a_batch_with_one_bad_element_keeps_nothing(mlflow: Mlflow, experiment: str) -> None:
    run = mlflow.run(experiment)
    mlflow.post("runs/log-parameter", run_id=run, key="lr", value="0.1")
    good = {"key": "m", "value": 1, "timestamp": 1, "step": 0}
    bad: Dict[str, Dict[str, Any]] = {
        "a changed param": {"params": [{"key": "lr", "value": "0.2"}]},
        "a bad name": {"params": [{"key": "a//b", "value": ""}]},
        "a param twice": {"params": [{"key": "p", "value": "1"}, {"key": "p", "value": "1"}]},
        "no timestamp": {"metrics": [good, {"key": "n", "value": 1}]},
        "no number": {"metrics": [good, {**good, "value": "x"}]},
        "an old time": {"metrics": [good, {**good, "timestamp": -1}]},
        "too many metrics": {"metrics": [{**good, "step": i} for i in range(1001)]},
        "too many params": {"params": [{"key": f"p{i}", "value": ""} for i in range(101)]},
        "too many tags": {"tags": [{"key": f"t{i}", "value": ""} for i in range(101)]},
        "no list": {"metrics": {"key": "m"}},
        "no objects": {"metrics": ["m"]},
    }
    for what, more in bad.items():
        fields = {"run_id": run, "metrics": [good], "tags": [{"key": "t", "value": "v"}], "params": [{"key": "q", "value": "1"}], **more}
        assert mlflow.refused("POST", "runs/log-batch", fields) == WRONG, what
    data = mlflow.read(run)["data"]
    assert "metrics" not in data and pairs(data["params"]) == {"lr": "0.1"} and set(pairs(data["tags"])) == {"mlflow.runName"}


def test_params_do_not_change_and_long_values_are_cut(mlflow: Mlflow, experiment: str) -> None:
    run = mlflow.run(experiment)
    for _ in range(2):
        mlflow.post("runs/log-parameter", run_id=run, key="a/b c", value="x" * 7000)
    assert mlflow.refused("POST", "runs/log-parameter", {"run_id": run, "key": "a/b c", "value": "y"}) == WRONG
    mlflow.post("runs/log-parameter", run_id=run, key="empty")
    assert pairs(mlflow.read(run)["data"]["params"]) == {"a/b c": "x" * 6000, "empty": ""}


def test_the_name_and_its_tag_are_one_thing(mlflow: Mlflow, experiment: str) -> None:
    run = mlflow.run(experiment, run_name="one")
    mlflow.post("runs/set-tag", run_id=run, key="mlflow.runName", value="two")
    assert mlflow.read(run)["info"]["run_name"] == "two"
    mlflow.post("runs/update", run_id=run, run_name="three")
    assert pairs(mlflow.read(run)["data"]["tags"])["mlflow.runName"] == "three"
    both = {"experiment_id": experiment, "run_name": "a", "tags": [{"key": "mlflow.runName", "value": "b"}]}
    assert mlflow.refused("POST", "runs/create", both) == WRONG
    assert mlflow.refused("POST", "runs/delete-tag", {"run_id": run, "key": "none"}) == NOT_THERE


def test_a_run_that_mlflow_made_goes_on_after_its_end(mlflow: Mlflow, experiment: str) -> None:
    run = mlflow.run(experiment)
    for status, state in (("FINISHED", "Completed"), ("FAILED", "Failed"), ("RUNNING", "Running"), ("KILLED", "Canceled"), (3, "Completed"), ("FOO", "Completed")):
        mlflow.post("runs/update", run_id=run, status=status)
        assert mlflow.server.get_run(run)["status"] == state
    mlflow.log(run, "late", 1)
    assert mlflow.read(run)["data"]["metrics"][0]["key"] == "late"
    reasons = [event["reason"] for event in mlflow.server.get(f"/runs/{run}/events")["items"]]
    assert any(reason.startswith("resumed by") for reason in reasons)
    assert any(reason.startswith("after the end: metrics were logged by") for reason in reasons)


def test_the_state_of_a_scheduled_run_is_its_own(mlflow: Mlflow) -> None:
    run = mlflow.server.run("print(1)", experiment="with.dots", arguments=["--lr", "0.1"])
    wire = mlflow.search(mlflow.get("experiments/get-by-name", experiment_name="with.dots")["experiment"]["experiment_id"])[0]
    assert wire == mlflow.read(wire)["info"]["run_id"] and wire.startswith("run-")
    assert mlflow.post("runs/update", run_id=run["id"], status="RUNNING")["run_info"]["status"] == "RUNNING"
    assert mlflow.server.get_run(run)["status"] == "Completed"
    assert mlflow.refused("POST", "runs/log-metric", {"run_id": wire, "key": "m", "value": 1, "timestamp": 1}) == (400, "BAD_REQUEST")
    assert pairs(mlflow.read(wire)["data"]["params"]) == {"lr": "0.1"}


def test_children_stand_below_their_parent(mlflow: Mlflow, experiment: str) -> None:
    parent = mlflow.run(experiment)
    child = mlflow.run(experiment, tags=[{"key": "mlflow.parentRunId", "value": parent}])
    assert mlflow.server.get_run(child)["parent"] == parent
    assert mlflow.search(experiment, filter=f"tags.mlflow.parentRunId = '{parent}'") == [child]
    assert mlflow.search(experiment, filter="tags.mlflow.parentRunId IS NULL") == [parent]


def test_filters_and_orders(mlflow: Mlflow, experiment: str) -> None:
    runs = []
    for i in range(6):
        run = mlflow.post("runs/create", experiment_id=experiment, run_name=f"Run {i}", start_time=1000 + i,
                          tags=[{"key": "team", "value": "red" if i % 2 else "Blue"}])["run"]["info"]["run_id"]
        runs.append(run)
        if i != 5:
            mlflow.log(run, "val/loss", "NaN" if i == 4 else i / 10)
            mlflow.post("runs/log-parameter", run_id=run, key="opt", value=f"adam{i}")
    a, b, c, d, e, f = runs
    mlflow.post("runs/update", run_id=a, status="FINISHED", end_time=5000)
    for text, found in {
        "": [f, e, d, c, b, a],
        "metrics.`val/loss` > 0.1": [d, c],
        "metrics.`val/loss` != 0.1": [e, d, c, a],
        "params.opt = 'adam3'": [d],
        "params.opt LIKE 'adam_' AND tags.team = 'red'": [d, b],
        "tags.team ILIKE 'b%'": [e, c, a],
        "tags.team LIKE 'b%'": [],
        "params.opt IS NULL": [f],
        "params.other != 'x'": [],
        "status = 'FINISHED'": [a],
        "attributes.status != 'FINISHED' AND start_time <= 1002": [c, b],
        "end_time >= 5000": [a],
        "attributes.`Run name` = 'Run 2'": [c],
        f"run_id IN ('{a}', '{b}')": [b, a],
        f"run_id NOT IN ('{a}', '{b}')": [f, e, d, c],
        "created = 1003": [d],
        f"artifact_uri LIKE '%{c}%'": [c],
    }.items():
        assert mlflow.search(experiment, filter=text) == found, text
    for order, found in {
        "metrics.`val/loss`": [a, b, c, d, e, f],
        "metrics.`val/loss` DESC": [d, c, b, a, e, f],
        "params.opt DESC": [e, d, c, b, a, f],
        "attributes.start_time ASC": [a, b, c, d, e, f],
        "tags.team": [e, c, a, f, d, b],
        "run_name": [a, b, c, d, e, f],
    }.items():
        assert mlflow.search(experiment, order_by=[order]) == found, order
    first = mlflow.post("runs/search", experiment_ids=[experiment], max_results=4)
    assert len(first["runs"]) == 4
    assert mlflow.search(experiment, max_results=4, page_token=first["next_page_token"]) == [b, a]
    for bad in ({"filter": "a = b"}, {"filter": "metrics.a > 1 OR metrics.b > 1"}, {"order_by": ["nothing.x"]}, {"max_results": 0},
                {"max_results": 50_001}, {"page_token": "zz"}, {"order_by": ["metrics.a", "metrics.a DESC"]}):
        assert mlflow.refused("POST", "runs/search", {"experiment_ids": [experiment], **bad}) == WRONG, bad


def test_a_workspace_has_an_address_of_its_own(mlflow: Mlflow) -> None:
    mlflow.server.post("/workspaces", json={"name": "team"})
    team = Mlflow(mlflow.server, "team")
    run = team.run(team.experiment("here"))
    assert team.read(run)["info"]["run_id"] == run
    assert mlflow.refused("GET", "runs/get", {"run_id": run}) == NOT_THERE
    assert mlflow.refused("GET", "experiments/get-by-name", {"experiment_name": "here"}) == NOT_THERE
    assert Mlflow(mlflow.server, "nowhere").refused("GET", "experiments/get", {"experiment_id": "0"}) == NOT_THERE
    assert mlflow.server.cli("mlflow", "uri").stdout.strip() == mlflow.server.info["url"]
    assert mlflow.server.cli("-w", "team", "mlflow", "uri").stdout.strip() == mlflow.server.info["url"] + "/mlflow/team"


def test_who_may(mlflow: Mlflow, experiment: str) -> None:
    run = mlflow.run(experiment)
    reader = mlflow.server.new_token("reader")["token"]
    metric = {"run_id": run, "key": "m", "value": 1, "timestamp": 1}
    assert Mlflow(mlflow.server, token=reader).read(run)["info"]["run_id"] == run
    assert Mlflow(mlflow.server, token=reader).refused("POST", "runs/log-metric", metric) == (403, "PERMISSION_DENIED")
    for headers in ({}, {"Authorization": "Bearer nothing"}, basic("u", "nothing"), {"Authorization": "Basic !!"}):
        assert Mlflow(mlflow.server, token="").refused("GET", "runs/get", {"run_id": run}, headers=headers) == (401, "UNAUTHENTICATED")
    owner = mlflow.server.api_client.token
    answer = Mlflow(mlflow.server, token="").call("GET", "runs/get", {"run_id": run}, headers=basic("anybody", owner))
    assert answer["run"]["info"]["run_id"] == run
    assert mlflow.server.api("GET", "/server", token="", headers=basic("anybody", owner)).status == 401
    for path, body in (("//version", None), ("//health", b"OK")):
        answer = mlflow.server.api("GET", path, token="", check=False)
        assert answer.status == 200 and (body is None or answer.body == body)
    assert Mlflow(mlflow.server, token="").call("GET", "server-info", api="/api/3.0/mlflow/")["workspaces_enabled"] is False


def test_what_is_malformed_or_unknown(mlflow: Mlflow, experiment: str) -> None:
    run = mlflow.run(experiment)
    for body in (b"", b"[]", b"{", b"null", b"[" * 1000, b"\xff", b"3", b'{"run_id": 3}', b'{"run_id": {"a": []}}'):
        for path in ("runs/update", "runs/log-metric", "runs/log-batch", "runs/set-tag", "runs/log-parameter", "runs/delete-tag"):
            assert mlflow.refused("POST", path, body=body) == WRONG, (path, body)
    assert mlflow.refused("POST", "runs/set-tag", {"run_id": run, "key": "k", "value": "v"}, content_type="text/plain") == WRONG
    mlflow.call("POST", "runs/set-tag", {"run_id": run, "key": "k", "value": "v", "more": [1]}, content_type="application/json; charset=utf-8")
    for method, path in (("GET", "nothing"), ("PUT", "runs/create"), ("GET", "runs/create"), ("POST", "traces"), ("POST", "runs/create/more")):
        answer = mlflow.send(method, path)
        assert answer.status in (404, 405), (method, path, answer.status)


def test_every_documented_endpoint_against_every_kind_of_token(mlflow: Mlflow, tmp_path: Path) -> None:
    server = mlflow.server
    gate = Gate(tmp_path / "gate")
    own = server.submit(gate.wait_code)
    server.wait(own, "Running")
    other = mlflow.run(mlflow.experiment("of another"))
    tokens = {"": "nobody", server.new_token("reader")["token"]: "reader", server.new_token("contributor")["token"]: "contributor",
              machine_token(server, "roost_run_", f"attempt/{own['id']}/1"): "run"}
    wrong = []
    for (method, path, need, here), (token, kind) in itertools.product(documented(), tokens.items()):
        answer = Mlflow(server, token=token).send(method, path, {"run_id": other, "key": "k", "value": "1", "timestamp": 1})
        allowed = need == "nobody" or kind in need.split(", ") or (kind == "contributor" and need.startswith("reader"))
        if here == "absent":
            fits = answer.status == 404
        elif kind == "nobody" and need != "nobody":
            fits = answer.status == 401
        elif not allowed:
            fits = answer.status == 403
        elif kind == "run" and path.startswith(("runs/", "artifacts/")) and path not in ("runs/create", "runs/search"):
            fits = answer.status in (400, 403, 404)  # the run is another's
        else:
            fits = answer.status in (200, 400, 404)
        if not fits or (answer.status >= 400 and set(answer.json) != {"error_code", "message"}):
            wrong.append((method, path, kind, answer.status, answer.body[:200]))
    gate.open()
    server.wait(own)
    assert not wrong, wrong


def test_a_script_logs_into_its_own_run_and_children(mlflow: Mlflow, tmp_path: Path) -> None:
    server = mlflow.server
    gate = Gate(tmp_path / "gate")
    own = server.submit(gate.wait_code)
    server.wait(own, "Running")
    script = Mlflow(server, token=machine_token(server, "roost_run_", f"attempt/{own['id']}/1"))
    script.log(own["id"], "loss", 0.5)
    child = script.run("0")
    script.post("runs/update", run_id=child, status="FINISHED")
    assert server.get_run(child)["parent"] == own["id"]
    other = mlflow.run(mlflow.experiment("not the script's"))
    assert script.refused("POST", "runs/log-metric", {"run_id": other, "key": "k", "value": 1, "timestamp": 1}) == (403, "PERMISSION_DENIED")
    assert script.refused("GET", "runs/get", {"run_id": other}) == (403, "PERMISSION_DENIED")
    assert other not in script.search(mlflow.read(other)["info"]["experiment_id"])
    gate.open()
    assert server.wait(own)["status"] == "Completed"
    assert server.get(f"/runs/{own['id']}/metrics/loss")["count"] == 1


def test_deleted_runs_are_in_the_bin(mlflow: Mlflow, experiment: str) -> None:
    run = mlflow.run(experiment)
    mlflow.post("runs/delete", run_id=run)
    assert mlflow.read(run)["info"]["lifecycle_stage"] == "deleted" and mlflow.server.get_run(run)["status"] == "Canceled"
    assert mlflow.search(experiment) == [] and mlflow.search(experiment, run_view_type="DELETED_ONLY") == [run]
    for path, fields in (("runs/log-metric", {"key": "k", "value": 1, "timestamp": 1}), ("runs/set-tag", {"key": "k", "value": "v"}),
                         ("runs/update", {"status": "RUNNING"}), ("runs/log-batch", {})):
        assert mlflow.refused("POST", path, {"run_id": run, **fields}) == WRONG
    mlflow.post("runs/restore", run_id=run)
    mlflow.post("runs/update", run_id=run, status="RUNNING")
    assert mlflow.search(experiment) == [run] and mlflow.server.get_run(run)["status"] == "Running"


def test_sources_that_lead_elsewhere_are_refused(mlflow: Mlflow, experiment: str) -> None:
    name = f"model-{next(_names)}"
    mlflow.post("registered-models/create", name=name)
    run = mlflow.run(experiment)
    root = f"mlflow-artifacts:/{experiment}/{run}/artifacts"
    for source in ("", "/etc", "etc", "file:///etc/passwd", "../x", f"{root}/../x", f"{root}/%2e%2e/x", f"{root}/%252e%252e/x", "C:\\x",
                   f"mlflow-artifacts:/{experiment}/other/artifacts/x", "mlflow-artifacts://host/x", "runs:/", "models:/x", "models:/m-", "data:x"):
        status, code = mlflow.refused("POST", "model-versions/create", {"name": name, "source": source, "run_id": run})
        assert (status, code) in (WRONG, NOT_THERE), source
    assert mlflow.post("model-versions/create", name=name, source=f"{root}/model", run_id=run)["model_version"]["version"] == "1"
    assert "latest_versions" in mlflow.get("registered-models/get", name=name)["registered_model"]


def test_a_version_keeps_the_files_of_its_run(mlflow: Mlflow, experiment: str) -> None:
    run = mlflow.run(experiment)
    server = mlflow.server
    server.expect((200, 201), "PUT", f"/runs/{run}/artifacts/model/MLmodel", data=b"flavors: {}\n", content_type="application/octet-stream")
    name = f"model-{next(_names)}"
    mlflow.post("registered-models/create", name=name)
    made = mlflow.post("model-versions/create", name=name, source=f"runs:/{run}/model", run_id=run)["model_version"]
    kept = server.get(f"/workspaces/default/models/{name}")
    assert (made["version"], kept["files"], kept["run"]) == ("1", 1, run)
    assert mlflow.get("model-versions/get-download-uri", name=name, version="1")["artifact_uri"] == f"mlflow-artifacts:/registry/{name}/1/model"
    mlflow.call("DELETE", "model-versions/delete", {"name": name, "version": "1"})
    again = mlflow.post("model-versions/create", name=name, source=f"runs:/{run}/model", run_id=run)["model_version"]
    assert again["version"] == "2"
    mlflow.call("DELETE", "registered-models/delete", {"name": name})
    assert mlflow.refused("GET", "registered-models/get", {"name": name}) == NOT_THERE


def test_two_clients_that_end_one_run_are_both_answered(mlflow: Mlflow, experiment: str) -> None:
    run = mlflow.run(experiment)
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        told = list(pool.map(lambda i: mlflow.post("runs/update", run_id=run, status=("FINISHED", "FAILED")[i % 2], end_time=1000 + i)["run_info"],
                             range(16)))
        points = list(pool.map(lambda i: mlflow.log(run, "m", i // 4, step=i // 4, timestamp=5), range(40)))
    assert len(told) == 16 and len(points) == 40
    read = mlflow.read(run)
    assert read["info"]["status"] in ("FINISHED", "FAILED") and 1000 <= read["info"]["end_time"] < 1016
    assert len(mlflow.history(run, "m")) == 10


def test_a_restarted_server_knows_it_all(make_server: MakeServer) -> None:
    server = make_server()
    mlflow = Mlflow(server)
    run = mlflow.run(mlflow.experiment("kept"))
    mlflow.log(run, "m", 1.5, step=7)
    before = mlflow.read(run)
    server.kill9()
    server.start()
    mlflow.log(run, "m", 1.5, step=7)
    assert mlflow.read(run) == before and len(mlflow.history(run, "m")) == 1
