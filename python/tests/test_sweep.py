"""roost.sweep: what it sends, what it refuses, and what it makes of the answers."""

import json
import math
import sys

import pytest
from fake_api import refusal, run_facts

from roost.errors import RoostError
from roost.sweep import Sweep, choice, integer, loguniform, sweep, uniform

FACTS = {"id": "HD_1", "status": "Running", "message": "1 of 4", "best": None}


@pytest.fixture
def server(connected, monkeypatch, tmp_path):
    """A folder with a script, and a server that takes sweeps."""
    connected.routes["POST /api/v1/snapshots"] = {"digest": "", "missing": []}
    connected.routes["POST /api/v1/workspaces/default/sweeps"] = (201, FACTS)
    connected.routes["GET /api/v1/sweeps/HD_1"] = FACTS
    folder = tmp_path / "my birds!"
    folder.mkdir()
    (folder / "train.py").write_text("print(1)")
    monkeypatch.chdir(folder)
    return connected


def sent(server, **more):
    arguments = {"what": "train.py", "space": {"lr": uniform(0, 1)}, "metric": "acc", **more}
    assert sweep(**arguments).id == "HD_1"
    (call,) = server.calls("POST /api/v1/workspaces/default/sweeps")
    assert call.headers["Idempotency-Key"]
    return call.json


def test_what_is_sent(server):
    space = {
        "lr": loguniform(1e-3, 0.1),
        "layers": integer(1, 3),
        "kind": ["a", "b"],
        "x": range(2),
    }
    body = sent(server, space=space, goal="minimize", max_runs=9, concurrency=3, seed=4)
    run = body.pop("run")
    assert (run["script"], run["arguments"], run["experiment"]) == ("train.py", [], "my-birds")
    assert run["compute"] == "local" and len(run["snapshot"]) == 64
    low, high = body["space"][0].pop("values")
    assert (math.exp(low), math.exp(high)) == pytest.approx((1e-3, 0.1))
    assert body["space"] == [
        {"name": "lr", "expression": "loguniform"},
        {"name": "layers", "expression": "quniform", "values": [0.51, 3.49, 1]},
        {"name": "kind", "expression": "choice", "values": ["a", "b"]},
        {"name": "x", "expression": "choice", "values": [0, 1]},
    ]
    del body["space"]
    assert body == {
        "sampling": {"type": "tpe", "seed": 4},
        "metric": {"name": "acc", "goal": "minimize"},
        "policy": None,
        "max_total_runs": 9,
        "max_concurrent_runs": 3,
        "max_duration_minutes": 10080,
        "resume_from": [],
        "resume_child_runs": [],
    }


def test_conditions_and_the_grid(server):
    space = {"opt": choice("sgd", "adam"), "m": integer(-1, 1, when={"opt": "sgd"})}
    body = sent(server, space=space, sampler="grid")
    assert body["space"][1] == {
        "name": "m",
        "expression": "choice",
        "values": [-1, 0, 1],
        "when": {"name": "opt", "values": ["sgd"]},
    }


@pytest.mark.parametrize(
    "what, wanted",
    [
        ("train.py", {"script": "train.py", "arguments": []}),
        (["train.py", "--epochs", 3], {"script": "train.py", "arguments": ["--epochs", "3"]}),
        ("python train.py", {"command": "python train.py"}),
        (["python", "a b.py"], {"command": "python 'a b.py'"}),
    ],
)
def test_a_script_or_a_command(server, what, wanted):
    run = sent(server, what=what)["run"]
    assert {key: run.get(key) for key in wanted} == wanted


def test_policies(server):
    given = {"type": "bandit", "slack_factor": 0.1}
    assert sent(server, policy=given)["policy"] == given


def test_a_policy_by_its_name(server):
    assert sent(server, policy="asha")["policy"] == {"type": "asha"}, "defaults are the server's"


def test_the_interpreter(server, monkeypatch):
    assert "environment" not in sent(server)["run"], "this server is known by its address only"
    server.asked.clear()
    assert sent(server, python="/opt/python")["run"]["environment"] == {"python": "/opt/python"}


def test_an_active_virtual_environment_is_meant(monkeypatch):
    from roost.sweep import _own_python

    class Here:
        _server_file = "server.json"

    monkeypatch.setattr(sys, "prefix", "/home/me/venv")
    assert _own_python(Here()) == sys.executable
    monkeypatch.setattr(sys, "prefix", sys.base_prefix)
    assert _own_python(Here()) is None


