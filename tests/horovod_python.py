"""A Python with PyTorch and real Horovod, built from its source once: ten minutes on two idle cores."""
import os
import re
import subprocess
import tarfile
from pathlib import Path
from typing import List, Tuple

from torch_python import ROOT, TORCH, local_cpu_wheels, make_python

HOROVOD = "horovod==0.28.1"
NEEDS = [TORCH, "numpy", "setuptools<80", "wheel", "packaging", "cloudpickle", "psutil", "pyyaml", "cffi"]
SETTINGS = {"HOROVOD_WITH_PYTORCH": "1", "HOROVOD_WITHOUT_TENSORFLOW": "1", "HOROVOD_WITHOUT_MXNET": "1",
            "HOROVOD_WITH_MPI": "1", "HOROVOD_WITHOUT_GLOO": "1", "HOROVOD_CPU_OPERATIONS": "MPI", "MAKEFLAGS": "-j2"}


def horovod_python() -> Tuple[str, str]:
    """The interpreter, or "" and why there is none. A build that failed is not tried again.

    With ROOST_BUILD_HOROVOD=1 it is built if it is not there yet; the tests of every day do without those ten minutes.
    """
    built = (ROOT / "build" / "test-pythons" / "horovod" / "horovod-result").exists()
    if not built and not os.environ.get("ROOST_BUILD_HOROVOD"):
        return "", "set ROOST_BUILD_HOROVOD=1 to build it, which takes ten minutes and a package index"
    if not local_cpu_wheels():
        return "", f"pip on this machine knows no wheel of {TORCH} for CPUs"
    python = make_python("horovod", NEEDS)
    if not python:
        return "", f"{TORCH} cannot be installed: no package index is reachable"
    place = Path(python).parent.parent
    result = place / "horovod-result"
    if not result.exists():
        result.write_text(_build(python, place / "horovod-source"))
    why = result.read_text()
    return ("", why) if why else (python, "")


def _build(python: str, source: Path) -> str:
    """Builds and installs it; "" or why it could not."""
    fetched = _run([python, "-m", "pip", "download", "--quiet", "--no-deps", "--no-build-isolation", "--no-binary", ":all:",
                    "--dest", str(source), HOROVOD], 120)
    archives = list(source.glob("horovod-*.tar.gz"))
    if fetched or not archives:
        return f"{HOROVOD} cannot be fetched: {fetched}"
    with tarfile.open(archives[0]) as archive:
        archive.extractall(source)
    folder = next(path for path in source.iterdir() if path.is_dir())
    for file in [folder / "CMakeLists.txt", *folder.glob("horovod/*/CMakeLists.txt")]:
        # It was last released before PyTorch asked for a newer C++.
        text = re.sub(r"set\(CMAKE_CXX_STANDARD 1\d\)", "set(CMAKE_CXX_STANDARD 20)", file.read_text())
        file.write_text(re.sub(r"-std=c\+\+1\d", "-std=c++20", text))
    return _run([python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", str(folder)], 1800)


def _run(command: List[str], timeout: float) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, env={**os.environ, **SETTINGS})
    except subprocess.TimeoutExpired:
        return f"it takes longer than {timeout:.0f} s"
    lines = done.stderr.strip().splitlines() or ["it failed without a word"]
    errors = [line for line in lines if "error:" in line]
    return "" if done.returncode == 0 else (errors or lines)[-1][:300]


if __name__ == "__main__":
    print(horovod_python())
