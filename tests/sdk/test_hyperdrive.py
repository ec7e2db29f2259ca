"""HyperDrive on a real server: what is drawn and stopped, what HyperDriveRun answers, what is resumed."""
import json
import subprocess
import sys
import textwrap
import threading
import zipfile
from pathlib import Path
from typing import Any

import pytest

from conftest import Gate
from hyperdrive_fixtures import TRAIN, config, training  # noqa: F401
from processes import wait_until
from roost_fixture import RoostServer
from sdk_fixtures import at_server, experiment, script, ws  # noqa: F401
from sdk_python import SDK

# Children with an lr of 0.9 log nothing but another metric, those with 0.7 fail after a value.
FIRST = 'run.log("accuracy", 1 - args.lr)'
UNEVEN = TRAIN.replace(FIRST, f'if args.lr == 0.9: run.log("loss", 1); raise SystemExit(0)\n    {FIRST}') + """
    if args.lr == 0.7: raise RuntimeError("no such bird")
"""


def test_from_submit_to_the_registered_model(ws: Any, experiment: Any, config: Any, capsys: Any) -> None:
    from azureml.train.hyperdrive import HyperDriveRun

    made = config()
    sweep = experiment.submit(made, tags={"colour": "red"})
    assert isinstance(sweep, HyperDriveRun) and sweep.id.startswith("HD_") and sweep.hyperdrive_config is made
    assert (sweep.type, sweep.parent, sweep.get_tags()) == ("hyperdrive", None, {"colour": "red"})
    assert repr(sweep).startswith(f"HyperDriveRun(Experiment: {experiment.name},\nId: {sweep.id},\nType: hyperdrive,\n")
    details = sweep.wait_for_completion(show_output=True)
    assert details["status"] == "Completed" == sweep.get_status() and details["runId"] == sweep.id
    best = sweep.get_best_run_by_primary_metric()
    assert best.id == f"{sweep.id}_1" and best.parent.id == sweep.id and best.type == "azureml.scriptrun"
    assert type(best.parent) is HyperDriveRun and best.get_metrics()["accuracy"] == [0.9, 0.45]
    assert best.get_details()["runDefinition"]["arguments"] == ["--lr", "0.1"]
    model = best.register_model(model_name=experiment.name, model_path="outputs/model.txt")
    assert (model.name, model.version, model.run_id) == (experiment.name, 1, best.id)
    assert Path(model.download("models")).read_text() == "lr 0.1"
    children = [*sweep.get_children()]
    assert [child.id for child in children] == [f"{sweep.id}_{n}" for n in (2, 1, 0)]
    assert {type(child).__name__ for child in children} == {"Run"}
    assert len({child.get_snapshot_id() for child in [sweep, *children]}) == 1, "one snapshot for all"


def test_what_is_streamed(experiment: Any, config: Any, capsys: Any) -> None:
    sweep = experiment.submit(config(max_total_runs=2))
    assert capsys.readouterr().out == ""
    sweep.wait_for_completion(show_output=True)
    printed = capsys.readouterr().out
    assert printed.startswith(f"RunId: {sweep.id}\nWeb View: {sweep.get_portal_url()}\n\n"
                              "Streaming azureml-logs/hyperdrive.txt\n=====================================\n\n")
    assert printed.endswith(f"Execution Summary\n=================\nRunId: {sweep.id}\nWeb View: {sweep.get_portal_url()}\n\n")
    said = [line.partition("[")[2].partition("]")[2] for line in printed.splitlines() if line.startswith("[20")]
    said = [line for line in said if line != "[API][INFO]Experiment created"]
    assert said[:2] == ["[GENERATOR][INFO]Trying to sample '2' jobs from the hyperparameter space",
                        "[GENERATOR][INFO]Successfully sampled '2' jobs, they will soon be submitted to the execution target."]
    for number in (0, 1):
        assert said.index(f"[SCHEDULER][INFO]Scheduling job, id='{sweep.id}_{number}'") < said.index(
            f"[SCHEDULER][INFO]Successfully scheduled a job. Id='{sweep.id}_{number}'")
    prepared = "[SCHEDULER][INFO]The execution environment "
    assert [line[len(prepared):] for line in said if line.startswith(prepared)] == [
        "is being prepared. Please be patient as it can take a few minutes.", "was successfully prepared."]
    assert said.index("[GENERATOR][INFO]Max number of jobs '2' reached for experiment.") + 1 == said.index(
        "[GENERATOR][INFO]All jobs generated.")
    assert said[-1] == "[CONTROLLER][INFO]Changing Run Status from Running to Completed"


