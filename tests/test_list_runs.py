"""list_runs: filters and pages over more runs than a page holds."""
from typing import Any, List

import pytest

from http_api import query
from roost_fixture import RoostServer

COUNT = 60


@pytest.fixture(scope="module")
def runs(shared_server: RoostServer) -> List[dict]:
    """60 runs, oldest first: every third fails, every second is tagged, four are named."""
    server = shared_server
    server.expect(201, "POST", "/workspaces/default/computes", json={"name": "side", "max_nodes": 2})
    made = []
    for i in range(COUNT):
        spec = {"experiment": f"e{i % 4}", "command": "exit 1" if i % 3 == 0 else "true"}
        if i % 2 == 0:
            spec["tags"] = {"even": "yes", "n": str(i), "bird": "Pute ü"}
        if i % 15 == 0:
            spec["display_name"] = f"special_{i}%"
        if i == 59:
            spec.update(compute="side", parent=made[0]["id"])
        made.append(server.submit(**spec))
    for run in made:
        server.wait(run, timeout=60)
    return made


def listed(server: RoostServer, **filters: Any) -> List[str]:
    return [run["id"] for run in server.pages("/workspaces/default/runs", **filters)]


def ids(runs: List[dict], keep: Any) -> List[str]:
    """Newest first, as the list must be."""
    return [run["id"] for i, run in reversed(list(enumerate(runs))) if keep(i)]


@pytest.mark.parametrize("filters, keep", [
    ({}, lambda i: True),
    ({"experiment": "e1"}, lambda i: i % 4 == 1),
    ({"experiment": "e9"}, lambda i: False),
    ({"status": "Failed"}, lambda i: i % 3 == 0),
    ({"status": "Completed"}, lambda i: i % 3 != 0),
    ({"status": "Failed,Completed"}, lambda i: True),
    ({"status": ["Failed", "Completed"]}, lambda i: True),
    ({"status": "Canceled"}, lambda i: False),
    ({"tag": "even"}, lambda i: i % 2 == 0),
    ({"tag": "n=12"}, lambda i: i == 12),
    ({"tag": ["even=yes", "n=12"]}, lambda i: i == 12),
    ({"tag": ["even=no"]}, lambda i: False),
    ({"tag": "bird=Pute ü"}, lambda i: i % 2 == 0),
    ({"name": "special"}, lambda i: i % 15 == 0),
    ({"name": "special_15%"}, lambda i: i == 15),
    ({"name": "special%"}, lambda i: False),
    ({"name": "specia_"}, lambda i: False),
    ({"name": "e2_"}, lambda i: i % 4 == 2),
    ({"compute": "side"}, lambda i: i == 59),
    ({"experiment": "e0", "status": "Failed", "tag": "even", "compute": "local"}, lambda i: i % 12 == 0),
])
@pytest.mark.parametrize("limit", [None, 7])
def test_filter(shared_server: RoostServer, runs: List[dict], filters: Any, keep: Any, limit: Any) -> None:
    assert listed(shared_server, limit=limit, **filters) == ids(runs, keep)


def test_default_page_has_fifty(shared_server: RoostServer, runs: List[dict]) -> None:
    page = shared_server.get("/workspaces/default/runs")
    assert len(page["items"]) == 50 and page["next_cursor"]
    rest = shared_server.get("/workspaces/default/runs" + query(cursor=page["next_cursor"]))
    assert len(rest["items"]) == 10 and rest["next_cursor"] is None
    assert shared_server.get("/workspaces/default/runs?limit=60")["next_cursor"] is None


def test_name_finds_an_id(shared_server: RoostServer, runs: List[dict]) -> None:
    assert listed(shared_server, name=runs[7]["id"]) == [runs[7]["id"]]
    assert listed(shared_server, name=runs[7]["id"][-8:]) == [runs[7]["id"]]


def test_children(shared_server: RoostServer, runs: List[dict]) -> None:
    assert listed(shared_server, parent=runs[0]["id"]) == [runs[59]["id"]]


def test_times(shared_server: RoostServer, runs: List[dict]) -> None:
    at = runs[30]["created_at"]
    after, before = listed(shared_server, created_after=at), listed(shared_server, created_before=at)
    assert after == ids(runs, lambda i: i >= 30) and before == ids(runs, lambda i: i < 30)


def test_paging_is_steady_while_runs_arrive(shared_server: RoostServer, runs: List[dict]) -> None:
    page = shared_server.get("/workspaces/default/runs?limit=20&experiment=e1")
    first = shared_server.get("/workspaces/default/runs?limit=5&experiment=e0")
    new = shared_server.submit(experiment="e0", command="true")
    rest = listed(shared_server, limit=5, experiment="e0")
    assert rest[0] == new["id"]
    more = query(limit=5, experiment="e0", cursor=first["next_cursor"])
    second = shared_server.get("/workspaces/default/runs" + more)
    seen = [run["id"] for run in first["items"] + second["items"]]
    assert seen == ids(runs, lambda i: i % 4 == 0)[:10] and page["items"]
    shared_server.wait(new)