@pytest.mark.parametrize(
    "change, words",
    [
        ({"space": {}}, "space must name at least one parameter"),
        ({"space": {"lr": 0.1}}, r"the parameter lr is 0.1. Say how .* or a list"),
        (
            {"space": {"m": uniform(0, 1, when={"opt": 1})}},
            "m depends on opt, which space does not",
        ),
        ({"metric": ""}, "the name that the script logs"),
        ({"goal": "best"}, "maximize or minimize, not 'best'"),
        ({"sampler": "magic"}, "one of tpe, gp, random, sobol, grid, bayesian, not 'magic'"),
        ({"sampler": "grid"}, "lr is uniform. Name its values with choice"),
        ({"max_runs": 0}, "max_runs=0 and concurrency=None: at least one run in all"),
        ({"max_runs": "9"}, "max_runs='9'"),
        ({"max_runs": 2, "concurrency": 3}, "from one to all of them at a time"),
        ({"policy": "luck"}, "one of bandit, .*, not 'luck'"),
        ({"policy": "bandit"}, "slack_factor or slack_amount: policy="),
        ({"policy": "truncation"}, "'truncation_percentage': 20"),
        ({"what": "gone.py"}, "there is no script gone.py in "),
        ({"what": ""}, "there is nothing to run"),
        ({"folder": "gone"}, "there is no folder .*gone"),
    ],
)
def test_what_is_refused_before_anything_is_sent(server, change, words):
    with pytest.raises(RoostError, match=words):
        sent(server, **change)
    assert server.asked == []


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda: choice(), "nothing to choose from"),
        (lambda: uniform(1, 0), r"uniform\(1, 0\): the first bound must be below the second"),
        (lambda: uniform("a", 1), "both bounds must be numbers"),
        (lambda: uniform(0, math.nan), "the first bound must be below"),
        (lambda: loguniform(0, 1), "both bounds must be above 0"),
        (lambda: integer(0.5, 2), "both bounds must be whole numbers"),
        (lambda: uniform(0, 1, when={"a": 1, "b": 2}), "when= names one other parameter"),
    ],
)
def test_expressions_that_cannot_be(make, words):
    with pytest.raises(RoostError, match=words):
        make()


def test_one_whole_number_is_a_choice():
    assert integer(3, 3) == {"expression": "choice", "values": [3]}


TRIAL = {
    "number": 0,
    "run": "HD_1_0",
    "parameters": {"lr": 0.1},
    "status": "Completed",
    "best": "Infinity",
    "last": 0.5,
    "reason": "",
}


def test_answers(server):
    search = Sweep("HD_1")
    assert (search.status, search.message, search.best) == ("Running", "1 of 4", None)
    assert search.url.endswith("/runs/HD_1")
    server.routes["GET /api/v1/sweeps/HD_1/trials"] = {"trials": [TRIAL], "next": None}
    best = {"trial": 0, "run": "HD_1_0", "value": "Infinity", "parameters": {"lr": 0.1}}
    server.routes["GET /api/v1/sweeps/HD_1"] = {**FACTS, "best": best}
    assert search.best == search.trials()[0] and search.best.value == math.inf
    elsewhere = {**best, "run": "HD_0_7", "trial": 7, "value": 0.5}
    server.routes["GET /api/v1/sweeps/HD_1"] = {**FACTS, "best": elsewhere}
    assert (search.best.run, search.best.number, search.best.value) == ("HD_0_7", 7, 0.5)


@pytest.mark.parametrize(
    "status, state, shown",
    [
        ("Canceled", "stopped", "Stopped"),
        ("Queued", "paused", "Paused"),
        ("Failed", "failed", "Failed"),
    ],
)
def test_status_of_a_trial(server, status, state, shown):
    found = {**TRIAL, "status": status, "state": state, "reason": "below the cut"}
    server.routes["GET /api/v1/sweeps/HD_1/trials"] = {"trials": [found], "next": None}
    (trial,) = Sweep("HD_1").trials()
    assert (trial.status, trial.reason) == (shown, "below the cut")


def test_steering(server):
    server.routes["PATCH /api/v1/sweeps/HD_1"] = FACTS
    server.routes["POST /api/v1/sweeps/HD_1/trials"] = (201, {**TRIAL, "best": None})
    server.routes["POST /api/v1/runs/HD_1/cancel"] = run_facts()
    search = Sweep("HD_1")
    search.pause()
    search.resume()
    search.stop()
    changes = [call.json for call in server.calls("PATCH /api/v1/sweeps/HD_1")]
    assert changes == [{"paused": True}, {"paused": False}, {"stop": True}]
    assert search.add({"lr": 0.2}).value is None
    search.cancel()
    assert len(server.calls("POST /api/v1/runs/HD_1/cancel")) == 1
    server.routes["GET /api/v1/sweeps/HD_1"] = {**FACTS, "status": "Completed"}
    search.cancel()
    assert len(server.calls("POST /api/v1/runs/HD_1/cancel")) == 1, "it had ended"


def test_wait_raises_with_the_cause(server, capsys):
    lines = [
        {"type": "log", "name": "azureml-logs/hyperdrive.txt", "text": "one\n", "offset": 4},
        {"type": "end", "run": run_facts(status="Failed")},
    ]
    body = "".join(json.dumps(line) + "\n" for line in lines).encode()
    server.routes["GET /api/v1/runs/HD_1/follow"] = body
    failed = {**FACTS, "status": "Failed", "message": "every child failed"}
    server.routes["GET /api/v1/sweeps/HD_1"] = failed
    with pytest.raises(RoostError, match="(?s)HD_1 is Failed: every child failed.*/runs/HD_1"):
        Sweep("HD_1").wait(show_output=True)
    assert capsys.readouterr().out == "one\n"
    server.routes["GET /api/v1/sweeps/HD_1"] = {**FACTS, "status": "Completed"}
    assert Sweep("HD_1").wait().id == "HD_1" and capsys.readouterr().out == ""


def test_a_refusal_of_the_server_is_said(server):
    route = "POST /api/v1/workspaces/default/sweeps"
    server.routes[route] = refusal(400, "invalid_argument", "no compute is called x")
    with pytest.raises(RoostError, match="no compute is called x"):
        sent(server, compute="x")
