"""The run of a process: what it tells the server, and that nobody waits for that."""

import json
import os
import subprocess
import sys
import textwrap
import threading
import time

import pytest
from conftest import PYTHON_FOLDER
from fake_api import refusal

import roost
from roost import Client, endings, heartbeat, recorder, tracking, uploads
from roost.recorder import Recorder
from roost.uploads import Uploads

RUN = "birds_1_00000000"


class Server:
    """Stands for one with the least of what a run needs."""

    def __init__(self, api):
        self.api = api
        self.beats = 0
        self.status = "Running"
        self.changed = threading.Condition()
        path = f"/api/v1/runs/{RUN}"
        api.routes["POST /api/v1/workspaces/default/runs"] = lambda _: {"id": RUN}
        api.routes[f"POST {path}/heartbeat"] = self.beat
        api.routes[f"POST {path}/records"] = lambda asked: {"length": len(asked.body), "skipped": 0}
        for end in ("complete", "fail", "cancel"):
            api.routes[f"POST {path}/{end}"] = {}
        api.patterns.append((rf"PUT {path}/artifacts/.*", lambda *_: {}))

    def beat(self, _):
        with self.changed:
            self.beats += 1
            self.changed.notify_all()
            return {"status": self.status, "next_seconds": 0.01}

    def wait_for_beats(self, count):
        with self.changed:
            assert self.changed.wait_for(lambda: self.beats >= count, 20)

    def asked(self, end):
        return self.api.calls(f"POST /api/v1/runs/{RUN}/{end}")


@pytest.fixture
def server(api, monkeypatch):
    monkeypatch.setenv("ROOST_URL", api.url)
    monkeypatch.setenv("ROOST_TOKEN", "t")
    monkeypatch.setattr(endings, "_installed", True)
    for name in ("ROOST_SPOOL", "ROOST_PROCESS_RUN", "ROOST_MODE", "RANK"):
        monkeypatch.delenv(name, raising=False)
    yield Server(api)
    tracking._current = None
    heartbeat.let_go(RUN)


def test_it_says_that_it_lives_until_it_ends(server):
    with roost.init(project="birds"):
        server.wait_for_beats(3)
    assert len(server.asked("complete")) == 1
    assert RUN not in heartbeat._heart.runs


def test_a_run_that_was_ended_elsewhere_is_told_once(server, capfd):
    run = roost.init(project="birds")
    server.wait_for_beats(1)
    server.status = "Canceled"
    ended = threading.Event()
    threading.Thread(target=lambda: (server.wait_for_beats(server.beats + 1), ended.set())).start()
    assert ended.wait(20)
    give_up_at = time.monotonic() + 20
    while RUN in heartbeat._heart.runs and time.monotonic() < give_up_at:
        threading.Event().wait(0.01)
    run.finish()
    assert capfd.readouterr().err.count("is Canceled on the server") == 1


def test_an_exception_in_a_block_fails_it(server):
    with pytest.raises(ValueError), roost.init(project="birds"):
        raise ValueError("no birds")
    (failed,) = server.asked("fail")
    assert failed.json["message"] == failed.json["exception"] == "ValueError: no birds"
    assert failed.json["traceback"][0].startswith("Traceback")
    with pytest.raises(KeyboardInterrupt), roost.init(project="birds"):
        raise KeyboardInterrupt
    assert len(server.asked("cancel")) == 1
    with pytest.raises(ValueError, match="status is 'done'"):
        roost.init(project="birds").finish("done")


def test_a_second_init_ends_the_first(server):
    roost.init(project="birds")
    roost.init(project="birds")
    assert len(server.asked("complete")) == 1
    roost.finish()
    roost.finish()
    assert len(server.asked("complete")) == 2


def test_further_ranks_log_nothing(server, monkeypatch, capfd):
    monkeypatch.setenv("RANK", "1")
    monkeypatch.setenv("WORLD_SIZE", "2")
    with roost.init(project="birds"):
        roost.log({"loss": 1})
    assert server.api.asked == [] and "rank 1 logs nothing" in capfd.readouterr().err


