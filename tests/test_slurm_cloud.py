"""A Slurm cluster that has no node switched on until somebody needs one."""
from typing import Iterator

import pytest

from conftest import IMPATIENT, MakeServer
from processes import wait_until
from slurm_cluster import SlurmCluster, attach, make_cluster


@pytest.fixture
def cluster() -> Iterator[SlurmCluster]:
    yield from make_cluster(count=2, cloud=True)


def test_from_no_node_at_all(cluster: SlurmCluster, make_server: MakeServer) -> None:
    server = make_server({**IMPATIENT, **cluster.config(poll_seconds=0.25)})
    attach(server, "cloud", partition="main")
    run = server.submit("import socket; print(socket.gethostname())", compute="cloud", node_count=2)
    wait_until(lambda: server.get_run(run)["status"] != "Queued", 60, "nodes to come up")
    assert server.get_run(run)["status"] == "Provisioning"
    run = server.wait(run, timeout=150)
    assert run["status"] == "Completed", run["error"]
    reasons = [event["reason"] for event in server.events(run) if event["to"] == "Provisioning"]
    assert reasons and reasons[0].startswith("Slurm brings up n[1-2]"), reasons
