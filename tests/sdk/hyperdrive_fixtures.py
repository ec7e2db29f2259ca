"""Sweeps from azureml.train.hyperdrive, as tests make them."""
from typing import Any, Callable, Dict, Optional

import pytest

from roost_fixture import PYTHON

# What most children do: the accuracy is known from the learning rate, and logged twice, the better one first.
TRAIN = """
    import argparse, os
    from azureml.core import Run
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float)
    parser.add_argument("--epochs", type=int, default=1)
    args = parser.parse_args()
    run = Run.get_context()
    run.log("accuracy", 1 - args.lr)
    run.log("accuracy", (1 - args.lr) / 2)
    run.log("lr", args.lr)
    os.makedirs("outputs", exist_ok=True)
    open("outputs/model.txt", "w").write(f"lr {args.lr}")
"""


@pytest.fixture
def training(script: Any) -> Callable[..., Any]:
    """training(code, **more) is a ScriptRunConfig of that script, with the interpreter of the tests."""

    def make(code: str = TRAIN, **more: Any) -> Any:
        from azureml.core import Environment, ScriptRunConfig

        environment = Environment("here")
        environment.python.user_managed_dependencies = True
        environment.python.interpreter_path = PYTHON
        return ScriptRunConfig(**{"source_directory": str(script(code).folder), "script": "train.py",
                                  "environment": environment, **more})

    return make


@pytest.fixture
def config(training: Any) -> Callable[..., Any]:
    """config(code, space, **more) is a HyperDriveConfig; by default a grid over --lr that maximises accuracy."""

    def make(code: str = TRAIN, space: Optional[Dict[str, Any]] = None, **more: Any) -> Any:
        from azureml.train.hyperdrive import GridParameterSampling, HyperDriveConfig, PrimaryMetricGoal, choice

        if "run_config" not in more and "estimator" not in more:
            more["run_config"] = training(code)
        return HyperDriveConfig(**{
            "hyperparameter_sampling": GridParameterSampling(space or {"--lr": choice(0.5, 0.1, 0.9)}),
            "primary_metric_name": "accuracy", "primary_metric_goal": PrimaryMetricGoal.MAXIMIZE,
            "max_total_runs": 8, "max_concurrent_runs": min(2, more.get("max_total_runs", 2)), **more})

    return make
