"""A Slurm cluster, a server or a node that fails in the middle: no run is lost, none runs twice, none loses a line."""
import random
import time
from pathlib import Path
from typing import Any, Dict, List

import pytest

from conftest import IMPATIENT, MakeServer
from processes import wait_until
from roost_fixture import RoostServer
from slurm_cluster import SlurmCluster, attach, make_cluster, no_jobs
from test_checkpoints import COUNTING, kept

COUNT_LINES = """
    import time
    for i in range(40):
        print("line", i, flush=True)
        time.sleep(0.1)
"""
ALL_LINES = "".join(f"line {i}\n" for i in range(40)).encode()


@pytest.fixture
def cluster(standing_cluster: SlurmCluster) -> SlurmCluster:
    return standing_cluster.heal(forget=True)  # after the fault of the test before


@pytest.fixture
def server(cluster: SlurmCluster, make_server: MakeServer) -> RoostServer:
    # Longer than it takes a controller to come back, as in earnest.
    patient = {**IMPATIENT, "node_silent_seconds": 10, "node_lost_seconds": 30}
    server = make_server({**patient, **cluster.config(poll_seconds=0.5, command_seconds=5)})
    attach(server, "slurm", partition="main", cpus=1)
    return server


def completed_once(server: RoostServer, runs: List[Dict[str, Any]], output: bytes) -> None:
    for run in runs:
        ended = server.wait(run, timeout=120)
        assert ended["status"] == "Completed", (ended["error"], server.events(run))
        assert ended["attempt"] == 1 and server.log(run) == output


def test_a_node_loses_its_power(server: RoostServer, cluster: SlurmCluster) -> None:
    gang = {"kind": "pytorch", "process_count": 2, "node_count": 2}
    run = server.wait(server.submit(COUNTING, compute="slurm", max_retries=1, distributed=gang), "Running", timeout=60)
    wait_until(lambda: kept(server, run), 30, "the checkpoint to be on the server")
    lost = server.get(f"/runs/{run['id']}/ranks")["items"][1]["node"]
    cluster.power_loss(lost.split("-")[0])
    run = server.wait(run, timeout=90)
    assert run["status"] == "Completed" and run["attempt"] == 2, (run["error"], server.events(run))
    for rank in range(2):
        assert server.log(run, f"azureml-logs/70_driver_log_{rank}.txt").decode().splitlines() == [
            "from step 3 restart 1", "done"]
    # The survivor's lines of the first attempt, whole and once.
    assert server.log(run, "azureml-logs/70_driver_log_0.txt", attempt=1) == b"from step 0 restart 0\nwaiting\n"
    assert any(lost in event["reason"] for event in server.events(run)), server.events(run)
    no_jobs(cluster)


def test_slurmctld_is_killed_and_comes_back(server: RoostServer, cluster: SlurmCluster) -> None:
    runs = [server.submit(COUNT_LINES, compute="slurm") for _ in range(4)]
    for run in runs:
        server.wait(run, ("Running", "Finalizing", "Completed"), timeout=60)
    # A job that slurmctld forgets is ended by slurmd, which is another test.
    cluster.wait_for_saved_state()
    cluster.kill("slurmctld")
    late = server.submit(COUNT_LINES, compute="slurm")
    time.sleep(2)
    assert server.get_run(late)["status"] == "Queued"
    cluster.start_controller()
    completed_once(server, [*runs, late], ALL_LINES)
    no_jobs(cluster)


def test_a_job_that_slurm_forgot_and_whose_number_it_gives_again(server: RoostServer, cluster: SlurmCluster) -> None:
    blocker = cluster.run("sbatch", "--parsable", "--exclusive", f"-N{len(cluster.names)}", "-o", "/dev/null", "-D", "/", "--wrap", "sleep 600").stdout.strip()
    time.sleep(6)  # until its state is saved
    # Slurm saves its state at once, and then not for a few seconds.
    cluster.run("sbatch", "--hold", "-o", "/dev/null", "-D", "/", "--wrap", "true")
    run = server.submit(COUNT_LINES, compute="slurm")
    wait_until(lambda: len(cluster.active_jobs()) == 3, 20, "the job to be in the queue")
    number = max(int(job["id"]) for job in cluster.jobs())
    cluster.kill("slurmctld")
    cluster.start_controller()
    if len(cluster.active_jobs()) == 3:
        pytest.skip("this slurmctld had saved the job before it was killed")
    others = cluster.run("sbatch", "--parsable", "-o", "/dev/null", "-D", "/", "--job-name=somebody-else", "--wrap", "sleep 5").stdout
    assert int(others) <= number, "its number was to be used again"
    cluster.run("scancel", blocker)
    completed_once(server, [run], ALL_LINES)
    cluster.run("scancel", "--state=PENDING", "--name=wrap")
    stranger = [job for job in cluster.jobs() if job["name"] == "somebody-else"]
    assert all(not job["state"].startswith("CANCELLED") for job in stranger), "somebody else's job was taken for ours"
    no_jobs(cluster)


