"""What happens to a script, foreseen without running it and without anybody to ask."""

import os
import sys
import textwrap
import zipfile

import pytest

from roost.azureml_import.analyse import analyse
from roost.azureml_import.index import Index, matching, nearest
from roost.azureml_import.notebook_script import as_script
from roost.azureml_import.world import World

HEAD = """\
from azureml.core import *
from azureml.core import Workspace, Environment, Experiment, ScriptRunConfig, Dataset, Run
from azureml.core.conda_dependencies import CondaDependencies
ws = Workspace.from_config()
"""
SUBMIT = "Experiment(ws, 'e').submit(ScriptRunConfig('.', 'train.py', environment=env))\n"


@pytest.fixture(autouse=True)
def own_index(tmp_path, monkeypatch):
    """Wheels of a folder, and nothing else."""
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    for name, version in (("birdtools", "1.0"), ("birdtools", "2.0"), ("feather_lib", "1.0")):
        with zipfile.ZipFile(wheels / f"{name}-{version}-py3-none-any.whl", "w") as wheel:
            needs = "Requires-Dist: birdtools\n" if name == "feather_lib" else ""
            text = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{needs}"
            wheel.writestr(f"{name}-{version}.dist-info/METADATA", text)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("ROOST_DATA", str(tmp_path / "none"))
    monkeypatch.delenv("ROOST_URL", raising=False)


def look(tmp_path, code, head=HEAD, **files):
    """(verdict, [(by, text)]) of a script beside a config.json and `files`."""
    folder = tmp_path / "project"
    folder.mkdir(exist_ok=True)
    files = {"config.json": '{"workspace_name": "w"}', "train.py": "print(1)\n", **files}
    for name, text in files.items():
        path = folder / name.replace("__", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (folder / "submit.py").write_text(head + textwrap.dedent(code))
    (report,) = analyse(str(folder / "submit.py"), World(offline=True, python=sys.executable))
    told = [(one.by, one.text) for one in report.foreseen if one.by != "note"]
    return report.verdict, told


def texts(tmp_path, code, **more):
    return [text for _, text in look(tmp_path, code, **more)[1]]


def test_plain_code_runs(tmp_path):
    assert look(tmp_path, "print(ws.name)\n") == ("runs", [])


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("import urllib.request\nurllib.request.urlretrieve('http://h/x.csv', 'x')", "http://h/x"),
        ("import requests\nrequests.get('https://h/y')", "https://h/y"),
        ("import os\nos.system('wget https://h/z.zip')", "https://h/z.zip"),
        ("Dataset.File.from_files('https://h/d.csv')", "https://h/d.csv"),
        ("from torchvision import datasets\ndatasets.MNIST('.', download=True)", "torchvision"),
        ("from sklearn.datasets import fetch_openml\nfetch_openml('m')", "sklearn.datasets.fetch_"),
    ],
)
def test_what_needs_the_internet(tmp_path, code, words):
    assert any(words in text for text in texts(tmp_path, code))


@pytest.mark.parametrize(
    "code",
    [
        "from torchvision import datasets\ndatasets.MNIST('.', download=False)",
        "url = 'https://h/x'\nprint(url)",
        "try:\n  import no_such\nexcept ImportError:\n  pass",
        "if False:\n  import no_such",
        "import os\nif os.path.exists('data'):\n  open('data/x.csv')",
        "open('made.txt', 'w').write('x')\nopen('made.txt')",
        "import os\nos.environ.get('NO_SUCH')",
    ],
)
def test_what_needs_nothing(tmp_path, code):
    # Whether this machine has torchvision is not what this is about.
    assert [text for text in texts(tmp_path, code) if "has no torchvision" not in text] == []


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("import no_such_thing", "no_such_thing"),
        ("import os\nos.environ['NO_SUCH']", "NO_SUCH"),
        ("ws.get_default_keyvault().get_secret('a-b')", "A_B"),
        ("input('name?')", "input()"),
        ("Experiment(ws, 'two words')", "two words"),
        ("open('lost.csv')", "lost.csv"),
        ("from pathlib import Path\n(Path('a') / 'b.csv').open()", "a/b.csv"),
        ("import argparse\np = argparse.ArgumentParser()\np.add_argument('--x', required=True)\n"
         "p.parse_args()", "--x"),
        ("ScriptRunConfig('nowhere', 'train.py')", "nowhere"),
        ("ScriptRunConfig('.', 'lost.py')", "lost.py"),
        ("def f(name):\n  return ScriptRunConfig('.', script=name)\nf('l' + 'o.py')", "lo.py"),
        ("Environment.from_conda_specification('e', 'lost.yml')", "lost.yml"),
        ("ws.get_default_datastore().upload('lost', 'x')", "lost"),
    ],
)  # fmt: skip
def test_what_is_left_to_the_user(tmp_path, code, words):
    verdict, told = look(tmp_path, code)
    assert verdict == "runs with these changes"
    assert [by for by, text in told if words in text] == ["you"], told


def environment(*lines):
    packages = ", ".join(repr(line) for line in lines)
    return (
        "env = Environment('e')\n"
        f"env.python.conda_dependencies = CondaDependencies.create(pip_packages=[{packages}])\n"
    )


def test_packages_that_can_be_had(tmp_path):
    script = "import birdtools\n"
    code = environment("feather-lib", "birdtools==1.0", "azureml-defaults") + SUBMIT
    assert look(tmp_path, code, train__py=script) == ("runs", [])
    code = environment("feather-lib") + SUBMIT  # which brings the other
    assert look(tmp_path, code, train__py=script) == ("runs", [])


