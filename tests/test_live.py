"""One connection that tells a page everything it shows."""
import pytest

from live_events import LiveEvents
from processes import wait_until
from roost_fixture import DRIVER_LOG, RoostServer

SLOW = """
import time, roost.run as run
for i in range(5):
    print("line", i, flush=True)
    run.log("loss", 1 / (i + 1), step=i)
    time.sleep(0.2)
"""


def test_a_run_is_told_in_every_state(server: RoostServer) -> None:
    run = server.submit(SLOW)
    with LiveEvents(server, f"run/{run['id']}") as live:
        live.until(lambda kind, data: kind == "run" and data["run"]["status"] == "Completed")
    statuses = [data["run"]["status"] for kind, data in live.seen if kind == "run"]
    assert "Running" in statuses and statuses[-1] == "Completed"
    assert len(statuses) == len(set(map(str, live.seen))), "no state is told twice"
    assert set(live.seen[-1][1]["run"]["durations"]) >= {"Running"}


def test_rows_of_the_table_follow_all_runs(server: RoostServer) -> None:
    with LiveEvents(server, "runs/default") as live:
        assert live.next()[0] == "reset", "whoever connects asks for the table first"
        run = server.submit(SLOW)
        row = live.until(lambda kind, data: kind == "runs" and data["rows"][0]["status"] == "Completed")["rows"][0]
        assert row["id"] == run["id"] and row["ended_at"]
        assert row == server.get("/workspaces/default/run-table?column=metrics.*&column=params.*")["items"][0]


def test_other_workspaces_are_not_told(server: RoostServer) -> None:
    server.post("/workspaces", {"name": "other"})
    with LiveEvents(server, "runs/other", "runs/default") as live:
        server.run("print(1)")
        live.until(lambda kind, data: kind == "runs" and data["rows"][0]["status"] == "Completed")
    assert {data["topic"] for kind, data in live.seen if kind == "runs"} == {"runs/default"}


def test_metrics_ranks_and_a_log_over_one_connection(server: RoostServer) -> None:
    run = server.submit(SLOW)
    log = f"log/{run['id']}/1/0/{DRIVER_LOG}"
    with LiveEvents(server, f"metrics/{run['id']}", f"ranks/{run['id']}", log) as live:
        live.until(lambda kind, data: kind == "metrics" and data["items"][0]["count"] == 5)
        said = "".join(data["text"] for kind, data in live.seen if kind == "log")
        while "line 4" not in said:
            kind, data = live.next()
            said += data["text"] if kind == "log" else ""
    assert said == "".join(f"line {i}\n" for i in range(5))
    counts = [data["items"][0]["count"] for kind, data in live.seen if kind == "metrics"]
    assert counts == sorted(counts) and counts[-1] == 5
    assert any(kind == "ranks" for kind, _ in live.seen)


def test_a_log_goes_on_where_the_last_connection_ended(server: RoostServer) -> None:
    run = server.run("for i in range(1000): print('zeile', i, 'ä')")
    whole = server.log(run)
    text, offset = "", 0
    for stop in (300, 3000, 30000):
        with LiveEvents(server, f"log/{run['id']}/1/{offset}/{DRIVER_LOG}") as live:
            _, data = live.next()
        assert data["offset"] == offset
        piece = data["text"].encode()[: stop - offset].decode(errors="ignore")
        text += piece
        offset += len(piece.encode())
        if offset == len(whole):
            break
    assert text.encode() == whole


def test_computes_tell_when_nodes_and_limits_change(server: RoostServer) -> None:
    with LiveEvents(server, "computes/default") as live:
        assert live.next()[0] == "computes"
        server.post("/workspaces/default/computes", {"name": "big", "vm_size": "STANDARD_D2_V2", "max_nodes": 2})
        assert live.next()[0] == "computes"
        server.expect(200, "PATCH", "/workspaces/default/computes/big", json={"max_nodes": 3})
        assert live.next()[0] == "computes"


def test_what_is_not_there_is_told_and_the_rest_goes_on(server: RoostServer) -> None:
    with LiveEvents(server, "run/none-such", "runs/default") as live:
        gone = live.until(lambda kind, data: kind == "gone")
        assert gone["topic"] == "run/none-such" and "none-such" in gone["message"]
        server.run("print(1)")
        live.until(lambda kind, data: kind == "runs")


@pytest.mark.parametrize("topic", ["", "runs", "nothing/at-all", "log/a/b/c/d", "log/a/1/0/../../etc/passwd"])
def test_a_wrong_topic_is_refused(shared_server: RoostServer, topic: str) -> None:
    answer = shared_server.api("GET", f"/live?topic={topic}")
    assert answer.status == 400 and ("topic" in answer.message or "path" in answer.message)


def test_too_many_topics_are_refused(shared_server: RoostServer) -> None:
    answer = shared_server.api("GET", "/live?" + "&".join(["topic=runs/default"] * 101))
    assert answer.status == 400 and "101 topics" in answer.message
    assert shared_server.api("GET", "/live").status == 400


def test_the_stream_ends_with_the_token(server: RoostServer) -> None:
    token = server.new_token("reader")
    with LiveEvents(server, "runs/default", headers={"Authorization": f"Bearer {token['token']}"}) as live:
        live.next()
        server.expect(200, "DELETE", f"/tokens/{token['id']}")
        assert live.ended()


def test_a_hundred_browsers_are_told_and_forgotten(server: RoostServer) -> None:
    def connections() -> int:
        return len([1 for line in open(f"/proc/{server.pid}/net/tcp", encoding="ascii")
                    if line.split()[3] == "01" and line.split()[1].endswith(f":{server.api_client.url.port:04X}")])

    streams = [LiveEvents(server, "runs/default").__enter__() for _ in range(100)]
    run = server.run("print(1)")
    for live in streams:
        data = live.until(lambda kind, data: kind == "runs" and data["rows"][0]["status"] == "Completed")
        assert data["rows"][0]["id"] == run["id"]
        live.__exit__()
    wait_until(lambda: connections() < 10, 20, "the server lets go of streams nobody reads")
