"""A small project of Azure ML code, written where a test wants it: linters need not read it."""

import json

TRAIN = """\
import argparse

import torch
from azureml.core import Run
from shared.places import open_workspace

run = Run.get_context()
parser = argparse.ArgumentParser()
parser.add_argument("--rate", type=float)
arguments = parser.parse_args()
model = torch.nn.Linear(2, 1)
for epoch in range(3):
    run.log("loss", epoch * arguments.rate)
run.upload_file(name="outputs/model.pt", path_or_stream="model.pt")
workspace = open_workspace()
print(workspace.name, workspace.delete())
"""
PLACES = """\
from azureml.core import Workspace


def open_workspace():
    return Workspace.from_config()
"""
PYTHON_2 = """\
from azureml.core import Workspace

print "this was Python 2"
"""
CELLS = [
    ("markdown", "# Train and serve"),
    (
        "code",
        """\
!pip install --upgrade azureml-sdk
%matplotlib inline
from azureml.core import Environment, Experiment, ScriptRunConfig, Workspace
from azureml.core.compute import AmlCompute, ComputeTarget
from azureml.core.runconfig import MpiConfiguration
from azureml.widgets import RunDetails
ws = Workspace.from_config()
""",
    ),
    (
        "code",
        """\
%%writefile train_model.py
from azureml.core import Run
run = Run.get_context()
run.log("accuracy", 0.5)
""",
    ),
    (
        "code",
        """\
env = Environment.from_conda_specification("birds", "conda.yml")
env.docker.base_image = "some/image"
src = ScriptRunConfig(
    source_directory=".",
    script="train_model.py",
    environment=env,
    distributed_job_config=MpiConfiguration(node_count=2),
)
run = Experiment(ws, "birds").submit(src)
RunDetails(run).show()
run.wait_for_completion(show_output=True)
""",
    ),
    (
        "code",
        """\
!az ml model list \\
    --workspace-name w
run?
""",
    ),
    ("markdown", "Serving"),
    (
        "code",
        """\
from azureml.core.model import InferenceConfig, Model
from azureml.core.webservice import AciWebservice

model = run.register_model(model_name="birds", model_path="outputs/model.pt")
service = Model.deploy(ws, "birds", [model], InferenceConfig(entry_script="score.py"))
service.wait_for_deployment(show_output=True)
""",
    ),
    ("code", "this is not (Python\n"),
]


def write_project(folder):
    (folder / "shared").mkdir(parents=True)
    (folder / "shared" / "__init__.py").write_text("")
    (folder / "shared" / "places.py").write_text(PLACES)
    (folder / "train.py").write_text(TRAIN)
    (folder / "old.py").write_text(PYTHON_2)
    (folder / "second_sdk.py").write_text("from azure.ai.ml import MLClient, command\n")
    (folder / "plain.py").write_text('print("nothing to do with Azure")\n')
    cells = [
        {"cell_type": kind, "metadata": {}, "source": text.splitlines(True)} for kind, text in CELLS
    ]
    notebook = {"cells": cells, "metadata": {"kernelspec": {"language": "python"}}, "nbformat": 4}
    (folder / "birds.ipynb").write_text(json.dumps(notebook))
