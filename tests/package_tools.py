"""Programs of the package index that tests use, fetched once and kept between test runs."""
import os
import shutil
import subprocess
from pathlib import Path

KEPT = Path(f"/tmp/roost-tools-{os.getuid()}")


def find_uv() -> str:
    """The program uv: on PATH, or fetched; "" if there is none and no index answers."""
    found = shutil.which("uv")
    if found:
        return found
    program = KEPT / "uv" / "bin" / "uv"
    if not program.exists():
        subprocess.run(["/usr/bin/python3", "-m", "pip", "install", "--quiet", "--no-deps", "--retries", "1", "--timeout", "10",
                        "--disable-pip-version-check", "--target", str(KEPT / "uv"), "uv"], capture_output=True, timeout=300)
    return str(program) if program.exists() else ""


def index_answers() -> bool:
    """Whether pip on this machine gets an answer from its index."""
    done = subprocess.run(["/usr/bin/python3", "-m", "pip", "download", "--quiet", "--no-deps", "--retries", "0", "--timeout", "10",
                           "--disable-pip-version-check", "--dest", str(KEPT / "probe"), "iniconfig==2.0.0"],
                          capture_output=True, timeout=120)
    return done.returncode == 0
