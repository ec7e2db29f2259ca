"""Hands in a folder and what is to be run in it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Dict, List, Optional, Sequence, Union

from .client import Client, quote
from .errors import RoostError
from .run_handle import RunHandle

PathLike = Union[str, "os.PathLike[str]"]


def submit(
    script: Optional[str] = None,
    arguments: Sequence[Any] = (),
    *,
    command: Optional[str] = None,
    folder: PathLike = ".",
    project: Optional[str] = None,
    name: Optional[str] = None,
    compute: str = "local",
    environment: Optional[str] = None,
    requirements: Union[PathLike, Sequence[str], None] = None,
    nodes: int = 1,
    processes_per_node: Optional[int] = None,
    variables: Optional[Mapping[str, Any]] = None,
    tags: Any = None,
    max_seconds: Optional[int] = None,
    retries: int = 0,
    workspace: Optional[str] = None,
    wait: bool = False,
    follow: bool = False,
) -> RunHandle:
    """Sends a folder to the server and runs a Python script of it, or a shell command, on a
    compute.

    `environment` names a stored or curated one ("name" or "name:version"); `requirements` is a
    requirements.txt or a list of packages for a new one; with neither the run has the server's own
    Python. With several nodes, or `processes_per_node`, the script is started as many times, as
    torchrun would. `wait` returns when the run has ended, `follow` prints meanwhile what it prints;
    both raise RoostError unless it completes. RoostError for what the server refuses.
    """
    from .git_facts import git_facts
    from .snapshot import take_snapshot

    top = os.fspath(folder)
    if not os.path.isdir(top):
        raise NotADirectoryError(f"{os.path.abspath(top)} is not a folder")
    client = Client.connect()
    place = (
        f"/api/v1/workspaces/{quote(workspace or os.environ.get('ROOST_WORKSPACE') or 'default')}"
    )
    spec = _spec(script, arguments, command, top)
    spec.update(
        experiment=project or _experiment(top),
        compute=compute,
        node_count=nodes,
        max_retries=retries,
        tags=_tags(tags),
        git=git_facts(top),
    )
    if os.environ.get("ROOST_SPOOL"):  # what a run starts is below it
        spec["parent"] = os.environ.get("ROOST_RUN_ID")
    if name:
        spec["display_name"] = name
    if nodes > 1 or processes_per_node is not None:
        spec["distributed"] = {
            "kind": "pytorch",
            "process_count": nodes * (processes_per_node or 1),
        }
    if variables:
        spec["environment_variables"] = {str(k): str(v) for k, v in variables.items()}
    if max_seconds is not None:
        spec["max_run_duration_seconds"] = max_seconds
    if environment is not None and requirements is not None:
        raise ValueError("give environment or requirements, not both")
    if environment is not None:
        spec["environment"] = _named(environment)
    elif requirements is not None:
        spec["environment"] = _stored(client, place, requirements)
    spec["snapshot"] = take_snapshot(client, top).digest
    run = RunHandle(client, client.submit_run(f"{place}/runs", spec))
    return run.wait(follow=follow) if wait or follow else run


def _spec(
    script: Optional[str], arguments: Sequence[Any], command: Optional[str], folder: str
) -> Dict[str, Any]:
    if (script is None) == (command is None):
        raise ValueError("submit takes either a script, or command=")
    if command is not None:
        if arguments:
            raise ValueError("a command has its arguments in it: leave arguments= out")
        return {"command": command}
    if isinstance(arguments, str):
        raise ValueError(f"arguments is a list such as ['--lr', 0.1], not {arguments!r}")
    path = str(script).replace(os.sep, "/")
    if not os.path.isfile(os.path.join(folder, path)):
        raise FileNotFoundError(
            f"there is no script {path} in {os.path.abspath(folder)}; name it relative to folder="
        )
    return {"script": path, "arguments": [str(argument) for argument in arguments]}


def _experiment(folder: str) -> str:
    from .tracking import project_of

    return project_of(folder)


def _tags(tags: Any) -> Dict[str, Optional[str]]:
    from .tracking import tags_of

    return tags_of(tags)


def _named(environment: str) -> Dict[str, Any]:
    name, colon, version = environment.partition(":")
    return {"name": name, "version": version} if colon else {"name": name}


def _stored(
    client: Client, place: str, requirements: Union[PathLike, Sequence[str]]
) -> Dict[str, Any]:
    """The same packages again are the same environment."""
    import hashlib
    import json
    import platform

    packages = _packages(requirements)
    version = ".".join(platform.python_version_tuple()[:2])
    structure = {"dependencies": [f"python={version}", "pip", {"pip": packages}]}
    definition = {"python": {"userManagedDependencies": False, "condaDependencies": structure}}
    digest = hashlib.sha256(json.dumps(structure, sort_keys=True).encode()).hexdigest()[:12]
    stored = client.post(
        f"{place}/environments", {"name": f"requirements-{digest}", "definition": definition}
    )
    return {"name": stored["name"], "version": str(stored["version"])}


def _packages(requirements: Union[PathLike, Sequence[str]]) -> List[str]:
    import re

    if not isinstance(requirements, (str, os.PathLike)):
        return [str(package) for package in requirements]
    try:
        with open(requirements, encoding="utf-8-sig") as file:
            text = file.read().replace("\\\n", " ")
    except OSError as error:
        raise RoostError(
            "not_found",
            f"cannot read the requirements {os.fspath(requirements)}: {error.strerror}. A list of "
            "packages is given as a list.",
        ) from None
    lines = (re.sub(r"(^|\s)#.*$", "", line).strip() for line in text.split("\n"))
    return [line for line in lines if line]
