"""Stands between runners and their server, and answers in its place, or swallows its answers, as a test asks."""
import http.client
import json
import re
import socket
import struct
import threading
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Dict, List, Optional

from roost_fixture import RoostServer

# Every call a runner makes, by name. The longer pattern comes first.
CALLS = {
    "orders": r"GET /nodes/[^/]+/orders",
    "heartbeat": r"POST /nodes/[^/]+/heartbeat",
    "ready": r"POST /attempts/[^/]+/\d+/ready",
    "started": r"POST /attempts/[^/]+/\d+/started",
    "failed": r"POST /attempts/[^/]+/\d+/failed",
    "command": r"POST /attempts/[^/]+/\d+/command",
    "command_ended": r"POST /attempts/[^/]+/\d+/command-ended",
    "streams": r"POST /attempts/[^/]+/\d+/streams",
    "keep_outputs": r"POST /attempts/[^/]+/\d+/outputs",
    "exited": r"POST /attempts/[^/]+/\d+/exited",
    "finished": r"POST /attempts/[^/]+/\d+/finished",
    "fetch_blobs": r"POST /blobs/fetch",
    "missing_blobs": r"POST /blobs/missing",
    "put_blobs": r"POST /blobs",
    "upload_state": r"GET /blobs/[0-9a-f]+/upload",
    "put_blob": r"PUT /blobs/[0-9a-f]+",
    "get_blob": r"GET /blobs/[0-9a-f]+",
}
RESET = "reset"  # the connection breaks and the server never hears of it
LOST = "lost"  # the server does what it was asked, and its answer gets lost
Fault = Any  # a status, RESET, LOST or what says() gives


def says(*values: Any) -> bytes:
    """A fault: the server does what it was asked, and its answer becomes this JSON; orders come after these lines."""
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)


def call_of(method: str, path: str) -> str:
    text = f"{method} {path.split('?')[0].replace('/api/v1', '', 1)}"
    for name, pattern in CALLS.items():
        if re.fullmatch(pattern, text):
            return name
    return "other"


class FaultProxy:
    """faults["finished"] = [500, LOST] answers the next two such calls so; a fault that is no list is for all."""

    def __init__(self, server: RoostServer) -> None:
        self.server = server
        self.faults: Dict[str, Any] = {}
        self.injected: Dict[str, List[Fault]] = {}
        self.lock = threading.Lock()
        self.behind = urllib.parse.urlsplit(server.info["url"])
        self.data_id: Optional[str] = server.info.get("data_id")
        self.http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.http.daemon_threads = True
        threading.Thread(target=self.http.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.http.server_address[1]}"
        self._name_in_server_file(self.url)

    def close(self) -> None:
        """Runners find the server itself again."""
        self.faults = {}
        self._name_in_server_file(self.behind.geturl())
        self.http.shutdown()
        self.http.server_close()

    def take_fault(self, call: str) -> Optional[Fault]:
        with self.lock:
            planned = self.faults.get(call)
            fault = planned.pop(0) if isinstance(planned, list) and planned else planned or None
            if fault:
                self.injected.setdefault(call, []).append(fault)
            return fault

    def _name_in_server_file(self, url: str) -> None:
        path = self.server.data / "server.json"
        if not path.exists():
            return
        changed = path.with_suffix(".test")
        changed.write_text(json.dumps({**self.server.info, "url": url}), encoding="utf-8")
        changed.rename(path)

    def _handler(self) -> type:
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: Any) -> None:
                pass

            def _serve(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                fault = proxy.take_fault(call_of(self.command, self.path))
                if fault == RESET:
                    return self._break()
                if isinstance(fault, int):
                    return self._refuse(fault)
                behind = http.client.HTTPConnection(proxy.behind.hostname or "", proxy.behind.port, timeout=60)
                try:
                    behind.request(self.command, self.path, body, dict(self.headers))
                    answer = behind.getresponse()
                    if fault == LOST:
                        if "orders" not in self.path:
                            answer.read()
                        return self._break()
                    self._pass_on(answer, fault if isinstance(fault, bytes) else b"")
                except (OSError, http.client.HTTPException):
                    self._break()
                finally:
                    behind.close()

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _serve

            def _pass_on(self, answer: http.client.HTTPResponse, said: bytes) -> None:
                self.send_response(answer.status)
                replaced = answer.read() and said if said and "orders" not in self.path else b""
                for name, value in answer.getheaders():
                    if name.lower() not in ("transfer-encoding", "connection", "date", "server",
                                            *(["content-length"] if replaced else [])):
                        self.send_header(name, value)
                if replaced:
                    self.send_header("Content-Length", str(len(replaced)))
                    self.end_headers()
                    self.wfile.write(replaced)
                    return
                if answer.getheader("Content-Length") is not None:
                    self.end_headers()
                    self.wfile.write(answer.read())
                    return
                self.close_connection = True
                self.send_header("Connection", "close")
                self.end_headers()
                self.wfile.write(said)
                while True:
                    piece = answer.read1(65536)
                    if not piece:
                        return
                    self.wfile.write(piece)
                    self.wfile.flush()

            def _refuse(self, status: int) -> None:
                codes = {403: "permission_denied", 404: "not_found", 409: "failed_precondition", 500: "internal",
                         400: "invalid_argument"}
                text = b"<html>bad gateway</html>"
                if status in codes:
                    text = json.dumps({"error": {"code": codes[status], "message": f"a test says {status}"}}).encode()
                self.send_response(status)
                if proxy.data_id and status in codes:
                    self.send_header("Roost-Data", proxy.data_id)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def _break(self) -> None:
                self.close_connection = True
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                self.connection.close()

        return Handler
