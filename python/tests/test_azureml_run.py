"""Runs as code for Azure sees them, against a server that says what a test wants."""

import json
import os
import time

import pytest
from fake_api import in_turn, refusal, run_facts

from azureml.core import Experiment, Run, Workspace
from azureml.core.run import get_run
from azureml.exceptions import (
    ActivityFailedException,
    ExperimentExecutionException,
    RunEnvironmentException,
    ServiceException,
    UserErrorException,
)

ID = "birds_1_0a1b2c3d"
BASE = f"/api/v1/runs/{ID}"


@pytest.fixture
def experiment(connected):
    connected.routes[f"GET {BASE}"] = run_facts()
    return Experiment(Workspace.get("default"), "birds")


@pytest.fixture
def run(experiment):
    return Run(experiment, ID)


def follow_lines(*texts, end=None):
    lines = [{"type": "status", "status": "Running", "at": 1}]
    offset = 0
    for text in texts:
        offset += len(text)
        lines.append(
            {"type": "log", "name": "azureml-logs/70_driver_log.txt", "offset": offset,
             "text": text, "attempt": 1}
        )  # fmt: skip
    lines.append({"type": "end", "run": end or run_facts(status="Completed")})
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def test_repr(run):
    assert repr(run) == (
        "Run(Experiment: birds,\nId: birds_1_0a1b2c3d,\nType: azureml.scriptrun,\nStatus: Running)"
    )
    assert "<table" in run._repr_html_() and run.get_portal_url() in run._repr_html_()


def test_repr_of_interactive_and_without_server(connected, run):
    interactive = Run(run.experiment, ID, _facts=run_facts(type="interactive"))
    connected.stop()
    interactive._client._patience = 0
    assert repr(interactive).endswith("Type: None,\nStatus: Running)")


def test_wrong_use(connected, experiment):
    for wrong in (None, "", 7):
        with pytest.raises(UserErrorException):
            Run(experiment, wrong)
    with pytest.raises(UserErrorException, match="takes an Experiment"):
        Run("birds", ID)
    with pytest.raises(UserErrorException):
        Run(experiment, "nothing")
    with pytest.raises(UserErrorException, match="belongs to the experiment 'birds'"):
        Run(Experiment(experiment.workspace, "cats"), ID)
    for wrong in (None, "", 3):
        with pytest.raises(UserErrorException):
            Experiment(experiment.workspace, wrong)
    with pytest.raises(UserErrorException, match="ScriptRunConfig"):
        experiment.submit({"script": "train.py"})
    assert get_run(experiment, ID).id == ID and Run.get(experiment.workspace, ID).number == 1


def test_status_is_asked_for_until_the_end(connected, run):
    connected.routes[f"GET {BASE}"] = in_turn(
        run_facts(status="Finalizing"), run_facts(status="Completed")
    )
    assert run.status == "Finalizing" and run.get_status() == "Completed"
    asked = len(connected.asked)
    assert run.status == "Completed" and len(connected.asked) == asked


def test_tags_and_properties(connected, run):
    connected.routes[f"PATCH {BASE}"] = lambda asked: run_facts(tags={"seen": "yes"})
    run.tag("x")
    run.tag("lr", 0.1)
    run.set_tags({"a": True})
    run.remove_tags("a")
    run.remove_tags(["b", "c"])
    bodies = [asked.json for asked in connected.calls(f"PATCH {BASE}")]
    assert bodies == [
        {"tags": {"x": None}},
        {"tags": {"lr": "0.1"}},
        {"tags": {"a": "True"}},
        {"remove_tags": ["a"]},
        {"remove_tags": ["b", "c"]},
    ]
    assert run.tags == {"seen": "yes"}
    connected.routes[f"GET {BASE}"] = run_facts(properties={"p": "1"})
    with pytest.raises(UserErrorException, match="'p' already"):
        run.add_properties({"p": 2})
    run.add_properties({"q": 2})
    assert connected.calls(f"PATCH {BASE}")[-1].json == {"properties": {"q": "2"}}
    with pytest.raises(UserErrorException):
        run.tag(3)


