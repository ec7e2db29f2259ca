"""What MLflow's own client does against a tracking server: MLFLOW_TRACKING_URI says which.

Run by test_mlflow_clients.py with the newest 3.x and the last 2.x client from PyPI, against Roost and against MLflow's own
server. It prints the names of its steps as it goes; a step that fails raises. Steps that this client lacks are left out.
"""
import json
import math
import os
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional

import mlflow
from mlflow import MlflowClient
from mlflow.entities import Dataset, DatasetInput, InputTag, Metric, Param, RunTag, ViewType
from mlflow.exceptions import MlflowException

IS_3 = int(mlflow.__version__.split(".")[0]) >= 3
STEPS: List[Callable[[], None]] = []
client = MlflowClient()
unique = f"{os.getpid()}-{time.time_ns()}"


def step(function: Callable[[], None]) -> Callable[[], None]:
    STEPS.append(function)
    return function


def step_of_3(function: Callable[[], None]) -> Callable[[], None]:
    return step(function) if IS_3 else function


def refused(code: str, call: Callable[..., Any], *given: Any, **more: Any) -> None:
    try:
        call(*given, **more)
    except MlflowException as error:
        assert error.error_code == code, (call, given, error.error_code, str(error))
    else:
        raise AssertionError(f"{call} {given} was not refused with {code}")


def raw(method: str, path: str, body: Optional[Dict[str, Any]] = None) -> Any:
    """A request of its own, for what no client calls; a refusal is its code."""
    request = urllib.request.Request(os.environ["MLFLOW_TRACKING_URI"].rstrip("/") + path, method=method)
    data = None
    if body is not None:
        data = json.dumps(body).encode()
        request.add_header("Content-Type", "application/json")
    if os.environ.get("MLFLOW_TRACKING_TOKEN"):
        request.add_header("Authorization", "Bearer " + os.environ["MLFLOW_TRACKING_TOKEN"])
    try:
        with urllib.request.urlopen(request, data, timeout=30) as answer:
            return json.loads(answer.read() or b"{}")
    except urllib.error.HTTPError as error:
        return (error.code, json.loads(error.read())["error_code"])


def new_experiment(what: str) -> str:
    return client.create_experiment(f"{what} {unique}")


def names(runs: List[Any]) -> List[str]:
    return [run.info.run_name for run in runs]


# Experiments.


@step
def experiments() -> None:
    name = f"experiments/{unique}"
    made = mlflow.set_experiment(name)
    assert mlflow.set_experiment(name).experiment_id == made.experiment_id
    assert mlflow.set_experiment(experiment_id=made.experiment_id).name == name
    assert mlflow.get_experiment(made.experiment_id).lifecycle_stage == "active"
    assert mlflow.get_experiment_by_name("nobody " + unique) is None
    assert client.get_experiment("0").name == "Default"
    refused("RESOURCE_ALREADY_EXISTS", client.create_experiment, name)
    refused("RESOURCE_DOES_NOT_EXIST", client.get_experiment, "98765432")
    refused("INVALID_PARAMETER_VALUE", client.create_experiment, "")


