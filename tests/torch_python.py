"""A Python with a current PyTorch, for what Debian's own cannot do (its torchrun does not work on Python 3.11)."""
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import List

ROOT = Path(__file__).resolve().parent.parent
TORCH = "torch==2.13.0"


def local_cpu_wheels() -> str:
    """The folder where pip finds a wheel of that PyTorch for CPUs; "" if there is none."""
    try:
        done = subprocess.run(["/usr/bin/python3", "-m", "pip", "config", "list"], capture_output=True, text=True, timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    found = re.search(r"find-links='?([^'\n]+)", done.stdout)
    folder = Path(os.environ.get("PIP_FIND_LINKS") or (found[1] if found else "/none"))
    return str(folder) if list(folder.glob("torch-2.13.0+cpu*.whl")) else ""


def make_python(name: str, packages: List[str]) -> str:
    """The interpreter of a virtual environment with these packages, made once and kept; "" if they cannot be had."""
    place = ROOT / "build" / "test-pythons" / name
    python, stamp = place / "bin" / "python", place / "complete"
    if stamp.exists() and stamp.read_text() == "\n".join(packages):
        return str(python)
    shutil.rmtree(place, ignore_errors=True)
    made = subprocess.run(["/usr/bin/python3", "-m", "venv", str(place)], capture_output=True, timeout=120)
    if made.returncode:
        return ""
    try:
        done = subprocess.run([str(python), "-m", "pip", "install", "--quiet", *packages], capture_output=True, timeout=600)
    except subprocess.TimeoutExpired:
        return ""
    if done.returncode:
        return ""
    stamp.write_text("\n".join(packages))
    return str(python)
