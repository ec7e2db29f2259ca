"""HyperDrive on a real server: of which training, in which form, and a whole tuning as people have it."""
import json
from pathlib import Path
from typing import Any

import pytest

from hyperdrive_fixtures import TRAIN, config, training  # noqa: F401
from roost_fixture import PYTHON, RoostServer
from sdk_fixtures import at_server, experiment, script, ws  # noqa: F401
from test_article import has_torch, user_runs


def test_what_a_sweep_says_wins_over_base_arguments(experiment: Any, config: Any, training: Any) -> None:
    sweep = experiment.submit(config(run_config=training(arguments=["--lr", 0.3, "--epochs", 2]), max_total_runs=1))
    sweep.wait_for_completion()
    (child,) = sweep.get_children()
    assert child.get_details()["runDefinition"]["arguments"] == ["--lr", "0.3", "--epochs", "2", "--lr", "0.5"]
    assert child.get_metrics()["lr"] == 0.5


def test_a_command(experiment: Any, config: Any, training: Any) -> None:
    made = training(script=None, command=f"{PYTHON} train.py --epochs 2")
    sweep = experiment.submit(config(run_config=made))
    sweep.wait_for_completion()
    assert sweep.get_best_run_by_primary_metric().get_metrics()["lr"] == 0.1


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_older_form_with_an_estimator(experiment: Any, script: Any) -> None:
    from azureml.train.dnn import PyTorch
    from azureml.train.hyperdrive import BanditPolicy, HyperDriveRunConfig, PrimaryMetricGoal, RandomParameterSampling, choice

    estimator = PyTorch(source_directory=str(script(TRAIN).folder), compute_target="local", entry_script="train.py",
                        script_params={"--epochs": 3}, use_gpu=False, user_managed=True)
    sampling = RandomParameterSampling({"--lr": choice(0.5, 0.1)})
    sweep = experiment.submit(HyperDriveRunConfig(estimator, sampling, "accuracy", PrimaryMetricGoal.MAXIMIZE, 8, 4, 60,
                                                  BanditPolicy(1, 5.0)))
    sweep.wait_for_completion()
    best = sweep.get_best_run_by_primary_metric()
    assert best.get_details()["runDefinition"]["arguments"] == ["--epochs", "3", "--lr", "0.1"]
    assert len([*sweep.get_children()]) == 2, "as many as there are configurations, not 8"


def test_variables_of_an_environment(experiment: Any, config: Any, training: Any) -> None:
    from azureml.core import Environment

    environment = Environment("variables")
    environment.python.user_managed_dependencies = True
    environment.python.interpreter_path = PYTHON
    environment.environment_variables = {"BIRD": "wren"}
    code = TRAIN + '    print(os.environ["BIRD"])\n'
    sweep = experiment.submit(config(run_config=training(code, environment=environment)))
    sweep.wait_for_completion()
    for child in sweep.get_children():
        assert child.get_details_with_logs()["logFiles"]["azureml-logs/70_driver_log.txt"] == "wren\n"


DISTRIBUTED = """
    import argparse
    {begin}
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float)
    args = parser.parse_args()
    {share}
    if rank == 0:
        from azureml.core import Run
        Run.get_context().log("accuracy", total)
"""


@pytest.mark.heavy("torch")
def test_children_that_are_data_parallel(experiment: Any, config: Any, training: Any) -> None:
    from azureml.core.runconfig import PyTorchConfiguration
    from azureml.train.hyperdrive import choice

    if not has_torch():
        pytest.skip("PyTorch is not installed: tools/setup demo")
    code = DISTRIBUTED.format(begin="import torch, torch.distributed as dist", share="""dist.init_process_group("gloo")
    rank, value = dist.get_rank(), torch.tensor([args.lr], dtype=torch.float64)
    dist.all_reduce(value)
    total = value.item()
    dist.destroy_process_group()""")
    made = training(code, distributed_job_config=PyTorchConfiguration(process_count=2, node_count=1))
    sweep = experiment.submit(config(space={"--lr": choice(0.25, 0.5)}, run_config=made, max_concurrent_runs=1))
    assert sweep.wait_for_completion()["status"] == "Completed"
    assert [row["best_primary_metric"] for row in sweep.get_children_sorted_by_primary_metric()] == [1.0, 0.5]
    assert len(sweep.get_best_run_by_primary_metric().get_ranks()) == 2


def test_children_of_mpi(experiment: Any, config: Any, training: Any) -> None:
    from azureml.core.runconfig import MpiConfiguration
    from azureml.train.hyperdrive import choice

    code = DISTRIBUTED.format(begin="from mpi4py import MPI", share="""rank = MPI.COMM_WORLD.Get_rank()
    total = MPI.COMM_WORLD.allreduce(args.lr)""")
    made = training(code, distributed_job_config=MpiConfiguration(process_count_per_node=2, node_count=1))
    sweep = experiment.submit(config(space={"--lr": choice(0.25, 0.5)}, run_config=made, max_concurrent_runs=1))
    assert sweep.wait_for_completion()["status"] == "Completed"
    assert [row["best_primary_metric"] for row in sweep.get_children_sorted_by_primary_metric()] == [1.0, 0.5]