@step
def experiment_changes() -> None:
    made = client.create_experiment(f"change {unique}", tags={"x": "y"}, artifact_location="s3://bucket/place")
    client.set_experiment_tag(made, "k", "v")
    client.rename_experiment(made, f"changed {unique}")
    read = client.get_experiment(made)
    assert read.name == f"changed {unique}" and read.tags == {"x": "y", "k": "v"} and read.artifact_location == "s3://bucket/place"
    assert read.last_update_time >= read.creation_time > 1_600_000_000_000
    run = client.create_run(made)
    assert run.info.artifact_uri == f"s3://bucket/place/{run.info.run_id}/artifacts"
    client.set_terminated(run.info.run_id)
    if IS_3:
        client.delete_experiment_tag(made, "k")
        assert client.get_experiment(made).tags == {"x": "y"}
        refused("RESOURCE_DOES_NOT_EXIST", client.delete_experiment_tag, made, "k")
    client.delete_experiment(made)
    assert client.get_experiment(made).lifecycle_stage == "deleted"
    assert client.get_run(run.info.run_id).info.lifecycle_stage == "deleted"
    refused("RESOURCE_ALREADY_EXISTS", client.create_experiment, f"changed {unique}")
    refused("INVALID_PARAMETER_VALUE", client.create_run, made)
    refused("INVALID_PARAMETER_VALUE", client.set_experiment_tag, made, "k", "v")
    refused("RESOURCE_DOES_NOT_EXIST", client.delete_experiment, made)
    client.restore_experiment(made)
    assert client.get_experiment(made).lifecycle_stage == "active"
    assert client.get_run(run.info.run_id).info.lifecycle_stage == "active"
    refused("RESOURCE_DOES_NOT_EXIST", client.restore_experiment, made)


@step
def experiment_search() -> None:
    made = {what: client.create_experiment(f"{what} s {unique}", tags={"team": what}) for what in ("ax", "bx", "cy")}
    client.delete_experiment(made["cy"])

    def found(text: str = "", **more: Any) -> List[str]:
        text = f"name LIKE '% s {unique}'" + (f" AND {text}" if text else "")
        return [e.name[:2] for e in client.search_experiments(filter_string=text, **more)]

    assert found() == ["bx", "ax"]
    assert found(view_type=ViewType.DELETED_ONLY) == ["cy"]
    assert found(view_type=ViewType.ALL, order_by=["name ASC"]) == ["ax", "bx", "cy"]
    assert found("tags.team = 'ax'") == ["ax"] and found("name ILIKE 'BX%'") == ["bx"] and found("tags.none = 'x'") == []
    assert found("creation_time > 5", order_by=["creation_time"]) == ["ax", "bx"]
    page = client.search_experiments(max_results=1, filter_string=f"name LIKE '% s {unique}'")
    assert len(page) == 1 and page.token
    assert [e.name[:2] for e in client.search_experiments(filter_string=f"name LIKE '% s {unique}'", page_token=page.token)] == ["ax"]
    refused("INVALID_PARAMETER_VALUE", client.search_experiments, filter_string="nothing = 'x'")
    refused("INVALID_PARAMETER_VALUE", client.search_experiments, max_results=60_000)
    assert raw("POST", "/api/2.0/mlflow/experiments/search", {}) == (400, "INVALID_PARAMETER_VALUE")
    assert "experiments" in raw("GET", "/api/2.0/mlflow/experiments/search?max_results=5")


# Runs.


@step
def fluent_run() -> None:
    mlflow.set_experiment(f"fluent {unique}")
    with mlflow.start_run(run_name="first", description="a note") as run:
        mlflow.log_param("lr", 0.1)
        mlflow.log_params({"opt": "adam", "empty": ""})
        mlflow.log_metric("loss", 0.5, step=1)
        mlflow.log_metrics({"loss": 0.25, "acc": 1}, step=2)
        mlflow.log_metric("unhurried", 1.0, synchronous=False)
        mlflow.set_tag("team", "red")
        mlflow.set_tags({"a": 1, "b": None})
        mlflow.delete_tag("a")
        with mlflow.start_run(run_name="inner", nested=True) as inner:
            mlflow.log_metric("x", 1)
    read = mlflow.get_run(run.info.run_id)
    assert read.info.status == "FINISHED" and read.info.end_time >= read.info.start_time and read.info.run_name == "first"
    assert read.data.params == {"lr": "0.1", "opt": "adam", "empty": ""}
    assert read.data.metrics == {"loss": 0.25, "acc": 1.0, "unhurried": 1.0}
    assert read.data.tags["team"] == "red" and read.data.tags["mlflow.note.content"] == "a note" and "a" not in read.data.tags
    assert read.data.tags["mlflow.runName"] == "first"
    assert mlflow.get_parent_run(inner.info.run_id).info.run_id == run.info.run_id
    children = client.search_runs([run.info.experiment_id], f"tags.mlflow.parentRunId = '{run.info.run_id}'")
    assert names(children) == ["inner"]
    with mlflow.start_run(run_id=run.info.run_id):
        mlflow.log_metric("later", 2)
    assert mlflow.get_run(run.info.run_id).data.metrics["later"] == 2
    try:
        with mlflow.start_run() as failed:
            raise RuntimeError("on purpose")
    except RuntimeError:
        pass
    assert mlflow.get_run(failed.info.run_id).info.status == "FAILED" and failed.info.run_name


