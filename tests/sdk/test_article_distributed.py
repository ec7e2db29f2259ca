"""The article's distributed blocks, unmodified, against a real server with a cluster of several nodes."""
import shutil
from pathlib import Path
from typing import Any, Dict, List

import pytest

from conftest import MakeServer
from roost_fixture import RoostServer
from torch_python import TORCH, local_cpu_wheels
from test_article import CONFIG, EDITIONS, EXAMPLE, NEAREST, SEEDS, needs_torch, user_runs

pytestmark = [needs_torch, pytest.mark.heavy("torch"), pytest.mark.skipif(not SEEDS, reason="the article's text (../shared/seeds) is not on this machine")]
BLOCKS = Path(__file__).with_name("run_distributed_block.py")

# The scripts that the blocks name. They do what the article says of them, on CPUs.
DDP = """
import argparse, sys, torch, torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int)
parser.add_argument("--dist-backend", default="gloo")
parser.add_argument("--dist-url", default="env://")
parser.add_argument("--rank", type=int, default=-1)
parser.add_argument("--world-size", type=int, default=-1)
args = parser.parse_args()
backend = args.dist_backend if torch.cuda.is_available() else "gloo"
dist.init_process_group(backend, init_method=args.dist_url, rank=args.rank, world_size=args.world_size)
torch.manual_seed(0)
model = DistributedDataParallel(torch.nn.Linear(3, 1))
data = torch.randn(8, 3, generator=torch.Generator().manual_seed(dist.get_rank()))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(args.epochs or 5):
    optimizer.zero_grad()
    loss = (model(data) - data.sum(1, keepdim=True)).square().mean()
    loss.backward()
    optimizer.step()
weights = torch.cat([p.detach().flatten() for p in model.parameters()])
everyones = [torch.zeros_like(weights) for _ in range(dist.get_world_size())]
dist.all_gather(everyones, weights)
assert all(torch.equal(weights, other) for other in everyones)
# Workers of a launcher share its output: a line and its end are one write, where print() would make two.
sys.stdout.write(f"trained {args.epochs} epochs as {dist.get_rank()} of {dist.get_world_size()}\\n")
sys.stdout.flush()
# Nobody closes its connections while another still gathers, and the one who has the store goes last.
store = dist.distributed_c10d._get_default_store()
store.set(f"done-{dist.get_rank()}", "1")
for rank in range(dist.get_world_size()):
    store.get(f"done-{rank}")  # waits for it; PyTorch 1.6 may wait for several at once for ever
store.set(f"left-{dist.get_rank()}", "1")
if dist.get_rank() == 0:
    for rank in range(dist.get_world_size()):
        store.get(f"left-{rank}")
dist.destroy_process_group()
"""
HOROVOD = """
try:
    import horovod.torch as hvd
    hvd.init()
    rank, size = hvd.rank(), hvd.size()
except ImportError:
    import os
    rank, size = os.environ["OMPI_COMM_WORLD_RANK"], os.environ["OMPI_COMM_WORLD_SIZE"]
print(f"trained as {rank} of {size}", flush=True)
"""


@pytest.fixture(scope="module")
def nearest_server(make_shared_server: MakeServer) -> RoostServer:
    return make_shared_server(config=NEAREST)


@pytest.fixture(scope="module")
def launch_server(make_shared_server: MakeServer, tmp_path_factory: pytest.TempPathFactory) -> RoostServer:
    """Where the article's environment stands for a PyTorch of today."""
    wheels = local_cpu_wheels()
    if not wheels:
        pytest.skip(f"pip on this machine knows no wheel of {TORCH} for CPUs")
    curated = tmp_path_factory.mktemp("curated") / "curated.yaml"
    curated.write_text(f"environments:\n  roost-pytorch:\n    python: '3.11'\n    pip: [numpy, {TORCH}]\n")
    return make_shared_server(config={"environments": {"wheels": wheels}, "curated_environments": str(curated)})


def has_block(seed: Path, words: str) -> bool:
    return words in seed.read_text(encoding="utf-8")


