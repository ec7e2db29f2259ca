"""Submitting, watching and ending runs with azureml.core against a real server."""
import json
import os
import signal
import subprocess
import sys
import threading
import time
import urllib.request
import zipfile
from pathlib import Path
from typing import Any

import pytest

from conftest import Gate
from processes import wait_until
from roost_fixture import ROOT, RoostServer
from sdk_fixtures import at_server, experiment, script, ws  # noqa: F401


def test_from_submit_to_completed(experiment: Any, script: Any, capsys: Any) -> None:
    run = experiment.submit(script("print('hello')\n"), tags={"colour": "red", "bare": None})
    assert repr(run).startswith(f"Run(Experiment: {experiment.name},\nId: {run.id},\nType: azureml.scriptrun,\n")
    assert capsys.readouterr().out == ""
    details = run.wait_for_completion(show_output=True)
    printed = capsys.readouterr().out
    assert printed == (f"RunId: {run.id}\nWeb View: {run.get_portal_url()}\n\n"
                       "Streaming azureml-logs/70_driver_log.txt\n========================================\n\nhello\n\n"
                       f"Execution Summary\n=================\nRunId: {run.id}\nWeb View: {run.get_portal_url()}\n\n")
    assert details["status"] == "Completed" == run.status and details["startTimeUtc"] <= details["endTimeUtc"]
    assert details["runDefinition"]["script"] == "train.py" and details["target"] == "local"
    assert "azureml-logs/70_driver_log.txt" in details["logFiles"]
    assert run.get_tags() == {"colour": "red", "bare": None}
    assert (run.number, run.parent, run.type) == (1, None, "azureml.scriptrun")
    with_logs = run.get_details_with_logs()
    assert with_logs["logFiles"]["azureml-logs/70_driver_log.txt"] == "hello\n"


def test_lines_come_while_it_runs(experiment: Any, script: Any, gate: Gate, capsys: Any) -> None:
    run = experiment.submit(script("print('before')\n" + gate.wait_code + "print('after')\n"))
    waiting = threading.Thread(target=run.wait_for_completion, kwargs={"show_output": True})
    waiting.start()
    seen = []

    def printed() -> bool:
        seen.append(capsys.readouterr().out)
        return "before" in "".join(seen)

    wait_until(printed, 20, "the first line")
    assert "after" not in "".join(seen) and run.get_status() == "Running"
    gate.open()
    waiting.join(20)
    assert "after" in capsys.readouterr().out and run.status == "Completed"


def test_a_failure_carries_its_cause(experiment: Any, script: Any, capsys: Any) -> None:
    from azureml.exceptions import ActivityFailedException

    run = experiment.submit(script("print('fine')\nraise ValueError('too many birds')\n"))
    with pytest.raises(ActivityFailedException) as caught:
        run.wait_for_completion(show_output=True)
    text = str(caught.value)
    assert text.startswith("ActivityFailedException:\n\tMessage: Activity Failed:\n{")
    error = json.loads(text[text.index("{"):text.rindex("}") + 1])["error"]
    assert "exit code 1" in error["message"] and "ValueError: too many birds" in error["message"]
    assert error["exit_code"] == 1 and caught.value.error_details["error"]["exit_code"] == 1
    assert "too many birds" in capsys.readouterr().out
    assert run.wait_for_completion(raise_on_error=False)["status"] == "Failed" == run.status


@pytest.mark.parametrize("show_output", [True, False])
def test_a_traceback_is_read_once(experiment: Any, script: Any, capsys: Any, show_output: bool) -> None:
    """In the log where that is shown, else in the exception; programs find it in error_details."""
    from azureml.exceptions import ActivityFailedException

    run = experiment.submit(script("raise ValueError('too many birds')\n"))
    with pytest.raises(ActivityFailedException) as caught:
        run.wait_for_completion(show_output=show_output)
    read = capsys.readouterr().out + str(caught.value)
    assert read.count("Traceback (most recent call last)") == 1
    assert "ValueError: too many birds" in str(caught.value)
    details = caught.value.error_details["error"]
    assert details["traceback"][-1] == "ValueError: too many birds"
    assert "Traceback (most recent call last)" in details["message"]