def test_wait_prints_what_it_should(connected, run, capsys):
    connected.routes[f"GET {BASE}"] = run_facts(status="Completed")
    connected.routes[f"GET {BASE}/follow"] = follow_lines("epoch 1\n", "epoch 2\n")
    connected.routes[f"GET {BASE}/logs"] = {"items": [], "next_cursor": None}
    details = run.wait_for_completion(show_output=True)
    web = f"{connected.url}/runs/{ID}"
    name = "Streaming azureml-logs/70_driver_log.txt"
    assert capsys.readouterr().out == (
        f"RunId: {ID}\nWeb View: {web}\n\n{name}\n{'=' * len(name)}\n\nepoch 1\nepoch 2\n\n"
        f"Execution Summary\n=================\nRunId: {ID}\nWeb View: {web}\n\n"
    )
    assert details["status"] == "Completed" and details["runId"] == ID
    assert run.wait_for_completion() == details and capsys.readouterr().out == ""


FAILED = {
    "status": "Failed",
    "exit_code": 3,
    "error": {
        "code": "script_failed",
        "message": "the script ended with exit code 3",
        "last_lines": ["Traceback", "ValueError: too many birds"],
        "node": "local-0",
    },
}


def test_a_failure_has_its_cause(connected, run, capsys):
    connected.routes[f"GET {BASE}"] = run_facts(**FAILED)
    connected.routes[f"GET {BASE}/follow"] = follow_lines("x\n", end=run_facts(**FAILED))
    connected.routes[f"GET {BASE}/logs"] = {"items": [], "next_cursor": None}
    with pytest.raises(ActivityFailedException) as caught:
        run.wait_for_completion(show_output=True)
    text = str(caught.value)
    assert text.startswith("ActivityFailedException:\n\tMessage: Activity Failed:\n{")
    error = json.loads(text[text.index("{") : text.rindex("}") + 1])["error"]
    assert error["code"] == "script_failed" and error["exit_code"] == 3
    assert "exit code 3" in error["message"] and "ValueError: too many birds" in error["message"]
    assert "too many birds" in capsys.readouterr().out
    details = run.wait_for_completion(raise_on_error=False)
    assert details["status"] == "Failed" and "too many" in details["error"]["error"]["message"]


