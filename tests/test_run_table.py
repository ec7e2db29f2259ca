"""The run table: filters, orders, pages, groups and columns over real runs."""
import json
from typing import Any, Dict, List

import pytest

from http_api import query
from roost_fixture import RoostServer

LOSSES = {"alpha": 0.5, "beta": 0.1, "gamma": 0.9}


@pytest.fixture(scope="module")
def server(shared_server: RoostServer) -> RoostServer:
    """alpha, beta and gamma with a loss, a parameter and a tag each; failed, which has none; größe with a child."""
    for place, (name, loss) in enumerate(LOSSES.items()):
        run = shared_server.run(f"""
            import roost.run as run
            for step in range(3):
                run.log("loss", {loss} if step == 2 else 5, step=step)
            run.log("word", "yes")
        """, display_name=name, experiment="Birds", arguments=["--lr", f"1e-{place}", "--opt=adam" if place else "--opt=SGD", "--amp"],
            tags={"team": f"team {place % 2}", "only " + name: "x"})
        assert run["status"] == "Completed", run["error"]
    shared_server.run("raise ValueError('first line\\nsecond line')", display_name="failed", experiment="fish")
    parent = interactive(shared_server, "größe")
    interactive(shared_server, "child", parent=parent["id"])
    return shared_server


def interactive(server: RoostServer, name: str, **spec: Any) -> Dict[str, Any]:
    return server.expect(201, "POST", "/workspaces/default/runs",
                         json={"experiment": "talks", "interactive": True, "display_name": name, **spec})


def table(server: RoostServer, q: str = "", **options: Any) -> Dict[str, Any]:
    return server.get("/workspaces/default/run-table" + query(q=q, **options))


def names(server: RoostServer, q: str = "", **options: Any) -> List[str]:
    answer = table(server, q, **options)
    return [row["display_name"] for row in answer["items"]]


@pytest.mark.parametrize("q, expected", [
    ("", ["child", "größe", "failed", "gamma", "beta", "alpha"]),
    ("birds", ["gamma", "beta", "alpha"]),
    ("ALPHA", ["alpha"]),
    ("GRÖSSE", []), ("GRÖßE", ["größe"]), ("gröss", []), ("größ", ["größe"]),
    ("experiment:birds status:completed", ["gamma", "beta", "alpha"]),
    ("experiment:bird", []),
    ("status:failed", ["failed"]),
    ("status:FAILED,completed -experiment:birds", ["failed"]),
    ("status:active", ["child", "größe"]),
    ("metrics.loss", ["gamma", "beta", "alpha"]),
    ("metrics.loss<0.6", ["beta", "alpha"]),
    ("metrics.loss<=0.5 metrics.loss!=0.1", ["alpha"]),
    ("metrics.loss=0.9", ["gamma"]),
    ("metrics.word", ["gamma", "beta", "alpha"]), ("metrics.word>0", []),
    ("params.lr>=0.1", ["beta", "alpha"]), ("params.lr=0.10", ["beta"]), ("params.lr!=1", ["gamma", "beta"]),
    ("params.opt=adam", ["gamma", "beta"]), ("params.opt:sg", ["alpha"]), ("params.opt=adam,SGD params.lr=1", ["alpha"]),
    ("params.amp=true", ["gamma", "beta", "alpha"]),
    ('tags.team="team 0"', ["gamma", "alpha"]), ("tags.team:TEAM", ["gamma", "beta", "alpha"]),
    ('tags."only beta"', ["beta"]), ('tags.team!="team 0"', ["beta"]),
    ("not metrics.loss", ["child", "größe", "failed"]),
    ("alpha or beta", ["beta", "alpha"]), ("(alpha or failed) status:failed", ["failed"]),
    ("alpha or failed status:failed", ["failed", "alpha"]),
    ("is:child", ["child"]), ("is:top talks", ["größe"]), ("type:interactive", ["child", "größe"]),
    ("compute:local", ["failed", "gamma", "beta", "alpha"]),
    ("age<1h -age>1h name:alpha", ["alpha"]), ("age>1h", []), ("created>=2020-01-01 name=alpha", ["alpha"]),
    ("created<2020-01-01", []), ("duration<1h status:ended", ["failed", "gamma", "beta", "alpha"]), ("duration>1d", []),
    ("is:archived", []), ("is:any alpha", ["alpha"]),
    ("'; drop table run; --x", []), ('"\'; drop table run; --"', []), ("tags.\"' or 1=1 --\"=x", []),
    ("name:%", []), ("name:_lpha", []), ("name:*", []),
    ("user:nobody", []), ("parent:absent", []), ("日本語", []), ("🐦", []),
])
def test_queries(server: RoostServer, q: str, expected: List[str]) -> None:
    assert names(server, q) == expected
    assert table(server, q)["total"] == len(expected)