def test_no_server_names_the_other_mode(monkeypatch, tmp_path):
    for name in ("ROOST_URL", "ROOST_SPOOL", "ROOST_MODE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ROOST_DATA", str(tmp_path))
    with pytest.raises(roost.RoostError, match='mode="offline"'):
        roost.init()
    with pytest.raises(ValueError, match="online, offline, disabled"):
        roost.init(mode="fast")
    with pytest.raises(roost.RoostError, match="roost.init"):
        roost.log({"a": 1})


def test_log_says_what_it_takes(server, capfd):
    run = roost.init(project="birds")
    for _ in range(3):
        run.log("loss")
        run.log({"vector": [1, 2], "none": None})
    told = capfd.readouterr().err
    assert told.count("takes a dict") == 1 and told.count("'vector'") == told.count("'none'") == 1
    run.finish()
    assert not [asked for asked in server.api.asked if b"vector" in asked.body]


def test_what_a_recorder_cannot_keep_is_said_and_nobody_waits(api, monkeypatch, capfd):
    monkeypatch.setattr(recorder, "_MOST_WAITING_BYTES", 2000)
    monkeypatch.setattr(recorder, "_RETRY_SECONDS", 0.01)
    go_on = threading.Event()
    stored = []

    def hold(asked):
        go_on.wait(20)
        stored.extend(json.loads(line) for line in asked.body.splitlines())
        return {"length": 0}

    api.routes["POST /api/v1/runs/r/records"] = hold
    made = Recorder(Client(api.url, "t"), "r", drops=True)
    for number in range(1000):
        made.log("a", number)
    assert "what is logged now is lost" in capfd.readouterr().err
    go_on.set()
    made.flush()
    values = [record[2] for record in stored]
    assert values == list(range(len(values))) and len(values) < 1000
    assert f"{1000 - len(values)} records of run r were lost" in capfd.readouterr().err


def test_trouble_of_the_server_is_waited_out(api, monkeypatch):
    monkeypatch.setattr(recorder, "_RETRY_SECONDS", 0.01)
    answers = [refusal(500, "internal"), refusal(507, "resource_exhausted"), {"length": 0}]
    api.routes["POST /api/v1/runs/r/records"] = lambda asked: (
        answers.pop(0)(asked) if callable(answers[0]) else answers.pop(0)
    )
    made = Recorder(Client(api.url, "t"), "r")
    made.log("a", 1)
    give_up_at = time.monotonic() + 20
    while answers and time.monotonic() < give_up_at:
        threading.Event().wait(0.01)
    made.flush()
    assert answers == []


def test_uploads(api, monkeypatch, capfd):
    monkeypatch.setattr(uploads, "_RETRY_SECONDS", 0.01)
    stored = {}
    answers = {"images/b.png": [refusal(507, "resource_exhausted")]}

    def store(asked, path):
        waiting = answers.get(path)
        if waiting:
            return waiting.pop()
        stored[path] = asked.body
        return {}

    api.patterns.append((r"PUT /api/v1/runs/r/artifacts/(.*)", store))
    api.routes["PUT /api/v1/runs/r/artifacts/images/no.png"] = refusal(403, "permission_denied")
    made = Uploads(Client(api.url, "t"), "r")
    done = []
    for name in ("a", "b", "no", "c"):
        made.add(f"images/{name}.png", name.encode(), lambda name=name: done.append(name))
    made.flush()
    assert done == ["a", "b", "c"] == [path[7] for path in stored]
    assert "images/no.png of run r is lost" in capfd.readouterr().err


NOTEBOOK = """
import sys, types
IPython = types.ModuleType("IPython")
IPython.get_ipython = lambda: types.SimpleNamespace(kernel=1)
sys.modules["IPython"] = IPython
hook = sys.excepthook
import roost
roost.init(project="birds")
assert sys.excepthook is hook
"""


@pytest.mark.parametrize("more, ends", [("", ["complete"]), ("roost.finish('failed')", ["fail"])])
def test_a_notebook_ends_its_run_with_its_kernel(server, more, ends):
    environment = {**os.environ, "PYTHONPATH": PYTHON_FOLDER}
    code = textwrap.dedent(NOTEBOOK) + more
    subprocess.run([sys.executable, "-c", code], env=environment, check=True, timeout=60)
    assert [e for e in ("complete", "fail", "cancel") if server.asked(e)] == ends
