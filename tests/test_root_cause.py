"""Runs of several processes that fail: the right one is named, and nothing of the run is left within seconds."""
import os
import socket
import textwrap
from datetime import datetime
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional

import pytest

from conftest import IMPATIENT, MakeServer
from netns import Hosts
from processes import command_line, environment_of, kill, oldest, processes_with, wait_until
from roost_fixture import RoostServer

pytestmark = pytest.mark.heavy("torch")

DDP = {"kind": "pytorch", "process_count": 4, "node_count": 2}
# Seconds from the failure to the end of the run. It takes two or three; but on a machine on which other tests train too,
# only that it does not take the PATIENCE that the other processes have is certain.
LIMIT, PATIENCE = 60.0, 600

# Four processes that keep meeting in an allreduce; `fault(rank, step)` is called before each. However far apart they start:
# the timeout counts from when all are there.
MEETING = """
    import os, sys, time, datetime, ctypes, signal
    import torch, torch.distributed as dist
    rank = int(os.environ["RANK"])
    def failing():
        print("FAILING", time.time(), flush=True)
    def fault(rank, step):
        {fault}
    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=600))
    dist.barrier()
    group = dist.new_group(timeout=datetime.timedelta(seconds={timeout}))
    for step in range(1000):
        fault(rank, step)
        dist.all_reduce(torch.ones(1), group=group)
        time.sleep(0.02)
"""

# Processes that only live side by side, without PyTorch.
ALONE = """
    import os, sys, time, signal, ctypes
    rank = int(os.environ["RANK"])
    def failing():
        print("FAILING", time.time(), flush=True)
    {fault}
    time.sleep(600)
"""


@pytest.fixture(scope="module")
def server(make_shared_server: MakeServer) -> RoostServer:
    return make_shared_server()


def logs_of(server: RoostServer, run: Dict[str, Any]) -> List[str]:
    return [server.log(run, rank["log"]).decode(errors="replace")
            for rank in server.get(f"/runs/{run['id']}/ranks")["items"]]


def is_gone(server: RoostServer, run: Dict[str, Any]) -> bool:
    """True if no process of the run is left."""
    return not [pid for pid in processes_with(run["id"]) if environment_of(pid).get("AZUREML_RUN_ID") == run["id"]]


def fail(server: RoostServer, code: Optional[str], **spec: Any) -> Dict[str, Any]:
    """Runs it to its failure, which must be over in time and leave nothing."""
    spec.setdefault("distributed", DDP)
    run = server.run(code, timeout=90, **spec)
    logs = logs_of(server, run)
    assert run["status"] == "Failed", (run["status"], run["error"], logs)
    began = [float(line.split()[1]) for log in logs for line in log.splitlines() if line.startswith("FAILING ")]
    if began:
        took = datetime.fromisoformat(run["ended_at"].replace("Z", "+00:00")).timestamp() - min(began)
        assert took < LIMIT, f"{took:.1f} s from the failure to the end"
    assert is_gone(server, run)
    return run


def blames(server: RoostServer, run: Dict[str, Any], rank: int, *words: str) -> None:
    error = run["error"]
    ranks = server.get(f"/runs/{run['id']}/ranks")["items"]
    assert error.get("rank") == rank, (error, logs_of(server, run))
    assert error["node"] == ranks[rank]["node"] and f"rank {rank} on {error['node']}" in error["message"], error
    for word in words:
        assert word in error["message"], (word, error)
    assert [r["rank"] for r in ranks if r["role"] == "root_cause"] == [rank]
    assert all(r["role"] in ("victim", "stopped", "fine") for r in ranks if r["rank"] != rank), ranks


@pytest.mark.parametrize("fault, rank, words", [
    ("if (rank, step) == (3, 5): failing(); raise ValueError('bad batch 17')", 3, ["exit code 1", "ValueError: bad batch 17"]),
    ("if (rank, step) == (1, 5): failing(); ctypes.string_at(0)", 1, ["SIGSEGV", "Segmentation fault"]),
    ("if (rank, step) == (2, 5): failing(); os._exit(7)", 2, ["exit code 7"]),
    ("if (rank, step) == (0, 5): failing(); sys.exit(3)", 0, ["exit code 3"]),
    ("if (rank, step) == (1, 5): failing(); os.abort()", 1, ["SIGABRT"]),
    ("if (rank, step) == (2, 5): failing(); os.kill(os.getpid(), signal.SIGKILL)", 2, ["SIGKILL"]),
    ("if (rank, step) == (1, 5): failing(); os._exit(0)", 1, ["exit code 0 while the others still needed it"]),
    ("if (rank, step) == (3, 5): failing(); import no_such_module", 3, ["ModuleNotFoundError", "no_such_module"]),
    ("if (rank, step) == (1, 5): failing(); import resource; resource.setrlimit(resource.RLIMIT_AS, (1, 1)); bytearray(1 << 30)",
     1, ["MemoryError"]),
])
def test_one_of_four_that_meet_fails(server: RoostServer, fault: str, rank: int, words: List[str]) -> None:
    run = fail(server, MEETING.format(fault=fault, timeout=PATIENCE))
    blames(server, run, rank, *words)