def test_ctrl_c_leaves_the_run_running(connected, run, capsys, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt
        yield

    monkeypatch.setattr("azureml.core._run_waiting.follow", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run.wait_for_completion(show_output=True)
    assert f"Run {ID} goes on" in capsys.readouterr().out
    assert not connected.calls(f"POST {BASE}/cancel")


def test_details(connected, run):
    connected.routes[f"GET {BASE}"] = run_facts(
        status="Completed",
        started_at="2026-11-16T00:00:01Z",
        ended_at="2026-11-16T00:00:02Z",
        properties={"azureml.git.branch": "main"},
        notices=["careful"],
    )
    connected.routes[f"GET {BASE}/logs"] = {"items": [{"name": "logs/a b.txt"}]}
    connected.routes[f"GET {BASE}/logs/logs/a%20b.txt"] = b"text"
    details = run.get_details()
    assert {key: details[key] for key in ("runId", "target", "status", "submittedBy")} == {
        "runId": ID, "target": "local", "status": "Completed", "submittedBy": "owner",
    }  # fmt: skip
    assert details["startTimeUtc"] < details["endTimeUtc"]
    assert details["properties"] == {"azureml.git.branch": "main"}
    assert details["runDefinition"]["arguments"] == ["--lr", "0.1"]
    assert details["runDefinition"]["script"] == "train.py"
    assert details["logFiles"] == {"logs/a b.txt": f"{connected.url}{BASE}/logs/logs/a%20b.txt"}
    assert details["inputDatasets"] == [] and details["outputDatasets"] == []
    assert run.get_details_with_logs()["logFiles"] == {"logs/a b.txt": "text"}


def test_metrics(connected, run):
    def metric(name, kind, count, last):
        return {"name": name, "kind": kind, "count": count, "last": last}

    connected.routes[f"GET {BASE}/metrics"] = {
        "items": [
            metric("acc", "scalar", 2, 0.7),
            metric("lr", "scalar", 1, 0.1),
            metric("nan", "scalar", 1, "NaN"),
            metric("list", "list", 1, 5),
            metric("row", "row", 2, {"a": 3}),
            metric("one row", "row", 1, {"a": 1, "b": 2}),
            metric("table", "table", 1, {"x": [1, 2]}),
            metric("image", "image", 1, {"path": "images/x.png"}),
            metric("a/b", "scalar", 2, 2),
        ],
        "next_cursor": None,
    }

    def points(*values):
        return {"points": [{"value": value} for value in values]}

    connected.routes[f"GET {BASE}/metrics/acc"] = points(0.5, 0.7)
    connected.routes[f"GET {BASE}/metrics/list"] = points(5)
    connected.routes[f"GET {BASE}/metrics/row"] = points({"a": 1, "b": 2}, {"a": 3})
    connected.routes[f"GET {BASE}/metrics/a%2Fb"] = points(1, "Infinity")
    metrics = run.get_metrics()
    assert metrics["acc"] == [0.5, 0.7] and metrics["lr"] == 0.1
    assert metrics["nan"] != metrics["nan"] and metrics["list"] == [5]
    assert metrics["row"] == {"a": [1, 3], "b": [2, None]}
    assert metrics["one row"] == {"a": 1, "b": 2} and metrics["table"] == {"x": [1, 2]}
    assert metrics["image"] == f"aml://artifactId/ExperimentRun/dcid.{ID}/images/x.png"
    assert metrics["a/b"] == [1, float("inf")]
    assert run.get_metrics(name="lr") == {"lr": 0.1} and run.get_metrics("nothing") == {}


def test_logging_from_outside(connected, run):
    connected.routes[f"POST {BASE}/records"] = {"length": 0}
    run.log("loss", 0.5, "a description", 3)
    run.log_list("xs", (x for x in range(2)))
    run.log_row("rows", a=1, b="x")
    run.log_table("t", {"c": [1, 2], "d": 3})
    run.log_confusion_matrix("cm", json.dumps({"schema_type": "confusion_matrix", "data": {}}))
    run.flush()
    sent = b"".join(asked.body for asked in connected.calls(f"POST {BASE}/records"))
    assert [json.loads(line)[:4] for line in sent.splitlines()] == [
        ["scalar", "loss", 0.5, 3],
        ["list", "xs", [0, 1], None],
        ["row", "rows", {"a": 1, "b": "x"}, None],
        ["table", "t", {"c": [1, 2], "d": [3]}, None],
        ["confusion_matrix", "cm", {"schema_type": "confusion_matrix", "data": {}}, None],
    ]
    for wrong in (
        lambda: run.log_image("i"),
        lambda: run.log_table("t", [1]),
        lambda: run.log_residuals("r", "not json"),
    ):
        with pytest.raises(UserErrorException):
            wrong()


def test_ends(connected, run, tmp_path):
    connected.routes[f"POST {BASE}/complete"] = run_facts(status="Completed")
    connected.routes[f"POST {BASE}/fail"] = run_facts(status="Failed")
    run.complete()
    assert run.status == "Completed"
    run.fail(error_details="out of birds", error_code="Birds")
    assert connected.calls(f"POST {BASE}/fail")[0].json == {
        "message": "out of birds", "code": "Birds",
    }  # fmt: skip
    with pytest.raises(ZeroDivisionError), Run(run.experiment, ID):
        1 / 0  # noqa: B018
    assert "ZeroDivisionError" in connected.calls(f"POST {BASE}/fail")[1].json["message"]
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "m.pt").write_text("m")
    connected.routes[f"PUT {BASE}/artifacts/out/m.pt"] = {}
    with Run(run.experiment, ID, outputs=tmp_path / "out"):
        pass
    assert connected.calls(f"PUT {BASE}/artifacts/out/m.pt")[0].body == b"m"


def test_cancel(connected, run):
    connected.routes[f"POST {BASE}/cancel"] = run_facts(status="CancelRequested")
    run.cancel()
    connected.routes[f"POST {BASE}/cancel"] = refusal(409, "failed_precondition", "it has ended")
    with pytest.raises(UserErrorException, match="it has ended"):
        run.cancel()
    connected.routes[f"GET {BASE}"] = run_facts(status="Completed")
    run.cancel()


def test_files(connected, run, tmp_path, monkeypatch):
    import hashlib

    digest = hashlib.sha256(b"weights").hexdigest()
    files = [{"path": "outputs/net/m.pt", "size": 7, "digest": digest}]

    def artifacts(asked):
        prefix = asked.query.get("prefix", [""])[0]
        return {"items": [f for f in files if f["path"].startswith(prefix)], "next_cursor": None}

    connected.routes[f"GET {BASE}/artifacts"] = artifacts
    connected.routes[f"GET {BASE}/logs"] = {
        "items": [{"name": "logs/x", "size": 1}], "next_cursor": None,
    }  # fmt: skip
    connected.routes[f"GET {BASE}/artifacts/outputs/net/m.pt"] = b"weights"
    connected.routes[f"GET {BASE}/logs/logs/x"] = b"x"
    monkeypatch.chdir(tmp_path)
    assert run.get_file_names() == ["logs/x", "outputs/net/m.pt"]
    run.download_file("./outputs/net/m.pt")
    run.download_file("outputs/net/m.pt", output_file_path="new/dir/model.pt")
    os.mkdir("there")
    run.download_file("outputs/net/m.pt", "there")
    run.download_files("outputs", "whole")
    run.download_files(prefix="outputs/net/", output_directory="cut", append_prefix=False)
    run.download_files(output_directory="all")
    for path in ("m.pt", "new/dir/model.pt", "there/m.pt", "whole/outputs/net/m.pt", "cut/m.pt"):
        assert (tmp_path / path).read_text() == "weights"
    assert (tmp_path / "all/logs/x").read_text() == "x"
    with pytest.raises(UserErrorException, match=r"outputs/net/m\.pt"):
        run.download_file("outputs/model.pt")
    with pytest.raises(UserErrorException):
        run.download_files("nothing")
    connected.routes[f"GET {BASE}/artifacts/outputs/net/m.pt"] = b"weighty"
    with pytest.raises(UserErrorException, match="damaged"):
        run.download_file("outputs/net/m.pt", "bad.pt")
    assert not [name for name in os.listdir(tmp_path) if "bad.pt" in name]


def test_wrong_uploads(run, tmp_path):
    for wrong in (
        lambda: run.upload_file("a", tmp_path / "missing"),
        lambda: run.upload_file("../a", __file__),
        lambda: run.upload_file("a", 3),
        lambda: run.upload_files(["a"], []),
        lambda: run.upload_folder("a", tmp_path / "missing"),
    ):
        with pytest.raises(UserErrorException):
            wrong()


def test_children(connected, run):
    runs = "/api/v1/workspaces/default/runs"

    def below(asked):
        found = {ID: ["c1"], "c1": ["g1"]}.get(asked.query["parent"][0], [])
        if asked.query.get("tag"):
            found = [name for name in found if name == "g1"]
        return {"items": [run_facts(id=name) for name in found], "next_cursor": None}

    connected.routes[f"GET {runs}"] = below
    assert [child.id for child in run.get_children()] == ["c1"]
    assert [child.id for child in run.get_children(recursive=True)] == ["c1", "g1"]
    assert [child.id for child in run.get_children(recursive=True, tags="x")] == ["g1"]
    connected.routes[f"POST {runs}"] = lambda asked: (201, run_facts(id="new", type="interactive"))
    child = run.child_run("a name")
    assert child.type is None and child.id == "new"
    assert connected.calls(f"POST {runs}")[0].json == {
        "experiment": "birds", "interactive": True, "tags": {}, "parent": ID,
        "display_name": "a name",
    }  # fmt: skip
    assert len(run.create_children(count=3)) == 3
    run.create_children(tag_key="fold", tag_values=[1, 2])
    assert connected.calls(f"POST {runs}")[-1].json["tags"] == {"fold": "2"}
    for wrong in ({}, {"tag_key": "a"}, {"count": 1, "tag_key": "a", "tag_values": []}):
        with pytest.raises(UserErrorException):
            run.create_children(**wrong)
    assert run.parent is None


def test_submit_errors(connected, experiment, tmp_path):
    class Config:
        def _submission(self, workspace):
            from azureml.core._submission import Submission

            return Submission(None, {"command": "true", "compute": "nowhere"})

    connected.routes["POST /api/v1/workspaces/default/runs"] = refusal(
        404, "not_found", "there is no compute nowhere"
    )
    with pytest.raises(ExperimentExecutionException, match="no compute nowhere"):
        experiment.submit(Config())
    with pytest.raises(UserErrorException, match="tags must be a dict"):
        experiment.submit(Config(), tags=["a"])
    with pytest.raises(UserErrorException, match="pipelines"):
        experiment.submit(Config(), pipeline_parameters={})
    connected.stop()
    experiment.workspace._client._patience = 0
    with pytest.raises(ServiceException):
        experiment.submit(Config())


def test_get_runs(connected, experiment):
    route = "GET /api/v1/workspaces/default/runs"
    connected.routes[route] = {"items": [run_facts()], "next_cursor": None}
    (found,) = experiment.get_runs(tags={"a": "b", "c": None}, properties={"p": 1})
    assert found.id == ID
    assert connected.calls(route)[0].query == {
        "experiment": ["birds"], "tag": ["a=b", "c"], "property": ["p=1"],
        "top_level": ["true"], "limit": ["100"],
    }  # fmt: skip
    list(experiment.get_runs(type="azureml.scriptrun", tags="x", include_children=True))
    assert connected.calls(route)[1].query == {
        "experiment": ["birds"], "tag": ["x"], "type": ["azureml.scriptrun"], "limit": ["100"],
    }  # fmt: skip


def test_offline(monkeypatch, capsys):
    from azureml.core.run import _OfflineRun

    monkeypatch.delenv("ROOST_SPOOL", raising=False)
    run = Run.get_context()
    assert isinstance(run, _OfflineRun) and run.id.startswith("OfflineRun_")
    assert Run.get_context() is run
    run.log("acc", 0.5)
    assert capsys.readouterr().out == "Attempted to log scalar metric acc:\n0.5\n"
    run.log_row("r", a=1)
    run.tag("a", "b")
    run.upload_file("x", "y")
    run.upload_folder(name="x", path="y")
    run.child_run("c").log("d", 1)
    run.complete()
    assert run.get_tags() == {"a": "b"} and run.parent is None and run.get_metrics() == {}
    assert not hasattr(run, "experiment")
    with pytest.raises(AttributeError, match="not in a run"):
        run.register_model("m")
    with pytest.raises(RunEnvironmentException):
        Run.get_context(allow_offline=False)


def test_in_a_run(script, connected):
    from conftest import read_spool

    connected.routes[f"GET {BASE}"] = run_facts()
    connected.routes[f"PATCH {BASE}"] = run_facts(tags={"t": None})
    out, _ = script.run(
        """
import sys
from azureml.core import Run
run = Run.get_context()
assert Run.get_context() is run
run.log("loss", 0.25, step=2)
run.log_row("r", x=1)
run.complete()
assert "http.client" not in sys.modules
print(run.id, run.experiment.name, run.experiment.workspace.name, run.input_datasets)
run.tag("t")
print(run.tags, run.get_status())
""",
        ROOST_URL=connected.url, ROOST_TOKEN="run-token", AZUREML_ARM_PROJECT_NAME="birds",
        ROOST_WORKSPACE="default", AZUREML_DATAREFERENCE_images="/data/images",
    )  # fmt: skip
    assert out.splitlines() == [
        f"{ID} birds default {{'images': '/data/images'}}",
        "{'t': None} Running",
    ]
    assert [record[:4] for record in read_spool(script.spool)] == [
        ["scalar", "loss", 0.25, 2],
        ["row", "r", {"x": 1}, None],
    ]
    assert {asked.headers["Authorization"] for asked in connected.asked} == {"Bearer run-token"}


def test_live_lines_come_at_once(connected, run, capsys):
    """A line is printed when it arrives, not when the stream ends."""
    import threading

    gate = threading.Event()

    def slowly(*_, **__):
        for number, line in enumerate(follow_lines("first\n", "second\n").splitlines()):
            if number == 2:
                gate.wait(20)
            yield json.loads(line)

    connected.routes[f"GET {BASE}"] = run_facts(status="Completed")
    connected.routes[f"GET {BASE}/logs"] = {"items": [], "next_cursor": None}
    run._client.lines = slowly
    waiting = threading.Thread(target=run.wait_for_completion, args=(True,))
    waiting.start()
    seen = ""
    give_up_at = time.monotonic() + 20
    while "first" not in seen and time.monotonic() < give_up_at:
        seen += capsys.readouterr().out
    assert "first" in seen and "second" not in seen
    gate.set()
    waiting.join(20)
    assert "second" in capsys.readouterr().out