def test_the_log_begins_as_azures(experiment: Any, config: Any) -> None:
    sweep = experiment.submit(config(max_total_runs=1))
    sweep.wait_for_completion()
    log = sweep.get_details_with_logs()["logFiles"]["azureml-logs/hyperdrive.txt"]
    assert log.splitlines()[0].endswith("[API][INFO]Experiment created")


def test_details(experiment: Any, config: Any) -> None:
    from azureml.train.hyperdrive import BanditPolicy, RandomParameterSampling, choice

    sampling = RandomParameterSampling({"--lr": choice(0.1, 0.2, 0.3)}, {"seed": 3})
    sweep = experiment.submit(config(hyperparameter_sampling=sampling, policy=BanditPolicy(slack_factor=0.5)))
    details = sweep.wait_for_completion()
    properties = details["properties"]
    assert json.loads(properties["primary_metric_config"]) == {"name": "accuracy", "goal": "maximize"}
    assert (properties["runTemplate"], properties["azureml.runsource"], properties["platform"]) == (
        "HyperDrive", "hyperdrive", "AML")
    assert (properties["resume_from"], properties["space_size"]) == ("null", "3")
    best = sweep.get_best_run_by_primary_metric()
    assert (properties["best_child_run_id"], properties["best_metric_status"]) == (best.id, "Succeeded")
    assert float(properties["score"]) == 0.9 and properties["ContentSnapshotId"] == sweep.get_snapshot_id()
    assert list(details["logFiles"]) == ["azureml-logs/hyperdrive.txt"] and details["target"] == "local"
    assert details["startTimeUtc"] <= details["endTimeUtc"]
    assert details["runDefinition"]["telemetryValues"] == {
        "samplingMethod": "RANDOM", "terminationPolicy": "Bandit", "primaryMetricGoal": "maximize", "maxTotalRuns": 8,
        "maxConcurrentRuns": 2, "maxDurationMinutes": 10080}
    assert "All jobs generated." in sweep.get_details_with_logs()["logFiles"]["azureml-logs/hyperdrive.txt"]


def test_children_by_the_metric(experiment: Any, config: Any) -> None:
    from azureml.train.hyperdrive import choice

    sweep = experiment.submit(config(UNEVEN, {"--lr": choice(0.5, 0.1, 0.9, 0.7)}))
    assert sweep.wait_for_completion()["status"] == "Completed", "one that fails does not fail the sweep"
    rows = sweep.get_children_sorted_by_primary_metric()
    assert rows[0] == {"run_id": f"{sweep.id}_1", "hyperparameters": '{"--lr": 0.1}', "best_primary_metric": 0.9,
                       "status": "Completed"}
    values = [row["best_primary_metric"] for row in rows]
    assert values[:3] == pytest.approx([0.9, 0.5, 0.3]) and values[3] is None
    assert [row["status"] for row in rows] == ["Completed", "Completed", "Failed", "Completed"]

    def order(**how: Any) -> Any:
        return [json.loads(row["hyperparameters"])["--lr"] for row in sweep.get_children_sorted_by_primary_metric(**how)]

    assert order() == [0.1, 0.5, 0.7, 0.9] and order(top=2) == [0.1, 0.5]
    assert order(reverse=True) == [0.7, 0.5, 0.1, 0.9], "those without the metric are last in any case"
    assert order(reverse=True, top=1) == [0.7] and order(discard_no_metric=True) == [0.1, 0.5, 0.7]
    assert order(top=9, discard_no_metric=True) == [0.1, 0.5, 0.7]
    assert sweep.get_hyperparameters() == {f"{sweep.id}_{n}": json.dumps({"--lr": lr})
                                           for n, lr in enumerate([0.5, 0.1, 0.9, 0.7])}
    metrics = sweep.get_metrics()
    assert metrics[f"{sweep.id}_1"] == {"accuracy": [0.9, 0.45], "lr": 0.1} and metrics[f"{sweep.id}_2"] == {"loss": 1}
    assert sweep.get_metrics(name="lr")[f"{sweep.id}_0"] == {"lr": 0.5}
    assert list(metrics) == [f"{sweep.id}_{n}" for n in range(4)]


