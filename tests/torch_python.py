"""A Python with a current PyTorch, for what Debian's own cannot do (its torchrun works on Python 3.11 inside runs only)."""
import fcntl
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
    # Without a limit: on a busy machine it would become a reason to skip what can well be tested.
    done = subprocess.run(["/usr/bin/python3", "-m", "pip", "config", "list"], capture_output=True, text=True)
    found = re.search(r"find-links='?([^'\n]+)", done.stdout)
    folder = Path(os.environ.get("PIP_FIND_LINKS") or (found[1] if found else "/none"))
    return str(folder) if list(folder.glob("torch-2.13.0+cpu*.whl")) else ""


def make_python(name: str, packages: List[str], above: str = "") -> str:
    """The interpreter of a virtual environment with these packages, made once and kept; "" if they cannot be had.
    It has those of the interpreter `above` too, another one of these."""
    place = _place(name)
    found = find_python(name, packages)
    if found:
        return found
    if not os.access(place.parent, os.W_OK):
        place = ROOT / "build" / "test-pythons" / name  # another user's, and not made yet
    place.parent.mkdir(parents=True, exist_ok=True)
    with open(f"{place}.lock", "w", encoding="utf-8") as lock:  # several test processes may want it at once
        fcntl.flock(lock, fcntl.LOCK_EX)
        return _make_python(place, packages, above)


def has_python(name: str, packages: List[str]) -> bool:
    """Whether make_python() has it already."""
    places = (os.environ.get("ROOST_TEST_PYTHONS"), str(ROOT / "build" / "test-pythons"))
    return any(_is_complete(Path(place) / name, packages) for place in places if place)
def find_python(name: str, packages: List[str]) -> str:
    """The same, if it was made before; "" if not."""
    place = _place(name)
    return str(place / "bin" / "python") if _is_complete(place, packages) else ""


def _place(name: str) -> Path:
    return Path(os.environ.get("ROOST_TEST_PYTHONS") or ROOT / "build" / "test-pythons") / name


def _make_python(place: Path, packages: List[str], above: str) -> str:
    python = place / "bin" / "python"
    if _is_complete(place, packages):
        return str(python)
    shutil.rmtree(place, ignore_errors=True)
    made = subprocess.run(["/usr/bin/python3", "-m", "venv", str(place)], capture_output=True, timeout=120)
    if made.returncode:
        return ""
    if above:
        (own,) = place.glob("lib/python3*/site-packages")
        (others,) = Path(above).parent.parent.glob("lib/python3*/site-packages")
        (own / "above.pth").write_text(f"{others}\n")
    try:
        done = subprocess.run([str(python), "-m", "pip", "install", "--quiet", *packages], capture_output=True, timeout=600)
    except subprocess.TimeoutExpired:
        return ""
    if done.returncode:
        return ""
    (place / "complete").write_text("\n".join(packages))
    return str(python)


def _is_complete(place: Path, packages: List[str]) -> bool:
    try:
        return (place / "complete").read_text() == "\n".join(packages)
    except OSError:
        return False