def seeds_with(words: str) -> List[Any]:
    return [pytest.param(seed, id=seed.name[:3]) for seed in EDITIONS if has_block(seed, words)]


def run_block(server: RoostServer, folder: Path, seed: Path, words: str, scripts: Dict[str, str], *conda_file: str) -> Dict[str, Any]:
    """Does as the reader does, with these scripts in place, and returns the run. The environment is the curated one, or
    that of a conda file."""
    workspace = f"dist-{seed.name[:3]}"
    server.cli("workspace", "create", workspace, check=False)
    (folder / "config.json").write_text(CONFIG % workspace)
    shutil.copy(EXAMPLE / "src" / "train.py", folder / "pytorch_train.py")
    for name, code in scripts.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(code)
    out = user_runs(server, "/usr/bin/python3", str(BLOCKS), str(seed), words, *conda_file, folder=folder, timeout=1500)
    (line,) = [line for line in out.splitlines() if line.startswith("RUN ")]
    assert line.endswith(" Completed"), out
    return server.get_run(line.split()[1])


def logs_of(server: RoostServer, run: Dict[str, Any]) -> List[str]:
    ranks = server.get(f"/runs/{run['id']}/ranks")["items"]
    assert len({rank["node"] for rank in ranks}) == 2, "two nodes, as the block asks"
    return [server.log(run, rank["log"]).decode() for rank in ranks]


@pytest.mark.parametrize("seed", seeds_with("process_count=4, node_count=2"))
def test_per_process(nearest_server: RoostServer, tmp_path: Path, seed: Path) -> None:
    run = run_block(nearest_server, tmp_path, seed, "process_count=4, node_count=2", {"src/train.py": DDP})
    logs = logs_of(nearest_server, run)
    assert run["spec"]["arguments"] == ["--epochs", "25"] and len(logs) == 4
    for rank, log in enumerate(logs):
        assert f"trained 25 epochs as {rank} of 4\n" in log


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds_with("launch_cmd = "))
def test_per_node_with_torch_distributed_launch(launch_server: RoostServer, tmp_path: Path, seed: Path) -> None:
    follow_the_launcher(launch_server, tmp_path, seed)


@pytest.mark.parametrize("seed", seeds_with("launch_cmd = "))
def test_per_node_with_debians_pytorch(nearest_server: RoostServer, tmp_path: Path, seed: Path) -> None:
    """Whose launcher Roost puts right, see python/in_run/roost_torch.py."""
    follow_the_launcher(nearest_server, tmp_path, seed)


def follow_the_launcher(server: RoostServer, tmp_path: Path, seed: Path) -> None:
    run = run_block(server, tmp_path, seed, "launch_cmd = ", {"src/train.py": DDP})
    logs = logs_of(server, run)
    assert len(logs) == 2, "the launcher itself is the one process of each node"
    for rank in range(4):
        assert f"trained 50 epochs as {rank} of 4\n" in logs[rank // 2]


@pytest.mark.parametrize("seed", seeds_with("AZ_BATCHAI_PYTORCH_INIT_METHOD',"))
def test_the_older_contract(nearest_server: RoostServer, tmp_path: Path, seed: Path) -> None:
    run = run_block(nearest_server, tmp_path, seed, "'$AZ_BATCHAI_PYTORCH_INIT_METHOD'", {"pytorch-birds/pytorch_mnist.py": DDP})
    for rank, log in enumerate(logs_of(nearest_server, run)):
        assert f"trained None epochs as {rank} of 2\n" in log
    assert run["spec"]["distributed"]["communication_backend"] == "Nccl"


@pytest.mark.parametrize("seed", seeds_with("MpiConfiguration(node_count=2)"))
def test_horovod(nearest_server: RoostServer, tmp_path: Path, seed: Path) -> None:
    run = run_block(nearest_server, tmp_path, seed, "MpiConfiguration(node_count=2)",
                    {"pytorch-birds/pytorch_horovod_mnist.py": HOROVOD})
    said = "".join(logs_of(nearest_server, run))
    assert "trained as 0 of 2\n" in said and "trained as 1 of 2\n" in said
