"""Runs on a real Slurm cluster whose nodes share no disk with the server: what they are, and how they end."""
import json
import shutil
from pathlib import Path
from typing import Any, Dict, Iterator, List

import pytest

from conftest import IMPATIENT, MakeServer
from endpoint_load import call, create, echo, path
from local_index import make_wheel
from processes import wait_until
from roost_fixture import RoostServer
from slurm_cluster import SlurmCluster, attach, no_jobs
from test_distributed import ALLREDUCE, OLDER
from test_mpi import ALLREDUCE as MPI_ALLREDUCE

SLEEP = "import time; print('begun', flush=True); time.sleep(600)"


@pytest.fixture(scope="module")
def server(cluster: SlurmCluster, make_shared_server: MakeServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RoostServer]:
    wheels = tmp_path_factory.mktemp("wheels")
    make_wheel(wheels, "alpha", "1.0")
    server = make_shared_server({**IMPATIENT, **cluster.config(poll_seconds=0.5),
                                 "environments": {"wheels": str(wheels), "offline": True}})
    attach(server, "slurm", partition="main", cpus=1)
    attach(server, "whole", partition="main")
    yield server
    server.close()  # before the cluster, whoever used that last


def completed(server: RoostServer, timeout: float = 120, **spec: Any) -> Dict[str, Any]:
    run = server.run(timeout=timeout, **{"compute": "slurm", **spec})
    assert run["status"] == "Completed", (run["error"], server.log(run)[-2000:])
    return run


def rank_logs(server: RoostServer, run: Dict[str, Any]) -> List[str]:
    ranks = server.get(f"/runs/{run['id']}/ranks")["items"]
    return [server.log(run, rank["log"]).decode() for rank in ranks]


def test_one_node(server: RoostServer, cluster: SlurmCluster) -> None:
    run = completed(server, code="""
        import os, socket
        from azureml.core import Run
        print("on", socket.gethostname(), os.environ.get("SLURM_JOB_ID"), os.path.exists("/tmp/roost"))
        Run.get_context().log("loss", 0.5)
        open("outputs/model.txt", "w").write("weights")
    """)
    words = server.log(run).decode().split()
    assert words[0] == "on" and words[1] in cluster.names and words[2:] == ["None", "True"]
    assert server.artifact(run, "outputs/model.txt") == b"weights"
    assert server.metric(run, "loss")["points"][0]["value"] == 0.5
    states = server.states(run)
    assert states[0] == "Starting" and states[-3:] == ["Running", "Finalizing", "Completed"], states
    assert run["node"].split("-")[0] == words[1]
    no_jobs(cluster)
    wait_until(lambda: not server.nodes("slurm"), 20, "the node to leave")


def test_an_endpoint_is_a_job(server: RoostServer, cluster: SlurmCluster) -> None:
    source = "import socket\ndef init(): pass\ndef run(data): return socket.gethostname()\n"
    made = create(server, "far", echo(server, source=source), compute="slurm")
    status, body, _ = call(made["scoring_uri"])
    assert status == 200 and json.loads(body) in cluster.names, body
    replica = made["deployments"][0]["replicas_now"][0]["run"]
    server.expect(200, "DELETE", path("far"))
    server.wait(replica, timeout=60)
    no_jobs(cluster)


def test_an_environment_travels(server: RoostServer) -> None:
    definition = {"python": {"condaDependencies": {"dependencies": ["python", {"pip": ["alpha"]}]}}}
    server.post("/workspaces/default/environments", {"name": "packed", "definition": definition})
    code = f"""
        import alpha, pathlib, sys
        print(alpha.__version__, alpha.__file__.startswith("/tmp/roost/"), sys.prefix.startswith("/tmp/roost/"))
        programs = [file for file in pathlib.Path(sys.prefix, "bin").iterdir() if not file.is_symlink()]
        print(len(programs) > 0, [str(file) for file in programs if {str(server.data)!r} in file.read_text()])
    """
    for _ in range(2):
        run = completed(server, code=code, environment={"name": "packed"})
        assert server.log(run).decode().splitlines() == ["1.0 True True", "True []"]


