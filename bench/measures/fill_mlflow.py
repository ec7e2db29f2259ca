"""MLflow's server on a database with as many runs and curves as Roost's, for bench/studio.py."""

import contextlib
import os
import socket
import sqlite3
import subprocess
import urllib.request
from pathlib import Path
from types import TracebackType
from typing import Any, Dict, List, Optional, Type

from harness import wait_until

# One run by MLflow's own hand, which the others are copies of.
FIRST_RUN = """
import mlflow, sys
mlflow.set_tracking_uri(sys.argv[1])
mlflow.set_experiment("history")
with mlflow.start_run(run_name="copy 0") as run:
    mlflow.log_params({"lr": 0.1, "opt": "adam", "batch": 32, "seed": 0})
    mlflow.set_tag("team", "t0")
    for name in ("loss", "accuracy", "val_loss", "val_accuracy", "epoch"):
        mlflow.log_metric(name, 0.5)
    print(run.info.run_id, run.info.experiment_id)
"""


class MlflowServer:
    def __init__(self, program: str, folder: Path, runs: int, curves: int, points: int) -> None:
        self.program, self.folder = program, folder
        self.database = folder / "mlflow.db"
        self.runs, self.curves, self.points = runs, curves, points
        self.process: Optional[subprocess.Popen] = None

    def __enter__(self) -> "MlflowServer":
        store = f"sqlite:///{self.database}"
        python = str(Path(self.program).parent / "python")
        said = subprocess.run([python, "-c", FIRST_RUN, store], cwd=self.folder, stdout=subprocess.PIPE, text=True, check=True).stdout
        self.run, self.experiment = said.split()[-2:]
        self.fill()
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        log = open(self.folder / "mlflow.log", "wb")
        self.process = subprocess.Popen([self.program, "server", "--backend-store-uri", store, "--host", "127.0.0.1", "--port", str(self.port),
                                         "--workers", "2"], cwd=self.folder, stdout=log, stderr=log, start_new_session=True,
                                        env={**os.environ, "PATH": f"{Path(self.program).parent}:{os.environ['PATH']}"})
        wait_until(self._serves, 120, "MLflow's server")
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException], where: Optional[TracebackType]) -> None:
        if self.process is not None:
            os.killpg(self.process.pid, 15)
            self.process.wait(30)

    def _serves(self) -> bool:
        try:
            return urllib.request.urlopen(f"http://127.0.0.1:{self.port}/health", timeout=2).status == 200
        except OSError:
            return False

    def fill(self) -> None:
        with contextlib.closing(sqlite3.connect(self.database)) as database, database:
            database.execute("CREATE TEMP TABLE n AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)"
                             " SELECT i FROM n", (max(self.runs, self.points),))
            identity = "printf('%032x', n.i)"
            changed = {"run_uuid": identity, "name": "'copy ' || n.i", "start_time": "start_time + n.i", "end_time": "end_time + n.i",
                       "status": "CASE (n.i / 10) % 10 WHEN 0 THEN 'FAILED' ELSE 'FINISHED' END"}
            self._copy(database, "runs", changed)
            self._copy(database, "latest_metrics", {"run_uuid": identity, "value": "(n.i * 7919 % 100003) / 100003.0"})
            self._copy(database, "metrics", {"run_uuid": identity, "value": "(n.i * 7919 % 100003) / 100003.0"})
            self._copy(database, "params", {"run_uuid": identity})
            self._copy(database, "tags", {"run_uuid": identity, "value": "CASE key WHEN 'team' THEN 't' || (n.i % 20) WHEN 'mlflow.runName' THEN"
                                                                      " 'copy ' || n.i ELSE value END"})
            for place in range(self.curves):
                database.execute("INSERT INTO metrics (key, value, timestamp, run_uuid, step, is_nan) SELECT ?, 1.0 / (n.i + ?),"
                                 " 1700000000000 + n.i * 123, ?, n.i, 0 FROM n WHERE n.i <= ?",
                                 (f"curve{place}", place, self.run, self.points))
                database.execute("INSERT INTO latest_metrics (key, value, timestamp, step, is_nan, run_uuid) VALUES (?, 0.5, 1700000000000, ?,"
                                 " 0, ?)", (f"curve{place}", self.points, self.run))

    def _copy(self, database: sqlite3.Connection, table: str, changed: Dict[str, str]) -> None:
        columns = [column[1] for column in database.execute(f"PRAGMA table_info({table})")]
        picked = ", ".join(changed.get(column, f"{table}.{column}") for column in columns)
        database.execute(f"INSERT INTO {table} ({', '.join(columns)}) SELECT {picked} FROM {table}, n WHERE {table}.run_uuid = ?"
                         f" AND n.i <= {self.runs}", (self.run,))

    def pages(self) -> List[Dict[str, Any]]:
        base = f"http://127.0.0.1:{self.port}/#/experiments/{self.experiment}"
        return [
            {"name": "table", "url": f"{base}/runs", "ready": "a[href*='/runs/0']",
             "then": {"fill": "input[data-test-id='search-box'], [data-testid='search-box'] input, input[placeholder*='metrics.rmse']",
                      "text": "attributes.status = 'FAILED' and metrics.loss < 0.5", "press": "Enter", "expect": "[data-none]"}},
            {"name": "charts", "url": f"{base}/runs/{self.run}/model-metrics", "ready": ".js-plotly-plot .trace, .js-plotly-plot .plot"},
        ]
