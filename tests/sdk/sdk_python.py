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
    """Debian's, and one of another version: named by ROOST_OTHER_PYTHON, else Debian's PyPy (3.9), else found."""
    candidates = [os.environ.get("ROOST_OTHER_PYTHON", ""), "/usr/bin/pypy3"]
    candidates += sorted(glob.glob(os.path.expanduser("~/.pyenv/versions/3.*/bin/python")))
    candidates += [f"/usr/bin/python3.{minor}" for minor in range(8, 20)]
    for candidate in filter(None, candidates):
        version = version_of(candidate)
        if version and version >= (3, 8) and version != version_of(DEBIANS):
            return [DEBIANS, candidate]
    return [DEBIANS]


if __name__ == "__main__":
    print(*pythons()[1:])
