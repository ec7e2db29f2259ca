"""Whose method is called: types through assignments, functions, files and names."""

import json
import sys
import textwrap

import pytest

from roost.azureml_import.analyse import analyse

IMPORTS = "from azureml.core import Experiment, Run, Workspace, Environment, Model\n"


def look(tmp_path, code, imports=IMPORTS):
    """{symbol: verdict} of a script, imports left out."""
    path = tmp_path / "code.py"
    path.write_text(imports + textwrap.dedent(code))
    (report,) = analyse(str(path))
    assert not report.unread, report.unread
    return {f.symbol: f.verdict for f in report.findings if not f.symbol.startswith("azureml.")}


def symbols(tmp_path, code, imports=IMPORTS):
    return sorted(look(tmp_path, code, imports))


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("w = Workspace.from_config()\nw.name", ["Workspace.from_config()", "Workspace.name"]),
        ("a = b = Run.get_context()\nb.log('x', 1)", ["Run.get_context()", "Run.log()"]),
        ("Run.get_context().experiment.workspace.name", [
            "Experiment.workspace", "Run.experiment", "Run.get_context()", "Workspace.name"]),
        ("with Experiment(w, 'e').start_logging() as r:\n  r.log('x', 1)", [
            "Experiment()", "Experiment.start_logging()", "Run.log()"]),
        ("for r in Experiment(w, 'e').get_runs():\n  r.get_metrics()", [
            "Experiment()", "Experiment.get_runs()", "Run.get_metrics()"]),
        ("[r.id for r in Experiment(w, 'e').get_runs()]", [
            "Experiment()", "Experiment.get_runs()", "Run.id"]),
        ("next(Experiment(w, 'e').get_runs()).cancel()", [
            "Experiment()", "Experiment.get_runs()", "Run.cancel()"]),
        ("for n, m in Workspace.get('w').models.items():\n  m.download()", [
            "Model.download()", "Workspace.get()", "Workspace.models"]),
        ("Workspace.get('w').models['m'].delete()", [
            "Model.delete()", "Workspace.get()", "Workspace.models"]),
        ("e = Environment('e')\ne.python.conda_dependencies.add_pip_package('x')", [
            "CondaDependencies.add_pip_package()", "Environment()", "Environment.python",
            "PythonSection.conda_dependencies"]),
        ("def f(r: Run):\n  r.log('x', 1)", ["Run.log()"]),
        ("def f(r: 'Run' = None):\n  r.log('x', 1)", ["Run.log()"]),
        ("from typing import Optional\ndef f(r: Optional[Run]):\n  r.log('x', 1)", ["Run.log()"]),
        ("def f():\n  return Run.get_context()\nf().tag('x')", ["Run.get_context()", "Run.tag()"]),
        ("class A:\n  def __init__(self):\n    self.r = Run.get_context()\n"
         "  def f(self):\n    self.r.log('x', 1)", ["Run.get_context()", "Run.log()"]),
        ("def f():\n  r.log('x', 1)\nr = Run.get_context()", ["Run.get_context()", "Run.log()"]),
        ("r = Run.get_context() if x else None\nr.log('x', 1)", ["Run.get_context()", "Run.log()"]),
        ("log = Run.get_context().log\nlog('x', 1)", ["Run.get_context()", "Run.log"]),
        ("if (r := Run.get_context()):\n  r.flush()", ["Run.flush()", "Run.get_context()"]),
        ("async def f():\n  async with x() as y:\n    Run.get_context().flush()", [
            "Run.flush()", "Run.get_context()"]),
        ("lambda: Run.get_context().flush()", ["Run.flush()", "Run.get_context()"]),
        ("try:\n  pass\nexcept Exception as run:\n  run.id", []),
        ("for name in Workspace.get('w').models:\n  name.lower()", [
            "Workspace.get()", "Workspace.models"]),
        ("for name in sorted(Workspace.get('w').models):\n  name.lower()", [
            "Workspace.get()", "Workspace.models"]),
        ("for m in Workspace.get('w').models.values():\n  m.delete()", [
            "Model.delete()", "Workspace.get()", "Workspace.models"]),
        ("def f(r: 'Dict[str, Run]'):\n  r.items()\n  r['a'].id", ["Run.id"]),
        ("def f(r: 'list[Run]'):\n  r.append(1)\n  r[0].id", ["Run.id"]),
        ("def f(r: 'Run | None'):\n  r.id", ["Run.id"]),
        ("from azureml.core import VERSION\nVERSION.split('.')", []),
        ("for i, r in enumerate(Experiment(w, 'e').get_runs()):\n  i.id\n  r.id", [
            "Experiment()", "Experiment.get_runs()", "Run.id"]),
        ("for i, n in enumerate(Workspace.get('w').models):\n  n.id", [
            "Workspace.get()", "Workspace.models"]),
    ],
)  # fmt: skip
def test_types(tmp_path, code, found):
    assert symbols(tmp_path, code) == sorted(found)