@step
def states() -> None:
    run = client.create_run(new_experiment("states")).info.run_id
    for status in ("FAILED", "KILLED", "RUNNING", "FINISHED", "FINISHED"):
        client.update_run(run, status=status)
        assert client.get_run(run).info.status == status
    client.log_metric(run, "after", 1)
    client.log_param(run, "after", 1)
    assert client.get_run(run).data.metrics == {"after": 1.0}
    client.set_terminated(run, "FAILED", end_time=1_800_000_000_000)
    assert client.get_run(run).info.end_time == 1_800_000_000_000
    refused("RESOURCE_DOES_NOT_EXIST", client.get_run, "0" * 32)
    refused("RESOURCE_DOES_NOT_EXIST", client.set_terminated, "0" * 32)
    refused("RESOURCE_DOES_NOT_EXIST", client.log_metric, "0" * 32, "k", 1)
    refused("RESOURCE_DOES_NOT_EXIST", client.create_run, "98765432")


@step
def name_and_tag() -> None:
    run = client.create_run(new_experiment("names"), run_name="one").info.run_id
    client.set_tag(run, "mlflow.runName", "two")
    assert client.get_run(run).info.run_name == "two"
    client.update_run(run, name="three")
    assert client.get_run(run).data.tags["mlflow.runName"] == "three"
    refused("RESOURCE_DOES_NOT_EXIST", client.delete_tag, run, "none")


@step
def params() -> None:
    run = client.create_run(new_experiment("params")).info.run_id
    for _ in range(2):
        client.log_param(run, "p/q r", "v")
    refused("INVALID_PARAMETER_VALUE", client.log_param, run, "p/q r", "w")
    client.log_param(run, "long", "x" * 6000)
    refused("INVALID_PARAMETER_VALUE", client.log_batch, run, metrics=[Metric("kept", 1, 1, 0)], params=[Param("p/q r", "w")])
    assert client.get_run(run).data.metrics == {} and set(client.get_run(run).data.params) == {"p/q r", "long"}
    for bad in ("a//b", "/a", "a/../b", "a\nb", "x" * 251):
        refused("INVALID_PARAMETER_VALUE", client.log_param, run, bad, "v")
    # The client looks at names itself; the server has to as well.
    assert raw("POST", "/api/2.0/mlflow/runs/log-parameter", {"run_id": run, "key": "a//b", "value": ""}) == (400, "INVALID_PARAMETER_VALUE")


@step
def odd_numbers() -> None:
    run = client.create_run(new_experiment("odd")).info.run_id
    client.log_metric(run, "nan", math.nan)
    client.log_metric(run, "inf", math.inf)
    client.log_metric(run, "whole", 3)
    read = client.get_run(run).data.metrics
    assert math.isnan(read["nan"]) and read["inf"] > 1e308 and read["whole"] == 3.0
    for bad in ({"value": "text"}, {"timestamp": -1}, {"key": ""}, {"value": None}):
        body = {"run_id": run, "key": "k", "value": 1, "timestamp": 1, **bad}
        assert raw("POST", "/api/2.0/mlflow/runs/log-metric", body) == (400, "INVALID_PARAMETER_VALUE"), bad


