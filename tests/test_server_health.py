"""What the server says about itself: a writer that stands still, requests that failed, a data folder that is not whole."""
import json
import shutil
import sqlite3
import threading

from conftest import MakeServer
from processes import wait_until
from roost_fixture import RoostServer

RUNS = "/workspaces/default/runs"


def test_null_where_the_contract_allows_it_stops_nothing(server: RoostServer) -> None:
    body = {"experiment": "null", "command": "true", "environment": {"python": None}}
    assert server.api("POST", RUNS, json=body).status == 201
    server.api_client.timeout = 10
    assert server.run("print('on it goes')")["status"] == "Completed"


def test_a_writer_that_stands_still_is_named(make_server: MakeServer) -> None:
    server = make_server({"writer_stall_seconds": 0.5})
    assert server.get("//healthz")["status"] == "ok"
    # Another program has the database: nothing is written as long as it does not let go.
    other = sqlite3.connect(server.data / "roost.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    write = threading.Thread(target=lambda: server.api("POST", RUNS, json={"experiment": "x", "interactive": True}))
    write.start()
    wait_until(lambda: server.api("GET", "//healthz").status == 503, 20, "it is not well")
    answer = server.api("GET", "//healthz")
    if answer.status == 503:  # it gives up by itself in the end
        assert answer.code == "unavailable" and "without getting on" in answer.message, answer.body
    wait_until(lambda: "has been writing to the database" in server.output, 10, "the log names it")
    other.execute("ROLLBACK")
    other.close()
    write.join()
    wait_until(lambda: server.api("GET", "//healthz").status == 200, 20, "it is well again")


def test_every_failure_is_in_the_log_with_its_request(make_server: MakeServer) -> None:
    server = make_server()
    good = server.api("GET", "/server")
    assert good.headers["x-request-id"]
    other = sqlite3.connect(server.data / "roost.db", isolation_level=None)
    other.execute("ALTER TABLE view RENAME TO hidden")
    answer = server.api("GET", "/workspaces/default/views")
    other.execute("ALTER TABLE hidden RENAME TO view")
    other.close()
    assert answer.status >= 500, answer.body
    identity = answer.headers["x-request-id"]
    assert identity != good.headers["x-request-id"]
    wait_until(lambda: f"request {identity}:" in server.output, 10, "it is in the log")
    assert identity in answer.message


def test_files_without_their_database_are_refused(make_server: MakeServer) -> None:
    server = make_server()
    run = server.run("print('precious')")
    server.terminate()
    kept = server.folder / "kept"
    kept.mkdir()
    for file in server.data.glob("roost.db*"):
        shutil.move(str(file), kept / file.name)
    assert server.begin_start().wait(20) == 1
    server._killed = True
    assert "roost.db is missing" in server.output
    assert not (server.data / "roost.db").exists()
    for file in kept.iterdir():
        shutil.move(str(file), server.data / file.name)
    server.start()
    assert server.log(run) == b"precious\n"


def test_a_damaged_database_is_refused(make_server: MakeServer) -> None:
    server = make_server()
    for i in range(20):
        server.post(RUNS, {"experiment": f"e{i}", "interactive": True, "tags": {"pad": "x" * 900}})
    server.terminate()
    database = server.data / "roost.db"
    content = bytearray(database.read_bytes())
    middle = len(content) // 2 // 4096 * 4096
    content[middle:middle + 8192] = b"\x5a" * 8192
    database.write_bytes(content)
    assert server.begin_start().wait(20) == 1
    server._killed = True
    assert "is damaged" in server.output, server.output


def test_no_answer_is_less_than_json(server: RoostServer) -> None:
    run = server.run("""
        import roost.run as run
        run.log_list("empty", [])
        run.log("loss", 1)
    """)
    assert run["status"] == "Completed"
    answer = server.api("GET", f"/runs/{run['id']}/metrics")
    assert b"<discarded>" not in answer.body
    by_name = {item["name"]: item for item in json.loads(answer.body)["items"]}
    assert (by_name["empty"]["count"], by_name["empty"]["last"]) == (0, None)
    assert by_name["loss"]["last"] == 1
    assert server.get(f"/runs/{run['id']}/metrics/empty")["points"] == []


def test_the_number_of_metrics_counts_the_run(server: RoostServer) -> None:
    run = server.post(RUNS, {"experiment": "many", "interactive": True})["id"]
    offset, skipped = 0, 0
    for start in range(0, 12_000, 4_000):
        body = b"".join(b'["scalar","m%d",1,null,1]\n' % i for i in range(start, start + 4_000))
        answer = server.api("POST", f"/runs/{run}/records?stream=s&offset={offset}", data=body, content_type="text/plain")
        offset = answer.json["length"]
        skipped += answer.json["skipped"]
    assert skipped == 2_000
    assert len(server.get(f"/runs/{run}/metrics")["items"]) == 10_000
    more = server.api("POST", f"/runs/{run}/records?stream=s&offset={offset}", data=b'["scalar","m7",2,null,1]\n',
                      content_type="text/plain")
    assert more.json["skipped"] == 0, "a metric it has goes on"