@pytest.fixture
def small_memory() -> Iterator[Path]:
    """A memory group of 150 MB that a process may put itself into; the kernel ends what grows beyond it."""
    for root, limit in ((Path("/sys/fs/cgroup/memory"), "memory.limit_in_bytes"), (Path("/sys/fs/cgroup"), "memory.max")):
        group = root / f"roost-test-{os.getpid()}"
        try:
            group.mkdir()
            (group / limit).write_text(str(150 << 20))
        except OSError:
            if group.exists():
                group.rmdir()
            continue
        yield group
        wait_until(lambda: not (group / "cgroup.procs").read_text(), 10, "the group is empty")
        group.rmdir()
        return
    pytest.skip("no memory group can be made here")


def test_the_kernel_ends_one_for_want_of_memory(server: RoostServer, small_memory: Path) -> None:
    fault = (f"if (rank, step) == (2, 5): failing(); open('{small_memory}/cgroup.procs', 'w').write('0'); "
             "eaten = [bytearray(os.urandom(1 << 20)) for _ in range(2000)]")
    run = fail(server, MEETING.format(fault=fault, timeout=PATIENCE))
    blames(server, run, 2, "SIGKILL", "out of memory, the kernel ended it")


@pytest.mark.parametrize("fault, rank", [
    ("if (rank, step) == (2, 5): time.sleep(600)", 2),   # hangs
    ("if (rank, step) == (1, 5): time.sleep(25)", 1),    # is too slow
])
def test_one_of_four_does_not_come(server: RoostServer, fault: str, rank: int) -> None:
    run = fail(server, MEETING.format(fault=fault, timeout=10))
    blames(server, run, rank, "did not answer the others in time")


def test_the_port_of_the_script_is_taken(server: RoostServer) -> None:
    with socket.socket() as taken:
        taken.bind(("", 0))
        taken.listen()
        code = MEETING.format(fault="pass", timeout=PATIENCE).replace(
            'rank = int(os.environ["RANK"])',
            f'rank = int(os.environ["RANK"]); os.environ["MASTER_PORT"] = "{taken.getsockname()[1]}"')
        run = fail(server, code)
    blames(server, run, 0, "in use")


def test_the_usual_port_is_taken(server: RoostServer) -> None:
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            taken.bind(("", 6105))
            taken.listen()
        except OSError:
            pass  # somebody else has it: as good
        run = server.run("import os; print(os.environ['MASTER_PORT'])", distributed=DDP)
    assert run["status"] == "Completed" and "6105\n" not in logs_of(server, run)


@pytest.mark.parametrize("fault, rank, words", [
    # the others do not listen to SIGTERM
    ("signal.signal(signal.SIGTERM, signal.SIG_IGN)\n    if rank == 2: time.sleep(0.5); failing(); sys.exit(4)", 2, ["exit code 4"]),
    # the others have daemons that left their session
    ("if os.fork() == 0:\n        os.setsid()\n        if os.fork() == 0: time.sleep(600)\n        os._exit(0)\n"
     "    if rank == 1: time.sleep(0.5); failing(); raise KeyError('colour')", 1, ["KeyError: 'colour'"]),
    # a victim is quicker than the culprit
    ("signal.signal(signal.SIGTERM, signal.SIG_IGN)\n    if rank == 0: failing(); raise ConnectionResetError('Connection reset by peer')\n"
     "    if rank == 3: time.sleep(1); raise ValueError('the one')", 3, ["ValueError: the one"]),
    # it ends long after the others, who were well
    ("if rank != 2: sys.exit(0)\n    time.sleep(1); failing(); raise OSError('no space')", 2, ["OSError: no space"]),
    # children of a rank crash, and it says so
    ("import subprocess\n    if rank == 1: failing(); subprocess.run(['false'], check=True)", 1, ["CalledProcessError"]),
])
def test_one_of_four_side_by_side_fails(server: RoostServer, fault: str, rank: int, words: List[str]) -> None:
    run = fail(server, ALONE.format(fault=fault))
    blames(server, run, rank, *words)


def test_all_fail_in_the_same_way(server: RoostServer) -> None:
    run = fail(server, "import argparse; argparse.ArgumentParser().parse_args()", arguments=["--epoch", "3"])
    assert run["exit_code"] == 2 and "exit code 2" in run["error"]["message"]
    assert any("unrecognized arguments: --epoch 3" in line for line in run["error"]["last_lines"])


def test_a_command_that_is_not_there(server: RoostServer) -> None:
    run = fail(server, None, command="no-such-trainer --fast")
    assert "did not find the command" in run["error"]["message"] and run["exit_code"] == 127


