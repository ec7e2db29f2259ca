"""Makes a long history by copying one finished run, while no server has the database open."""

import contextlib
import sqlite3
from pathlib import Path
from typing import Dict, List

EXPERIMENTS = [f"history{n}" for n in range(10)]


def fill_history(path: Path, model: str, count: int) -> None:
    """Adds `count` runs like `model`, with its events: 10 experiments, each tenth run Failed, 20 values of a tag."""
    with contextlib.closing(sqlite3.connect(path)) as database, database:
        database.execute("PRAGMA foreign_keys=ON")
        add_experiments(database, model)
        last = database.execute("SELECT max(seq) FROM run").fetchone()[0]
        database.execute("CREATE TEMP TABLE n AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n"
                         " WHERE i < ?) SELECT i FROM n", (count,))
        changed = {
            "seq": f"{last} + n.i", "id": "'copy_' || n.i", "number": "1000 + n.i / 10",
            "display_name": "'copy ' || n.i",
            "experiment": "(SELECT id FROM experiment WHERE name = 'history' || (n.i % 10))",
            "status": "CASE (n.i / 10) % 10 WHEN 0 THEN 'Failed' ELSE 'Completed' END",
            "created": "run.created + n.i * 1000", "started": "run.started + n.i * 1000",
            "ended": "run.ended + n.i * 1000", "tags_json": "'{\"team\":\"t' || (n.i % 20) || '\"}'",
        }
        copy(database, "run", changed, "WHERE run.id = ?", (model,))
        database.execute(f"INSERT INTO run_tag (run, key, value) SELECT {last} + i, 'team', 't' || (i % 20) FROM n")
        first_event = database.execute("SELECT max(seq) FROM event").fetchone()[0]
        model_events = database.execute("SELECT event.seq FROM event JOIN run ON run.seq = event.run WHERE run.id = ?"
                                        " ORDER BY event.seq", (model,)).fetchall()
        for place, (event,) in enumerate(model_events):
            changed = {"seq": f"{first_event} + n.i * {len(model_events)} + {place}", "run": f"{last} + n.i",
                       "at": "event.at + n.i * 1000"}
            copy(database, "event", changed, "WHERE event.seq = ?", (event,))
        database.execute("UPDATE experiment SET run_count = (SELECT max(number) FROM run WHERE experiment ="
                         " experiment.id), last_run = (SELECT max(created) FROM run WHERE experiment = experiment.id)")


def add_experiments(database: sqlite3.Connection, model: str) -> None:
    for number, name in enumerate(EXPERIMENTS[1:], 1):
        changed = {"id": f"experiment.id + {number}", "name": f"'{name}'", "guid": f"experiment.guid || '-{number}'"}
        columns = columns_of(database, "experiment")
        values = ", ".join(changed.get(column, f"experiment.{column}") for column in columns)
        database.execute(f"INSERT INTO experiment ({', '.join(columns)}) SELECT {values} FROM experiment"
                         " JOIN run ON run.experiment = experiment.id WHERE run.id = ?", (model,))


def copy(database: sqlite3.Connection, table: str, changed: Dict[str, str], where: str, values: tuple) -> None:
    """One copy per number of table n; columns that are not in `changed` stay as they are."""
    columns = columns_of(database, table)
    picked = ", ".join(changed.get(column, f"{table}.{column}") for column in columns)
    database.execute(f"INSERT INTO {table} ({', '.join(columns)}) SELECT {picked} FROM {table}, n {where} ORDER BY n.i",
                     values)


def columns_of(database: sqlite3.Connection, table: str) -> List[str]:
    return [column[1] for column in database.execute(f"PRAGMA table_info({table})")]
