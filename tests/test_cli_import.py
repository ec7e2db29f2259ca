"""roost import azureml: the analyser inside the program, on a machine without a server."""
import json
import os
import subprocess
from pathlib import Path

import pytest

from roost_fixture import PYTHON, RoostServer, clean_environment, roost_program

GOOD = "from azureml.core import Run\nrun = Run.get_context()\nrun.log('loss', 0.1)\n"
LACKS = "from azureml.pipeline.core import Pipeline\nPipeline(None, [])\n"


@pytest.fixture
def project(source: Path) -> Path:
    (source / "train.py").write_text(GOOD)
    return source


def call(folder: Path, *arguments: object, **variables: str) -> subprocess.CompletedProcess:
    environment = {**clean_environment(folder.parent), **variables}
    return subprocess.run([str(roost_program()), "import", "azureml", *map(str, arguments)], env=environment,
                          cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, timeout=60)


def test_report_and_exit_code(project: Path) -> None:
    done = call(project, ".")
    assert (done.returncode, done.stderr) == (0, "")
    assert "train.py" in done.stdout
    (project / "pipeline.py").write_text(LACKS)
    done = call(project, ".")
    assert done.returncode == 1
    assert "azureml.pipeline" in done.stdout


def test_json_and_quiet(project: Path) -> None:
    json.loads(call(project, project, "--json").stdout)
    assert len(call(project, project, "--quiet").stdout) < len(call(project, project).stdout)


def test_notebook(project: Path) -> None:
    cells = [{"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": GOOD}]
    (project / "train.ipynb").write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4,
                                                     "nbformat_minor": 5}))
    done = call(project, "train.ipynb")
    assert done.returncode == 0, done.stderr
    assert "train.ipynb" in done.stdout


def test_code_in_the_folder_is_never_imported(project: Path) -> None:
    (project / "json.py").write_text("raise SystemExit('imported')")
    (project / "roost.py").write_text("raise SystemExit('imported')")
    done = call(project, ".", PYTHONPATH=str(project))
    assert done.returncode == 0, done.stderr
    assert "imported" not in done.stdout + done.stderr


def test_the_python_may_be_named(project: Path, tmp_path: Path) -> None:
    fake = tmp_path / "fake-python"
    fake.write_text('#!/bin/sh\ntest "$1" = "$PYTHONPATH/roost/azureml_import/__main__.py" || exit 8\n'
                    'test -f "$1" || exit 9\nshift\necho "$@"\nexit 7\n')
    fake.chmod(0o755)
    done = call(project, ".", "--python", fake)
    assert (done.returncode, done.stdout) == (7, "--no-color -- .\n")
    done = call(project, ".", "--python", "/no/such/python")
    assert done.returncode == 3
    assert "/no/such/python" in done.stderr and "--python" in done.stderr


def test_bad_input(project: Path) -> None:
    done = call(project, "absent")
    assert (done.returncode, done.stdout) == (2, "")
    assert "absent" in done.stderr
    assert call(project).returncode == 2
    (project / "-q.py").write_text(GOOD)
    assert call(project, "./-q.py").returncode == 0


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_read_only_home(project: Path) -> None:
    (project.parent / ".cache").mkdir(mode=0o500)
    assert "cannot" in call(project, ".").stderr


def test_works_with_the_usual_python_of_this_machine(project: Path) -> None:
    if not os.access(PYTHON, os.X_OK):
        pytest.skip("no /usr/bin/python3")
    assert call(project, ".", PATH="/nowhere").returncode == 0


SUBMIT = """\
from azureml.core import Environment, Experiment, ScriptRunConfig, Workspace

ws = Workspace.from_config()
env = Environment("own")
env.python.user_managed_dependencies = True
src = ScriptRunConfig(source_directory=".", script="train.py", compute_target="local", environment=env)
Experiment(ws, "tried").submit(src)
"""


@pytest.fixture
def submitting(project: Path) -> Path:
    (project / "submit.py").write_text(SUBMIT)
    (project / "config.json").write_text('{"workspace_name": "default"}')
    return project


def test_a_trial_runs_what_is_foreseen_to_run(server: RoostServer, submitting: Path) -> None:
    (submitting / "pipeline.py").write_text(LACKS)
    before = sorted(submitting.iterdir())
    done = server.cli("import", "azureml", ".", "--try", "--json", cwd=submitting, check=False, timeout=120)
    files = {os.path.basename(file["path"]): file for file in json.loads(done.stdout)["files"]}
    assert files["submit.py"]["verdict"] == "runs"
    trial = files["submit.py"]["trial"]
    assert trial["ran"] is True and [run["status"] for run in trial["runs"]] == ["Completed"], trial
    assert server.metric(trial["runs"][0], "loss")["points"], "the run was a real one"
    assert files["train.py"]["submitted"] is True and "trial" not in files["train.py"]
    assert "trial" not in files["pipeline.py"] and done.returncode == 1
    assert sorted(submitting.iterdir()) == before, "it works on a copy"


def test_a_trial_tells_what_was_not_foreseen(server: RoostServer, submitting: Path) -> None:
    (submitting / "train.py").write_text(GOOD + "assert 1 > 2, 'no bird'\n")
    done = server.cli("import", "azureml", "submit.py", "--try", cwd=submitting, check=False, timeout=120)
    assert done.returncode == 1
    assert "tried    foreseen: runs; but it failed: " in done.stdout and "no bird" in done.stdout, done.stdout


def test_a_trial_needs_a_server(submitting: Path) -> None:
    done = call(submitting, "submit.py", "--try")
    assert (done.returncode, done.stdout) == (2, "")
    assert "roost up" in done.stderr


def test_offline_asks_nobody(server: RoostServer, submitting: Path) -> None:
    (submitting / "config.json").write_text('{"workspace_name": "nowhere"}')
    asked = server.cli("import", "azureml", "submit.py", cwd=submitting, check=False)
    assert asked.returncode == 1 and "roost workspace create nowhere" in asked.stdout
    assert server.cli("import", "azureml", "submit.py", "--offline", cwd=submitting).returncode == 0
