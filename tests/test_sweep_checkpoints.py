"""Trials that wait and go on from their checkpoint, hand over to others, or are run once more."""
import json
import random
import time
from typing import Any, Dict, List

import pytest

from conftest import MakeServer
from processes import wait_until
from roost_fixture import RoostServer
from test_sweeps import ended, get, start, trials

# An epoch is a line in its checkpoint, with the process that trained it; `--resume-from` is another's checkpoint.
TRAIN = """
import argparse, json, os, time
import roost.run as run

parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float)
parser.add_argument("--resume-from", default="outputs")
args = parser.parse_args()
process = os.urandom(4).hex()
place = os.path.join(args.resume_from, "epochs.json")
epochs = json.load(open(place)) if os.path.exists(place) else []
while len(epochs) < %(epochs)d:
    epochs.append([process, args.lr])
    with open("outputs/new.json", "w") as file:
        json.dump(epochs, file)
    os.replace("outputs/new.json", "outputs/epochs.json")
    run.log("accuracy", 1 - abs(args.lr - 0.3) + 0.001 * len(epochs)%(step)s)
    time.sleep(%(rest)s)
"""


def script(epochs: int, rest: float = 0.3, step: str = ", step=len(epochs)") -> str:
    return TRAIN % {"epochs": epochs, "rest": rest, "step": step}


def kept_epochs(server: RoostServer, trial: Dict[str, Any]) -> List[Any]:
    return json.loads(server.artifact(server.get_run(trial["run"]), "outputs/epochs.json"))


@pytest.fixture(scope="module")
def server(shared_server: RoostServer) -> RoostServer:
    return shared_server


SPACE = [{"name": "lr", "expression": "choice", "values": [0.9, 0.3, 0.8, 0.6, 0.5, 0.7]}]
ASHA = {"type": "asha", "min_intervals": 1, "max_intervals": 4, "eta": 2}


@pytest.mark.parametrize("step", [", step=len(epochs)", ""], ids=["steps", "no steps"])
def test_paused_trials_go_on_where_they_were(server: RoostServer, step: str) -> None:
    # So long an epoch takes that the pause comes before the end, also on a busy machine.
    done = ended(server, start(server, script(4, rest=1.5, step=step), space=SPACE, sampling={"type": "grid"}, policy=ASHA,
                               max_total_runs=6, max_concurrent_runs=2))
    found = {trial["parameters"]["lr"]: trial for trial in trials(server, done)}
    best = found[0.3]
    assert (done["status"], done["best"]["run"], best["state"], best["intervals"]) == ("Completed", best["run"], "completed", 4)
    run = server.get_run(best["run"])
    epochs = kept_epochs(server, best)
    assert len(epochs) == 4, "no epoch was trained twice"
    assert len({process for process, _ in epochs}) > 1 and run["attempt"] > 1, "it went on in another process"
    assert run["error"] is None and any("paused at interval" in event["reason"] for event in server.events(run))
    lost = [trial for trial in found.values() if trial["state"] == "stopped"]
    assert lost and all(trial["reason"].startswith("stopped at interval") for trial in lost)
    assert done["counts"]["paused"] == 0 and sum(trial["intervals"] for trial in found.values()) < 6 * 4


def test_a_paused_trial_is_seen_as_such_and_can_be_canceled(server: RoostServer) -> None:
    sweep = start(server, script(4, rest=30), space=SPACE, sampling={"type": "grid"}, policy=ASHA, max_total_runs=2,
                  max_concurrent_runs=1)
    wait_until(lambda: any(trial["state"] == "paused" and trial["status"] == "Queued" for trial in trials(server, sweep)), 60,
               "the first one waits")
    first = trials(server, sweep)[0]
    assert first["reason"].startswith("paused at interval 1") and get(server, sweep)["counts"]["paused"] >= 1
    queue = server.get("/workspaces/default/queue")
    assert first["run"] not in json.dumps(queue), "it waits for its sweep, not for a node"
    server.cancel(first["run"])
    wait_until(lambda: trials(server, sweep)[0]["state"] == "canceled", 30, "it is canceled")
    server.cancel(sweep)
    wait_until(lambda: get(server, sweep)["phase"] == "ended", 60, "the sweep ends")


