"""What a user of the studio waits for, in Chromium.

    /usr/bin/python3 bench/studio.py --roost build/release/src/cli/roost [--runs 100000] [--mlflow PYTHON]

Fills a database with runs, curves, a sweep of 10,000 trials and a log of 1 GB, starts a server on it and times pages with
studio/browser/measure.mjs; with --mlflow also those of MLflow's server on as many runs. Needs Chromium and the
studio's node_modules (make build). Exits with 1 if a mark was missed.
"""

import argparse
import contextlib
import json
import sqlite3
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Tuple

sys.dont_write_bytecode = True

from harness import Bench, Server  # noqa: E402
from measures.fill_history import EXPERIMENTS, fill_history  # noqa: E402
from measures.fill_sweep import fill_sweep, sweep_spec  # noqa: E402
from measures.mlflow_ui import mlflow_pages  # noqa: E402
from run_table import CURVE_POINTS, add_curve, fill_facts  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
CURVES = 50
TIMES = 5
TRIALS = 10_000
LOG_BYTES = 1 << 30
LAST_LINE = "the very last line"
Results = Dict[str, List[Dict[str, float]]]

# What is measured, of which page, and the mark: milliseconds at most, or frames a second at least.
MARKS: List[Tuple[str, str, str, Optional[float], str]] = [
    ("run table in a new browser", "table", "ready", 500, "ms"),
    ("a filter by name, from the input to the rows", "table", "typed", 200, "ms"),
    ("a filter by name and metric", "filter", "typed", 200, "ms"),
    ("50 metrics of 100,000 points in a new browser", "charts", "ready", 500, "ms"),
    ("the same from the click in the run's page", "metrics", "clicked", 500, "ms"),
    ("zoom in one of them", "charts", "frames_per_second", 55, "frames/s"),
    ("a log of 1 GB at its end, from the click", "run", "clicked", 300, "ms"),
    ("the same in a new browser", "log", "ready", None, "ms"),
    ("a sweep of 10,000 ended trials in a new browser", "sweep", "ready", 1000, "ms"),
    ("the same from the click in the list of sweeps", "sweeps", "clicked", 1000, "ms"),
]


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--roost", required=True)
    parser.add_argument("--runs", type=int, default=100_000)
    parser.add_argument("--only", metavar="PAGE", action="append", help="measure this page alone; may be given again")
    parser.add_argument("--mlflow", metavar="PYTHON", help="a Python that has mlflow, to measure its pages beside ours")
    options = parser.parse_args()
    bench = Bench(options.roost, False)
    try:
        with bench.folder("studio") as folder, filled_server(bench, folder / "data", options.runs) as server:
            ours = measure([page for page in roost_pages(server) if not options.only or page["name"] in options.only])
        theirs: Results = {}
        if options.mlflow:
            with bench.folder("mlflow") as folder, mlflow_pages(Path(options.mlflow), folder, options.runs, CURVES, CURVE_POINTS) as pages:
                theirs = measure(pages)
        return 0 if report(ours, theirs, options.runs, options.only) else 1
    finally:
        bench.close()


