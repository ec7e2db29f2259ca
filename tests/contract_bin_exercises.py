"""One valid call of each operation of the bin."""
from contract_caller import Caller, exercise


def ended_run(c: Caller, experiment: str = "tests") -> str:
    run = c.call("submit_run", 201, "default", json={"experiment": experiment, "interactive": True}).json["id"]
    c.call("complete_run", 200, run)
    return run


@exercise
def delete_run(c: Caller) -> None:
    run = ended_run(c)
    assert c.call("delete_run", 200, run).json["deleted_at"] is not None
    assert c.call("list_runs", 200, "default", name=run).json["items"] == []
    assert [r["id"] for r in c.call("list_runs", 200, "default", name=run, deleted="only").json["items"]] == [run]
    assert c.call("query_runs", 200, "default", q=run).json["total"] == 0
    assert c.call("query_runs", 200, "default", q=run, deleted="any").json["total"] == 1
    assert c.call("group_runs", 200, "default", q=run, by="status", deleted="only").json["items"][0]["count"] == 1
    c.call("update_run", 409, run, json={"tags": {"a": "b"}})
    going = c.call("submit_run", 201, "default", json={"experiment": "tests", "interactive": True}).json["id"]
    assert f"roost cancel {going}" in c.call("delete_run", 409, going).json["error"]["message"]
    c.call("delete_run", 404, "none-such")


@exercise
def restore_run(c: Caller) -> None:
    run = ended_run(c)
    c.call("delete_run", 200, run)
    assert c.call("restore_run", 200, run).json["deleted_at"] is None
    assert c.call("list_runs", 200, "default", name=run).json["items"]


@exercise
def delete_experiment(c: Caller) -> None:
    name = c.new_name()
    run = ended_run(c, name)
    assert c.call("delete_experiment", 200, "default", name).json["deleted_at"] is not None
    assert c.call("get_run", 200, run).json["deleted_at"] is not None
    assert name not in [e["name"] for e in c.call("list_experiments", 200, "default", limit=1000).json["items"]]
    binned = c.call("list_experiments", 200, "default", limit=1000, deleted="only").json["items"]
    assert name in [e["name"] for e in binned]
    c.call("submit_run", 409, "default", json={"experiment": name, "interactive": True})
    c.call("create_experiment", 409, "default", json={"name": name})
    c.call("update_experiment", 409, "default", name, json={"archived": True})
    c.call("delete_experiment", 404, "default", "none-such")


@exercise
def restore_experiment(c: Caller) -> None:
    name = c.new_name()
    run = ended_run(c, name)
    c.call("delete_experiment", 200, "default", name)
    assert c.call("restore_experiment", 200, "default", name).json["deleted_at"] is None
    assert c.call("get_run", 200, run).json["deleted_at"] is None
