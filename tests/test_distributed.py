"""Runs of several processes on several nodes: the contracts by which they find one another."""
import json
import textwrap
from typing import Any, Dict, List, Tuple

import pytest

from conftest import MakeServer
from netns import Hosts
from roost_fixture import RoostServer

pytestmark = pytest.mark.heavy("torch")

DDP = {"kind": "pytorch", "process_count": 4, "node_count": 2}

FACTS = """
    import json, os, sys
    keys = ("RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "NODE_RANK", "GROUP_RANK", "MASTER_ADDR",
            "MASTER_PORT", "AZ_BATCHAI_TASK_INDEX", "AZ_BATCHAI_PYTORCH_INIT_METHOD", "AZUREML_NODE_COUNT", "TF_CONFIG")
    facts = {key: os.environ[key] for key in keys if key in os.environ}
    print(json.dumps({**facts, "argv": sys.argv[1:], "host": os.uname().nodename}))
"""

ALLREDUCE = """
    import sys, torch, torch.distributed as dist
    dist.init_process_group("gloo")
    total = torch.tensor([float(dist.get_rank() + 1)])
    dist.all_reduce(total)
    # One write: under a launcher, the processes of a node share one output.
    sys.stdout.write(f"rank {dist.get_rank()} of {dist.get_world_size()} sum {int(total.item())}\\n")
    dist.destroy_process_group()
"""


# The contract of the article's older edition: a URL and a rank among the arguments.
OLDER = """
    import argparse, torch, torch.distributed as dist
    parser = argparse.ArgumentParser()
    parser.add_argument("--rank", type=int); parser.add_argument("--dist-url"); parser.add_argument("--world-size", type=int)
    args = parser.parse_args()
    dist.init_process_group("gloo", init_method=args.dist_url, rank=args.rank, world_size=args.world_size)
    total = torch.ones(1); dist.all_reduce(total)
    print(args.dist_url.split(":")[0], args.rank, int(total.item()), flush=True)
    dist.destroy_process_group()
"""

# The same eight batches whoever trains: one process takes a batch whole, n processes a share of it each.
TRAIN = """
    import os, hashlib, torch, torch.distributed as dist
    from torch.nn.parallel import DistributedDataParallel
    torch.manual_seed(7); torch.set_num_threads(1)
    world, rank = int(os.environ.get("WORLD_SIZE", 1)), int(os.environ.get("RANK", 0))
    if world > 1:
        dist.init_process_group("gloo")
    x = torch.randn(8, 16, 5, dtype=torch.float64); y = (x.sum(2, keepdim=True) > 0).double()
    model = torch.nn.Sequential(torch.nn.Linear(5, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1)).double()
    model = DistributedDataParallel(model) if world > 1 else model
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    for epoch in range(3):
        for batch in range(8):
            mine = slice(rank * 16 // world, (rank + 1) * 16 // world)
            optimizer.zero_grad()
            loss = torch.nn.functional.binary_cross_entropy_with_logits(model(x[batch, mine]), y[batch, mine])
            loss.backward(); optimizer.step()
            whole = loss.detach().clone()
            if world > 1:
                dist.all_reduce(whole); whole /= world
            print("loss %.9f" % whole.item())
    weights = torch.cat([p.detach().flatten() for p in model.parameters()])
    print("weights", " ".join("%.9f" % w for w in weights))
    if world > 1:
        dist.destroy_process_group()  # Debian's PyTorch may abort at its end otherwise
"""


LAUNCHERS = [
    "python -m torch.distributed.launch --nproc_per_node 2 --nnodes 2 --node_rank $NODE_RANK "
    "--master_addr $MASTER_ADDR --master_port $MASTER_PORT --use_env train.py",
    "torchrun --nproc-per-node 2 --nnodes 2 --node-rank $NODE_RANK "
    "--master-addr $MASTER_ADDR --master-port $MASTER_PORT train.py",
]


def rank_logs(server: RoostServer, run: Dict[str, Any]) -> List[str]:
    ranks = server.get(f"/runs/{run['id']}/ranks")["items"]
    return [server.log(run, rank["log"]).decode() for rank in ranks]


def completed(server: RoostServer, code: str, **spec: Any) -> Dict[str, Any]:
    run = server.run(code, timeout=90, **spec)
    assert run["status"] == "Completed", (run["error"], rank_logs(server, run))
    return run


