"""The operations that a Slurm job calls, against a server whose Slurm is played."""
import contextlib
import re
import shutil
import tempfile
from pathlib import Path
from typing import Any, Iterator, NamedTuple, Tuple

from contract_caller import Caller, exercise
from local_index import make_wheel
from processes import wait_until
from roost_fixture import RoostServer


class PlayedJob(NamedTuple):
    caller: Caller
    name: str
    token: str


@exercise
def join_allocation(c: Caller) -> None:
    with played_job(c) as job:
        body = {"index": -1, "rank": 0, "host": "n7"}
        first = job.caller.call("join_allocation", 200, job.name, json=body, token=job.token).json
        assert first["node"].startswith("n7-")
        assert job.caller.call("join_allocation", 200, job.name, json=body, token=job.token).json == first
        job.caller.call("join_allocation", 400, job.name, json={**body, "rank": 1}, token=job.token)
        job.caller.call("join_allocation", 400, job.name, json={**body, "host": "../n7"}, token=job.token)
        job.caller.call("join_allocation", 410, job.name, json={**body, "index": 3}, token=job.token)
        job.caller.call("join_allocation", 403, "roost-other", json=body, token=job.token)
        job.caller.call("join_allocation", 403, job.name, json=body)
    c.accepted.add("join_allocation")


@exercise
def get_program(c: Caller) -> None:
    with played_job(c) as job:
        assert job.caller.call("get_program", 200, token=job.token).body.startswith(b"\x7fELF")
    c.accepted.add("get_program")


@exercise
def get_environment_pack(c: Caller) -> None:
    with played_slurm(c) as (caller, _):
        caller.call("get_environment_pack", 404, "0" * 64)
        definition = {"python": {"condaDependencies": {"dependencies": ["python", {"pip": ["alpha"]}]}}}
        caller.server.post("/workspaces/default/environments", {"name": "packed", "definition": definition})
        run = caller.server.run("import alpha", timeout=120, environment={"name": "packed"})
        assert run["status"] == "Completed", run["error"]
        assert b"pyvenv.cfg" in caller.call("get_environment_pack", 200, run["environment"]["digest"]).body
    c.accepted.add("get_environment_pack")


@contextlib.contextmanager
def played_slurm(c: Caller, **slurm: Any) -> Iterator[Tuple[Caller, Path]]:
    """A server of its own whose Slurm takes every job and starts none; their scripts are in the folder."""
    folder = Path(tempfile.mkdtemp(prefix="roost-contract-"))
    played = folder / "slurm"
    played.mkdir()
    make_wheel(folder / "wheels", "alpha", "1.0")
    tool = str(Path(__file__).with_name("fake_slurm.py"))
    server = RoostServer(folder / "server", {"slurm": {"through": ["/usr/bin/python3", tool, str(played)], **slurm},
                                             "environments": {"wheels": str(folder / "wheels"), "offline": True}})
    try:
        yield c.at(server.start()), played
    finally:
        server.close()
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def played_job(c: Caller, **slurm: Any) -> Iterator[PlayedJob]:
    with played_slurm(c, **slurm) as (caller, played):
        caller.call("create_compute", 201, "default", json={"name": "played", "slurm": {"partition": "main"}})
        caller.server.submit(command="true", compute="played")
        # The file is there before all of it is written.
        found = wait_until(lambda: next((match for script in played.iterdir() if (
            match := re.search(r"ROOST_ALLOCATION_TOKEN='?(\w+)'?\n", script.read_text(encoding="utf-8")))), None), 20, "the job's script")
        (script,) = played.iterdir()
        yield PlayedJob(caller, script.name, found.group(1))
