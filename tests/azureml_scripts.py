"""Small scripts and notebooks in the shapes that public code for Azure ML SDK v1 has, and what is to become of each.

`@NAME@` stands for the name of the case, `@URL@` for a web server of the test's own. A case says what `roost import
azureml` has to say of its `main` file, and `fix` what its "you" lines ask for: files to add or replace, variables to
set, or a command of `roost`.
"""
import json
from dataclasses import dataclass, field
from typing import Dict, List

RUNS, CHANGES, LACKS = "runs", "runs with these changes", "lacks"


@dataclass
class Case:
    name: str
    files: Dict[str, str]
    verdict: str
    by: str = ""  # of CHANGES: who makes them
    words: str = ""  # part of what it says
    main: str = "submit.py"
    fix: Dict[str, str] = field(default_factory=dict)  # files by path, variables by $NAME, a command by "roost"
    only_if: str = ""  # Python that tells, by not failing, whether the SDK does what the verdict rests on


CONFIG = '{"subscription_id": "s", "resource_group": "g", "workspace_name": "default"}'
TRAIN = """\
import argparse
import os

from azureml.core import Run

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=1)
args = parser.parse_args()
run = Run.get_context()
for epoch in range(args.epochs):
    run.log("loss", 1.0 / (epoch + 1))
os.makedirs("outputs", exist_ok=True)
with open("outputs/model.txt", "w") as f:
    f.write("weights")
"""
HEAD = """\
import azureml.core
from azureml.core import Workspace, Experiment, ScriptRunConfig, Environment
from azureml.core.runconfig import RunConfiguration
from azureml.core.conda_dependencies import CondaDependencies

print("SDK version:", azureml.core.VERSION)
ws = Workspace.from_config()
print(ws.name, ws.resource_group, ws.location, sep="\\n")
"""
MANAGED = """\
env = Environment("@NAME@")
env.python.user_managed_dependencies = True
"""
SUBMIT = """\
src = ScriptRunConfig(source_directory=".", script="train.py", arguments=["--epochs", 2], compute_target="local",
                      environment=env)
run = Experiment(ws, "@NAME@").submit(src)
run.wait_for_completion(show_output=True)
"""
DEPLOY = """\
from azureml.core.model import InferenceConfig, Model
from azureml.core.webservice import AciWebservice, Webservice
model = Model.register(ws, model_path="train.py", model_name="@NAME@")
config = InferenceConfig(entry_script="score.py", environment=env)
service = Model.deploy(ws, "@NAME@", [model], config, AciWebservice.deploy_configuration(cpu_cores=1, memory_gb=1), overwrite=True)
service.wait_for_deployment(True)
assert service.state == "Healthy" and service.run("[1]") == {"got": "[1]"}
service.delete()
"""
SCORE = """\
import os

def init():
    assert os.listdir(os.environ["AZUREML_MODEL_DIR"]) == ["train.py"]

def run(data):
    return {"got": data}
"""
FROM_CONDA = 'env = Environment.from_conda_specification(name="@NAME@", file_path="conda.yml")\n'


def conda(*pip: str) -> str:
    lines = "".join(f"  - {line}\n" for line in pip)
    return f"name: project\nchannels:\n- conda-forge\ndependencies:\n- pip:\n  - azureml-defaults\n{lines}"


def notebook(*cells: str) -> str:
    made = [{"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": text.splitlines(True)}
            for text in cells]
    return json.dumps({"cells": made, "metadata": {"kernelspec": {"language": "python"}}, "nbformat": 4,
                       "nbformat_minor": 2})


def project(code: str, **more: str) -> Dict[str, str]:
    """submit.py with a config.json and a train.py; other files by name, `__` for the dot."""
    files = {"submit.py": code, "config.json": CONFIG, "train.py": TRAIN}
    files.update({name.replace("__", "."): text for name, text in more.items()})
    return files