TUNED = """
import argparse, os, random
from azureml.core.run import Run

parser = argparse.ArgumentParser()
parser.add_argument("--num_epochs", type=int, default=25)
parser.add_argument("--output_dir", type=str)
parser.add_argument("--learning_rate", type=float, default=0.001)
parser.add_argument("--momentum", type=float, default=0.9)
args = parser.parse_args()
run = Run.get_context()
run.log("lr", args.learning_rate)
run.log("momentum", args.momentum)

# Birds are told from one another by two numbers; the classifier is a line between them.
draw = random.Random(1)
birds = [([draw.gauss(side, 1), draw.gauss(-side, 1), 1.0], side) for side in (-1, 1) for _ in range(60)]
weights, speed = [0.0] * 3, [0.0] * 3
best = 0.0
for epoch in range(args.num_epochs):
    for features, side in birds:
        if side * sum(w * x for w, x in zip(weights, features)) < 1:
            speed = [args.momentum * v + side * x for v, x in zip(speed, features)]
            weights = [w + args.learning_rate * v for w, v in zip(weights, speed)]
    right = sum(side * sum(w * x for w, x in zip(weights, features)) > 0 for features, side in birds)
    best = max(best, right / len(birds))
    run.log("best_val_acc", best)
os.makedirs(args.output_dir, exist_ok=True)
with open(os.path.join(args.output_dir, "model.pt"), "w") as model:
    print(weights, file=model)
"""
TUNE = """
from azureml.core import Environment, Experiment, ScriptRunConfig, Workspace
from azureml.core.compute import AmlCompute, ComputeTarget
from azureml.core.compute_target import ComputeTargetException
from azureml.train.hyperdrive import BanditPolicy, HyperDriveConfig, PrimaryMetricGoal, RandomParameterSampling, uniform
from azureml.widgets import RunDetails

ws = Workspace.from_config()
try:
    compute_target = ComputeTarget(workspace=ws, name="gpu-cluster")
except ComputeTargetException:
    compute_config = AmlCompute.provisioning_configuration(vm_size="STANDARD_NC6", max_nodes=4)
    compute_target = ComputeTarget.create(ws, "gpu-cluster", compute_config)
    compute_target.wait_for_completion(show_output=True)

environment = Environment("birds")
environment.python.user_managed_dependencies = True
src = ScriptRunConfig(source_directory="project", script="train.py", compute_target=compute_target, environment=environment,
                      arguments=["--num_epochs", 20, "--output_dir", "./outputs"])
param_sampling = RandomParameterSampling({"learning_rate": uniform(0.0005, 0.005), "momentum": uniform(0.9, 0.99)})
early_termination_policy = BanditPolicy(slack_factor=0.15, evaluation_interval=1, delay_evaluation=10)
hyperdrive_config = HyperDriveConfig(run_config=src, hyperparameter_sampling=param_sampling, policy=early_termination_policy,
                                     primary_metric_name="best_val_acc", primary_metric_goal=PrimaryMetricGoal.MAXIMIZE,
                                     max_total_runs=8, max_concurrent_runs=4)
hyperdrive_run = Experiment(workspace=ws, name="birds").submit(hyperdrive_config)
RunDetails(hyperdrive_run).show()
hyperdrive_run.wait_for_completion(show_output=True)
assert hyperdrive_run.get_status() == "Completed"

best_run = hyperdrive_run.get_best_run_by_primary_metric()
best_run_metrics = best_run.get_metrics()
print(best_run)
print("Best run is:", best_run.id)
print("  Validation accuracy:", best_run_metrics["best_val_acc"][-1])
print("  Learning rate:", best_run_metrics["lr"])
print("  Momentum:", best_run_metrics["momentum"])
print("  Files:", best_run.get_file_names())
model = best_run.register_model(model_name="tuned-birds", model_path="outputs/model.pt")
print(model.name, model.id, model.version, sep="\\t")
"""


def test_a_tuning_section_as_people_have_it(at_server: RoostServer, ws: Any, tmp_path: Path) -> None:
    (tmp_path / "work/project").mkdir()
    (tmp_path / "work/project/train.py").write_text(TUNED, encoding="utf-8")
    (tmp_path / "work/tune.py").write_text(TUNE, encoding="utf-8")
    (tmp_path / "work/config.json").write_text('{"subscription_id": "s", "resource_group": "g", "workspace_name": "default"}')
    out = user_runs(at_server, PYTHON, "tune.py", folder=tmp_path / "work")
    assert "tuned-birds\ttuned-birds:1\t1\n" in out, out
    from azureml.core import Model

    model = Model(ws, "tuned-birds")
    sweep = ws.get_run(model.run_id).parent
    rows = sweep.get_children_sorted_by_primary_metric()
    assert len(rows) == 8 and rows[0]["run_id"] == model.run_id and rows[0]["best_primary_metric"] > 0.8
    values = json.loads(rows[0]["hyperparameters"])
    assert f"  Learning rate: {values['learning_rate']}\n  Momentum: {values['momentum']}\n" in out
    assert "Streaming azureml-logs/hyperdrive.txt\n" in out and "'outputs/model.pt'" in out
