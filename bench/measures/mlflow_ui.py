"""MLflow's tracking server on a store as large as ours, for what its pages take in the same browser.

Needs a Python that has mlflow (3.17 was tried): python3 -m venv FOLDER && FOLDER/bin/pip install mlflow.
"""

import contextlib
import os
import signal
import socket
import sqlite3
import subprocess
import urllib.request
from pathlib import Path
from typing import Any, Dict, Iterator, List

from harness import wait_until

# One run by MLflow itself, which makes the tables; the others are copies of its rows.
MODEL = """
import sys, mlflow
mlflow.set_tracking_uri(sys.argv[1])
experiment = mlflow.create_experiment("history", artifact_location=sys.argv[2])
with mlflow.start_run(experiment_id=experiment, run_name="model") as run:
    mlflow.log_params({"lr": 0.1, "opt": "adam", "batch": 32, "seed": 0})
    for name in ("loss", "accuracy", "val/loss", "val/accuracy", "epoch"):
        mlflow.log_metric(name, 0.5, step=0)
    mlflow.set_tag("team", "t0")
print(experiment, run.info.run_id)
"""


@contextlib.contextmanager
def mlflow_pages(python: Path, folder: Path, runs: int, curves: int, points: int) -> Iterator[List[Dict[str, Any]]]:
    """What measure.mjs opens, while the server is up."""
    store = folder / "mlflow.db"
    done = subprocess.run([str(python), "-c", MODEL, f"sqlite:///{store}", str(folder / "artifacts")], check=True, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=300, env=quiet_environment())
    experiment, model = done.stdout.split()
    fill(store, model, runs, curves, points)
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    command = [str(python), "-m", "mlflow", "server", "--backend-store-uri", f"sqlite:///{store}", "--host", "127.0.0.1",
               "--port", str(port), "--workers", "2"]
    with open(folder / "mlflow.out", "ab") as output:
        server = subprocess.Popen(command, stdout=output, stderr=output, start_new_session=True, env=quiet_environment())
    try:
        wait_until(lambda: answers(f"{url}/health"), 120, "MLflow to answer")
        yield pages_of(url, experiment, model)
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        server.wait(30)


def pages_of(url: str, experiment: str, model: str) -> List[Dict[str, Any]]:
    runs = f"{url}/#/experiments/{experiment}/runs?viewMode=TABLE"
    return [
        {"name": "table", "url": runs, "ready": ".ag-center-cols-container [role=row]",
         "then": {"fill": "input[placeholder*='metrics.rmse']", "text": "attributes.run_name = 'copy 4711'", "press": "Enter",
                  "expect": ".ag-row[row-index='0']", "expectText": "copy 4711"}},
        {"name": "charts", "url": f"{url}/#/experiments/{experiment}/runs/{model}/model-metrics",
         "ready": ".js-plotly-plot .scatterlayer path.js-line"},
    ]


def fill(store: Path, model: str, runs: int, curves: int, points: int) -> None:
    with contextlib.closing(sqlite3.connect(store)) as database, database:
        database.execute("CREATE TEMP TABLE n AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)"
                         " SELECT i FROM n", (max(runs, points),))
        changed = {"run_uuid": "printf('%032x', n.i)", "name": "'copy ' || n.i", "start_time": "start_time + n.i",
                   "status": "CASE (n.i / 10) % 10 WHEN 0 THEN 'FAILED' ELSE 'FINISHED' END",
                   "artifact_uri": "'artifacts/' || n.i"}
        for table in ("runs", "params", "latest_metrics", "metrics", "tags"):
            columns = [column[1] for column in database.execute(f"PRAGMA table_info({table})")]
            picked = [changed[column] if column in changed else f"t.\"{column}\"" for column in columns]
            if table == "tags":
                picked[columns.index("value")] = "CASE t.key WHEN 'mlflow.runName' THEN 'copy ' || n.i ELSE t.value END"
            names = ", ".join(f'"{column}"' for column in columns)
            database.execute(f"INSERT INTO {table} ({names}) SELECT {', '.join(picked)} FROM {table} t, n"
                             " WHERE t.run_uuid = ? AND n.i <= ?", (model, runs))
        for place in range(curves):
            name = f"curve{place}"
            database.execute("INSERT INTO metrics (key, value, timestamp, run_uuid, step, is_nan)"
                             " SELECT ?, 1.0 / (1 + i + ?), 1700000000000 + i * 123, ?, i, 0 FROM n WHERE i <= ?",
                             (name, place, model, points))
            database.execute("INSERT INTO latest_metrics (key, value, timestamp, step, is_nan, run_uuid)"
                             " VALUES (?, 0, 1700000000000, ?, 0, ?)", (name, points, model))


def quiet_environment() -> Dict[str, str]:
    return {**os.environ, "MLFLOW_DISABLE_TELEMETRY": "true", "DO_NOT_TRACK": "true"}


def free_port() -> int:
    with contextlib.closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=2) as answer:
            return answer.status == 200
    except OSError:
        return False