def test_children_are_found_by_their_parent(server: RoostServer) -> None:
    (parent,) = table(server, "größe")["items"]
    assert parent["children"] == 1
    assert names(server, f"parent:{parent['id']}") == ["child"] and names(server, f"id={parent['id'].upper()}") == ["größe"]


@pytest.mark.parametrize("sort, expected", [
    ("metrics.loss", ["beta", "alpha", "gamma", "child", "größe", "failed"]),
    ("-metrics.loss", ["gamma", "alpha", "beta", "child", "größe", "failed"]),
    ("params.lr", ["gamma", "beta", "alpha", "child", "größe", "failed"]),
    ("params.opt", ["alpha", "beta", "gamma", "child", "größe", "failed"]),
    ("-tags.team", ["beta", "gamma", "alpha", "child", "größe", "failed"]),
    ("name", ["alpha", "beta", "child", "failed", "gamma", "größe"]),
    ("created", ["alpha", "beta", "gamma", "failed", "größe", "child"]),
])
def test_orders(server: RoostServer, sort: str, expected: List[str]) -> None:
    assert names(server, sort=sort) == expected
    assert names(server, sort=sort, offset=2, limit=3) == expected[2:5]


def test_every_order_has_every_run(server: RoostServer) -> None:
    for field in ("created", "started", "ended", "duration", "name", "number", "experiment", "status", "compute", "user",
                  "metrics.none", "params.none", "tags.none"):
        for sort in (field, "-" + field):
            pages = names(server, sort=sort, limit=4) + names(server, sort=sort, limit=4, offset=4)
            assert sorted(pages) == sorted(names(server)), sort


def test_rows_carry_what_was_asked_for(server: RoostServer) -> None:
    (row,) = table(server, "alpha", column=["metrics.loss", "metrics.none", "params.lr"])["items"]
    assert row["metrics"] == {"loss": 0.5} and row["params"] == {"lr": "1e-0"}
    (row,) = table(server, "alpha", column=["metrics.*", "params.*"])["items"]
    assert row["metrics"] == {"loss": 0.5} and row["params"] == {"lr": "1e-0", "opt": "SGD", "amp": "true"}
    (row,) = table(server, "alpha")["items"]
    assert row["metrics"] == row["params"] == {}
    (row,) = table(server, "status:failed")["items"]
    assert "first line" in row["error"] and "\n" not in row["error"]


def test_groups(server: RoostServer) -> None:
    def groups(by: str, q: str = "") -> Dict[Any, int]:
        items = server.get("/workspaces/default/run-groups" + query(by=by, q=q))["items"]
        assert all(sum(item["statuses"].values()) == item["count"] for item in items)
        assert [item["count"] for item in items] == sorted((item["count"] for item in items), reverse=True)
        return {item["value"]: item["count"] for item in items}

    assert groups("experiment") == {"Birds": 3, "talks": 2, "fish": 1}
    assert groups("tags.team") == {None: 3, "team 0": 2, "team 1": 1}
    assert groups("params.opt", "birds") == {"adam": 2, "SGD": 1}
    assert groups("status", "experiment:birds") == {"Completed": 3}
    assert groups("compute") == {"local": 4, None: 2}
    assert sum(groups("user").values()) == 6 and groups("status", "nosuch") == {}


