"""Scripts that misbehave."""
import os

import pytest

from processes import allowed_mb, peak_memory_mb, processes_with, wait_until
from roost_fixture import DRIVER_LOG, RoostServer, sha256

GB = 1_000_000_000


def test_one_gigabyte_in_one_line(server: RoostServer) -> None:
    run = server.submit(f"import os\nblock = b'x' * 1000000\nfor _ in range({GB // 1000000}):\n"
                        "  view = memoryview(block)\n  while view: view = view[os.write(1, view):]\n")
    server.wait(run, ("Running", "Finalizing", "Completed"))
    runners = [node["pid"] for node in server.nodes()]
    run = server.wait(run, "Completed", timeout=120)
    (log,) = [log for log in server.get(f"/runs/{run['id']}/logs")["items"] if log["name"] == DRIVER_LOG]
    assert log["size"] == GB
    assert peak_memory_mb(server.pid) < allowed_mb(server.pid, 200)
    assert all(peak_memory_mb(pid) < allowed_mb(pid, 200) for pid in runners)
    for offset in (0, GB // 2, GB - 10):
        assert server.log(run, offset=offset, limit=1000) == b"x" * min(1000, GB - offset)
    follower = server.follow(run, offset=GB - 5)
    assert "".join(line["text"] for line in follower if line["type"] == "log") == "xxxxx"
    assert run["error"] is None


def test_failing_after_a_huge_line_keeps_a_small_error(server: RoostServer) -> None:
    run = server.run("import sys; print('x' * 50_000_000); print('the end'); sys.exit(1)", timeout=60)
    assert run["status"] == "Failed" and run["error"]["last_lines"][-1] == "the end"
    assert sum(len(line) for line in run["error"]["last_lines"]) < 100_000


def test_closes_stdout(server: RoostServer) -> None:
    run = server.run("""
        import os, time
        print('before', flush=True)
        os.close(1); os.close(2); os.close(0)
        time.sleep(0.3)
        open('outputs/after', 'w').write('still here')
    """)
    assert run["status"] == "Completed", run["error"]
    assert server.log(run) == b"before\n" and server.artifact(run, "outputs/after") == b"still here"


def test_fills_its_outputs_folder(server: RoostServer) -> None:
    count = 5000
    run = server.run(f"import os\nfor i in range({count}):\n  os.makedirs(f'outputs/{{i % 50}}', exist_ok=True)\n"
                     "  open(f'outputs/{i % 50}/{i}', 'w').write(str(i))", timeout=90)
    assert run["status"] == "Completed", run["error"]
    found = server.artifacts(run, "outputs/")
    assert len(found) == count
    for i in range(count):
        item = found[f"outputs/{i % 50}/{i}"]
        assert item["digest"] == sha256(str(i).encode()) and item["size"] == len(str(i))
    assert server.artifact(run, "outputs/7/1007") == b"1007"


def test_daemon_that_keeps_stdout_does_not_hold_the_run(server: RoostServer) -> None:
    mark = f"daemon-{os.urandom(6).hex()}"
    run = server.run(f"""
        import os
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                os.execve('/bin/sleep', [{mark!r}, '600'], {{}})
            os._exit(0)
        os.wait()
        print('done')
    """, timeout=20)
    assert run["status"] == "Completed" and server.log(run) == b"done\n"
    wait_until(lambda: not processes_with(mark), 2, "the daemon is gone")


def test_leaves_many_children(server: RoostServer) -> None:
    code = "import subprocess\nfor _ in range(100): subprocess.Popen(['sleep', '600'], start_new_session=True)"
    run = server.run(code, timeout=40)
    assert run["status"] == "Completed", run["error"]
    assert processes_with(run["id"]) == []


def test_removes_its_own_folder(server: RoostServer) -> None:
    run = server.run("""
        import os, shutil
        print('before', flush=True)
        shutil.rmtree(os.getcwd(), ignore_errors=True)
        print('after')
    """)
    assert run["status"] in ("Completed", "Failed") and server.log(run) == b"before\nafter\n"
    assert server.run("print('next')")["status"] == "Completed"


def test_spoils_its_spool(server: RoostServer) -> None:
    run = server.run("""
        import os
        spool = os.environ['ROOST_SPOOL']
        open(f'{spool}/a.spool', 'wb').write(os.urandom(1 << 20))
        open(f'{spool}/b.spool', 'wb').write(b'[' * (1 << 20))
        open(f'{spool}/c.spool', 'wb').write(b'["scalar","' + b'n' * (1 << 20) + b'",1,null,0]\\n')
        open(f'{spool}/d.spool', 'wb').write(b'\\0' * (1 << 20))
        os.mkdir(f'{spool}/e.spool'); os.symlink('/etc/passwd', f'{spool}/f.spool'); os.mkfifo(f'{spool}/g.spool')
        open(f'{spool}/h.spool', 'w').write('["scalar","good",1,null,1763240000]\\n')
    """)
    assert run["status"] == "Completed", run["error"]
    assert server.metric(run, "good")["count"] == 1 and run["notices"]


def test_a_deep_and_wide_process_tree_keeps_its_order(server: RoostServer) -> None:
    run = server.run(command="bash -c 'bash -c \"bash -c \\\"echo deep; exit 7\\\"\"'")
    assert (run["exit_code"], server.log(run)) == (7, b"deep\n")


@pytest.mark.parametrize("limit", [64])
def test_process_without_file_descriptors(server: RoostServer, limit: int) -> None:
    run = server.run(f"import os, resource\nresource.setrlimit(resource.RLIMIT_NOFILE, ({limit}, {limit}))\n"
                     f"files = [open('/dev/null') for _ in range({limit} - 10)]\nprint('fine')")
    assert run["status"] == "Completed" and server.log(run) == b"fine\n"
