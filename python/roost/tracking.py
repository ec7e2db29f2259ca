"""The run of this process, as functions of the module `roost`."""

from __future__ import annotations

import os
import re
import sys
import threading
from typing import Any, Dict, Iterable, Mapping, Optional, Sequence, Union

from .active_run import ActiveRun
from .client import Client, quote
from .errors import RoostError
from .notices import tell, tell_once
from .reporters import (
    Failure,
    FolderReporter,
    NowhereReporter,
    OnlineReporter,
    Reporter,
    SubmittedReporter,
)
from .table_values import DEFAULT_BINS

Tags = Union[Mapping[str, Any], Iterable[str], None]

MODES = ("online", "offline", "disabled")
_PLACE = "ROOST_PROCESS_RUN"  # "<pid> <place>" of the process that called init, for its children
_NOTEBOOK_SECONDS = 5.0  # a kernel that is shut down is killed soon
_WORKER_SECONDS = 20.0
_MOST_NOTES = 1000

_current: Optional[ActiveRun] = None
_lock = threading.RLock()


def init(
    project: Optional[str] = None,
    name: Optional[str] = None,
    config: Any = None,
    tags: Tags = None,
    notes: Optional[str] = None,
    workspace: Optional[str] = None,
    mode: Optional[str] = None,
) -> ActiveRun:
    """Begins a run that this process reports to, and ends the one it had.

    In a submitted run it is that run, and nothing is asked of the network. Elsewhere it is a new
    one of the experiment `project` (by default the folder's name), on the server that ROOST_URL and
    ROOST_TOKEN name or else the one of this machine; RoostError when there is none. `config`
    becomes parameters: a dict, argparse's Namespace, a dataclass, an object of OmegaConf or
    pydantic. `tags` is a list, or a dict with values.

    `mode` is "online", "offline" (a folder below ./roost-offline, which `roost sync` hands in) or
    "disabled"; by default what ROOST_MODE says, else "online".
    """
    global _current
    with _lock:
        if _current is not None:
            _current.finish()
            _current = None
        run = _begin(project, name, tags, notes, workspace, _mode(mode))
        _current = run
    if config is not None:
        run.log_params(config)
    return run


def current() -> ActiveRun:
    """The run that init began. In a submitted run that is there without init. RoostError when there
    is none."""
    global _current
    if _current is not None and not _current._ended:
        return _current
    with _lock:
        if _current is None and os.environ.get("ROOST_SPOOL"):
            _current = _submitted_run()
        if _current is None or _current._ended:
            raise RoostError(
                "failed_precondition",
                "there is no run to log to. Call roost.init(project=...) first"
                + (" again: the last one is finished." if _current is not None else "."),
            )
        return _current


def log(values: Mapping[str, Any], step: Optional[int] = None) -> None:
    """Adds a point to each metric, as in log({"loss": 0.5}, step=3). Never waits for the
    network."""
    current().log(values, step)


def log_params(config: Any) -> None:
    """Adds parameters of the run; the last value of a name counts."""
    current().log_params(config)


def log_image(name: str, image: Any, step: Optional[int] = None) -> None:
    """Adds an image: a path, bytes of an image file, PIL, matplotlib, numpy or torch."""
    current().log_image(name, image, step)


def log_table(
    name: str, table: Any, columns: Optional[Sequence[str]] = None, step: Optional[int] = None
) -> None:
    """Adds a table: a dict of columns, a list of dicts, rows with `columns`, or a DataFrame."""
    current().log_table(name, table, columns, step)


def log_histogram(
    name: str, values: Any, step: Optional[int] = None, bins: int = DEFAULT_BINS
) -> None:
    """Adds a histogram of an array, a tensor or a list of numbers."""
    current().log_histogram(name, values, step, bins)


def log_artifact(path: Union[str, os.PathLike[str]], name: Optional[str] = None) -> None:
    """Keeps a file or a folder with the run; returns when it is kept."""
    current().log_artifact(path, name)


def finish(status: str = "Completed", message: str = "") -> None:
    """Ends the run of this process, if it has one, once everything is sent."""
    with _lock:
        if _current is not None:
            _current.finish(status, message)


def _begin(
    project: Optional[str],
    name: Optional[str],
    tags: Tags,
    notes: Optional[str],
    workspace: Optional[str],
    mode: str,
) -> ActiveRun:
    wanted = _tags(tags, notes)
    if mode == "disabled":
        return ActiveRun(NowhereReporter())
    if os.environ.get("ROOST_SPOOL"):
        run = _submitted_run()
        for key, value in wanted.items():
            run.tag(key, value)
        return run
    shared = _run_of_parent()
    if shared is not None:
        return ActiveRun(shared, owns=False)
    if _is_further_rank():
        tell_once("rank", f"rank {os.environ['RANK']} logs nothing; the run is that of rank 0.")
        return ActiveRun(NowhereReporter())
    return ActiveRun(_new_reporter(project, name, wanted, workspace, mode))


