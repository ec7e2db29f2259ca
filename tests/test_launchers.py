"""The launchers that people start their processes with, one a node: torchrun, accelerate, Lightning."""
import json
import re
from pathlib import Path
from typing import Any, Dict, List, Tuple

import pytest

from conftest import MakeServer
from roost_fixture import RoostServer
from torch_python import make_python

pytestmark = pytest.mark.heavy("torch")

NODES = {"kind": "pytorch", "node_count": 2}

# One of its ranks fails once all have met. Only the agent of that one counts a restart; the other one's follows it.
ELASTIC = """
import os, sys, torch, torch.distributed as dist
dist.init_process_group("gloo")
total = torch.ones(1)
dist.all_reduce(total)
if os.environ["TORCHELASTIC_RESTART_COUNT"] == "0" and dist.get_rank() == 3:
    raise RuntimeError("a cosmic ray")
dist.all_reduce(total)
sys.stdout.write(f"rank {dist.get_rank()} sum {int(total.item())} at port {os.environ['MASTER_PORT']}\\n")
sys.stdout.flush()
dist.barrier()
dist.destroy_process_group()
"""

LIGHTNING = """
import sys, torch, lightning
class Model(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 1)
    def training_step(self, batch, _):
        return self.layer(batch).square().mean()
    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)
data = torch.utils.data.DataLoader(torch.randn(32, 4), batch_size=4)
trainer = lightning.Trainer(accelerator="cpu", devices=2, num_nodes=2, strategy="ddp", max_epochs=1, logger=False,
                            enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False)
trainer.fit(Model(), data)
sys.stdout.write(f"fitted as {trainer.global_rank} of {trainer.world_size}\\n")
sys.stdout.flush()
"""

FAILS = """
import os, time
if os.environ.get("RANK", "0") == WHO:
    raise KeyError("no such bird")
time.sleep(600)
"""


@pytest.fixture(scope="module")
def server(make_shared_server: MakeServer) -> RoostServer:
    return make_shared_server()


@pytest.fixture(scope="module")
def launchers_python(torch_python: str) -> str:
    python = make_python("launchers", ["accelerate", "lightning"], above=torch_python)
    if not python:
        pytest.skip("accelerate and lightning cannot be installed: no package index is reachable")
    return python


def kernels_ports() -> Tuple[int, int]:
    first, last = Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()
    return int(first), int(last) + 1


def logs_of(server: RoostServer, run: Dict[str, Any]) -> List[str]:
    return [server.log(run, rank["log"]).decode(errors="replace") for rank in server.get(f"/runs/{run['id']}/ranks")["items"]]


def completed(server: RoostServer, python: str, command: str, code: str) -> str:
    run = server.run(None, timeout=180, files={"train.py": code}, environment={"python": python}, command=command,
                     distributed=NODES)
    logs = logs_of(server, run)
    assert run["status"] == "Completed", (run["error"], logs)
    return "".join(logs)


def test_an_elastic_restart_on_two_nodes(server: RoostServer, torch_python: str) -> None:
    said = completed(server, torch_python, "torchrun --nproc-per-node 2 --nnodes 2 --max-restarts 3 --monitor-interval 0.2 "
                     "--rdzv-backend c10d --rdzv-id $AZUREML_RUN_ID --rdzv-endpoint $MASTER_ADDR:$MASTER_PORT train.py", ELASTIC)
    assert "RuntimeError: a cosmic ray" in said
    met = {int(rank): int(port) for rank, port in re.findall(r"^rank (\d) sum 16 at port (\d+)$", said, re.M)}
    assert sorted(met) == [0, 1, 2, 3], said
    # Rank 0 binds it seconds after torchrun chose it: none that the kernel gives to whoever connects meanwhile.
    assert set(met.values()).isdisjoint(range(*kernels_ports())), said


def test_its_variable_can_be_set_otherwise(server: RoostServer) -> None:
    code = "import os; print(os.environ['TORCH_DISABLE_SHARE_RDZV_TCP_STORE'])"
    assert logs_of(server, server.run(code, distributed=NODES)) == ["1\n", "1\n"]
    own = server.run(code, distributed=NODES, environment_variables={"TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "0"})
    assert logs_of(server, own) == ["0\n", "0\n"]


def test_the_place_on_the_node_is_told_only_with_a_process_count(server: RoostServer) -> None:
    code = "import json, os; print(json.dumps({k: os.environ.get(k) for k in ('RANK', 'LOCAL_RANK', 'LOCAL_WORLD_SIZE')}))"
    for asked, local in ((NODES, None), ({**NODES, "process_count": 2}, "0")):
        facts = [json.loads(log) for log in logs_of(server, server.run(code, distributed=asked))]
        assert [fact["RANK"] for fact in facts] == ["0", "1"]
        assert [fact["LOCAL_RANK"] for fact in facts] == [local, local]
        assert [fact["LOCAL_WORLD_SIZE"] for fact in facts] == [local and "1"] * 2


def test_lightning_starts_the_processes_of_each_node(server: RoostServer, launchers_python: str) -> None:
    said = completed(server, launchers_python, "python train.py", LIGHTNING)
    for rank in range(4):
        assert f"fitted as {rank} of 4\n" in said, said


@pytest.mark.parametrize("how, rank", [("--num_processes 1 --cpu", "0"), ("--num_processes 2 --multi_gpu", "1")])
def test_the_script_that_accelerate_launched_is_blamed(server: RoostServer, launchers_python: str, how: str, rank: str) -> None:
    run = server.run(None, timeout=90, files={"train.py": FAILS.replace("WHO", repr(rank))},
                     environment={"python": launchers_python},
                     command=f"accelerate launch {how} --num_machines 1 --mixed_precision no --dynamo_backend no train.py")
    assert run["status"] == "Failed" and run["error"]["exception"] == "KeyError: 'no such bird'", run["error"]
    assert "KeyError: 'no such bird'" in run["error"]["message"] and "CalledProcessError" not in run["error"]["message"]
