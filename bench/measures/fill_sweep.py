"""Makes a sweep with many ended trials by copying one that really ran, while no server has the database open."""

import contextlib
import json
import math
import random
import sqlite3
from pathlib import Path
from typing import Any, Dict, Tuple

from measures.fill_history import copy

METRIC = "accuracy"
SPACE = [
    {"name": "lr", "expression": "loguniform", "values": [math.log(1e-4), math.log(1e-1)]},
    {"name": "momentum", "expression": "uniform", "values": [0.5, 0.99]},
    {"name": "batch", "expression": "choice", "values": [16, 32, 64, 128]},
    {"name": "opt", "expression": "choice", "values": ["adam", "sgd", "rmsprop"]},
    {"name": "dropout", "expression": "uniform", "values": [0, 0.5]},
]


def sweep_spec(experiment: str) -> Dict[str, Any]:
    return {"run": {"experiment": experiment, "command": "echo trial"}, "space": SPACE, "sampling": {"type": "random", "seed": 1},
            "metric": {"name": METRIC, "goal": "maximize"}, "max_total_runs": 1}


def fill_sweep(path: Path, sweep: str, count: int) -> None:
    """Gives the ended sweep, which has one trial, `count` trials: three of ten stopped early, one of a hundred failed."""
    draw = random.Random(1)
    with contextlib.closing(sqlite3.connect(path)) as database, database:
        parent = database.execute("SELECT seq FROM run WHERE id = ?", (sweep,)).fetchone()[0]
        last = database.execute("SELECT max(seq) FROM run").fetchone()[0]
        database.execute("CREATE TEMP TABLE n AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n"
                         " WHERE i < ?) SELECT i FROM n", (count - 1,))
        changed = {
            "seq": f"{last} + n.i", "id": f"'{sweep}_' || n.i", "number": "1000000 + n.i",
            "status": "CASE WHEN n.i % 10 < 3 THEN 'Canceled' WHEN n.i % 100 = 99 THEN 'Failed' ELSE 'Completed' END",
            "created": "run.created + n.i * 1000", "started": "run.started + n.i * 1000", "ended": "run.ended + n.i * 50000",
        }
        copy(database, "run", changed, "WHERE run.id = ?", (f"{sweep}_0",))
        best: Tuple[float, int] = (-1, 0)
        for number in range(1, count):
            parameters = {"lr": math.exp(draw.uniform(math.log(1e-4), math.log(1e-1))), "momentum": draw.uniform(0.5, 0.99),
                          "batch": draw.choice([16, 32, 64, 128]), "opt": draw.choice(["adam", "sgd", "rmsprop"]),
                          "dropout": draw.uniform(0, 0.5)}
            value = 0.95 - 0.05 * (math.log10(parameters["lr"]) + 2.5) ** 2 - 0.1 * parameters["dropout"] - draw.uniform(0, 0.02)
            is_stopped, has_failed = number % 10 < 3, number % 100 == 99
            reason = f"stopped at interval 3: {value:.3f} is below the cut 0.812 (best 0.893, slack 0.1)" if is_stopped else ""
            database.execute("INSERT INTO sweep_trial (sweep, number, parameters_json, origin, run, is_open, judged, reason)"
                             " VALUES (?, ?, ?, 'random', ?, 0, 3, ?)", (parent, number, json.dumps(parameters), last + number, reason))
            if has_failed:
                continue
            if not is_stopped:
                best = max(best, (value, number))
            database.execute("INSERT INTO metric (run, attempt, name, kind, count, min, max, last_number, last_json)"
                             " SELECT seq, attempt, ?, 'scalar', 10, ?, ?, ?, ? FROM run WHERE seq = ?",
                             (METRIC, value - 0.3, value, value - 0.001, str(value - 0.001), last + number))
        database.execute("UPDATE sweep SET max_total = ?, best_trial = ?, best_value = ? WHERE run = ?",
                         (count, best[1], best[0], parent))
        database.execute("UPDATE experiment SET run_count = (SELECT max(number) FROM run WHERE experiment = experiment.id)")