def test_every_process_knows_its_place(server: RoostServer) -> None:
    run = completed(server, FACTS, distributed=DDP, arguments=["--local", "$LOCAL_RANK", "--rank=$RANK"])
    facts = [json.loads(log) for log in rank_logs(server, run)]
    assert [f["RANK"] for f in facts] == ["0", "1", "2", "3"] == [f["AZ_BATCHAI_TASK_INDEX"] for f in facts]
    assert [f["LOCAL_RANK"] for f in facts] == ["0", "1", "0", "1"]
    assert [f["NODE_RANK"] for f in facts] == ["0", "0", "1", "1"] == [f["GROUP_RANK"] for f in facts]
    assert {f["WORLD_SIZE"] for f in facts} == {"4"} and {f["LOCAL_WORLD_SIZE"] for f in facts} == {"2"}
    assert {f["AZUREML_NODE_COUNT"] for f in facts} == {"2"}
    assert len({(f["MASTER_ADDR"], f["MASTER_PORT"]) for f in facts}) == 1
    assert [f["argv"] for f in facts] == [["--local", f["LOCAL_RANK"], f"--rank={f['RANK']}"] for f in facts]
    assert len({f["host"] for f in facts}) == 2, "each node has a name of its own"
    ranks = server.get(f"/runs/{run['id']}/ranks")["items"]
    assert [r["node_rank"] for r in ranks] == [0, 0, 1, 1] and {r["state"] for r in ranks} == {"ended"}
    assert [r["exit_code"] for r in ranks] == [0, 0, 0, 0] and len({r["node"] for r in ranks}) == 2


def test_logs_by_both_names_of_every_rank(server: RoostServer) -> None:
    run = completed(server, "import os; print('I am', os.environ['RANK'])", distributed=DDP)
    for rank in range(4):
        said = f"I am {rank}\n".encode()
        for name in (f"azureml-logs/70_driver_log_{rank}.txt", f"user_logs/std_log_process_{rank:02d}.txt",
                     f"user_logs/std_log_process_{rank}.txt"):
            assert server.log(run, name) == said
    assert server.log(run, "azureml-logs/70_driver_log.txt") == server.log(run, "user_logs/std_log.txt") == b"I am 0\n"


@pytest.mark.parametrize("distributed", [{"kind": "pytorch", "process_count": 2},
                                         {"kind": "pytorch", "node_count": 2}, DDP])
def test_torch_processes_meet(server: RoostServer, distributed: Dict[str, Any]) -> None:
    run = completed(server, ALLREDUCE, distributed=distributed)
    count = len(rank_logs(server, run))
    total = count * (count + 1) // 2
    for rank, log in enumerate(rank_logs(server, run)):
        assert f"rank {rank} of {count} sum {total}" in log


def test_the_older_contract(server: RoostServer) -> None:
    run = completed(server, OLDER, distributed={"kind": "pytorch", "communication_backend": "Nccl", "node_count": 2},
                    arguments=["--dist-url", "$AZ_BATCHAI_PYTORCH_INIT_METHOD", "--rank", "$AZ_BATCHAI_TASK_INDEX",
                               "--world-size", "2"])
    assert [log.split() for log in rank_logs(server, run)] == [["file", "0", "2"], ["file", "1", "2"]]
    assert not list((server.data / "nodes" / "shared").glob(f"{run['id']}*")), "the file goes with the run"


@pytest.mark.parametrize("launcher", LAUNCHERS)
def test_one_launcher_per_node(server: RoostServer, torch_python: str, launcher: str) -> None:
    run = server.run(files={"train.py": textwrap.dedent(ALLREDUCE)}, command=launcher, timeout=120, environment={"python": torch_python},
                     distributed={"kind": "pytorch", "node_count": 2})
    logs = rank_logs(server, run)
    assert run["status"] == "Completed", (run["error"], logs)
    assert len(logs) == 2
    for node, log in enumerate(logs):
        for rank in (2 * node, 2 * node + 1):
            assert f"rank {rank} of 4 sum 10" in log


def test_elastic_launchers_find_one_another(server: RoostServer, torch_python: str) -> None:
    launcher = ("torchrun --nnodes=1:4 --nproc-per-node 2 --rdzv-backend c10d --rdzv-id $AZUREML_RUN_ID "
                "--rdzv-endpoint $MASTER_ADDR:$MASTER_PORT --rdzv-conf last_call_timeout=15 train.py")
    run = server.run(files={"train.py": textwrap.dedent(ALLREDUCE)}, command=launcher, timeout=150,
                     environment={"python": torch_python}, distributed={"kind": "pytorch", "node_count": 2})
    logs = rank_logs(server, run)
    assert run["status"] == "Completed", (run["error"], logs)
    assert all(sum(f"rank {rank} of 4 sum 10" in log for log in logs) == 1 for rank in range(4)), logs


