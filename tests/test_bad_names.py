"""Names from outside: `../`, NUL, newlines, 10,000 characters, Unicode."""
from typing import Any, Iterator

import pytest

from bad_requests import refused, state_of
from http_api import quote
from roost_fixture import RoostServer, own_properties

NAMES = {
    "up": "../../etc/passwd",
    "dots": "..",
    "slash": "a/b",
    "nul": "a\0b",
    "newline": "a\nb",
    "escape": "a\x1b[31mb",
    "long": "x" * 10_000,
    "unicode": "Hühnchen-🐔",
    "right-to-left": "a\u202eb",
    "blank": "a b",
    "empty": "",
}
STRICT = list(NAMES)
NOT_THERE = ((400, 404), ("invalid_argument", "not_found"))
CONTROL = ["nul", "newline", "escape", "long"]
FREE = ["up", "dots", "slash", "unicode", "right-to-left", "blank"]


@pytest.fixture(scope="module")
def server(shared_server: RoostServer) -> RoostServer:
    shared_server.base_run = shared_server.run("print('hello')", experiment="base")["id"]
    return shared_server


@pytest.fixture
def nothing_changes(server: RoostServer) -> Iterator[None]:
    before = state_of(server)
    yield
    assert state_of(server) == before, "a refused request left something behind"
    assert server.get("//healthz")["status"] == "ok"


def shown(value: str) -> str:
    """How a message may show a name: as it is, up to its first strange character."""
    for i, c in enumerate(value):
        if not c.isascii() or not c.isprintable():
            return value[:i]
    return value[:20]


@pytest.mark.usefixtures("nothing_changes")
@pytest.mark.parametrize("kind", STRICT)
@pytest.mark.parametrize("path, body, field", [
    ("/workspaces", {}, "name"),
    ("/workspaces/default/experiments", {}, "name"),
    ("/workspaces/default/computes", {}, "name"),
    ("/workspaces/default/runs", {"command": "true"}, "experiment"),
    ("/workspaces/default/runs", {"experiment": "e", "command": "true"}, "compute"),
], ids=["workspace", "experiment", "compute", "run-experiment", "run-compute"])
def test_name_is_refused_when_made(server: RoostServer, path: str, body: Any, field: str, kind: str) -> None:
    answer = server.api("POST", path, json={**body, field: NAMES[kind]})
    refused(answer, 400, "invalid_argument", shown(NAMES[kind]))
    assert "\0" not in answer.message and "\n" not in answer.message and "\x1b" not in answer.message


@pytest.mark.usefixtures("nothing_changes")
@pytest.mark.parametrize("kind", [kind for kind in NAMES if kind != "empty"])
@pytest.mark.parametrize("path", [
    "/workspaces/{}", "/workspaces/{}/runs", "/workspaces/default/experiments/{}", "/workspaces/default/computes/{}",
    "/workspaces/default/computes/{}/nodes", "/runs/{}", "/runs/{}/logs", "/runs/{base}/logs/{}",
    "/runs/{base}/metrics/{}", "/runs/{base}/artifacts/{}", "/blobs/{}", "/snapshots/{}", "/blobs/{}/upload",
])
def test_name_is_not_found(server: RoostServer, path: str, kind: str) -> None:
    target = path.replace("{base}", server.base_run).replace("{}", quote(NAMES[kind]))
    answer = server.api("GET", target)
    refused(answer, *((414, "too_large") if kind == "long" else NOT_THERE))
    assert b"root:" not in answer.body


@pytest.mark.usefixtures("nothing_changes")
@pytest.mark.parametrize("path", [
    "/runs/{base}/artifacts/../../../../../../etc/passwd", "/runs/{base}/artifacts//etc/passwd",
    "/runs/{base}/logs/../../../../../../etc/passwd", "/runs/{base}/logs//etc/passwd", "/../../../etc/passwd",
    "/runs/{base}/artifacts/outputs/..%2f..%2f..%2f..%2fetc%2fpasswd", "/runs/{base}/artifacts/outputs/%2e%2e/%2e%2e/x",
    "/runs/{base}/logs/azureml-logs/..%5c..%5cpasswd", "/runs/{base}/artifacts/outputs/%",
    "/runs/{base}/artifacts/outputs/%f", "/runs/{base}/artifacts/outputs/%ff%fe",
])
def test_raw_path_stays_below_its_root(server: RoostServer, path: str) -> None:
    answer = server.api("GET", path.replace("{base}", server.base_run))
    refused(answer, *NOT_THERE)
    assert b"root:" not in answer.body


@pytest.mark.usefixtures("nothing_changes")
@pytest.mark.parametrize("kind", CONTROL)
@pytest.mark.parametrize("change", [
    lambda v: {"display_name": v}, lambda v: {"tags": {v: "x"}}, lambda v: {"tags": {"k": v}},
    lambda v: {"properties": {v: "x"}}, lambda v: {"properties": {"k": v}},
], ids=["display_name", "tag", "tag-value", "property", "property-value"])
def test_text_with_control_characters_is_refused(server: RoostServer, change: Any, kind: str) -> None:
    body = change(NAMES[kind])
    refused(server.api("PATCH", f"/runs/{server.base_run}", json=body), 400, "invalid_argument", shown(NAMES[kind]))
    spec = {"experiment": "never", "command": "true", **body}
    refused(server.api("POST", "/workspaces/default/runs", json=spec), 400, "invalid_argument", shown(NAMES[kind]))


@pytest.mark.parametrize("kind", FREE)
def test_free_text_comes_back_as_it_was(server: RoostServer, kind: str) -> None:
    text = NAMES[kind]
    labels = {text: text}
    run = server.run(command="true", display_name=text, tags=labels, properties=labels)
    assert run["status"] == "Completed", run["error"]
    assert (run["display_name"], run["tags"], own_properties(run)) == (text, labels, labels)
    found = server.get("/workspaces/default/runs?tag=" + quote(f"{text}={text}"))["items"]
    assert run["id"] in [item["id"] for item in found]


@pytest.mark.usefixtures("nothing_changes")
@pytest.mark.parametrize("path", [
    "..%2Fx", "outputs/..%2F..%2Fx", "%2Fetc%2Fx", "/etc/x", "outputs/a%00b", "outputs/a%0Ab", "outputs/" + "x" * 5_000,
    "outputs//x", "outputs/./x", "outputs/x/", ".", "outputs/%ff", "x/../../../y",
], ids=lambda path: path[:30])
def test_artifact_path_is_refused(server: RoostServer, path: str) -> None:
    answer = server.api("PUT", f"/runs/{server.base_run}/artifacts/{path}", data=b"x",
                        content_type="application/octet-stream")
    refused(answer, *NOT_THERE)


def test_artifact_path_in_unicode_is_kept(server: RoostServer) -> None:
    path = "outputs/Hühnchen 🐔/a+b&c=d%.txt"
    server.expect(201, "PUT", f"/runs/{server.base_run}/artifacts/" + quote(path), data=b"cluck",
                  content_type="application/octet-stream")
    assert path in server.artifacts(server.base_run)
    assert server.artifact(server.base_run, quote(path)) == b"cluck"
