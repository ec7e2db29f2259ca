"""A score.py in a real replica, with a stand-in for the control plane that hears its heartbeats."""
import http.client
import http.server
import json
import os
import signal
import subprocess
import textwrap
import threading
from pathlib import Path
from typing import Any, Dict, List, Optional, Union

from http_api import Answer
from processes import is_alive, parent_of, processes_with, wait_until
from roost_fixture import ROOT, clean_environment, roost_program

RUN = "endpoint-birds_1_ab"
ORDER: Dict[str, Any] = {
    "endpoint": "birds", "workspace": "ws", "deployment": "default", "revision": 3, "slug": "birds", "runtime": "python",
    "models": [], "entry_script": "score.py", "source_directory": "", "workers": 1, "max_concurrent_requests": 0,
    "queue_limit": 256, "queue_wait_ms": 60_000, "scoring_timeout_ms": 60_000, "max_body_bytes": 104857600,
    "batching": {"max_batch": 32, "max_delay_us": 0}, "threads": {"intra_op": 0}, "cors_origins": "", "listen": "127.0.0.1",
    "model_dir": "",
}


class Control:
    """Takes PUT /api/v1/runs/{run}/replica and answers that the replica may go on."""

    def __init__(self) -> None:
        self.heartbeats: List[Dict[str, Any]] = []
        heard = self.heartbeats

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_PUT(self) -> None:  # noqa: N802
                heard.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                body = b'{"stop": false}'
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *unused: Any) -> None:
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class ServedScript:
    """`folder` is the app root, where what the script needs may lie already."""

    def __init__(self, folder: Path, script: str = "", variables: Optional[Dict[str, str]] = None, **order: Any) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        if script:
            (folder / "score.py").write_text(textwrap.dedent(script), encoding="utf-8")
        self.control = Control()
        self.log_file = folder.parent / (folder.name + ".log")
        sdk = ROOT / "python"
        environment = {
            **clean_environment(folder), "ROOST_REPLICA": json.dumps({**ORDER, **order}), "ROOST_RUN_ID": RUN,
            "ROOST_URL": self.control.url, "ROOST_TOKEN": "token", "PYTHONPATH": f"{sdk}/in_run:{sdk}", **(variables or {}),
        }
        with open(self.log_file, "wb") as log:
            self.process = subprocess.Popen([str(roost_program()), "serve"], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                                            stdout=log, stderr=subprocess.STDOUT)

    def start(self) -> "ServedScript":
        wait_until(lambda: self.state == "ready" or self.process.poll() is not None, 60, "a replica that is ready")
        assert self.process.poll() is None, self.log
        return self

    @property
    def state(self) -> str:
        return self.last.get("state", "")

    @property
    def last(self) -> Dict[str, Any]:
        return self.control.heartbeats[-1] if self.control.heartbeats else {}

    @property
    def log(self) -> str:
        return self.log_file.read_text(encoding="utf-8", errors="replace")

    @property
    def workers(self) -> List[int]:
        return [pid for pid in processes_with(str(self.folder)) if parent_of(pid) == self.process.pid and is_alive(pid)]

    def connect(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.last["port"], timeout=60)

    def ask(self, body: Union[str, bytes] = b"", method: str = "POST", path: str = "/score",
            headers: Optional[Dict[str, str]] = None, connection: Optional[http.client.HTTPConnection] = None) -> Answer:
        line = connection or self.connect()
        try:
            data = body.encode() if isinstance(body, str) else body
            line.request(method, path, data, {"X-Roost-Replica-Key": self.last["key"], **(headers or {})})
            answer = line.getresponse()
            return Answer(answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read())
        finally:
            if connection is None:
                line.close()

    def wait(self) -> int:
        """For its end, by itself."""
        return self.process.wait(60)

    def close(self) -> int:
        """As the server ends it; nothing may be left."""
        try:
            if self.process.poll() is None:
                self.process.send_signal(signal.SIGTERM)
            code = self.process.wait(60)
            wait_until(lambda: not processes_with(str(self.folder)), 20, "the workers gone with their replica")
            return code
        finally:
            for pid in [self.process.pid, *self.workers]:
                if is_alive(pid):
                    os.kill(pid, signal.SIGKILL)
            self.control.close()
