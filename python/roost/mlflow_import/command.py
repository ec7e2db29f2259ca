"""The command line of `roost import mlflow`."""

from __future__ import annotations

import argparse
import json
import os
import sys
from typing import List, Optional

from .api import Api
from .bring import Importer, Report
from .file_store import FileStore
from .rest_store import RestStore
from .sqlite_store import SqliteStore
from .store import Store, StoreError

_MOST_REMARKS = 20


def open_store(source: str, artifacts: Optional[str] = None) -> Store:
    """Of `http(s)://...`, `sqlite:///file`, a database file, or the folder mlruns."""
    if source.startswith(("http://", "https://")):
        return RestStore(Api.of_environment(source))
    if source.startswith("sqlite:"):
        path = source[len("sqlite:") :]
        # sqlite:///relative and sqlite:////absolute, as MLflow and SQLAlchemy write it.
        return SqliteStore(path[3:] if path.startswith("///") else path, artifacts)
    if source.startswith(("postgresql", "mysql", "mssql")):
        raise StoreError(
            f"{source.split(':')[0]} is read through MLflow: start `mlflow server` on it and "
            "import from that server's address"
        )
    if source.startswith("file:"):
        source = source[len("file:") :]
        source = "/" + source.lstrip("/") if source.startswith("/") else source
    if os.path.isfile(source):
        return SqliteStore(source, artifacts)
    if os.path.isdir(source):
        below = os.path.join(source, "mlruns")
        return FileStore(below if os.path.isdir(below) else source)
    raise StoreError(
        f"{source} is neither a folder nor a file here: name the address of an MLflow server, the "
        "folder mlruns, or sqlite:///mlflow.db"
    )


def main(arguments: Optional[List[str]] = None) -> int:
    parser = argparse.ArgumentParser(prog="roost import mlflow")
    parser.add_argument("source")
    parser.add_argument("--workspace", default="default")
    parser.add_argument("--artifacts")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--quiet", action="store_true")
    given = parser.parse_args(arguments)
    url = os.environ["ROOST_URL"].rstrip("/")
    try:
        store = open_store(given.source, given.artifacts)
        roost = Api(
            f"{url}/mlflow/{given.workspace}",
            "Bearer " + os.environ["ROOST_TOKEN"],
            os.environ.get("ROOST_CA_FILE"),
        )
        shown = sys.stderr.isatty() and not given.quiet and not given.json
        report = Importer(store, roost, _show if shown else None).run()
    except StoreError as error:
        print(f"roost: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(
            "\nroost: interrupted; the same command goes on where this one stopped", file=sys.stderr
        )
        return 130
    if shown:
        print("\r\033[K", end="", file=sys.stderr)
    if given.json:
        print(json.dumps(as_json(report)))
    else:
        print_report(report, given.quiet)
    return 0 if report.is_whole() else 1


def as_json(report: Report) -> object:
    return {
        "kinds": {name: kind._asdict() for name, kind in report.kinds().items()},
        "remarks": report.remarks,
        "whole": report.is_whole(),
    }


def print_report(report: Report, quiet: bool) -> None:
    if not quiet:
        print(f"{'':<12}{'found':>12}{'brought':>12}{'equal':>12}")
        for name, kind in report.kinds().items():
            print(f"{name:<12}{kind.found:>12,}{kind.brought:>12,}{kind.equal:>12,}")
    for remark in report.remarks[:_MOST_REMARKS]:
        print(remark)
    if len(report.remarks) > _MOST_REMARKS:
        print(f"and {len(report.remarks) - _MOST_REMARKS} more like these; --json has all")


def _show(runs: int, points: int) -> None:
    sys.stderr.write(f"\r\033[K{runs:,} runs, {points:,} points")
    sys.stderr.flush()
