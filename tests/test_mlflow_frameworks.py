"""Frameworks log into Roost by their own ways to MLflow, unchanged. Needs packages from an index: runs where their Python was
made before, or where ROOST_MLFLOW_FRAMEWORKS=1 asks for it to be made."""
import os
import subprocess
from pathlib import Path
from typing import Any, Dict, List

import pytest

from roost_fixture import RoostServer
from torch_python import TORCH, has_python, make_python

NAME = "mlflow-frameworks"
PACKAGES = [TORCH, "mlflow", "lightning", "transformers", "accelerate", "scikit-learn", "optuna", "optuna-integration"]
SCRIPT = Path(__file__).parent / "mlflow_frameworks.py"

pytestmark = pytest.mark.heavy("mlflow")


@pytest.fixture(scope="module")
def python() -> str:
    if not has_python(NAME, PACKAGES) and os.environ.get("ROOST_MLFLOW_FRAMEWORKS") != "1":
        pytest.skip(f"no Python with {', '.join(PACKAGES)} was made; ROOST_MLFLOW_FRAMEWORKS=1 makes it (2 GB)")
    found = make_python(NAME, PACKAGES)
    if not found:
        pytest.skip("the packages cannot be had here")
    return found


@pytest.fixture(scope="module")
def server(shared_server: RoostServer) -> RoostServer:
    return shared_server


def on_a_laptop(server: RoostServer, python: str, which: str, tmp_path: Path) -> None:
    """Only with what `roost mlflow env` says."""
    environment = {**os.environ, "MLFLOW_TRACKING_URI": server.info["url"], "MLFLOW_TRACKING_TOKEN": server.api_client.token,
                   "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "0", "HF_HUB_OFFLINE": "1", "GIT_PYTHON_REFRESH": "quiet"}
    done = subprocess.run([python, str(SCRIPT), which], env=environment, cwd=tmp_path, text=True, timeout=300,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert done.returncode == 0, done.stdout[-4000:]
    assert not (tmp_path / "mlruns").exists() and not (tmp_path / "mlflow.db").exists()


def runs_of(server: RoostServer, experiment: str) -> List[Dict[str, Any]]:
    return [server.get_run(run) for run in server.pages("/workspaces/default/runs", experiment=experiment)]


def metrics(server: RoostServer, run: Dict[str, Any]) -> Dict[str, Any]:
    return {metric["name"]: metric for metric in server.get(f"/runs/{run['id']}/metrics")["items"]}


def test_lightning(server: RoostServer, python: str, tmp_path: Path) -> None:
    on_a_laptop(server, python, "lightning", tmp_path)
    (run,) = runs_of(server, "lightning")
    assert run["status"] == "Completed"
    loss = metrics(server, run)["train_loss"]
    assert loss["count"] == 12 and loss["last"] < loss["max"]
    assert any(path.endswith(".ckpt") for path in server.artifacts(run)), server.artifacts(run)


def test_transformers(server: RoostServer, python: str, tmp_path: Path) -> None:
    on_a_laptop(server, python, "transformers", tmp_path)
    (run,) = runs_of(server, "transformers")
    names = metrics(server, run)
    assert names["loss"]["count"] >= 6 and "train_runtime" in names


def test_sklearn_autolog(server: RoostServer, python: str, tmp_path: Path) -> None:
    on_a_laptop(server, python, "sklearn", tmp_path)
    (run,) = runs_of(server, "sklearn")
    assert run["status"] == "Completed"
    assert metrics(server, run)["training_accuracy_score"]["last"] > 0.9
    assert "training_confusion_matrix.png" in server.artifacts(run)


def test_pytorch_autolog(server: RoostServer, python: str, tmp_path: Path) -> None:
    on_a_laptop(server, python, "pytorch", tmp_path)
    (run,) = runs_of(server, "pytorch")
    assert run["status"] == "Completed" and metrics(server, run)["loss"]["count"] == 2


def test_optuna(server: RoostServer, python: str, tmp_path: Path) -> None:
    on_a_laptop(server, python, "optuna", tmp_path)
    runs = runs_of(server, "optuna")
    assert len(runs) == 3 and all(metrics(server, run)["score"]["count"] == 1 for run in runs)


def test_a_script_in_its_own_run(server: RoostServer, python: str) -> None:
    files = {SCRIPT.name: SCRIPT.read_text(encoding="utf-8")}
    run = server.run(command=f"{python} {SCRIPT.name} plain", files=files, timeout=120)
    assert run["status"] == "Completed", (run["error"], server.log(run))
    assert metrics(server, run)["loss"]["count"] == 5 and metrics(server, run)["loss"]["last"] == 0.2
    assert run["tags"]["stage"] == "baseline"
    assert server.artifact(run, "notes/a.txt") == b"hello"
    assert not any("mlruns" in notice for notice in run["notices"])


def test_azureml_callback(server: RoostServer, python: str) -> None:
    """transformers' own AzureMLCallback, over azureml.core."""
    files = {SCRIPT.name: SCRIPT.read_text(encoding="utf-8")}
    run = server.run(command=f"{python} {SCRIPT.name} azure", files=files, timeout=180)
    assert run["status"] == "Completed", (run["error"], server.log(run))
    assert metrics(server, run)["loss"]["count"] >= 6
