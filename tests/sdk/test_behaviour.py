"""What real Azure ML code relies on beyond the names: each as a script or a notebook does it."""
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from conftest import Gate
from processes import wait_until
from roost_fixture import PYTHON, ROOT, RoostServer
from sdk_fixtures import at_server, experiment, script, ws  # noqa: F401
from sdk_python import SDK, pythons


@pytest.mark.parametrize("python", pythons())
def test_urllib_is_whole(python: str, tmp_path: Path) -> None:
    code = "import urllib, azureml.core; print(urllib.request.Request('http://x').host, urllib.parse.quote('/'))"
    done = subprocess.run([python, "-c", code], env={"PYTHONPATH": str(SDK)}, cwd=tmp_path, capture_output=True,
                          text=True, timeout=60)
    assert done.stdout == "x /\n", done.stderr


def test_absent_names_do_not_stop_a_script_that_trains(experiment: Any, script: Any) -> None:
    run = experiment.submit(script("""
        from azureml.core.compute import RemoteCompute
        from azureml.core.webservice import AciWebservice, Webservice
        from azureml.train.automl import AutoMLConfig
        from azureml.pipeline.core import Pipeline
        import azureml.mlflow
        from azureml.core import Run
        Run.get_context().log("trained", 1)
        try:
            RemoteCompute.provisioning_configuration()
        except NotImplementedError as error:
            print(error)
    """))
    run.wait_for_completion()
    assert run.get_metrics() == {"trained": 1}
    log = run.get_details_with_logs()["logFiles"]["azureml-logs/70_driver_log.txt"]
    assert "Roost does not have azureml.core.compute.RemoteCompute yet" in log


# Ending runs.


def test_fail_ends_a_run_that_waits(ws: Any, experiment: Any, script: Any, gate: Gate) -> None:
    from azureml.core.compute import AmlCompute, ComputeTarget

    ComputeTarget.create(ws, "single", AmlCompute.provisioning_configuration(max_nodes=1))
    first = experiment.submit(script(gate.wait_code, compute="single"))
    wait_until(lambda: first.get_status() == "Running", 30, "Running")
    run = experiment.submit(script(gate.wait_code, compute="single"))
    assert run.get_status() in ("Queued", "Preparing", "Starting", "Provisioning")
    run.fail("not needed", "TooLate")
    assert run.get_status() == "Failed"
    gate.open()
    first.wait_for_completion()
    details = run.get_details()
    assert details["status"] == "Failed" and "startTimeUtc" not in details
    assert details["error"]["error"]["code"] == "TooLate"


def test_fail_ends_a_run_that_runs(experiment: Any, script: Any, gate: Gate, tmp_path: Path) -> None:
    after = tmp_path / "after"
    run = experiment.submit(script(f"{gate.wait_code}open({str(after)!r}, 'w')\n"))
    wait_until(lambda: run.get_status() == "Running", 30, "Running")
    run.fail("the data is old")
    assert run.get_status() == "Failed"
    gate.open()
    details = run.wait_for_completion(raise_on_error=False)
    assert "the data is old" in details["error"]["error"]["message"] and not after.exists()


def test_what_a_run_was_ended_as_stays(experiment: Any, script: Any, gate: Gate) -> None:
    """Whatever the script does afterwards, and whoever asks for another end."""
    after_fail = experiment.submit(script(f"""
        from azureml.core import Run
        run = Run.get_context()
        run.fail("said so", "Own")
        run.fail("said more", "Second")
        run.cancel()
        run.complete()
        raise SystemExit(3)
    """))
    details = after_fail.wait_for_completion(raise_on_error=False)
    assert details["status"] == "Failed" and details["error"]["error"]["code"] == "Own"
    assert "said so" in details["error"]["error"]["message"]
    canceled = experiment.submit(script(gate.wait_code))
    wait_until(lambda: canceled.get_status() == "Running", 30, "Running")
    canceled.cancel()
    canceled.fail("too late")
    assert canceled.wait_for_completion(raise_on_error=False)["status"] == "Canceled"
    for end in (canceled.complete, canceled.fail, canceled.cancel):
        end()
    assert canceled.get_status() == "Canceled"


