"""Whatever a request holds, the answer is no 5xx and is what its type says, and the server goes on writing."""
import http.client
import itertools
import json
import re
from typing import Any, Dict, List, Optional, Tuple
from urllib.parse import quote

import pytest

import contract
import contract_all_exercises  # noqa: F401  fills EXERCISES
from contract_caller import EXERCISES, Caller
from hostile_bodies import WRONG_TEXTS, bodies, frames, raw_bodies
from http_api import FRAMES, NDJSON, Answer, strict_json
from roost_fixture import RoostServer

CONTRACT = contract.load()
JSON = "application/json"
NUMBERS = itertools.count(1)
WITH_BODY = sorted(o.id for o in CONTRACT.operations.values() if o.body and {JSON, FRAMES} & set(o.body["content"]))
# Not called like others by their exercises: with these they are called here, whatever they name.
DIRECT: Dict[str, Tuple[Any, ...]] = {"stop_server": (), "follow_live": (), "stream_orders": ("nobody",),
                                      "follow_session": ("nobody", "none"), "follow_session_input": ("nobody", "none")}
# What the header of a frame has. Those of append_streams have the others.
HEADERS: Dict[str, Dict[str, Any]] = {"put_blobs": {"digest": "0" * 64}, "send_to_session": {"k": "in"},
                                      "send_session_output": {"k": "out"}}
# Their answers have no end; what they are asked for is looked at before they begin.
ENDLESS = ("text/event-stream", NDJSON)


class Hostile(Caller):
    """Goes through the exercise of one operation, and sends everything wrong first where that one is called."""

    def __init__(self, server: RoostServer, operation: str, with_bodies: bool) -> None:
        super().__init__(server, CONTRACT)
        self.operation = operation
        self.with_bodies = with_bodies
        self.tally = {"sent": 0}
        self._connection: Optional[http.client.HTTPConnection] = None

    @property
    def sent(self) -> int:
        return self.tally["sent"]

    def at(self, server: RoostServer) -> "Hostile":
        other = Hostile(server, self.operation, self.with_bodies)
        other.tally = self.tally
        return other

    def new_name(self) -> str:
        return f"new-{next(NUMBERS)}"

    def call(self, operation_id: str, expected: int, *path: Any, **given: Any) -> Answer:
        if operation_id == self.operation and expected < 400 and not self.sent:
            if self.with_bodies and FRAMES in CONTRACT.operations[operation_id].body["content"]:
                for body in frames(HEADERS.get(operation_id, {"stream": "x", "offset": 0})):
                    self._send(self._target(path, {}), body, given.get("token"), str(body[:200]), FRAMES)
            elif self.with_bodies:
                self._attack_body(self._target(path, {}), given.get("json"), given.get("token"))
            else:
                self._attack_texts(path, given)
        return super().call(operation_id, expected, *path, **given)

    def attack_directly(self, path: Tuple[Any, ...]) -> None:
        if self.with_bodies:
            self._attack_body(self._target(path, {}), {}, None)
        else:
            self._attack_texts(path, {})

    def _attack_body(self, target: str, valid: Any, token: Optional[str]) -> None:
        op = CONTRACT.operations[self.operation]
        valid = {} if valid is None else valid
        schema = op.body["content"][JSON]["schema"]
        # What must be refused comes first: what is taken may end what is asked about.
        wrong = sorted(bodies(CONTRACT, schema, valid), key=lambda item: self._is_right(schema, item[1]))
        for where, body in wrong:
            if self.operation == "stop_server" and (self._is_right(schema, body) or body == {"keep_runs": None}):
                continue  # it would be obeyed
            self._send(target, json.dumps(self._renamed(body)).encode(), token, f"{where}: {str(body)[:500]}")
        for raw in raw_bodies(valid):
            if self.operation != "stop_server":
                self._send(target, raw, token, str(raw[:200]))

    def _attack_texts(self, path: Tuple[Any, ...], given: Dict[str, Any]) -> None:
        op = CONTRACT.operations[self.operation]
        known = ("json", "data", "type", "token", "headers")
        options = {key: value for key, value in given.items() if key not in known}
        body = json.dumps(given["json"]).encode() if given.get("json") is not None else given.get("data", b"")
        for parameter in op.parameters:
            for text in WRONG_TEXTS:
                if parameter["in"] == "query":
                    rest = self._target(path, {key: value for key, value in options.items() if key != parameter["name"]})
                    target = f"{rest}{'&' if '?' in rest else '?'}{parameter['name']}={text}"
                elif parameter["in"] == "path" and text:
                    names = [p["name"] for p in op.parameters if p["in"] == "path"]
                    at = names.index(parameter["name"])
                    target = self._target(path[:at] + (_Raw(text),) + path[at + 1:], options)
                else:
                    continue
                self._send(target, body, given.get("token"), f"{parameter['name']}={text[:50]}", given.get("type", JSON))

    def _is_right(self, schema: Any, body: Any) -> bool:
        try:
            CONTRACT.check(schema, body, "")
            return True
        except AssertionError:
            return False

    def _renamed(self, body: Any) -> Any:
        """A name of its own, where a name can be taken once."""
        if not isinstance(body, dict) or not isinstance(body.get("name"), str) or len(body["name"]) < 2:
            return body
        if not self.operation.startswith(("create_", "register_")) or len(body["name"]) > 1000:
            return body
        return {**body, "name": f"{body['name']}-{self.sent}"}

    def _target(self, path: Tuple[Any, ...], options: Dict[str, Any]) -> str:
        op = CONTRACT.operations[self.operation]
        target = op.path
        for parameter, value in zip([p for p in op.parameters if p["in"] == "path"], path):
            safe = "/" if "x-rest-of-path" in parameter else ""
            text = value if isinstance(value, _Raw) else quote(str(value), safe=safe)
            target = target.replace("{%s}" % parameter["name"], text)
        given = [f"{key}={quote(str(value).lower() if isinstance(value, bool) else str(value))}"
                 for key, values in options.items() for value in (values if isinstance(values, list) else [values])]
        return target + ("?" + "&".join(given) if given else "")

    def _send(self, target: str, body: bytes, token: Optional[str], what: str, content_type: str = JSON) -> None:
        op = CONTRACT.operations[self.operation]
        self.tally["sent"] += 1
        headers = self.server.api_client.headers(content_type if body else "", token)
        for last_try in (False, True):
            try:
                self._connection = self._connection or self.server.api_client.connect()
                self._connection.request(op.method, target, body, headers)
                answer = self._connection.getresponse()
                break
            except (ConnectionError, http.client.BadStatusLine):
                # A kept connection may end between two requests.
                self._connection = None
                assert not last_try, f"{self.operation} had no answer to {what}"
        kind = (answer.headers.get("content-type") or "").split(";")[0]
        assert answer.status < 500, (self.operation, what, answer.status, answer.read()[:1000])
        if answer.status < 400 and kind in ENDLESS:
            self._connection = None
            return
        content = answer.read()
        assert b"<discarded>" not in content or content == body, (self.operation, what)
        if kind == JSON and op.method != "HEAD" and content:
            made = strict_json(content)
            if self.operation in ("submit_run", "rerun_run") and answer.status == 201:
                # It was taken; that it runs is of no interest, and a thousand of them would take their time.
                self.server.api("POST", f"/runs/{quote(made['id'], safe='')}/cancel", check=False)
        if answer.will_close:
            self._connection = None


