"""A submit whose answer was lost is sent again, and is one run."""
import http.server
import os
import subprocess
import threading
from pathlib import Path
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Dict, Iterator, List, Tuple

import pytest

from http_api import Api
from roost_fixture import PYTHON, ROOT, RoostServer, roost_program

RUNS = "/workspaces/default/runs"
SPEC = {"experiment": "again", "interactive": True}


@pytest.fixture(scope="module")
def server(shared_server: RoostServer) -> RoostServer:
    return shared_server


def submit(server: RoostServer, key: str, spec: Dict[str, Any] = SPEC, **more: Any) -> Any:
    return server.api("POST", RUNS, json=spec, headers={"Idempotency-Key": key}, **more)


def count(server: RoostServer, experiment: str) -> int:
    return len(list(server.pages(RUNS, experiment=experiment)))


def test_the_same_key_is_the_same_run(server: RoostServer) -> None:
    first, second = submit(server, "k1"), submit(server, "k1")
    assert (first.status, second.status) == (201, 201)
    assert first.json["id"] == second.json["id"] and count(server, "again") == 1
    server.post(f"/runs/{first.json['id']}/complete")
    assert submit(server, "k1").json["status"] == "Completed"
    assert submit(server, "k2").json["id"] != first.json["id"]
    server.restart()
    assert submit(server, "k1").json["id"] == first.json["id"], "also for the next server"


def test_another_body_under_the_key_is_refused(server: RoostServer) -> None:
    made = submit(server, "k3").json["id"]
    answer = submit(server, "k3", {**SPEC, "display_name": "another"})
    assert (answer.status, answer.code) == (409, "failed_precondition") and made in answer.message
    for bad in ("", "a b", "x" * 201):
        assert submit(server, bad).status == 400, bad


def test_keys_of_others_mean_nothing(server: RoostServer) -> None:
    made = submit(server, "k4").json["id"]
    other = server.post("/tokens", {"name": "other", "role": "contributor"})["token"]
    assert submit(server, "k4", token=other).json["id"] != made
    server.api("POST", "/workspaces", json={"name": "elsewhere"})
    there = server.api("POST", "/workspaces/elsewhere/runs", json=SPEC, headers={"Idempotency-Key": "k4"})
    assert there.status == 201 and there.json["id"] != made


def test_a_refused_submit_uses_up_no_key(server: RoostServer) -> None:
    assert submit(server, "k5", {"experiment": "again", "command": "true", "compute": "nowhere"}).status >= 400
    assert submit(server, "k5").status == 201


def test_many_at_once_are_one_run(server: RoostServer) -> None:
    spec = {**SPEC, "experiment": "crowd"}
    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda _: submit(server, "k6", spec), range(32)))
    assert {a.status for a in answers} == {201} and len({a.json["id"] for a in answers}) == 1
    assert count(server, "crowd") == 1


class Forgetful(http.server.BaseHTTPRequestHandler):
    """Passes requests on; of the first submit the answer is lost on the way back."""

    protocol_version = "HTTP/1.1"
    target: Api
    lost: List[str]

    def pass_on(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        kept = {k: v for k, v in self.headers.items() if k.lower() not in ("host", "connection", "content-length")}
        connection = self.target.connect()
        connection.request(self.command, self.path, body, kept)
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        if self.command == "POST" and self.path.endswith("/runs") and answer.status == 201 and not self.lost:
            self.lost.append(self.headers.get("Idempotency-Key") or "")
            self.close_connection = True
            return
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.headers["content-type"])
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = do_PUT = do_PATCH = pass_on

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def lossy(server: RoostServer) -> Iterator[Tuple[str, List[str]]]:
    lost: List[str] = []
    handler = type("Handler", (Forgetful,), {"target": server.api_client, "lost": lost})
    proxy = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=proxy.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{proxy.server_port}", lost
    proxy.shutdown()
    thread.join()
    proxy.server_close()


def test_the_command_line_asks_again(server: RoostServer, lossy: Tuple[str, List[str]], tmp_path: Path) -> None:
    url, lost = lossy
    environment = {**server.environment, "ROOST_URL": url, "ROOST_TOKEN": server.api_client.token}
    environment.pop("ROOST_DATA")
    (tmp_path / "train.py").write_text("print('hello')\n", encoding="utf-8")
    done = subprocess.run([str(roost_program()), "submit", "-d", "--experiment", "cli-again", "--", "python", "train.py"],
                          env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert len(lost) == 1 and lost[0]
    (run,) = server.pages(RUNS, experiment="cli-again")
    assert run["id"] == done.stdout.strip()


def test_the_sdk_asks_again(server: RoostServer, lossy: Tuple[str, List[str]]) -> None:
    url, lost = lossy
    script = ("from roost.client import Client\n"
              f"client = Client({url!r}, {server.api_client.token!r})\n"
              "print(client.submit_run('/api/v1/workspaces/default/runs',"
              " {'experiment': 'sdk-again', 'interactive': True})['id'])\n")
    done = subprocess.run([PYTHON, "-c", script], env={**os.environ, "PYTHONPATH": str(ROOT / "python")},
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert len(lost) == 1 and lost[0]
    (run,) = server.pages(RUNS, experiment="sdk-again")
    assert run["id"] == done.stdout.strip()
