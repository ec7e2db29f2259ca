"""Metric points per second, from a complete spool file until the server counts them all (durably stored)."""

import sqlite3
import time
from pathlib import Path
from typing import List

from harness import PYTHON, Api, Bench, wait_until
from table import Row, per_second

MARK = 500_000

# Writes under another name and renames, so that the clock starts when all points are there to be read.
SCRIPT = """
import os, sys, time
folder, points, files = os.environ["ROOST_SPOOL"], int(sys.argv[1]), int(sys.argv[2])
for n in range(files):
    with open(f"{folder}/{n}.part", "w") as spool:
        for first in range(n * points // files, (n + 1) * points // files, 10000):
            last = min(first + 10000, (n + 1) * points // files)
            spool.write("".join(f'["scalar","loss_{n}",{i * 0.001234567!r},{i},{1763240000000000 + i}e-6]\\n'
                                for i in range(first, last)))
start = time.time()
for n in range(files):
    os.rename(f"{folder}/{n}.part", f"{folder}/{n}.spool")
with open(sys.argv[3] + ".new", "w") as file:
    file.write(repr(start))
os.rename(sys.argv[3] + ".new", sys.argv[3])
"""


def measure(bench: Bench) -> List[Row]:
    points = bench.size(2_000_000, 100_000)
    with bench.folder("points") as folder:
        rate = points / time_of_run(bench, folder, points)
        peer = points / time_of_sqlite(folder / "peer.db", points)
    return [Row(f"metric points stored, {points:,} in one run", per_second(rate),
                f"SQLite executemany: {per_second(peer)}", rate / peer, f"at least {MARK:,}/s", rate >= MARK,
                {"roost_per_s": rate, "peer_per_s": peer})]


def time_of_run(bench: Bench, folder: Path, points: int) -> float:
    source = folder / "source"
    source.mkdir()
    (source / "log.py").write_text(SCRIPT, encoding="utf-8")
    started = folder / "started.txt"
    with bench.server() as server, server.connect() as api:
        server.command("submit", "-e", "points", "-s", str(source), "--python", PYTHON, "-d", "--", "python", "log.py",
                       str(points), "2", str(started))
        wait_until(started.exists, 120, "the script to write its points")
        run = api.call("GET", "/workspaces/default/runs?limit=1")["items"][0]["id"]
        wait_until(lambda: stored(api, run) >= points, 300, "the points to be stored")
        ended = time.time()
        api.wait_for_run(run)
        if stored(api, run) != points:
            raise RuntimeError(f"{points} points were logged, the server counts {stored(api, run)}")
        return ended - float(started.read_text(encoding="utf-8"))


def stored(api: Api, run: str) -> int:
    return sum(metric["count"] for metric in api.call("GET", f"/runs/{run}/metrics")["items"])


def time_of_sqlite(path: Path, points: int) -> float:
    database = sqlite3.connect(path)
    try:
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("PRAGMA synchronous=FULL")
        database.execute("CREATE TABLE point (step INTEGER, time INTEGER, value REAL)")
        rows = ((i, 1763240000000000 + i, i * 0.001234567) for i in range(points))
        start = time.monotonic()
        with database:
            database.executemany("INSERT INTO point VALUES (?, ?, ?)", rows)
        return time.monotonic() - start
    finally:
        database.close()
