"""An MLflow store in SQLite with as many runs and points as a test wants, made without MLflow."""
import random
import sqlite3
from pathlib import Path
from typing import Any, List

# As MLflow 3 has them; only what a reader needs of it.
TABLES = """
CREATE TABLE IF NOT EXISTS experiments (experiment_id INTEGER PRIMARY KEY, name VARCHAR(256) UNIQUE, artifact_location VARCHAR(256),
  lifecycle_stage VARCHAR(32), creation_time BIGINT, last_update_time BIGINT);
CREATE TABLE IF NOT EXISTS experiment_tags (key VARCHAR(250), value TEXT, experiment_id INTEGER, PRIMARY KEY (key, experiment_id));
CREATE TABLE IF NOT EXISTS runs (run_uuid VARCHAR(32) PRIMARY KEY, name VARCHAR(250), source_type VARCHAR(20), source_name VARCHAR(500),
  entry_point_name VARCHAR(50), user_id VARCHAR(256), status VARCHAR(9), start_time BIGINT, end_time BIGINT, source_version VARCHAR(50),
  lifecycle_stage VARCHAR(20), artifact_uri VARCHAR(200), experiment_id INTEGER, deleted_time BIGINT);
CREATE TABLE IF NOT EXISTS metrics (key VARCHAR(250), value FLOAT, timestamp BIGINT, run_uuid VARCHAR(32), step BIGINT DEFAULT 0,
  is_nan BOOLEAN DEFAULT 0, PRIMARY KEY (key, timestamp, step, run_uuid, value, is_nan));
CREATE TABLE IF NOT EXISTS latest_metrics (key VARCHAR(250), value FLOAT, timestamp BIGINT, step BIGINT, is_nan BOOLEAN, run_uuid VARCHAR(32),
  PRIMARY KEY (key, run_uuid));
CREATE TABLE IF NOT EXISTS params (key VARCHAR(250), value VARCHAR(8000), run_uuid VARCHAR(32), PRIMARY KEY (key, run_uuid));
CREATE TABLE IF NOT EXISTS tags (key VARCHAR(250), value VARCHAR(8000), run_uuid VARCHAR(32), PRIMARY KEY (key, run_uuid));
CREATE TABLE IF NOT EXISTS registered_models (name VARCHAR(256) PRIMARY KEY, creation_time BIGINT, last_updated_time BIGINT,
  description VARCHAR(5000));
CREATE TABLE IF NOT EXISTS registered_model_tags (key VARCHAR(250), value VARCHAR(5000), name VARCHAR(256));
CREATE TABLE IF NOT EXISTS registered_model_aliases (alias VARCHAR(256), version INTEGER, name VARCHAR(256));
CREATE TABLE IF NOT EXISTS model_versions (name VARCHAR(256), version INTEGER, creation_time BIGINT, last_updated_time BIGINT,
  description VARCHAR(5000), user_id VARCHAR(256), current_stage VARCHAR(20), source VARCHAR(500), run_id VARCHAR(32), status VARCHAR(20),
  status_message VARCHAR(500), run_link VARCHAR(500), storage_location VARCHAR(500));
CREATE TABLE IF NOT EXISTS model_version_tags (key VARCHAR(250), value TEXT, name VARCHAR(256), version INTEGER);
"""
START = 1_760_000_000_000


def insert(db: sqlite3.Connection, table: str, rows: List[Any]) -> None:
    """Each row is {column: value}, all with the same columns."""
    columns = list(rows[0])
    db.executemany(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})",
                   [tuple(row[column] for column in columns) for row in rows])


def fill(path: Path, artifacts: Path, runs: int, points: int) -> List[str]:
    """Adds one experiment with so many runs of so many points each, files, children, a deleted run, and a model. Gives the ids."""
    random.seed(7)
    ids = [f"{number:032x}" for number in range(0xABC000, 0xABC000 + runs)]
    db = sqlite3.connect(path)
    db.executescript(TABLES)
    insert(db, "experiments", [{"experiment_id": 71, "name": "brought", "artifact_location": str(artifacts), "lifecycle_stage": "active",
                                "creation_time": START, "last_update_time": START}])
    insert(db, "experiment_tags", [{"key": "team", "value": "birds", "experiment_id": 71}])
    for number, run in enumerate(ids):
        stage = "deleted" if number == 1 else "active"
        insert(db, "runs", [{"run_uuid": run, "name": f"run {number}", "source_type": "LOCAL", "source_name": "", "entry_point_name": "",
                             "user_id": "ada", "status": ("FINISHED", "FAILED", "KILLED")[number % 3], "start_time": START + number * 1000,
                             "end_time": START + number * 1000 + 777, "source_version": "", "lifecycle_stage": stage,
                             "artifact_uri": f"{artifacts}/{run}/artifacts", "experiment_id": 71,
                             "deleted_time": START if stage == "deleted" else None}])
        insert(db, "params", [{"key": f"p{i}", "value": str(random.random()), "run_uuid": run} for i in range(3)])
        tags = {"mlflow.runName": f"run {number}", "mlflow.user": "ada", "note": "two\nlines"}
        if number % 5 == 4:
            tags["mlflow.parentRunId"] = ids[0]
        insert(db, "tags", [{"key": key, "value": value, "run_uuid": run} for key, value in tags.items()])
        rows = [{"key": ("loss", "acc/train")[i % 2], "value": random.gauss(0, 1), "timestamp": START + i // 3, "run_uuid": run,
                 "step": i // 2, "is_nan": 0} for i in range(points)]
        rows.append({"key": "odd", "value": 0, "timestamp": START, "run_uuid": run, "step": -3, "is_nan": 1})
        insert(db, "metrics", rows)
        latest = {row["key"]: row for row in rows}
        insert(db, "latest_metrics", list(latest.values()))
        folder = artifacts / run / "artifacts" / "model"
        folder.mkdir(parents=True)
        (folder / "weights.bin").write_bytes(random.randbytes(100))
        (folder.parent / "empty.txt").touch()
    insert(db, "registered_models", [{"name": "bird", "creation_time": START, "last_updated_time": START, "description": "a bird"}])
    insert(db, "registered_model_tags", [{"key": "k", "value": "v", "name": "bird"}])
    insert(db, "registered_model_aliases", [{"alias": "champion", "version": 3, "name": "bird"}])
    insert(db, "model_versions", [
        {"name": "bird", "version": version, "creation_time": START, "last_updated_time": START, "description": f"v{version}",
         "user_id": "", "current_stage": "Production" if version == 3 else "None", "source": f"{artifacts}/{ids[0]}/artifacts/model",
         "run_id": ids[0], "status": "READY", "status_message": "", "run_link": "", "storage_location": ""} for version in (1, 3)])
    insert(db, "model_version_tags", [{"key": "good", "value": "yes", "name": "bird", "version": 3}])
    db.commit()
    db.close()
    return ids
