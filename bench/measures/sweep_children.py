"""What a sweep adds to the runs it starts: trivial children beside plain submits of the same commands."""

import time
from typing import List

from harness import Bench
from measures.trivial_runs import NODES, THREADS, submit_from_threads
from table import Row, milliseconds

MARK = 0.010


def measure(bench: Bench) -> List[Row]:
    count = bench.size(1000, 60)
    with bench.server() as server, server.connect() as api:
        api.create_compute("trivial", NODES, NODES)
        submit_from_threads(server, THREADS * NODES, "warm-up")
        api.wait_until_no_run_is_active(60)
        api.wait_for_idle_nodes("trivial", NODES)
        start = time.monotonic()
        submit_from_threads(server, count, "trivial")
        api.wait_until_no_run_is_active(300)
        plain = (time.monotonic() - start) / count
        start = time.monotonic()
        sweep = api.call("POST", "/workspaces/default/sweeps", {
            "run": {"experiment": "sweep", "command": "true", "compute": "trivial"},
            "space": [{"name": "lr", "expression": "uniform", "values": [0, 1]}],
            "sampling": {"type": "random", "seed": 1}, "metric": {"name": "loss", "goal": "minimize"},
            "max_total_runs": count, "max_concurrent_runs": None})
        api.wait_until_no_run_is_active(300)
        child = (time.monotonic() - start) / count
        counts = api.call("GET", f"/sweeps/{sweep['id']}")["counts"]
        if counts["completed"] != count:
            raise RuntimeError(f"of {count} children: {counts}")
    return [Row(f"sweep of {count} trivial children, each beside a plain run", milliseconds(child),
                f"submitted one by one: {milliseconds(plain)}", child / plain,
                f"at most {milliseconds(MARK)} more", child - plain <= MARK, {"child_s": child, "plain_s": plain})]
