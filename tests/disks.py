"""Disks that a test makes, mounts and removes: small ones that fill up. All need root, for mount."""
import os
import subprocess
from pathlib import Path
from typing import Iterator

import pytest

from processes import kill, processes_with, wait_until

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="mounting a file system needs root")


def run_tool(*command: object) -> None:
    subprocess.run([str(part) for part in command], check=True, capture_output=True, timeout=60)


@pytest.fixture
def mounts() -> Iterator[list]:
    """Append what you mounted; it is unmounted after the servers have gone."""
    mounted: list = []
    yield mounted
    for folder in reversed(mounted):
        for pid in processes_with(str(folder)):
            kill(pid)
        wait_until(lambda: not processes_with(str(folder)), 10, f"nobody uses {folder}")
        subprocess.run(["umount", "-l", str(folder)], check=False, timeout=30)


@pytest.fixture
def small_disk(mounts: list, tmp_path: Path) -> Path:
    folder = tmp_path / "small"
    folder.mkdir()
    run_tool("mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", folder)
    mounts.append(folder)
    return folder


def fill(folder: Path) -> Path:
    ballast = folder / "ballast"
    with open(ballast, "wb", buffering=0) as file:
        for size in (1 << 20, 4096):
            try:
                while True:
                    file.write(bytes(size))
            except OSError:
                pass
    return ballast
