"""RunDetails, Tensorboard and `roost import azureml` with real runs and the real program."""
import stat
import sys
import threading
from pathlib import Path
from typing import Any, Dict, List

import pytest

from conftest import Gate
from processes import wait_until
from roost_fixture import RoostServer
from sdk_fixtures import at_server, experiment, script, ws  # noqa: F401

TRAIN = """\
import os
from azureml.core import Run
run = Run.get_context()
for epoch in range(5):
    run.log("loss", 1 / (epoch + 1))
    run.log_row("rates", epoch=epoch, rate=0.1 ** epoch)
run.log("<b>name</b>", "<script>alert(1)</script>")
print("first \\x1b[31mred\\x1b[0m line", flush=True)
"""
HOSTILE = "<script>alert('run')</script>"


class Notebook:
    """What a notebook would show."""

    def __init__(self) -> None:
        self.pages: List[str] = []
        self.ids: List[str] = []
        self.threads: List[str] = []

    def __call__(self, bundle: Dict[str, str], display_id: str, update: bool) -> None:
        assert update == bool(self.pages)
        self.pages.append(bundle["text/html"])
        self.ids.append(display_id)
        self.threads.append(threading.current_thread().name)


def test_terminal(experiment: Any, script: Any, gate: Gate, capsys: Any) -> None:
    from azureml.widgets import RunDetails

    run = experiment.submit(script(TRAIN + gate.wait_code + "print('the end')\n"))
    details = RunDetails(run)
    wait_until(lambda: details.get_widget_data()["log_lines"], 30, "the first line")
    wait_until(lambda: len(details.get_widget_data()["metrics"]) == 3, 30, "the metrics")
    details.show()
    text = capsys.readouterr().out
    assert f"RunId: {run.id}\n" in text and f"Web View: {run.get_portal_url()}\n" in text
    assert "  first red line\n" in text and "the end" not in text
    assert any(line.split()[:2] == ["loss", "0.2"] for line in text.splitlines()), text
    gate.open()
    run.wait_for_completion()
    details.show()
    text = capsys.readouterr().out
    assert "  Completed  " in text.splitlines()[0] and "  the end\n" in text


def test_notebook_follows_to_the_end(experiment: Any, script: Any, gate: Gate) -> None:
    from azureml.widgets import RunDetails
    from azureml.widgets._live import show_live

    run = experiment.submit(script(TRAIN + gate.wait_code))
    run.display_name = HOSTILE
    notebook = Notebook()
    thread = show_live(notebook, RunDetails(run)._view)
    assert thread is not None and len(notebook.pages) == 1
    wait_until(lambda: notebook.pages[-1].count("<svg") == 3, 30, "three curves")
    gate.open()
    thread.join(30)
    last = notebook.pages[-1]
    assert not thread.is_alive() and ">Completed<" in last
    assert len(set(notebook.ids)) == 1 and set(notebook.threads[1:]) == {thread.name}
    assert "<script" not in last and "&lt;script&gt;alert(&#x27;run&#x27;)" in last
    assert "first red line" in last and "Queued" in last


def test_failed_run_tells_why(experiment: Any, script: Any, capsys: Any) -> None:
    from azureml.widgets import RunDetails

    run = experiment.submit(script("raise ValueError('too <small>')\n"))
    run.wait_for_completion(raise_on_error=False)
    RunDetails(run).show()
    text = capsys.readouterr().out
    assert "Failed" in text.splitlines()[0] and "Error: " in text and "ValueError: too <small>" in text


def test_interactive_run_with_children(experiment: Any, capsys: Any) -> None:
    from azureml.widgets import RunDetails

    run = experiment.start_logging(snapshot_directory=None)
    with run.child_run("small") as child:
        child.log("a", 1)
    RunDetails(run).show()
    run.complete()
    assert "  small  Completed\n" in capsys.readouterr().out


def test_the_server_goes_and_comes_back(make_server: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from azureml.core import Experiment, Workspace
    from azureml.widgets import RunDetails
    from azureml.widgets._live import show_live

    server = make_server()
    monkeypatch.setenv("ROOST_DATA", str(server.data))
    run = Experiment(Workspace.get("default"), "away").start_logging(snapshot_directory=None)
    notebook = Notebook()
    thread = show_live(notebook, RunDetails(run)._view)
    assert thread is not None
    server.terminate()
    server.config = {"port": int(run._client.url.rpartition(":")[2])}
    server.start()
    run.complete()
    thread.join(60)
    assert not thread.is_alive() and ">Completed<" in notebook.pages[-1]


def test_tensorboard(experiment: Any, script: Any, gate: Gate, tmp_path: Path,
                     monkeypatch: pytest.MonkeyPatch) -> None:
    from azureml.tensorboard import Tensorboard

    program = tmp_path / "bin" / "tensorboard"
    program.parent.mkdir()
    program.write_text(f"#!{sys.executable}\nimport time\n"
                       "print('TensorBoard at http://localhost:1/ (Press CTRL+C to quit)', flush=True)\n"
                       "time.sleep(60)\n", encoding="utf-8")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(program.parent), prepend=":")
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    run = experiment.submit(script("import os\nos.makedirs('logs/train')\n"
                                   "open('logs/train/events', 'w').write('one')\n" + gate.wait_code +
                                   "open('logs/train/events', 'a').write(' two')\n"))
    board = Tensorboard([run], local_root=str(tmp_path / "board"))
    assert board.start() == "http://localhost:1/"
    events = tmp_path / "board" / run.id / "train" / "events"
    try:
        gate.open()
        run.wait_for_completion()
        wait_until(lambda: events.exists() and events.read_text() == "one two", 30, "the events")
    finally:
        board.stop()


def test_import_verb(shared_server: RoostServer, tmp_path: Path) -> None:
    """Nothing of the folder is run, whatever its files are called."""
    for hidden in ("roost.py", "azureml.py", "json.py", "typing.py", "runpy.py"):
        (tmp_path / hidden).write_text("open('ran', 'w')\n", encoding="utf-8")
    (tmp_path / "train.py").write_text("from azureml.core import Run\nRun.get_context().log('a', 1)\n", encoding="utf-8")
    (tmp_path / "sweep.py").write_text("from azureml.pipeline.core import Pipeline\nPipeline(None, [])\n", encoding="utf-8")
    done = shared_server.cli("import", "azureml", "train.py", cwd=tmp_path)
    assert "Run.log()  train.py:2" in done.stdout and "The file runs unchanged" in done.stdout
    report = shared_server.cli("import", "azureml", ".", "--json", cwd=tmp_path, check=False)
    assert report.returncode == 1 and '"files_that_run": 1' in report.stdout
    missing = shared_server.cli("import", "azureml", "nowhere", cwd=tmp_path, check=False)
    assert missing.returncode == 2 and "there is no nowhere" in missing.stderr
    assert not (tmp_path / "ran").exists()
