"""Code that needs what Roost lacks stops with a sentence that helps, in every Python."""
import subprocess
from pathlib import Path

import pytest

from sdk_python import SDK, pythons

CASES = {
    "from azureml.train.hyperdrive import HyperDriveConfig": "ModuleNotFoundError: Roost does not have "
                                                             "azureml.train.hyperdrive yet",
    "from azureml.train import hyperdrive": "ImportError: Roost does not have azureml.train.hyperdrive yet",
    "from azureml.pipeline.core import Pipeline": "ModuleNotFoundError: Roost does not have azureml.pipeline yet",
    "from azureml.core.webservice import AciWebservice": "ModuleNotFoundError: Roost does not have "
                                                         "azureml.core.webservice yet",
    "from azureml.core.model import InferenceConfig": "ImportError: Roost does not have "
                                                      "azureml.core.model.InferenceConfig yet",
    "from azureml.core import Webservice": "ImportError: Roost does not have azureml.core.Webservice yet",
    "from azureml.core.compute import AksCompute": "ImportError: Roost does not have azureml.core.compute.AksCompute",
    "from azureml.core import Dataset; Dataset.Tabular.from_delimited_files('x')": "Roost does not have "
                                                                                   "Dataset.Tabular yet",
    "import azureml.mlflow": "ModuleNotFoundError: Roost does not have azureml.mlflow yet",
}


@pytest.mark.parametrize("python", pythons())
@pytest.mark.parametrize("code", CASES)
def test_says_what_is_missing(python: str, code: str, tmp_path: Path) -> None:
    done = subprocess.run([python, "-c", code], env={"PYTHONPATH": str(SDK)}, cwd=tmp_path, capture_output=True,
                          text=True, timeout=30)
    last = done.stderr.strip().splitlines()[-1]
    assert done.returncode == 1 and CASES[code] in last and "docs/azureml.md" in last, done.stderr