@step
def batches() -> None:
    run = client.create_run(new_experiment("batches")).info.run_id
    metrics = [Metric("m", float(i), 1000 + i, i) for i in range(1000)]
    for _ in range(2):
        client.log_batch(run, metrics=metrics)
    client.log_batch(run, params=[Param(f"p{i}", str(i)) for i in range(100)], tags=[RunTag(f"t{i}", "v") for i in range(100)])
    assert [m.step for m in client.get_metric_history(run, "m")] == list(range(1000))
    mlflow.set_experiment(experiment_id=client.get_run(run).info.experiment_id)
    mlflow.start_run(run_id=run)
    mlflow.log_params({f"q{i}": i for i in range(250)})
    mlflow.end_run()
    assert len(client.get_run(run).data.params) == 350
    client.log_batch(run, tags=[RunTag("twice", "1"), RunTag("twice", "2")])
    assert client.get_run(run).data.tags["twice"] == "2"
    for field, count in (("metrics", 1001), ("params", 101), ("tags", 101)):
        items = [{"key": f"k{i}", "value": 1 if field == "metrics" else "1", "timestamp": 1} for i in range(count)]
        assert raw("POST", "/api/2.0/mlflow/runs/log-batch", {"run_id": run, field: items}) == (400, "INVALID_PARAMETER_VALUE")
    assert not any(key.startswith("k") for key in client.get_run(run).data.params)


@step
def history() -> None:
    run = client.create_run(new_experiment("history")).info.run_id
    for value, at, at_step in ((1.0, 300, 1), (2.0, 100, 5), (3.0, 200, -2), (2.0, 100, 5)):
        client.log_metric(run, "m", value, timestamp=at, step=at_step)
    assert [(m.timestamp, m.step, m.value) for m in client.get_metric_history(run, "m")] == [(100, 5, 2.0), (200, -2, 3.0), (300, 1, 1.0)]
    assert client.get_run(run).data.metrics == {"m": 2.0}
    assert client.get_metric_history(run, "none") == []
    for begin in range(0, 3000, 1000):
        client.log_batch(run, metrics=[Metric("long", i, i, i) for i in range(begin, begin + 1000)])
    page = raw("GET", f"/api/2.0/mlflow/metrics/get-history?run_id={run}&metric_key=long&max_results=1000")
    assert len(page["metrics"]) == 1000 and page["next_page_token"]
    path = f"/api/2.0/mlflow/metrics/get-history-bulk-interval?run_ids={run}&metric_key=long&start_step=10&end_step=20&max_results=100"
    assert [m["step"] for m in raw("GET", path)["metrics"]] == list(range(10, 21))


