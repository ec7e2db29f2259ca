"""The article, all its blocks, on a plain `roost up` that reaches a package index: with its own conda files, PyTorch of their
time and a Horovod that is compiled against it, on a machine that has a Python of about their time. What was moved is compared with what the runs find."""
import glob
import os
import re
import shutil
from pathlib import Path
from typing import Any, Dict, List

import pytest

from conftest import MakeServer
from package_tools import index_answers
from roost_fixture import RoostServer
from sdk_python import version_of
from test_article import EDITIONS, SEEDS, follow_the_article, needs_article, submit_block
from test_article_distributed import DDP, logs_of, run_block, seeds_with

pytestmark = [needs_article, pytest.mark.slow]
TIMEOUT = 1500  # of a first build: a gigabyte comes over the line, and Horovod is compiled

HOROVOD = """
import sys, torch, horovod.torch as hvd
hvd.init()
torch.manual_seed(hvd.rank())
model = torch.nn.Linear(3, 1)
optimizer = hvd.DistributedOptimizer(torch.optim.SGD(model.parameters(), lr=0.1), named_parameters=model.named_parameters())
hvd.broadcast_parameters(model.state_dict(), root_rank=0)
for step in range(5):
    data = torch.randn(8, 3)
    optimizer.zero_grad()
    (model(data) - data.sum(1, keepdim=True)).pow(2).mean().backward()
    optimizer.step()
mean = hvd.allreduce(model.weight.data, name="weights")
assert torch.allclose(mean, model.weight.data), "all have trained the same model"
sys.stdout.write(f"trained as {hvd.rank()} of {hvd.size()}\\n")
"""


def old_python() -> str:
    """One that the packages of 2020 were made for."""
    found = glob.glob(os.path.expanduser("~/.pyenv/versions/3.8.*/bin/python3.8")) + [shutil.which("python3.8") or ""]
    return next((python for python in found if version_of(python) == (3, 8)), "")


@pytest.fixture(scope="module")
def online(make_shared_server: MakeServer, tmp_path_factory: pytest.TempPathFactory) -> RoostServer:
    if not index_answers():
        pytest.skip("no package index is reachable")
    if not old_python():
        pytest.skip("no Python 3.8 is on this machine: of PyTorch for later ones the index has only builds for GPUs")
    folder = tmp_path_factory.mktemp("bin")
    (folder / "python3.8").symlink_to(old_python())
    return make_shared_server(None, {"PATH": f"{folder}:/usr/local/bin:/usr/bin:/bin"})


def conda_file(seed: Path, which: int) -> str:
    return re.findall(r"```yaml\n(.*?)```", seed.read_text(encoding="utf-8"), re.S)[which]


def assert_moves_are_true(run: Dict[str, Any], text: str) -> None:
    """Each pin of the file is in the lock as it is, and then not among what was moved; or the move names what is there."""
    lock, changes = run["environment"]["lock"], run["environment"]["changes"]
    pins: List[str] = re.findall(r"- ([a-z]+==\S+)", text)
    assert len(pins) >= 3
    for pin in pins:
        moves = [change for change in changes if change.startswith(pin + " -> ")]
        if pin in lock:
            assert moves == [], changes
        else:
            (move,) = moves
            assert move.split(" -> ")[1].replace(" of the node", "").replace(" ", "==") in lock, (move, lock)
    assert len(changes) == len(set(changes)) and all(change.split(" -> ")[0] in [*pins, "python=3.6.2"] for change in changes), changes
    assert all(any(change in notice for notice in run["notices"]) for change in changes), run["notices"]


@pytest.mark.parametrize("seed", EDITIONS, ids=lambda path: path.name[:3])
def test_the_article(online: RoostServer, tmp_path: Path, seed: Path) -> None:
    run = follow_the_article(online, tmp_path, seed, TIMEOUT)
    assert_moves_are_true(run, conda_file(seed, 0))


def test_what_its_scripts_find_is_what_the_run_says(online: RoostServer, tmp_path: Path) -> None:
    show = "import sys, torch, torchvision, PIL, future; print('%d.%d.%d' % sys.version_info[:3], torch.__version__, torchvision.__version__)"
    out = submit_block(online, tmp_path, SEEDS[0], "docker.base_image", show=show, timeout=TIMEOUT)
    run = online.get("/workspaces/default/runs?limit=1")["items"][0]
    assert "ENDED Completed" in out, (out, run["error"])
    assert_moves_are_true(run, conda_file(SEEDS[0], 0))
    python, torch, torchvision = online.log(run).decode().split()
    assert f"python=3.6.2 -> {python}" in run["environment"]["changes"]
    assert {f"torch=={torch}", f"torchvision=={torchvision}"} <= set(run["environment"]["lock"])


def with_own_file(server: RoostServer, folder: Path, seed: Path, words: str, scripts: Dict[str, str], yaml: int = 0) -> Dict[str, Any]:
    (folder / "conda_dependencies.yml").write_text(conda_file(seed, yaml))
    run = run_block(server, folder, seed, words, scripts, "conda_dependencies.yml")
    assert_moves_are_true(run, conda_file(seed, yaml))
    return run


@pytest.mark.parametrize("own_file", [True, False], ids=["own-file", "curated"])
@pytest.mark.parametrize("seed", seeds_with("process_count=4, node_count=2"))
def test_per_process(online: RoostServer, tmp_path: Path, seed: Path, own_file: bool) -> None:
    run = (with_own_file if own_file else run_block)(online, tmp_path, seed, "process_count=4, node_count=2", {"src/train.py": DDP})
    for rank, log in enumerate(logs_of(online, run)):
        assert f"trained 25 epochs as {rank} of 4\n" in log


@pytest.mark.parametrize("own_file", [True, False], ids=["own-file", "curated"])
@pytest.mark.parametrize("seed", seeds_with("launch_cmd = "))
def test_per_node_with_torch_distributed_launch(online: RoostServer, tmp_path: Path, seed: Path, own_file: bool) -> None:
    run = (with_own_file if own_file else run_block)(online, tmp_path, seed, "launch_cmd = ", {"src/train.py": DDP})
    logs = logs_of(online, run)
    for rank in range(4):
        assert f"trained 50 epochs as {rank} of 4\n" in logs[rank // 2]


@pytest.mark.parametrize("seed", seeds_with("AZ_BATCHAI_PYTORCH_INIT_METHOD',"))
def test_the_older_contract(online: RoostServer, tmp_path: Path, seed: Path) -> None:
    run = with_own_file(online, tmp_path, seed, "'$AZ_BATCHAI_PYTORCH_INIT_METHOD'", {"pytorch-birds/pytorch_mnist.py": DDP})
    for rank, log in enumerate(logs_of(online, run)):
        assert f"trained None epochs as {rank} of 2\n" in log


@pytest.mark.parametrize("seed", seeds_with("MpiConfiguration(node_count=2)"))
def test_horovod(online: RoostServer, tmp_path: Path, seed: Path) -> None:
    """Horovod itself, from its source."""
    run = with_own_file(online, tmp_path, seed, "MpiConfiguration(node_count=2)", {"pytorch-birds/pytorch_horovod_mnist.py": HOROVOD}, 1)
    said = "".join(logs_of(online, run))
    assert "trained as 0 of 2\n" in said and "trained as 1 of 2\n" in said
