"""Distributed runs on the command line: handing them in, whose line is whose, and which rank failed."""
import json
import re
import subprocess
from pathlib import Path
from typing import List

import pytest

from conftest import Gate
from roost_fixture import RoostServer, roost_program

SCRIPT = """
import os, sys, time
rank = int(os.environ.get("RANK", -1))
print("rank", rank, "of", os.environ.get("WORLD_SIZE"), "on", os.environ.get("NODE_RANK"), flush=True)
if sys.argv[1:] == ["fail"]:
    if rank == 3:
        raise ValueError("bad batch 17")
    time.sleep(600)
"""


@pytest.fixture(scope="module")
def server(shared_server: RoostServer) -> RoostServer:
    return shared_server


@pytest.fixture
def source(source: Path) -> Path:
    (source / "train.py").write_text(SCRIPT)
    return source


def submit(server: RoostServer, source: Path, *options: str, arguments: List[str] = [], **more: object) -> subprocess.CompletedProcess:
    return server.cli("submit", "-e", "ddp", "-s", source, *options, "--", "python", "train.py", *arguments, timeout=90, **more)


def newest(server: RoostServer) -> str:
    return server.get("/workspaces/default/runs?limit=1")["items"][0]["id"]


def test_submit_shows_the_first_rank_or_all(server: RoostServer, source: Path) -> None:
    done = submit(server, source, "--nodes", "2", "--processes", "4")
    assert done.stdout == "rank 0 of 4 on 0\n" and f"roost logs {newest(server)} --all" in done.stderr
    done = submit(server, source, "--nodes", "2", "--processes-per-node", "2", "--all-ranks")
    assert sorted(done.stdout.splitlines()) == [f"[{rank}] rank {rank} of 4 on {rank // 2}" for rank in range(4)]
    again = server.cli("rerun", newest(server), "--all-ranks", timeout=90)
    assert sorted(again.stdout.splitlines()) == sorted(done.stdout.splitlines())


def test_mpi_is_a_flag(server: RoostServer, source: Path) -> None:
    spec = json.loads(server.cli("submit", "-e", "ddp", "-s", source, "--mpi", "--processes-per-node", "2", "-d", "--json",
                                 "--", "true").stdout)["spec"]
    assert spec["distributed"] == {"kind": "mpi", "node_count": 1, "process_count_per_node": 2}


def test_logs_of_one_rank_some_and_all(server: RoostServer, source: Path) -> None:
    submit(server, source, "--nodes", "2", "--processes", "4")
    run = newest(server)
    assert server.cli("logs", run).stdout == "rank 0 of 4 on 0\n"
    assert server.cli("logs", run, "--rank", 3).stdout == "rank 3 of 4 on 1\n" == server.cli("logs", run, "-f", "-r", 3).stdout
    some = {"[0] rank 0 of 4 on 0", "[2] rank 2 of 4 on 1"}
    assert set(server.cli("logs", run, "--rank", "2,0").stdout.splitlines()) == some
    assert set(server.cli("logs", "-f", run, "--rank", "0,2").stdout.splitlines()) == some
    whole = server.cli("logs", run, "--all").stdout
    assert len(whole.splitlines()) == 4 and server.cli("logs", run, "--all", "-n", 2).stdout == "".join(whole.splitlines(True)[2:])
    assert server.cli("logs", run, "--all", "-f", "-n", 1).stdout == whole.splitlines(True)[3]
    assert server.cli("logs", run, "--rank", "1", "--attempt", 1).stdout == "rank 1 of 4 on 0\n"
    events = [json.loads(line) for line in server.cli("logs", run, "--all", "--json").stdout.splitlines()]
    assert sorted(event["rank"] for event in events if event["type"] == "log") == [0, 1, 2, 3]
    listed = [line.split()[0] for line in server.cli("logs", run, "--list").stdout.splitlines()[1:]]
    assert listed == [f"output_{rank}" for rank in range(4)]
    assert "azureml-logs/70_driver_log_3.txt" in [log["name"] for log in server.get(f"/runs/{run}/logs")["items"]]


@pytest.mark.parametrize("options, says", [
    (["--rank", "4"], "has 4 ranks, 0 to 3; there is no rank 4"),
    (["--rank", "first"], "write it like 3 or 0,2"),
    (["--rank", "1", "--all"], "give one of them"),
    (["--all", "--attempt", "1"], "give --rank N with --attempt"),
])
def test_wrong_ranks(server: RoostServer, options: List[str], says: str) -> None:
    run = server.submit("pass", distributed={"kind": "pytorch", "process_count": 4, "node_count": 2})["id"]
    done = server.cli("logs", run, *options, check=False)
    assert done.returncode == 2 and says in done.stderr, done.stderr
    server.wait(run, timeout=60)


def test_a_misspelt_option_is_named_before_a_missing_one(server: RoostServer) -> None:
    done = server.cli("submit", "--experment", "x", "--", "true", check=False)
    assert done.returncode == 122 and "has no option --experment; did you mean `--experiment`?" in done.stderr


def test_the_rank_that_failed_is_shown(server: RoostServer, source: Path) -> None:
    done = submit(server, source, "--nodes", "2", "--processes", "4", arguments=["fail"], check=False)
    run = newest(server)
    assert done.returncode == 1
    assert re.search(r"rank 3 on \S+ ended with exit code 1: ValueError: bad batch 17\n", done.stderr), done.stderr
    assert f"roost logs {run} --rank 3\n" in done.stderr
    page = server.cli("show", run).stdout
    assert re.search(r"\n +3  \S+ +ended +exit code 1 +root cause\n", page), page
    assert re.search(r"\nError  script_failed  of rank 3  on \S+\n  rank 3 on \S+ ended with exit code 1: ValueError", page), page
    assert "  ranks 0 to 2 still ran and had to be ended\n" in page and "│ Traceback (most recent call last):" in page
    assert "\033" not in page + done.stdout + done.stderr


def test_following_all_ranks_outlives_the_server(make_server, gate: Gate) -> None:  # type: ignore[no-untyped-def]
    """A server that dies and comes back: no line is lost or doubled, of any rank."""
    server = make_server()
    code = f"""
        import os, pathlib, time
        for i in range(40): print(os.environ["RANK"], i, flush=True)
        while not pathlib.Path({str(gate.path)!r}).exists(): time.sleep(0.05)
        for i in range(40, 80): print(os.environ["RANK"], i, flush=True)
    """
    run = server.submit(code, distributed={"kind": "pytorch", "process_count": 4, "node_count": 2})
    shown = subprocess.Popen([str(roost_program()), "logs", "-f", "--all", run["id"]], env=server.environment,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert shown.stdout is not None
    lines = [shown.stdout.readline() for _ in range(160)]
    server.kill9()
    server.start()
    gate.open()
    rest, _ = shown.communicate(timeout=90)
    lines += rest.splitlines(keepends=True)
    assert sorted(lines) == sorted(f"[{rank}] {rank} {i}\n" for rank in range(4) for i in range(80))
    for rank in range(4):
        assert [line for line in lines if line[1] == str(rank)] == [f"[{rank}] {rank} {i}\n" for i in range(80)]
