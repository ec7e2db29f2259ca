"""Sweeps on a real server: what is drawn, stopped, kept and said, whatever happens to the server meanwhile."""
import random
import time
from typing import Any, Dict, List

import pytest

from conftest import Gate, MakeServer
from contract_sweep_exercises import sweep_spec
from processes import wait_until
from roost_fixture import RoostServer

# Accuracy is 1 - |lr - 0.3| from the first interval on.
TRAIN = """
import sys, time
import roost.run as run
lr = float(sys.argv[sys.argv.index("--lr") + 1])
for i in range(%d):
    run.log("accuracy", 1 - abs(lr - 0.3))
    time.sleep(%s)
"""


def start(server: RoostServer, code: str, **more: Any) -> Dict[str, Any]:
    run = {"experiment": "tuning", "script": "train.py", "snapshot": server.snapshot({"train.py": code.encode()})}
    return server.post("/workspaces/default/sweeps", json=sweep_spec(**{"run": run, **more}))


def get(server: RoostServer, sweep: Dict[str, Any]) -> Dict[str, Any]:
    return server.get(f"/sweeps/{sweep['id']}")


def ended(server: RoostServer, sweep: Dict[str, Any], timeout: float = 120) -> Dict[str, Any]:
    server.wait(sweep, timeout=timeout)
    return get(server, sweep)


def trials(server: RoostServer, sweep: Dict[str, Any]) -> List[Dict[str, Any]]:
    return server.get(f"/sweeps/{sweep['id']}/trials?limit=10000")["trials"]


@pytest.fixture(scope="module")
def server(shared_server: RoostServer) -> RoostServer:
    return shared_server


def test_a_random_sweep_from_the_first_draw_to_the_best_child(server: RoostServer) -> None:
    done = ended(server, start(server, TRAIN % (3, 0), max_total_runs=6, max_concurrent_runs=2))
    assert (done["status"], done["phase"], done["counts"]["completed"]) == ("Completed", "ended", 6)
    all_trials = trials(server, done)
    assert [t["number"] for t in all_trials] == list(range(6))
    assert [t["run"] for t in all_trials] == [f"{done['id']}_{n}" for n in range(6)]
    assert all(t["intervals"] == 3 and t["best"] == pytest.approx(1 - abs(t["parameters"]["lr"] - 0.3)) for t in all_trials)
    best = max(all_trials, key=lambda t: t["best"])
    assert (done["best"]["run"], done["best"]["parameters"]) == (best["run"], best["parameters"])
    parent = server.get_run(done)
    assert parent["type"] == "hyperdrive" and parent["properties"]["best_child_run_id"] == best["run"]
    child = server.get_run(best["run"])
    assert child["parent"] == done["id"] and child["spec"]["arguments"] == ["--lr", str(best["parameters"]["lr"])]
    log = server.log(done, "azureml-logs/hyperdrive.txt").decode()
    assert "[GENERATOR][INFO]Max number of jobs '6' reached for experiment." in log
    assert log.count("Successfully scheduled a job.") == 6


def test_children_have_the_name_of_the_sweep_and_their_number(server: RoostServer) -> None:
    run = {"experiment": "tuning", "command": "true", "display_name": "tune"}
    done = ended(server, server.post("/workspaces/default/sweeps", json=sweep_spec(run=run, max_total_runs=2)))
    assert [server.get_run(trial["run"])["display_name"] for trial in trials(server, done)] == ["tune-0", "tune-1"]
    assert server.get_run(done)["display_name"] == "tune"


def test_the_same_seed_draws_the_same(server: RoostServer) -> None:
    first, second = (ended(server, start(server, "", max_total_runs=5, max_concurrent_runs=5)) for _ in range(2))
    assert [t["parameters"] for t in trials(server, first)] == [t["parameters"] for t in trials(server, second)]