@pytest.mark.parametrize("end, status", [("fail", "Failed"), ("cancel", "Canceled"), ("complete", "Completed")])
def test_what_a_notebook_ended_its_run_as_stays(experiment: Any, end: str, status: str) -> None:
    with experiment.start_logging(snapshot_directory=None) as run:
        getattr(run, end)()
        assert run.get_status() == status
    run.fail("later")
    run.cancel()
    run.complete()
    assert run.get_status() == status == run.status


# Notebooks.


def test_start_logging_keeps_outputs_and_logs(experiment: Any, ws: Any) -> None:
    run = experiment.start_logging(snapshot_directory=None)
    assert Path("outputs").is_dir()
    Path("outputs/deep").mkdir()
    Path("outputs/deep/model.pkl").write_text("weights")
    Path("logs").mkdir()
    Path("logs/train.log").write_text("line")
    early = run.register_model("early", "outputs/deep/model.pkl")
    run.complete()
    assert {"outputs/deep/model.pkl", "logs/train.log"} <= set(run.get_file_names())
    late = run.register_model("late", "./outputs/deep")
    for model in (early, late):
        place = Path(model.download(f"fetched-{model.name}"))
        found = place if place.is_file() else place / "model.pkl"
        assert found.read_text() == "weights"
    assert early.description is None and run.register_model("said", "outputs", description="d").description == "d"
    Path("outputs/deep/late.pkl").write_text("others")
    run.complete()
    run.fail()
    assert run.status == "Completed" and "outputs/deep/late.pkl" not in run.get_file_names()
    none = experiment.start_logging(outputs=False, snapshot_directory=None)
    none.complete()
    assert none.get_file_names() == []


def test_outputs_of_a_notebook_that_moved_or_failed_are_kept(experiment: Any) -> None:
    with pytest.raises(ZeroDivisionError), experiment.start_logging(snapshot_directory=None) as run:
        Path("outputs/a.txt").write_text("a")
        os.mkdir("elsewhere")
        os.chdir("elsewhere")
        assert 1 / 0
    assert run.status == "Failed" and run.get_file_names() == ["outputs/a.txt"]


def test_a_notebooks_own_interpreter(at_server: RoostServer, ws: Any, experiment: Any, script: Any,
                                     tmp_path: Path) -> None:
    """user_managed_dependencies on `local` means the interpreter of the process that submits."""
    subprocess.run([PYTHON, "-m", "venv", "--without-pip", str(tmp_path / "venv")], check=True, timeout=120)
    folder = script("import sys; from azureml.core import Run; Run.get_context().tag('python', sys.prefix)\n").folder
    code = f"""
from azureml.core import Environment, Experiment, RunConfiguration, ScriptRunConfig, Workspace
config = RunConfiguration()
config.environment.python.user_managed_dependencies = True
own = ScriptRunConfig({str(folder)!r}, "train.py", run_config=config)
run = Experiment(Workspace.get("default"), {experiment.name!r}).submit(own)
run.wait_for_completion()
named = Environment("mine")
named.python.user_managed_dependencies = True
named.python.interpreter_path = {PYTHON!r}
other = run.experiment.submit(ScriptRunConfig({str(folder)!r}, "train.py", environment=named))
other.wait_for_completion()
print(run.get_tags()["python"], other.get_tags()["python"])
"""
    done = subprocess.run([str(tmp_path / "venv/bin/python"), "-c", code], capture_output=True, text=True, timeout=120,
                          env={**os.environ, "PYTHONPATH": str(ROOT / "python")})
    assert done.stdout == f"{tmp_path / 'venv'} /usr\n", done.stderr


def test_a_source_directory_that_is_empty_text(experiment: Any) -> None:
    from azureml.core import ScriptRunConfig

    Path("train.py").write_text("print('here')\n")
    config = ScriptRunConfig(source_directory="", script="train.py")
    config.run_config.environment.python.user_managed_dependencies = True
    assert experiment.submit(config).wait_for_completion()["status"] == "Completed"