def test_an_exception_is_not_cut_after_its_first_line(experiment: Any, script: Any, at_server: RoostServer) -> None:
    from azureml.exceptions import ActivityFailedException

    run = experiment.submit(script("raise ValueError('first line\\nsecond line\\n  third')\n"))
    with pytest.raises(ActivityFailedException, match="second line"):
        run.wait_for_completion()
    error = run.get_details()["error"]["error"]
    assert error["exception"] == "ValueError: first line\nsecond line\n  third"
    shown = at_server.cli("show", run.id).stdout
    assert "ValueError: first line" in shown and "second line" in shown and "  third" in shown


def test_cancel(experiment: Any, script: Any, gate: Gate) -> None:
    from azureml.exceptions import ActivityFailedException

    run = experiment.submit(script(gate.wait_code))
    wait_until(lambda: run.get_status() == "Running", 20, "Running")
    run.cancel()
    with pytest.raises(ActivityFailedException, match="Activity Canceled"):
        run.wait_for_completion()
    assert run.status == "Canceled"
    run.cancel()  # one that has ended stays as it is


def test_ctrl_c_leaves_the_run_running(at_server: RoostServer, experiment: Any, script: Any, gate: Gate) -> None:
    run = experiment.submit(script("print('going')\n" + gate.wait_code))
    # A test run in the background of a shell has the signal ignored, and so would this process.
    code = f"""
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from azureml.core import Run, Workspace
Run.get(Workspace.get("default"), {run.id!r}).wait_for_completion(show_output=True)
"""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python"), "PYTHONUNBUFFERED": "1"}
    waiting = subprocess.Popen([sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    try:
        assert waiting.stdout is not None
        for line in waiting.stdout:
            if line == "going\n":
                break
        waiting.send_signal(signal.SIGINT)
        out, err = waiting.communicate(timeout=20)
    finally:
        waiting.kill()
    assert f"Run {run.id} goes on" in out and "KeyboardInterrupt" in err
    assert run.get_status() == "Running"
    gate.open()
    assert run.wait_for_completion()["status"] == "Completed"


def test_a_server_that_restarts_interrupts_nobody(make_server: Any, monkeypatch: Any, tmp_path: Path, script: Any,
                                                  gate: Gate, capsys: Any) -> None:
    """It comes back at another port. The log goes on where it was; no line twice, none lost."""
    from azureml.core import Experiment, Workspace

    server = make_server()
    monkeypatch.setenv("ROOST_DATA", str(server.data))
    monkeypatch.delenv("ROOST_URL", raising=False)
    monkeypatch.delenv("ROOST_TOKEN", raising=False)
    run = Experiment(Workspace.get("default"), "restart").submit(
        script("for i in range(5): print('line', i)\n" + gate.wait_code + "print('line 5')\n"))
    waiting = threading.Thread(target=run.wait_for_completion, kwargs={"show_output": True})
    waiting.start()
    seen = []

    def printed(text: str) -> bool:
        seen.append(capsys.readouterr().out)
        return text in "".join(seen)

    wait_until(lambda: printed("line 4"), 20, "five lines")
    server.restart()
    gate.open()
    waiting.join(60)
    seen.append(capsys.readouterr().out)
    assert [line for line in "".join(seen).splitlines() if line.startswith("line")] == [f"line {i}" for i in range(6)]
    assert run.status == "Completed"


def test_in_a_run(experiment: Any, script: Any) -> None:
    run = experiment.submit(script("""
        import os
        from azureml.core import Run
        run = Run.get_context()
        assert run.id == os.environ["AZUREML_RUN_ID"] and not run.id.startswith("OfflineRun")
        for epoch in range(3):
            run.log("acc", epoch / 2, step=epoch)
        run.log("lr", 0.1)
        run.log_list("list", (x for x in range(3)))
        run.log_row("row", x=1, y=2)
        run.log_table("table", {"a": [1, 2], "b": ["x", "y"]})
        run.tag("seen")
        assert run.get_tags() == {"seen": None}
        run.add_properties({"seed": 7})
        run.upload_file("extra/me.py", __file__)
        assert run.experiment.workspace.name == "default"
        os.makedirs("outputs", exist_ok=True)
        open("outputs/model.pt", "w").write("weights")
        child = run.child_run("inner")
        child.log("inner", 1)
        child.complete()
        run.complete()
        print("ends")
    """))
    run.wait_for_completion()
    assert run.get_metrics() == {"acc": [0, 0.5, 1], "lr": 0.1, "list": [0, 1, 2], "row": {"x": 1, "y": 2},
                                 "table": {"a": [1, 2], "b": ["x", "y"]}}
    assert run.get_metrics("lr") == {"lr": 0.1}
    assert run.get_properties()["seed"] == "7" and run.get_tags() == {"seen": None}
    (child,) = run.get_children()
    assert (child.name, child.parent.id, child.status, child.get_metrics()) == ("inner", run.id, "Completed",
                                                                                {"inner": 1})
    assert run.get_metrics(recursive=True)[child.id] == {"inner": 1}
    names = run.get_file_names()
    assert {"azureml-logs/70_driver_log.txt", "extra/me.py", "outputs/model.pt"} <= set(names)


def test_fail_in_a_script_that_ends_well(experiment: Any, script: Any) -> None:
    run = experiment.submit(script("""
        from azureml.core import Run
        Run.get_context().fail("the data is bad", "BadData")
    """))
    details = run.wait_for_completion(raise_on_error=False)
    assert details["status"] == "Failed" and details["error"]["error"]["code"] == "BadData"
    assert "the data is bad" in details["error"]["error"]["message"]


def test_files(experiment: Any, script: Any, tmp_path: Path) -> None:
    from azureml.exceptions import UserErrorException

    run = experiment.submit(script("""
        import os
        os.makedirs("outputs/net", exist_ok=True); os.makedirs("logs", exist_ok=True)
        open("outputs/net/a.bin", "wb").write(bytes(range(256)) * 1000)
        open("outputs/net2.bin", "w").write("2")
        open("logs/events.txt", "w").write("event")
        print("done")
    """))
    run.wait_for_completion()
    run.download_file("./outputs/net/a.bin", output_file_path="model/a.bin")
    assert Path("model/a.bin").read_bytes() == bytes(range(256)) * 1000
    run.download_files(prefix="outputs/net", output_directory="all")
    assert sorted(str(p) for p in Path("all").rglob("*") if p.is_file()) == ["all/outputs/net/a.bin"]
    run.download_files("outputs", "cut", append_prefix=False)
    assert Path("cut/net2.bin").read_text() == "2"
    run.download_file("user_logs/std_log.txt", "log.txt")
    assert Path("log.txt").read_text() == "done\n"
    run.download_file("logs/events.txt")
    assert Path("events.txt").read_text() == "event"
    assert "azureml-logs/70_driver_log.txt" in "".join(run.get_all_logs("logs"))
    with pytest.raises(UserErrorException, match="outputs/net/a.bin"):
        run.download_file("outputs/model.pt")
    with zipfile.ZipFile(run.restore_snapshot(path="code")) as code:
        assert code.namelist() == ["train.py"]


def test_start_logging(experiment: Any) -> None:
    from azureml.exceptions import UserErrorException

    Path("notes.txt").write_text("with the run")
    os.mkdir("out")
    with experiment.start_logging(outputs="out") as run:
        assert run.status == "Running" and run.type is None
        for value in range(3):
            run.log("loss", value)
        run.log_row("row", a=1)
        run.log_row("row", a=2)
        Path("out/model.pt").write_text("m")
        Path("curve.png").write_bytes(b"png")
        run.log_image("curve", path="curve.png")
        run.add_properties({"p": 1})
        with pytest.raises(UserErrorException, match="never change"):
            run.add_properties({"p": 1})
    assert run.status == "Completed"
    metrics = run.get_metrics()
    assert metrics["loss"] == [0, 1, 2] and metrics["row"] == {"a": [1, 2]}
    assert metrics["curve"].startswith(f"aml://artifactId/ExperimentRun/dcid.{run.id}/images/curve")
    assert "out/model.pt" in run.get_file_names()
    with zipfile.ZipFile(run.restore_snapshot()) as code:
        assert code.read("notes.txt") == b"with the run"
    with pytest.raises(ZeroDivisionError), experiment.start_logging(snapshot_directory=None) as failed:
        1 / 0
    assert failed.status == "Failed" and "ZeroDivisionError" in failed.get_details()["error"]["error"]["message"]
    assert failed.get_snapshot_id() is None


def test_what_is_logged_is_there_when_the_process_has_ended(at_server: RoostServer, experiment: Any) -> None:
    run = experiment.start_logging(snapshot_directory=None)
    code = f"""
from azureml.core import Run, Workspace
run = Run.get(Workspace.get("default"), {run.id!r})
for i in range(2000): run.log("x", i)
"""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
    subprocess.run([sys.executable, "-c", code], env=environment, check=True, timeout=60)
    assert run.get_metrics()["x"] == list(range(2000))
    run.complete()


def test_children_and_lists(experiment: Any, script: Any) -> None:
    parent = experiment.start_logging(snapshot_directory=None)
    folds = parent.create_children(tag_key="fold", tag_values=["a", "b"])
    submitted = parent.submit_child(script("print(1)\n"), tags={"kind": "script"})
    submitted.wait_for_completion()
    deep = folds[0].child_run("deep")
    assert [run.id for run in parent.get_children()] == [submitted.id, folds[1].id, folds[0].id]
    assert {run.id for run in parent.get_children(recursive=True)} == {submitted.id, folds[1].id, folds[0].id, deep.id}
    assert [run.id for run in parent.get_children(tags={"fold": "a"})] == [folds[0].id]
    assert [run.id for run in parent.get_children(type="azureml.scriptrun")] == [submitted.id]
    assert [run.id for run in parent.get_children(status="Completed")] == [submitted.id]
    for run in (deep, *folds):
        run.complete()
    assert parent.get_status() == "Running"
    parent.complete()
    second = experiment.start_logging(snapshot_directory=None)
    second.tag("colour", "red")
    second.complete()
    assert [run.id for run in experiment.get_runs()] == [second.id, parent.id]
    assert [run.id for run in experiment.get_runs(tags={"colour": "red"})] == [second.id]
    assert len(list(experiment.get_runs(include_children=True))) == 6
    assert [run.id for run in experiment.get_runs(include_children=True, type="azureml.scriptrun")] == [submitted.id]


def test_git_facts(experiment: Any, script: Any, tmp_path: Path) -> None:
    config = script("print(1)\n")
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", str(config.folder)]
    for arguments in (["init", "-q", "-b", "main"], ["remote", "add", "origin", "https://me:secret@host/repo.git"],
                      ["add", "."], ["commit", "-q", "-m", "first"]):
        subprocess.run([*git, *arguments], check=True)
    (config.folder / "train.py").write_text("print(2)\n")
    properties = experiment.submit(config).get_properties()
    commit = subprocess.run([*git, "rev-parse", "HEAD"], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    assert properties["azureml.git.branch"] == "main" and properties["azureml.git.commit"] == commit
    assert properties["azureml.git.repository_uri"] == "https://host/repo.git"
    assert properties["azureml.git.dirty"].lower() == "true"


def test_offline_in_a_process_of_its_own(tmp_path: Path) -> None:
    code = "from azureml.core import Run; r = Run.get_context(); r.log('acc', 0.5); r.tag('a'); print(r.id[:11])"
    environment = {key: value for key, value in os.environ.items() if not key.startswith("ROOST_")}
    done = subprocess.run([sys.executable, "-c", code], env={**environment, "PYTHONPATH": str(ROOT / "python")},
                          stdout=subprocess.PIPE, text=True, check=True, timeout=60)
    assert done.stdout.splitlines()[:2] == ["Attempted to log scalar metric acc:", "0.5"]
    assert done.stdout.splitlines()[-1] == "OfflineRun_"


def test_many_lines_are_all_printed_in_order(experiment: Any, script: Any, capsys: Any) -> None:
    run = experiment.submit(script("for i in range(20000): print('line', i)\n"))
    began = time.process_time()
    run.wait_for_completion(show_output=True)
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("line")]
    assert lines == [f"line {i}" for i in range(20000)] and time.process_time() - began < 60


def test_the_links_lead_to_the_studio(ws: Any, experiment: Any) -> None:
    run = experiment.start_logging()
    run.complete()
    for url in (run.get_portal_url(), experiment.get_portal_url()):
        with urllib.request.urlopen(url, timeout=30) as answer:
            assert answer.headers.get_content_type() == "text/html" and b"<title>Roost</title>" in answer.read()
    assert experiment.get_portal_url().endswith(f"/w/{ws.name}/runs?q=experiment%3A{experiment.name}")
    assert run.get_portal_url().endswith(f"/runs/{run.id}")
