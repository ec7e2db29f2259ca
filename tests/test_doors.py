"""Requests that another site's page, or a run, would send to get at what is not theirs."""
import json
from typing import Dict

import pytest

import contract
import raw_http
from contract_caller import Caller
from contract_runner_exercises import played_runner
from http_api import FRAMES, frame
from roost_fixture import RoostServer


def login(server: RoostServer, headers: Dict[str, str], content_type: str = "application/json") -> int:
    body = json.dumps({"token": server.api_client.token}).encode()
    answer = server.api("POST", "/session", data=body, content_type=content_type, token="", headers=headers)
    assert (answer.status == 201) == ("set-cookie" in answer.headers)
    return answer.status


@pytest.mark.parametrize("content_type", ["", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data",
                                          "text/plain; application/json", "application/jsonx"])
def test_a_login_is_json(shared_server: RoostServer, content_type: str) -> None:
    assert login(shared_server, {}, content_type) == 400


def test_a_login_comes_from_our_own_page(shared_server: RoostServer) -> None:
    own = shared_server.api_client.url.netloc
    for headers in ({}, {"Origin": f"http://{own}"}, {"Sec-Fetch-Site": "same-origin", "Origin": f"http://{own}"},
                    {"Sec-Fetch-Site": "none"}, {"Sec-Fetch-Site": "same-origin", "Origin": "https://proxy.example"},
                    {"Origin": "https://proxy.example", "X-Roost-Studio": "1"}):
        assert login(shared_server, headers, "application/json; charset=utf-8") == 201, headers
    for headers in ({"Origin": "https://evil.example"}, {"Origin": "null"}, {"Origin": f"http://{own}.evil.example"},
                    {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site", "Origin": f"http://{own}"}):
        assert login(shared_server, headers) == 403, headers


def metrics_status(server: RoostServer, host: str, token: str = "") -> int:
    header = f"Authorization: Bearer {token}\r\n" if token else ""
    answer = raw_http.exchange(server, f"GET /metrics HTTP/1.1\r\nHost: {host}\r\n{header}Connection: close\r\n\r\n".encode())
    assert answer is not None
    assert (b"roost_uptime_seconds" in answer.body) == (answer.status == 200)
    return answer.status


def test_figures_are_for_those_who_ask_this_machine(shared_server: RoostServer) -> None:
    port = shared_server.api_client.url.port
    for host in (f"127.0.0.1:{port}", "127.0.0.1", "127.8.8.8:1", f"localhost:{port}", "LOCALHOST", f"[::1]:{port}", "[::1]"):
        assert metrics_status(shared_server, host) == 200, host
    reader = shared_server.new_token("reader")["token"]
    for host in ("evil.example", f"evil.example:{port}", "127.0.0.1.evil.example", "127.evil.example", "", ":1", "localhost.evil"):
        assert metrics_status(shared_server, host) == 401, host
        assert metrics_status(shared_server, host, "roost_wrong") == 401, host
        assert metrics_status(shared_server, host, reader) == 200, host


@pytest.mark.parametrize("fold", ["Transfer-Encoding:\r\n chunked", "Transfer-Encoding: chunked\r\n\t", "X-One: a\r\n b",
                                  "Content-Length: 0\r\n 5"])
def test_a_folded_header_is_refused(shared_server: RoostServer, fold: str) -> None:
    answer = raw_http.exchange(shared_server, f"POST /api/v1/workspaces HTTP/1.1\r\nHost: x\r\n{fold}\r\n\r\n0\r\n\r\n".encode())
    assert answer is not None and answer.status == 400 and answer.code == "invalid_argument"


def test_stream_names_in_a_finish_report_probe_no_paths(server: RoostServer) -> None:
    """Whether the server has a stream of some length must not be a way to ask for other files of it."""
    up = ["../" * levels + name for levels in range(1, 8) for name in ("owner.token", "secret", "roost.db")]
    names = [*up, *(f"logs/{name}" for name in up), *(f"spool/{name}" for name in up), str(server.data / "owner.token"),
             "/etc/passwd", "logs//a", "logs/./a", "logs/", "", ".", "..", "logs/a\u0000b", "logs/a\nb", "x" * 5000]
    with played_runner(Caller(server, contract.load())) as runner:
        runner.attempt_call("report_started", json={})
        report = {"outcome": "exited", "ranks": [{"rank": 0, "exit_code": 0, "signal": None}]}
        for name in names:
            for length in (0, 1, 1 << 40):
                answer = runner.attempt_call("report_finished", status=400, json={**report, "streams": {name: length}})
                assert answer.code == "invalid_argument" and "bytes here" not in answer.message, (name, answer.message)
            shipped = runner.attempt_call("append_streams", status=400, data=frame(b"x", stream=name, offset=0), type=FRAMES)
            assert shipped.code == "invalid_argument", (name, shipped.message)
        assert server.get_run(runner.run)["status"] == "Running"
        runner.attempt_call("append_streams", data=frame(b"x", stream="logs/a", offset=0), type=FRAMES)
        done = runner.attempt_call("report_finished", json={**report, "streams": {"logs/a": 1}})
        assert done.json == {"status": "Completed"}
