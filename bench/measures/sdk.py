"""What the azureml facade costs: importing it, finding the run of this process, logging a metric."""

import json
import statistics
import subprocess
import time
from pathlib import Path
from typing import Any, Dict, List

from harness import PYTHON, Bench, clean_environment
from table import Row, milliseconds

SDK = Path(__file__).resolve().parents[2] / "python"

PROGRAM = """
import json, os, sys, time
start = time.perf_counter()
import azureml.core
from azureml.core import Environment, Experiment, Run, ScriptRunConfig, Workspace
imported = time.perf_counter()
run = Run.get_context()
found = time.perf_counter()
calls = int(sys.argv[1])
best = None
for _ in range(5):
    begin = time.thread_time_ns()
    for i in range(calls):
        pass
    middle = time.thread_time_ns()
    for i in range(calls):
        run.log("loss", i * 0.25)
    cost = (time.thread_time_ns() - middle - (middle - begin)) / calls
    best = cost if best is None else min(best, cost)
print(json.dumps({"import_s": imported - start, "context_s": found - imported, "log_ns": best}))
"""


def measure(bench: Bench) -> List[Row]:
    rounds = bench.size(9, 2)
    calls = bench.size(100_000, 2_000)
    with bench.folder("sdk") as folder:
        results = [time_once(folder, n, calls) for n in range(rounds)]
        bare = statistics.median(time_of(["-c", "pass"], folder) for _ in range(rounds))
    middle: Dict[str, float] = {key: statistics.median(one[key] for one in results) for key in results[0]}
    return [
        Row("import azureml.core and its main classes", milliseconds(middle["import_s"]),
            f"starting Python: {milliseconds(bare)}", middle["import_s"] / bare, "at most 150 ms",
            middle["import_s"] <= 0.15, middle),
        Row("azureml Run.get_context()", milliseconds(middle["context_s"]), "-", None, "at most 5 ms",
            middle["context_s"] <= 0.005, {}),
        Row("azureml run.log(name, value)", f"{middle['log_ns'] / 1000:.2f} us", "-", None, "at most 3 us",
            middle["log_ns"] <= 3000, {}),
    ]


def time_once(folder: Path, number: int, calls: int) -> Dict[str, Any]:
    spool = folder / f"spool-{number}"
    spool.mkdir()
    environment = {**clean_environment(folder), "PYTHONPATH": str(SDK), "ROOST_SPOOL": str(spool),
                   "ROOST_RUN_ID": "bench_1_00000000", "ROOST_URL": "http://127.0.0.1:9", "ROOST_TOKEN": "none"}
    done = subprocess.run([PYTHON, "-c", PROGRAM, str(calls)], env=environment, stdout=subprocess.PIPE, text=True,
                          timeout=120, check=True)
    return json.loads(done.stdout)


def time_of(arguments: List[str], folder: Path) -> float:
    start = time.perf_counter()
    subprocess.run([PYTHON, *arguments], env=clean_environment(folder), timeout=60, check=True)
    return time.perf_counter() - start