@pytest.mark.parametrize(
    ("imports", "code", "found"),
    [
        ("import azureml.core\n", "azureml.core.Workspace.from_config().name", True),
        ("import azureml.core as a\n", "a.Workspace.from_config().name", True),
        ("from azureml import core\n", "core.Workspace.from_config().name", True),
        ("from azureml.core import *\n", "Workspace.from_config().name", True),
        ("from azureml.core import Workspace as W\n", "W.from_config().name", True),
        ("from azureml.core.workspace import Workspace\n", "Workspace.from_config().name", True),
        ("from elsewhere import Workspace\n", "Workspace.from_config().name", False),
    ],
)
def test_imports(tmp_path, imports, code, found):
    expected = ["Workspace.from_config()", "Workspace.name"] if found else []
    assert symbols(tmp_path, code, imports) == expected


def test_names_that_people_use(tmp_path):
    found = look(tmp_path, "def f(ws, run):\n  print(ws.name)\n  run.log('x', 1)\n  run.walk()\n")
    assert found == {"Workspace.name": "same", "Run.log()": "same"}  # a guess accuses nobody


@pytest.mark.parametrize(
    "code",
    [
        "from subprocess import run\nrun.log()",
        "import mlflow\nrun = mlflow.start_run()\nrun.log()",
        "run = 5\nrun.log()",
        "run = {}\nrun.log()",
        "run = [x for x in y]\nrun.log()",
        "run = len(x)\nrun.log()",
        "import argparse\nexperiment = argparse.Namespace().name\nexperiment.submit()",
    ],
)
def test_names_that_are_something_else(tmp_path, code):
    assert symbols(tmp_path, code) == []


def test_names_count_only_beside_azureml(tmp_path):
    assert symbols(tmp_path, "def f(run):\n  run.log('x', 1)", imports="") == []


def test_what_is_absent(tmp_path):
    found = look(
        tmp_path,
        """
        from azureml.pipeline.core import Pipeline
        from azureml.pipeline.steps import HyperDriveStep
        made = Experiment(w, "e").submit(Pipeline(w, [HyperDriveStep("s", None)]))
        made.find_step_run("s")
        Run.get_context().frobnicate()
        Run.get_context().log("x", 1, colour="red")
        """,
    )
    assert found == {
        "Experiment()": "same",
        "Experiment.submit()": "same",
        "HyperDriveStep()": "absent",
        "Pipeline()": "absent",
        "PipelineRun.find_step_run()": "absent",
        "Run.frobnicate()": "absent",
        "Run.get_context()": "same",
        "Run.log()": "absent",
    }


def test_sweeps(tmp_path):
    found = look(
        tmp_path,
        """
        from azureml.train.hyperdrive import HyperDriveConfig, RandomParameterSampling, choice
        space = RandomParameterSampling({"--lr": choice(1, 2)})
        config = HyperDriveConfig(space, "loss", "MINIMIZE", 2, run_config=None)
        sweep = Experiment(w, "e").submit(config)
        best = sweep.get_best_run_by_primary_metric()
        best.register_model(model_name="m")
        Experiment(w, "e").submit(unknown).get_hyperparameters()
        HyperDriveConfig(space, "loss", "MINIMIZE", 2, pipeline=4)
        """,
    )
    assert found == {
        "Experiment()": "same",
        "Experiment.submit()": "same",
        "HyperDriveConfig()": "absent",  # with pipeline=
        "HyperDriveRun.get_best_run_by_primary_metric()": "same",
        "RandomParameterSampling()": "same",
        "Run.get_hyperparameters()": "same",
        "Run.register_model()": "same",
        "choice()": "same",
    }


