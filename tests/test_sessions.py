"""Browsers: the login link, the cookie, what it may do, the logout; and the pages themselves."""
import re
from typing import Dict

import pytest

from http_api import Answer
from processes import wait_until
from roost_fixture import RoostServer

OWN_PAGE = {"X-Roost-Studio": "1"}


def log_in(server: RoostServer, **how: str) -> Dict[str, str]:
    """The headers of a logged-in browser."""
    answer = server.api("POST", "/session", json=how, token="")
    assert answer.status == 201, answer.body
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=Strict" in cookie and "Path=/" in cookie
    assert f"roost_session_{server.api_client.url.port}=" in cookie
    return {"Cookie": cookie.split(";")[0]}


def as_browser(server: RoostServer, method: str, path: str, headers: Dict[str, str], **more: object) -> Answer:
    return server.api(method, path, token="", headers=headers, **more)


def link_code(server: RoostServer) -> str:
    link = server.cli("studio").stdout.strip()
    found = re.fullmatch(r"http://127\.0\.0\.1:\d+/login#code=([0-9a-f]{32})", link)
    assert found, link
    return found[1]


def test_the_link_logs_in_once(server: RoostServer) -> None:
    code = link_code(server)
    browser = log_in(server, code=code)
    who = as_browser(server, "GET", "/session", browser).json
    assert (who["name"], who["role"]) == ("owner", "owner") and who["expires_at"]
    again = server.api("POST", "/session", json={"code": code}, token="")
    assert again.status == 401 and "roost studio" in again.message


def test_the_logout_ends_it(server: RoostServer) -> None:
    browser = log_in(server, code=link_code(server))
    answer = as_browser(server, "DELETE", "/session", {**browser, **OWN_PAGE})
    assert answer.status == 200 and "Max-Age=0" in answer.headers["set-cookie"]
    assert as_browser(server, "GET", "/session", browser).status == 401


def test_a_session_is_its_token_and_ends_with_it(server: RoostServer) -> None:
    token = server.new_token("contributor", name="ada")
    browser = log_in(server, token=token["token"])
    assert as_browser(server, "GET", "/session", browser).json["name"] == "ada"
    made = as_browser(server, "POST", "/workspaces/default/experiments", {**browser, **OWN_PAGE}, json={"name": "mine"})
    assert made.status == 201
    server.expect(200, "DELETE", f"/tokens/{token['id']}")
    assert as_browser(server, "GET", "/session", browser).status == 401


def test_a_session_outlives_the_server(server: RoostServer) -> None:
    port = server.api_client.url.port
    browser = log_in(server, code=link_code(server))
    server.config = {"port": port}
    server.restart()
    assert as_browser(server, "GET", "/session", browser).status == 200


def test_a_session_ends_when_its_token_expires(server: RoostServer) -> None:
    token = server.new_token("reader", expires_in_seconds=2)
    browser = log_in(server, token=token["token"])
    wait_until(lambda: as_browser(server, "GET", "/session", browser).status == 401, 20, "the end of the token")


def test_another_page_cannot_use_the_cookie(server: RoostServer) -> None:
    browser = log_in(server, code=link_code(server))
    refused = as_browser(server, "POST", "/workspaces", browser, json={"name": "theirs"})
    assert refused.status == 403 and "X-Roost-Studio" in refused.message
    assert as_browser(server, "POST", "/workspaces", {**browser, **OWN_PAGE}, json={"name": "ours"}).status == 201
    assert as_browser(server, "GET", "/workspaces", browser).status == 200


def test_a_reader_changes_nothing(server: RoostServer) -> None:
    run = server.run("print(1)")
    browser = {**log_in(server, token=server.new_token("reader")["token"]), **OWN_PAGE}
    for method, path, body in [("PATCH", f"/runs/{run['id']}", {"tags": {"a": "b"}}), ("POST", f"/runs/{run['id']}/cancel", None),
                               ("POST", f"/runs/{run['id']}/rerun", None), ("PATCH", f"/runs/{run['id']}", {"archived": True}),
                               ("PUT", "/workspaces/default/views/x", {"state": ""}), ("POST", "/tokens", {"name": "x"}),
                               ("PATCH", "/workspaces/default/computes/local", {"max_nodes": 3})]:
        answer = as_browser(server, method, path, browser, json=body)
        assert answer.status == 403 and "role" in answer.message, (method, path, answer.body)
    assert server.get_run(run)["tags"] == {}


