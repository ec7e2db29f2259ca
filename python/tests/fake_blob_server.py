"""A server of snapshots and blobs in memory, which can fail in the ways a real one can."""

import hashlib
import http.server
import json
import threading
from urllib.parse import parse_qs, urlsplit


def sha256(content):
    return hashlib.sha256(content).hexdigest()


class FakeBlobServer(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.lock = threading.Lock()
        self.blobs = {}
        self.uploads = {}
        self.snapshots = {}
        self.requests = []
        self.unavailable = 0  # so many requests are answered by 503
        self.cut_puts = []  # after so many bytes the connection breaks
        self.cut_gets = []
        self.damage = False  # one bit of every blob sent out is wrong
        self.others_send = 0  # somebody else's upload is done when so many asked how far it is
        self.others_blob = b""
        self.forget_once = ""  # this blob is lost when it has been stored
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"

    def asked(self, method, path=""):
        return [r for r in self.requests if r[0] == method and r[1].startswith("/api/v1" + path)]

    def stop(self):
        self.shutdown()
        self.server_close()


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def handle_one_request(self):
        try:
            super().handle_one_request()
        except ConnectionError:
            self.close_connection = True

    def do_GET(self):
        self.begin()
        kind, digest, *rest = self.parts
        if kind == "snapshots":
            if digest not in self.server.snapshots:
                return self.refuse(404, "not_found")
            return self.answer(self.server.snapshots[digest])
        if rest == ["upload"]:
            return self.answer(self.upload_state(digest))
        if digest not in self.server.blobs:
            return self.refuse(404, "not_found")
        return self.send_bytes(self.server.blobs[digest])

    def upload_state(self, digest):
        with self.server.lock:
            active = self.server.others_send > 1
            if self.server.others_send == 1:
                self.server.blobs[digest] = self.server.others_blob
            self.server.others_send = max(0, self.server.others_send - 1)
        received = len(self.server.uploads.get(digest, b""))
        return {"stored": digest in self.server.blobs, "active": active, "received": received}

    def do_POST(self):
        self.begin()
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.turned_away():
            return None
        if self.parts == ["snapshots"]:
            return self.create_snapshot(body)
        if self.parts == ["blobs"]:
            return self.put_blobs(body)
        digests = json.loads(body)["digests"]
        if self.parts == ["blobs", "missing"]:
            return self.answer({"missing": [d for d in digests if d not in self.server.blobs]})
        out = b""
        for digest in digests:
            content = self.damaged(self.server.blobs[digest])
            out += json.dumps({"digest": digest, "length": len(content)}).encode() + b"\n" + content
        return self.reply(200, out)

    def do_PUT(self):
        self.begin()
        digest = self.parts[1]
        offset = int(self.query.get("offset", ["0"])[0])
        kept = self.server.uploads.setdefault(digest, bytearray())
        length = int(self.headers["Content-Length"])
        if offset != len(kept):
            self.rfile.read(length)
            return self.refuse(409, "failed_precondition")
        with self.server.lock:
            cut = self.server.cut_puts.pop(0) if self.server.cut_puts else None
        kept += self.rfile.read(length if cut is None else min(cut, length))
        if cut is not None:
            self.close_connection = True
            return None
        del self.server.uploads[digest]
        if sha256(kept) != digest:
            return self.refuse(422, "data_mismatch")
        self.server.blobs[digest] = bytes(kept)
        return self.answer({"digest": digest, "size": len(kept)}, 201)

    def create_snapshot(self, text):
        entries = []
        for line in text.decode().splitlines():
            path, mode, *rest = json.loads(line)
            names = ["link"] if mode == "120000" else ["size", "digest"]
            entries.append({"path": path, "mode": mode, **dict(zip(names, rest))})
        wanted = {entry["digest"] for entry in entries if "digest" in entry}
        missing = sorted(wanted - set(self.server.blobs))
        if not missing:
            self.server.snapshots[sha256(text)] = {"digest": sha256(text), "entries": entries}
        self.answer({"digest": sha256(text), "created": not missing, "missing": missing})

    def put_blobs(self, body):
        while body:
            head, _, body = body.partition(b"\n")
            header = json.loads(head)
            content, body = body[: header["length"]], body[header["length"] :]
            if sha256(content) != header["digest"]:
                return self.refuse(422, "data_mismatch")
            if self.server.forget_once == header["digest"]:
                self.server.forget_once = ""
            else:
                self.server.blobs[header["digest"]] = content
        return self.answer({"stored": 1})

    def send_bytes(self, content):
        content = self.damaged(content)
        asked = self.headers.get("Range")
        start = int(asked[len("bytes=") :].rstrip("-")) if asked else 0
        with self.server.lock:
            cut = self.server.cut_gets.pop(0) if self.server.cut_gets else None
        self.send_response(206 if asked else 200)
        self.send_header("Content-Length", str(len(content) - start))
        self.end_headers()
        self.wfile.write(content[start : None if cut is None else start + cut])
        if cut is not None:
            self.close_connection = True

    def begin(self):
        address = urlsplit(self.path)
        self.parts = address.path[len("/api/v1/") :].split("/")
        self.query = parse_qs(address.query)
        self.server.requests.append((self.command, address.path, self.headers.get("Range")))

    def turned_away(self):
        with self.server.lock:
            if not self.server.unavailable:
                return False
            self.server.unavailable -= 1
        self.refuse(503, "unavailable")
        return True

    def damaged(self, content):
        if not self.server.damage or not content:
            return content
        return bytes([content[0] ^ 1]) + content[1:]

    def refuse(self, status, code):
        self.reply(status, json.dumps({"error": {"code": code, "message": "no"}}).encode())

    def answer(self, value, status=200):
        self.reply(status, json.dumps(value).encode())

    def reply(self, status, body):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass
