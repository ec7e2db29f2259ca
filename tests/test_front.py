"""The front process: what it does with requests, driven by a table file and tiny replicas."""
import collections
import os
import socket
import stat
import threading
from typing import Any, Dict, Tuple

import pytest

from front_fixture import (Caller, Front, Gate, Got, Load, dead_row, deployment, endpoint, exchange, free_port,
                           front, gate, replica, sha256)  # noqa: F401  some are fixtures
from processes import wait_until

# What is passed on.

def test_passes_requests_on(front: Front, replica: Any) -> None:  # noqa: F811
    one = replica("one", lambda got: (200, {"X-Ms-Run-Fn-Exec-Ms": "1.5", "Content-Type": "application/x"}, got.body))
    front.set(endpoint("birds", deployment("blue", one)))
    body = os.urandom(300_000)
    reply = front.post("/endpoints/birds/v2/models/a%2Fb/infer?x=%20y", body,
                       {"Authorization": "Bearer x", "Cookie": "c", "Inference-Header-Content-Length": "12",
                        "X-Roost-Replica-Key": "forged", "x-request-id": "mine-1"})
    assert (reply.status, reply.body) == (200, body)
    assert reply.headers["content-type"] == "application/x"
    assert reply.headers["x-ms-run-fn-exec-ms"] == "1.5"
    assert reply.headers["x-request-id"] == "mine-1"
    assert reply.headers["x-roost-deployment"] == "blue" and reply.headers["x-roost-version"] == "blue:1"
    got = one.got[0]
    assert (got.method, got.path) == ("POST", "/v2/models/a%2Fb/infer?x=%20y")
    assert got.headers["x-roost-replica-key"] == one.key
    assert got.headers["x-roost-prefix"] == "/endpoints/birds"
    assert got.headers["x-request-id"] == "mine-1"
    assert got.headers["inference-header-content-length"] == "12"
    assert "authorization" not in got.headers and "cookie" not in got.headers


def test_paths_and_methods(front: Front, replica: Any) -> None:  # noqa: F811
    one = replica("one")
    front.set(endpoint("birds", deployment("blue", one)))
    for path, seen in [("/endpoints/birds", "/"), ("/endpoints/birds/", "/"), ("/endpoints/birds/score", "/score"),
                       ("/endpoints/birds?a=1", "/?a=1"), ("/endpoints/birds/swagger.json?version=3", "/swagger.json?version=3")]:
        assert front.get(path).status == 200
        assert one.got[-1].path == seen
    assert front.call("HEAD", "/endpoints/birds/score").status == 200
    assert front.call("OPTIONS", "/endpoints/birds/score").status == 200
    assert front.call("DELETE", "/endpoints/birds/score").status == 405
    assert front.get("/endpoints/birds/metrics").status == 404
    unknown = front.get("/endpoints/fish/score")
    assert unknown.status == 404 and "'fish'" in unknown.json["message"] and "error" in unknown.json
    assert front.get("/elsewhere").status == 404
    assert front.get("/endpoints/birds/score", {"x-request-id": "x" * 101}).status == 431
    assert front.get("/endpoints/birds/score").headers["x-request-id"]


def test_statuses(front: Front, replica: Any) -> None:  # noqa: F811
    one = replica("one", lambda got: (int(got.body), {}, b'{"message": "m"}'))
    front.set(endpoint("birds", deployment("blue", one)), endpoint("local", deployment("blue", one), maps_500_to_502=False))
    assert front.post("/endpoints/birds/score", b"500").status == 502
    assert front.post("/endpoints/local/score", b"500").status == 500
    for status in (400, 404, 415, 503):
        assert front.post("/endpoints/birds/score", b"%d" % status).status == status
    stats = front.deployment_stats("birds", "blue")
    assert stats["by_status"] == {"502": 1, "400": 1, "404": 1, "415": 1, "503": 1}
    assert (stats["requests"], stats["errors"], stats["in_flight"]) == (5, 2, 0)
    assert sum(count for _, count in stats["latency_us_buckets"]) == 5 and stats["sum_us"] > 0


# Who is let in.

def test_keys_are_asked_for_before_the_body(front: Front, replica: Any) -> None:  # noqa: F811
    one = replica("one")
    front.set(endpoint("birds", deployment("blue", one), auth="key", keys=[sha256("first"), sha256("second")]))
    for wrong in ({}, {"Authorization": "Bearer no"}, {"Authorization": "Basic first"}, {"Authorization": "first"}):
        reply = front.post("/endpoints/birds/score", b"{}", wrong)
        assert reply.status == 401 and reply.headers["www-authenticate"].startswith("Bearer")
        assert "birds" in reply.json["message"]
    assert "error" in front.post("/endpoints/birds/v2/models/m/infer").json
    for key in ("first", "second"):
        assert front.post("/endpoints/birds/score", b"{}", {"Authorization": f"Bearer {key}"}).status == 200
    with socket.create_connection(("127.0.0.1", front.port), timeout=20) as raw:
        raw.sendall(b"POST /endpoints/birds/score HTTP/1.1\r\nHost: x\r\nContent-Length: 100000000\r\n\r\n")
        assert raw.recv(100).startswith(b"HTTP/1.1 401")
    assert len(one.got) == 2


def test_tokens_expire(front: Front, replica: Any) -> None:  # noqa: F811
    one = replica("one")
    tokens = [{"sha256": sha256("old"), "expires": 1}, {"sha256": sha256("new"), "expires": 99999999999}]
    front.set(endpoint("birds", deployment("blue", one), auth="token", tokens=tokens))
    assert front.post("/endpoints/birds/score", b"{}", {"Authorization": "Bearer new"}).status == 200
    old = front.post("/endpoints/birds/score", b"{}", {"Authorization": "Bearer old"})
    assert old.status == 401 and "too old" in old.json["message"]


def test_body_limit(front: Front, replica: Any) -> None:  # noqa: F811
    front.set(endpoint("birds", deployment("blue", replica("one")), max_body_bytes=1000))
    assert front.post("/endpoints/birds/score", b"x" * 1000).status == 200
    with socket.create_connection(("127.0.0.1", front.port), timeout=20) as raw:
        raw.sendall(b"POST /endpoints/birds/score HTTP/1.1\r\nHost: x\r\nContent-Length: 1001\r\n\r\n")
        assert raw.recv(100).startswith(b"HTTP/1.1 413")


def test_cors(front: Front, replica: Any) -> None:  # noqa: F811
    front.set(endpoint("birds", deployment("blue", replica("one")), auth="key", keys=[sha256("k")], cors_origins="http://a, http://b"))
    ask = {"Origin": "http://b", "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization"}
    reply = front.call("OPTIONS", "/endpoints/birds/score", headers=ask)
    assert reply.status == 200
    assert reply.headers["access-control-allow-origin"] == "http://b"
    assert reply.headers["access-control-allow-headers"] == "authorization"
    reply = front.post("/endpoints/birds/score", b"{}", {"Origin": "http://b", "Authorization": "Bearer k"})
    assert (reply.status, reply.headers["access-control-allow-origin"]) == (200, "http://b")
    assert front.post("/endpoints/birds/score", b"{}", {"Origin": "http://b"}).headers["access-control-allow-origin"] == "http://b"
    stranger = front.post("/endpoints/birds/score", b"{}", {"Origin": "http://c", "Authorization": "Bearer k"})
    assert "access-control-allow-origin" not in stranger.headers


def test_statistics_have_a_key(front: Front, replica: Any) -> None:  # noqa: F811
    assert front.get("/front/stats").status == 401
    assert front.get("/front/metrics", {"X-Roost-Front-Key": "guess"}).status == 401
    front.set(endpoint("birds", deployment("blue", replica("one"))))
    front.post("/endpoints/birds/score")
    text = front.get("/front/metrics", {"Authorization": f"Bearer {front.info['key']}"}).text
    labels = 'workspace="ws",endpoint="birds",deployment="blue"'
    assert f'roost_requests_total{{{labels},version="blue:1",status="200"}} 1\n' in text
    assert f'roost_request_seconds_count{{{labels},version="blue:1"}} 1\n' in text
    assert f'roost_requests_in_flight{{{labels}}} 0\n' in text
    assert stat.S_IMODE((front.serving / "front.json").stat().st_mode) == 0o600


# Where requests go.

def test_traffic_is_split_exactly(front: Front, replica: Any) -> None:  # noqa: F811
    blue, green, red = replica("blue"), replica("green"), replica("red")
    front.set(endpoint("birds", deployment("blue", blue), deployment("green", green), deployment("red", red),
                       traffic=[{"deployment": "green", "percent": 27}, {"deployment": "red", "percent": 3}]))
    connection = front.connection()
    for _ in range(2):
        counts = collections.Counter(exchange(connection, "POST", "/endpoints/birds/score").text for _ in range(100))
        assert counts == {"blue": 70, "green": 27, "red": 3}
    chosen = exchange(connection, "POST", "/endpoints/birds/score", b"{}", {"azureml-model-deployment": "red"})
    assert chosen.text == "red" and chosen.headers["x-roost-deployment"] == "red"
    unknown = exchange(connection, "POST", "/endpoints/birds/score", b"{}", {"azureml-model-deployment": "pink"})
    assert unknown.status == 404 and "'pink'" in unknown.json["message"]
    connection.close()


def test_shadows_get_copies_and_cost_nothing(front: Front, replica: Any, gate: Gate) -> None:  # noqa: F811
    blue, green = replica("blue"), replica("green", gate)
    front.set(endpoint("birds", deployment("blue", blue), deployment("green", green),
                       shadow=[{"deployment": "green", "percent": 50}]))
    connection = front.connection()
    for _ in range(10):
        assert exchange(connection, "POST", "/endpoints/birds/score", b"body").text == "blue"
    wait_until(lambda: len(green.got) == 5, 20, "five copies")
    assert green.got[0].body == b"body" and green.got[0].headers["x-roost-shadow"] == "1"
    gate.open.set()
    wait_until(lambda: front.deployment_stats("birds", "green")["shadow_requests"] == 5, 20, "copies are counted")
    stats = front.deployment_stats("birds", "green")
    assert (stats["shadow_errors"], stats["requests"]) == (0, 0)
    green.close()
    front.set(endpoint("birds", deployment("blue", blue), deployment("green"), shadow=[{"deployment": "green", "percent": 100}]))
    assert exchange(connection, "POST", "/endpoints/birds/score", b"body").text == "blue"
    assert front.deployment_stats("birds", "green")["shadow_errors"] == 1
    connection.close()


def test_the_least_busy_replica_is_chosen(front: Front, replica: Any, gate: Gate) -> None:  # noqa: F811
    slow, quick = replica("slow", gate), replica("quick")
    front.set(endpoint("birds", deployment("blue", slow)))
    held = [Caller(front, "/endpoints/birds/score") for _ in range(3)]
    wait_until(lambda: slow.in_flight == 3, 20, "three at work")
    front.set(endpoint("birds", deployment("blue", slow, quick)))
    for _ in range(3):
        assert front.post("/endpoints/birds/score").text == "quick"
    gate.open.set()
    assert [each.result().text for each in held] == ["late"] * 3


def test_a_port_of_its_own(front: Front, replica: Any) -> None:  # noqa: F811
    one = replica("one")
    port, other = free_port(), free_port()
    front.set(endpoint("birds", deployment("blue", one), port=port))
    reply = front.post("/score", port=port)
    assert reply.text == "one" and one.got[-1].headers["x-roost-prefix"] == "" and one.got[-1].path == "/score"
    assert front.post("/endpoints/birds/score").text == "one"
    assert front.get("/front/healthz", port=port).text == "one"  # it is the endpoint's port, not the front's
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", other))
        taken.listen()
        front.set(endpoint("birds", deployment("blue", one), port=other))
        assert str(other) in front.stats()["endpoints"][0]["port_error"]
        with pytest.raises(OSError):
            front.post("/score", port=port)
    wait_until(lambda: "port_error" not in front.stats()["endpoints"][0], 20, "the port that became free")
    assert front.post("/score", port=other).text == "one"


# Waiting for replicas.

def test_replicas_are_not_given_more_than_they_take(front: Front, replica: Any) -> None:  # noqa: F811
    pause = threading.Event()

    def answer(got: Got) -> Tuple[int, Dict[str, str], bytes]:
        pause.wait(0.005)
        return 200, {}, b"x"

    replicas = [replica("one", answer), replica("two", answer)]
    front.set(endpoint("birds", deployment("blue", *replicas, max_concurrent_requests=2), queue_wait_ms=60000))
    with Load(front, "/endpoints/birds/score", 16) as load:
        load.wait_for(300)
    assert not load.failures and set(load.statuses) == {200}
    assert [each.most_in_flight for each in replicas] == [2, 2]
    assert min(len(each.got) for each in replicas) > 100


