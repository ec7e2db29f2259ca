"""A server that answers as a test tells it, and remembers what it was asked."""

import http.server
import json
import re
import threading
import urllib.parse

import pytest


class Asked:
    def __init__(self, method, path, query, body, headers):
        self.method, self.path, self.query, self.body = method, path, query, body
        self.headers = headers

    @property
    def json(self):
        return json.loads(self.body)


class FakeApi(http.server.ThreadingHTTPServer):
    """`routes` maps "METHOD /path" to an answer: JSON, bytes, or a function of what was asked that
    returns one, or (status, answer). None hangs up."""

    daemon_threads = True

    def __init__(self, port=0):
        super().__init__(("127.0.0.1", port), _Handler)
        self.routes = {}
        self.patterns = []  # ("METHOD /path" as a regular expression, function of asked and groups)
        self.asked = []
        self.connections = 0
        self.open = []
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"

    def process_request(self, request, client_address):
        self.connections += 1
        self.open.append(request)
        super().process_request(request, client_address)

    def hang_up(self):
        """Closes all connections, as a server does that restarts."""
        for request in self.open:
            try:
                request.shutdown(2)
            except OSError:
                pass
        self.open.clear()

    def stop(self):
        self.shutdown()
        self.server_close()
        self.hang_up()

    def calls(self, route):
        return [asked for asked in self.asked if f"{asked.method} {asked.path}" == route]


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 1 << 16  # an answer in one packet

    def handle_any(self):
        parts = urllib.parse.urlsplit(self.path)
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        query = urllib.parse.parse_qs(parts.query)
        asked = Asked(self.command, parts.path, query, body, dict(self.headers))
        self.server.asked.append(asked)
        key = f"{self.command} {parts.path}"
        found = self.find(key, asked)
        if found is self:
            error = {"error": {"code": "not_found", "message": f"there is nothing at {key}"}}
            return self.answer(404, error)
        status, content = found if isinstance(found, tuple) else (200, found)
        if content is None:
            self.close_connection = True
            return None
        return self.answer(status, content)

    def find(self, key, asked):
        """The answer, or this itself if there is none."""
        if key in self.server.routes:
            found = self.server.routes[key]
            return found(asked) if callable(found) else found
        for pattern, function in self.server.patterns:
            match = re.fullmatch(pattern, key)
            if match:
                return function(asked, *match.groups())
        return self

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_any

    def answer(self, status, content):
        body = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def refusal(status, code, message="no"):
    return status, {"error": {"code": code, "message": message}}


def in_turn(*answers):
    """Each answer once, and the last one for ever."""
    left = list(answers)

    def answer(asked):
        found = left.pop(0) if len(left) > 1 else left[0]
        return found(asked) if callable(found) else found

    return answer


def run_facts(**facts):
    """A run as the server tells of it."""
    return {
        "id": "birds_1_0a1b2c3d",
        "workspace": "default",
        "experiment": "birds",
        "number": 1,
        "display_name": "birds-1",
        "status": "Running",
        "type": "azureml.scriptrun",
        "parent": None,
        "compute": "local",
        "priority": 0,
        "created_by": "owner",
        "created_at": "2026-11-16T00:00:00.000000Z",
        "started_at": None,
        "ended_at": None,
        "attempt": 1,
        "max_retries": 0,
        "snapshot": None,
        "spec": {"experiment": "birds", "script": "train.py", "arguments": ["--lr", "0.1"]},
        "environment": None,
        "git": None,
        "tags": {},
        "properties": {},
        "exit_code": None,
        "signal": None,
        "error": None,
        "notices": [],
        "node": None,
        **facts,
    }


@pytest.fixture
def api():
    server = FakeApi()
    yield server
    server.stop()


@pytest.fixture
def connected(api, monkeypatch, tmp_path):
    """The fake is the server that everything finds."""
    monkeypatch.setenv("ROOST_URL", api.url)
    monkeypatch.setenv("ROOST_TOKEN", "my-token")
    monkeypatch.delenv("ROOST_SPOOL", raising=False)
    monkeypatch.setenv("ROOST_DATA", str(tmp_path / "no-data"))
    api.routes["GET /api/v1/workspaces/default"] = {
        "name": "default",
        "id": "w-1",
        "created_at": "2026-11-16T00:00:00.000000Z",
    }
    api.routes["GET /api/v1/workspaces"] = {"items": [{"name": "default"}], "next_cursor": None}
    return api
