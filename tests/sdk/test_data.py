"""Datastores and datasets on a real server, and what a script sees of them."""
import json
from pathlib import Path
from typing import Any, Dict

import pytest

from sdk_fixtures import at_server, experiment, script, ws  # noqa: F401
from test_script_run_config import told

LOOK = """
    import json, os, sys
    from azureml.core import Run

    def seen(path):
        if os.path.isfile(path):
            return open(path).read()
        return sorted(os.path.relpath(os.path.join(d, f), path) for d, _, fs in os.walk(path) for f in fs)

    inputs = Run.get_context().input_datasets
    direct = inputs["direct"].to_path() if "direct" in inputs else None
    print(json.dumps({"arguments": sys.argv[1:], "seen": [seen(a) for a in sys.argv[1:] if os.path.exists(a)],
                      "named": seen(inputs["named"]) if "named" in inputs else None, "direct": direct,
                      "cwd": os.getcwd()}))
"""
FILES = {"a.txt": "one", "deep/b.txt": "two", "deep/er/c.png": "three"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for path, text in FILES.items():
        (tmp_path / "data" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "data" / path).write_text(text)
    return tmp_path / "data"


@pytest.fixture
def store(ws: Any) -> Any:
    return ws.get_default_datastore()


def tree(folder: Path) -> Dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_upload_and_download(store: Any, folder: Path, tmp_path: Path, name: str, capsys: Any) -> None:
    reference = store.upload(src_dir=str(folder), target_path=name, overwrite=True, show_progress=True)
    assert "Uploaded 3 files" in capsys.readouterr().out
    assert reference.path_on_datastore == name
    assert store.download(target_path=str(tmp_path / "got"), prefix=name, show_progress=False) == 3
    assert tree(tmp_path / "got" / name) == FILES
    assert store.download(str(tmp_path / "got"), prefix=name) == 0

    (folder / "a.txt").write_text("changed")
    store.upload(str(folder), name)
    printed = capsys.readouterr().out
    assert f"Target already exists. Skipping upload for {name}/a.txt" in printed and "Uploaded 0 files" in printed
    (folder / "new.txt").write_text("new")
    store.upload_files([str(folder / "a.txt"), str(folder / "new.txt")], target_path=name, show_progress=False)
    (folder / "new.txt").unlink()
    said = capsys.readouterr()
    assert said.out == "" and said.err.count("Skipping upload") == 1 and f"{name}/a.txt" in said.err
    store.download(str(tmp_path / "kept"), prefix=name)
    assert tree(tmp_path / "kept" / name) == {**FILES, "new.txt": "new"}
    store.upload(str(folder), name, overwrite=True)
    store.download(str(tmp_path / "kept"), prefix=name, overwrite=True)
    assert tree(tmp_path / "kept" / name)["a.txt"] == "changed"


def test_upload_files(store: Any, folder: Path, tmp_path: Path, name: str) -> None:
    from azureml.exceptions import UserErrorException

    store.upload_files(files=[str(folder / "a.txt"), str(folder / "deep/b.txt")], target_path=name, overwrite=True)
    store.upload_files([str(folder / "deep/b.txt")], relative_root=str(folder), target_path=name + "/more")
    store.download(str(tmp_path / "got"), prefix=name)
    assert tree(tmp_path / "got" / name) == {"a.txt": "one", "deep/b.txt": "two", "more/deep/b.txt": "two"}
    for wrong in (["none.txt"], [str(folder)], "a.txt"):
        with pytest.raises(UserErrorException):
            store.upload_files(wrong)
    with pytest.raises(UserErrorException, match="does not exist"):
        store.upload("no/such/folder")


def test_datastores_of_ones_own(ws: Any, folder: Path, tmp_path: Path, capsys: Any) -> None:
    from azureml.core import Datastore
    from azureml.data.azure_storage_datastore import AzureBlobDatastore
    from azureml.exceptions import UserErrorException

    made = Datastore.register_azure_blob_container(workspace=ws, datastore_name="mine", container_name="c",
                                                   account_name="acc", account_key="secret", overwrite=True)
    assert "the Roost server keeps its files" in capsys.readouterr().err
    assert isinstance(made, AzureBlobDatastore) and (made.container_name, made.account_name) == ("c", "acc")
    assert Datastore.get(ws, "mine") == Datastore(ws, "mine") == ws.datastores["mine"]
    made.upload(str(folder), show_progress=False)
    assert Datastore(ws, "mine").download(str(tmp_path / "got")) == 3
    with pytest.raises(UserErrorException, match="overwrite"):
        Datastore.register_azure_blob_container(ws, "mine", "other", "acc")
    Datastore.register_azure_blob_container(ws, "mine", "c", "acc")
    assert Datastore.get_default(ws).name == "workspaceblobstore"
    made.unregister()
    with pytest.raises(UserErrorException, match="mine"):
        Datastore.get(ws, "mine")


def test_datasets(ws: Any, store: Any, folder: Path, tmp_path: Path, name: str) -> None:
    from azureml.core import Dataset
    from azureml.data import FileDataset
    from azureml.exceptions import UserErrorException

    made = Dataset.File.upload_directory(src_dir=str(folder), target=(store, name), show_progress=False)
    assert made.to_path() == ["/a.txt", "/deep/b.txt", "/deep/er/c.png"]
    stored = made.register(workspace=ws, name=name, description="birds", tags={"a": "b"})
    assert (stored.name, stored.version, stored.description, stored.tags) == (name, 1, "birds", {"a": "b"})
    with pytest.raises(UserErrorException):
        Dataset.File.from_files((store, name + "/deep")).register(ws, name)
    pattern = Dataset.File.from_files(path=(store, name + "/**/*.txt"))
    second = pattern.register(ws, name, create_new_version=True)
    assert second.version == 2

    newest = Dataset.get_by_name(ws, name)
    assert isinstance(newest, FileDataset) and newest.to_path() == ["/a.txt", "/deep/b.txt"]
    assert Dataset.get_by_name(ws, name=name, version=1).to_path() == made.to_path()
    assert Dataset.get_by_id(ws, stored.id).version == 1 and Dataset.get_by_id(ws, id=second.id).version == 2
    assert ws.datasets[name].version == 2 and newest.data_changed_time is not None
    assert sorted(newest.download(str(tmp_path / "got"))) == [str(tmp_path / "got" / p) for p in ("a.txt", "deep/b.txt")]
    with pytest.raises(UserErrorException, match="overwrite"):
        newest.download(str(tmp_path / "got"))
    with newest.mount() as mount:
        assert tree(Path(mount.mount_point)) == {"a.txt": "one", "deep/b.txt": "two"}
    with pytest.raises(UserErrorException, match="never-made"):
        Dataset.get_by_name(ws, "never-made")
    with pytest.raises(UserErrorException, match="no dataset with the id"):
        Dataset.get_by_id(ws, "0")


def test_what_a_script_sees(ws: Any, store: Any, folder: Path, experiment: Any, script: Any, name: str) -> None:
    from azureml.core import Dataset, ScriptRunConfig

    store.upload(str(folder), name, show_progress=False)
    whole = Dataset.File.from_files((store, name))
    arguments = [store.path(name).as_mount(), store.path(name + "/a.txt").as_download(),
                 whole.as_named_input("named").as_mount(), whole.as_download("beside/here"),
                 whole.take(1).as_mount()]
    facts = told(experiment.submit(ScriptRunConfig(script(LOOK).folder, "train.py", arguments)))
    everything = sorted(FILES)
    assert facts["seen"] == [everything, "one", everything, everything, ["a.txt"]]
    assert facts["named"] == everything and facts["arguments"][3] == facts["cwd"] + "/beside/here"


def test_a_dataset_as_such(ws: Any, store: Any, folder: Path, experiment: Any, script: Any, name: str) -> None:
    """Without as_mount() the script gets a dataset, and its id as the argument."""
    from azureml.core import Dataset, ScriptRunConfig

    store.upload(str(folder), name, show_progress=False)
    whole = Dataset.File.from_files((store, name))
    config = ScriptRunConfig(script(LOOK).folder, "train.py", [whole.as_named_input("direct")])
    facts = told(experiment.submit(config))
    assert facts["direct"] == ["/" + path for path in sorted(FILES)]
    assert Dataset.get_by_id(ws, facts["arguments"][0]).to_path() == whole.to_path()
    assert not any(found.startswith("anonymous") for found in ws.datasets)


def test_the_old_ways_to_pass_data(store: Any, folder: Path, experiment: Any, script: Any, name: str) -> None:
    from azureml.core import ScriptRunConfig
    from azureml.core.runconfig import DataReferenceConfiguration

    store.upload(str(folder), name, show_progress=False)
    reference = store.path(name).as_download()
    config = ScriptRunConfig(script(LOOK).folder, "train.py", [str(reference)])
    config.run_config.data_references = {
        reference.data_reference_name: reference.to_config(),
        "more": DataReferenceConfiguration(datastore_name=store.name, mode="download", path_on_datastore=name)}
    assert told(experiment.submit(config))["seen"] == [sorted(FILES)]


def test_data_does_not_change_under_a_run(store: Any, folder: Path, experiment: Any, script: Any, name: str) -> None:
    """What was there at submit is what the script gets, in commands too."""
    from azureml.core import Dataset, ScriptRunConfig

    store.upload(str(folder), name, show_progress=False)
    config = ScriptRunConfig(script(LOOK).folder,
                             command=["sleep 0.3; python3 train.py", Dataset.File.from_files((store, name)).as_mount()])
    run = experiment.submit(config)
    (folder / "late.txt").write_text("late")
    store.upload(str(folder), name, show_progress=False)
    assert told(run)["seen"] == [sorted(FILES)]


def test_files_of_the_web(ws: Any, experiment: Any, script: Any, tmp_path: Path) -> None:
    import http.server
    import threading

    from azureml.core import Dataset, ScriptRunConfig

    asked = []

    class Site(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"from the web")

        def log_message(self, *_: Any) -> None:
            pass

    site = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=site.serve_forever, daemon=True).start()
    try:
        made = Dataset.File.from_files([f"http://127.0.0.1:{site.server_port}/x/data.csv"])
        assert made.to_path() == ["/data.csv"]
        config = ScriptRunConfig(script(LOOK).folder, "train.py", [made.as_mount()])
        assert told(experiment.submit(config))["seen"] == ["from the web"]
        experiment.submit(config).wait_for_completion()
        assert len(asked) == 1
        (path,) = made.download(str(tmp_path / "got"))
        assert Path(path).read_text() == "from the web"
    finally:
        site.shutdown()
        site.server_close()


def test_refused(store: Any, experiment: Any, script: Any, folder: Path, name: str) -> None:
    from azureml.core import ScriptRunConfig
    from azureml.data import OutputFileDatasetConfig
    from azureml.exceptions import UserErrorException

    source = script(LOOK).folder
    with pytest.raises(NotImplementedError, match="./outputs"):
        experiment.submit(ScriptRunConfig(source, "train.py", [OutputFileDatasetConfig("o").as_mount()]))
    with pytest.raises(UserErrorException, match="no files at"):
        experiment.submit(ScriptRunConfig(source, "train.py", [store.path("never/uploaded").as_mount()]))
    assert json.dumps([run.id for run in experiment.get_runs()]) == "[]"