def test_a_finite_space_is_tried_once_each_and_no_more(server: RoostServer) -> None:
    space = [{"name": "lr", "expression": "choice", "values": [0.1, 0.3]}, {"name": "depth", "expression": "choice", "values": [1, 2]}]
    for sampling in ({"type": "grid"}, {"type": "random", "seed": 3}):
        done = ended(server, start(server, TRAIN % (1, 0), space=space, sampling=sampling, max_total_runs=50,
                                   max_concurrent_runs=2))
        found = [(t["parameters"]["lr"], t["parameters"]["depth"]) for t in trials(server, done)]
        assert sorted(found) == [(0.1, 1), (0.1, 2), (0.3, 1), (0.3, 2)]
        assert (done["space_size"], done["status"]) == (4, "Completed")
        child = server.get_run(trials(server, done)[0]["run"])
        assert child["spec"]["arguments"] == ["--lr", str(found[0][0]), "--depth", str(found[0][1])]


def test_bandit_stops_a_child_soon_and_says_why(server: RoostServer) -> None:
    sweep = start(server, TRAIN % (40, 0.1), space=[{"name": "lr", "expression": "choice", "values": [0.3, 5.0]}],
                  sampling={"type": "grid"}, policy={"type": "bandit", "slack_amount": 0.2}, max_total_runs=2,
                  max_concurrent_runs=2)
    done = ended(server, sweep)
    good, bad = trials(server, done)
    assert good["status"] == "Completed" and good["reason"] == ""
    assert bad["status"] == "Canceled" and bad["reason"].startswith("stopped at interval ") and bad["intervals"] < 40
    assert done["counts"]["stopped"] == 1 and done["status"] == "Completed"
    assert any(bad["reason"] in event["reason"] for event in server.events(bad["run"]))


def test_pause_raise_add_and_stop(server: RoostServer, gate: Gate) -> None:
    sweep = start(server, gate.wait_code, max_total_runs=4, max_concurrent_runs=1)
    wait_until(lambda: get(server, sweep)["counts"]["running"] == 1, 60, "the first one runs")
    path = f"/sweeps/{sweep['id']}"
    server.expect(200, "PATCH", path, json={"paused": True})
    assert server.post(path + "/trials", json={"parameters": {"lr": 0.25}})["number"] == 1
    server.expect(200, "PATCH", path, json={"paused": False, "max_concurrent_runs": 3})
    wait_until(lambda: len(trials(server, sweep)) == 3, 60, "a third is drawn")
    assert [t["origin"] for t in trials(server, sweep)] == ["random", "hand", "random"]
    assert server.expect(200, "PATCH", path, json={"stop": True})["phase"] == "stopping"
    gate.open()
    done = ended(server, sweep)
    assert done["status"] == "Completed" and len(trials(server, done)) == 3
    assert "left to end" in done["message"]


def test_cancel_ends_the_children_too(server: RoostServer, gate: Gate) -> None:
    sweep = start(server, gate.wait_code, max_total_runs=4, max_concurrent_runs=2)
    wait_until(lambda: get(server, sweep)["counts"]["running"] >= 1, 60, "one runs")
    server.cancel(sweep)
    wait_until(lambda: get(server, sweep)["phase"] == "ended", 60, "its children have ended")
    assert {t["status"] for t in trials(server, sweep)} <= {"Canceled", "NotStarted"}
    assert get(server, sweep)["status"] == "Canceled"


def test_where_every_child_fails_the_sweep_does_and_names_the_first_cause(server: RoostServer) -> None:
    done = ended(server, start(server, "raise ValueError('no data')", max_total_runs=50, max_concurrent_runs=2))
    assert done["status"] == "Failed" and "no data" in done["message"] and f"{done['id']}_" in done["message"]
    assert len(trials(server, done)) < 50
    assert "no data" in server.get_run(done)["error"]["message"]
    assert all("no data" in trial["reason"] for trial in trials(server, done) if trial["state"] == "failed")


def test_a_script_that_does_not_take_a_parameter(server: RoostServer) -> None:
    code = "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('--depth')\nparser.parse_args()\n"
    done = ended(server, start(server, code, max_total_runs=3, max_concurrent_runs=1))
    assert done["status"] == "Failed"
    assert "unrecognized arguments: --lr" in done["message"] and "the script must take them" in done["message"]