def _new_reporter(
    project: Optional[str],
    name: Optional[str],
    tags: Dict[str, Optional[str]],
    workspace: Optional[str],
    mode: str,
) -> Reporter:
    from .endings import watch_end
    from .git_facts import git_facts

    spec: Dict[str, Any] = {
        "experiment": project or project_of("."),
        "interactive": True,
        "tags": tags,
        "properties": _properties(),
        "git": git_facts(os.getcwd()),
    }
    if name:
        spec["display_name"] = str(name)
    place = workspace or os.environ.get("ROOST_WORKSPACE") or "default"
    reporter: Reporter
    if mode == "offline":
        from .offline_folder import new_folder

        folder = new_folder(place, spec)
        reporter = FolderReporter(folder, os.path.basename(folder))
        tell(f"logging to {folder}; `roost sync {os.path.relpath(folder)}` hands it in")
    else:
        reporter = _online_reporter(place, spec)
        tell(f"run {reporter.id}: {reporter.url}")
    os.environ[_PLACE] = f"{os.getpid()} {reporter.place}"
    if _is_notebook():
        watch_notebook_end()
    else:
        watch_end(_end_current)
    return reporter


def _online_reporter(workspace: str, spec: Dict[str, Any]) -> OnlineReporter:
    try:
        client = Client.connect()
        facts = client.submit_run(f"/api/v1/workspaces/{quote(workspace)}/runs", spec)
    except RoostError as error:
        if error.code != "unavailable":
            raise
        raise RoostError(
            error.code, f'{error.message} roost.init(mode="offline") needs none.'
        ) from None
    reporter = OnlineReporter(client, str(facts["id"]), owns=True)
    _flush_in_workers(reporter)
    return reporter


def _submitted_run() -> ActiveRun:
    from .run import Run
    from .spool import SpoolWriter

    run = Run.get_context()
    assert isinstance(run._spool, SpoolWriter)
    return ActiveRun(SubmittedReporter(Client.from_environment(), run.id, run._spool))


def _run_of_parent() -> Optional[Reporter]:
    """Where the process reports that started this one by multiprocessing, as a DataLoader does with
    its workers: what they log belongs to its run. Other programs have runs of their own."""
    pid, _, place = os.environ.get(_PLACE, "").partition(" ")
    if not place or pid == str(os.getpid()) or not _is_worker():
        return None
    kind, _, where = place.partition(":")
    if kind == "folder":
        return FolderReporter(where, os.path.basename(where))
    reporter = OnlineReporter(Client.connect(), where, owns=False)
    _flush_in_workers(reporter)
    return reporter


def _flush_in_workers(reporter: Reporter) -> None:
    """A process of multiprocessing ends without what atexit was told."""
    from multiprocessing import util

    def flush_at_end(copy: Reporter) -> None:
        util.Finalize(None, copy.flush, (_WORKER_SECONDS,), exitpriority=1)

    util.register_after_fork(reporter, flush_at_end)


def _is_worker() -> bool:
    multiprocessing = sys.modules.get("multiprocessing.process")
    if multiprocessing is None:
        return False
    process = multiprocessing.current_process()
    is_spawned_now = getattr(process, "_inheriting", False)  # while it imports the script anew
    return is_spawned_now or getattr(process, "_parent_pid", None) is not None


def _is_further_rank() -> bool:
    """Of several that torchrun or accelerate started: they all call init."""
    rank = os.environ.get("RANK", "0")
    return "WORLD_SIZE" in os.environ and rank.isdigit() and int(rank) > 0


def _is_notebook() -> bool:
    """An exception in a cell ends no notebook."""
    shell = sys.modules.get("IPython")
    found = shell.get_ipython() if shell is not None and hasattr(shell, "get_ipython") else None
    return found is not None and hasattr(found, "kernel")


def watch_notebook_end() -> None:
    """The run of a notebook ends with its kernel, or when init begins another."""
    import atexit

    atexit.unregister(_end_with_kernel)
    atexit.register(_end_with_kernel)


def _end_with_kernel() -> None:
    _end_current("Completed", None, _NOTEBOOK_SECONDS)


def _end_current(
    status: str, failure: Optional[Failure], timeout_seconds: Optional[float] = None
) -> None:
    run = _current
    if run is None or run._owner != os.getpid():
        return
    if timeout_seconds is None:
        run._end(status, failure)
    else:
        run._end(status, failure, timeout_seconds)


def _mode(given: Optional[str]) -> str:
    mode = given or os.environ.get("ROOST_MODE") or MODES[0]
    if mode not in MODES:
        raise ValueError(f"mode is {mode!r}; it must be one of {', '.join(MODES)}")
    return mode


def project_of(folder: str) -> str:
    """The name of a folder, as one that an experiment may have."""
    name = os.path.basename(os.path.abspath(folder))
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", name).strip("-_.") or "default"


def tags_of(tags: Tags) -> Dict[str, Optional[str]]:
    """Of a list of tags, or a dict of tags with values."""
    if isinstance(tags, str):
        tags = [tags]
    pairs = tags.items() if isinstance(tags, Mapping) else ((tag, None) for tag in tags or ())
    return {str(key): None if value is None else str(value) for key, value in pairs}


def _tags(tags: Tags, notes: Optional[str]) -> Dict[str, Optional[str]]:
    found = tags_of(tags)
    if notes:
        if len(notes.encode()) > _MOST_NOTES:
            notes = notes.encode()[: _MOST_NOTES - 4].decode("utf-8", "ignore") + " ..."
        found["description"] = notes
    return found


def _properties() -> Dict[str, str]:
    """Where the run comes from."""
    import platform

    script = sys.argv[0] if sys.argv and sys.argv[0] not in ("", "-c") else ""
    found = {
        "roost.host": platform.node(),
        "roost.python": platform.python_version(),
        "roost.script": "" if _is_notebook() else os.path.basename(script),
    }
    return {key: value for key, value in found.items() if value}
