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


@exercise
def purge_run(c: Caller) -> None:
    run = ended_run(c)
    c.call("purge_run", 409, run)
    c.call("delete_run", 200, run)
    c.call("purge_run", 202, run)


@exercise
def purge_experiment(c: Caller) -> None:
    name = c.new_name()
    ended_run(c, name)
    c.call("purge_experiment", 409, "default", name)
    c.call("delete_experiment", 200, "default", name)
    c.call("purge_experiment", 202, "default", name)


@exercise
def get_bin(c: Caller) -> None:
    assert c.call("get_bin", 200, "default").json["keep_days"] == 30
    c.call("get_bin", 404, "none-such")


@exercise
def empty_bin(c: Caller) -> None:
    c.call("empty_bin", 202, "default", json={"older_than_seconds": 3_000_000})
    c.call("empty_bin", 404, "none-such", json={})


@exercise
def get_disk_use(c: Caller) -> None:
    run = c.finished_run()
    uses = c.call("get_disk_use", 200, "default", experiment=run["experiment"], limit=1000).json
    assert run["id"] in [use["run"] for use in uses["runs"]]
    c.call("get_disk_use", 404, "default", experiment="none-such")


RULE = {"what": "samples", "experiment": "none", "tag": "a=b", "older_than_seconds": 86400}


@exercise
def list_retention_rules(c: Caller) -> None:
    c.call("save_retention_rule", 200, "default", "listed", json=RULE)
    assert "listed" in [rule["name"] for rule in c.call("list_retention_rules", 200, "default").json["items"]]


@exercise
def save_retention_rule(c: Caller) -> None:
    rule = c.call("save_retention_rule", 200, "default", "saved", json=RULE).json
    assert {key: rule[key] for key in RULE} == RULE


@exercise
def delete_retention_rule(c: Caller) -> None:
    c.call("save_retention_rule", 200, "default", "gone", json=RULE)
    c.call("delete_retention_rule", 200, "default", "gone")
    c.call("delete_retention_rule", 404, "default", "gone")


@exercise
def preview_retention(c: Caller) -> None:
    assert c.call("preview_retention", 200, "default", json=RULE).json["runs"] == 0


@exercise
def save_channel(c: Caller) -> None:
    hook = {"kind": "webhook", "url": "https://example.org/hook", "secret": "0123456789abcdef"}
    assert c.call("save_channel", 200, "hook", json=hook).json["settings"] == {"host": "https://example.org"}
    mail = {"kind": "mail", "to": ["a@example.org"], "from": "b@example.org", "host": "127.0.0.1", "port": 25, "security": "none"}
    c.call("save_channel", 200, "mail", json=mail)


@exercise
def list_channels(c: Caller) -> None:
    c.call("save_channel", 200, "listed", json={"kind": "desktop"})
    assert "listed" in [channel["name"] for channel in c.call("list_channels", 200).json["items"]]


@exercise
def delete_channel(c: Caller) -> None:
    c.call("save_channel", 200, "gone", json={"kind": "desktop"})
    c.call("delete_channel", 200, "gone")
    c.call("delete_channel", 404, "gone")


@exercise
def test_channel(c: Caller) -> None:
    c.call("save_channel", 200, "tested", json={"kind": "desktop"})
    assert c.call("test_channel", 200, "tested").json["state"] == "sent"
    c.call("test_channel", 404, "none-such")


@exercise
def list_alert_rules(c: Caller) -> None:
    assert c.call("list_alert_rules", 200, "default").json["next_cursor"] is None


@exercise
def create_alert_rule(c: Caller) -> None:
    c.call("save_channel", 200, "ruled", json={"kind": "desktop"})
    rule = {"channel": "ruled", "experiment": "birds", "events": ["failure", "hang"]}
    made = c.call("create_alert_rule", 201, "default", json=rule).json
    assert {key: made[key] for key in rule} == rule
    c.call("create_alert_rule", 404, "default", json={"channel": "none-such"})


@exercise
def delete_alert_rule(c: Caller) -> None:
    c.call("save_channel", 200, "ruled", json={"kind": "desktop"})
    rule = c.call("create_alert_rule", 201, "default", json={"channel": "ruled"}).json["id"]
    c.call("delete_alert_rule", 200, "default", rule)
    c.call("delete_alert_rule", 404, "default", rule)


@exercise
def list_alerts(c: Caller) -> None:
    c.call("save_channel", 200, "tested", json={"kind": "desktop"})
    for _ in range(2):
        c.call("test_channel", 200, "tested")
    page = c.call("list_alerts", 200, "default", limit=1).json
    assert page["items"] and c.call("list_alerts", 200, "default", limit=1, cursor=page["next_cursor"]).json["items"]