@contextlib.contextmanager
def filled_server(bench: Bench, data: Path, runs: int) -> Iterator[Server]:
    with bench.server(data) as server, server.connect() as api:
        model = api.submit(experiment=EXPERIMENTS[0], command="echo begin", tags={"team": "t0"})
        api.wait_for_run(model)
    fill_history(data / "roost.db", model, runs)
    fill_facts(data / "roost.db", model)
    with bench.server(data) as server, server.connect() as api:
        sweep = api.call("POST", "/workspaces/default/sweeps", sweep_spec(EXPERIMENTS[0]))["id"]
        api.wait_for_run(sweep)
    fill_sweep(data / "roost.db", sweep, TRIALS)
    with contextlib.closing(sqlite3.connect(data / "roost.db")) as database, database:
        seq = database.execute("SELECT seq FROM run WHERE id = ?", (model,)).fetchone()[0]
        for place in range(12, CURVES):
            add_curve(database, seq, f"curve{place}", place)
    log = next(path for path in data.rglob("70_driver_log.txt"))
    line = b"epoch 17 step 4711 loss 0.123456789 accuracy 0.987654321 took 12.3 ms\n"
    with open(log, "ab") as file:
        for _ in range(LOG_BYTES // (len(line) * 10_000)):
            file.write(line * 10_000)
        file.write(LAST_LINE.encode() + b"\n")
    with bench.server(data) as server:
        server.model, server.sweep = model, sweep  # type: ignore[attr-defined]
        yield server


def roost_pages(server: Server) -> List[Dict[str, Any]]:
    with server.connect() as api:
        url = api.call("GET", "/server")["address"]
        token = Path(json.loads((server.data / "server.json").read_text(encoding="utf-8"))["token_file"]).read_text(encoding="utf-8").strip()
    login = {"url": f"{url}/api/v1/session", "body": {"token": token}}
    run = f"{url}/runs/{server.model}"  # type: ignore[attr-defined]
    sweep = f"/sweeps/{server.sweep}"  # type: ignore[attr-defined]
    pages = [
        {"name": "table", "url": f"{url}/w/default/runs", "ready": "tr[data-run]",
         "then": {"fill": "input[type=search]", "text": "\"copy 4711\"",
                  "expect": "tr[data-run=copy_4711]"}},
        {"name": "filter", "url": f"{url}/w/default/runs", "ready": "tr[data-run]",
         "then": {"fill": "input[type=search]", "text": "\"copy 4711\" metrics.loss<2",
                  "expect": "tr[data-run=copy_4711]"}},
        {"name": "metrics", "url": run, "ready": ".stages-table", "then": {"click": "nav.tabs a[href$='/metrics']", "expect": ".chart canvas"}},
        {"name": "charts", "url": f"{run}/metrics", "ready": ".chart canvas", "then": {"zoom": ".chart .u-over"}},
        {"name": "run", "url": run, "ready": ".stages-table", "then": {"click": "nav.tabs a[href$='/logs']", "expect": ".log-row .log-text"}},
        {"name": "log", "url": f"{run}/logs", "ready": ".log-row .log-text"},
        {"name": "sweep", "url": url + sweep, "ready": "tr[data-trial]"},
        {"name": "sweeps", "url": f"{url}/w/default/sweeps", "ready": "main table a", "then": {"click": f"a[href='{sweep}']", "expect": "tr[data-trial]"}},
    ]
    return [{**page, "login": login} for page in pages]


def measure(pages: List[Dict[str, Any]]) -> Results:
    plan = {"chromium": "/usr/bin/chromium", "times": TIMES, "pages": pages}
    done = subprocess.run(["node", "browser/measure.mjs"], cwd=ROOT / "studio", input=json.dumps(plan), text=True,
                          stdout=subprocess.PIPE, timeout=900, check=True)
    return json.loads(done.stdout)


def middle(results: Results, page: str, what: str) -> Optional[float]:
    values = [run[what] for run in results.get(page, []) if what in run]
    return statistics.median(values) if values else None


def report(ours: Results, theirs: Results, runs: int, only: Optional[List[str]]) -> bool:
    print(f"{f'of {runs:,} runs, median of {TIMES}':52} {'measured':>9} {'mark':>9} {'MLflow':>9}")
    all_met = True
    for what, page, key, mark, unit in MARKS:
        if only and page not in only:
            continue
        got, peer = middle(ours, page, key), middle(theirs, page, key)
        met = got is not None and (mark is None or (got >= mark if unit == "frames/s" else got <= mark))
        all_met = all_met and met
        shown = [f"{value:9.0f}" if value is not None else "        -" for value in (got, mark, peer)]
        print(f"{what + ', ' + unit:52} {' '.join(shown)} {'' if met else 'missed'}")
    assets = list((ROOT / "build/release/src/server/studio/assets").glob("*.js.gz"))
    whole = sum(path.stat().st_size for path in assets)
    all_met = all_met and whole <= 300_000
    print(f"{'script of all pages, gzip, KB':52} {whole / 1000:9.0f} {300:9.0f}")
    for page, what in (("table", "script for the run table, KB"), ("charts", "script for the charts, KB")):
        shown = [f"{value / 1000:9.0f}" if value else "        -" for value in (middle(ours, page, "scripts"), middle(theirs, page, "scripts"))]
        print(f"{what:52} {shown[0]} {'-':>9} {shown[1]}")
    return all_met


if __name__ == "__main__":
    sys.exit(main())