def test_values_that_are_no_numbers_win_nothing(server: RoostServer) -> None:
    code = TRAIN.replace('run.log("accuracy", ', 'run.log("accuracy", float("nan") if lr > 0.5 else ')
    done = ended(server, start(server, code % (3, 0), space=[{"name": "lr", "expression": "choice", "values": [0.3, 0.9]}],
                               sampling={"type": "grid"}, policy={"type": "bandit", "slack_amount": 0.1}, max_total_runs=2,
                               max_concurrent_runs=1))
    good, bad = trials(server, done)
    assert done["best"]["trial"] == 0 and good["best"] == 1.0 and bad["best"] is None
    only = ended(server, start(server, code % (1, 0), space=[{"name": "lr", "expression": "choice", "values": [0.9]}],
                               max_total_runs=1))
    assert only["status"] == "Completed" and only["best"] is None


def test_canceled_children_do_not_fail_the_sweep(server: RoostServer, gate: Gate) -> None:
    sweep = start(server, gate.wait_code, max_total_runs=2, max_concurrent_runs=2)
    wait_until(lambda: get(server, sweep)["counts"]["running"] == 2, 60, "both run")
    server.cancel(f"{sweep['id']}_0")
    wait_until(lambda: trials(server, sweep)[0]["state"] == "canceled", 30, "one is canceled")
    gate.open()
    done = ended(server, sweep)
    assert (done["status"], done["counts"]["canceled"], done["counts"]["completed"]) == ("Completed", 1, 1)


def test_a_metric_that_nobody_logs_is_told_with_the_names_that_were(server: RoostServer) -> None:
    done = ended(server, start(server, TRAIN % (1, 0), metric={"name": "Accuracy", "goal": "maximize"}, max_total_runs=1))
    assert done["best"] is None and done["metrics_seen"] == ["accuracy"] and done["status"] == "Completed"
    notices = server.get_run(done)["notices"]
    assert len(notices) == 1 and '"Accuracy"' in notices[0] and "they logged accuracy" in notices[0]
    assert notices[0] in server.log(done, "azureml-logs/hyperdrive.txt").decode()


@pytest.mark.parametrize("change, words", [
    ({"space": []}, "space"),
    ({"sampling": {"type": "grid"}}, "choice"),
    ({"sampling": {"type": "magic"}}, "magic"),
    ({"max_concurrent_runs": 5000}, "max_total_runs"),
    ({"max_total_runs": 0}, "max_total_runs"),
    ({"metric": {"name": "a", "goal": "best"}}, "maximize"),
    ({"policy": {"type": "bandit"}}, "slack"),
    ({"run": {"experiment": "tuning", "interactive": True}}, "script or a command"),
    ({"run": {"experiment": "tuning", "command": "true", "compute": "nowhere"}}, "nowhere"),
    ({"resume_from": ["nothing"]}, "nothing"),
])
def test_bad_sweeps_are_refused_and_leave_nothing(server: RoostServer, change: Dict[str, Any], words: str) -> None:
    before = len(server.get("/workspaces/default/sweeps?limit=1000")["sweeps"])
    answer = server.expect((400, 404), "POST", "/workspaces/default/sweeps", json=sweep_spec(**change))
    assert words in answer["error"]["message"]
    assert len(server.get("/workspaces/default/sweeps?limit=1000")["sweeps"]) == before


def test_kill_9_changes_neither_draws_nor_the_best(make_server: MakeServer) -> None:
    server = make_server()
    settings: Dict[str, Any] = {"max_total_runs": 200, "max_concurrent_runs": 4}
    undisturbed = ended(server, start(server, TRAIN % (2, 0), **settings))
    sweep = start(server, TRAIN % (2, 0), **settings)
    moments = random.Random(5)
    for _ in range(20):
        time.sleep(moments.uniform(0.05, 0.6))
        server.kill9()
        server.start()
    done = ended(server, sweep)
    assert done["status"] == "Completed" and done["counts"]["completed"] == 200
    drawn = [t["parameters"] for t in trials(server, done)]
    assert drawn == [t["parameters"] for t in trials(server, undisturbed)]
    assert done["best"]["trial"] == undisturbed["best"]["trial"]
    children = list(server.pages("/workspaces/default/runs", parent=sweep["id"], limit=100))
    assert sorted(run["id"] for run in children) == sorted(f"{sweep['id']}_{n}" for n in range(200))
