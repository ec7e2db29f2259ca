"""Sessions with a run: who wants in, and the node that dials back for them."""
import threading
from typing import Any, List

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
        session = c.call("open_session", 201, runner.run["id"], json={"command": ["ls"]}).json["id"]
        c.call("follow_session", 404, runner.run["id"], "no-such-session")
        c.call("follow_session_input", 404, runner.node, "no-such-session", token=runner.token)
        heard: List[Any] = []

        def listen(operation: str, *path: Any, **more: Any) -> threading.Thread:
            thread = threading.Thread(target=lambda: heard.append((operation, c.call(operation, 200, *path, **more).body)))
            thread.start()
            return thread

        caller = listen("follow_session", runner.run["id"], session)
        piece = frame(b"typed", k="in")
        assert c.call("send_to_session", 200, runner.run["id"], session, data=piece, type=FRAMES).json == {"taken": True}
        assert c.call("send_session_output", 200, runner.node, session, data=HELLO + END, type=FRAMES,
                      token=runner.token).json == {"taken": True}
        for junk in (b"junk", b'{"length":9}\nabc'):
            c.call("send_to_session", 400, runner.run["id"], session, data=junk, type=FRAMES)
            c.call("send_session_output", 400, runner.node, session, data=junk, type=FRAMES, token=runner.token)
        node = listen("follow_session_input", runner.node, session, token=runner.token)
        report = {"outcome": "exited", "message": "", "ranks": [{"rank": 0, "exit_code": 0, "signal": None}], "outputs": [],
                  "started_ago_us": 9000, "exited_ago_us": 1000, "streams": {}}
        runner.attempt_call("report_finished", json=report)  # which ends the session
        caller.join(30)
        node.join(30)
        bodies = dict(heard)
        assert [header["k"] for header, _ in frames_of(bodies["follow_session"]) if header["k"] != "ping"][:2] == ["out", "end"]
        assert [payload for header, payload in frames_of(bodies["follow_session_input"]) if header["k"] == "in"] == [b"typed"]


# Each of these is played by follow_session, which needs all of them.
for name in ("send_to_session", "follow_session_input", "send_session_output"):
    def _played(c: Caller) -> None:
        follow_session(c)
    _played.__name__ = name
    exercise(_played)
