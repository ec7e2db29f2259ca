"""The front as a process: its table changes, it is killed, told to stop, and has clients that are slow."""
import collections
import json
import signal
import socket
import subprocess
from pathlib import Path
from typing import Any

from front_fixture import (Caller, Front, Gate, Load, deployment, endpoint, exchange, front, gate,
                           replica)  # noqa: F401  some are fixtures
from processes import wait_until
from roost_fixture import clean_environment, roost_program


def test_a_bad_table_changes_nothing(front: Front, replica: Any) -> None:  # noqa: F811
    front.set(endpoint("birds", deployment("blue", replica("one"))))
    for bad in ("{", '{"generation": 9, "endpoints": 3}', json.dumps({"generation": 9, "endpoints": [{"name": "x"}]})):
        front.write_text(bad)
        size = len(bad)
        wait_until(lambda: "the one before it stays" in front.log.read_text(), 20, f"a line about {size} bytes")
        assert front.post("/endpoints/birds/score").text == "one"
        front.log.write_text("")
        front.set(endpoint("birds", deployment("blue", replica("one"))))


def test_tables_change_under_load_and_nothing_fails(front: Front, replica: Any) -> None:  # noqa: F811
    replicas = [replica(f"r{i}") for i in range(4)]
    front.set(endpoint("birds", deployment("blue", replicas[0], max_concurrent_requests=4), queue_wait_ms=60000))
    with Load(front, "/endpoints/birds/score", 64) as load:
        for turn in range(30):
            some = [replicas[(turn + i) % 4] for i in range(1 + turn % 3)]
            front.set(endpoint("birds", deployment("blue", *some, revision=turn, max_concurrent_requests=1 + turn % 4),
                               queue_wait_ms=60000))
            load.wait_for(20)
    assert not load.failures, load.failures[:3]
    assert set(load.statuses) == {200}, collections.Counter(load.statuses)
    assert all(each.got for each in replicas)


def test_an_endpoint_that_goes_leaves_nobody_waiting(front: Front, replica: Any, gate: Gate) -> None:  # noqa: F811
    one = replica("one", gate)
    front.set(endpoint("birds", deployment("blue", one, max_concurrent_requests=1), queue_wait_ms=60000))
    first = Caller(front, "/endpoints/birds/score")
    wait_until(lambda: one.in_flight == 1, 20, "the first one is at work")
    second = Caller(front, "/endpoints/birds/score")
    wait_until(lambda: front.deployment_stats("birds", "blue")["waiting"] == 1, 20, "the second one waits")
    front.set()
    assert second.result().status == 503
    gate.open.set()
    assert first.result().text == "late"


def test_killed_and_started_again_it_has_the_same_port(front: Front, replica: Any) -> None:  # noqa: F811
    front.set(endpoint("birds", deployment("blue", replica("one"))))
    port = front.port
    kept = front.connection()
    assert exchange(kept, "POST", "/endpoints/birds/score").text == "one"
    front.kill()
    kept.close()
    front.start()
    assert front.port == port
    # The table is known before the first request is answered.
    assert front.post("/endpoints/birds/score").text == "one"
    front.kill()
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind(("127.0.0.1", port))
        taken.listen()
        front.start()
        assert front.port != port
        assert front.post("/endpoints/birds/score").text == "one"


def test_only_one_front_a_data_folder(front: Front, tmp_path: Path) -> None:  # noqa: F811
    second = subprocess.run([str(roost_program()), "front", "--data", str(front.data)], capture_output=True, text=True,
                            env=clean_environment(tmp_path), timeout=60, check=False)
    assert second.returncode != 0 and "another front" in second.stderr


def test_told_to_stop_it_finishes_what_is_under_way(front: Front, replica: Any, gate: Gate) -> None:  # noqa: F811
    one = replica("one", gate)
    front.set(endpoint("birds", deployment("blue", one, max_concurrent_requests=1), queue_wait_ms=60000))
    at_work = Caller(front, "/endpoints/birds/score")
    wait_until(lambda: one.in_flight == 1, 20, "one is at work")
    waiting = Caller(front, "/endpoints/birds/score")
    wait_until(lambda: front.deployment_stats("birds", "blue")["waiting"] == 1, 20, "one waits")
    front.process.send_signal(signal.SIGTERM)
    assert waiting.result().status == 503
    gate.open.set()
    assert at_work.result().text == "late"
    assert front.process.wait(30) == 0


def test_slow_clients_hold_nobody_up(front: Front, replica: Any) -> None:  # noqa: F811
    front.set(endpoint("birds", deployment("blue", replica("one"))))
    slow = [socket.create_connection(("127.0.0.1", front.port), timeout=60) for _ in range(1000)]
    for i, each in enumerate(slow):
        each.sendall(b"POST /endpoints/birds/score HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\nab" if i % 2
                     else b"POST /endpoints/birds/score HT")
    with Load(front, "/endpoints/birds/score", 16) as load:
        load.wait_for(500)
    assert not load.failures and set(load.statuses) == {200}
    for each in slow[1::2][:20]:
        each.sendall(b"x" * 99_998)
        assert each.recv(200).startswith(b"HTTP/1.1 200")
    for each in slow:
        each.close()
