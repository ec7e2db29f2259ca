"""--try: runs what is foreseen to run, in a copy of its folder, and compares."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from typing import Any, Dict, List, Tuple

from .found import FileReport
from .installed import PACKAGE_FOLDER
from .notebook_script import as_script
from .world import World

_PATIENCE_SECONDS = 1800.0
_TERMINAL = ("Completed", "Failed", "Canceled")
_LARGEST_COPY = 2 << 30

# Runs the script as `python SCRIPT` does, and keeps the ids of the runs that it begins.
_LAUNCHER = """
import os, runpy, sys
script, ids = sys.argv[1:3]
sys.argv = [script]
sys.path[0] = os.path.dirname(os.path.abspath(script))
from azureml.core import Experiment
def keep(name):
    real = getattr(Experiment, name)
    def call(self, *args, **kwargs):
        run = real(self, *args, **kwargs)
        with open(ids, "a") as file:
            file.write(run.id + chr(10))
        return run
    setattr(Experiment, name, call)
keep("submit")
keep("start_logging")
runpy.run_path(script, run_name="__main__")
"""


class CannotTry(Exception):
    """There is no server, or the folder is too large to be copied."""


@dataclass
class Trial:
    ran: bool
    runs: List[Dict[str, Any]] = field(default_factory=list)  # id, status
    moved: List[str] = field(default_factory=list)  # what the builds changed, as they say
    error: str = ""

    def as_json(self) -> Dict[str, Any]:
        return {"ran": self.ran, "runs": self.runs, "moved": self.moved, "error": self.error}


def can_be_tried(report: FileReport) -> bool:
    """What lacks something, or waits for the user, is not: it would only fail. Nor is what another
    file submits."""
    return report.uses_azureml and not report.submitted and report.runs


def try_file(report: FileReport, root: str, world: World) -> Trial:
    """Runs the file, from its folder in a copy of `root`, and waits for its runs."""
    client = world.server()
    if client is None:
        raise CannotTry("there is no server to try it on; start one with `roost up`")
    with tempfile.TemporaryDirectory(prefix="roost-try-") as place:
        copy = os.path.join(place, "project")
        _copy(root, copy)
        inside = os.path.join(
            copy, os.path.relpath(os.path.abspath(report.path), os.path.abspath(root))
        )
        script = _as_script(inside)
        ids = os.path.join(place, "runs")
        environment = {**os.environ, "PYTHONPATH": PACKAGE_FOLDER}
        done = subprocess.run(
            [world.python, "-c", _LAUNCHER, script, ids],
            cwd=os.path.dirname(script),
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
        runs, moved, error = _await(client, _lines(ids))
    if done.returncode != 0 and not error:
        error = _last_words(done.stdout) or f"it ended with {done.returncode}"
    return Trial(done.returncode == 0 and not error, runs, moved, error)


def _copy(root: str, target: str) -> None:
    size = 0
    for here, folders, names in os.walk(root):
        folders[:] = [
            name for name in folders if name not in (".git", "__pycache__", "node_modules")
        ]
        size += sum(
            os.path.getsize(os.path.join(here, n))
            for n in names
            if os.path.isfile(os.path.join(here, n))
        )
        if size > _LARGEST_COPY:
            raise CannotTry(
                f"{root} holds more than 2 GiB, too much to copy; name the file's own folder"
            )
    ignored = shutil.ignore_patterns(".git", "__pycache__", "node_modules")
    shutil.copytree(root, target, symlinks=True, ignore=ignored)


def _as_script(path: str) -> str:
    if not path.endswith(".ipynb"):
        return path
    with open(path, encoding="utf-8-sig") as file:
        text = as_script(file.read())
    script = path[: -len(".ipynb")] + "_roost_try.py"
    with open(script, "w", encoding="utf-8") as file:
        file.write(text)
    return script


def _lines(path: str) -> List[str]:
    try:
        with open(path, encoding="utf-8") as file:
            return list(dict.fromkeys(file.read().split()))
    except OSError:
        return []


def _await(client: Any, ids: List[str]) -> Tuple[List[Dict[str, Any]], List[str], str]:
    runs, moved, error = [], [], ""
    deadline = time.monotonic() + _PATIENCE_SECONDS
    for name in ids:
        facts = client.get_run(name)
        while facts["status"] not in _TERMINAL and time.monotonic() < deadline:
            time.sleep(0.3)
            facts = client.get_run(name)
        runs.append({"id": name, "status": facts["status"]})
        changes = (facts.get("environment") or {}).get("changes") or []
        moved += [str(change) for change in changes if change not in moved]
        if facts["status"] != "Completed" and not error:
            said = (facts.get("error") or {}).get("message") or facts["status"]
            error = f"{name} is {facts['status']}: {said}"
    return runs, moved, error


def _last_words(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return lines[-1] if lines else ""