@pytest.mark.parametrize(
    ("given", "verdict"),
    [
        ("", "same"),
        ("resume_from=None", "same"),
        ("resume_from=4", "absent"),
        ("None, 'a.py', None, None, None, None, None, None, 4", "absent"),
        ("None, 'a.py', None, None, None, None, None, None, None", "same"),
        ("resume_from=n", "different"),
        ("resume_from=four", "absent"),
    ],
)
def test_arguments_decide(tmp_path, given, verdict):
    imports = "from azureml.core import ScriptRunConfig\n"
    found = look(tmp_path, f"four = 4\nScriptRunConfig({given})", imports)
    assert found == {"ScriptRunConfig()": verdict}


@pytest.mark.parametrize(
    "code",
    ["import azure.ai.ml", "from azure.ai import ml", "from azure.ai.ml.entities import Data"],
)
def test_sdk_v2(tmp_path, code):
    (tmp_path / "code.py").write_text(code)
    (report,) = analyse(str(tmp_path / "code.py"))
    ((symbol, verdict),) = [(finding.symbol, finding.verdict) for finding in report.findings]
    assert (symbol, verdict) == ("azure.ai.ml", "absent")


def test_sweeps_by_other_names(tmp_path):
    found = look(
        tmp_path,
        """
        from azureml.train import hyperdrive
        import azureml.train.hyperdrive as hd
        from azureml.train.hyperdrive import *
        from azureml.train.hyperdrive.run import HyperDriveRun
        from azureml.train.hyperdrive.runconfig import HyperDriveRunConfig as Old
        from azureml.train.widgets import RunDetails
        policy = hd.MedianStoppingPolicy(evaluation_interval=1, delay_evaluation=5)
        space = {"--b": hyperdrive.choice(range(3)), "c": loguniform(-6, -1)}
        space = hyperdrive.GridParameterSampling(space)
        run = Experiment(w, "e").submit(Old(None, space, "loss", PrimaryMetricGoal.MINIMIZE, 2))
        RunDetails(run).show()
        again = HyperDriveRun(Experiment(w, "e"), "HD_1")
        again.get_children_sorted_by_primary_metric(top=3, discard_no_metric=True)
        again.get_metrics()
        again.fail()
        TruncationSelectionPolicy(truncation_percentage=10, exclude_finished_jobs=True)
        BanditPolicy(slack=0.1)
        """,
    )
    lacks = {name for name, verdict in found.items() if verdict == "absent"}
    assert lacks == {"HyperDriveRun.fail()", "BanditPolicy()"}, found
    assert found["HyperDriveRunConfig()"] == found["MedianStoppingPolicy()"] == "same"
    assert found["HyperDriveRun.get_children_sorted_by_primary_metric()"] == "same"
    assert found["HyperDriveRun()"] == found["loguniform()"] == found["choice()"] == "same"



def test_an_import_that_may_fail(tmp_path):
    path = tmp_path / "code.py"
    path.write_text(
        "try:\n  import azureml.toast\nexcept ImportError:\n  pass\nimport azureml.contrib.x\n"
    )
    (report,) = analyse(str(path))
    assert [finding.verdict for finding in report.findings] == ["different", "different"]