@pytest.mark.parametrize("nodes", [2, 4])
def test_ddp(server: RoostServer, nodes: int) -> None:
    run = completed(server, code=ALLREDUCE, distributed={"kind": "pytorch", "process_count": 2 * nodes, "node_count": nodes})
    total = sum(range(1, 2 * nodes + 1))
    assert [log.split() for log in rank_logs(server, run)] == [
        ["rank", str(rank), "of", str(2 * nodes), "sum", str(total)] for rank in range(2 * nodes)]
    ranks = server.get(f"/runs/{run['id']}/ranks")["items"]
    assert len({rank["node"] for rank in ranks}) == nodes


@pytest.mark.parametrize("nodes", [2, 4])
def test_mpi(server: RoostServer, nodes: int) -> None:
    if not shutil.which("mpirun"):
        pytest.skip("there is no mpirun here")
    run = completed(server, code=MPI_ALLREDUCE, distributed={"kind": "mpi", "process_count_per_node": 2, "node_count": nodes})
    total = str(sum(range(1, 2 * nodes + 1)))
    assert [log.split()[:6] for log in rank_logs(server, run)] == [
        ["rank", str(rank), "of", str(2 * nodes), "sum", total] for rank in range(2 * nodes)]


def test_the_older_contract_needs_no_shared_disk(server: RoostServer) -> None:
    run = completed(server, code=OLDER, distributed={"kind": "pytorch", "node_count": 2},
                    arguments=["--dist-url", "$AZ_BATCHAI_PYTORCH_INIT_METHOD", "--rank", "$AZ_BATCHAI_TASK_INDEX",
                               "--world-size", "2"])
    assert [log.split() for log in rank_logs(server, run)] == [["tcp", "0", "2"], ["tcp", "1", "2"]]


def test_cancel_while_it_waits(server: RoostServer, cluster: SlurmCluster) -> None:
    first = server.submit(SLEEP, compute="whole", node_count=4)
    server.wait(first, "Running", timeout=60)
    second = server.submit(SLEEP, compute="whole", node_count=2)
    wait_until(lambda: len(cluster.active_jobs()) == 2, 20, "the second job in the queue")
    assert server.get_run(second)["status"] == "Queued"
    server.cancel(second)
    assert server.wait(second)["status"] == "Canceled"
    wait_until(lambda: len(cluster.active_jobs()) == 1, 20, "the second job to go")
    server.cancel(first)
    assert server.wait(first)["status"] == "Canceled"
    no_jobs(cluster)


def test_time_limit(server: RoostServer, cluster: SlurmCluster) -> None:
    run = server.run(SLEEP, timeout=60, compute="slurm", max_run_duration_seconds=2)
    assert run["status"] == "Canceled" and run["error"]["code"] == "time_limit", run["error"]
    no_jobs(cluster)


def test_slurms_own_time_limit(server: RoostServer, cluster: SlurmCluster) -> None:
    run = server.wait(server.submit(SLEEP, compute="slurm"), "Running", timeout=60)
    (job,) = cluster.active_jobs()
    cluster.run("scontrol", "update", f"jobid={job['id']}", "EndTime=now+2")
    wait_until(lambda: server.log(run) == b"begun\n", 20, "its output")
    run = server.wait(run, timeout=120)
    assert run["status"] == "Canceled" and run["error"]["code"] == "time_limit", run["error"]
    assert "Slurm ended job" in run["error"]["message"]
    no_jobs(cluster)


