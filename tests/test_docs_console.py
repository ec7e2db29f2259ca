"""Every console block of README, docs and examples does and shows what the page says, page by page, each on a server of its own."""
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Callable, Dict, Iterator, List

import pytest

from console_blocks import Block, blocks, pages, pattern_of
from local_index import make_wheel
from processes import processes_with, wait_until
from roost_fixture import ROOT, clean_environment, roost_program

# Pages whose blocks another test runs, for what they need.
ELSEWHERE = {
    "docs/bring-your-azureml-code.md": "tests/sdk/test_guide.py",
    "docs/distributed.md": "tests/sdk/test_distributed_guide.py",
    "docs/serving.md": "tests/test_docs_serving.py",
}
TRAIN = """
import argparse, os
from roost.run import run
words = argparse.ArgumentParser()
words.add_argument("--epochs", type=int, default=3)
words.add_argument("--lr", type=float, default=0.3)
arguments = words.parse_args()
loss = 1.0
for epoch in range(arguments.epochs):
    loss *= 1 - arguments.lr
    run.log("loss", loss, step=epoch)
    print("epoch", epoch, f"loss {loss:.3f}")
open("outputs/model.txt", "w").write(str(loss))
"""
WORKERS = """
import os, time
print("rank", os.environ["RANK"], "of", os.environ["WORLD_SIZE"])
time.sleep(0.5)
"""
BROKEN = """
import os, time
rank = int(os.environ["RANK"])
print("rank", rank, "of", os.environ["WORLD_SIZE"], flush=True)
if rank == 1:
    labels = []
    print("first label", labels[0])
time.sleep(60)
"""


def _birds(folder: Path) -> None:
    (folder / "birds").mkdir()
    (folder / "birds" / "train.py").write_text(TRAIN)
    (folder / "birds" / "workers.py").write_text(WORKERS)
    (folder / "birds" / "broken.py").write_text(BROKEN)
    (folder / "birds" / "requirements.txt").write_text("nest==1.4\n")


def _example(name: str) -> Callable[[Path], None]:
    def copy(folder: Path) -> None:
        shutil.copytree(ROOT / "examples" / name, folder / "birds", ignore=shutil.ignore_patterns("outputs", "data", "__pycache__"))

    return copy


# What a page takes for granted: the folder in which its commands are typed, here `birds` below the home. A page that starts the
# server itself has STARTS.
SET_UP: Dict[str, Callable[[Path], None]] = {page.relative_to(ROOT).as_posix(): _birds for page in pages()}
SET_UP.update({f"examples/{name}/README.md": _example(name) for name in ("azureml-birds", "ddp", "horovod", "mpi", "pytorch-birds")})
STARTS = {"README.md"}
RUN_HERE = [page for page in pages() if any(not block.why_not for block in blocks(page)) and page.relative_to(ROOT).as_posix() not in ELSEWHERE]


@pytest.fixture
def shell(tmp_path: Path) -> Iterator[Dict[str, str]]:
    home, wheels = tmp_path / "home", tmp_path / "wheels"
    home.mkdir()
    (tmp_path / "bin").mkdir()
    wheels.mkdir()
    make_wheel(wheels, "nest", "1.4")
    os.symlink(roost_program(), tmp_path / "bin" / "roost")
    environment = clean_environment(home)
    environment.update(PATH=f"{tmp_path}/bin:{environment['PATH']}", PIP_NO_INDEX="1", PIP_FIND_LINKS=str(wheels),
                       PYTHONPATH=str(ROOT / "python"))
    yield environment
    subprocess.run(["roost", "down"], env=environment, executable=str(roost_program()), stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
    wait_until(lambda: not processes_with(str(home)), 20, "everything of this page to end")


def run_block(block: Block, folder: Path, environment: Dict[str, str]) -> None:
    for command in block.commands:
        done = subprocess.run(["bash", "-c", command.line], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=180)
        told = f"{block.page.relative_to(ROOT)}, block {block.number}: $ {command.line}\n{done.stdout}"
        shown = [line for line in command.shown if line.strip()]
        if not any("Failed" in line or "roost:" in line for line in shown):
            assert done.returncode == 0, f"{told}\nended with {done.returncode}"
        printed = "\n".join(line.rstrip() for line in done.stdout.splitlines() if line.strip()) + "\n"
        if shown:
            assert re.fullmatch(pattern_of(shown), printed), f"{told}\nis not what the page shows:\n" + "\n".join(shown)


@pytest.mark.parametrize("page", RUN_HERE, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_the_blocks_of_a_page(page: Path, shell: Dict[str, str]) -> None:
    home, name = Path(shell["HOME"]), page.relative_to(ROOT).as_posix()
    SET_UP[name](home)
    if name not in STARTS:
        subprocess.run(["roost", "up", "--detach", "--port", "0"], executable=str(roost_program()), env=shell, cwd=home, check=True,
                       stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
    for block in blocks(page):
        if not block.why_not:
            run_block(block, home / "birds", shell)


def test_what_is_not_run_says_why() -> None:
    left_out: List[str] = []
    for page in pages():
        left_out += [f"{page.relative_to(ROOT)} {block.number}: {block.why_not}" for block in blocks(page) if block.why_not]
    print("\n".join(left_out))
    assert len(left_out) <= 20, left_out
    for name, test in ELSEWHERE.items():
        assert (ROOT / name).is_file() and (ROOT / test).is_file()


def test_commands_stand_in_console_blocks() -> None:
    """Elsewhere nobody would notice that they no longer work."""
    wrong = []
    for page in pages():
        text = re.sub(r"<!-- run -->\n```sh\n.*?```\n", "", page.read_text(encoding="utf-8"), flags=re.S)
        kind = None  # of the block that a line stands in; None outside
        for line in text.splitlines():
            if line.strip().startswith("```"):
                kind = line.strip()[3:] if kind is None else None
            elif kind in ("", "sh", "bash") or (kind is None and line.startswith("    ")):
                wrong += [f"{page.relative_to(ROOT)}: {line}"] if re.match(r" *(?:\$ )?roost [a-z]", line) else []
    assert not wrong, wrong
