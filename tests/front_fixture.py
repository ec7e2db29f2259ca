"""A real `roost front` on a table file, and tiny replicas for it."""
import hashlib
import http.client
import json
import socket
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Tuple

import pytest

from processes import wait_until
from roost_fixture import clean_environment, roost_program


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


class Got(NamedTuple):
    method: str
    path: str
    headers: Dict[str, str]
    body: bytes


class FakeReplica:
    """Answers by `answer`, a function of what it got: (status, headers, body). By default says its name."""

    def __init__(self, name: str, answer: Optional[Callable[[Got], Tuple[int, Dict[str, str], bytes]]] = None) -> None:
        self.name = name
        self.key = f"key-of-{name}"
        self.got: List[Got] = []
        self.in_flight = 0
        self.most_in_flight = 0
        self._lock = threading.Lock()
        replica = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True
            wbufsize = -1

            def handle_request(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                got = Got(self.command, self.path, {k.lower(): v for k, v in self.headers.items()}, body)
                with replica._lock:
                    replica.got.append(got)
                    replica.in_flight += 1
                    replica.most_in_flight = max(replica.most_in_flight, replica.in_flight)
                try:
                    status, headers, text = answer(got) if answer else (200, {}, replica.name.encode())
                finally:
                    with replica._lock:
                        replica.in_flight -= 1
                self.send_response(status)
                for key, value in {"Content-Type": "text/plain", **headers}.items():
                    self.send_header(key, value)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(text)

            do_GET = do_POST = do_HEAD = do_OPTIONS = handle_request

            def log_message(self, *args: Any) -> None:
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 256

            def handle_error(self, request: Any, client_address: Any) -> None:
                pass

        self.server = Server(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        self.thread.start()

    def row(self) -> Dict[str, Any]:
        return {"run": self.name, "address": "127.0.0.1", "port": self.port, "key": self.key}

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


class Reply(NamedTuple):
    status: int
    headers: Dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def json(self) -> Any:
        return json.loads(self.body)


def deployment(name: str, *replicas: Any, **more: Any) -> Dict[str, Any]:
    rows = [each.row() if isinstance(each, FakeReplica) else each for each in replicas]
    return {"name": name, "revision": 1, "version": f"{name}:1", "max_concurrent_requests": 0, "starting": False,
            "replicas": rows, **more}


def endpoint(name: str, *deployments: Dict[str, Any], **more: Any) -> Dict[str, Any]:
    first = deployments[0]["name"] if deployments else ""
    return {"workspace": "ws", "name": name, "slug": name, "port": 0, "auth": "none", "keys": [], "maps_500_to_502": True,
            "max_body_bytes": 104857600, "scoring_timeout_ms": 60000, "queue_wait_ms": 500, "queue_limit": 256,
            "hold_ms": 60000, "cors_origins": "", "default": first,
            "traffic": [{"deployment": first, "percent": 100}] if deployments else [], "shadow": [],
            "deployments": list(deployments), **more}


class Front:
    """`roost front` on a data folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.data = folder / "data"
        self.serving = self.data / "serving"
        self.serving.mkdir(parents=True)
        self.log = folder / "front.log"
        self.generation = 0
        self.process: Optional[subprocess.Popen] = None

    def write(self, *endpoints: Dict[str, Any]) -> int:
        """Writes a table, as the server does."""
        self.generation += 1
        self.write_text(json.dumps({"generation": self.generation, "endpoints": list(endpoints)}))
        return self.generation

    def write_text(self, text: str) -> None:
        new = self.serving / "routes.json.new"
        new.write_text(text, encoding="utf-8")
        new.rename(self.serving / "routes.json")

    def set(self, *endpoints: Dict[str, Any]) -> None:
        """Writes a table and waits until it holds."""
        generation = self.write(*endpoints)
        wait_until(lambda: self.get("/front/healthz").json["generation"] == generation, 20, f"table {generation}")

    def start(self, *more: str) -> "Front":
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen([str(roost_program()), "front", "--data", str(self.data), *more],
                                            stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                            env=clean_environment(self.folder), start_new_session=True)
        pid = self.process.pid
        wait_until(lambda: self._file().get("pid") == pid or self.process.poll() is not None, 20, "front.json")
        assert self.process.poll() is None, self.log.read_text()
        return self

    def _file(self) -> Dict[str, Any]:
        try:
            return json.loads((self.serving / "front.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}

    @property
    def info(self) -> Dict[str, Any]:
        return self._file()

    @property
    def port(self) -> int:
        return self.info["port"]

    def connection(self, port: Optional[int] = None, timeout: float = 60) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", port or self.port, timeout=timeout)

    def call(self, method: str, path: str, body: bytes = b"", headers: Optional[Dict[str, str]] = None,
             port: Optional[int] = None, timeout: float = 60) -> Reply:
        return exchange(self.connection(port, timeout), method, path, body, headers, last=True)

    def get(self, path: str, headers: Optional[Dict[str, str]] = None, port: Optional[int] = None) -> Reply:
        return self.call("GET", path, headers=headers, port=port)

    def post(self, path: str, body: bytes = b"{}", headers: Optional[Dict[str, str]] = None,
             port: Optional[int] = None) -> Reply:
        return self.call("POST", path, body, headers, port)

    def stats(self) -> Dict[str, Any]:
        return self.get("/front/stats", {"X-Roost-Front-Key": self.info["key"]}).json

    def deployment_stats(self, endpoint_name: str, name: str) -> Dict[str, Any]:
        for one in self.stats()["endpoints"]:
            for each in one["deployments"]:
                if (one["name"], each["name"]) == (endpoint_name, name):
                    return each
        raise KeyError(name)

    def kill(self) -> None:
        assert self.process
        self.process.kill()
        self.process.wait()

    def close(self) -> None:
        if self.process and self.process.poll() is None:
            self.kill()


def exchange(connection: http.client.HTTPConnection, method: str, path: str, body: bytes = b"",
             headers: Optional[Dict[str, str]] = None, last: bool = False) -> Reply:
    """One request over a connection that is kept, unless it is the last."""
    try:
        connection.request(method, path, body or (b"" if method == "POST" else None), headers or {})
        response = connection.getresponse()
        return Reply(response.status, {k.lower(): v for k, v in response.getheaders()}, response.read())
    finally:
        if last:
            connection.close()


class Load:
    """Clients that send without pause, each over a connection of its own, and remember every reply."""

    def __init__(self, front: Front, path: str, clients: int, body: bytes = b"{}") -> None:
        self.front = front
        self.path = path
        self.body = body
        self.statuses: List[int] = []
        self.failures: List[str] = []
        self.texts: List[str] = []
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._work, daemon=True) for _ in range(clients)]

    def __enter__(self) -> "Load":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *args: Any) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join(90)

    def _work(self) -> None:
        connection = self.front.connection()
        while not self._stop.is_set():
            try:
                reply = exchange(connection, "POST", self.path, self.body)
                self.statuses.append(reply.status)
                self.texts.append(reply.text)
            except (OSError, http.client.HTTPException) as error:
                self.failures.append(repr(error))
                connection.close()
                connection = self.front.connection()
        connection.close()

    def wait_for(self, count: int) -> None:
        """Until there were so many more replies."""
        wanted = len(self.statuses) + count
        wait_until(lambda: len(self.statuses) >= wanted, 60, f"{count} more replies")


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@pytest.fixture
def front(tmp_path: Path) -> Iterator[Front]:
    made = Front(tmp_path)
    made.write()
    yield made.start()
    made.close()


@pytest.fixture
def replica() -> Iterator[Callable[..., FakeReplica]]:
    made: List[FakeReplica] = []

    def make(name: str, answer: Any = None) -> FakeReplica:
        made.append(FakeReplica(name, answer))
        return made[-1]

    yield make
    for each in made:
        each.close()


class Gate:
    """Replicas that answer when they are let."""

    def __init__(self) -> None:
        self.open = threading.Event()

    def __call__(self, got: Got) -> Tuple[int, Dict[str, str], bytes]:
        self.open.wait(60)
        return 200, {}, b"late"


@pytest.fixture
def gate() -> Iterator[Gate]:
    made = Gate()
    yield made
    made.open.set()


class Caller(threading.Thread):
    """A request that somebody waits for elsewhere."""

    def __init__(self, front: Front, path: str, **more: Any) -> None:
        super().__init__(daemon=True)
        self.reply: Any = None
        self._call = lambda: front.call("POST", path, b"{}", **more)
        self.start()

    def run(self) -> None:
        self.reply = self._call()

    def result(self) -> Reply:
        self.join(60)
        assert self.reply is not None, "no reply came"
        return self.reply


def dead_row(name: str = "dead") -> Dict[str, Any]:
    return {"run": name, "address": "127.0.0.1", "port": free_port(), "key": "k"}
