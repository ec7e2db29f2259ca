"""From the submit until every rank of a distributed run is past its first allreduce, beside the same ranks by hand."""

import json
import os
import re
import shutil
import socket
import statistics
import subprocess
import time
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

from harness import PYTHON, Api, Bench, clean_environment
from table import Row, milliseconds

NODES, PER_NODE = 2, 2
TORCH_PYTHON = Path(__file__).resolve().parents[2] / "build" / "test-pythons" / "torch" / "bin" / "python"
ALLREDUCE = """import time
import torch, torch.distributed as dist
dist.init_process_group("gloo")
dist.all_reduce(torch.ones(1))
print("past", time.time(), flush=True)
dist.destroy_process_group()
"""
MPI = """import time
from mpi4py import MPI
MPI.COMM_WORLD.allreduce(1)
print(f"past {time.time()}\\n", end="", flush=True)
"""
# In place of ssh: the other node is this machine under another name, with a folder of its own for Open MPI's files.
# No connection, no login: the quickest there can be.
AGENT = """#!/bin/sh
host=$1
shift
export TMPDIR={folder}/tmp-$host
mkdir -p "$TMPDIR"
exec unshare --uts sh -c 'echo "$1" > /proc/sys/kernel/hostname; shift; exec sh -c "$*"' sh "$host" "$@"
"""


def measure(bench: Bench) -> List[Row]:
    rounds = bench.size(5, 1)
    with bench.folder("distributed") as folder, bench.server() as server, server.connect() as api:
        (folder / "train.py").write_text(ALLREDUCE, encoding="utf-8")
        (folder / "mpi.py").write_text(MPI, encoding="utf-8")
        api.create_compute("two", NODES, NODES)
        api.wait_for_idle_nodes("two", NODES)
        rows = [per_process(api, folder, rounds), per_node(api, folder, rounds), *by_mpi(api, folder, 2 * rounds + 1)]
        ranks, nodes = bench.size(64, 8), bench.size(8, 2)
        api.create_compute("many", nodes, nodes)
        api.wait_for_idle_nodes("many", nodes)
        rows.append(many_ranks(api, ranks, nodes, rounds))
    return rows


def per_process(api: Api, folder: Path, rounds: int) -> Row:
    gang = {"kind": "pytorch", "process_count": NODES * PER_NODE, "node_count": NODES}
    roost, hand = [], []
    for _ in range(rounds):
        roost.append(submitted(api, compute="two", command=f"{PYTHON} {folder}/train.py", distributed=gang))
        port = free_port()
        started = time.time()
        hand.append(past([start([PYTHON, "train.py"], folder, RANK=rank, LOCAL_RANK=rank % PER_NODE,
                                WORLD_SIZE=NODES * PER_NODE, MASTER_ADDR="127.0.0.1", MASTER_PORT=port, OMP_NUM_THREADS=1)
                          for rank in range(NODES * PER_NODE)]) - started)
    return row(f"{NODES} nodes x {PER_NODE}, per process: submit to past the first allreduce", roost, hand,
               "the same ranks by hand", 1.15)


def per_node(api: Api, folder: Path, rounds: int) -> Row:
    name = f"{NODES} nodes x {PER_NODE}, torchrun per node"
    if not TORCH_PYTHON.exists():
        return absent(name, "no current PyTorch; the tests install one where a package index is reachable")
    gang = {"kind": "pytorch", "node_count": NODES}
    words = ["-m", "torch.distributed.run", "--nproc-per-node", str(PER_NODE), "--nnodes", str(NODES)]
    roost, hand = [], []
    for _ in range(rounds):
        line = (f"{TORCH_PYTHON} {' '.join(words)} --node-rank $NODE_RANK --master-addr $MASTER_ADDR "
                f"--master-port $MASTER_PORT {folder}/train.py")
        roost.append(submitted(api, compute="two", command=line, distributed=gang))
        port = str(free_port())
        started = time.time()
        hand.append(past([start([str(TORCH_PYTHON), *words, "--node-rank", str(node), "--master-addr", "127.0.0.1",
                                 "--master-port", port, "train.py"], folder) for node in range(NODES)]) - started)
    return row(name, roost, hand, "torchrun by hand", 1.1)