class _Raw(str):
    """A part of a path that is encoded already."""


def attack(server: RoostServer, operation: str, with_bodies: bool) -> int:
    caller = Hostile(server, operation, with_bodies)
    try:
        if operation in DIRECT:
            caller.attack_directly(DIRECT[operation])
        else:
            EXERCISES[operation](caller)
    except AssertionError:
        # What was taken may leave the exercise nothing to do. That nothing was answered wrongly is what counts.
        if not caller.sent or _is_ours():
            raise
    check_alive(server)
    return caller.sent


def _is_ours() -> bool:
    import sys
    import traceback

    return any(frame.name == "_send" for frame in traceback.extract_tb(sys.exc_info()[2]))


def check_alive(server: RoostServer) -> None:
    """Writes still come through, and everything that was stored can be told."""
    before = server.get("/server")["started_at"]
    server.api_client.timeout = 20
    made = server.api("PUT", "/workspaces/default/views/alive", {"state": "{}"})
    assert made.status < 300, made.body
    for path in ("runs?limit=1000", "models", "environments", "datastores", "datasets", "computes", "experiments", "views",
                 "run-table?limit=1000"):
        answer = server.api("GET", f"/workspaces/default/{path}")
        assert answer.status == 200, (path, answer.status, answer.body[:500])
        assert b"<discarded>" not in answer.body and answer.json, path
    for run in server.api("GET", "/workspaces/default/runs?limit=1000").json["items"]:
        if run["status"] not in ("Completed", "Failed", "Canceled"):
            server.api("POST", f"/runs/{quote(run['id'], safe='')}/cancel")
    assert server.get("/server")["started_at"] == before


@pytest.fixture(scope="module")
def target(make_shared_server: Any) -> RoostServer:
    return make_shared_server()


@pytest.mark.parametrize("operation", WITH_BODY)
def test_wrong_bodies_are_no_errors_of_the_server(target: RoostServer, operation: str) -> None:
    assert attack(target, operation, with_bodies=True) > 30


@pytest.mark.parametrize("operation", sorted(
    o.id for o in CONTRACT.operations.values() if any(p["in"] in ("query", "path") for p in o.parameters)))
def test_wrong_words_in_the_address_are_no_errors_of_the_server(target: RoostServer, operation: str) -> None:
    assert attack(target, operation, with_bodies=False) > 0


def test_nothing_of_it_was_an_internal_error(target: RoostServer) -> None:
    wrong: List[str] = [line for line in target.output.splitlines() if re.search(r"threw|was answered 5", line)]
    assert not wrong, wrong[:10]
