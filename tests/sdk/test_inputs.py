"""How datasets arrive in a run, as Azure has it (what scripts find in arguments, variables and input_datasets)."""
import json
from pathlib import Path
from typing import Any

import pytest

from roost_fixture import RoostServer
from sdk_fixtures import at_server, experiment, script, ws  # noqa: F401
from test_script_run_config import told

LOOK = """
    import json, os, sys
    from azureml.core import Dataset, Run

    run = Run.get_context()
    inputs = run.input_datasets
    def seen(path):
        return open(path).read() if os.path.isfile(path) else sorted(os.listdir(path)) if os.path.isdir(path) else path
    print(json.dumps({
        "arguments": [seen(a) for a in sys.argv[1:]],
        "inputs": {name: seen(value) if isinstance(value, str) else type(value).__name__ for name, value in inputs.items()},
        "bare": {name: seen(os.environ[name]) for name in inputs if name in os.environ},
        "long": {name: seen(os.environ["AZUREML_DATAREFERENCE_" + name]) for name in inputs},
        "path": os.environ["PATH"]}))
"""


@pytest.fixture
def store(ws: Any, name: str) -> Any:
    folder = Path("data")
    folder.mkdir()
    for file, text in {"one.csv": "1", "two.csv": "2"}.items():
        (folder / file).write_text(text)
    (folder / "lonely").mkdir()
    (folder / "lonely" / "only.csv").write_text("only")
    made = ws.get_default_datastore()
    made.upload("data", name, show_progress=False)
    return made


def test_a_dataset_of_one_file_is_that_file(experiment: Any, script: Any, store: Any, name: str) -> None:
    """In the argument, in input_datasets and in both variables. A folder with one file stays a folder."""
    from azureml.core import Dataset, ScriptRunConfig

    arguments = [Dataset.File.from_files((store, f"{name}/one.csv")).as_named_input("one").as_mount(),
                 Dataset.File.from_files([(store, f"{name}/two.csv")]).as_named_input("two").as_download("here/there"),
                 Dataset.File.from_files((store, f"{name}/lonely")).as_named_input("folder").as_mount(),
                 Dataset.File.from_files((store, f"{name}/one.*")).as_named_input("pattern").as_mount()]
    facts = told(experiment.submit(ScriptRunConfig(script(LOOK).folder, "train.py", arguments)))
    expected = {"one": "1", "two": "2", "folder": ["only.csv"], "pattern": ["one.csv"]}
    assert facts["arguments"] == list(expected.values())
    assert facts["inputs"] == facts["bare"] == facts["long"] == expected


def test_inputs_without_a_name_are_counted(experiment: Any, script: Any, store: Any, name: str) -> None:
    from azureml.core import Dataset, ScriptRunConfig

    one, two = (Dataset.File.from_files((store, f"{name}/{file}")) for file in ("one.csv", "two.csv"))
    facts = told(experiment.submit(ScriptRunConfig(script(LOOK).folder, "train.py", [one.as_mount(), two.as_download()])))
    assert facts["inputs"] == facts["bare"] == {"input_1": "1", "input_2": "2"}


def test_a_direct_input_is_a_dataset(ws: Any, experiment: Any, script: Any, store: Any, name: str) -> None:
    from azureml.core import Dataset, ScriptRunConfig

    stored = Dataset.File.from_files((store, name)).register(ws, name)
    code = LOOK + """
    direct = inputs["birds"]
    assert isinstance(direct, Dataset) and direct.id == sys.argv[1] == os.environ["birds"], os.environ.get("birds")
    assert direct.name == run.experiment.name and direct.version == 1
    assert direct.to_path() == ["/lonely/only.csv", "/one.csv", "/two.csv"]
    with direct.mount() as mount:
        assert open(mount.mount_point + "/one.csv").read() == "1"
    assert [open(path).read() for path in sorted(direct.download("got"))] == ["only", "1", "2"]
    first, second = direct.random_split(0.5, seed=1)
    assert sorted(first.to_path() + second.to_path()) == direct.to_path()
    again = Dataset.get_by_id(run.experiment.workspace, id=sys.argv[1])
    assert again.to_path() == direct.to_path()
    """
    run = experiment.submit(ScriptRunConfig(script(code).folder, "train.py", [stored.as_named_input("birds")]))
    facts = told(run)
    assert facts["arguments"] == [stored.id] and facts["inputs"] == {"birds": "LocalDataset"}
    (used,) = run.get_details()["inputDatasets"]
    assert used["consumptionDetails"] == {"type": "RunInput", "inputName": "birds", "mechanism": "Direct"}
    assert isinstance(used["dataset"], Dataset) and used["dataset"].id == stored.id
    assert used["dataset"].version == 1 and run.input_datasets["birds"].name == name


def test_what_a_run_used_is_datasets(ws: Any, experiment: Any, script: Any, store: Any, name: str) -> None:
    from azureml.core import Dataset, ScriptRunConfig

    made = Dataset.File.from_files((store, name))
    arguments = [made.as_named_input("named").as_download(), store.path(name).as_mount()]
    run = experiment.submit(ScriptRunConfig(script(LOOK).folder, "train.py", arguments))
    details = run.wait_for_completion()
    (used,) = details["inputDatasets"]
    assert used["consumptionDetails"]["mechanism"] == "Download" and isinstance(used["dataset"], Dataset)
    assert used["dataset"].to_path() == made.to_path()
    again = used["dataset"].register(ws, name + "-later")
    assert again.name == name + "-later" and again.to_path() == made.to_path()
    assert details["runDefinition"]["data"]["named"]["environmentVariableName"] == "named"
    assert json.dumps(details["runDefinition"]["dataReferences"])


def test_an_input_never_takes_the_name_of_another_variable(at_server: RoostServer, experiment: Any, script: Any, store: Any,
                                                           name: str, capsys: Any) -> None:
    from azureml.core import Dataset, ScriptRunConfig

    one = Dataset.File.from_files((store, f"{name}/one.csv"))
    config = ScriptRunConfig(script(LOOK).folder, "train.py",
                             [one.as_named_input(word).as_mount() for word in ("PATH", "PYTHONHOME", "LD_PRELOAD", "mine")])
    config.run_config.environment_variables = {"mine": "set by hand"}
    facts = told(experiment.submit(config))
    assert facts["inputs"] == {word: "1" for word in ("PATH", "PYTHONHOME", "LD_PRELOAD", "mine")}
    assert facts["bare"] == {"PATH": facts["path"], "mine": "set by hand"} and "/usr/bin" in facts["path"]
    assert "AZUREML_DATAREFERENCE_PATH" in capsys.readouterr().err


def test_wrong_inputs_are_refused(at_server: RoostServer, experiment: Any, script: Any, store: Any, name: str) -> None:
    from azureml.core import Dataset, ScriptRunConfig

    data = Dataset.File.from_files((store, f"{name}/one.csv")).as_named_input("x").as_mount()
    spec = experiment.submit(ScriptRunConfig(script(LOOK).folder, "train.py", [data])).get_submitted_config()
    for change, words in (({"file": "../one.csv"}, "inside its content"), ({"file": "none.csv"}, "has no file none.csv"),
                          ({"mode": "direct", "dataset": ""}, "dataset"), ({"mode": "osmosis"}, "direct")):
        body = {**spec, "inputs": [{**spec["inputs"][0], **change}]}
        answer = at_server.api("POST", "/workspaces/default/runs", json=body, check=False)
        assert answer.status == 400 and words in answer.json["error"]["message"], answer.body
