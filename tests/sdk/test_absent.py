"""Code that needs what Roost lacks stops with a sentence that helps, in every Python."""
import subprocess
from pathlib import Path

import pytest

from sdk_python import SDK, pythons

# An import, a use of it, and what is said of the use. The import alone is fine.
CASES = {
    "from azureml.pipeline.steps import HyperDriveStep": ("HyperDriveStep('s', None)", "azureml.pipeline.steps.HyperDriveStep yet"),
    "from azureml.pipeline.core import Pipeline": ("Pipeline(steps=[])", "azureml.pipeline.core.Pipeline yet"),
    "from azureml.core.compute import RemoteCompute": ("RemoteCompute.attach_configuration()",
                                                       "azureml.core.compute.RemoteCompute yet"),
    "from azureml.core import Dataset": ("Dataset.Tabular.from_delimited_files('x')", "Dataset.Tabular yet"),
    "import azureml.mlflow": ("azureml.mlflow.register_model(None, 'birds', 'model')",
                              "azureml.mlflow.register_model, which registers a model of a run"),
}


@pytest.mark.parametrize("python", pythons())
@pytest.mark.parametrize("code", CASES)
def test_says_what_is_missing_when_it_is_used(python: str, code: str, tmp_path: Path) -> None:
    use, text = CASES[code]
    done = subprocess.run([python, "-c", f"{code}; print('imported', flush=True); {use}"], env={"PYTHONPATH": str(SDK)},
                          cwd=tmp_path, capture_output=True, text=True, timeout=60)
    last = done.stderr.strip().splitlines()[-1]
    assert done.returncode == 1 and done.stdout == "imported\n" and "docs/azureml.md" in last, done.stderr
    assert f"Roost does not have {text}" in last