def by_mpi(api: Api, folder: Path, rounds: int) -> List[Row]:
    name = f"{NODES} nodes x {PER_NODE}, MPI"
    if not shutil.which("mpirun") or subprocess.run([PYTHON, "-c", "import mpi4py"], capture_output=True,
                                                    timeout=60, check=False).returncode:
        return [absent(name, "no mpirun or no mpi4py")]
    gang = {"kind": "mpi", "process_count_per_node": PER_NODE, "node_count": NODES}
    common = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-np", str(NODES * PER_NODE)]
    over_nodes = two_nodes(folder)
    roost, two, one = [], [], []
    for _ in range(rounds):
        roost.append(submitted(api, compute="two", command=f"{PYTHON} {folder}/mpi.py", distributed=gang))
        if over_nodes:
            two.append(timed([*over_nodes[0], *common, *over_nodes[1], PYTHON, "mpi.py"], folder))
        one.append(timed([*common, PYTHON, "mpi.py"], folder))
    by_hand = row(name, roost, two, "mpirun by hand, over two nodes", 1.1) if two else absent(name, "no own host names")
    # No mark: no daemon on a second node, and shared memory in place of a network.
    alone = row(f"  {name}, beside one node", roost, one, "mpirun by hand, on one node", None)
    return [by_hand, alone]


def two_nodes(folder: Path) -> Optional[Tuple[List[str], List[str]]]:
    """What to put before mpirun, and among its options, so that it starts its ranks on two nodes; None if it cannot."""
    agent = folder / "agent"
    agent.write_text(AGENT.format(folder=folder), encoding="utf-8")
    agent.chmod(0o755)
    before = [str(agent), "first"]
    if subprocess.run([*before, "true"], capture_output=True, timeout=60, check=False).returncode:
        return None
    return before, ["--mca", "plm_rsh_agent", str(agent), "--host", f"first:{PER_NODE},second:{PER_NODE}",
                    "--mca", "oob_tcp_if_include", "lo", "--mca", "btl_tcp_if_include", "lo"]


def timed(command: List[str], folder: Path) -> float:
    started = time.time()
    return past([start(command, folder)]) - started


def many_ranks(api: Api, ranks: int, nodes: int, rounds: int) -> Row:
    gang = {"kind": "pytorch", "process_count": ranks, "node_count": nodes}
    took = [submitted(api, compute="many", command="echo past $(date +%s.%N)", distributed=gang) for _ in range(rounds)]
    roost = statistics.median(took)
    return Row(f"{ranks} trivial ranks on {nodes} nodes: submit to the last one's start", milliseconds(roost), "-", None,
               "at most 2 s", roost <= 2.0, {"roost_s": roost})


def submitted(api: Api, **spec: Any) -> float:
    """Seconds from the request until the last rank says that it is past."""
    began = time.time()
    run = api.submit(experiment="distributed", **spec)
    ended = api.wait_for_run(run, pause=0.2)  # the ranks say when they were past: asking often would slow them
    logs = [b"".join(api.stream(f"/runs/{run}/logs/{rank['log']}")).decode()
            for rank in api.call("GET", f"/runs/{run}/ranks")["items"]]
    if ended["status"] != "Completed":
        raise RuntimeError(f"{ended['error']} {[log[-300:] for log in logs]}")
    return last_past(logs) - began


def past(processes: List["subprocess.Popen[str]"]) -> float:
    outputs = [process.communicate(timeout=120)[0] for process in processes]
    if any(process.returncode for process in processes):
        raise RuntimeError(f"by hand: {[output[-300:] for output in outputs]}")
    return last_past(outputs)


def last_past(outputs: List[str]) -> float:
    # Ranks that share an output may print into one another's lines.
    times = [float(number) for output in outputs for number in re.findall(r"\b\d{9,}\.\d+", output)]
    if not times:
        raise RuntimeError(f"no rank got past: {json.dumps(outputs)[:500]}")
    return max(times)


def start(command: List[str], folder: Path, **variables: object) -> "subprocess.Popen[str]":
    environment = {**clean_environment(folder), **{name: str(value) for name, value in variables.items()}}
    environment["PATH"] = os.environ["PATH"]
    return subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            text=True)


def row(name: str, roost: List[float], hand: List[float], peer: str, most: Optional[float]) -> Row:
    ours, theirs = statistics.median(roost), statistics.median(hand)
    values: Dict[str, float] = {"roost_s": ours, "peer_s": theirs}
    return Row(name, milliseconds(ours), f"{peer}: {milliseconds(theirs)}", ours / theirs,
               "-" if most is None else f"at most {most}", None if most is None else ours / theirs <= most, values)


def absent(name: str, why: str) -> Row:
    return Row(name, "-", "-", None, "-", None, verdict_text=f"not measured here ({why})")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("", 0))
        return int(probe.getsockname()[1])
