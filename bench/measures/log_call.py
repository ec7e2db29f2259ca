"""What run.log costs the training script, beside appending the same bytes with os.write."""

import os
import re
import statistics
import subprocess
import time
from pathlib import Path
from typing import List

from harness import PYTHON, Bench, clean_environment
from table import Row

PROGRAM = Path(__file__).resolve().parent.parent / "log_call.py"
MARK_NS = 3000


def measure(bench: Bench) -> List[Row]:
    calls = bench.size(200_000, 5_000)
    with bench.folder("log-call") as folder:
        environment = {**clean_environment(folder), "TMPDIR": str(folder)}
        done = subprocess.run([PYTHON, str(PROGRAM), str(calls)], env=environment, stdout=subprocess.PIPE, text=True,
                              timeout=300, check=False)  # it ends with 1 when it misses the mark
        found = re.search(r"^run\.log\(.*?\)\s+(\d+) ns$", done.stdout, re.MULTILINE)
        if not found:
            raise RuntimeError(f"bench/log_call.py printed no figure for run.log: {done.stdout[-300:]!r}")
        append = time_of_append(folder / "append.txt", calls)
    cost = float(found.group(1))
    return [Row("run.log(name, float, step)", f"{cost / 1000:.2f} us", f"os.write append: {append / 1000:.2f} us",
                cost / append, "at most 3 us", cost <= MARK_NS, {"roost_ns": cost, "peer_ns": append})]


def time_of_append(path: Path, calls: int, rounds: int = 5) -> float:
    """Nanoseconds of CPU for one append of a ready-made line, the loop taken off as log_call.py does."""
    lines = [b'["scalar","loss",%r,%d,1763240000123456e-6]\n' % (i * 0.001234567, i) for i in range(calls)]
    results = []
    for _ in range(rounds):
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o644)
        start = time.thread_time_ns()
        for line in lines:
            pass
        middle = time.thread_time_ns()
        for line in lines:
            os.write(fd, line)
        results.append((time.thread_time_ns() - middle - (middle - start)) / calls)
        os.close(fd)
    return statistics.median(results)
