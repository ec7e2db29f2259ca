"""Azure ML's code on a real Slurm cluster, and the SDK's own way to name one."""
import textwrap
from pathlib import Path
from typing import Iterator

import pytest

from conftest import IMPATIENT, MakeServer
from roost_fixture import RoostServer
from slurm_cluster import SlurmCluster
from test_article import NEAREST, SEEDS, follow_the_article, needs_article, needs_torch, user_runs


@pytest.fixture(scope="module")
def server(cluster: SlurmCluster, make_shared_server: MakeServer) -> Iterator[RoostServer]:
    server = make_shared_server({**IMPATIENT, **NEAREST, **cluster.config(vm_sizes={"STANDARD_NC6": {"partition": "main", "cpus": 2}})})
    yield server
    server.close()  # before the cluster, whoever used that last


@needs_torch
@needs_article
def test_the_article_on_slurm(server: RoostServer, tmp_path: Path) -> None:
    seed = SEEDS[0]
    follow_the_article(server, tmp_path, seed)
    (run,) = server.get(f"/workspaces/docs-{seed.name[:3]}/runs")["items"]
    assert run["node"].startswith("n"), "it ran on a node of the cluster"


def test_attach(server: RoostServer, tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src/train.py").write_text("import socket; print('on', socket.gethostname())\n", encoding="utf-8")
    (tmp_path / "submit.py").write_text(textwrap.dedent("""
        from azureml.core import Experiment, ScriptRunConfig, Workspace
        from azureml.core.compute import AmlCompute, ComputeTarget, SlurmCompute
        from azureml.core.compute_target import ComputeTargetException
        ws = Workspace.from_config()
        try:
            SlurmCompute.attach(ws, "wrong", partition="nope")
        except ComputeTargetException as error:
            print("refused:", error)
        made = SlurmCompute.attach(ws, "a100", partition="main", cpus=1)
        found = ComputeTarget(ws, "a100")
        print(type(found).__name__, found.type, found.slurm["partition"], found.provisioning_state)
        run = Experiment(ws, "slurm").submit(ScriptRunConfig("src", script="train.py", compute_target=found))
        run.wait_for_completion(show_output=True)
        print(found.get_status().serialize()["currentNodeCount"] <= 1)
        made.detach()
    """), encoding="utf-8")
    (tmp_path / "config.json").write_text('{"subscription_id": "s", "resource_group": "g", "workspace_name": "default"}')
    out = user_runs(server, "/usr/bin/python3", "submit.py", folder=tmp_path)
    assert "refused:" in out and "there is no such partition" in out
    assert "SlurmCompute Slurm main Succeeded" in out and "\non n" in out, out