@step
def run_search() -> None:
    experiment = new_experiment("search")
    made = []
    for i in range(5):
        run = client.create_run(experiment, run_name=f"Run {i}", start_time=1000 + i, tags={"team": "red" if i % 2 else "Blue"}).info.run_id
        if i != 4:
            client.log_metric(run, "val/loss", math.nan if i == 3 else i / 10)
            client.log_param(run, "opt", f"adam{i}")
        made.append(run)
    client.set_terminated(made[0], end_time=5000)

    def found(text: str, **more: Any) -> str:
        return "".join(name[-1] for name in names(client.search_runs([experiment], text, **more)))

    for text, runs in {
        "": "43210", "metrics.`val/loss` >= 0.1": "21", "metrics.\"val/loss\" != 0.1": "320", "params.opt = 'adam2'": "2",
        "params.opt LIKE 'adam_' and tags.team = 'red'": "31", "tags.team ILIKE 'b%'": "420", "tags.team LIKE 'b%'": "",
        "params.none != 'x'": "", "attributes.status = 'FINISHED'": "0", "status != 'FINISHED' AND start_time <= 1002": "21",
        "end_time >= 5000": "0", "attributes.`Run name` = 'Run 2'": "2", "run_name ILIKE 'run %' and created < 1001": "0",
        f"run_id IN ('{made[0]}', '{made[1]}')": "10", f"attributes.run_id NOT IN ('{made[0]}')": "4321",
        "tags.mlflow.runName = 'Run 3'": "3", "metrics.`val/loss` > -1e-6 AND metrics.`val/loss` < .15": "10",
    }.items():
        assert found(text) == runs, (text, found(text))
    if IS_3:
        assert found("params.opt IS NULL") == "4" and found("tags.team IS NOT NULL") == "43210"
    for order, runs in {"metrics.`val/loss`": "01234", "metrics.`val/loss` DESC": "21034", "params.opt DESC": "32104",
                        "attributes.start_time ASC": "01234", "tags.team": "42031"}.items():
        assert found("", order_by=[order]) == runs, (order, found("", order_by=[order]))
    page = client.search_runs([experiment], max_results=3)
    assert len(page) == 3 and names(client.search_runs([experiment], max_results=3, page_token=page.token)) == ["Run 1", "Run 0"]
    for bad in ("params.opt = adam", "metrics.a > 1 OR metrics.b > 1", "nothing.x = 'y'", "start_time = 'x'", "params.a > 'x'"):
        refused("INVALID_PARAMETER_VALUE", client.search_runs, [experiment], bad)
    refused("INVALID_PARAMETER_VALUE", client.search_runs, [experiment], order_by=["nothing.x"])
    body = {"experiment_ids": [experiment], "max_results": 50_001}
    assert raw("POST", "/api/2.0/mlflow/runs/search", body) == (400, "INVALID_PARAMETER_VALUE")


@step
def run_deletion() -> None:
    experiment = new_experiment("deletion")
    run = client.create_run(experiment, run_name="gone").info.run_id
    client.set_terminated(run)
    for _ in range(2):
        client.delete_run(run)
    assert client.get_run(run).info.lifecycle_stage == "deleted"
    refused("INVALID_PARAMETER_VALUE", client.log_metric, run, "k", 1)
    refused("INVALID_PARAMETER_VALUE", client.set_tag, run, "k", "v")
    assert client.search_runs([experiment]) == []
    assert names(client.search_runs([experiment], run_view_type=ViewType.DELETED_ONLY)) == ["gone"]
    for _ in range(2):
        client.restore_run(run)
    assert names(client.search_runs([experiment])) == ["gone"]
    client.log_metric(run, "k", 1)


@step
def inputs() -> None:
    experiment = new_experiment("inputs")
    run = client.create_run(experiment, run_name="in").info.run_id
    data = DatasetInput(Dataset("ds1", "c42e9dfe", "local", '{"uri": "x"}', "{}", "{}"), [InputTag("mlflow.data.context", "train")])
    for _ in range(2):
        client.log_inputs(run, [data])
    read = client.get_run(run).inputs.dataset_inputs
    assert [(one.dataset.name, one.dataset.digest, one.tags[0].value) for one in read] == [("ds1", "c42e9dfe", "train")]
    for text in ("dataset.name = 'ds1'", "datasets.digest IN ('c42e9dfe')", "dataset.context LIKE 'tr%'"):
        assert names(client.search_runs([experiment], text)) == ["in"], text
    assert client.search_runs([experiment], "dataset.name = 'ds2'") == []


@step
def logged_model_history() -> None:
    """What a 2.x client notes of each model that it logs."""
    run = client.create_run(new_experiment("log-model")).info.run_id
    for path in ("a", "b"):
        note = json.dumps({"artifact_path": path, "run_id": run, "flavors": {}, "utc_time_created": "2026-01-01 00:00:00"})
        raw("POST", "/api/2.0/mlflow/runs/log-model", {"run_id": run, "model_json": note})
    kept = json.loads(client.get_run(run).data.tags["mlflow.log-model.history"])
    assert [model["artifact_path"] for model in kept] == ["a", "b"]


# Logged models: 3.x.


