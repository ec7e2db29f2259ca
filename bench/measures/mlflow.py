"""MLflow's client against Roost and against MLflow's own server (SQLite), in the same run.

Needs a Python that has mlflow 3.x, named by ROOST_BENCH_MLFLOW: python3 -m venv FOLDER && FOLDER/bin/pip install mlflow.
"""

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Dict, List

from harness import Bench, wait_until
from measures.mlflow_ui import answers, free_port, quiet_environment
from table import Row

CLIENT = Path(__file__).resolve().parent.parent / "mlflow_client.py"


def measure(bench: Bench) -> List[Row]:
    python = os.environ.get("ROOST_BENCH_MLFLOW", "")
    if not python:
        raise RuntimeError("name a Python that has mlflow by ROOST_BENCH_MLFLOW")
    sizes = [bench.size(500, 100), bench.size(50, 10), bench.size(1000, 100), bench.size(100_000, 10_000)]
    with bench.server() as server:
        info = json.loads((server.data / "server.json").read_text(encoding="utf-8"))
        token = Path(info["token_file"]).read_text(encoding="utf-8").strip()
        ours = play(python, sizes, info["url"], MLFLOW_TRACKING_TOKEN=token)
    with bench.folder("mlflow") as folder:
        theirs = measure_mlflow(python, sizes, folder)
    return [more("log_metric, calls/s", ours, theirs, "log_metric_per_second", 3),
            more("log_batch, points/s", ours, theirs, "points_per_second", 10),
            less(f"search over {sizes[2]:,} runs", ours, theirs, "search_seconds", 20),
            less(f"search over {sizes[2]:,} runs, filter and order", ours, theirs, "filtered_seconds", 20),
            less(f"history of {sizes[3]:,} points", ours, theirs, "history_seconds", 20)]


def play(python: str, sizes: List[int], url: str, **variables: str) -> Dict[str, float]:
    done = subprocess.run([python, str(CLIENT), *map(str, sizes)], stdout=subprocess.PIPE, text=True, timeout=1800, check=True,
                          env={**quiet_environment(), "MLFLOW_TRACKING_URI": url, **variables})
    return dict(json.loads(done.stdout.splitlines()[-1]))


def measure_mlflow(python: str, sizes: List[int], folder: Path) -> Dict[str, float]:
    url = f"http://127.0.0.1:{free_port()}"
    command = [python, "-m", "mlflow", "server", "--backend-store-uri", f"sqlite:///{folder}/mlflow.db", "--host", "127.0.0.1",
               "--port", url.rsplit(":", 1)[1], "--workers", "2"]
    with open(folder / "mlflow.out", "ab") as output:
        server = subprocess.Popen(command, stdout=output, stderr=output, start_new_session=True, env=quiet_environment())
    try:
        wait_until(lambda: answers(f"{url}/health"), 120, "MLflow to answer")
        return play(python, sizes, url)
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        server.wait(30)


def more(name: str, ours: Dict[str, float], theirs: Dict[str, float], key: str, mark: int) -> Row:
    ratio = ours[key] / theirs[key]
    return Row(f"MLflow client: {name}", f"{ours[key]:,.0f}", f"mlflow server: {theirs[key]:,.0f}", ratio, f"at least {mark} times",
               ratio >= mark, {"roost": ours[key], "peer": theirs[key]})


def less(name: str, ours: Dict[str, float], theirs: Dict[str, float], key: str, mark: int) -> Row:
    ratio = theirs[key] / ours[key]
    return Row(f"MLflow API: {name}", f"{ours[key] * 1000:.1f} ms", f"mlflow server: {theirs[key] * 1000:.0f} ms", ratio,
               f"at least {mark} times faster", ratio >= mark, {"roost": ours[key], "peer": theirs[key]})