def test_a_notebook_is_no_script(experiment: Any, at_server: RoostServer, tmp_path: Path) -> None:
    from azureml.core import ScriptRunConfig
    from azureml.exceptions import UserErrorException

    Path("train.ipynb").write_text("{}")
    with pytest.raises(UserErrorException, match="train.ipynb is a notebook.*jupyter nbconvert --to script"):
        experiment.submit(ScriptRunConfig(".", "train.ipynb"))
    assert list(experiment.get_runs()) == []
    body = {"experiment": experiment.name, "script": "deep/Train.IPYNB", "snapshot": "0" * 64}
    answer = at_server.api("POST", "/workspaces/default/runs", json=body)
    assert answer.status == 400 and "deep/Train.IPYNB is a notebook" in answer.json["error"]["message"]


# Families.


def test_children_read_and_log_to_their_family(experiment: Any, script: Any) -> None:
    run = experiment.submit(script("""
        import os, sys
        from azureml.core import Run, ScriptRunConfig
        run = Run.get_context()
        if run.parent is None:
            config = ScriptRunConfig(".", "train.py", arguments=["sibling"])
            config.run_config.environment.python.user_managed_dependencies = True
            config.run_config.environment.python.interpreter_path = sys.executable
            quiet = run.child_run("quiet")
            run.log("own", 1)
            child = run.submit_child(config)
            child.wait_for_completion()
            assert run.get_metrics()["of_child"] == [1, 2], run.get_metrics()
            assert quiet.get_metrics() == {"visit": 7}
            quiet.complete()
        else:
            parent = run.parent
            assert parent.get_metrics() == {"own": 1} and parent.get_status() == "Running"
            parent.log("of_child", 1)
            parent.log("of_child", 2)
            parent.tag("by", "child")
            parent.add_properties({"p": "1"})
            open("note.txt", "w").write("note")
            parent.upload_file("from_child/note.txt", "note.txt")
            parent.flush()
            quiet, = [one for one in parent.get_children() if one.id != run.id]
            assert quiet.name == "quiet"
            quiet.log("visit", 7)
            quiet.flush()
            for end in (parent.cancel, quiet.cancel, lambda: parent.fail("no"), lambda: setattr(parent, "display_name", "x")):
                try:
                    end()
                except Exception as error:
                    assert "its children only" in str(error), error
                else:
                    raise AssertionError("a child may not end or rename others")
    """, environment={"python": PYTHON}))
    run.wait_for_completion()
    assert run.get_tags() == {"by": "child"} and run.get_properties()["p"] == "1"
    assert "from_child/note.txt" in run.get_file_names()


# Values.


def test_ints_stay_ints(experiment: Any, script: Any) -> None:
    run = experiment.submit(script("""
        from azureml.core import Run
        run = Run.get_context()
        run.log("once", 10)
        run.log("large", 2**60 + 1)
        run.log("below", -3)
        run.log("real", 10.0)
        for value in (1, 2.0, 3, float("nan"), 4):
            run.log("mixed", value)
        run.log_list("list", [1, 2.5, 3, "x"])
        run.log_row("row", n=1, x=2.0)
        run.log_table("table", {"n": [1, 2], "x": [0.5, 1.0]})
        run.log("true", True)
    """))
    run.wait_for_completion()
    found = run.get_metrics()
    assert str(found.pop("mixed")) == "[1, 2.0, 3, nan, 4]"
    assert repr(found) == repr({"below": -3, "large": 2**60 + 1, "list": [1, 2.5, 3, "x"], "once": 10, "real": 10.0,
                                "row": {"n": 1, "x": 2.0}, "table": {"n": [1, 2], "x": [0.5, 1.0]}, "true": True})
    with experiment.start_logging(snapshot_directory=None) as outside:
        outside.log("n", 5)
        outside.log("n", 6)
    assert repr(outside.get_metrics()) == "{'n': [5, 6]}"


