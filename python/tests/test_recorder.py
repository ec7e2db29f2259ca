"""Records reach the server once, whatever happens between."""

import json
import os
import subprocess
import sys
import threading

import pytest
from conftest import PYTHON_FOLDER
from fake_api import in_turn, refusal

from roost import Client, RoostError
from roost.recorder import Recorder

ROUTE = "POST /api/v1/runs/r/records"


class Streams:
    """Stores by offset, as the server does."""

    def __init__(self):
        self.stored = {}
        self.lock = threading.Lock()

    def __call__(self, asked):
        name, offset = asked.query["stream"][0], int(asked.query["offset"][0])
        with self.lock:
            have = self.stored.get(name, b"")
            assert offset <= len(have)
            self.stored[name] = have + asked.body[len(have) - offset :]
            return {"length": len(self.stored[name])}

    @property
    def records(self):
        return [json.loads(line) for text in self.stored.values() for line in text.splitlines()]


@pytest.fixture
def streams(api):
    api.routes[ROUTE] = streams = Streams()
    return streams


@pytest.fixture
def recorder(api):
    return Recorder(Client(api.url, "t", patience_seconds=10), "r")


def test_records(streams, recorder):
    recorder.log("loss", 0.5)
    recorder.log("loss", float("nan"), 3)
    recorder.record("row", "table", {"a": 1})
    recorder.flush()
    assert [record[:4] for record in streams.records] == [
        ["scalar", "loss", 0.5, None],
        ["scalar", "loss", "NaN", 3],
        ["row", "table", {"a": 1}, None],
    ]
    assert all(record[4] > 1.7e9 for record in streams.records)


def test_many_from_many_threads(streams, recorder, api):
    def work(number):
        for index in range(500):
            recorder.log(f"m{number}", index)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    recorder.flush()
    for number in range(4):
        values = [record[2] for record in streams.records if record[1] == f"m{number}"]
        assert values == list(range(500))
    assert len(api.asked) < 200


def test_nothing_twice_when_an_answer_is_lost(api, streams, recorder):
    def stored_and_lost(asked):
        streams(asked)

    api.routes[ROUTE] = in_turn(stored_and_lost, (503, b""), streams)
    recorder.log("a", 1)
    recorder.log("a", 2)
    recorder.flush()
    assert [record[2] for record in streams.records] == [1, 2]


def test_a_refusal_is_told(api, recorder, capfd):
    api.routes[ROUTE] = refusal(409, "failed_precondition", "the run has ended")
    recorder.log("a", 1)
    with pytest.raises(RoostError, match="the run has ended"):
        recorder.flush()
    assert "1 records of run r did not reach" in capfd.readouterr().err
    recorder.flush()


def test_the_end_of_the_interpreter_waits(api, streams):
    code = f"""
from roost import Client
from roost.recorder import Recorder
recorder = Recorder(Client({api.url!r}, "t"), "r")
for i in range(1000): recorder.log("a", i)
"""
    environment = {**os.environ, "PYTHONPATH": PYTHON_FOLDER}
    subprocess.run([sys.executable, "-c", code], env=environment, check=True, timeout=60)
    assert [record[2] for record in streams.records] == list(range(1000))


def test_a_forked_child_has_a_stream_of_its_own(streams, recorder):
    recorder.log("parent", 1)
    pid = os.fork()
    if pid == 0:
        try:
            recorder.log("child", 2)
            recorder.flush()
            os._exit(0)
        finally:
            os._exit(2)
    assert os.waitpid(pid, 0)[1] == 0
    recorder.flush()
    assert sorted(record[1] for record in streams.records) == ["child", "parent"]
    assert len(streams.stored) == 2
