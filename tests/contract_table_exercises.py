"""The run table, its saved views, charts and reruns: one valid call of each operation, and what it refuses."""
from contract_caller import Caller, exercise


@exercise
def query_runs(c: Caller) -> None:
    run = c.finished_run()
    page = c.call("query_runs", 200, "default", q=f"id:{run['id']} status:completed metrics.loss<1 tags.k=v",
                  sort="-metrics.loss", offset=0, limit=10, column=["metrics.loss", "metrics.nan", "params.*"]).json
    assert page["total"] == 1
    (row,) = page["items"]
    assert (row["id"], row["tags"], row["children"], row["error"]) == (run["id"], {"k": "v"}, 0, None)
    assert row["odd"] == {"nan": 0} and row["metrics"] == {"loss": 0.01, "nan": "NaN"} and row["duration_seconds"] > 0
    assert c.call("query_runs", 200, "default", limit=0).json["items"] == []
    c.call("query_runs", 400, "default", q="status:nosuch")
    c.call("query_runs", 404, "none-such")


@exercise
def group_runs(c: Caller) -> None:
    run = c.finished_run()
    groups = c.call("group_runs", 200, "default", by="experiment", q="status:completed").json["items"]
    assert run["experiment"] in [group["value"] for group in groups]
    for by in ("status", "compute", "user", "tags.k", "params.lr"):
        c.call("group_runs", 200, "default", by=by)
    c.call("group_runs", 400, "default", by="metrics.loss")


@exercise
def list_run_columns(c: Caller) -> None:
    c.finished_run()
    columns = c.call("list_run_columns", 200, "default").json
    assert "loss" in columns["metrics"] and "k" in columns["tags"]


@exercise
def list_views(c: Caller) -> None:
    c.call("save_view", 200, "default", "a view", json={"state": "q=a"})
    assert "a view" in [view["name"] for view in c.call("list_views", 200, "default").json["items"]]


@exercise
def save_view(c: Caller) -> None:
    name = "größe / 100 %"
    saved = c.call("save_view", 200, "default", name, json={"state": "q=status%3Afailed"}).json
    assert (saved["name"], saved["state"]) == (name, "q=status%3Afailed")


@exercise
def delete_view(c: Caller) -> None:
    c.call("save_view", 200, "default", "to go", json={"state": ""})
    assert c.call("delete_view", 200, "default", "to go").json["name"] == "to go"
    c.call("delete_view", 404, "default", "to go")


@exercise
def rerun_run(c: Caller) -> None:
    run = c.finished_run()
    again = c.call("rerun_run", 201, run["id"], json={}).json
    assert again["properties"]["roost.rerun_of"] == run["id"] and again["tags"] == run["tags"]
    assert c.server.wait(again)["status"] == "Completed"
    shown = c.call("rerun_run", 200, run["id"], json={"dry_run": True, "changes": {"environment_variables": {"LR": "1"}}}).json
    assert shown["changes"] == [{"name": "environment_variables.LR", "from": None, "to": "1"}]
    c.call("rerun_run", 400, run["id"], json={"changes": {"options": ["x"]}})


@exercise
def get_charts(c: Caller) -> None:
    run = c.finished_run()["id"]
    charts = c.call("get_charts", 200, run, name=["loss", "absent", "inf"], attempt=1, x="step", buckets=10).json["items"]
    assert [chart["name"] for chart in charts] == ["loss", "inf"]
    assert len(charts[0]["values"]) == len(charts[0]["lows"]) == 10 and "lows" not in charts[1]
    (part,) = c.call("get_charts", 200, run, name=["loss"], **{"from": 10, "to": 12}).json["items"]
    assert part["steps"] == [9, 10, 11, 12, 13] and part["count"] == 100
    c.call("get_charts", 200, run, name=["loss"], x="time", **{"from": 0.5})
    c.call("get_charts", 404, "none-such")
