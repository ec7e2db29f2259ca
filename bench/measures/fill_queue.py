"""Makes a long queue by copying one finished run, while no server has the database open."""

import contextlib
import sqlite3
from pathlib import Path

from measures.fill_history import copy


def fill_queue(path: Path, model: str, compute: str, count: int) -> None:
    """Adds `count` runs like `model` to a compute that is too small for them: of 100 users and 4 priorities."""
    with contextlib.closing(sqlite3.connect(path)) as database, database:
        last = database.execute("SELECT max(seq) FROM run").fetchone()[0]
        database.execute("CREATE TEMP TABLE n AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n"
                         " WHERE i < ?) SELECT i FROM n", (count,))
        changed = {"seq": f"{last} + n.i", "id": "'waits_' || n.i", "number": "1000 + n.i", "attempt": "0",
                   "display_name": "'waits ' || n.i", "priority": "n.i % 4", "created_by": "'user' || (n.i % 100)",
                   "created": "run.created + n.i", "status": "'Queued'", "compute": f"'{compute}'",
                   "nodes_needed": "2", "started": "NULL", "ended": "NULL", "exit_code": "NULL", "node": "NULL"}
        copy(database, "run", changed, "WHERE run.id = ?", (model,))
