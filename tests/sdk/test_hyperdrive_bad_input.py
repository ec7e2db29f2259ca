"""Sweeps that cannot be, and sweeps that go wrong: what is raised, and that it says what to change."""
import json
import textwrap
import warnings
from typing import Any

import pytest

from conftest import Gate
from hyperdrive_fixtures import TRAIN, config, training  # noqa: F401
from processes import wait_until
from sdk_fixtures import at_server, experiment, script, ws  # noqa: F401


def count(ws: Any) -> int:
    return len(ws._client.get(ws._path("sweeps"), limit=1000)["sweeps"])


@pytest.mark.parametrize("change, words", [
    ({"hyperparameter_sampling": lambda h: h.RandomParameterSampling({})}, "the parameter space is empty.*Name at least one"),
    ({"hyperparameter_sampling": lambda h: h.GridParameterSampling({"--lr": h.uniform(0, 1)})},
     r"--lr is uniform.*choice\(\.\.\.\), or use RandomParameterSampling"),
    ({"max_total_runs": lambda h: 0}, "max_total_runs must be a whole number of 1 or more, not 0"),
    ({"max_total_runs": lambda h: 2, "max_concurrent_runs": lambda h: 3}, "Lower the first or raise the second"),
    ({"policy": lambda h: h.BanditPolicy()}, "Give one of them by name"),
    ({"primary_metric_goal": lambda h: "higher"}, "PrimaryMetricGoal.MAXIMIZE or"),
])
def test_refused_before_anything_is_sent(ws: Any, config: Any, change: Any, words: str) -> None:
    from azureml.exceptions import UserErrorException
    from azureml.train import hyperdrive

    before = count(ws)
    with pytest.raises(UserErrorException, match=words):
        config(**{name: make(hyperdrive) for name, make in change.items()})
    assert count(ws) == before


@pytest.mark.parametrize("change, words", [
    ({"resume_from": "HD_nothing"}, "HD_nothing"),
    ({"max_total_runs": 10 ** 6, "max_concurrent_runs": 4}, r"max_total_runs.*from 1 to 100000"),
    ({"space": {"--lr": ["choice", [0.1, 0.1]]}}, r"--lr.*twice; leave one out"),
    ({"primary_metric_name": "x" * 501}, "the name of the primary metric"),
])
def test_refused_by_the_server(ws: Any, experiment: Any, config: Any, change: Any, words: str) -> None:
    from azureml.exceptions import ExperimentExecutionException

    before = count(ws)
    with pytest.raises(ExperimentExecutionException, match=words):
        experiment.submit(config(**change))
    assert count(ws) == before


def test_a_run_that_is_no_sweep_cannot_be_resumed_from(experiment: Any, config: Any, script: Any) -> None:
    from azureml.exceptions import ExperimentExecutionException, UserErrorException

    run = experiment.submit(script("print(1)\n"))
    run.wait_for_completion()
    with pytest.raises(UserErrorException, match=f"resume_from names {run.id}, which is no sweep"):
        config(resume_from=run)
    with pytest.raises(ExperimentExecutionException, match=f"names {run.id}, which is no sweep"):
        experiment.submit(config(resume_from=run.id))


def test_a_compute_or_a_script_that_is_not_there(ws: Any, experiment: Any, config: Any, training: Any) -> None:
    from azureml.exceptions import ExperimentExecutionException, UserErrorException

    before = count(ws)
    with pytest.raises(ExperimentExecutionException, match="nowhere"):
        experiment.submit(config(run_config=training(compute_target="nowhere")))
    with pytest.raises(UserErrorException, match="missing.py"):
        experiment.submit(config(run_config=training(script="missing.py")))
    assert count(ws) == before


def test_a_sweep_below_a_run_is_refused(experiment: Any, config: Any) -> None:
    from azureml.exceptions import UserErrorException

    with experiment.start_logging(snapshot_directory=None) as run:
        with pytest.raises(UserErrorException, match=r"Submit it with experiment.submit\(config\)"):
            run.submit_child(config())


@pytest.mark.parametrize("show_output", [True, False])
def test_every_child_fails(experiment: Any, config: Any, capsys: Any, show_output: bool) -> None:
    from azureml.exceptions import ActivityFailedException

    sweep = experiment.submit(config("raise ValueError('too many birds')\n", max_concurrent_runs=1))
    with pytest.raises(ActivityFailedException) as caught:
        sweep.wait_for_completion(show_output=show_output)
    text = str(caught.value)
    assert "Activity Failed" in text and "every child failed" in text and "ValueError: too many birds" in text
    assert f"{sweep.id}_0" in text
    assert caught.value.error_details["error"]["code"] == "children_failed"
    assert ("ValueError: too many birds" in capsys.readouterr().out) == show_output
    assert sweep.get_status() == "Failed" and sweep.get_best_run_by_primary_metric() is None
    assert sweep.wait_for_completion(raise_on_error=False)["status"] == "Failed"
    assert [row["status"] for row in sweep.get_children_sorted_by_primary_metric()] == ["Failed"] * 3


def test_many_are_not_tried_when_all_fail(experiment: Any, config: Any) -> None:
    from azureml.train.hyperdrive import RandomParameterSampling, uniform

    sampling = RandomParameterSampling({"--lr": uniform(0, 1)})
    sweep = experiment.submit(config("raise SystemExit(3)\n", hyperparameter_sampling=sampling, max_total_runs=1000,
                                     max_concurrent_runs=4))
    assert sweep.wait_for_completion(raise_on_error=False)["status"] == "Failed"
    assert len([*sweep.get_children()]) < 20