CASES: List[Case] = [
    Case("train-on-local", project(HEAD + MANAGED + SUBMIT), RUNS),
    Case("interactive-run", project(HEAD + """
import math
experiment = Experiment(workspace=ws, name="@NAME@")
run = experiment.start_logging()
for i in range(3):
    run.log("alpha", math.sqrt(i))
run.log_list("all", [1, 2, 3])
run.tag("kind", "demo")
with open("model.txt", "w") as f:
    f.write("x")
run.upload_file(name="outputs/model.txt", path_or_stream="model.txt")
run.complete()
print(run.get_metrics())
"""), RUNS),
    Case("cluster-made-in-except", project(HEAD + """
from azureml.core.compute import ComputeTarget, AmlCompute
from azureml.core.compute_target import ComputeTargetException

cluster_name = "made-here"
try:
    compute_target = ComputeTarget(workspace=ws, name=cluster_name)
    print("Found existing compute target.")
except ComputeTargetException:
    compute_config = AmlCompute.provisioning_configuration(vm_size="STANDARD_D2_V2", max_nodes=2)
    compute_target = ComputeTarget.create(ws, cluster_name, compute_config)
    compute_target.wait_for_completion(show_output=True)
""" + MANAGED + SUBMIT.replace('"local"', "compute_target")), RUNS),
    Case("no-such-compute", project(HEAD + MANAGED + 'target = ws.compute_targets["gpu-cluster"]\n'
                                    + SUBMIT.replace('"local"', "target")),
         CHANGES, "you", "gpu-cluster", fix={"roost": "compute create gpu-cluster"}),
    Case("no-config", {"submit.py": HEAD + MANAGED + SUBMIT, "train.py": TRAIN}, CHANGES, "you", "config.json",
         fix={"config.json": CONFIG}),
    Case("workspace-of-another-time", project(HEAD + MANAGED + SUBMIT, config__json=CONFIG.replace("default", "old-birds")),
         CHANGES, "you", "roost workspace create old-birds", fix={"roost": "workspace create old-birds"}),
    Case("conda-file", project(HEAD + FROM_CONDA + SUBMIT, conda__yml=conda("birdtools==2.0"),
                               train__py="import birdtools\n" + TRAIN), RUNS),
    Case("old-pin", project(HEAD + FROM_CONDA + 'env.pins = "nearest"\n' + SUBMIT, conda__yml=conda("birdtools==0.5.1"),
                            train__py="import birdtools\n" + TRAIN), CHANGES, "roost", "birdtools==0.5.1"),
    Case("old-pin-to-be-had-exactly", project(HEAD + FROM_CONDA + 'env.pins = "strict"\n' + SUBMIT,
                                              conda__yml=conda("birdtools==0.5.1")), CHANGES, "you", "birdtools==0.5.1",
         fix={"conda.yml": conda("birdtools==1.0")}),
    Case("no-such-package", project(HEAD + """
env = Environment.from_pip_requirements("@NAME@", "requirements.txt")
""" + SUBMIT, requirements__txt="birdtools>=1.0\nno-such-birds==1.0\n"), CHANGES, "you", "no-such-birds",
         fix={"requirements.txt": "birdtools>=1.0\n"}),
    Case("forgotten-package", project(HEAD + FROM_CONDA + SUBMIT, conda__yml=conda("birdtools"),
                                      train__py="import birdtools\nimport featherlib\n" + TRAIN),
         CHANGES, "you", "featherlib", fix={"conda.yml": conda("birdtools", "featherlib")}),
    Case("package-of-a-package", project(HEAD + """
env = Environment(name="@NAME@")
cd = CondaDependencies.create(pip_packages=["azureml-sdk"])
cd.add_pip_package("featherlib")
env.python.conda_dependencies = cd
env.docker.enabled = True
""" + SUBMIT, train__py="import birdtools, featherlib\n" + TRAIN), RUNS),
    Case("estimator", project(HEAD + """
from azureml.train.estimator import Estimator
est = Estimator(source_directory="code", entry_script="train.py", script_params={"--epochs": 2},
                compute_target="cpu-cluster", user_managed=True)
run = Experiment(ws, "@NAME@").submit(est)
run.wait_for_completion(show_output=False)
""", **{"code/train__py": TRAIN}), RUNS),
    Case("run-configuration", project(HEAD + """
rc = RunConfiguration()
rc.target = "cpu-cluster"
rc.environment.python.user_managed_dependencies = True
src = ScriptRunConfig(source_directory="./", script="train.py", run_config=rc)
run = Experiment(ws, "@NAME@").submit(src)
run.wait_for_completion()
assert run.get_status() == "Completed"
"""), RUNS),
    Case("pipeline", project(HEAD + """
from azureml.pipeline.core import Pipeline
from azureml.pipeline.steps import PythonScriptStep
step = PythonScriptStep(name="train", script_name="train.py", compute_target="local", source_directory=".")
pipeline = Pipeline(workspace=ws, steps=[step])
Experiment(ws, "@NAME@").submit(pipeline).wait_for_completion()
"""), LACKS),
    Case("sweep", project(HEAD + MANAGED + """
from azureml.train.hyperdrive import (BanditPolicy, HyperDriveConfig, PrimaryMetricGoal, RandomParameterSampling,
                                      choice, uniform)
src = ScriptRunConfig(".", "train.py", compute_target="local", environment=env)
sampling = RandomParameterSampling({"--epochs": choice(1, 2)})
hd = HyperDriveConfig(run_config=src, hyperparameter_sampling=sampling, primary_metric_name="loss",
                      primary_metric_goal=PrimaryMetricGoal.MINIMIZE, max_total_runs=2)
run = Experiment(ws, "@NAME@").submit(hd)
run.wait_for_completion()
"""), RUNS),
    Case("older-sweep", project(HEAD + """
import math
from azureml.train import hyperdrive
from azureml.train.dnn import PyTorch
from azureml.train.hyperdrive import *
from azureml.train.hyperdrive.parameter_expressions import choice
from azureml.train.hyperdrive.runconfig import HyperDriveRunConfig
from azureml.train.widgets import RunDetails
estimator = PyTorch(source_directory=".", entry_script="train.py", compute_target="cpu-cluster", use_gpu=False,
                    user_managed=True)
sampling = hyperdrive.BayesianParameterSampling({"--epochs": choice(range(1, 3))})
config = HyperDriveRunConfig(estimator, sampling, "loss", PrimaryMetricGoal.MINIMIZE, 2, 2,
                             policy=BanditPolicy(1, slack_factor=2.0))
run = Experiment(ws, "@NAME@").submit(config)
RunDetails(run).show()
run.wait_for_completion(show_output=True)
assert run.get_status() == "Completed"
print(run.get_hyperparameters(), run.get_metrics())
best = run.get_children_sorted_by_primary_metric()[0]["run_id"]
found = hyperdrive.HyperDriveRun(Experiment(ws, "@NAME@"), run.id).get_best_run_by_primary_metric()
assert found.id == best
model = found.register_model(model_name="@NAME@", model_path="outputs/model.txt")
print(model.name, model.version)
"""), RUNS),
    Case("sweep-in-a-pipeline", project(HEAD + MANAGED + """
from azureml.pipeline.core import Pipeline
from azureml.pipeline.steps import HyperDriveStep
from azureml.train.hyperdrive import GridParameterSampling, HyperDriveConfig, PrimaryMetricGoal, choice
src = ScriptRunConfig(".", "train.py", compute_target="local", environment=env)
config = HyperDriveConfig(GridParameterSampling({"--epochs": choice(1, 2)}), "loss", PrimaryMetricGoal.MINIMIZE, 2,
                          run_config=src)
Experiment(ws, "@NAME@").submit(Pipeline(ws, [HyperDriveStep("tune", config)])).wait_for_completion()
"""), LACKS),
    Case("web-service", project(HEAD + MANAGED + DEPLOY, score__py=SCORE), RUNS),
    Case("web-service-without-its-script", project(HEAD + MANAGED + DEPLOY), CHANGES, "you", "score.py", fix={"score.py": SCORE}),
    Case("web-service-of-a-wrong-name", project(HEAD + MANAGED + DEPLOY.replace('"@NAME@", [model]', '"My_Birds", [model]'),
                                                score__py=SCORE),
         CHANGES, "you", "My_Birds", fix={"submit.py": HEAD + MANAGED + DEPLOY.replace('"@NAME@", [model]', '"my-birds", [model]')}),
    Case("unused-imports", project(HEAD + """
from azureml.core.compute import AksCompute, ComputeTarget
from azureml.core.webservice import AciWebservice, Webservice
from azureml.core.image import ContainerImage
""" + MANAGED + SUBMIT), RUNS, only_if="from azureml.core.compute import AksCompute"),
    Case("tables", project(HEAD + """
from azureml.core import Dataset
data = Dataset.Tabular.from_delimited_files(path="@URL@/birds.csv")
print(data.take(3).to_pandas_dataframe())
"""), LACKS),
    Case("tables-in-the-run", project(HEAD + MANAGED + SUBMIT, train__py="""\
from azureml.core import Dataset, Run
run = Run.get_context()
table = Dataset.Tabular.from_delimited_files("@URL@/birds.csv")
run.log("rows", len(table.to_pandas_dataframe()))
"""), LACKS),
    Case("notebook-as-script", project(HEAD + MANAGED + SUBMIT.replace("train.py", "train.ipynb"),
                                       train__ipynb=notebook(TRAIN)), CHANGES, "you", "train.ipynb"),
    Case("notebook-that-writes-its-script", {
        "config.json": CONFIG,
        "birds.ipynb": notebook(
            HEAD + "%matplotlib inline\n",
            'import os\nimport shutil\nproject_folder = "./birds-project"\nos.makedirs(project_folder, exist_ok=True)\n',
            "%%writefile $project_folder/train.py\n" + TRAIN,
            MANAGED + SUBMIT.replace('source_directory="."', "source_directory=project_folder"),
            "run.get_file_names()\n!ls $project_folder\nrun\n",
        )}, RUNS, main="birds.ipynb"),
    Case("notebook-with-conda-cell", {
        "config.json": CONFIG,
        "birds.ipynb": notebook(
            HEAD, "%%writefile conda.yml\n" + conda("birdtools"), "%%writefile train.py\nimport birdtools\n" + TRAIN,
            FROM_CONDA + SUBMIT)}, RUNS, main="birds.ipynb"),
    Case("notebook-with-lost-script", {
        "config.json": CONFIG,
        "birds.ipynb": notebook(HEAD, MANAGED + SUBMIT.replace("train.py", "scripts/train.py"))},
        CHANGES, "you", "scripts/train.py", main="birds.ipynb", fix={"scripts/train.py": TRAIN}),
    Case("bare-urllib", project("import os\nimport urllib\n" + HEAD + """
os.makedirs("data", exist_ok=True)
urllib.request.urlretrieve("@URL@/birds.csv", filename="data/birds.csv")
print(open("data/birds.csv").read())
"""), RUNS, only_if="import azureml.core, urllib; urllib.request"),
    Case("data-that-is-gone", project("import urllib.request\n" + HEAD + """
urllib.request.urlretrieve("@URL@/gone.csv", "gone.csv")
""" + MANAGED + SUBMIT), CHANGES, "you", "gone.csv"),
    Case("data-from-the-web", project(HEAD + MANAGED + """
from azureml.core import Dataset
web_paths = ["@URL@/birds.csv"]
dataset = Dataset.File.from_files(path=web_paths)
dataset = dataset.register(ws, name="@NAME@", create_new_version=True)
src = ScriptRunConfig(".", "train.py", arguments=["--data", dataset.as_named_input("birds").as_mount()],
                      compute_target="local", environment=env)
run = Experiment(ws, "@NAME@").submit(src)
run.wait_for_completion()
""", train__py="import argparse\np = argparse.ArgumentParser()\np.add_argument('--data', required=True)\n"
     "import os\nassert os.path.exists(p.parse_args().data)\n"), RUNS),
    Case("upload-and-mount", project(HEAD + MANAGED + """
from azureml.core import Dataset
datastore = ws.get_default_datastore()
datastore.upload(src_dir="data", target_path="@NAME@", overwrite=True, show_progress=True)
dataset = Dataset.File.from_files(path=(datastore, "@NAME@"))
src = ScriptRunConfig(".", "train.py", arguments=["--data", dataset.as_mount()], compute_target="cpu-cluster",
                      environment=env)
run = Experiment(ws, "@NAME@").submit(src)
run.wait_for_completion(show_output=True)
""", **{"data/a__csv": "1\n", "data/b__csv": "2\n",
        "train__py": "import os, sys\nprint(os.listdir(sys.argv[2]))\nassert len(os.listdir(sys.argv[2])) == 2\n"}), RUNS),
    Case("data-not-here", project(HEAD + """
datastore = ws.get_default_datastore()
datastore.upload(src_dir="./data", target_path="@NAME@", overwrite=True)
"""), CHANGES, "you", "./data", fix={"data/a.csv": "1\n"}),
    Case("no-such-dataset", project(HEAD + """
from azureml.core import Dataset
dataset = Dataset.get_by_name(ws, name="birds-of-2019")
print(dataset.to_path())
"""), CHANGES, "you", "birds-of-2019"),
    Case("forgotten-argument", project(HEAD + MANAGED + SUBMIT,
                                       train__py=TRAIN.replace("args =", "parser.add_argument('--rate', required=True)\nargs =")),
         CHANGES, "you", "--rate", fix={"train.py": TRAIN}),
    Case("helper-module", project(HEAD + MANAGED + SUBMIT, train__py="import utils\nutils.hello()\n" + TRAIN,
                                  utils__py="import math\n\ndef hello():\n    print(math.pi)\n"), RUNS),
    Case("helper-that-needs-more", project(HEAD + MANAGED + SUBMIT, train__py="from utils import hello\n" + TRAIN,
                                           utils__py="import plumage\n\ndef hello():\n    pass\n"),
         CHANGES, "you", "plumage", fix={"utils.py": "def hello():\n    pass\n"}),
    Case("dockerfile-with-files", project(HEAD + """
dockerfile = '''
FROM birds/base:latest
COPY requirements.txt /tmp/
RUN pip install -r /tmp/requirements.txt
'''
env = Environment.from_dockerfile("@NAME@", dockerfile)
""" + SUBMIT), LACKS, words="COPY"),
    Case("secret", project(HEAD + """
keyvault = ws.get_default_keyvault()
print(len(keyvault.get_secret(name="birds-password")))
"""), CHANGES, "you", "BIRDS_PASSWORD", fix={"$BIRDS_PASSWORD": "x"}),
    Case("too-many-nodes", project(HEAD + MANAGED + """
from azureml.core.runconfig import MpiConfiguration
src = ScriptRunConfig(".", "train.py", compute_target="cpu-cluster", environment=env,
                      distributed_job_config=MpiConfiguration(process_count_per_node=1, node_count=4))
run = Experiment(ws, "@NAME@").submit(src)
run.wait_for_completion()
"""), CHANGES, "you", "4 nodes"),
    Case("two-processes", project(HEAD + MANAGED + """
from azureml.core.runconfig import PyTorchConfiguration
src = ScriptRunConfig(".", "train.py", compute_target="cpu-cluster", environment=env,
                      distributed_job_config=PyTorchConfiguration(process_count=2, node_count=1))
run = Experiment(ws, "@NAME@").submit(src)
run.wait_for_completion()
""", train__py="import os\nassert os.environ['WORLD_SIZE'] == '2'\nprint(os.environ['RANK'])\n"), RUNS),
    Case("outside-of-a-run", {"train.py": TRAIN}, RUNS, main="train.py"),
    Case("second-sdk", {"submit.py": "from azure.ai.ml import MLClient, command\nfrom azureml.core import Run\n"
                                     "Run.get_context()\n"}, LACKS),
    Case("main-function", project("""\
import argparse
from azureml.core import Environment, Experiment, Model, ScriptRunConfig, Workspace

def get_environment(name):
    env = Environment(name)
    env.python.user_managed_dependencies = True
    return env

def main(args):
    ws = Workspace.from_config()
    src = ScriptRunConfig(source_directory=args.folder, script="train.py", arguments=["--epochs", args.epochs],
                          compute_target=args.target, environment=get_environment("@NAME@"))
    run = Experiment(ws, "@NAME@").submit(src)
    run.wait_for_completion(show_output=True)
    model = run.register_model(model_name="@NAME@", model_path="outputs/model.txt")
    Model(ws, model.name).download(target_dir="got", exist_ok=True)
    run.download_file("outputs/model.txt", output_file_path="got/again.txt")

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", default=".")
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--target", default="cpu-cluster")
    main(parser.parse_args())
"""), RUNS),
    Case("file-left-at-home", project(HEAD + MANAGED + SUBMIT, train__py="rows = open('birds.csv').read()\n" + TRAIN),
         CHANGES, "you", "birds.csv", fix={"birds.csv": "1\n"}),
    Case("name-with-blanks", project(HEAD + MANAGED + SUBMIT.replace('ws, "@NAME@"', 'ws, "my birds"')),
         CHANGES, "you", "my birds", fix={"submit.py": HEAD + MANAGED + SUBMIT}),
    Case("missing-module-in-driver", project("import plumage\n" + HEAD + MANAGED + SUBMIT), CHANGES, "you", "plumage",
         fix={"plumage.py": ""}),
]
