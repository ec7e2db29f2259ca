"""The old estimators on a real server: deprecated, and they train."""
from pathlib import Path
from typing import Any

import pytest

from sdk_fixtures import at_server, experiment, script, ws  # noqa: F401
from test_data import LOOK
from test_script_run_config import TELL, told


@pytest.mark.parametrize("kind", ["Estimator", "PyTorch", "TensorFlow", "SKLearn"])
def test_trains(experiment: Any, script: Any, kind: str) -> None:
    from azureml.train import dnn, estimator, sklearn

    made = {**vars(estimator), **vars(dnn), **vars(sklearn)}[kind]
    with pytest.warns(DeprecationWarning, match="ScriptRunConfig"):
        config = made(source_directory=str(script(TELL).folder), compute_target="local", entry_script="train.py",
                      script_params={"--epochs": 3, "--fast": ""}, use_gpu=False, pip_packages=["pillow"],
                      user_managed=True, environment_variables={"MY_OWN": "1"})
    run = experiment.submit(config)
    facts = told(run)
    assert facts["arguments"] == ["--epochs", "3", "--fast"] and facts["variables"] == {"MY_OWN": "1"}
    assert "pillow" in run.get_environment().python.conda_dependencies.pip_packages


@pytest.mark.filterwarnings("ignore")
def test_data(ws: Any, experiment: Any, script: Any, tmp_path: Path, name: str) -> None:
    from azureml.core import Dataset
    from azureml.train.estimator import Estimator

    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a.txt").write_text("one")
    store = ws.get_default_datastore()
    reference = store.upload(str(tmp_path / "data"), name)
    named = Dataset.File.from_files((store, name)).as_named_input("named").as_mount()
    config = Estimator(str(script(LOOK).folder), compute_target="local", entry_script="train.py",
                       script_params={"--data": reference.as_mount()}, inputs=[named])
    facts = told(experiment.submit(config))
    assert (facts["seen"], facts["named"]) == ([["a.txt"]], ["a.txt"])


@pytest.mark.filterwarnings("ignore")
def test_several_nodes_start_on_all_of_them(experiment: Any, script: Any) -> None:
    from azureml.train.dnn import Gloo, PyTorch

    config = PyTorch(str(script(TELL).folder), compute_target="local", entry_script="train.py", node_count=2,
                     distributed_training=Gloo(), use_gpu=True, user_managed=True)
    run = experiment.submit(config)
    assert run.wait_for_completion()["status"] == "Completed"
    assert {rank["node_rank"] for rank in run.get_ranks()} == {0, 1}
