"""Who alerts are sent to: a web server and a mail server of this process, which can be away, refuse and remember."""
import base64
import json
import socketserver
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Dict, List, Optional


class WebReceiver:
    """Takes POSTs and keeps them. `answers` are given one after another, then 200; a dict in it are headers of a 302."""

    def __init__(self, port: int = 0) -> None:
        self.calls: List[Dict[str, Any]] = []
        self.answers: List[int] = []
        self.location = ""
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:  # noqa: N802
                body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
                outer.calls.append({"path": self.path, "headers": dict(self.headers), "raw": body, "body": json.loads(body)})
                status = outer.answers.pop(0) if outer.answers else 200
                self.send_response(status)
                if status == 302:
                    self.send_header("Location", outer.location)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self._server.daemon_threads = True
        self.port = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class MailReceiver:
    """Speaks as much SMTP as a client needs. `refuse` is a line that answers RCPT, once."""

    def __init__(self) -> None:
        self.mails: List[Dict[str, Any]] = []
        self.commands: List[str] = []
        self.refuse: Optional[str] = None
        outer = self

        class Handler(socketserver.StreamRequestHandler):
            def say(self, line: str) -> None:
                self.wfile.write(line.encode() + b"\r\n")

            def handle(self) -> None:
                mail: Dict[str, Any] = {"to": []}
                self.say("220 test ready")
                for raw in self.rfile:
                    line = raw.decode().rstrip("\r\n")
                    outer.commands.append(line)
                    verb = line.split(" ")[0].upper()
                    if verb == "EHLO":
                        self.say("250-test\r\n250-8BITMIME\r\n250 SIZE 1000000")
                    elif verb == "MAIL":
                        mail = {"from": line[len("MAIL FROM:"):], "to": []}
                        self.say("250 ok")
                    elif verb == "RCPT":
                        refusal, outer.refuse = outer.refuse, None
                        mail["to"].append(line[len("RCPT TO:"):])
                        self.say(refusal or "250 ok")
                    elif verb == "DATA":
                        self.say("354 go on")
                        text = []
                        for piece in self.rfile:
                            if piece == b".\r\n":
                                break
                            text.append(piece[1:] if piece.startswith(b".") else piece)
                        mail["text"] = b"".join(text).decode()
                        outer.mails.append(mail)
                        self.say("250 taken")
                    elif verb == "QUIT":
                        self.say("221 bye")
                        return
                    else:
                        self.say("502 what?")

        class Server(socketserver.ThreadingTCPServer):
            allow_reuse_address = True
            daemon_threads = True

        self._server = Server(("127.0.0.1", 0), Handler)
        self.port = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def decoded_subject(subject: str) -> str:
    words = subject.replace("?=\r\n =?", "?= =?").split(" ")
    if not all(word.startswith("=?") for word in words):
        return subject
    return b"".join(base64.b64decode(word.split("?")[3]) for word in words).decode()
