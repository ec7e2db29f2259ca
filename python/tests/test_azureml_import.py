"""`roost import azureml` as a user calls it, over a small project of Azure ML code."""

import json
import os
import shutil
import subprocess
import sys

import pytest
from azureml_project import write_project
from conftest import PYTHON_FOLDER

from roost.azureml_import.command import main

MAIN = os.path.join(PYTHON_FOLDER, "roost", "azureml_import", "__main__.py")


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "project"
    write_project(folder)
    return folder


def report(path, capsys, code=None):
    got = main([str(path), "--json", "--offline"])
    assert code is None or got == code
    return json.loads(capsys.readouterr().out)


def uses(report, name):
    """{symbol: (verdict, [(cell, line)])} of a file."""
    (file,) = [file for file in report["files"] if file["path"].endswith(name)]
    found = {}
    for use in file["uses"]:
        places = found.setdefault(use["symbol"], (use["verdict"], []))[1]
        places.append((use.get("cell"), use["line"]))
    return found


def test_notebook(project, capsys):
    found = uses(report(project, capsys, code=1), "birds.ipynb")
    assert found["Workspace.from_config()"] == ("same", [(2, 7)])
    assert found["pip install --upgrade azureml-sdk"] == ("different", [(2, 1)])
    assert found["Run.log()"] == ("same", [(3, 4)])  # in the file that %%writefile writes
    assert found["DockerSection.base_image"] == ("different", [(4, 2)])
    assert found["MpiConfiguration()"] == ("same", [(4, 7)])
    assert found["az ml model list"] == ("absent", [(5, 1)])
    assert found["Model.deploy()"] == ("different", [(7, 5)])
    assert found["Webservice.wait_for_deployment()"] == ("same", [(7, 6)])
    assert found["Run.register_model()"] == ("same", [(7, 4)])


def test_summary(project, capsys):
    got = report(project, capsys, code=1)
    assert got["summary"]["files_read"] == 7
    assert got["summary"]["files_with_azureml"] == 5
    assert got["summary"]["files_that_run"] == 0  # there is no config.json
    assert got["summary"]["unread"] == 2
    unread = {os.path.basename(f["path"]): f["unread"] for f in got["files"] if f["unread"]}
    assert unread["old.py"] == [
        {"reason": "written for Python 2: it does not run on Python 3", "line": 3}
    ]
    assert unread["birds.ipynb"][0]["cell"] == 8


def test_imports_of_a_file_that_does_not_parse(project, capsys):
    found = uses(report(project, capsys), "old.py")
    assert found == {"azureml.core.Workspace": ("same", [(None, 1)])}


def test_types_go_from_file_to_file(project, capsys):
    found = uses(report(project, capsys), "train.py")
    assert found["Workspace.name"] == ("same", [(None, 16)])
    assert found["Workspace.delete()"] == ("absent", [(None, 16)])


def test_sdk_v2(project, capsys):
    assert main([str(project / "second_sdk.py")]) == 1
    assert "another API" in capsys.readouterr().out


def test_text(project, capsys):
    main([str(project), "--offline"])
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "  unread   old.py:3  written for Python 2" in out
    assert "  lacks    " in out and "  birds.ipynb:cell 4:" in out and "MpiConfiguration()" in out
    assert "config.json not found" in out
    assert "places.py  runs with these changes  (has 2)\n  you      Workspace.from_config()" in out
    assert out.endswith("0 of 5 files run unchanged. 2 other files without azureml.\n")


def test_quiet(project, capsys):
    (project / "config.json").write_text('{"workspace_name": "mine"}')
    main([str(project), "-q", "--offline"])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 6
    assert lines[-2].startswith("runs     ")
    assert lines[-2].endswith("places.py  has 2")


def test_all_runs(project, capsys):
    assert main([str(project / "shared"), "--offline"]) == 1
    (project / "config.json").write_text('{"workspace_name": "mine"}')
    assert main([str(project / "shared"), "--offline"]) == 0
    assert main([str(project / "plain.py")]) == 0
    assert "No use of azureml in 1 file." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ('{"workspace_name": "mine"}', "names the workspace mine."),
        ('{"subscription_id": "1"}', "names no workspace_name."),
        ("[]", "names no workspace_name."),
        ("not json", "is not readable JSON."),
    ],
)
def test_config(project, capsys, content, words):
    (project / ".azureml").mkdir()
    (project / ".azureml" / "config.json").write_text(content)
    main([str(project / "shared" / "places.py")])
    assert words in capsys.readouterr().out


@pytest.mark.parametrize("name", ["missing", "missing.py", "notes.txt", ""])
def test_bad_input(tmp_path, capsys, name):
    (tmp_path / "notes.txt").write_text("")
    assert main([str(tmp_path / name)] if name else []) == 2
    assert capsys.readouterr().err.startswith("roost import azureml: ")


def test_an_empty_folder(tmp_path, capsys):
    assert main([str(tmp_path)]) == 0
    assert capsys.readouterr().out == "No .py or .ipynb file here.\n"


def test_nothing_of_the_project_is_run(project):
    """Neither the code that is read nor modules that hide those of Python or of azureml."""
    for name in ("json.py", "ast.py", "azureml.py", "roost.py", "sitecustomize.py"):
        (project / name).write_text("open('ran', 'w')\n")
    (project / "azureml").mkdir()
    (project / "azureml" / "__init__.py").write_text("open('ran', 'w')\n")
    done = subprocess.run(
        [sys.executable, "-I", MAIN, "."],
        cwd=project,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1, done.stderr
    assert "Workspace.from_config()" in done.stdout
    assert not (project / "ran").exists()


def test_colours_on_a_terminal_only(project):
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm"}
    environment.pop("NO_COLOR", None)
    process = subprocess.Popen(
        [sys.executable, "-I", MAIN, str(project / "train.py")], stdout=theirs, env=environment
    )
    os.close(theirs)
    seen = b""
    while True:
        try:
            got = os.read(ours, 4096)
        except OSError:
            break
        if not got:
            break
        seen += got
    os.close(ours)
    assert process.wait() == 1
    assert b"\x1b[31mlacks" in seen


def test_a_reader_that_goes_away(project):
    for number in range(300):
        shutil.copy(project / "train.py", project / f"train{number}.py")
    process = subprocess.Popen(
        [sys.executable, "-I", MAIN, str(project)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    process.stdout.read(10)
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == 1
