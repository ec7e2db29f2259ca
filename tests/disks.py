"""Disks that a test makes, mounts and removes: small ones that fill up, and files that cannot be written for a while.
All but the last need root, for mount."""
import contextlib
import os
import subprocess
from pathlib import Path
from typing import Iterator

import pytest

from processes import kill, processes_with, wait_until

needs_root = pytest.mark.root  # to mount a file system


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


@contextlib.contextmanager
def unwritable(file: Path) -> Iterator[None]:
    """Not even root can write to it, nor can who has it open; only that needs root."""
    if os.geteuid() != 0:
        file.chmod(0o400)
        yield
        file.chmod(0o644)
        return
    if subprocess.run(["chattr", "+i", str(file)], stderr=subprocess.DEVNULL, check=False).returncode != 0:
        pytest.skip("this file system has no attribute that keeps root from writing")
    try:
        yield
    finally:
        subprocess.run(["chattr", "-i", str(file)], check=True)


class Disk:
    """An ext4 file system in a file, made so that it keeps little that nobody asked it to sync."""

    def __init__(self, image: Path, folder: Path, mounts: list) -> None:
        self.image, self.folder, self.mounts = image, folder, mounts
        folder.mkdir()

    def make(self) -> "Disk":
        run_tool("truncate", "-s", "256M", self.image)
        run_tool("mkfs.ext4", "-q", "-m", "0", self.image)
        return self.mount()

    def mount(self) -> "Disk":
        run_tool("mount", "-o", "loop,commit=300,noauto_da_alloc", self.image, self.folder)
        self.mounts.append(self.folder)
        return self

    def copy_as_after_power_loss(self, image: Path) -> None:
        """Only what reached the block device. Two equal copies in a row are one moment."""
        second = image.with_suffix(".second")
        for _ in range(20):
            for copy in (image, second):
                run_tool("cp", "--sparse=always", self.image, copy)
            if subprocess.run(["cmp", "-s", str(image), str(second)], check=False).returncode == 0:
                second.unlink()
                return
        raise AssertionError("the image never held still")