def test_an_empty_list_is_a_list(at_server: RoostServer, experiment: Any, script: Any) -> None:
    run = experiment.submit(script("""
        from azureml.core import Run
        run = Run.get_context()
        run.log("loss", 0.5)
        run.log_list("x", [])
        run.log_list("later", [])
        run.log_list("later", [1])
        run.log_table("t", {"a": []})
        run.log_row("r")
        run.log("text", "")
    """))
    run.wait_for_completion()
    assert run.get_metrics() == {"later": [1], "loss": 0.5, "r": {}, "t": {"a": []}, "text": "", "x": []}
    for path in ("metrics", "charts?name=x&name=later&name=t&name=r&name=text", "metrics/x", "metrics/r", "metrics/x?buckets=10"):
        answer = at_server.api("GET", f"/runs/{run.id}/{path}", check=False)
        assert answer.status == 200 and b"<discarded>" not in answer.body and answer.json is not None, (path, answer.body)


def test_a_workspace_finds_its_runs(ws: Any, experiment: Any) -> None:
    from azureml.core import Run
    from azureml.exceptions import UserErrorException

    with experiment.start_logging(snapshot_directory=None) as run:
        found = ws.get_run(run.run_id)
        assert found == run and found.experiment.name == experiment.name and found.run_id == run.id
    with pytest.raises(UserErrorException):
        ws.get_run("no_1_00000000")
    assert Run.get_context().run_id.startswith("OfflineRun")


def test_what_config_json_says_is_so_in_the_run(at_server: RoostServer, experiment: Any, script: Any) -> None:
    from azureml.core import Experiment, Workspace

    Path("config.json").write_text(
        '{"subscription_id": "12345678-aaaa", "resource_group": "birds-rg", "workspace_name": "default"}')
    source = script("""
        import os
        from azureml.core import Run
        run = Run.get_context()
        ws = run.experiment.workspace
        run.log_row("ws", subscription=ws.subscription_id, group=ws.resource_group, workspace=ws.name)
        scope = "/subscriptions/12345678-aaaa/resourceGroups/birds-rg/"
        assert os.environ["AZUREML_WORKSPACE_SCOPE"].startswith(scope)
        assert os.environ["AZUREML_EXPERIMENT_SCOPE"].startswith(scope)
        assert os.environ["AZUREML_ARM_SUBSCRIPTION"] == "12345678-aaaa"
        assert os.environ["AZUREML_ARM_RESOURCEGROUP"] == "birds-rg"
        run.tag("framework", os.environ["AZUREML_FRAMEWORK"])
    """)
    run = Experiment(Workspace.from_config(), experiment.name).submit(source)
    run.wait_for_completion()
    assert run.get_metrics("ws") == {"ws": {"subscription": "12345678-aaaa", "group": "birds-rg", "workspace": "default"}}
    assert run.get_tags() == {"framework": "Python"}
    again = at_server.post(f"/runs/{run.id}/rerun")
    assert again["spec"]["subscription_id"] == "12345678-aaaa"
    at_server.wait(again)


@pytest.mark.parametrize("configure, framework", [
    ("config.framework = 'TensorFlow'", "TensorFlow"),
    ("job = PyTorchConfiguration(node_count=1)", "PyTorch"),
    ("config.framework = 'PyTorch'", "PyTorch"),
    ("pass", "Python"),
])
def test_the_framework_is_told(experiment: Any, tmp_path: Path, configure: str, framework: str) -> None:
    from azureml.core import RunConfiguration, ScriptRunConfig
    from azureml.core.runconfig import PyTorchConfiguration

    config = RunConfiguration()
    names = {"config": config, "job": None, "PyTorchConfiguration": PyTorchConfiguration}
    exec(configure, names)
    config.environment.python.user_managed_dependencies = True
    Path("train.py").write_text("import os; from azureml.core import Run\n"
                                "Run.get_context().tag('framework', os.environ['AZUREML_FRAMEWORK'])\n")
    run = experiment.submit(ScriptRunConfig(".", "train.py", run_config=config, distributed_job_config=names["job"]))
    run.wait_for_completion()
    assert run.get_tags() == {"framework": framework}


