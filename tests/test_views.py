"""Saved views of the run table."""
import pytest

from http_api import quote
from roost_fixture import RoostServer

VIEWS = "/workspaces/default/views"


@pytest.fixture(scope="module")
def server(shared_server: RoostServer) -> RoostServer:
    return shared_server


def names(server: RoostServer) -> list:
    return [view["name"] for view in server.get(VIEWS)["items"]]


def test_a_view_is_saved_changed_and_removed(server: RoostServer) -> None:
    view = server.expect(200, "PUT", f"{VIEWS}/mine", json={"state": "q=status%3Afailed&sort=-created"})
    assert (view["name"], view["state"]) == ("mine", "q=status%3Afailed&sort=-created")
    assert view["created_by"] == server.get("/workspaces/default/views")["items"][0]["created_by"]
    server.expect(200, "PUT", f"{VIEWS}/mine", json={"state": "q="})
    server.restart()
    assert [view["state"] for view in server.get(VIEWS)["items"]] == ["q="]
    assert server.expect(200, "DELETE", f"{VIEWS}/mine")["state"] == "q="
    assert names(server) == [] and server.api("DELETE", f"{VIEWS}/mine").status == 404


@pytest.mark.parametrize("name", ["two words", "größe", "a/b", "100 %", "'; drop table view; --", "日本", "x" * 100])
def test_names_are_any_text(server: RoostServer, name: str) -> None:
    server.expect(200, "PUT", f"{VIEWS}/{quote(name)}", json={"state": name})
    assert name in names(server)
    assert server.expect(200, "DELETE", f"{VIEWS}/{quote(name)}")["name"] == name


@pytest.mark.parametrize("name, body", [("x" * 101, {"state": ""}), ("a\nb", {"state": ""}), ("a", {}), ("a", {"state": 1}),
                                        ("a", {"state": "x" * 4001}), ("a", {"state": "", "more": 1}), ("a", [])])
def test_wrong_views_are_refused(server: RoostServer, name: str, body: object) -> None:
    assert server.api("PUT", f"{VIEWS}/{quote(name)}", json=body).status == 400
    assert names(server) == []


def test_readers_see_views_and_change_none(server: RoostServer) -> None:
    reader, writer = (server.new_token(role)["token"] for role in ("reader", "contributor"))
    assert server.expect(200, "PUT", f"{VIEWS}/shared", json={"state": "q=a"}, token=writer)["created_by"] == "a contributor"
    assert names(server) == [v["name"] for v in server.get(VIEWS, token=reader)["items"]] == ["shared"]
    assert server.api("PUT", f"{VIEWS}/shared", json={"state": "q=b"}, token=reader).status == 403
    assert server.api("DELETE", f"{VIEWS}/shared", token=reader).status == 403
    assert server.expect(200, "DELETE", f"{VIEWS}/shared", token=writer)["state"] == "q=a"


def test_each_workspace_has_its_own(server: RoostServer) -> None:
    server.post("/workspaces", {"name": "other"})
    server.expect(200, "PUT", "/workspaces/other/views/theirs", json={"state": ""})
    assert names(server) == [] and server.api("GET", "/workspaces/absent/views").status == 404
    assert server.api("PUT", "/workspaces/absent/views/x", json={"state": ""}).status == 404
