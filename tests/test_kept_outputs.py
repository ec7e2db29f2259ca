"""What is stored is what the script left: one file that cannot be kept is left out by name, all others are there."""
import pytest

from processes import wait_until
from roost_fixture import RoostServer

KEPT = "outputs/first"


@pytest.fixture(scope="module")
def server(shared_server: RoostServer) -> RoostServer:
    return shared_server


def notices(run: dict) -> str:
    return "\n".join(run["notices"])


def run_after_keeping(server: RoostServer, gate, before: str, after: str) -> dict:
    """Runs `before`, and `after` once what `before` wrote was kept while the run goes on."""
    run = server.submit(f"import os, shutil, time\n{before}\nopen('{KEPT}', 'w').write('1')\n{gate.wait_code}\n{after}")
    wait_until(lambda: KEPT in server.artifacts(run), 40, "the outputs are kept while the run goes on")
    gate.open()
    return server.wait(run)


def test_a_copy_of_equal_time_and_size(server: RoostServer, gate) -> None:
    run = run_after_keeping(
        server, gate,
        "open('outputs/best.bin', 'w').write('old'); open('best.bin', 'w').write('new')\n"
        "for name in ('outputs/best.bin', 'best.bin'): os.utime(name, (1, 1))",
        "shutil.copy2('best.bin', 'outputs/best.bin')")
    assert run["status"] == "Completed" and server.artifact(run, "outputs/best.bin") == b"new"


def test_a_file_that_is_mapped(server: RoostServer, gate) -> None:
    run = run_after_keeping(
        server, gate,
        "import mmap\nopen('outputs/map', 'wb').write(bytes(8192))\nfile = open('outputs/map', 'r+b')\n"
        "mapped = mmap.mmap(file.fileno(), 8192)\nmapped[0:3] = b'old'\nbefore = os.stat('outputs/map').st_mtime_ns",
        "mapped[0:3] = b'new'\nmapped.close(); file.close()\nos.utime('outputs/map', ns=(before, before))")
    assert run["status"] == "Completed" and server.artifact(run, "outputs/map")[:3] == b"new"


def test_names_that_cannot_be_stored(server: RoostServer) -> None:
    run = server.run("""
        open("outputs/a\\nb", "w").write("1")
        open(b"outputs/not-utf8-\\xff", "w").write("2")
        open("outputs/good", "w").write("3")
    """)
    assert run["status"] == "Completed", run["error"]
    assert server.artifact(run, "outputs/good") == b"3" and len(server.artifacts(run, "outputs/")) == 1
    assert r"a\x0ab" in notices(run) and "not-utf8-" in notices(run)


def test_links(server: RoostServer) -> None:
    run = server.run("""
        import os
        os.makedirs("outputs/step-5"); open("outputs/step-5/model", "w").write("5")
        open("beside", "w").write("b")
        os.symlink("step-5/model", "outputs/relative")
        os.symlink(os.path.abspath("outputs/step-5/model"), "outputs/absolute")
        os.symlink("../beside", "outputs/beside")
        os.symlink("step-5", "outputs/folder")
        os.symlink("/etc/hostname", "outputs/outside")
        os.symlink("nowhere", "outputs/dangling")
        os.mkfifo("outputs/fifo")
    """)
    assert run["status"] == "Completed", run["error"]
    kept = {path: server.artifact(run, path) for path in server.artifacts(run, "outputs/")}
    assert kept == {"outputs/step-5/model": b"5", "outputs/relative": b"5", "outputs/absolute": b"5",
                    "outputs/beside": b"b"}
    for name in ("folder", "outside", "dangling", "fifo"):
        assert f"outputs/{name}" in notices(run), notices(run)


def test_a_file_nobody_may_read(server: RoostServer) -> None:
    run = server.run("""
        import os
        open("outputs/good", "w").write("g")
        os.makedirs("outputs/deep/closed"); open("outputs/deep/closed/x", "w").write("x")
        open("outputs/private", "w").write("p")
        os.chmod("outputs/deep/closed", 0); os.chmod("outputs/private", 0)
    """)
    assert run["status"] == "Completed", run["error"]
    kept = server.artifacts(run, "outputs/")
    assert "outputs/good" in kept
    for name in ("outputs/private", "outputs/deep/closed"):
        assert any(path.startswith(name) for path in kept) or name in notices(run)


def test_what_the_script_removed_is_gone(server: RoostServer, gate) -> None:
    run = run_after_keeping(server, gate, "open('outputs/step-1', 'w').write('1')", "os.remove('outputs/step-1')")
    assert run["status"] == "Completed" and list(server.artifacts(run)) == [KEPT]
