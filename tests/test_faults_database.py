"""The database's disk refuses writes for a while: whoever asks is told so, nothing that was answered is lost, and all goes
on when the disk does."""
import threading
from typing import Dict, List

from conftest import Gate, MakeServer
from disks import needs_root, unwritable
from http_api import Answer
from processes import wait_until
from roost_fixture import RoostServer

NEW_RUN = {"experiment": "faults", "interactive": True}
TRAIN = """
import roost.run
print("one", flush=True)
{wait}
for i in range(20):
    roost.run.log("n", i, step=i)
    print(f"line {{i}}", flush=True)
open("outputs/model.txt", "w").write("precious")
"""


def check_refusal(server: RoostServer, answer: Answer) -> None:
    """The caller has a number by which the log tells more."""
    assert (answer.status, answer.code) == (500, "internal"), answer.body
    request = answer.headers["x-request-id"]
    assert request in answer.message, answer.message
    assert any(request in line and "answered 500" in line for line in server.output.splitlines()), request


@needs_root
def test_writes_that_fail_for_a_while(make_server: MakeServer, gate: Gate) -> None:
    server = make_server({"heartbeat_seconds": 0.2})
    before = server.run("print('before')")
    run = server.submit(TRAIN.format(wait=gate.wait_code))
    plain = server.submit("print('one', flush=True)\n" + gate.wait_code + "print('two')")
    for each in (run, plain):
        wait_until(lambda: server.get_run(each)["status"] == "Running" and server.log(each) == b"one\n", 20, "it prints")
    with unwritable(server.data / "roost.db-wal"):
        for _ in range(5):
            check_refusal(server, server.api("POST", "/workspaces/default/runs", json=NEW_RUN))
            check_refusal(server, server.api("PATCH", f"/runs/{before['id']}", json={"tags": {"a": "b"}}))
        assert server.get_run(before)["status"] == "Completed" and server.log(before) == b"before\n", "what is there is there"
        gate.open()
        wait_until(lambda: server.output.count("/streams was answered 500") > 2, 30, "the runner sends its points in vain")
        wait_until(lambda: server.output.count("/finished was answered 500") > 2, 30, "the other one tells its end in vain")
        for each in (run, plain):
            assert server.get_run(each)["status"] in ("Running", "Finalizing")
    run, plain = (server.wait(each, "Completed", timeout=60) for each in (run, plain))
    assert server.run("print('after')")["status"] == "Completed", "it goes on"
    for _ in range(2):
        assert plain["attempt"] == 1 and server.log(plain) == b"one\ntwo\n"
        assert run["attempt"] == 1 and server.log(run) == b"one\n" + b"".join(b"line %d\n" % i for i in range(20))
        assert [point["step"] for point in server.metric(run, "n")["points"]] == list(range(20))
        assert server.artifact(run, "outputs/model.txt") == b"precious"
        assert server.get_run(before)["tags"] == {}
        assert list(server.pages("/workspaces/default/runs", experiment="faults")) == [], "a refused submit leaves no run"
        server.restart()


@needs_root
def test_whatever_was_answered_is_there_and_nothing_else(make_server: MakeServer) -> None:
    """Four callers, while the disk comes and goes: a write that shares its commit with a failed one tells the truth, too."""
    server = make_server()
    answers: Dict[str, int] = {}
    stop = threading.Event()
    lock = threading.Lock()

    def submit(caller: int) -> None:
        number = 0
        while not stop.is_set():
            name = f"{caller}-{number}"
            answer = server.api("POST", "/workspaces/default/runs", json={**NEW_RUN, "display_name": name})
            number += 1
            with lock:
                answers[name] = answer.status

    def count(status: int) -> int:
        with lock:
            return list(answers.values()).count(status)

    callers: List[threading.Thread] = [threading.Thread(target=submit, args=(caller,)) for caller in range(4)]
    for thread in callers:
        thread.start()
    try:
        for _ in range(5):
            good = count(201)
            wait_until(lambda: count(201) > good + 10, 30, "some are accepted")
            bad = count(500)
            with unwritable(server.data / "roost.db-wal"):
                wait_until(lambda: count(500) > bad + 10, 30, "some are refused")
    finally:
        stop.set()
        for thread in callers:
            thread.join()
    assert set(answers.values()) == {201, 500}
    accepted = sorted(name for name, status in answers.items() if status == 201)
    for _ in range(2):
        listed = server.pages("/workspaces/default/runs", experiment="faults")
        assert sorted(run["display_name"] for run in listed) == accepted
        server.restart()