def test_columns_are_those_of_the_workspace(server: RoostServer) -> None:
    columns = server.get("/workspaces/default/run-columns")
    assert columns == {"metrics": ["loss", "word"], "params": ["amp", "lr", "opt"],
                       "tags": ["only alpha", "only beta", "only gamma", "team"]}
    server.post("/workspaces", {"name": "other"})
    assert server.get("/workspaces/other/run-columns") == {"metrics": [], "params": [], "tags": []}
    assert server.get("/workspaces/other/run-table?q=metrics.loss")["total"] == 0


@pytest.mark.parametrize("options, says", [
    ({"q": "größe status:nosuch"}, 'at character 7, "status:nosuch"'), ({"q": "lr=3"}, "params.lr"),
    ({"q": "(a"}, "not closed"), ({"q": '"a'}, "quote"), ({"q": "created<2d"}, "age<2d"), ({"q": "x" * 2001}, "2000"),
    ({"sort": "nosuch"}, "no column"), ({"sort": "metrics."}, "no column"), ({"column": "status"}, "metrics.NAME"),
    ({"column": "nosuch"}, "no column"), ({"limit": 1001}, "1000"), ({"offset": -1}, "offset"), ({"sort": ""}, "no column"),
])
def test_what_is_wrong_is_said(server: RoostServer, options: Dict[str, Any], says: str) -> None:
    answer = server.api("GET", "/workspaces/default/run-table" + query(**options))
    assert (answer.status, answer.code) == (400, "invalid_argument") and says in answer.message, answer.body


def test_bytes_that_are_no_text_are_refused(server: RoostServer) -> None:
    assert server.api("GET", "/workspaces/default/run-table?q=%ff%fe").status == 400
    assert server.api("GET", "/workspaces/default/run-table?sort=tags.%ff").status == 400
    assert server.get("/workspaces/default/run-table?q=a%00b")["total"] == 0


def test_archived_runs_leave_the_table_but_not_the_list(server: RoostServer) -> None:
    (row,) = table(server, "gamma")["items"]
    reader = server.new_token("reader")["token"]
    refused = server.api("PATCH", f"/runs/{row['id']}", json={"archived": True}, token=reader)
    assert refused.status == 403 and names(server, "gamma") == ["gamma"]
    changed = server.expect(200, "PATCH", f"/runs/{row['id']}", json={"archived": True})
    assert changed["archived"] is True and names(server, "gamma") == []
    try:
        assert names(server, "is:archived") == ["gamma"] and names(server, "is:any gamma") == ["gamma"]
        assert names(server, "metrics.loss is:any -is:archived") == ["beta", "alpha"]
        listed = server.get("/workspaces/default/runs?name=gamma")["items"]
        assert [run["archived"] for run in listed] == [True]
    finally:
        server.expect(200, "PATCH", f"/runs/{row['id']}", json={"archived": False})
    assert names(server, "gamma") == ["gamma"]


def test_metrics_are_those_of_the_last_attempt_and_follow_it(server: RoostServer) -> None:
    run = interactive(server, "live")
    offset = 0
    for value, expected in ((3, 3), (0.25, 0.25), ("NaN", "NaN"), ("Infinity", "Infinity"), (7, 7)):
        line = json.dumps(["scalar", "live", value, None, 1]).encode() + b"\n"
        server.expect(200, "POST", f"/runs/{run['id']}/records" + query(stream="s", offset=offset), data=line,
                      content_type="application/x-ndjson")
        offset += len(line)
        (row,) = table(server, "name=live", column="metrics.live")["items"]
        assert row["metrics"] == {"live": expected}
    assert names(server, "metrics.live>6") == ["live"]
    server.post(f"/runs/{run['id']}/complete")
    assert names(server, "name=live status:completed") == ["live"]
    server.expect(200, "PATCH", f"/runs/{run['id']}", json={"archived": True})


def test_the_cli_asks_in_the_same_language(server: RoostServer) -> None:
    assert server.cli("runs", "--query", "metrics.loss<0.6", "--quiet").stdout.split() == [
        row["id"] for row in table(server, "metrics.loss<0.6")["items"]]
    wrong = server.cli("runs", "--query", "status:nosuch", check=False)
    assert wrong.returncode == 2 and "at character 1" in wrong.stderr
