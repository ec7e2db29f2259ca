"""Slurm clusters of other kinds: no node is on until somebody needs one; nodes that see the server's disk."""
from pathlib import Path
from typing import Iterator

import pytest

from conftest import IMPATIENT, MakeServer
from local_index import make_wheel
from processes import wait_until
from slurm_cluster import SlurmCluster, attach, make_cluster


pytestmark = [pytest.mark.root, pytest.mark.heavy("slurm")]


@pytest.fixture
def cluster() -> Iterator[SlurmCluster]:
    yield from make_cluster(count=2, cloud=True)


def test_from_no_node_at_all(cluster: SlurmCluster, make_server: MakeServer) -> None:
    server = make_server({**IMPATIENT, **cluster.config(poll_seconds=0.25)})
    attach(server, "cloud", partition="main")
    run = server.submit("import socket; print(socket.gethostname())", compute="cloud", node_count=2)
    wait_until(lambda: server.get_run(run)["status"] != "Queued", 60, "nodes to come up")
    assert server.get_run(run)["status"] == "Provisioning"
    counts = server.get("/workspaces/default/computes/cloud")
    assert counts["node_state_counts"]["preparing"] == 2 and counts["current_node_count"] == 2, counts
    run = server.wait(run, timeout=150)
    assert run["status"] == "Completed", run["error"]
    reasons = [event["reason"] for event in server.events(run) if event["to"] == "Provisioning"]
    assert reasons and reasons[0].startswith("Slurm brings up n[1-2]"), reasons


def test_nodes_that_see_the_servers_disk(make_server: MakeServer, tmp_path: Path) -> None:
    make_wheel(tmp_path / "wheels", "alpha", "1.0")
    for cluster in make_cluster(count=1, shared=True):
        server = make_server({**IMPATIENT, **cluster.config(), "environments": {"wheels": str(tmp_path / "wheels"), "offline": True}})
        attach(server, "slurm", partition="main", cpus=1)
        definition = {"python": {"condaDependencies": {"dependencies": ["python", {"pip": ["alpha"]}]}}}
        server.post("/workspaces/default/environments", {"name": "shared", "definition": definition})
        run = server.run("import sys; print(sys.prefix)", timeout=60, compute="slurm", environment={"name": "shared"})
        assert run["status"] == "Completed", run["error"]
        assert server.log(run).decode().startswith(str(server.data)), "the server's own environment is used"
        assert not list(server.data.glob("environments/*.pack.tar"))
        server.close()
