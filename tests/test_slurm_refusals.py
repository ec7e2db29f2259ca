"""What only a cluster with an accounting database, or a broken clock, says: a played Slurm says it word by word."""
import shutil
from pathlib import Path

import pytest

from conftest import MakeServer
from processes import wait_until
from roost_fixture import RoostServer
from slurm_cluster import attach

PREFIX = "sbatch: error: Batch job submission failed: "


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "played").mkdir()
    return tmp_path / "played"


@pytest.fixture
def server(make_server: MakeServer, folder: Path) -> RoostServer:
    tool = str(Path(__file__).with_name("fake_slurm.py"))
    server = make_server({"slurm": {"through": ["/usr/bin/python3", tool, str(folder)], "poll_seconds": 0.2}})
    attach(server, "played", partition="main")
    return server


@pytest.mark.parametrize("said, words", [
    ("Invalid account or account/partition combination specified", "the account does not exist"),
    ("Invalid qos specification", "the QOS does not exist"),
    ("Node count specification invalid", "does not have that many nodes"),
    ("Requested time limit is invalid (missing or exceeds some limit)", "longer than the partition allows"),
])
def test_what_waiting_does_not_help(server: RoostServer, folder: Path, said: str, words: str) -> None:
    (folder / "refusal").write_text(f"{PREFIX}{said}\n", encoding="utf-8")
    run = server.run("print(1)", compute="played")
    assert run["status"] == "Failed" and run["error"]["code"] == "slurm_refused"
    assert words in run["error"]["message"] and said in run["error"]["message"], run["error"]


@pytest.mark.parametrize("said, words", [
    ("Expired credential", "clocks"),
    ("Rewound credential", "clocks"),
    ("Job violates accounting/QOS policy (job submit limit, user's size and/or time limits)", "a limit of the account or QOS"),
    ("Unable to contact slurm controller (connect failure)", "slurmctld does not answer"),
])
def test_what_may_pass(server: RoostServer, folder: Path, said: str, words: str) -> None:
    (folder / "refusal").write_text(f"{PREFIX}{said}\n", encoding="utf-8")
    run = server.submit("print(1)", compute="played")

    def reason() -> str:
        found = server.get(f"/workspaces/default/queue?run={run['id']}")["items"]
        return found[0]["reason"] if found else ""

    wait_until(lambda: words in reason(), 20, "the reason in the queue")
    assert server.get_run(run)["status"] == "Queued"
    (folder / "refusal").unlink()
    wait_until(lambda: any(folder.iterdir()), 20, "the job to be handed in after all")
    server.cancel(run)


def test_no_slurm_at_all(make_server: MakeServer) -> None:
    if shutil.which("sbatch"):
        config = {"slurm": {"variables": {"SLURM_CONF": "/nonexistent/slurm.conf"}, "command_seconds": 3}}
    else:
        config = {}
    server = make_server(config)
    attach(server, "absent", partition="main")
    run = server.submit("print(1)", compute="absent")
    wait_until(lambda: "Slurm" in str(server.get(f"/workspaces/default/queue?run={run['id']}")["items"]), 20, "the reason")
    assert server.get_run(run)["status"] == "Queued"
    server.cancel(run)