@step_of_3
def logged_models() -> None:
    experiment = new_experiment("models")
    run = client.create_run(experiment).info.run_id
    made = client.create_logged_model(experiment, name="net", source_run_id=run, tags={"t": "1"}, params={f"p{i}": str(i) for i in range(150)},
                                      model_type="torch")
    assert made.status.name == "PENDING" and made.model_id.startswith("m-") and made.source_run_id == run
    assert client.finalize_logged_model(made.model_id, "READY").status.name == "READY"
    client.log_metric(run, "acc", 0.75, model_id=made.model_id, dataset_name="ds", dataset_digest="1")
    client.log_batch(run, metrics=[Metric("loss", 0.5, 5, 1, model_id=made.model_id)])
    client.set_logged_model_tags(made.model_id, {"u": "2"})
    client.delete_logged_model_tag(made.model_id, "t")
    refused("RESOURCE_DOES_NOT_EXIST", client.delete_logged_model_tag, made.model_id, "t")
    read = client.get_logged_model(made.model_id)
    assert read.tags == {"u": "2"} and len(read.params) == 150 and read.model_type == "torch"
    assert {(m.key, m.value, m.run_id) for m in read.metrics} == {("acc", 0.75, run), ("loss", 0.5, run)}
    assert client.get_run(run).data.metrics == {"acc": 0.75, "loss": 0.5}
    from mlflow.entities import LoggedModelOutput

    client.log_outputs(run, [LoggedModelOutput(made.model_id, 3)])
    outputs = client.get_run(run).outputs.model_outputs
    assert [(one.model_id, one.step) for one in outputs] == [(made.model_id, 3)]
    other = client.create_logged_model(experiment, name="other").model_id
    for text, count in (("name = 'net'", 1), ("name = 'nothing'", 0), ("metrics.acc > 0.5", 1), ("params.p3 = '3'", 1), ("tags.u = '2'", 1), ("", 2)):
        assert len(client.search_logged_models([experiment], filter_string=text)) == count, text
    newest = client.search_logged_models([experiment], max_results=1, order_by=[{"field_name": "creation_timestamp", "ascending": False}])
    assert [model.model_id for model in newest] == [other] and newest.token
    client.delete_logged_model(other)
    refused("RESOURCE_DOES_NOT_EXIST", client.get_logged_model, other)
    refused("INVALID_PARAMETER_VALUE", client.create_logged_model, experiment, name="a/b")


# The registry.


def new_model(what: str) -> str:
    name = f"{what}-{unique}"
    client.create_registered_model(name, tags={"q": "w"}, description="first")
    return name


@step
def registered_models() -> None:
    name = new_model("names")
    refused("RESOURCE_ALREADY_EXISTS", client.create_registered_model, name)
    refused("INVALID_PARAMETER_VALUE", client.create_registered_model, "")
    refused("RESOURCE_DOES_NOT_EXIST", client.get_registered_model, "nobody " + unique)
    client.set_registered_model_tag(name, "k", "v")
    client.delete_registered_model_tag(name, "q")
    client.delete_registered_model_tag(name, "none")
    client.update_registered_model(name, "second")
    read = client.get_registered_model(name)
    assert read.tags == {"k": "v"} and read.description == "second" and read.latest_versions == []
    assert read.last_updated_timestamp >= read.creation_timestamp
    found = client.search_registered_models(f"name = '{name}'")
    assert [model.name for model in found] == [name]
    assert [m.name for m in client.search_registered_models(f"name LIKE 'names-{unique}%' AND tag.k = 'v'", order_by=["name DESC"])] == [name]
    assert len(client.search_registered_models(f"name ILIKE 'NAMES-{unique}%'")) == 1
    refused("INVALID_PARAMETER_VALUE", client.search_registered_models, "nothing = 'x'")
    client.rename_registered_model(name, name + "-new")
    refused("RESOURCE_DOES_NOT_EXIST", client.get_registered_model, name)
    client.delete_registered_model(name + "-new")
    refused("RESOURCE_DOES_NOT_EXIST", client.delete_registered_model, name + "-new")


