"""CPU time of one log() call, formatting and page faults included.

    python3 bench/log_call.py [calls]

Exits with 1 when the median of any case is above 3 microseconds.
"""

import os
import statistics
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))

LIMIT_NS = 3000
CALLS = int(sys.argv[1]) if len(sys.argv) > 1 else 200_000


def time_calls(call, rounds=5):
    values = [i * 0.001234567 for i in range(CALLS)]
    results = []
    for _ in range(rounds):
        start = time.thread_time_ns()
        for i, value in enumerate(values):
            call(i, value)
        results.append((time.thread_time_ns() - start) / CALLS)
    return statistics.median(results)


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.environ["ROOST_SPOOL"] = folder
        from roost.run import run
        from roost.spool import SpoolWriter

        spool = SpoolWriter(folder)
        overhead = time_calls(lambda i, value: None)
        cases = {
            "spool.log(name, float)": lambda i, value: spool.log("loss", value),
            "spool.log(name, float, step)": lambda i, value: spool.log("loss", value, i),
            "spool.log(name, int, step)": lambda i, value: spool.log("loss", i, i),
            "run.log(name, float, step)": lambda i, value: run.log("loss", value, i),
        }
        slowest = 0.0
        for title, call in cases.items():
            cost = time_calls(call) - overhead
            slowest = max(slowest, cost)
            print(f"{title:32} {cost:7.0f} ns")
        spool.close()
    return 1 if slowest > LIMIT_NS else 0


if __name__ == "__main__":
    sys.exit(main())