def test_kill_9_loses_no_pause(make_server: MakeServer) -> None:
    server = make_server()
    sweep = start(server, script(4), space=SPACE, sampling={"type": "grid"}, policy=ASHA, max_total_runs=6,
                  max_concurrent_runs=2)
    moments = random.Random(7)
    for _ in range(6):
        time.sleep(moments.uniform(0.2, 0.8))
        server.kill9()
        server.start()
    done = ended(server, sweep)
    found = {trial["parameters"]["lr"]: trial for trial in trials(server, done)}
    assert done["status"] == "Completed" and found[0.3]["state"] == "completed"
    assert len(kept_epochs(server, found[0.3])) == 4
    assert {trial["state"] for trial in found.values()} <= {"completed", "stopped"}


def test_a_population_goes_on_from_the_better_ones(server: RoostServer) -> None:
    policy = {"type": "pbt", "interval": 1, "quantile": 0.5, "resample_probability": 0}
    space = [{"name": "lr", "expression": "choice", "values": [8.0, 0.3, 9.0]}]
    # What runs is kept once it rests for three seconds: there must be a checkpoint when the policy looks. It looks when a trial
    # logs, and at what the others have logged by then: so the one that is behind comes later.
    code = script(4, rest=4.5).replace("while ", "time.sleep(1 if args.lr == 8 else 0)\nwhile ")
    done = ended(server, start(server, code, space=space, sampling={"type": "grid"}, policy=policy,
                               max_total_runs=3, max_concurrent_runs=2), timeout=180)
    assert done["status"] == "Completed", done
    heirs = [trial for trial in trials(server, done) if trial["origin"] == "pbt"]
    assert heirs
    heir = heirs[0]
    source = next(trial for trial in trials(server, done) if trial["run"] == heir["goes_on_from"])
    epochs = kept_epochs(server, heir)
    assert epochs[0][1] == source["parameters"]["lr"] != heir["parameters"]["lr"] == epochs[-1][1]
    replaced = [trial for trial in trials(server, done) if f"{heir['run']} goes on instead" in trial["reason"]]
    assert len(replaced) == 1 and replaced[0]["state"] == "stopped"


def test_children_are_run_once_more_with_what_they_left(server: RoostServer) -> None:
    space = [{"name": "lr", "expression": "uniform", "values": [0, 1]}]
    first = ended(server, start(server, script(2, rest=0), space=space, max_total_runs=2))
    old = trials(server, first)[1]
    done = ended(server, start(server, script(3, rest=0), space=space, max_total_runs=2, max_concurrent_runs=1,
                               resume_child_runs=[old["run"]]))
    again, other = trials(server, done)
    assert (again["origin"], again["goes_on_from"], again["parameters"]) == ("resumed", old["run"], old["parameters"])
    assert other["origin"] == "random" and len(kept_epochs(server, other)) == 3
    assert kept_epochs(server, again)[:2] == kept_epochs(server, old) and len(kept_epochs(server, again)) == 3
    assert "--resume-from" in server.get_run(again["run"])["spec"]["arguments"]


@pytest.mark.parametrize("change, words", [
    ({"resume_child_runs": ["nobody"]}, "nobody"),
    ({"policy": {"type": "pbt"}}, "max_concurrent_runs"),
    ({"policy": {"type": "pbt"}, "max_concurrent_runs": 1}, "max_concurrent_runs"),
])
def test_what_cannot_go_on_is_refused(server: RoostServer, change: Dict[str, Any], words: str) -> None:
    from contract_sweep_exercises import sweep_spec
    answer = server.expect((400, 404), "POST", "/workspaces/default/sweeps", json=sweep_spec(**change))
    assert words in answer["error"]["message"]


def test_a_child_that_left_nothing_cannot_be_resumed(server: RoostServer) -> None:
    from contract_sweep_exercises import sweep_spec
    first = ended(server, start(server, "", max_total_runs=1))
    for run, words in ((trials(server, first)[0]["run"], "left nothing"), (first["id"], "no child of a sweep")):
        answer = server.expect(400, "POST", "/workspaces/default/sweeps", json=sweep_spec(resume_child_runs=[run]))
        assert words in answer["error"]["message"]