def test_notes_say_what_to_do(tmp_path):
    path = tmp_path / "code.py"
    path.write_text(
        "from azureml.pipeline.steps import NewStep\n"
        "from azureml.core.compute import RemoteCompute\n"
        "from azureml.core import NoSuchThing\n"
        "import azureml.core.nothing\n"
        "azureml.pipeline.core.Pipeline()\n"
    )
    (report,) = analyse(str(path))
    verdicts = {finding.symbol: finding.verdict for finding in report.findings}
    assert verdicts["azureml.core.NoSuchThing"] == verdicts["azureml.core.nothing"] == "absent"
    assert verdicts["azureml.core.compute.RemoteCompute"] == "different"  # it is never used
    assert verdicts["Pipeline()"] == "absent"
    notes = {finding.symbol: finding.note for finding in report.findings}
    assert "one after the other" in notes["azureml.pipeline.steps.NewStep"]
    assert "AmlCompute" in notes["azureml.core.compute.RemoteCompute"]
    assert "NoSuchThing" in notes["azureml.core.NoSuchThing"]
    assert "azureml.core.nothing" in notes["azureml.core.nothing"]
    assert "__init__.py" not in "".join(notes.values())


@pytest.mark.parametrize(
    "code",
    [
        "import os\nos.system('az ml model list')",
        "import subprocess\nsubprocess.run(['az', 'ml', 'model', 'list'])",
    ],
)
def test_the_command_line_of_azure(tmp_path, code):
    assert look(tmp_path, code, imports="") == {"az ml model list": "absent"}


def test_cells_share_their_variables(tmp_path):
    cells = ["from azureml.core import Run", "r = Run.get_context()", "r.log('x', 1)"]
    notebook = {"cells": [{"cell_type": "code", "source": text} for text in cells]}
    (tmp_path / "n.ipynb").write_text(json.dumps(notebook))
    (report,) = analyse(str(tmp_path / "n.ipynb"))
    places = [str(finding.place) for finding in report.findings]
    assert places == ["cell 1:1", "cell 2:1", "cell 3:1"]


def test_packages_of_the_users(tmp_path):
    package = tmp_path / "package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "a.py").write_text("from azureml.core import Run\nrun_now = Run.get_context()\n")
    (package / "b.py").write_text("from .a import run_now\nrun_now.log('x', 1)\n")
    (tmp_path / "c.py").write_text("from package import a\na.run_now.log('x', 1)\n")
    (tmp_path / "d.py").write_text("import package.a as p\np.run_now.log('x', 1)\n")
    found = {r.path.split("/")[-1]: [f.symbol for f in r.findings] for r in analyse(str(tmp_path))}
    assert found["b.py"] == found["c.py"] == found["d.py"] == ["Run.log()"]


def test_a_single_file_knows_its_neighbours(tmp_path):
    (tmp_path / "places.py").write_text(
        "from azureml.core import Workspace\ndef find():\n  return Workspace.from_config()\n"
    )
    (tmp_path / "dangling.py").symlink_to(tmp_path / "missing.py")
    (tmp_path / "code.py").write_text("import places\nplaces.find().models\n")
    (report,) = analyse(str(tmp_path / "code.py"))
    assert [finding.symbol for finding in report.findings] == ["Workspace.models"]


@pytest.mark.parametrize(
    "content",
    [
        "azureml\0",
        "import azureml\n" + "(" * 5000,
        "import azureml\nx = " + "-" * 20000 + "1\n",
        "import azureml\nx = " + "+".join("1" * 20000) + "\n",
        "import azureml\n" + "x" + ".y" * 5000 + "\n",
        "import azureml\ndef f():\n\treturn\n        return\n",
        "import azureml\n\N{PILE OF POO} = 1\n",
    ],
)
def test_hostile_code_is_not_fatal(tmp_path, content):
    (tmp_path / "code.py").write_text(content)
    (report,) = analyse(str(tmp_path / "code.py"))
    assert report.unread or report.findings


def test_long_chains_take_no_time(tmp_path):
    nested = "f(" * 60 + "Run.get_context()" + ")" * 60
    assert symbols(tmp_path, f"def f(x): return x\n{nested}") == ["Run.get_context()"]


@pytest.mark.skipif(sys.version_info < (3, 10), reason="match is new in 3.10")
def test_new_syntax(tmp_path):
    code = "match x:\n  case 1:\n    Run.get_context().flush()\n"
    assert symbols(tmp_path, code) == ["Run.flush()", "Run.get_context()"]
