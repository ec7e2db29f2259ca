"""A long queue: how long deciding takes, and whether runs elsewhere have to wait for it."""

import json
import os
import signal
import statistics
import subprocess
import time
from pathlib import Path
from typing import List

from harness import Api, Bench
from measures.fill_queue import fill_queue
from table import Row, milliseconds

MARK_SECONDS = 0.050


def measure(bench: Bench) -> List[Row]:
    count = bench.size(100_000, 5_000)
    rows = decide_rows(bench, count)
    with bench.folder("queue") as folder:
        data = folder / "data"
        with bench.server(data) as server, server.connect() as api:
            api.call("POST", "/workspaces/default/computes", {"name": "crowded", "max_nodes": 1})
            empty = start_times(bench, api)
            model = api.submit(experiment="queue", command="true")
            api.wait_for_run(model)
        fill_queue(data / "roost.db", model, "crowded", count)
        with bench.server(data) as server, server.connect() as api:
            full = start_times(bench, api)
            os.kill(server.pid, signal.SIGKILL)  # `roost down` would cancel them all
    rows.append(Row(f"submit to Running beside {count:,} queued runs", milliseconds(full),
                    f"with none: {milliseconds(empty)}", full / empty, "at most 2.00", full / empty <= 2,
                    {"roost_s": full, "peer_s": empty}))
    return rows


def decide_rows(bench: Bench, count: int) -> List[Row]:
    program = Path(bench.roost).parents[2] / "bench" / "schedule_cycle"
    if not program.exists():
        return []
    done = subprocess.run([str(program), str(count)], stdout=subprocess.PIPE, check=True, timeout=600)
    found = json.loads(done.stdout)
    growing = [cycle for cycle in found["decide"] if cycle["idle"] == 1]
    worst = max(cycle["seconds"] for cycle in found["decide"])
    growth = growing[-1]["seconds"] / growing[0]["seconds"]
    database = found["database"]
    return [
        Row(f"decide: 1,000 nodes, {count:,} queued runs", milliseconds(worst),
            f"an eighth of them: {milliseconds(growing[0]['seconds'])}", growth, "at most 50 ms", worst <= MARK_SECONDS,
            {"roost_s": worst, "eighth_s": growing[0]["seconds"]}),
        Row(f"whole cycle after a change, {count:,} queued runs in the database",
            milliseconds(database["cycle_after_a_change_seconds"]),
            f"first read: {milliseconds(database['first_read_seconds'])}", None, "at most 50 ms",
            database["cycle_after_a_change_seconds"] <= MARK_SECONDS, database),
    ]


def start_times(bench: Bench, api: Api) -> float:
    """From submit to Running on an idle compute of its own, the median."""
    times = []
    for _ in range(bench.size(20, 5)):
        start = time.monotonic()
        run = api.submit(experiment="queue", command="true")
        wait_for(api, run, "Running", "Finalizing", "Completed")
        times.append(time.monotonic() - start)
        api.wait_for_run(run)
    return statistics.median(times[1:])


def wait_for(api: Api, run: str, *states: str) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if api.call("GET", f"/runs/{run}")["status"] in states:
            return
        time.sleep(0.001)
    raise RuntimeError(f"{run} is not {states}")