def test_pins_that_are_moved(tmp_path, monkeypatch):
    verdict, told = look(tmp_path, environment("birdtools==1.4") + SUBMIT)
    assert verdict == "runs with these changes"
    assert [by for by, _ in told] == ["roost"] and "2.0" in told[0][1]
    monkeypatch.setenv("ROOST_PINS", "strict")
    assert [by for by, _ in look(tmp_path, environment("birdtools==1.4") + SUBMIT)[1]] == ["you"]


def test_packages_that_cannot_be_had(tmp_path):
    (text,) = texts(tmp_path, environment("no-such-bird>=1") + SUBMIT)
    assert "no package of that name" in text
    (text,) = texts(tmp_path, environment("birdtools") + SUBMIT, train__py="import plumage\n")
    assert "plumage" in text and "environment" in text
    assert texts(tmp_path, environment("no-such; python_version < '3'") + SUBMIT) == []


def test_a_dockerfile_with_files_beside_it(tmp_path):
    code = "env = Environment.from_dockerfile('e', 'FROM x\\nCOPY a.txt /a.txt\\n')\n" + SUBMIT
    verdict, told = look(tmp_path, code)
    assert verdict == "lacks" and any("COPY" in text for _, text in told)


def test_what_the_submitted_script_lacks(tmp_path):
    script = "from azureml.core import Dataset\nDataset.Tabular.from_delimited_files('x')\n"
    code = "env = Environment('e')\nenv.python.user_managed_dependencies = True\n" + SUBMIT
    verdict, told = look(tmp_path, code, train__py=script)
    assert verdict == "lacks" and any(by == "absent" for by, _ in told)


def test_code_that_never_ends_is_read_to_the_end(tmp_path):
    code = "def f(n):\n  return f(n)\nf(1)\nwhile True:\n  x = [f(1)] * 10**9\n"
    code += "for i in range(10**9): f(i)\n"
    assert look(tmp_path, code)[0] == "runs"


def test_nothing_is_written(tmp_path):
    code = "import os\nos.makedirs('new')\nopen('new/x', 'w').write('y')\n"
    code += "CondaDependencies().save_to_file('.', 'env.yml')\n"
    code += "env = Environment.from_conda_specification('e', 'env.yml')\n"
    assert look(tmp_path, code) == ("runs", [])
    names = sorted(os.listdir(tmp_path / "project"))
    assert names == ["config.json", "submit.py", "train.py"]


def test_the_index(tmp_path):
    place = tmp_path / "simple" / "some-lib"
    place.mkdir(parents=True)
    place.joinpath("index.html").write_text(
        '<a href="f/some_lib-1.0-py3-none-any.whl#sha256=0">x</a>'
        '<a href="f/some_lib-2.0-py3-none-any.whl" data-yanked="broken">x</a>'
        '<a href="f/some_lib-3.0-py3-none-any.whl" data-requires-python="&gt;=3.99">x</a>'
        '<a href="f/some_lib-4.0-cp27-cp27mu-manylinux1_x86_64.whl">x</a>'
        '<a href="f/some-lib-0.9.tar.gz">x</a>'
    )
    os.environ["PIP_NO_INDEX"] = "0"
    os.environ["PIP_INDEX_URL"] = f"file://{tmp_path}/simple"
    try:
        index = Index(sys.executable, offline=True)
        assert index.versions("Some_Lib", "3.11") == ["0.9", "1.0"]
        assert index.versions("other", "3.11") == []
        assert index.versions("birdtools", "3.11") == ["1.0", "2.0"]
    finally:
        del os.environ["PIP_INDEX_URL"]


def test_nearest():
    there = ["0.9", "1.0", "2.0", "3.0rc1"]
    assert nearest("x==0.95", there) == "1.0"
    assert nearest("x==7", there) == "2.0"
    assert matching("x>=1,<2", there) == ["1.0"]


def test_a_notebook_as_a_script(tmp_path):
    import json

    cells = ["%matplotlib inline\nname = 'x'\n", "%%writefile $name.py\nprint('made')\n",
             f"!{sys.executable} {{name}}.py\nif True:\n  !echo in\n",
             "display('shown')\nname?\n", "%%bash\necho all\n"]  # fmt: skip
    made = [{"cell_type": "code", "source": text} for text in cells]
    script = as_script(json.dumps({"cells": made}))
    import subprocess

    done = subprocess.run(
        [sys.executable, "-u", "-c", script], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.stdout.split() == ["made", "in", "shown", "all"], done.stderr


# Services.

DEPLOY = """\
from azureml.core.model import InferenceConfig, Model
from azureml.core.webservice import AciWebservice, AksWebservice
config = InferenceConfig(entry_script="score.py", source_directory={folder}, environment=Environment())
Model.deploy(ws, {name!r}, [], config, {configuration})
"""  # noqa: E501


def deploy(folder="None", name="birds", configuration="AciWebservice.deploy_configuration()"):
    return DEPLOY.format(folder=folder, name=name, configuration=configuration)


def test_a_service_that_can_be_deployed(tmp_path):
    assert texts(tmp_path, deploy(), score__py="") == []
    assert texts(tmp_path, deploy("'code'"), **{"code/score__py": ""}) == []


@pytest.mark.parametrize(
    "code, words",
    [
        (deploy(), "score.py is not there"),
        (deploy("'code'"), "code/score.py is not there"),
        (deploy(name="My_Birds"), "3 to 32 lower-case"),
        (deploy(configuration="AciWebservice.deploy_configuration(cpu_cores=0)"), "cpu_cores"),
        (
            deploy(
                configuration="AksWebservice.deploy_configuration("
                "auth_enabled=True, token_auth_enabled=True)"
            ),
            "exclude each other",
        ),
    ],
)
def test_a_service_that_cannot(tmp_path, code, words):
    verdict, told = look(tmp_path, code)
    assert verdict == "runs with these changes" and any(words in text for _, text in told), told
