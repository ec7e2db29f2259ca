"""Calls of what only browsers use: sessions, the live stream, searches in logs."""
from contract_caller import Caller, exercise
from live_events import LiveEvents


@exercise
def create_login_code(c: Caller) -> None:
    made = c.call("create_login_code", 201).json
    assert made["url"].endswith("/login#code=" + made["code"])


@exercise
def create_session(c: Caller) -> None:
    code = c.call("create_login_code", 201).json["code"]
    assert c.call("create_session", 201, json={"code": code}, token="").json["role"] == "owner"
    c.call("create_session", 401, json={"code": code}, token="")


@exercise
def get_session(c: Caller) -> None:
    assert c.call("get_session", 200).json["name"] == "owner"
    c.call("get_session", 401, token="")


@exercise
def end_session(c: Caller) -> None:
    assert c.call("end_session", 200, token="").json == {"ended": True}


@exercise
def follow_live(c: Caller) -> None:
    with LiveEvents(c.server, "runs/default") as live:
        assert live.next()[0] == "reset"
    c.call("follow_live", 400, topic=["nothing"])
    c.accepted.add("follow_live")


@exercise
def search_log(c: Caller) -> None:
    run = c.finished_run()
    found = c.call("search_log", 200, run["id"], text="HELLO").json
    assert [item["line"] for item in found["items"]] == ["hello"]
    c.call("search_log", 400, run["id"])
