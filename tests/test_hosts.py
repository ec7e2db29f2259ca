"""Every distributed contract once more, on hosts with addresses of their own."""
import shutil
import subprocess
import textwrap
from typing import Any, Dict, Iterator

import pytest

from conftest import MakeServer, make_hosts
from netns import Hosts
from roost_fixture import RoostServer
from test_distributed import ALLREDUCE, LAUNCHERS, OLDER, rank_logs

MPI = """
    import os
    from mpi4py import MPI
    total = MPI.COMM_WORLD.allreduce(MPI.COMM_WORLD.Get_rank() + 1)
    print("rank", MPI.COMM_WORLD.Get_rank(), "sum", total, os.environ["AZ_BATCH_MASTER_NODE"])
"""


@pytest.fixture(scope="module")
def three_hosts() -> Iterator[Hosts]:
    yield from make_hosts(3)


@pytest.fixture(scope="module")
def server(three_hosts: Hosts, make_shared_server: MakeServer) -> RoostServer:
    server = make_shared_server({"address": three_hosts.server_address, "allow_insecure": True,
                                 "hosts": three_hosts.config()})
    server.expect(201, "POST", "/workspaces/default/computes", json={"name": "hosts", "min_nodes": 0, "max_nodes": 3})
    return server


def completed(server: RoostServer, **spec: Any) -> Dict[str, Any]:
    run = server.run(timeout=150, compute="hosts", **spec)
    assert run["status"] == "Completed", (run["error"], rank_logs(server, run))
    return run


@pytest.mark.parametrize("launcher", LAUNCHERS)
def test_one_launcher_per_node(server: RoostServer, torch_python: str, launcher: str) -> None:
    run = completed(server, files={"train.py": textwrap.dedent(ALLREDUCE)}, command=launcher,
                    environment={"python": torch_python}, distributed={"kind": "pytorch", "node_count": 2})
    for node, log in enumerate(rank_logs(server, run)):
        assert all(f"rank {rank} of 4 sum 10" in log for rank in (2 * node, 2 * node + 1))


def test_the_older_contract(server: RoostServer) -> None:
    run = completed(server, code=OLDER, distributed={"kind": "pytorch", "node_count": 2},
                    arguments=["--dist-url", "$AZ_BATCHAI_PYTORCH_INIT_METHOD", "--rank", "$AZ_BATCHAI_TASK_INDEX",
                               "--world-size", "2"])
    assert [log.split() for log in rank_logs(server, run)] == [["file", "0", "2"], ["file", "1", "2"]]


def test_mpi_over_three_hosts(server: RoostServer, three_hosts: Hosts) -> None:
    if not shutil.which("mpirun") or subprocess.run(["/usr/bin/python3", "-c", "import mpi4py"]).returncode:
        pytest.skip("there is no mpirun, or no mpi4py")
    run = completed(server, code=MPI, distributed={"kind": "mpi", "process_count_per_node": 2, "node_count": 3})
    logs = rank_logs(server, run)
    assert [log.split()[:4] for log in logs] == [["rank", str(rank), "sum", "21"] for rank in range(6)]
    [master] = {log.split()[4] for log in logs}
    assert master.split(":")[0] in three_hosts.addresses
