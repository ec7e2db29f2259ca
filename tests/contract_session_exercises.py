"""Sessions with a run: who wants in, and the node that dials back for them."""
import contextlib
import http.client
from typing import Iterator

from contract_caller import Caller, exercise
from contract_runner_exercises import played_runner
from http_api import FRAMES, frame, frames_of

HELLO = frame(b"hello", k="out")
END = frame(b"", k="end", exit_code=3)


@exercise
def open_session(c: Caller) -> None:
    with played_runner(c) as runner:
        c.call("open_session", 409, runner.run["id"], json={"command": ["ls"]})  # nothing runs there yet
        runner.attempt_call("report_started", json={})
        asked = {"command": ["ls", "-l"], "rank": 0, "terminal": {"rows": 24, "columns": 80, "type": "xterm"}}
        session = c.call("open_session", 201, runner.run["id"], json=asked).json
        assert session["node"] == runner.node
        order = runner.orders("session")[-1]
        assert (order["id"], order["kind"], order["command"]) == (session["id"], "exec", ["ls", "-l"])
        c.call("open_session", 201, runner.run["id"], json={"port": 6006})
        for bad in ({}, {"port": 0}, {"command": ["a"], "port": 1}, {"command": ["a"], "rank": 1}):
            assert c.server.api("POST", f"/runs/{runner.run['id']}/sessions", json=bad).status == 400, bad
    c.call("open_session", 409, c.finished_run()["id"], json={"command": ["ls"]})
    c.call("open_session", 404, "no_1_00000000", json={"command": ["ls"]})


@exercise
def follow_session(c: Caller) -> None:
    with played_runner(c) as runner:
        runner.attempt_call("report_started", json={})
        run = runner.run["id"]
        session = c.call("open_session", 201, run, json={"command": ["ls"]}).json["id"]
        c.call("follow_session", 404, run, "no-such-session")
        c.call("follow_session_input", 404, runner.node, "no-such-session", token=runner.token)
        with followed(c, "follow_session", f"/runs/{run}/sessions/{session}/output", c.server.api_client.token) as caller, \
                followed(c, "follow_session_input", f"/nodes/{runner.node}/sessions/{session}/input", runner.token) as node:
            c.call("follow_session", 409, run, session)  # somebody does
            piece = frame(b"typed", k="in")
            assert c.call("send_to_session", 200, run, session, data=piece, type=FRAMES).json == {"taken": True}
            for junk in (b"junk", b'{"length":9}\nabc'):
                c.call("send_to_session", 400, run, session, data=junk, type=FRAMES)
                c.call("send_session_output", 400, runner.node, session, data=junk, type=FRAMES, token=runner.token)
            assert c.call("send_session_output", 200, runner.node, session, data=HELLO + END, type=FRAMES,
                          token=runner.token).json == {"taken": True}
            assert list(frames_of(caller.read())) == list(frames_of(HELLO + END))
            assert [payload for header, payload in frames_of(node.read()) if header["k"] == "in"] == [b"typed"]


@contextlib.contextmanager
def followed(c: Caller, operation: str, path: str, token: str) -> Iterator[http.client.HTTPResponse]:
    """The answer once it has begun: by then the server knows that somebody follows."""
    connection = c.server.api_client.connect(30)
    connection.request("GET", "/api/v1" + path, headers={"Authorization": f"Bearer {token}"})
    answer = connection.getresponse()
    assert answer.status == 200, answer.read()
    c.accepted.add(operation)
    try:
        yield answer
    finally:
        connection.close()


# Each of these is played by follow_session, which needs all of them.
for name in ("send_to_session", "follow_session_input", "send_session_output"):
    def _played(c: Caller) -> None:
        follow_session(c)
    _played.__name__ = name
    exercise(_played)