@step
def model_versions() -> None:
    name = new_model("versions")
    run = client.create_run(new_experiment("versions")).info
    sources = [f"{run.artifact_uri}/model", f"runs:/{run.run_id}/model", "s3://bucket/model"]
    for source in sources:
        made = client.create_model_version(name, source, run.run_id, tags={"a": "b"}, description="d")
        assert made.status == "READY" and made.current_stage == "None" and made.run_id == run.run_id
    assert [str(v.version) for v in client.search_model_versions(f"name = '{name}'", order_by=["version_number ASC"])] == ["1", "2", "3"]
    read = client.get_model_version(name, "1")
    assert read.tags == {"a": "b"} and read.source == sources[0] and read.description == "d"
    client.set_model_version_tag(name, "1", "k", "v")
    client.delete_model_version_tag(name, "1", "a")
    client.update_model_version(name, "1", "new words")
    read = client.get_model_version(name, "1")
    assert read.tags == {"k": "v"} and read.description == "new words"
    assert client.get_model_version_download_uri(name, "3") == "s3://bucket/model"
    found = client.search_model_versions(f"name = '{name}' AND run_id IN ('{run.run_id}') AND tags.k = 'v'")
    assert [str(v.version) for v in found] == ["1"]
    client.delete_model_version(name, "3")
    refused("RESOURCE_DOES_NOT_EXIST", client.get_model_version, name, "3")
    refused("RESOURCE_DOES_NOT_EXIST", client.get_model_version, name, "9")
    assert str(client.create_model_version(name, sources[2], run.run_id).version) == "4" or not os.environ.get("ROOST")
    for bad in ("/etc", "file:///etc/passwd", "../up", f"{run.artifact_uri}/../../other", "mlflow-artifacts:/0/" + "0" * 32 + "/artifacts/m"):
        refused("INVALID_PARAMETER_VALUE", client.create_model_version, name, bad, run.run_id)
    copy = f"copy-{unique}"
    copied = client.copy_model_version(f"models:/{name}/1", copy)
    assert (copied.name, str(copied.version), copied.run_id) == (copy, "1", run.run_id)
    client.delete_registered_model(name)
    refused("RESOURCE_DOES_NOT_EXIST", client.get_model_version, name, "1")


@step
def aliases() -> None:
    name = new_model("aliases")
    for _ in range(2):
        client.create_model_version(name, "s3://bucket/model")
    client.set_registered_model_alias(name, "champion", "1")
    client.set_registered_model_alias(name, "champion", "2")
    client.set_registered_model_alias(name, "old", "1")
    assert str(client.get_model_version_by_alias(name, "champion").version) == "2"
    assert client.get_registered_model(name).aliases == {"champion": "2", "old": "1"} or \
        {k: str(v) for k, v in client.get_registered_model(name).aliases.items()} == {"champion": "2", "old": "1"}
    assert client.get_model_version(name, "1").aliases == ["old"]
    client.delete_registered_model_alias(name, "old")
    client.delete_registered_model_alias(name, "old")
    refused("INVALID_PARAMETER_VALUE", client.get_model_version_by_alias, name, "old")
    for bad in ("latest", "v1", "a b"):
        refused("INVALID_PARAMETER_VALUE", client.set_registered_model_alias, name, bad, "1")
    refused("RESOURCE_DOES_NOT_EXIST", client.set_registered_model_alias, name, "new", "9")
    client.delete_model_version(name, "2")
    refused("INVALID_PARAMETER_VALUE", client.get_model_version_by_alias, name, "champion")


