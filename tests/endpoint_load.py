"""An endpoint through the API, and clients that call it without a pause."""
import http.client
import json
import threading
import time
from collections import Counter
from typing import Any, Dict, List, Optional, Tuple
from urllib.parse import urlsplit

from processes import wait_until
from roost_fixture import RoostServer

ECHO = """
import os
def init():
    pass
def run(data):
    return {"version": %r, "pid": os.getpid()}
"""


def path(name: str, *rest: str) -> str:
    return "/".join(["/workspaces/default/endpoints", name, *rest])


def echo(server: RoostServer, version: str = "1", source: Optional[str] = None, **more: Any) -> Dict[str, Any]:
    """A deployment whose answer says which version it is."""
    snapshot = server.snapshot({"score.py": source if source is not None else ECHO % version})
    return {"code": {"snapshot": snapshot, "entry_script": "score.py"}, **more}


def register(server: RoostServer, name: str, files: Dict[str, bytes], **more: Any) -> Dict[str, Any]:
    return server.post("/workspaces/default/models", {"name": name, "content": server.snapshot(files), **more})


def create(server: RoostServer, name: str, *deployments: Dict[str, Any], **more: Any) -> Dict[str, Any]:
    body = {"name": name, "auth": "none", "deployments": list(deployments), **more}
    server.expect(201, "POST", "/workspaces/default/endpoints", json=body)
    return settled(server, name)


def get(server: RoostServer, name: str) -> Dict[str, Any]:
    return server.get(path(name))


def settled(server: RoostServer, name: str, state: str = "Healthy", timeout: float = 60) -> Dict[str, Any]:
    """The endpoint once it is in that state, with all its replicas, and has nothing left of earlier ones."""
    last: Dict[str, Any] = {}

    def is_there() -> bool:
        last.update(get(server, name))
        if last["state"] != state:
            return False
        return state != "Healthy" or all(one["ready"] >= one["wanted"] for one in last["deployments"])

    try:
        wait_until(is_there, timeout, f"{name} to be {state}")
    except AssertionError:
        raise AssertionError(f"{name}: {json.dumps(last, indent=1)[:4000]}\n{server.get(path(name, 'logs'))['text'][-3000:]}")
    return last


class Client:
    """One connection that is kept."""

    def __init__(self, uri: str, headers: Optional[Dict[str, str]] = None) -> None:
        where = urlsplit(uri)
        self.path = where.path
        self.headers = {"Content-Type": "application/json", **(headers or {})}
        self.connection = http.client.HTTPConnection(where.hostname or "", where.port, timeout=60)

    def call(self, body: bytes = b"{}", method: str = "POST", target: Optional[str] = None) -> Tuple[int, bytes, Dict[str, str]]:
        self.connection.request(method, target or self.path, body, self.headers)
        answer = self.connection.getresponse()
        return answer.status, answer.read(), {key.lower(): value for key, value in answer.getheaders()}


def call(uri: str, body: bytes = b"{}", headers: Optional[Dict[str, str]] = None) -> Tuple[int, bytes, Dict[str, str]]:
    return Client(uri, headers).call(body)


class Load:
    """with Load(uri, 64) as load: ... ; then load.statuses, load.versions and load.lost (connections that broke)."""

    def __init__(self, uri: str, clients: int, body: bytes = b"{}") -> None:
        self.uri, self.body = uri, body
        self.statuses: Counter = Counter()
        self.versions: Counter = Counter()
        self.texts: List[bytes] = []
        self.lost = 0
        self.last_failure = 0.0
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._run) for _ in range(clients)]

    def _run(self) -> None:
        client: Optional[Client] = None
        while not self._stop.is_set():
            try:
                client = client or Client(self.uri)
                status, body, headers = client.call(self.body)
            except OSError:
                client = None
                with self._lock:
                    self.lost += 1
                    self.last_failure = time.monotonic()
                time.sleep(0.02)
                continue
            except http.client.HTTPException:
                client = None
                with self._lock:
                    self.lost += 1
                    self.last_failure = time.monotonic()
                continue
            with self._lock:
                self.statuses[status] += 1
                self.versions[headers.get("x-roost-version", "")] += 1
                if status != 200:
                    self.last_failure = time.monotonic()
                    self.texts.append(body)

    @property
    def answered(self) -> int:
        return sum(self.statuses.values())

    def goes_on(self, more: int = 100) -> None:
        """Waits for so many more answers."""
        wanted = self.statuses[200] + more
        wait_until(lambda: self.statuses[200] >= wanted, 60, f"{more} more answers of {self.uri}")

    def __enter__(self) -> "Load":
        for thread in self._threads:
            thread.start()
        self.goes_on(10)
        return self

    def __exit__(self, *unused: Any) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()
