"""Which Pythons the SDK is tried with: Debian's, and one more version if the machine has any."""
import functools
import glob
import os
import subprocess
from pathlib import Path
from typing import List, Optional, Tuple

SDK = Path(__file__).resolve().parents[2] / "python"
DEBIANS = "/usr/bin/python3"


@functools.lru_cache(maxsize=None)
def version_of(python: str) -> Optional[Tuple[int, ...]]:
    code = "import sys; print(*sys.version_info[:2])"
    try:
        done = subprocess.run([python, "-c", code], capture_output=True, text=True, timeout=20)
        return tuple(map(int, done.stdout.split())) if done.returncode == 0 else None
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None


@functools.lru_cache(maxsize=None)
def pythons() -> List[str]:
    """Debian's, and the oldest other one from 3.8 on: named by ROOST_OTHER_PYTHON, or found."""
    candidates = [os.environ.get("ROOST_OTHER_PYTHON", "")]
    candidates += sorted(glob.glob(os.path.expanduser("~/.pyenv/versions/3.*/bin/python")))
    candidates += [f"/usr/bin/python3.{minor}" for minor in range(8, 20)] + ["/usr/bin/pypy3"]
    others = {}
    for candidate in filter(None, candidates):
        version = version_of(candidate)
        if version and version >= (3, 8) and version != version_of(DEBIANS):
            others.setdefault(version, candidate)
    return [DEBIANS] + [others[version] for version in sorted(others)[:1]]
