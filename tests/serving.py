"""`roost serve` and `roost front` as processes of a test."""
import http.client
import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any, Dict, List, Optional

import pytest

from http_api import Answer
from processes import wait_until
from roost_fixture import clean_environment, roost_program


class Serving:
    """A process that serves; a context that ends it."""

    def __init__(self, folder: Path, arguments: List[str]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.log = folder / f"{arguments[0]}.log"
        kept = {name: os.environ[name] for name in ("ROOST_ONNXRUNTIME",) if name in os.environ}
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen([str(roost_program()), *arguments], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                            cwd=folder, env={**clean_environment(folder), **kept}, start_new_session=True)
        self.port = 0

    def __enter__(self) -> "Serving":
        return self

    def __exit__(self, *_: Any) -> None:
        if self.process.poll() is None:
            self.process.terminate()
        code = self.process.wait(40)
        assert code == 0, f"exit code {code}: {self.output}"

    @property
    def output(self) -> str:
        return self.log.read_text(encoding="utf-8", errors="replace")

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    def send(self, method: str, path: str, body: Any = b"", headers: Optional[Dict[str, str]] = None, timeout: float = 60) -> Answer:
        """One request on a connection of its own. What is neither bytes nor text is sent as JSON."""
        given = dict(headers or {})
        if not isinstance(body, (bytes, str)):
            body = json.dumps(body)
            given.setdefault("Content-Type", "application/json")
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            connection.request(method, path, body, given)
            answer = connection.getresponse()
            names = {name.lower(): value for name, value in answer.getheaders()}
            return Answer(answer.status, names, answer.read())
        finally:
            connection.close()

    def score(self, body: Any, **headers: str) -> Answer:
        return self.send("POST", "/score", body, {name.replace("_", "-"): value for name, value in headers.items()})


def serve(folder: Path, *arguments: Any) -> Serving:
    """`roost serve` on any port; skips the test where there is no ONNX Runtime."""
    serving = Serving(folder, ["serve", *map(str, arguments)])

    def is_up() -> bool:
        found = re.search(r"^serving .* on http://127\.0\.0\.1:(\d+)$", serving.output, re.M)
        serving.port = int(found[1]) if found else 0
        return found is not None or serving.process.poll() is not None

    wait_until(is_up, 60, "roost serve to be ready")
    if not serving.port:
        if "ONNX Runtime is not there" in serving.output:
            pytest.skip("ONNX Runtime is not there: run tools/onnxruntime")
        raise AssertionError(serving.output)
    return serving


def front(folder: Path, slug: str, replica: Serving) -> Serving:
    """`roost front` that sends /endpoints/SLUG to that replica, without a key."""
    table = {"generation": 1, "endpoints": [{
        "workspace": "ws", "name": slug, "slug": slug, "port": 0, "auth": "none", "keys": [], "tokens": [], "maps_500_to_502": False,
        "max_body_bytes": 104857600, "scoring_timeout_ms": 60000, "queue_wait_ms": 500, "queue_limit": 256, "hold_ms": 60000,
        "cors_origins": "", "default": "default", "traffic": [{"deployment": "default", "percent": 100}], "shadow": [],
        "deployments": [{"name": "default", "revision": 1, "version": f"{slug}:1", "max_concurrent_requests": 0, "starting": False,
                         "replicas": [{"run": "test", "address": "127.0.0.1", "port": replica.port, "key": ""}]}]}]}
    data = folder / "data"
    (data / "serving").mkdir(parents=True)
    routes = data / "serving" / "routes.json"
    routes.write_text(json.dumps(table), encoding="utf-8")
    routes.chmod(0o600)
    process = Serving(folder, ["front", "--data", str(data), "--address", "127.0.0.1", "--port", "0"])
    where = data / "serving" / "front.json"
    wait_until(lambda: where.exists() or process.process.poll() is not None, 30, "roost front to be ready")
    assert where.exists(), process.output
    process.port = json.loads(where.read_text(encoding="utf-8"))["port"]
    return process