def test_a_job_canceled_by_hand(server: RoostServer, cluster: SlurmCluster) -> None:
    run = server.wait(server.submit("""
        import signal, sys, time
        def last_words(*_):
            signal.signal(signal.SIGTERM, signal.SIG_IGN)  # Slurm and the runner both send it
            print("asked to end", flush=True)
            open("outputs/late.txt", "w").write("saved")
            sys.exit(0)
        signal.signal(signal.SIGTERM, last_words)
        print("begun", flush=True)
        time.sleep(600)
    """, compute="slurm"), "Running", timeout=60)
    wait_until(lambda: server.log(run) == b"begun\n", 20, "its output")
    (job,) = cluster.active_jobs()
    cluster.run("scancel", job["id"])
    run = server.wait(run, timeout=40)
    assert run["status"] == "Canceled" and "canceled outside of Roost" in server.events(run)[-1]["reason"]
    assert server.log(run) == b"begun\nasked to end\n"
    assert server.artifact(run, "outputs/late.txt") == b"saved"


def test_a_rank_fails(server: RoostServer, cluster: SlurmCluster) -> None:
    run = server.run("""
        import os, time
        if os.environ["RANK"] == "2":
            raise ValueError("rank two is to blame")
        time.sleep(600)
    """, timeout=60, compute="slurm", distributed={"kind": "pytorch", "process_count": 4, "node_count": 2})
    assert run["status"] == "Failed" and run["error"]["rank"] == 2, run["error"]
    assert "rank two is to blame" in run["error"]["message"]
    no_jobs(cluster)


def test_many_runs_go_as_one_array(server: RoostServer, cluster: SlurmCluster) -> None:
    # One at a time until all have come, however long that takes: then they go together.
    server.expect(201, "POST", "/workspaces/default/computes",
                  json={"name": "many", "max_nodes": 1, "slurm": {"partition": "main", "cpus": 1}})
    blocker = server.wait(server.submit(SLEEP, compute="whole", node_count=4), "Running", timeout=60)
    runs = [server.submit(f"print({i})", compute="many") for i in range(30)]
    wait_until(lambda: len(cluster.active_jobs()) == 2, 30, "the first of them in the queue")
    before = {job["name"] for job in cluster.jobs()}
    server.expect(200, "PATCH", "/workspaces/default/computes/many", json={"max_nodes": 30})
    wait_until(lambda: len(cluster.active_jobs()) == 31, 30, "all of them in the queue")
    assert len({job["name"] for job in cluster.jobs()} - before) == 1
    server.cancel(runs[7])
    server.cancel(blocker)
    for i, run in enumerate(runs):
        ended = server.wait(run, timeout=90)
        assert ended["status"] == ("Canceled" if i == 7 else "Completed"), ended["error"]
        assert i == 7 or server.log(run) == f"{i}\n".encode()
    no_jobs(cluster)


def test_a_vm_size_that_the_operator_gave_to_slurm(cluster: SlurmCluster, make_server: MakeServer) -> None:
    server = make_server({**IMPATIENT, **cluster.config(vm_sizes={"standard_nc6": {"partition": "main", "cpus": 2}})})
    body = {"name": "gpu-cluster", "vm_size": "STANDARD_NC6", "max_nodes": 1}
    made = server.expect(201, "POST", "/workspaces/default/computes", json=body)
    assert made["type"] == "AmlCompute" and made["slurm"]["partition"] == "main"
    local = server.expect(201, "POST", "/workspaces/default/computes", json={"name": "other", "vm_size": "STANDARD_D2_V2"})
    assert local["slurm"] is None
    first, second = (server.submit(SLEEP, compute="gpu-cluster") for _ in range(2))
    server.wait(first, "Running", timeout=60)
    assert len(cluster.active_jobs()) == 1, "max_nodes is one"
    server.cancel(first)
    server.wait(second, "Running", timeout=60)
    server.stop()  # `roost down`
    no_jobs(cluster)


def queue_entry(server: RoostServer, run: Dict[str, Any]) -> Dict[str, Any]:
    found = server.get(f"/workspaces/default/queue?run={run['id']}")["items"]
    return found[0] if found else {}