@pytest.mark.parametrize("seed", range(3))
def test_kill_9_at_random_moments(server: RoostServer, cluster: SlurmCluster, seed: int) -> None:
    chance = random.Random(seed)
    runs = [server.submit(COUNT_LINES, compute="slurm") for _ in range(3)]
    for _ in range(2):
        time.sleep(chance.uniform(0, 2.5))
        if chance.random() < 0.5:
            server.kill9()
            time.sleep(chance.uniform(0, 1))
            server.start()
        else:
            cluster.kill("slurmctld")
            time.sleep(chance.uniform(0, 1))
            cluster.start_controller()
        runs.append(server.submit(COUNT_LINES, compute="slurm"))
    completed_once(server, runs, ALL_LINES)
    no_jobs(cluster)


def test_a_runner_that_nobody_waits_for_leaves(server: RoostServer, cluster: SlurmCluster, tmp_path: Path) -> None:
    """A copy of a job's script, started by hand: the attempt it would join is over."""
    before = {job["id"] for job in cluster.jobs()}
    run = server.submit("print('once', flush=True)", compute="slurm")
    (job,) = wait_until(lambda: {job["id"] for job in cluster.jobs()} - before, 20, "the job")
    script = cluster.run("scontrol", "write", "batch_script", job, "-").stdout
    assert server.wait(run, timeout=60)["status"] == "Completed"
    wait_until(lambda: not server.nodes("slurm"), 30, "its node to leave")
    (tmp_path / "again").write_text(script, encoding="utf-8")
    again = cluster.run("sbatch", "--parsable", "-o", "/dev/null", "-D", "/", str(tmp_path / "again")).stdout.strip()
    wait_until(lambda: all(job["id"] != again for job in cluster.active_jobs()), 60, "the copy to end")
    assert not server.nodes("slurm") and server.log(run) == b"once\n"


def test_munge_is_down(server: RoostServer, cluster: SlurmCluster) -> None:
    cluster.kill("munged")
    run = server.submit("print(1)", compute="slurm")
    wait_until(lambda: "munge" in server.output, 60, "the server to name munge")
    assert server.get_run(run)["status"] == "Queued"
    cluster.start_munged()
    assert server.wait(run, timeout=90)["status"] == "Completed"


@pytest.mark.root
@pytest.mark.heavy("slurm")
def test_slurm_preempts_the_job(make_server: MakeServer) -> None:
    two_tiers = "PreemptType=preempt/partition_prio\nPreemptMode=CANCEL"
    partitions = ("PartitionName=low Nodes=ALL PriorityTier=1 PreemptMode=CANCEL State=UP\n"
                  "PartitionName=high Nodes=ALL PriorityTier=9 PreemptMode=OFF State=UP")
    for cluster in make_cluster(count=1, extra=two_tiers, partitions=partitions):
        server = make_server({**IMPATIENT, **cluster.config(poll_seconds=0.5)})
        attach(server, "low", partition="low")
        run = server.wait(server.submit(COUNTING, compute="low"), "Running", timeout=60)
        wait_until(lambda: kept(server, run), 30, "the checkpoint to be on the server")
        cluster.run("sbatch", "--partition=high", "--exclusive", "-o", "/dev/null", "-D", "/", "--wrap", "sleep 3")
        run = server.wait(run, timeout=90)
        assert run["status"] == "Completed" and run["attempt"] == 2, (run["error"], server.events(run))
        assert run["spec"].get("max_retries", 0) == 0 and server.log(run).decode().splitlines() == [
            "from step 3 restart 1", "done"]
        assert any("preempted" in event["reason"] for event in server.events(run)), server.events(run)
        server.close()