PER_NODE = "--nproc_per_node 2 --nnodes 2 --node_rank $NODE_RANK --master_addr $MASTER_ADDR --master_port $MASTER_PORT"


def launched(server: RoostServer, python: str, launcher: str, fault: str) -> Dict[str, Any]:
    code = textwrap.dedent(MEETING.format(fault=fault, timeout=PATIENCE))
    return fail(server, None, files={"train.py": code}, environment={"python": python}, command=f"{launcher} train.py",
                distributed={"kind": "pytorch", "node_count": 2})


@pytest.mark.parametrize("launcher", [
    f"torchrun {PER_NODE} --monitor-interval 0.1",
    # It looks so seldom that it finds the one that failed and its victim at once, and shows the victim first.
    f"torchrun {PER_NODE} --monitor-interval 3",
    f"python -m torch.distributed.launch {PER_NODE} --use_env",
], ids=["torchrun", "torchrun-that-looks-seldom", "torch.distributed.launch"])
def test_a_worker_of_a_launcher(server: RoostServer, torch_python: str, launcher: str) -> None:
    run = launched(server, torch_python, launcher, "if (rank, step) == (3, 5): raise ValueError('bad batch 17')")
    blames(server, run, 1, "ValueError: bad batch 17 (in its process of rank 3)")
    assert run["error"]["exception"] == "ValueError: bad batch 17"
    assert run["error"]["traceback"][-1] == "ValueError: bad batch 17" and "train.py" in run["error"]["traceback"][1]


@pytest.mark.parametrize("fault, words", [
    ("if (rank, step) == (3, 5): os.kill(os.getpid(), signal.SIGKILL)", "its process of rank 3 was ended by SIGKILL"),
    ("if (rank, step) == (3, 5): os._exit(7)", "its process of rank 3 ended with exit code 7"),
])
def test_a_worker_that_says_nothing(server: RoostServer, torch_python: str, fault: str, words: str) -> None:
    run = launched(server, torch_python, f"torchrun {PER_NODE} --monitor-interval 1", fault)
    blames(server, run, 1, words)
    assert "ChildFailedError" not in run["error"]["message"] and "exception" not in run["error"]


def test_a_worker_of_one_node_that_fails_before_it_meets_the_others(server: RoostServer, torch_python: str) -> None:
    code = "import os, time\nif os.environ['RANK'] == '1': raise KeyError('no such bird')\ntime.sleep(600)"
    run = server.run(None, timeout=90, files={"train.py": code}, environment={"python": torch_python},
                     command="torchrun --standalone --nproc-per-node 2 train.py")
    assert run["status"] == "Failed" and run["error"]["exception"] == "KeyError: 'no such bird'", run["error"]
    assert "KeyError: 'no such bird' (in its process of rank 1)" in run["error"]["message"], run["error"]


def runners_of(server: RoostServer, run: Dict[str, Any]) -> Dict[str, int]:
    nodes = {rank["node"] for rank in server.get(f"/runs/{run['id']}/ranks")["items"]}
    found = {node: oldest(pid for pid in processes_with(node) if f"runner --node {node} " in command_line(pid))
             for node in nodes}  # the supervisor, a copy of it, came later
    assert len(found) == len(nodes), (nodes, found)
    return found


def started(server: RoostServer, code: str, **spec: Any) -> Dict[str, Any]:
    run = server.wait(server.submit(code, distributed=DDP, **spec), "Running")
    wait_until(lambda: all("up" in log for log in logs_of(server, run)), 60, "all ranks are up")
    return run


def test_a_killed_runner(make_server: MakeServer) -> None:
    server = make_server(IMPATIENT)
    run = started(server, "import time; print('up', flush=True); time.sleep(600)")
    last = server.get(f"/runs/{run['id']}/ranks")["items"][3]["node"]
    kill(runners_of(server, run)[last])
    run = server.wait(run, timeout=LIMIT)
    assert is_gone(server, run)
    assert run["status"] == "Failed" and run["error"]["code"] == "node_lost" and last in run["error"]["message"], run["error"]


def test_a_host_that_is_cut_off(hosts: Hosts, make_server: MakeServer) -> None:
    server = make_server({**IMPATIENT, "address": hosts.server_address, "allow_insecure": True, "hosts": hosts.config()})
    server.expect(201, "POST", "/workspaces/default/computes", json={"name": "hosts", "min_nodes": 0, "max_nodes": 2})
    run = started(server, "import time; print('up', flush=True); time.sleep(600)", compute="hosts")
    last = server.get(f"/runs/{run['id']}/ranks")["items"][3]["node"]
    hosts.cut_off(int(last.split("-")[1]))
    run = server.wait(run, timeout=30)
    assert run["status"] == "Failed" and run["error"]["code"] == "node_lost" and last in run["error"]["message"], run["error"]
    wait_until(lambda: is_gone(server, run), LIMIT, "nothing of the run is left")