@step
def stages() -> None:
    name = new_model("stages")
    for _ in range(2):
        client.create_model_version(name, "s3://bucket/model")
    assert client.transition_model_version_stage(name, "1", "production").current_stage == "Production"
    assert [str(v.version) for v in client.get_latest_versions(name)] in (["1", "2"], ["2", "1"])
    assert [str(v.version) for v in client.get_latest_versions(name, ["Production"])] == ["1"]
    client.transition_model_version_stage(name, "2", "Production", archive_existing_versions=True)
    assert client.get_model_version(name, "1").current_stage == "Archived"
    refused("INVALID_PARAMETER_VALUE", client.transition_model_version_stage, name, "1", "nowhere")


# Files.


@step
def files() -> None:
    experiment = new_experiment("files")
    with mlflow.start_run(experiment_id=experiment) as run, tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "empty.txt").write_bytes(b"")
        (place / "odd ü name+.bin").write_bytes(bytes(range(256)))
        mlflow.log_text("hello", "texts/hello.txt")
        mlflow.log_dict({"a": [1, 2]}, "d.json")
        mlflow.log_artifact(str(place / "empty.txt"))
        mlflow.log_artifacts(folder, "tree")
        mlflow.log_text("anew", "texts/hello.txt")
        assert sorted(f.path for f in client.list_artifacts(run.info.run_id)) == ["d.json", "empty.txt", "texts", "tree"]
        assert sorted(f.path for f in client.list_artifacts(run.info.run_id, "tree")) == ["tree/empty.txt", "tree/odd ü name+.bin"]
        assert client.list_artifacts(run.info.run_id, "nothing") == []
        got = Path(mlflow.artifacts.download_artifacts(run_id=run.info.run_id, dst_path=folder + "/got"))
        assert (got / "tree/odd ü name+.bin").read_bytes() == bytes(range(256)) and (got / "empty.txt").read_bytes() == b""
        assert mlflow.artifacts.load_text(run.info.artifact_uri + "/texts/hello.txt") == "anew"
        assert mlflow.artifacts.load_dict(run.info.artifact_uri + "/d.json") == {"a": [1, 2]}
        name = new_model("files")
        client.create_model_version(name, run.info.artifact_uri + "/tree", run.info.run_id)
        uri = client.get_model_version_download_uri(name, "1")
        assert mlflow.artifacts.load_text(uri + "/empty.txt") == ""
        version = Path(mlflow.artifacts.download_artifacts(f"models:/{name}/1", dst_path=folder + "/version"))
        assert (version / "odd ü name+.bin").read_bytes() == bytes(range(256))


@step_of_3
def logged_model_files() -> None:
    experiment = new_experiment("model files")
    run = client.create_run(experiment).info.run_id
    made = client.create_logged_model(experiment, name="net", source_run_id=run)
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "MLmodel").write_text("flavors: {}\n")
        (Path(folder) / "data").mkdir()
        (Path(folder) / "data/weights").write_bytes(b"w" * 1000)
        client.log_model_artifacts(made.model_id, folder)
    client.finalize_logged_model(made.model_id, "READY")
    assert sorted(f.path for f in client.list_logged_model_artifacts(made.model_id)) == ["MLmodel", "data"]
    name = new_model("logged")
    client.create_model_version(name, f"models:/{made.model_id}", run, model_id=made.model_id)
    with tempfile.TemporaryDirectory() as folder:
        got = Path(mlflow.artifacts.download_artifacts(f"models:/{name}/1", dst_path=folder))
        assert (got / "data/weights").read_bytes() == b"w" * 1000
    assert json.loads(client.get_logged_model(made.model_id).tags["mlflow.modelVersions"])[0]["name"] == name


def main() -> None:
    left_out = set(os.environ.get("MLFLOW_SCENARIO_WITHOUT", "").split(","))
    for function in STEPS:
        if function.__name__ in left_out:
            continue
        began = time.monotonic()
        function()
        print(f"{function.__name__} {time.monotonic() - began:.2f}", flush=True)
    print("done", mlflow.__version__)


if __name__ == "__main__":
    sys.exit(main())
