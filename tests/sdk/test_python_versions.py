"""The SDK in runs of every Python from 3.6 on that this machine has."""
import glob
import os
import subprocess
from pathlib import Path
from typing import Any, List

import pytest

from sdk_fixtures import at_server, experiment, script, ws  # noqa: F401
from sdk_python import SDK, version_of

FOLDERS = (os.path.expanduser("~/.pyenv/versions/3.*/bin/python"), "/usr/bin/python3.[0-9]*", "/usr/local/bin/python3.[0-9]*")
SCRIPT = """
    import sys
    import azureml.core
    from azureml.core import Dataset, Environment, Experiment, Model, Run, ScriptRunConfig, Workspace
    from azureml.core.compute import AmlCompute, AksCompute, RemoteCompute
    from azureml.core.webservice import AciWebservice, AksEndpoint, LocalWebservice, Webservice
    from azureml.core.run import Run as Same
    from azureml.widgets import RunDetails
    import urllib
    run = Run.get_context()
    assert Same is Run and urllib.request.Request("http://x").host == "x"
    run.log("whole", 3)
    run.log("part", 0.5, step=2)
    run.log_list("list", [1, 2])
    run.log_row("row", a=1)
    run.tag("version", "%d.%d" % sys.version_info[:2])
    run.add_properties({"p": 1})
    open("model.bin", "wb").write(b"weights")
    run.upload_file("outputs/model.bin", "model.bin")
    model = run.register_model("of_" + "%d_%d" % sys.version_info[:2], "outputs/model.bin")
    assert run.experiment.workspace.get_run(run.id).get_status() == "Running" and model.version >= 1
    child = run.child_run("inner")
    child.log("inner", 1)
    child.complete()
    try:
        RemoteCompute.attach_configuration()
    except NotImplementedError:
        pass
    run.flush()
"""


def pythons() -> List[Any]:
    """One of each version. A version that is not here is not tried; 3.6 is, or the test says that it is not."""
    found = {}
    for pattern in FOLDERS:
        for python in sorted(glob.glob(pattern)):
            version = version_of(python) if not python.endswith("-config") else None
            if version and version >= (3, 6):
                found.setdefault(version, python)
    made = [pytest.param(python, id=".".join(map(str, version))) for version, python in sorted(found.items())]
    if (3, 6) not in found:
        made.append(pytest.param("", id="3.6", marks=pytest.mark.skip("this machine has no Python 3.6")))
    return made


@pytest.mark.parametrize("python", pythons())
def test_a_run(python: str, experiment: Any, script: Any) -> None:
    run = experiment.submit(script(SCRIPT, environment={"python": python}))
    run.wait_for_completion(show_output=True)
    assert run.get_metrics() == {"list": [1, 2], "part": 0.5, "row": {"a": 1}, "whole": 3}
    assert run.get_tags() == {"version": ".".join(map(str, version_of(python) or ()))}
    assert run.get_properties()["p"] == "1" and "outputs/model.bin" in run.get_file_names()
    (child,) = run.get_children()
    assert child.get_metrics() == {"inner": 1} and child.status == "Completed"


# What the modules of roost.integrations import of the library that each is for: no old Python here has those.
FRAMEWORKS = {
    "lightning/pytorch/loggers/logger.py": "Logger = object\nrank_zero_experiment = staticmethod\n",
    "lightning/pytorch/utilities/rank_zero.py": "rank_zero_only = staticmethod\n",
    "transformers.py": "TrainerCallback = object\n",
}


@pytest.mark.parametrize("python", pythons())
def test_every_module_loads(python: str, tmp_path: Path) -> None:
    for path, text in FRAMEWORKS.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    code = """
import importlib, pkgutil, roost, azureml
for package in (roost, azureml):
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        if not module.name.startswith(("roost.azureml_import", "azureml.widgets._")):
            importlib.import_module(module.name)
print("all")
"""
    done = subprocess.run([python, "-c", code], env={"PYTHONPATH": f"{SDK / 'in_run'}:{SDK}"}, cwd=tmp_path,
                          capture_output=True, text=True, timeout=120)
    assert done.stdout == "all\n", done.stderr


@pytest.mark.parametrize("asked", ["2.7", "3.5.2"])
def test_one_that_is_too_old_is_refused_before_anything_is_built(ws: Any, experiment: Any, script: Any, asked: str) -> None:
    from azureml.core import Environment, ScriptRunConfig
    from azureml.exceptions import AzureMLException

    environment = Environment("old-python")
    environment.python.conda_dependencies.set_python_version(asked)
    with pytest.raises(AzureMLException, match=f"asks for Python {asked}.*3.6 or newer"):
        experiment.submit(ScriptRunConfig(script("print(1)").folder, "train.py", environment=environment))
    assert list(experiment.get_runs()) == []
