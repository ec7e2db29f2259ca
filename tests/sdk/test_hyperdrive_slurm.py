"""Children of a sweep on a real Slurm cluster."""
import textwrap
from pathlib import Path
from typing import Iterator

import pytest

from conftest import IMPATIENT, MakeServer
from roost_fixture import RoostServer
from slurm_cluster import SlurmCluster
from test_article import user_runs


@pytest.fixture(scope="module")
def server(cluster: SlurmCluster, make_shared_server: MakeServer) -> Iterator[RoostServer]:
    server = make_shared_server({**IMPATIENT, **cluster.config()})
    yield server
    server.close()  # before the cluster, whoever used that last


def test_a_sweep_on_slurm(server: RoostServer, tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src/train.py").write_text(textwrap.dedent("""
        import signal, socket, sys
        from azureml.core import Run
        lr = float(sys.argv[sys.argv.index("--lr") + 1])
        run = Run.get_context()
        run.log("host", socket.gethostname())
        run.log("accuracy", 1 - lr)
        if lr > 0.5: signal.pause()  # until the policy ends it
    """), encoding="utf-8")
    (tmp_path / "tune.py").write_text(textwrap.dedent("""
        from azureml.core import Experiment, ScriptRunConfig, Workspace
        from azureml.core.compute import SlurmCompute
        from azureml.train.hyperdrive import BanditPolicy, GridParameterSampling, HyperDriveConfig, PrimaryMetricGoal, choice
        ws = Workspace.from_config()
        target = SlurmCompute.attach(ws, "a100", partition="main", cpus=1)
        src = ScriptRunConfig("src", script="train.py", compute_target=target)
        sampling = GridParameterSampling({"lr": choice(0.1, 0.4, 0.9)})
        config = HyperDriveConfig(sampling, "accuracy", PrimaryMetricGoal.MAXIMIZE, 8, 2, policy=BanditPolicy(slack_factor=0.5),
                                  run_config=src)
        sweep = Experiment(ws, "slurm").submit(config)
        sweep.wait_for_completion(show_output=True)
        best = sweep.get_best_run_by_primary_metric()
        print("best", best.id == sweep.id + "_0", best.get_metrics()["host"])
        print([row["status"] for row in sweep.get_children_sorted_by_primary_metric()])
    """), encoding="utf-8")
    (tmp_path / "config.json").write_text('{"subscription_id": "s", "resource_group": "g", "workspace_name": "default"}')
    out = user_runs(server, "/usr/bin/python3", "tune.py", folder=tmp_path)
    assert "\nbest True n" in out, out
    assert out.endswith("['Completed', 'Completed', 'Canceled']\n"), out
