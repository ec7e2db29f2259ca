"""docs/distributed.md and examples/ddp, done by the letter."""
import re
import shlex
import shutil
from pathlib import Path
from typing import List, Tuple

import pytest

from roost_fixture import ROOT, RoostServer
from test_article import needs_torch, user_runs

pytestmark = pytest.mark.heavy("torch")

GUIDE = (ROOT / "docs" / "distributed.md").read_text(encoding="utf-8")
EXAMPLE = ROOT / "examples" / "ddp"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(EXAMPLE, tmp_path / "ddp")
    return tmp_path / "ddp"


def commands(text: str) -> List[Tuple[str, List[str]]]:
    """Each command of the console blocks, with the beginnings of lines that are shown below it."""
    found: List[Tuple[str, List[str]]] = []
    for line in "".join(re.findall(r"```console\n(.*?)```", text, re.S)).splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        else:
            found[-1][1].append(line.strip())
    return found


@needs_torch
def test_every_command_of_the_guide(server: RoostServer, folder: Path) -> None:
    for command, shown in commands(GUIDE):
        done = server.cli(*shlex.split(command)[1:], cwd=folder / "src", check=False, timeout=90)
        said = done.stdout + done.stderr
        assert done.returncode == (1 if "--broken-shard" in command else 0), (command, said)
        assert [line for line in shown if line not in said] == [], (command, said)
    assert len(commands(GUIDE)) == 7


@needs_torch
def test_the_example(server: RoostServer, folder: Path) -> None:
    out = user_runs(server, "/usr/bin/python3", "submit.py", folder=folder)
    assert "Streaming azureml-logs/70_driver_log_0.txt" in out and "epoch 4 loss 0.0" in out
    assert re.search(r"\n3 \S+ azureml-logs/70_driver_log_3.txt\n$", out), out
    run = server.get("/workspaces/default/runs?limit=1")["items"][0]
    assert list(server.artifacts(run)) == ["outputs/model.pt"]


def test_the_launcher_of_the_examples_page(server: RoostServer, folder: Path, torch_python: str) -> None:
    (line,) = re.findall(r"^\$ (roost submit .*torchrun.*)$", (EXAMPLE / "README.md").read_text(), re.M)
    words = shlex.split(line)[1:]
    done = server.cli(words[0], "--python", torch_python, *words[1:], cwd=folder, check=False, timeout=120)
    assert done.returncode == 0 and "rank 1 of 4 on" in done.stdout, done.stdout + done.stderr


def test_its_variables_are_those_that_are_set(server: RoostServer) -> None:
    rows = re.findall(r"^\| (`[A-Z_`, ]+) \|[^|]*\|([^|]*)\|$", GUIDE, re.M)
    table = [(name, who) for names, who in rows for name in re.findall(r"[A-Z_]+", names)]
    code = "import os; print(' '.join(sorted(os.environ)))"
    runs = {kind: server.run(code, timeout=60, distributed={"kind": kind, **more}) for kind, more in (
        ("pytorch", {"process_count": 2}), ("tensorflow", {"worker_count": 2}))}
    alone = set(server.log(server.run(code)).decode().split())
    for kind, word in (("pytorch", "PyTorch"), ("tensorflow", "TensorFlow")):
        has = set(server.log(runs[kind], "azureml-logs/70_driver_log_1.txt").decode().split())
        documented = {name for name, who in table if word in who or "all" in who}
        assert has - alone == documented - alone and documented & alone == {"AZUREML_NODE_COUNT"}
