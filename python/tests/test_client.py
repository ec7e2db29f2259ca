import http.server
import io
import json
import threading
import types

import pytest
from conftest import read_spool

from roost import Client, RoostError, Run
from roost.spool import SpoolWriter


class FakeServer(http.server.ThreadingHTTPServer):
    """Keeps what is PUT; gives the answers in `refusals` first. An answer of None hangs up."""

    def __init__(self, port=0):
        super().__init__(("127.0.0.1", port), _Handler)
        self.stored = {}
        self.tokens = set()
        self.refusals = []
        self.requests = 0
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def stop(self):
        self.shutdown()
        self.server_close()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(http.server.BaseHTTPRequestHandler):
    def do_PUT(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.tokens.add(self.headers["Authorization"])
        if self.answer_refusal():
            return
        self.server.stored[self.path] = body
        self.answer(200, b"{}")

    def do_GET(self):
        if not self.answer_refusal():
            self.answer(200, json.dumps({"id": "r", "parent": "p"}).encode())

    def answer_refusal(self):
        self.server.requests += 1
        if not self.server.refusals:
            return False
        refusal = self.server.refusals.pop(0)
        if refusal is None:
            self.close_connection = True
        else:
            self.answer(*refusal)
        return True

    def answer(self, status, body):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture
def server():
    server = FakeServer()
    yield server
    server.stop()


@pytest.fixture
def run(server, tmp_path):
    (tmp_path / "spool").mkdir()
    client = Client(server.url, "run-token", patience_seconds=20)
    return Run("birds_1_0a1b2c3d", SpoolWriter(str(tmp_path / "spool")), client)


BASE = "/api/v1/runs/birds_1_0a1b2c3d/artifacts/"


def test_upload_file(run, server, tmp_path):
    content = bytes(range(256)) * 20000
    (tmp_path / "model.pt").write_bytes(content)
    run.upload_file("./outputs/mo del.pt", tmp_path / "model.pt")
    assert server.stored == {BASE + "outputs/mo%20del.pt": content}
    assert server.tokens == {"Bearer run-token"}


def test_upload_empty_file_and_streams(run, server, tmp_path):
    (tmp_path / "empty").touch()
    run.upload_file("empty", str(tmp_path / "empty"))
    stream = io.BytesIO(b"headrest")
    stream.read(4)
    run.upload_file("stream", stream)
    pipe = io.BytesIO(b"piped")
    pipe.seekable = lambda: False
    run.upload_file("pipe", types.SimpleNamespace(read=pipe.read, seekable=pipe.seekable))
    assert server.stored == {BASE + "empty": b"", BASE + "stream": b"rest", BASE + "pipe": b"piped"}


def test_upload_folder(run, server, tmp_path):
    (tmp_path / "f" / "sub").mkdir(parents=True)
    (tmp_path / "f" / "a").write_text("1")
    (tmp_path / "f" / "sub" / "b").write_text("2")
    run.upload_folder("outputs/f", tmp_path / "f")
    assert server.stored == {BASE + "outputs/f/a": b"1", BASE + "outputs/f/sub/b": b"2"}
    with pytest.raises(NotADirectoryError):
        run.upload_folder("g", tmp_path / "missing")


def test_log_image(run, server, tmp_path):
    (tmp_path / "bird.jpg").write_bytes(b"jpeg")
    run.log_image("a bird", path=tmp_path / "bird.jpg")
    run.log_image(
        "curve", plot=types.SimpleNamespace(savefig=lambda file, format: file.write(b"png"))
    )
    (_, name, value, _, _), (_, _, value2, _, _) = read_spool(tmp_path / "spool")
    assert name == "a bird" and server.stored[BASE + value["path"]] == b"jpeg"
    assert server.stored[BASE + value2["path"]] == b"png" and value2["path"].endswith(".png")


def test_retries_while_the_server_is_away(run, server, tmp_path):
    (tmp_path / "model.pt").write_bytes(b"weights" * 500000)
    server.refusals = [(503, b""), None, (502, b"<html>")]
    run.upload_file("model.pt", tmp_path / "model.pt")
    assert server.requests == 4
    assert server.stored[BASE + "model.pt"] == b"weights" * 500000


def test_retries_while_the_port_is_closed(tmp_path):
    first = FakeServer()
    port, url = first.server_port, first.url
    first.stop()
    later = []
    timer = threading.Timer(0.5, lambda: later.append(FakeServer(port)))
    timer.start()
    assert Client(url, "t", patience_seconds=20).get_run("r")["parent"] == "p"
    timer.join()
    later[0].stop()


def test_gives_up(tmp_path):
    gone = FakeServer()
    gone.stop()
    with pytest.raises(RoostError) as caught:
        Client(gone.url, "t", patience_seconds=0.3).get_run("r")
    assert caught.value.code == "unavailable" and gone.url in caught.value.message


def test_refusal_is_not_repeated(run, server, tmp_path):
    body = {"error": {"code": "permission_denied", "message": "this token is for another run"}}
    server.refusals = [(403, json.dumps(body).encode()), (404, b"gone")]
    with pytest.raises(RoostError) as caught:
        run.upload_file("a", __file__)
    assert (caught.value.code, caught.value.message) == (
        "permission_denied",
        "this token is for another run",
    )
    with pytest.raises(RoostError) as caught:
        run.upload_file("a", __file__)
    assert caught.value.code == "not_found" and server.requests == 2


def test_parent_and_environment(server, monkeypatch, tmp_path):
    monkeypatch.setenv("ROOST_URL", server.url + "/")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.delenv("ROOST_TOKEN", raising=False)
    run = Run("r", SpoolWriter(str(tmp_path)))
    with pytest.raises(RoostError, match="ROOST_TOKEN is not set"):
        _ = run.parent
    monkeypatch.setenv("ROOST_TOKEN", "t")
    assert run.parent == "p"