def test_tensorflow_is_told_its_cluster(server: RoostServer) -> None:
    run = completed(server, FACTS, node_count=2,
                    distributed={"kind": "tensorflow", "worker_count": 3, "parameter_server_count": 1})
    configs = [json.loads(json.loads(log)["TF_CONFIG"]) for log in rank_logs(server, run)]
    assert [c["task"] for c in configs] == [{"type": "worker", "index": 0}, {"type": "worker", "index": 1},
                                            {"type": "worker", "index": 2}, {"type": "ps", "index": 0}]
    assert configs[0]["cluster"] == configs[3]["cluster"] and len(set(configs[0]["cluster"]["worker"])) == 3


@pytest.mark.parametrize("distributed, says", [
    ({"kind": "pytorch", "process_count": 5, "node_count": 2}, "5 cannot be shared out evenly over 2 nodes; ask for 4 or 6"),
    ({"kind": "pytorch", "process_count": 1, "node_count": 2}, "ask for 2"),
    ({"kind": "mpi", "process_count_per_node": 0}, "process_count_per_node"),
    ({"kind": "spark"}, "must be mpi, pytorch or tensorflow"),
    ({"kind": "pytorch", "node_count": 99}, "has at most"),
])
def test_what_cannot_be_started_is_refused(server: RoostServer, distributed: Dict[str, Any], says: str) -> None:
    answer = server.api("POST", "/workspaces/default/runs",
                        json={"experiment": "tests", "command": "true", "distributed": distributed})
    assert answer.status == 400 and says in answer.json["error"]["message"], answer.json


def test_a_failing_rank_ends_the_others_and_is_named(server: RoostServer) -> None:
    code = """
        import os, time
        if os.environ["RANK"] == "3":
            raise ValueError("bad batch 17")
        time.sleep(600)
    """
    run = server.run(code, timeout=30, distributed=DDP)
    error = run["error"]
    assert run["status"] == "Failed" and error["rank"] == 3 and error["exception"] == "ValueError: bad batch 17", error
    assert "rank 3 on" in error["message"] and error["traceback"][0].startswith("Traceback")
    ranks = server.get(f"/runs/{run['id']}/ranks")["items"]
    assert [r["role"] for r in ranks] == ["stopped", "stopped", "stopped", "root_cause"]
    assert ranks[3]["node"] == error["node"] and run["exit_code"] == 1


def server_on(make_server: MakeServer, hosts: Hosts) -> RoostServer:
    server = make_server({"address": hosts.server_address, "allow_insecure": True, "hosts": hosts.config()})
    server.expect(201, "POST", "/workspaces/default/computes", json={"name": "hosts", "min_nodes": 0, "max_nodes": 2})
    return server


def test_hosts_with_addresses_of_their_own(hosts: Hosts, make_server: MakeServer) -> None:
    server = server_on(make_server, hosts)
    run = completed(server, ALLREDUCE + FACTS, compute="hosts", distributed=DDP)
    logs = rank_logs(server, run)
    for rank, log in enumerate(logs):
        assert f"rank {rank} of 4 sum 10" in log
    facts = [json.loads(log.splitlines()[-1]) for log in logs]
    assert {f["MASTER_ADDR"] for f in facts} <= set(hosts.addresses) and len({f["host"] for f in facts}) == 2


def losses_and_weights(log: str) -> Tuple[List[float], List[float]]:
    losses = [float(line.split()[1]) for line in log.splitlines() if line.startswith("loss ")]
    [weights] = [line.split()[1:] for line in log.splitlines() if line.startswith("weights ")]
    assert len(losses) == 24
    return losses, [float(w) for w in weights]


def trains_as_one(server: RoostServer, compute: str) -> None:
    alone = completed(server, TRAIN, compute=compute)
    losses, weights = losses_and_weights(server.log(alone).decode())
    assert losses[-1] < losses[0]
    run = completed(server, TRAIN, compute=compute, distributed=DDP)
    logs = rank_logs(server, run)
    assert len(logs) == 4 and len({log.splitlines()[-1] for log in logs}) == 1, "all ranks end with the same weights"
    for log in logs:
        together = losses_and_weights(log)
        assert together[0] == pytest.approx(losses, abs=2e-9) and together[1] == pytest.approx(weights, abs=2e-9)


def test_data_parallel_training_is_the_same_as_one_process_with_the_whole_batch(server: RoostServer) -> None:
    trains_as_one(server, "local")


def test_the_same_on_hosts_with_addresses_of_their_own(hosts: Hosts, make_server: MakeServer) -> None:
    trains_as_one(server_on(make_server, hosts), "hosts")
