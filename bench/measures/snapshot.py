"""`roost submit --no-follow` of a tree beside git: the first time (git add) and unchanged (git status)."""

import os
import random
import shutil
import statistics
from pathlib import Path
from typing import Dict, List

from harness import Bench, Server, clean_environment, timed_command
from table import Row, milliseconds

COMPUTE = "busy"
WORDS = [f"word{n:x} " for n in range(2000)]


def measure(bench: Bench) -> List[Row]:
    count = bench.size(10_000, 500)
    rounds = bench.size(3, 1)
    with bench.folder("snapshot") as folder:
        tree, git_folder = folder / "tree", folder / "git"
        total = make_tree(tree, count)
        # Git keeps its folder elsewhere, so that both see the same tree and nothing but it.
        git = {**clean_environment(folder), "GIT_DIR": str(git_folder), "GIT_WORK_TREE": str(tree)}
        first, added = [], []
        for _ in range(rounds):
            shutil.rmtree(git_folder, ignore_errors=True)
            os.sync()
            added.append(timed_command(["sh", "-c", "git init -q && git add -A"], git, tree))
            os.sync()
            with bench.server() as server:
                first.append(submit(server, tree))
        unchanged, status, in_git = [], [], []
        with bench.server() as server, server.connect() as api:
            api.create_busy_compute(COMPUTE)  # so that the runs wait and nothing else goes on
            submit(server, tree, COMPUTE)
            for _ in range(bench.size(9, 3)):
                unchanged.append(submit(server, tree, COMPUTE))
                status.append(timed_command(["git", "status", "--porcelain"], git, tree))
            commit_inside(tree, clean_environment(folder))
            submit(server, tree, COMPUTE)
            for _ in range(bench.size(9, 3)):
                in_git.append(submit(server, tree, COMPUTE))
    size = f"{count:,} files/{total / 1e6:.0f} MB"
    return [row(f"first submit of {size}", statistics.median(first), "git init, git add -A", statistics.median(added),
                0.5),
            row(f"unchanged resubmit of {size}", min(unchanged), "git status", min(status), 1.0),
            row("the same inside a git work tree (asks git if dirty)", min(in_git), "git status", min(status), 1.0)]


def row(title: str, roost: float, peer_name: str, peer: float, mark: float) -> Row:
    return Row(title, milliseconds(roost), f"{peer_name}: {milliseconds(peer)}", roost / peer, f"at most {mark:.2f}",
               roost / peer <= mark, {"roost_s": roost, "peer_s": peer})


def submit(server: Server, tree: Path, compute: str = "local") -> float:
    return server.command("submit", "-e", "snapshot", "--no-follow", "-c", compute, "-s", str(tree), "--", "true")


def commit_inside(tree: Path, environment: Dict[str, str]) -> None:
    script = ("git init -q && git add -A && git -c user.name=bench -c user.email=bench@localhost commit -q -m tree"
              " && git status --porcelain")
    timed_command(["sh", "-c", script], environment, tree)


def make_tree(tree: Path, count: int) -> int:
    """`count` files of 20 kB on average in 100 folders, half of them text, half incompressible."""
    chance = random.Random(1)
    total = 0
    for number in range(count):
        size = chance.randint(1_000, 39_000)
        if number % 2:
            text = "".join(chance.choices(WORDS, k=size // 9 + 200))
            data = text.encode()[:size]
        else:
            data = chance.randbytes(size)
        path = tree / f"folder{number % 100:02}" / f"file{number}.{'txt' if number % 2 else 'bin'}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        total += len(data)
    return total
