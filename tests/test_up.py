"""`roost up`, `roost down` and what a clean start leaves on disk."""
import json
import socket
from pathlib import Path

from conftest import MakeServer
from processes import allowed_mb, cpu_seconds, is_alive, peak_memory_mb, processes_with, wait_until
from roost_fixture import RoostServer


def test_up_prints_its_address(server: RoostServer) -> None:
    wait_until(lambda: server.info["url"] in server.output, 5, "the address is printed")


def test_start_is_quick_and_idle_is_small(make_server: MakeServer) -> None:
    """bench/ holds these to 0.3 s and 60 MB; here the machine may be busy, so what counts is the processor's time."""
    server = make_server()
    assert cpu_seconds(server.pid) < 3
    assert peak_memory_mb(server.pid) < allowed_mb(server.pid, 60)


def test_detached(make_server: MakeServer) -> None:
    server = make_server(start=False)
    server.folder.mkdir()
    shown = server.cli("up", "--detach", "--data", server.data, "--port", "0").stdout
    assert server.info["url"] in shown and is_alive(server.info["pid"])
    pid = server.info["pid"]
    assert json.loads(server.cli("status", "--json").stdout)["pid"] == pid
    server.cli("down")
    wait_until(lambda: not is_alive(pid), 10, "the server has ended")
    assert not (server.data / "server.json").exists()


def test_down_without_a_server(make_server: MakeServer) -> None:
    server = make_server(start=False)
    server.folder.mkdir()
    assert "no server" in server.cli("down").stdout


def test_down_may_keep_runs(server: RoostServer, tmp_path: Path) -> None:
    go = tmp_path / "go"
    run = server.submit(f"import os, time\nwhile not os.path.exists({str(go)!r}): time.sleep(0.01)\nprint('done')")
    server.wait(run, "Running")
    server.cli("down", "--keep-runs")
    assert server.process.wait(20) == 0 and processes_with(run["id"])
    go.touch()
    server.start()
    assert server.wait(run)["status"] == "Completed" and server.log(run) == b"done\n"


def test_a_free_port_stays_the_same(make_server: MakeServer) -> None:
    server = make_server()
    url = server.info["url"]
    server.kill9()
    server.start()
    assert server.info["url"] == url
    server.stop()
    server.start()
    assert server.info["url"] == url
    server.stop()
    with socket.create_server(("127.0.0.1", int(url.rsplit(":", 1)[1]))):
        server.start()
        assert server.info["url"] != url
    server.stop()
    (server.data / "port").write_text("nonsense\n", encoding="utf-8")
    server.start()
    assert server.get("/server")


def test_history_survives_a_restart(server: RoostServer) -> None:
    runs = [server.run(f"print({i}); open('outputs/o', 'w').write('{i}')", tags={"n": str(i)}) for i in range(3)]
    before = [server.get_run(run) for run in runs]
    server.stop()
    server.start()
    assert [server.get_run(run) for run in runs] == before
    assert [server.log(run) for run in runs] == [b"0\n", b"1\n", b"2\n"]
    assert [server.artifact(run, "outputs/o") for run in runs] == [b"0", b"1", b"2"]