def test_the_best_by_goal_and_by_how_children_ended(experiment: Any, config: Any) -> None:
    from azureml.train.hyperdrive import PrimaryMetricGoal, choice

    sweep = experiment.submit(config(UNEVEN, {"--lr": choice(0.5, 0.7)}, primary_metric_goal=PrimaryMetricGoal.MINIMIZE))
    sweep.wait_for_completion()
    best = sweep.get_best_run_by_primary_metric()
    assert best.id == f"{sweep.id}_1" and best.status == "Failed", "0.15 is the least that any logged"
    assert sweep.get_best_run_by_primary_metric(include_failed=False).id == f"{sweep.id}_0"
    assert [row["best_primary_metric"] for row in sweep.get_children_sorted_by_primary_metric()] == pytest.approx([0.15, 0.25])


def test_no_child_has_the_metric(experiment: Any, config: Any) -> None:
    from azureml.train.hyperdrive import choice

    sweep = experiment.submit(config(UNEVEN, {"--lr": choice(0.9)}))
    assert sweep.wait_for_completion()["status"] == "Completed"
    with pytest.warns(UserWarning, match="has a value of 'accuracy'.* What they logged: 'loss'.*primary_metric_name") as caught:
        assert sweep.get_best_run_by_primary_metric() is None
    assert caught[0].filename == __file__
    assert sweep.get_children_sorted_by_primary_metric(discard_no_metric=True) == []
    (row,) = sweep.get_children_sorted_by_primary_metric()
    assert row["best_primary_metric"] is None
    assert "best_child_run_id" not in sweep.get_properties()


def test_the_log_tells_once_that_no_child_has_the_metric(experiment: Any, config: Any) -> None:
    """And it is among the warnings."""
    from azureml.train.hyperdrive import choice

    sweep = experiment.submit(config(UNEVEN, {"--lr": choice(0.9)}))
    details = sweep.wait_for_completion()
    log = sweep.get_details_with_logs()["logFiles"]["azureml-logs/hyperdrive.txt"]
    (line,) = [line for line in log.splitlines() if "accuracy" in line]
    assert "loss" in line, "which name was looked for, and what there was"
    assert [warning["message"] for warning in details["warnings"]] == [line.partition("[INFO]")[2]]


def test_a_list_is_an_interval_for_each_value(experiment: Any, config: Any, at_server: RoostServer) -> None:
    sweep = experiment.submit(config(TRAIN + '    run.log_list("accuracy", [0.2, 0.99, 0.3])\n', max_total_runs=1))
    sweep.wait_for_completion()
    (trial,) = at_server.get(f"/sweeps/{sweep.id}/trials")["trials"]
    assert (trial["intervals"], trial["best"], trial["last"]) == (5, 0.99, 0.3)
    assert sweep.get_children_sorted_by_primary_metric()[0]["best_primary_metric"] == 0.99