def test_the_queue_has_slurms_reasons(server: RoostServer, cluster: SlurmCluster) -> None:
    first = server.wait(server.submit(SLEEP, compute="whole", node_count=4), "Running", timeout=60)
    second = server.submit(SLEEP, compute="whole", node_count=2)
    wait_until(lambda: "2 nodes to become free" in queue_entry(server, second).get("reason", ""), 30, "Slurm's reason")
    shown = server.cli("queue").stdout
    assert "waiting for 2 nodes to become free" in shown, shown
    assert "waiting for 2 nodes to become free" in server.cli("show", second["id"]).stdout
    attach(server, "narrow", partition="narrow", cpus=1)
    wide = server.submit(SLEEP, compute="narrow", node_count=2)
    wait_until(lambda: "partition limit" in queue_entry(server, wide).get("reason", ""), 30, "Slurm's reason")
    assert server.get_run(wide)["status"] == "Queued"
    for run in (first, second, wide):
        server.cancel(run)
    no_jobs(cluster)


def test_attached_by_the_command_line(server: RoostServer) -> None:
    shown = server.cli("compute", "attach", "slurm", "by-hand", "--partition", "main", "--cpus", "1", "--max-nodes", "2").stdout
    assert "partition main" in shown and "cpus 1" in shown, shown
    wrong = server.cli("compute", "attach", "slurm", "by-hand2", "--partition", "nope", check=False)
    assert wrong.returncode != 0 and "there is no such partition" in wrong.stderr
    assert completed(server, code="print(1)", compute="by-hand")
    server.cli("compute", "rm", "by-hand")


def test_over_tls(cluster: SlurmCluster, make_server: MakeServer) -> None:
    config = {**IMPATIENT, **cluster.config(), "tls": {"self_signed": True}}
    del config["allow_insecure"]
    server = make_server(config)
    attach(server, "slurm", partition="main", cpus=1)
    run = completed(server, code="from azureml.core import Run; Run.get_context().log('a', 1); print('safe')")
    assert server.log(run) == b"safe\n" and server.metric(run, "a")["points"]


def test_a_compute_that_is_removed_while_its_node_leaves(server: RoostServer, cluster: SlurmCluster) -> None:
    attach(server, "short", partition="main", cpus=1)
    completed(server, code="print(1)", compute="short")
    server.expect((202, 200), "DELETE", "/workspaces/default/computes/short")
    wait_until(lambda: server.api("GET", "/workspaces/default/computes/short").status == 404, 20, "it to be gone")


def test_through_a_login_node(cluster: SlurmCluster, make_server: MakeServer, tmp_path: Path) -> None:
    """ssh is played: a shell on the other side puts the words together again, as sshd has it."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "ssh").write_text("#!/bin/sh\nwhile [ \"$1\" != -- ]; do shift; done\nshift\n"
                                f"export SLURM_CONF={cluster.folder}/slurm.conf\nexec sh -c \"$*\"\n", encoding="utf-8")
    (folder / "ssh").chmod(0o755)
    config = {**IMPATIENT, **cluster.config()}
    config["slurm"] = {"login": "me@login1", "folder": "/tmp/roost"}
    server = make_server(config, start=False)
    server.environment["PATH"] = f"{folder}:{server.environment['PATH']}"
    server.start()
    attach(server, "slurm", partition="main", cpus=1)
    run = completed(server, code="print('from afar')", tags={"note": "it's \"quoted\" $HOME"})
    assert server.log(run) == b"from afar\n"


def test_what_slurm_refuses(server: RoostServer) -> None:
    answer = server.api("POST", "/workspaces/default/computes", json={"name": "wrong", "slurm": {"partition": "nope"}})
    assert answer.status == 400 and "there is no such partition" in answer.json["error"]["message"]
    answer = server.api("POST", "/workspaces/default/computes", json={"name": "wrong", "slurm": {"partition": "--wrap=x"}})
    assert answer.status == 400 and "Slurm has no such name" in answer.json["error"]["message"]
    attach(server, "big", partition="main", cpus=1)
    gone = {"name": "gone", "slurm": {"partition": "main", "constraint": "gpu"}}
    assert server.api("POST", "/workspaces/default/computes", json=gone).status == 400
