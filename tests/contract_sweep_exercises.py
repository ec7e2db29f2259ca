"""Calls of sweeps: one that is paused before it starts a child, so that it changes only when told to."""
from typing import Any, Dict

from contract_caller import Caller, exercise


def sweep_spec(**more: Any) -> Dict[str, Any]:
    spec: Dict[str, Any] = {
        "run": {"experiment": "tuning", "command": "true"},
        "space": [{"name": "lr", "expression": "uniform", "values": [0.1, 0.9]}],
        "sampling": {"type": "random", "seed": 7},
        "metric": {"name": "accuracy", "goal": "maximize"},
        "max_total_runs": 1000, "max_concurrent_runs": 1}
    spec.update(more)
    return spec


def new_sweep(c: Caller) -> Dict[str, Any]:
    made = c.call("create_sweep", 201, "default", json=sweep_spec()).json
    c.call("update_sweep", 200, made["id"], json={"paused": True})
    return made


def end(c: Caller, sweep: Dict[str, Any]) -> None:
    c.call("cancel_run", 200, sweep["id"])


@exercise
def create_sweep(c: Caller) -> None:
    made = new_sweep(c)
    assert made["status"] == "Running" and made["id"].startswith("HD_") and made["space_size"] is None
    end(c, made)
    c.call("create_sweep", 404, "nowhere", json=sweep_spec())
    c.call("create_sweep", 400, "default", json=sweep_spec(
        sampling={"type": "grid"}))


@exercise
def list_sweeps(c: Caller) -> None:
    made = new_sweep(c)
    assert c.call("list_sweeps", 200, "default", limit=1).json["sweeps"][0]["id"] == made["id"]
    end(c, made)


@exercise
def get_sweep(c: Caller) -> None:
    made = new_sweep(c)
    assert c.call("get_sweep", 200, made["id"]).json["phase"] == "paused"
    end(c, made)
    c.call("get_sweep", 404, c.finished_run()["id"])


@exercise
def update_sweep(c: Caller) -> None:
    made = new_sweep(c)
    changed = c.call("update_sweep", 200, made["id"], json={"max_total_runs": 5, "max_concurrent_runs": 2}).json
    assert (changed["spec"]["max_total_runs"], changed["spec"]["max_concurrent_runs"]) == (5, 2)
    end(c, made)
    c.call("update_sweep", 409, made["id"], json={"paused": False})


@exercise
def add_trial(c: Caller) -> None:
    made = new_sweep(c)
    trial = c.call("add_trial", 201, made["id"], json={"parameters": {"lr": 0.5}}).json
    assert trial["origin"] == "hand" and trial["run"] == f"{made['id']}_{trial['number']}"
    c.call("add_trial", 400, made["id"], json={"parameters": {"rate": 0.5}})
    end(c, made)


@exercise
def list_trials(c: Caller) -> None:
    made = new_sweep(c)
    number = c.call("add_trial", 201, made["id"], json={"parameters": {"lr": 0.5}}).json["number"]
    assert [t["number"] for t in c.call("list_trials", 200, made["id"], after=number - 1).json["trials"]] == [number]
    end(c, made)