def test_bandit_stops_a_child_and_says_why(experiment: Any, config: Any) -> None:
    from azureml.exceptions import ActivityFailedException
    from azureml.train.hyperdrive import BanditPolicy, choice

    waits = TRAIN + "    import signal\n    if args.lr > 0.5: signal.pause()\n"  # it ends only by being stopped
    sweep = experiment.submit(config(waits, {"--lr": choice(0.1, 0.9)}, policy=BanditPolicy(slack_factor=0.1),
                                     max_concurrent_runs=1))
    assert sweep.wait_for_completion()["status"] == "Completed"
    stopped = experiment.workspace.get_run(f"{sweep.id}_1")
    assert stopped.get_status() == "Canceled"
    reason = "stopped at interval 1: 0.100 is below the cut 0.818 (best 0.900, slack 0.1)"
    assert [warning["message"] for warning in stopped.get_details()["warnings"]] == [reason]
    with pytest.raises(ActivityFailedException, match="Activity Canceled") as caught:
        stopped.wait_for_completion()
    assert caught.value.error_details["error"]["message"] == reason
    assert sweep.get_best_run_by_primary_metric(include_canceled=False).id == f"{sweep.id}_0"
    assert [row["status"] for row in sweep.get_children_sorted_by_primary_metric(reverse=True)] == ["Canceled", "Completed"]


@pytest.mark.parametrize("policy", ["MedianStoppingPolicy", "TruncationSelectionPolicy", "NoTerminationPolicy"])
def test_other_policies(experiment: Any, config: Any, policy: str) -> None:
    from azureml.train import hyperdrive

    arguments = {"TruncationSelectionPolicy": {"truncation_percentage": 20, "evaluation_interval": 1}}.get(policy, {})
    sweep = experiment.submit(config(policy=getattr(hyperdrive, policy)(**arguments)))
    assert sweep.wait_for_completion()["status"] == "Completed"
    assert sweep.get_best_run_by_primary_metric().id == f"{sweep.id}_1"


def test_bayesian_sampling_takes_a_policy(experiment: Any, config: Any) -> None:
    """Azure refuses that; here it is allowed."""
    from azureml.train.hyperdrive import BanditPolicy, BayesianParameterSampling, choice, quniform, uniform

    space = {"--lr": uniform(0.1, 0.9), "--epochs": quniform(1, 9, 2), "--kind": choice("a", "b")}
    code = TRAIN.replace("args =", 'parser.add_argument("--kind")\n    args =')
    sweep = experiment.submit(config(code, hyperparameter_sampling=BayesianParameterSampling(space), max_total_runs=4,
                                     policy=BanditPolicy(slack_amount=0.9)))
    assert sweep.wait_for_completion()["runDefinition"]["telemetryValues"]["samplingMethod"] == "BAYESIANOPTIMIZATION"
    drawn = [json.loads(text) for text in sweep.get_hyperparameters().values()]
    assert len(drawn) == 4 and all(0.1 <= one["--lr"] <= 0.9 for one in drawn)
    assert all(type(one["--epochs"]) is int for one in drawn), "a q that is whole gives whole numbers: scripts say type=int"


def test_every_expression_reaches_a_child(experiment: Any, config: Any) -> None:
    from azureml.train.hyperdrive import (RandomParameterSampling, choice, lognormal, loguniform, normal, qlognormal,
                                          qloguniform, qnormal, quniform, randint, uniform)

    space = {"choice": choice("a b", "c"), "--randint": randint(4), "uniform": uniform(1, 2), "-q": quniform(0, 1, 0.25),
             "loguniform": loguniform(-5, -1), "qloguniform": qloguniform(1, 4, 2), "normal": normal(0, 1),
             "qnormal": qnormal(0, 9, 3), "lognormal": lognormal(0, 1), "qlognormal": qlognormal(2, 1, 1)}
    code = "import sys\nfrom azureml.core import Run\nprint(sys.argv[1:])\nRun.get_context().log('accuracy', 1)\n"
    made = config(code, hyperparameter_sampling=RandomParameterSampling(space, {"seed": 11, "rule": "sobol"}), max_total_runs=1)
    sweep = experiment.submit(made)
    sweep.wait_for_completion()
    (values,) = [json.loads(text) for text in sweep.get_hyperparameters().values()]
    (child,) = sweep.get_children()
    arguments = child.get_details()["runDefinition"]["arguments"]
    assert arguments[::2] == ["--choice", "--randint", "--uniform", "-q", "--loguniform", "--qloguniform", "--normal",
                              "--qnormal", "--lognormal", "--qlognormal"]
    assert arguments[1::2] == [v if isinstance(v, str) else json.dumps(v) for v in values.values()]
    assert child.get_details_with_logs()["logFiles"]["azureml-logs/70_driver_log.txt"] == f"{arguments}\n"
    assert 1 <= values["uniform"] <= 2 and 0.006 < values["loguniform"] < 0.37 and values["qloguniform"] % 2 == 0
    assert values["qnormal"] % 3 == 0 and values["-q"] % 0.25 == 0 and values["--randint"] in range(4)


