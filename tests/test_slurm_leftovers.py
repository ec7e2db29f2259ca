"""What a job of Slurm leaves on its node: the cache, and nothing that grows with every job."""
from typing import Any, Dict, Iterator, List

import pytest

from conftest import IMPATIENT, MakeServer
from processes import wait_until
from roost_fixture import RoostServer
from slurm_cluster import SlurmCluster, attach, no_jobs

SLEEP = "import time; print('begun', flush=True); time.sleep(600)"


@pytest.fixture(scope="module")
def server(cluster: SlurmCluster, make_shared_server: MakeServer) -> Iterator[RoostServer]:
    cluster.start_again(cluster.names[0])  # with a disk on which nobody was before
    server = make_shared_server({**IMPATIENT, **cluster.config(poll_seconds=0.5), "tls": {"self_signed": True}})
    attach(server, "slurm", partition="first", cpus=1)
    yield server
    server.close()


def on_the_node(cluster: SlurmCluster, *words: str) -> str:
    return cluster.run("srun", "-w", cluster.names[0], *words, check=False).stdout


def left(cluster: SlurmCluster) -> List[str]:
    """Everything in the folder but the cache."""
    no_jobs(cluster)
    shown = on_the_node(cluster, "find", "/tmp/roost", "-mindepth", "1", "-maxdepth", "2", "-not", "-path", "*/cache/*",
                        "-printf", "%P\\n")
    return sorted(line for line in shown.splitlines() if not line.startswith("bin"))


def begun(server: RoostServer) -> Dict[str, Any]:
    run = server.submit(SLEEP, compute="slurm")
    server.wait(run, "Running", timeout=60)
    wait_until(lambda: b"begun" in server.log(run), 20, "the script to begin")
    return run


def test_nothing_is_left_of_a_job_that_ended(server: RoostServer, cluster: SlurmCluster) -> None:
    for _ in range(2):
        assert server.run("print('x')", compute="slurm", timeout=60)["status"] == "Completed"
    assert left(cluster) == ["nodes", "nodes/cache"]


def test_nothing_is_left_of_a_job_that_slurm_ended(server: RoostServer, cluster: SlurmCluster) -> None:
    begun(server)
    cluster.run("scancel", *(job["id"] for job in cluster.active_jobs()))
    assert left(cluster) == ["nodes", "nodes/cache"]


def test_the_next_job_removes_what_a_killed_one_left(server: RoostServer, cluster: SlurmCluster) -> None:
    begun(server)
    on_the_node(cluster, "--overlap", "pkill", "-KILL", "-f", "runner --join")
    wait_until(lambda: len(left(cluster)) > 2, 20, "something is left")
    # As if it had been killed a while ago.
    on_the_node(cluster, "sh", "-c", "touch -d '-1 hour' /tmp/roost/nodes/*/lock; rm -f /tmp/roost/nodes/*/lock.new")
    assert server.run("print('x')", compute="slurm", timeout=60)["status"] == "Completed"
    wait_until(lambda: left(cluster) == ["nodes", "nodes/cache"], 30, "the leftovers to be gone")


def test_a_run_sees_nothing_of_the_folder_but_its_own(server: RoostServer) -> None:
    run = server.run("""
        import glob, os
        programs = glob.glob("/tmp/roost/bin/*")
        print(sorted(os.listdir("/tmp/roost")), programs == [os.environ["ROOST_PROGRAM"]], os.access(programs[0], os.W_OK),
              glob.glob("/tmp/roost/nodes/*/server.json"))
        print(sorted(os.listdir("/tmp/roost/nodes/cache"))[0][:4])
    """, compute="slurm", timeout=60)
    assert run["status"] == "Completed", (run["error"], server.log(run))
    assert server.log(run).decode().splitlines() == ["['bin', 'nodes'] True False []", "sdk-"], "its own, and the program"
