"""The run table at 100,000 runs: how long the server takes for a page, a filter, an order, groups and charts.

    /usr/bin/python3 bench/run_table.py --roost build/release/src/cli/roost [--runs 100000]

Fills a database directly, starts a server on it and prints one table. A mark is held against the
processor time of the server; exits with 1 if one was missed.
"""

import argparse
import contextlib
import sqlite3
import statistics
import struct
import sys
import time
import urllib.parse
from pathlib import Path
from typing import Dict, List, Tuple

sys.dont_write_bytecode = True

from harness import Api, Bench  # noqa: E402
from measures.fill_history import EXPERIMENTS, fill_history  # noqa: E402

METRICS = ("loss", "accuracy", "val/loss", "val/accuracy", "epoch")
CHARTS = [f"curve{n}" for n in range(12)]
CURVE_POINTS = 100_000
BLOCK_POINTS = 4096

# What is asked, and within how many milliseconds it has to be there.
QUESTIONS: List[Tuple[str, str, Dict[str, str], float]] = [
    ("first page and total", "run-table", {"column": "metrics.*"}, 30),
    ("a page in the middle", "run-table", {"offset": "50000"}, 30),
    ("status", "run-table", {"q": "status:failed"}, 80),
    ("text", "run-table", {"q": "copy 999"}, 80),
    ("experiment and text", "run-table", {"q": "experiment:history3 copy"}, 80),
    ("metric below", "run-table", {"q": "metrics.loss<0.5"}, 80),
    ("two metrics", "run-table", {"q": "metrics.loss<0.5 metrics.accuracy>0.2"}, 80),
    ("tag", "run-table", {"q": "tags.team=t7"}, 80),
    ("parameter", "run-table", {"q": "params.lr>=0.05"}, 80),
    ("user, duration, age", "run-table", {"q": "user:ann duration>1s age<300d"}, 80),
    ("not and or", "run-table", {"q": "-(status:failed or tags.team=t3)"}, 80),
    ("sort by a metric", "run-table", {"sort": "metrics.loss"}, 80),
    ("sort by a metric, last page", "run-table", {"sort": "-metrics.loss", "offset": "99900"}, 80),
    ("sort by a parameter", "run-table", {"sort": "-params.lr"}, 80),
    ("sort by name", "run-table", {"sort": "name"}, 80),
    ("sort by duration", "run-table", {"sort": "-duration"}, 80),
    ("columns", "run-columns", {}, 50),
    ("groups by experiment", "run-groups", {"by": "experiment"}, 80),
    ("groups by a parameter", "run-groups", {"by": "params.opt"}, 80),
]


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--roost", required=True)
    parser.add_argument("--runs", type=int, default=100_000)
    options = parser.parse_args()
    bench = Bench(options.roost, False)
    try:
        with bench.folder("table") as folder:
            data = folder / "data"
            with bench.server(data) as server, server.connect() as api:
                model = api.submit(experiment=EXPERIMENTS[0], command="true", tags={"team": "t0"})
                api.wait_for_run(model)
            fill_history(data / "roost.db", model, options.runs)
            fill_facts(data / "roost.db", model)
            with bench.server(data) as server, server.connect() as api:
                return 0 if report(api, server.pid, model, options.runs) else 1
    finally:
        bench.close()


def fill_facts(path: Path, model: str) -> None:
    """Metrics, parameters and users for all runs, and long curves for the model."""
    with contextlib.closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE run SET attempt = 1, created_by = CASE seq % 3 WHEN 0 THEN 'ann' ELSE 'bob' END,"
                         " ended = started + (seq * 7919 % 100000) * 1000")
        for number, name in enumerate(METRICS):
            database.execute("INSERT INTO metric (run, attempt, name, kind, count, last_number, last_json)"
                             " SELECT seq, 1, ?1, 'scalar', 1, (seq * (7919 + ?2) % 100003) / 100003.0, '0.5' FROM run",
                             (name, number))
            database.execute("INSERT INTO run_column VALUES ('default', 'metrics', ?)", (name,))
        for name, value in (("lr", "(seq % 1000) / 10000.0"), ("opt", "CASE seq % 3 WHEN 0 THEN 'adam' ELSE 'sgd' END"),
                            ("batch", "32 * (1 + seq % 8)"), ("seed", "seq")):
            database.execute(f"INSERT INTO run_param SELECT seq, ?, {value}, {value} FROM run", (name,))
            database.execute("INSERT INTO run_column VALUES ('default', 'params', ?)", (name,))
        database.execute("UPDATE run_param SET number = NULL WHERE typeof(number) = 'text'")
        run = database.execute("SELECT seq FROM run WHERE id = ?", (model,)).fetchone()[0]
        for place, name in enumerate(CHARTS):
            add_curve(database, run, name, place)


def add_curve(database: sqlite3.Connection, run: int, name: str, place: int) -> None:
    metric = database.execute("INSERT INTO metric (run, attempt, name, kind, count, min, max) VALUES (?, 1, ?, 'scalar',"
                              " ?, 0, 1)", (run, name, CURVE_POINTS)).lastrowid
    for first in range(0, CURVE_POINTS, BLOCK_POINTS):
        count = min(BLOCK_POINTS, CURVE_POINTS - first)
        data = b"".join(struct.pack("<qqd", i, 1_700_000_000_000_000 + i * 123_457, 1 / (1 + i + place))
                        for i in range(first, first + count))
        database.execute("INSERT INTO metric_block VALUES (?, ?, ?, ?)", (metric, first, count, data))


def report(api: Api, pid: int, model: str, runs: int) -> bool:
    charts = [("name", name) for name in CHARTS]
    asked = [(what, f"/workspaces/default/{path}?{urllib.parse.urlencode(query)}", mark)
             for what, path, query, mark in QUESTIONS]
    asked += [("12 charts of 100,000 points", f"/runs/{model}/charts?" + urllib.parse.urlencode(charts), 100),
              ("12 charts, a part", f"/runs/{model}/charts?" + urllib.parse.urlencode(charts + [("from", 5e4), ("to", 6e4)]), 100)]
    print(f"{'of ' + format(runs, ',') + ' runs':32} {'CPU ms':>8} {'p50 ms':>8} {'p90 ms':>8} {'mark':>6} {'total':>8} {'KB':>6}")
    all_met = True
    for what, path, mark in asked:
        times = []
        api.call("GET", path)
        before = cpu_ms(pid)
        for _ in range(15):
            start = time.monotonic()
            status, body = api.send("GET", "/api/v1" + path)
            times.append((time.monotonic() - start) * 1000)
            if status != 200:
                raise RuntimeError(f"{path}: {status} {body[:300]!r}")
        cpu = (cpu_ms(pid) - before) / len(times)
        p50, p90 = statistics.median(times), sorted(times)[13]
        total = api.call("GET", path).get("total", "-")
        all_met = all_met and cpu <= mark
        print(f"{what:32} {cpu:8.1f} {p50:8.1f} {p90:8.1f} {mark:6.0f} {total!s:>8} {len(body) // 1000:6}"
              f" {'' if cpu <= mark else 'missed'}")
    return all_met


def cpu_ms(pid: int) -> float:
    """What the server has used of processors. On a machine that has other work too, this is what a change can change."""
    threads = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(thread.read_text(encoding="ascii").split()[0]) for thread in threads) / 1e6


if __name__ == "__main__":
    sys.exit(main())