def test_the_base_of_logarithms(experiment: Any, config: Any) -> None:
    from azureml.train.hyperdrive import RandomParameterSampling, loguniform

    sampling = RandomParameterSampling({"lr": loguniform(-4, -3)}, {"seed": 5, "logbase": 10})
    sweep = experiment.submit(config(hyperparameter_sampling=sampling, max_total_runs=3))
    sweep.wait_for_completion()
    drawn = [json.loads(text)["lr"] for text in sweep.get_hyperparameters().values()]
    assert len(drawn) == 3 and all(1e-4 <= lr <= 1e-3 for lr in drawn)


def test_found_again(at_server: RoostServer, ws: Any, experiment: Any, config: Any) -> None:
    from azureml.core import Experiment, Run
    from azureml.core.run import get_run
    from azureml.train.hyperdrive import HyperDriveRun

    sweep = experiment.submit(config())
    sweep.wait_for_completion()
    found = [HyperDriveRun(experiment, sweep.id), HyperDriveRun(experiment=experiment, run_id=sweep.id, hyperdrive_config=None),
             Run.get(ws, sweep.id), ws.get_run(sweep.id), get_run(experiment, sweep.id), *experiment.get_runs(),
             *Run.list(experiment), *experiment.get_runs(type="hyperdrive"),
             next(e for e in Experiment.list(ws) if e.name == experiment.name).get_runs().__next__()]
    assert len(found) == 9 and {(type(run), run.id) for run in found} == {(HyperDriveRun, sweep.id)}
    assert found[0].hyperdrive_config is None
    plain = Run(experiment, sweep.id)
    for run in [*found, plain]:
        assert run.get_best_run_by_primary_metric().id == f"{sweep.id}_1"
    assert plain.get_hyperparameters() == sweep.get_hyperparameters()
    assert plain.get_children_sorted_by_primary_metric(top=1) == sweep.get_children_sorted_by_primary_metric(top=1)
    code = f"""
        from azureml.core import Run, Workspace
        run = Run.get(Workspace.get("default"), {sweep.id!r})
        print(type(run).__module__, type(run).__name__, run.get_best_run_by_primary_metric().id)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=60,
                          env={**at_server.environment, "PYTHONPATH": str(SDK)}, check=True)
    assert done.stdout == f"azureml.train.hyperdrive.run HyperDriveRun {sweep.id}_1\n"


def test_what_is_no_sweep(experiment: Any, script: Any) -> None:
    from azureml.exceptions import UserErrorException
    from azureml.train.hyperdrive import HyperDriveRun

    run = experiment.submit(script("print(1)\n"))
    run.wait_for_completion()
    for ask in (run.get_best_run_by_primary_metric, run.get_children_sorted_by_primary_metric, run.get_hyperparameters,
                lambda: HyperDriveRun(experiment, run.id)):
        with pytest.raises(UserErrorException, match=f"run {run.id} is no sweep"):
            ask()


def test_a_child_knows_its_sweep(experiment: Any, config: Any) -> None:
    code = TRAIN + """
    import os
    parent = run.parent
    print(type(parent).__name__, parent.id, os.environ["AZUREML_PARAMETER_lr"], list(parent.get_hyperparameters()))
    """
    sweep = experiment.submit(config(code, max_total_runs=1))
    sweep.wait_for_completion()
    (child,) = sweep.get_children()
    log = child.get_details_with_logs()["logFiles"]["azureml-logs/70_driver_log.txt"]
    assert log == f"HyperDriveRun {sweep.id} 0.5 ['{child.id}']\n"


def test_cancel(experiment: Any, config: Any, gate: Gate) -> None:
    from azureml.exceptions import ActivityFailedException

    sweep = experiment.submit(config(TRAIN + textwrap.indent(gate.wait_code, "    "), max_concurrent_runs=2))
    wait_until(lambda: sum(run.get_status() == "Running" for run in sweep.get_children()) == 2, 60, "two children run")
    assert sweep.cancel() is True
    with pytest.raises(ActivityFailedException, match="Activity Canceled"):
        sweep.wait_for_completion()
    assert sweep.get_status() == "Canceled" and sweep.cancel() is False
    wait_until(lambda: {run.get_status() for run in sweep.get_children()} == {"Canceled"}, 60, "so do they")
    assert len([*sweep.get_children()]) == 2 == len(sweep.get_metrics()) == len(sweep.get_hyperparameters())


def test_a_sweep_that_goes_on(experiment: Any, config: Any, gate: Gate, tmp_path: Path) -> None:
    """What is asked too early gets what there is."""
    sweep = experiment.submit(config(textwrap.indent(gate.wait_code, "    ") + TRAIN, max_concurrent_runs=1))
    wait_until(lambda: [*sweep.get_children()], 60, "the first child")
    assert sweep.get_best_run_by_primary_metric() is None and sweep.get_metrics() == {f"{sweep.id}_0": {}}
    assert [row["best_primary_metric"] for row in sweep.get_children_sorted_by_primary_metric()] == [None]
    assert sweep.get_status() == "Running" and sweep.get_details()["properties"]["space_size"] == "3"
    gate.open()
    assert sweep.wait_for_completion()["status"] == "Completed" and len(sweep.get_metrics()) == 3


def test_a_server_that_restarts_interrupts_nobody(make_server: Any, monkeypatch: Any, config: Any, gate: Gate,
                                                  capsys: Any) -> None:
    """It comes back at another port. Every line of the sweep's log is printed once."""
    from azureml.core import Experiment, Workspace

    server = make_server()
    monkeypatch.setenv("ROOST_DATA", str(server.data))
    monkeypatch.delenv("ROOST_URL", raising=False)
    monkeypatch.delenv("ROOST_TOKEN", raising=False)
    sweep = Experiment(Workspace.get("default"), "restart").submit(
        config(TRAIN + textwrap.indent(gate.wait_code, "    "), max_concurrent_runs=1))
    waiting = threading.Thread(target=sweep.wait_for_completion, kwargs={"show_output": True})
    waiting.start()
    wait_until(lambda: sweep.get_metrics().get(f"{sweep.id}_0"), 60, "the first child has logged")
    server.restart()
    gate.open()
    waiting.join(120)
    assert sweep.get_status() == "Completed" and not waiting.is_alive()
    printed = [line for line in capsys.readouterr().out.splitlines() if line.startswith("[20")]
    log = sweep.get_details_with_logs()["logFiles"]["azureml-logs/hyperdrive.txt"]
    assert printed == log.splitlines() and log.count("Successfully scheduled a job.") == 3


