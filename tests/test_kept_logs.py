"""Files in ./logs and the spool: nothing that a script does there loses a line silently or keeps its run from ending."""
import pytest

from processes import wait_until
from roost_fixture import RoostServer


@pytest.fixture(scope="module")
def server(shared_server: RoostServer) -> RoostServer:
    return shared_server


def has_log(server: RoostServer, run: dict, name: str, content: bytes) -> bool:
    answer = server.api("GET", f"/runs/{run['id']}/logs/{name}")
    return answer.status == 200 and answer.body == content


def run_after_shipping(server: RoostServer, gate, before: str, after: str, name: str, content: bytes) -> dict:
    run = server.submit(f"import os, time\n{before}\n{gate.wait_code}\n{after}")
    wait_until(lambda: has_log(server, run, name, content), 20, "the log is on the server")
    gate.open()
    return server.wait(run)


@pytest.mark.parametrize("after", [
    "os.mkdir('logs/a'); open('logs/a/inner', 'w').write('inner')", "os.mkfifo('logs/a')", "pass",
    "os.symlink('/etc/hostname', 'logs/a')"])
def test_a_log_that_becomes_something_else(server: RoostServer, gate, after: str) -> None:
    run = run_after_shipping(
        server, gate, "import roost.run\nopen('logs/a', 'w').write('text')",
        f"os.remove('logs/a'); {after}\nroost.run.log('loss', 0.5)\nopen('logs/b', 'w').write('b')",
        "logs/a", b"text")
    assert run["status"] == "Completed", run["error"]
    assert server.log(run, "logs/a") == b"text" and server.log(run, "logs/b") == b"b"
    assert [point["value"] for point in server.metric(run, "loss")["points"]] == [0.5]
    if "inner" in after:
        assert "logs/a/inner" in str(run["notices"])


def test_rotated_logs_lose_no_line(server: RoostServer) -> None:
    run = server.run("""
        import logging, logging.handlers, time
        handler = logging.handlers.RotatingFileHandler("logs/app.log", maxBytes=3000, backupCount=3)
        log = logging.getLogger("app"); log.addHandler(handler); log.setLevel("INFO")
        for i in range(600):
            log.info("line %06d", i)
            time.sleep(0.003)
    """, timeout=60)
    assert run["status"] == "Completed", run["error"]
    lines = server.log(run, "logs/app.log").decode().splitlines()
    assert lines == [f"line {i:06d}" for i in range(600)]


@pytest.mark.parametrize("rest", ["new", "a line that is longer than what was there before\n", "old line two\n"])
def test_a_log_that_is_written_anew(server: RoostServer, gate, rest: str) -> None:
    run = run_after_shipping(server, gate, "open('logs/a', 'w').write('old line one\\n')",
                             f"open('logs/a', 'w').write({rest!r})", "logs/a", b"old line one\n")
    assert run["status"] == "Completed", run["error"]
    assert server.log(run, "logs/a").decode() == "old line one\n" + rest
    assert "logs/a" in str(run["notices"])


def test_a_log_that_is_replaced(server: RoostServer, gate) -> None:
    run = run_after_shipping(server, gate, "open('logs/a', 'w').write('one')",
                             "open('logs/new', 'w').write('two'); os.replace('logs/new', 'logs/a')", "logs/a", b"one")
    assert run["status"] == "Completed", run["error"]
    assert server.log(run, "logs/a") == b"one\ntwo"


def test_a_log_whose_name_cannot_be_stored(server: RoostServer) -> None:
    run = server.run("open('logs/a\\nb', 'w').write('1'); open('logs/good', 'w').write('2')")
    assert run["status"] == "Completed" and server.log(run, "logs/good") == b"2"
    assert r"logs/a\x0ab" in str(run["notices"]).replace("\\\\", "\\")


def test_a_spool_line_that_is_too_long(server: RoostServer) -> None:
    run = server.run("""
        import os
        with open(os.environ["ROOST_SPOOL"] + "/mine.spool", "w") as spool:
            spool.write('["scalar","before",1,0,1763240000]\\n')
            spool.write('["scalar","long","' + "x" * (9 << 20) + '",0,1763240000]\\n')
            spool.write('["scalar","after",2,0,1763240000]\\n')
    """, timeout=60)
    assert run["status"] == "Completed", run["error"]
    for name, value in (("before", 1), ("after", 2)):
        assert [point["value"] for point in server.metric(run, name)["points"]] == [value]
    assert "mine.spool" in str(run["notices"])
