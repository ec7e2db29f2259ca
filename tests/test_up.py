"""`roost up`, `roost down` and what a clean start leaves on disk."""
import json
import os
import pty
import select
import socket
import subprocess
from pathlib import Path

from conftest import MakeServer
from processes import allowed_mb, cpu_seconds, is_alive, peak_memory_mb, processes_with, wait_until
from roost_fixture import RoostServer


def test_up_prints_its_address(server: RoostServer) -> None:
    wait_until(lambda: server.info["url"] in server.output, 5, "the address is printed")


FOREGROUND = "it stays in the foreground; 'roost up --detach' (-d) goes on in the background"


def test_up_says_that_it_stays(server: RoostServer) -> None:
    """Into a pipe or a file as on a terminal: whoever waits for the prompt wonders."""
    wait_until(lambda: "or 'roost down'" in server.output, 5, "the lines are printed")
    lines = server.output.splitlines()
    (at,) = [number for number, line in enumerate(lines) if "Roost is up at" in line]
    assert lines[at + 1].strip() == FOREGROUND
    assert "Ctrl-C" in lines[at + 3]


def test_up_says_so_on_a_terminal(make_server: MakeServer) -> None:
    server = make_server(start=False)
    server.folder.mkdir()
    ours, its = pty.openpty()
    up = subprocess.Popen(server.command(), stdin=subprocess.DEVNULL, stdout=its, stderr=its, env=server.environment,
                          start_new_session=True)
    os.close(its)
    shown = b""
    while FOREGROUND.encode() not in shown and select.select([ours], [], [], 10)[0]:
        shown += os.read(ours, 4096)
    up.terminate()
    assert up.wait(20) == 0
    os.close(ours)
    assert FOREGROUND.encode() in shown


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
    assert FOREGROUND not in shown + (server.data / "server.log").read_text()
    pid = server.info["pid"]
    assert json.loads(server.cli("status", "--json").stdout)["pid"] == pid
    server.cli("down")
    wait_until(lambda: not is_alive(pid), 10, "the server has ended")
    assert not (server.data / "server.json").exists()


def test_says_how_other_commands_find_a_server_in_another_folder(make_server: MakeServer) -> None:
    server = make_server(start=False)
    server.folder.mkdir()
    told = {key: value for key, value in server.environment.items() if key != "ROOST_DATA"}
    folder = server.folder / "my data"
    shown = server.cli("up", "--detach", "--data", "my data", "--port", "0", env=told).stdout
    hint = f"  other commands: --data '{folder}', or export ROOST_DATA='{folder}'"
    assert shown.splitlines()[-1] == hint
    server.cli("down", env={**told, "ROOST_DATA": str(folder)})
    usual = server.cli("up", "--detach", "--port", "0", env=told).stdout
    server.cli("down", env=told)
    assert "other commands" not in usual
    for said_before in ({"ROOST_DATA": str(folder)}, {"ROOST_DATA": "my data"}):
        assert "other commands" not in server.cli("up", "--detach", "--port", "0", env={**told, **said_before}).stdout
        server.cli("down", env={**told, **said_before})


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
