"""Logs: live, resumable, whatever the bytes."""
import pytest

from conftest import Gate
from http_api import query
from processes import wait_until
from roost_fixture import DRIVER_LOG, RoostServer


@pytest.fixture(scope="module")
def server(shared_server: RoostServer) -> RoostServer:
    return shared_server


def test_driver_log_has_two_names(server: RoostServer) -> None:
    run = server.run("print('x' * 1000)")
    assert server.log(run) == server.log(run, "user_logs/std_log.txt") == b"x" * 1000 + b"\n"
    names = [log["name"] for log in server.get(f"/runs/{run['id']}/logs")["items"]]
    assert DRIVER_LOG in names
    assert "".join(line["text"] for line in server.follow(run, log="user_logs/std_log.txt")
                   if line["type"] == "log") == "x" * 1000 + "\n"


@pytest.mark.parametrize("offset, limit, expected", [
    (0, None, b"0123456789\n"), (3, None, b"3456789\n"), (3, 4, b"3456"), (11, None, b""), (0, 0, b""),
    (10**15, None, b""),
])
def test_part_of_a_log(server: RoostServer, offset: int, limit: int, expected: bytes) -> None:
    run = server.run("print('0123456789')")
    assert server.log(run, offset=offset, limit=limit) == expected


def test_any_bytes_come_back_as_they_were(server: RoostServer) -> None:
    run = server.run("import os\nos.write(1, bytes(range(256)) * 500)")
    assert server.log(run) == bytes(range(256)) * 500
    text = "".join(line["text"] for line in server.follow(run) if line["type"] == "log")
    assert text == server.log(run).decode("utf-8", "replace")


def test_follow_never_cuts_a_character(server: RoostServer) -> None:
    run = server.submit("""
        import os, time
        for byte in '🐔ü'.encode() * 50:
            os.write(1, bytes([byte]))
            time.sleep(0.002)
    """)
    assert "".join(line["text"] for line in server.follow(run) if line["type"] == "log") == "🐔ü" * 50


def test_follow_resumes_from_any_offset(server: RoostServer) -> None:
    run = server.submit("import time\nfor i in range(300): print('line', i, flush=True)\n")
    first = next(line for line in server.follow(run) if line["type"] == "log")
    rest = "".join(line["text"] for line in server.follow(run, offset=first["offset"]) if line["type"] == "log")
    assert (first["text"] + rest).encode() == server.log(run)


def test_get_log_follows_until_the_end(server: RoostServer, gate: Gate) -> None:
    run = server.submit("print('first', flush=True)\n" + gate.wait_code + "print('last')")
    server.wait(run, "Running")
    connection = server.api_client.connect()
    try:
        connection.request("GET", f"/api/v1/runs/{run['id']}/logs/{DRIVER_LOG}" + query(follow="true"),
                           headers=server.api_client.headers())
        answer = connection.getresponse()
        assert answer.read(6) == b"first\n"
        assert server.get_run(run)["status"] == "Running"
        gate.open()
        assert answer.read() == b"last\n"
    finally:
        connection.close()


def test_logs_folder_is_streamed_live(server: RoostServer, gate: Gate) -> None:
    code = "import os\nos.makedirs('logs/deep', exist_ok=True)\nf = open('logs/deep/train.log', 'w')\n" \
           "f.write('epoch 1\\n'); f.flush()\n" + gate.wait_code + "f.write('epoch 2\\n')\n"
    run = server.submit(code)
    path = f"/runs/{run['id']}/logs/logs/deep/train.log"

    def seen() -> bool:
        return server.api("GET", path).body == b"epoch 1\n"

    wait_until(seen, 20, "the first line of logs/deep/train.log")
    assert server.get_run(run)["status"] == "Running"
    gate.open()
    assert server.wait(run)["status"] == "Completed"
    assert server.log(run, "logs/deep/train.log") == b"epoch 1\nepoch 2\n"


def test_many_small_writes_make_one_log(server: RoostServer) -> None:
    run = server.run("import os\nfor i in range(20000): os.write(1, b'%d\\n' % i)")
    assert server.log(run) == b"".join(b"%d\n" % i for i in range(20000))


def test_a_hundred_followers(server: RoostServer, gate: Gate) -> None:
    run = server.submit("print('go', flush=True)\n" + gate.wait_code + "print('end')")
    followers = [server.follow(run) for _ in range(100)]
    for follower in followers:
        assert any(line["type"] == "log" for line in follower)
    assert server.get_run(run)["status"] == "Running"
    gate.open()
    for follower in followers:
        assert list(follower)[-1]["type"] == "end"


@pytest.mark.parametrize("change", [
    "open('logs/x.log', 'w').write('short\\n')",
    "os.remove('logs/x.log')",
    "os.rename('logs/x.log', 'logs/x.log.1'); open('logs/x.log', 'w').write('fresh\\n')",
    "os.truncate('logs/x.log', 0)",
], ids=["rewritten", "removed", "rotated", "truncated"])
def test_log_file_that_shrinks_does_not_hold_the_run(server: RoostServer, gate: Gate, change: str) -> None:
    run = server.submit("import os\nopen('logs/x.log', 'w').write('long ' * 1000)\n" + gate.wait_code + change)
    path = f"/runs/{run['id']}/logs/logs/x.log"
    wait_until(lambda: server.api("GET", path).body == b"long " * 1000, 20, "it is shipped")
    gate.open()
    assert server.wait(run)["status"] == "Completed"


def test_a_log_name_that_does_not_exist_yet_can_be_followed(server: RoostServer, gate: Gate) -> None:
    run = server.submit(gate.wait_code + "open('logs/late.log', 'w').write('late')")
    follower = server.follow(run, log="logs/late.log")
    assert next(follower)["type"] == "status"
    gate.open()
    assert "".join(line.get("text", "") for line in follower) == "late"