def test_a_script_that_does_not_take_the_argument(experiment: Any, config: Any) -> None:
    from azureml.exceptions import ActivityFailedException
    from azureml.train.hyperdrive import choice

    sweep = experiment.submit(config(space={"--learning-rate": choice(0.125, 0.25)}, max_concurrent_runs=1))
    with pytest.raises(ActivityFailedException) as caught:
        sweep.wait_for_completion()
    message = caught.value.error_details["error"]["message"]
    assert "unrecognized arguments: --learning-rate 0." in message and "exit code 2" in message, message


STRANGE = TRAIN.replace('run.log("accuracy", 1 - args.lr)', """
    from math import nan, inf
    if args.lr == 0.9:
        for value in [VALUES]: run.log("accuracy", value)
        raise SystemExit(0)
    run.log("accuracy", 0.4)
""")


@pytest.mark.parametrize("values, best", [("nan", None), ("nan, 0.5, nan", 0.5), ("inf", None), ("-inf, 0.3", 0.3)])
def test_values_that_are_no_numbers(experiment: Any, config: Any, values: str, best: Any) -> None:
    """They are intervals like others, and never the best."""
    from azureml.train.hyperdrive import BanditPolicy, choice

    sweep = experiment.submit(config(STRANGE.replace("VALUES", values), {"--lr": choice(0.2, 0.9)}, max_concurrent_runs=1,
                                     policy=BanditPolicy(slack_factor=9)))
    assert sweep.wait_for_completion()["status"] == "Completed"
    rows = sweep.get_children_sorted_by_primary_metric()
    assert {row["run_id"]: row["best_primary_metric"] for row in rows} == {f"{sweep.id}_0": 0.4, f"{sweep.id}_1": best}
    assert sweep.get_best_run_by_primary_metric().id == f"{sweep.id}_{1 if best == 0.5 else 0}"
    if best is None:
        assert [row["run_id"][-1] for row in sweep.get_children_sorted_by_primary_metric(reverse=True)] == ["0", "1"]


def test_the_server_has_the_same_best(experiment: Any, config: Any) -> None:
    from azureml.train.hyperdrive import choice

    sweep = experiment.submit(config(STRANGE.replace("VALUES", "inf"), {"--lr": choice(0.2, 0.9)}, max_concurrent_runs=1))
    details = sweep.wait_for_completion()
    assert details["properties"]["best_child_run_id"] == sweep.get_best_run_by_primary_metric().id


def test_no_child_logs_a_number(experiment: Any, config: Any) -> None:
    sweep = experiment.submit(config(TRAIN.replace("1 - args.lr", "float('nan')").replace("(float('nan'))", "float('nan')")))
    assert sweep.wait_for_completion()["status"] == "Completed"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert sweep.get_best_run_by_primary_metric() is None
    assert sweep.get_children_sorted_by_primary_metric(discard_no_metric=True) == []


def test_children_that_are_canceled_one_by_one(experiment: Any, config: Any, gate: Gate) -> None:
    from azureml.train.hyperdrive import choice

    waits = TRAIN + "    if args.lr != 0.1:\n" + textwrap.indent(gate.wait_code, "        ")
    sweep = experiment.submit(config(waits, {"--lr": choice(0.2, 0.1)}))
    first = f"{sweep.id}_0"
    wait_until(lambda: sweep.get_metrics().get(first, {}).get("lr"), 60, "the first child has logged")
    experiment.workspace.get_run(first).cancel()
    assert sweep.wait_for_completion()["status"] == "Completed"
    assert [row["status"] for row in sweep.get_children_sorted_by_primary_metric()] == ["Completed", "Canceled"]
    assert sweep.get_best_run_by_primary_metric().id == f"{sweep.id}_1"


def test_every_child_is_canceled(experiment: Any, config: Any, gate: Gate) -> None:
    """They did not fail, so the sweep does not."""
    from azureml.train.hyperdrive import choice

    sweep = experiment.submit(config(gate.wait_code, {"--lr": choice(0.2, 0.1)}))
    wait_until(lambda: len([*sweep.get_children(status="Running")]) == 2, 60, "both run")
    for child in sweep.get_children():
        child.cancel()
    details = sweep.wait_for_completion(raise_on_error=False)
    assert details["status"] in ("Completed", "Canceled") and sweep.get_best_run_by_primary_metric() is None


def test_logarithms_that_were_forgotten(experiment: Any, config: Any) -> None:
    """It runs, with a word of warning."""
    from azureml.train.hyperdrive import RandomParameterSampling, loguniform

    with pytest.warns(UserWarning, match=r"from 1 to 1.105. For values from 0.0001 to 0.1 write loguniform\(-9.21, -2.303\)"):
        space = {"--lr": loguniform(1e-4, 1e-1)}
    sweep = experiment.submit(config(hyperparameter_sampling=RandomParameterSampling(space), max_total_runs=1))
    sweep.wait_for_completion()
    (values,) = sweep.get_hyperparameters().values()
    assert 1 <= json.loads(values)["--lr"] <= 1.1053


def test_pipelines(config: Any) -> None:
    with pytest.raises(NotImplementedError, match=r"HyperDriveConfig\(pipeline=\).*run_config=ScriptRunConfig"):
        config(run_config=None, pipeline=object())


def test_at_most_five_sweeps_before(experiment: Any, config: Any) -> None:
    from azureml.exceptions import UserErrorException

    sweep = experiment.submit(config(max_total_runs=1))
    sweep.wait_for_completion()
    with pytest.raises(UserErrorException, match="at most 5 sweeps, not 6. Keep those"):
        config(resume_from=[sweep] * 6)
    with pytest.raises(UserErrorException, match="which is a whole sweep"):
        config(resume_child_runs=sweep)