def test_a_sweep_ends_by_its_children(experiment: Any, config: Any) -> None:
    sweep = experiment.submit(config())
    for end in (sweep.fail, sweep.complete):
        with pytest.raises(NotImplementedError, match=r"Use cancel\(\)"):
            end()
    sweep.wait_for_completion()


def test_diagnostics(experiment: Any, config: Any) -> None:
    sweep = experiment.submit(config(TRAIN + "    print('trained')\n"))
    sweep.wait_for_completion()
    path = sweep.get_diagnostics()
    assert path == str(Path.cwd() / f"{sweep.id}-diagnostics.zip")
    with zipfile.ZipFile(path) as archive:
        assert archive.read(f"{sweep.id}_2/azureml-logs/70_driver_log.txt") == b"trained\n"
        assert b"All jobs generated." in archive.read(f"{sweep.id}/azureml-logs/hyperdrive.txt")
        trials = json.loads(archive.read("trials.json"))
    assert [trial["parameters"] for trial in trials] == [{"--lr": lr} for lr in (0.5, 0.1, 0.9)]


def test_resume_from(experiment: Any, config: Any) -> None:
    from azureml.train.hyperdrive import HyperDriveRun, choice

    first = experiment.submit(config())
    first.wait_for_completion()
    second = experiment.submit(config(space={"--lr": choice(0.2, 0.3)}, resume_from=[HyperDriveRun(experiment, first.id)]))
    details = second.wait_for_completion()
    assert json.loads(details["properties"]["resume_from"]) == [first.id]
    assert second.get_best_run_by_primary_metric().id == f"{first.id}_1"
    assert second.get_best_run_by_primary_metric(include_resume_from_runs=False).id == f"{second.id}_0"
    assert list(second.get_hyperparameters()) == [f"{second.id}_0", f"{second.id}_1"]
    single = experiment.submit(config(space={"--lr": choice(0.2)}, resume_from=first))
    single.wait_for_completion()
    assert single.get_best_run_by_primary_metric().id == f"{first.id}_1"