@pytest.mark.parametrize("body, status, words", [
    ({}, 400, "either"), ({"code": "a", "token": "b"}, 400, "either"), ({"code": "0" * 32}, 401, "roost studio"),
    ({"token": "roost_wrong"}, 401, "not known"), ({"code": 3}, 400, "code"), ({"password": "x"}, 400, "password"),
])
def test_wrong_logins_are_told_why(shared_server: RoostServer, body: Dict[str, object], status: int, words: str) -> None:
    answer = shared_server.api("POST", "/session", json=body, token="")
    assert (answer.status, words in answer.message) == (status, True), answer.body
    assert "set-cookie" not in answer.headers


def test_a_runs_token_cannot_log_in(server: RoostServer) -> None:
    run = server.run("""
        import json, os, urllib.request
        request = urllib.request.Request(os.environ["ROOST_URL"] + "/api/v1/session", method="POST",
            data=json.dumps({"token": os.environ["ROOST_TOKEN"]}).encode(), headers={"Content-Type": "application/json"})
        try:
            print(urllib.request.urlopen(request).status)
        except urllib.error.HTTPError as error:
            print(error.code, error.read().decode())
    """)
    said = server.log(run).decode()
    assert said.startswith("403") and "person's token" in said, said


def test_a_cookie_that_is_none(shared_server: RoostServer) -> None:
    port = shared_server.api_client.url.port
    for cookie in ("", "a=b", f"roost_session_{port}=", f"roost_session_{port}=roost_session_wrong; x", ";;;=;"):
        assert as_browser(shared_server, "GET", "/session", {"Cookie": cookie}).status == 401


# The pages.

PAGES = ["/", "/login", "/runs/some-run", "/runs/some-run/logs", "/sweeps/some-sweep", "/w/default/runs", "/w/default/models/a"]


@pytest.mark.parametrize("path", PAGES)
def test_pages_need_no_token_and_hold_no_script(shared_server: RoostServer, path: str) -> None:
    answer = shared_server.api_client.send("GET", path, token="")
    assert answer.status == 200 and answer.content_type == "text/html"
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy and "script-src 'self';" in policy and "unsafe" not in policy
    assert answer.headers["x-content-type-options"] == "nosniff" and answer.headers["cache-control"] == "no-cache"
    assert b"<script>" not in answer.body and b"style=" not in answer.body
    known = shared_server.api_client.send("GET", path, token="", headers={"If-None-Match": answer.headers["etag"]})
    assert known.status == 304 and known.body == b""


def test_assets_are_compressed_and_kept_for_ever(shared_server: RoostServer) -> None:
    page = shared_server.api_client.send("GET", "/", token="").body.decode()
    script = re.search(r'src="(/assets/[^"]+\.js)"', page)
    assert script, page
    sizes = {}
    for encoding in ("", "gzip", "br"):
        answer = shared_server.api_client.send("GET", script[1], token="", headers={"Accept-Encoding": encoding})
        assert answer.status == 200 and answer.content_type == "text/javascript"
        assert answer.headers.get("content-encoding", "") == encoding and answer.headers["vary"] == "Accept-Encoding"
        assert "immutable" in answer.headers["cache-control"]
        sizes[encoding] = len(answer.body)
    assert sizes["br"] < sizes["gzip"] < sizes[""] / 2


def test_there_is_nothing_else(shared_server: RoostServer) -> None:
    for path in ("/assets/none.js", "/assets/../index.html", "/other", "/runs", "/assets/%2e%2e%2findex.html"):
        assert shared_server.api_client.send("GET", path, token="").status == 404, path
    assert shared_server.api_client.send("POST", "/", token="").status == 405
