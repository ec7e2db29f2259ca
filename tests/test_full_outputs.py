"""A run that fills the disk through ./outputs ends, and what it filled the disk with is named."""
import os
from pathlib import Path

from conftest import MakeServer
from disks import mounts, needs_root, small_disk  # noqa: F401 (two are fixtures)
from processes import wait_until

FILL = """
    print("begin", flush=True)
    open("outputs/small", "w").write("kept")
    with open("outputs/big.bin", "wb") as file:
        try:
            while True: file.write(bytes(1 << 20))
        except OSError as error:
            pass
"""


@needs_root
def test_the_file_is_given_up_by_name(small_disk: Path, make_server: MakeServer) -> None:
    server = make_server(data=small_disk / "data")
    run = server.wait(server.submit(FILL), timeout=180)
    assert run["status"] == "Failed" and run["error"]["code"] == "outputs_failed", run["error"]
    assert "no space for outputs/big.bin (" in run["error"]["message"] and "outputs/big.bin" in str(run["notices"])
    assert server.artifact(run, "outputs/small") == b"kept" and server.log(run).startswith(b"begin")
    assert server.run("print('after')")["status"] == "Completed"


@needs_root
def test_it_can_be_canceled(small_disk: Path, make_server: MakeServer) -> None:
    server = make_server(data=small_disk / "data")
    run = server.submit(FILL)
    wait_until(lambda: os.statvfs(small_disk).f_bavail * 4096 < 1 << 20, 60, "the disk is full")
    server.cancel(run)
    assert server.wait(run, timeout=40)["status"] == "Canceled"
    wait_until(lambda: server.run("print('after')")["status"] == "Completed", 40, "there is room again")
