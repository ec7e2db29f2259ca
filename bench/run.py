"""Measures Roost beside its peers and prints one table.

    /usr/bin/python3 bench/run.py --roost build/release/src/cli/roost [--only NAME] [--quick]
                                  [--markdown] [--json FILE]

Exits with 1 only when a measure failed to run; a missed mark is a result, printed as "missed".
"""

import argparse
import dataclasses
import json
import os
import signal
import subprocess
import sys
import time
import traceback
from typing import Callable, Dict, List

sys.dont_write_bytecode = True

from harness import Bench  # noqa: E402
from measures import (distributed, early_stop, environment, environment_torch, first_line, history, image_start,  # noqa: E402
                      log_call, metric_points, mlflow, print_gigabyte, queue, score_script, sdk, serving, slurm, snapshot, start_up, sweep_children,
                      sweeps, trivial_runs)
from table import Row, circumstances, failed_row, markdown_table, plain_table  # noqa: E402

MEASURES: Dict[str, Callable[[Bench], List[Row]]] = {
    "start_up": start_up.measure,
    "first_line": first_line.measure,
    "image_start": image_start.measure,
    "log_call": log_call.measure,
    "sdk": sdk.measure,
    "metric_points": metric_points.measure,
    "mlflow": mlflow.measure,
    "snapshot": snapshot.measure,
    "print_gigabyte": print_gigabyte.measure,
    "history": history.measure,
    "trivial_runs": trivial_runs.measure,
    "sweep_children": sweep_children.measure,
    "early_stop": early_stop.measure,
    "queue": queue.measure,
    "environment": environment.measure,
    "environment_torch": environment_torch.measure,
    "distributed": distributed.measure,
    "slurm": slurm.measure,
    "sweeps": sweeps.measure,
    "score_script": score_script.measure,
    "serving": serving.measure,
}


def main() -> int:
    options = parse_options()
    signal.signal(signal.SIGTERM, lambda *unused: sys.exit(143))  # so that servers are ended too
    load = os.getloadavg()[0]
    version = subprocess.run([options.roost, "--version"], stdout=subprocess.PIPE, text=True, timeout=10,
                             check=True).stdout.strip()
    rows: List[Row] = []
    failed = False
    bench = Bench(options.roost, options.quick)
    try:
        for name in options.only or MEASURES:
            start = time.monotonic()
            print(f"bench: {name} ...", end="", file=sys.stderr, flush=True)
            try:
                rows += MEASURES[name](bench)
            except Exception as error:  # the other measures still count
                failed = True
                print(file=sys.stderr)
                traceback.print_exc()
                rows.append(failed_row(name, error))
            print(f" {time.monotonic() - start:.1f} s", file=sys.stderr, flush=True)
    finally:
        bench.close()
    about = circumstances(version, options.quick, load)
    if options.markdown:
        print(f"{about}\n\n{markdown_table(rows)}")
    else:
        print(f"{plain_table(rows)}\n\n{about}")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"about": about, "rows": [{**dataclasses.asdict(row), "verdict": row.verdict} for row in rows]},
                      file, indent=1)
    return 1 if failed else 0


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure Roost beside its peers and print one table.")
    parser.add_argument("--roost", required=True, metavar="PATH", help="the program to measure")
    parser.add_argument("--only", action="append", choices=sorted(MEASURES), metavar="NAME",
                        help="only this measure, may be repeated: " + ", ".join(MEASURES))
    parser.add_argument("--quick", action="store_true", help="small sizes: shows that it works, not how fast it is")
    parser.add_argument("--markdown", action="store_true", help="print the table as docs/performance.md has it")
    parser.add_argument("--json", metavar="FILE", help="write the figures there too")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
