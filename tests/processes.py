"""Looks at the processes of this machine through /proc, and waits for conditions."""
import os
import signal
import time
from pathlib import Path
from typing import Callable, Iterable, List, Optional, TypeVar

T = TypeVar("T")


def wait_until(condition: Callable[[], T], timeout: float, what: str, interval: float = 0.02) -> T:
    """Returns the first true value of `condition`; fails with `what` after `timeout` seconds."""
    deadline = time.monotonic() + timeout
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"after {timeout} s still not: {what}")
        time.sleep(interval)


def processes_with(text: str) -> List[int]:
    """Living processes that have `text` in their environment, command line or current folder."""
    return [pid for pid in _all_pids() if pid != os.getpid() and text in _traces(pid) and is_alive(pid)]


def is_alive(pid: int) -> bool:
    """False for a zombie too: it runs nothing any more."""
    return _status_field(pid, "State") not in (None, "Z", "X")


def peak_memory_mb(pid: int) -> float:
    """The most physical memory the process ever had (VmHWM)."""
    return int(_status_field(pid, "VmHWM") or 0) / 1024


def cpu_seconds(pid: int) -> float:
    """What the process has used of the processors until now; unlike a clock it does not mind a busy machine."""
    fields = _read(pid, "stat").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def allowed_mb(pid: int, megabytes: float) -> float:
    """What a process may use: under a sanitizer, whose shadow memory counts too, ten times as much."""
    sanitized = any(name in _read(pid, "maps") for name in ("libtsan", "libasan"))
    return megabytes * 10 if sanitized else megabytes


def command_line(pid: int) -> str:
    return _read(pid, "cmdline").replace("\0", " ").strip()


def parent_of(pid: int) -> int:
    return int(_status_field(pid, "PPid") or 0)


def environment_of(pid: int) -> dict:
    pairs = (item.split("=", 1) for item in _read(pid, "environ").split("\0") if "=" in item)
    return {key: value for key, value in pairs}


def kill(pid: int, signal_number: int = signal.SIGKILL) -> None:
    try:
        os.kill(pid, signal_number)
    except ProcessLookupError:
        pass


def _all_pids() -> List[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def _traces(pid: int) -> str:
    try:
        folder = os.readlink(f"/proc/{pid}/cwd")
    except OSError:
        folder = ""
    return "\n".join((_read(pid, "environ"), _read(pid, "cmdline"), folder))


def _status_field(pid: int, name: str) -> Optional[str]:
    for line in _read(pid, "status").splitlines():
        if line.startswith(name + ":"):
            return line.split()[1]
    return None


def _read(pid: int, name: str) -> str:
    try:
        with open(f"/proc/{pid}/{name}", encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def oldest(pids: Iterable[int]) -> int:
    """The one that was started first. Its number need not be the lowest: numbers begin anew when they are used up."""
    def started(pid: int) -> int:
        return int(Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[19])

    return min(pids, key=started)