def test_a_full_queue_and_a_long_wait_are_503(front: Front, replica: Any, gate: Gate) -> None:  # noqa: F811
    one = replica("one", gate)
    front.set(endpoint("birds", deployment("blue", one, max_concurrent_requests=1), queue_limit=1, queue_wait_ms=60000))
    first = Caller(front, "/endpoints/birds/score")
    wait_until(lambda: one.in_flight == 1, 20, "the first one is at work")
    second = Caller(front, "/endpoints/birds/score")
    wait_until(lambda: front.deployment_stats("birds", "blue")["waiting"] == 1, 20, "the second one waits")
    full = front.post("/endpoints/birds/score")
    assert full.status == 503 and full.headers["retry-after"] and "busy" in full.json["message"]
    front.set(endpoint("birds", deployment("blue", one, max_concurrent_requests=1), queue_wait_ms=50))
    late = front.post("/endpoints/birds/v2/models/m/infer")
    assert late.status == 503 and "busy" in late.json["error"]
    gate.open.set()
    assert (first.result().status, second.result().status) == (200, 200)


def test_requests_are_held_until_a_replica_is_up(front: Front, replica: Any) -> None:  # noqa: F811
    front.set(endpoint("birds", deployment("blue", starting=True, max_concurrent_requests=1)))
    held = [Caller(front, "/endpoints/birds/score") for _ in range(20)]
    wait_until(lambda: front.deployment_stats("birds", "blue")["held"] == 20, 20, "twenty are held")
    front.set(endpoint("birds", deployment("blue", replica("one"), max_concurrent_requests=1)))
    assert [each.result().text for each in held] == ["one"] * 20


def test_what_will_not_start_is_503(front: Front) -> None:  # noqa: F811
    front.set(endpoint("birds", deployment("blue", starting=True), hold_ms=50))
    late = front.post("/endpoints/birds/score")
    assert late.status == 503 and "starting" in late.json["message"] and late.headers["retry-after"]
    front.set(endpoint("birds", deployment("blue", starting=True)))
    held = Caller(front, "/endpoints/birds/score")
    wait_until(lambda: front.deployment_stats("birds", "blue")["held"] == 1, 20, "it is held")
    front.set(endpoint("birds", deployment("blue")))
    assert held.result().status == 503
    assert front.post("/endpoints/birds/score").status == 503


def test_who_gives_up_waits_no_more(front: Front) -> None:  # noqa: F811
    front.set(endpoint("birds", deployment("blue", starting=True)))
    with socket.create_connection(("127.0.0.1", front.port), timeout=20) as raw:
        raw.sendall(b"POST /endpoints/birds/score HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n")
        wait_until(lambda: front.deployment_stats("birds", "blue")["held"] == 1, 20, "it is held")
    wait_until(lambda: front.deployment_stats("birds", "blue")["held"] == 0, 20, "it is not held any more")


# What fails.

def test_a_dead_replica_is_passed_over(front: Front, replica: Any) -> None:  # noqa: F811
    front.set(endpoint("birds", deployment("blue", dead_row(), replica("one"), max_concurrent_requests=4)))
    for _ in range(20):
        assert front.post("/endpoints/birds/score").text == "one"
    front.set(endpoint("birds", deployment("blue", dead_row()), hold_ms=100, queue_wait_ms=100))
    nobody = front.post("/endpoints/birds/score")
    assert nobody.status == 503 and "reached" in nobody.json["message"]


def test_a_new_replica_takes_what_waits_for_a_dead_one(front: Front, replica: Any) -> None:  # noqa: F811
    front.set(endpoint("birds", deployment("blue", dead_row())))
    waiting = Caller(front, "/endpoints/birds/score")
    wait_until(lambda: front.deployment_stats("birds", "blue")["waiting"] == 1, 20, "it waits")
    front.set(endpoint("birds", deployment("blue", replica("one"))))
    assert waiting.result().text == "one"


def test_a_replica_that_dies_at_work_is_502_and_asked_once(front: Front) -> None:  # noqa: F811
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    row = {"run": "r", "address": "127.0.0.1", "port": listener.getsockname()[1], "key": "k"}
    front.set(endpoint("birds", deployment("blue", row)))
    caller = Caller(front, "/endpoints/birds/score")
    connection, _ = listener.accept()
    assert connection.recv(10)
    connection.close()
    reply = caller.result()
    assert reply.status == 502 and "ended while it worked" in reply.json["message"]
    assert reply.headers["x-request-id"]
    listener.settimeout(0.3)
    with pytest.raises(socket.timeout):
        listener.accept()
    listener.close()


def test_a_deadline_is_504(front: Front, replica: Any, gate: Gate) -> None:  # noqa: F811
    front.set(endpoint("birds", deployment("blue", replica("one", gate), max_concurrent_requests=1), scoring_timeout_ms=100))
    late = front.post("/endpoints/birds/score")
    assert late.status == 504 and "scoring_timeout_ms" in late.json["message"]
    assert front.deployment_stats("birds", "blue")["in_flight"] == 0