def test_what_a_sweep_is_resumed_from_feeds_its_policy(experiment: Any, config: Any) -> None:
    """Its only child runs beside nobody, and is stopped by what the sweep before has reached."""
    from azureml.train.hyperdrive import BanditPolicy, choice

    first = experiment.submit(config(space={"--lr": choice(0.1)}))
    first.wait_for_completion()
    waits = TRAIN + "    import signal\n    signal.pause()\n"
    second = experiment.submit(config(waits, {"--lr": choice(0.9)}, policy=BanditPolicy(slack_factor=0.1), resume_from=first))
    second.wait_for_completion()
    assert second.get_children_sorted_by_primary_metric()[0]["status"] == "Canceled"


def test_resume_child_runs(experiment: Any, config: Any) -> None:
    """They come first, with the values and the outputs they had."""
    from azureml.train.hyperdrive import choice

    first = experiment.submit(config(space={"--lr": choice(0.7)}))
    first.wait_for_completion()
    code = TRAIN.replace("args =", 'parser.add_argument("--resume-from")\n    args =').replace(
        "run = Run", 'print(args.resume_from and open(os.path.join(args.resume_from, "model.txt")).read())\n    run = Run')
    (old,) = first.get_children()
    sweep = experiment.submit(config(code, {"--lr": choice(0.1, 0.2)}, resume_child_runs=[old]))
    sweep.wait_for_completion()
    values = [json.loads(text)["--lr"] for text in sweep.get_hyperparameters().values()]
    assert values[0] == 0.7 and sorted(values[1:]) == [0.1, 0.2]
    logs = [experiment.workspace.get_run(f"{sweep.id}_{n}").get_details_with_logs()["logFiles"] for n in range(3)]
    assert [log["azureml-logs/70_driver_log.txt"] for log in logs] == ["lr 0.7\n", "None\n", "None\n"]


def test_run_details(experiment: Any, config: Any, capsys: Any) -> None:
    from azureml.train.widgets import RunDetails
    from azureml.widgets._page import as_html

    sweep = experiment.submit(config())
    sweep.wait_for_completion()
    details = RunDetails(sweep)
    assert repr(details) == "_HyperDriveWidget(widget_settings={})"
    details.show()
    lines = capsys.readouterr().out.splitlines()
    head = next(index for index, line in enumerate(lines) if line.split()[:1] == ["run"])
    rows = [line.split() for line in lines[head:head + 4]]
    assert rows[0] == ["run", "accuracy", "status", "time", "--lr", "why"]
    assert rows[1][:4] == ["*", f"{sweep.id}_1", "0.9", "Completed"] and rows[1][-1] == "0.1"
    assert [row[0] for row in rows[2:]] == [f"{sweep.id}_0", f"{sweep.id}_2"]
    assert any("azureml-logs/hyperdrive.txt, last lines:" in line for line in lines)
    page = as_html(details._view.read())
    assert page.count("<svg") == 2 and "best accuracy" in page and f"best: 0.9 by {sweep.id}_1" in page
    data = details.get_widget_data()
    assert data["search"]["counts"] == {"completed": 3} and data["children"][0]["seconds"] > 0