def test_a_vm_size_that_is_none_names_its_neighbours(ws: Any, at_server: RoostServer) -> None:
    from azureml.core.compute import AmlCompute, ComputeTarget
    from azureml.core.compute_target import ComputeTargetException

    for wrong, near in (("STANDARD_NC5", "STANDARD_NC6"), ("Standard_DS3_v22", "STANDARD_DS3_V2")):
        with pytest.raises(ComputeTargetException, match=f"no VM size.*{wrong}.*{near}"):
            ComputeTarget.create(ws, "wrong", AmlCompute.provisioning_configuration(vm_size=wrong, max_nodes=1))
    assert "wrong" not in ws.compute_targets
    refused = at_server.cli("compute", "create", "wrong", "--vm-size", "STANDARD_NC5", check=False)
    assert refused.returncode != 0 and "STANDARD_NC6" in refused.stderr
    for right in ("Standard_D4s_v3", "STANDARD_E4DS_V4", "STANDARD_NC6_PROMO", "Standard_D12"):
        made = ComputeTarget.create(ws, "right", AmlCompute.provisioning_configuration(vm_size=right, max_nodes=1))
        made.delete()


# TensorBoard.


def test_metrics_become_event_files(experiment: Any) -> None:
    from azureml.tensorboard.export import export_to_tensorboard

    with experiment.start_logging(snapshot_directory=None) as run:
        for step in range(3):
            run.log("loss", 1 / (step + 1), step=step * 10)
        run.log("n", 5)
        run.log("huge", 1e300)
        run.log("text", "no number")
        run.log_row("row", a=1, b="x")
        child = run.child_run("inner")
        child.log("inner", 2)
        child.complete()
    export_to_tensorboard(run, "events")
    found = {path.parent.name: scalars(path) for path in Path("events").rglob("events.out.tfevents.*")}
    assert found[child.id] == [("inner", 0, 2.0)]
    assert sorted(found[run.id]) == [("huge", 0, float("inf")), ("loss", 0, 1.0), ("loss", 10, 0.5),
                                     ("loss", 20, pytest.approx(1 / 3, rel=1e-6)), ("n", 0, 5.0), ("row/a", 0, 1.0)]
    export_to_tensorboard([run], "alone", recursive=False)
    assert [path.parent.name for path in Path("alone").rglob("events.*")] == ["alone"]


def scalars(path: Path) -> Any:
    """As the format says: length, checksum, event, checksum; the checksums are those of other code."""
    import struct

    def crc32c(data: bytes) -> int:
        crc = 0xFFFFFFFF
        for byte in data:
            crc ^= byte
            for _ in range(8):
                crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
        crc ^= 0xFFFFFFFF
        return (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF

    assert crc32c(b"") == 0xA282EAD8
    data, found, at = path.read_bytes(), [], 0
    while at < len(data):
        (length,), head = struct.unpack_from("<Q", data, at), data[at:at + 8]
        event = data[at + 12:at + 12 + length]
        assert struct.unpack_from("<I", data, at + 8)[0] == crc32c(head)
        assert struct.unpack_from("<I", data, at + 12 + length)[0] == crc32c(event)
        at += 16 + length
        fields = dict(messages(event))
        if 5 in fields:
            value = dict(messages(dict(messages(fields[5]))[1]))
            found.append((value[1].decode(), fields.get(2, 0), struct.unpack("<f", value[2])[0]))
        else:
            assert fields[3] == b"brain.Event:2"
    return found


def messages(data: bytes) -> Any:
    at = 0

    def varint() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(data):
        tag = varint()
        if tag & 7 == 0:
            yield tag >> 3, varint()
            continue
        size = {1: 8, 5: 4}.get(tag & 7) or varint()
        yield tag >> 3, data[at:at + size]
        at += size
