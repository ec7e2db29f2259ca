"""Runs on a real Slurm cluster whose nodes share no disk with the server."""
from typing import Any, Dict, Iterator

import pytest

import slurm_cluster
from conftest import IMPATIENT, MakeServer
from processes import wait_until
from roost_fixture import RoostServer
from slurm_cluster import SlurmCluster


@pytest.fixture(scope="module")
def cluster() -> Iterator[SlurmCluster]:
    if reason := slurm_cluster.why_not():
        pytest.skip(reason)
    made = SlurmCluster()
    yield made
    made.close()


@pytest.fixture(scope="module")
def server(cluster: SlurmCluster, make_shared_server: MakeServer) -> RoostServer:
    server = make_shared_server({**IMPATIENT, **cluster.config()})
    attach(server, "slurm", partition="main", cpus=1)
    return server


def attach(server: RoostServer, name: str, **options: Any) -> Dict[str, Any]:
    return server.expect(201, "POST", "/workspaces/default/computes", json={"name": name, "slurm": options})


def test_one_node(server: RoostServer, cluster: SlurmCluster) -> None:
    run = server.run(timeout=60, compute="slurm", code="""
        import os, socket
        print("on", socket.gethostname(), os.environ.get("SLURM_JOB_ID"))
        os.makedirs("outputs", exist_ok=True)
        open("outputs/model.txt", "w").write("weights")
    """)
    assert run["status"] == "Completed", run["error"]
    assert server.log(run).startswith(b"on n")
    wait_until(lambda: not cluster.active_jobs(), 20, "the job to end")
