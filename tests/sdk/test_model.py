"""The model registry through azureml.core."""
import os
from pathlib import Path
from typing import Any

import pytest

from sdk_fixtures import at_server, experiment, script, ws  # noqa: F401


@pytest.fixture
def model_name(name: str) -> str:
    return name[:40].strip("-")


@pytest.fixture
def trained(experiment: Any, script: Any) -> Any:
    """A run that left a file and a folder."""
    run = experiment.submit(script("""
        import os
        os.makedirs("outputs/net/deep", exist_ok=True)
        open("outputs/model.pt", "w").write("weights")
        open("outputs/net/a.bin", "w").write("a")
        open("outputs/net/deep/b.bin", "w").write("b")
    """))
    run.wait_for_completion()
    return run


def test_register_a_file_of_a_run(ws: Any, trained: Any, model_name: str, capsys: Any) -> None:
    from azureml.core import Model

    model = trained.register_model(model_name=model_name, model_path="./outputs/model.pt", tags={"area": "birds"},
                                   properties={"acc": 0.9}, model_framework=Model.Framework.PYTORCH,
                                   model_framework_version="1.6", description="a bird")
    assert (model.name, model.id, model.version) == (model_name, f"{model_name}:1", 1)
    assert (model.tags, model.properties, model.description) == ({"area": "birds"}, {"acc": "0.9"}, "a bird")
    assert (model.model_framework, model.model_framework_version) == ("PyTorch", "1.6")
    assert model.run_id == trained.id and model.run.id == trained.id
    assert model.experiment_name == trained.experiment.name and model.snapshot_id == trained.get_snapshot_id()
    assert repr(model) == (f"Model(workspace={ws!r}, name={model_name}, id={model_name}:1, version=1, "
                           "tags={'area': 'birds'}, properties={'acc': '0.9'})")
    assert model.download(target_dir="model") == "model/model.pt"
    assert Path("model/model.pt").read_text() == "weights"
    second = trained.register_model(model_name, "outputs/net")
    assert second.version == 2 and second.download("folder", exist_ok=True) == "folder/net"
    assert Path("folder/net/deep/b.bin").read_text() == "b"
    assert Model(ws, model_name).version == 2 and Model(ws, model_name, version=1).description == "a bird"
    assert Model(ws, id=f"{model_name}:1").version == 1 and Model(ws, model_name, tags=["area"]).version == 1


def test_what_is_there_is_not_written_over(trained: Any, model_name: str) -> None:
    from azureml.exceptions import WebserviceException

    model = trained.register_model(model_name, "outputs/model.pt")
    Path("model.pt").write_text("mine")
    with pytest.raises(WebserviceException, match="exist_ok=True"):
        model.download()
    assert Path("model.pt").read_text() == "mine"
    model.download(".", exist_ok=True)
    assert Path("model.pt").read_text() == "weights"


def test_register_local_files(ws: Any, model_name: str, capsys: Any) -> None:
    from azureml.core import Model
    from azureml.exceptions import ModelPathNotFoundException, WebserviceException

    Path("ridge.pkl").write_bytes(b"\x00pickle")
    model = Model.register(workspace=ws, model_path="ridge.pkl", model_name=model_name, tags={"a": 1})
    assert capsys.readouterr().out == f"Registering model {model_name}\n"
    assert model.run_id is None and model.tags == {"a": "1"}
    os.makedirs("net/deep")
    Path("net/a").write_text("a")
    Path("net/deep/b").write_text("b")
    folder = Model.register(ws, "./net/", model_name)
    assert folder.version == 2
    folder.download("got")
    assert Path("got/net/deep/b").read_text() == "b"
    part = Model.register(ws, "net", model_name, child_paths=["a"])
    part.download("part")
    assert os.listdir("part/net") == ["a"]
    with pytest.raises(ModelPathNotFoundException, match="nowhere"):
        Model.register(ws, "nowhere", model_name)
    with pytest.raises(WebserviceException):
        Model.register(ws, "net", "")


def test_list_and_change(ws: Any, model_name: str) -> None:
    from azureml.core import Model
    from azureml.exceptions import ModelNotFoundException, WebserviceException

    Path("m").write_text("m")
    for number in range(3):
        Model.register(ws, "m", model_name, tags={"n": number, "all": "yes"}, properties={"p": number},
                       model_framework="Onnx" if number else "PyTorch")
    assert [model.version for model in Model.list(ws, name=model_name)] == [3, 2, 1]
    assert [model.version for model in Model.list(ws, name=model_name, latest=True)] == [3]
    assert [model.version for model in Model.list(ws, model_name, tags=["all", ["n", "1"]])] == [2]
    assert [model.version for model in Model.list(ws, model_name, tags={"n": "0"})] == [1]
    assert [model.version for model in Model.list(ws, model_name, properties=[["p", "2"]])] == [3]
    assert [model.version for model in Model.list(ws, model_name, model_framework="PyTorch")] == [1]
    assert ws.models[model_name].version == 3
    model = Model(ws, model_name, version=2)
    model.add_tags({"best": None})
    model.add_properties({"q": 1})
    with pytest.raises(WebserviceException, match="never change"):
        model.add_properties({"q": 2})
    model.update(tags={"only": "this"}, description="better")
    again = Model(ws, model_name, version=2)
    assert again.tags == {"only": "this"} and again.description == "better" and again.properties["q"] == "1"
    assert again.created_time.tzinfo is not None and again.serialize()["id"] == again.id
    again.delete()
    assert [model.version for model in Model.list(ws, name=model_name)] == [3, 1]
    with pytest.raises(ModelNotFoundException):
        Model(ws, model_name, version=2)
    assert Model.register(ws, "m", model_name).version == 4


def test_not_found(ws: Any) -> None:
    from azureml.core import Model
    from azureml.exceptions import ModelNotFoundException, WebserviceException

    with pytest.raises(WebserviceException) as caught:
        Model(ws, "no-such-model")
    assert isinstance(caught.value, ModelNotFoundException) and "no-such-model" in caught.value.message
    for wrong in ({"id": "no-version"}, {}, {"name": "x", "version": 1, "tags": ["t"]}):
        with pytest.raises(WebserviceException):
            Model(ws, **wrong)


def test_register_what_is_not_there(trained: Any, model_name: str) -> None:
    from azureml.exceptions import WebserviceException

    with pytest.raises(WebserviceException, match="outputs/nothing.pt"):
        trained.register_model(model_name, "outputs/nothing.pt")


def test_model_paths(ws: Any, trained: Any, experiment: Any, script: Any, model_name: str,
                     monkeypatch: Any) -> None:
    from azureml.core import Model
    from azureml.exceptions import ModelNotFoundException

    trained.register_model(model_name, "outputs/model.pt")
    trained.register_model(model_name, "outputs/net")
    path = Model.get_model_path(model_name, version=1, _workspace=ws)
    assert path == f"azureml-models/{model_name}/1/model.pt" and Path(path).read_text() == "weights"
    assert Model.get_model_path(model_name, _workspace=ws) == f"azureml-models/{model_name}/2/net"
    with monkeypatch.context() as offline:
        offline.setattr(ws, "_client", None)
        assert Model.get_model_path(model_name, 1, ws) == path  # it is here already
    os.mkdir("elsewhere")
    monkeypatch.chdir("elsewhere")
    with pytest.raises(ModelNotFoundException, match="AZUREML_MODEL_DIR"):
        Model.get_model_path(model_name)
    ws.write_config()
    Model.get_model_path(model_name, 1)
    run = experiment.submit(script(f"""
        from azureml.core.model import Model
        print(open(Model.get_model_path({model_name!r}, version=1)).read())
    """))
    run.wait_for_completion()
    assert run.get_details_with_logs()["logFiles"]["azureml-logs/70_driver_log.txt"] == "weights\n"


def test_where_a_service_has_its_models(tmp_path: Path, monkeypatch: Any) -> None:
    from azureml.core import Model

    (tmp_path / "one").mkdir()
    (tmp_path / "one/model.pt").write_text("1")
    monkeypatch.setenv("AZUREML_MODEL_DIR", str(tmp_path / "one"))
    assert Model.get_model_path("anything") == str(tmp_path / "one/model.pt")
    for version in (2, 10):
        (tmp_path / f"many/m/{version}").mkdir(parents=True)
        (tmp_path / f"many/m/{version}/model.pt").write_text("m")
    monkeypatch.setenv("AZUREML_MODEL_DIR", str(tmp_path / "many"))
    assert Model.get_model_path("m") == str(tmp_path / "many/m/10/model.pt")
    assert Model.get_model_path("m", version=2) == str(tmp_path / "many/m/2/model.pt")


def test_models_below_the_app_root(tmp_path: Path, monkeypatch: Any) -> None:
    from azureml.core import Model
    from azureml.exceptions import ModelNotFoundException

    monkeypatch.chdir(tmp_path)
    folder = Path("azureml-models/birds/3/birds")  # a folder that was registered under the model's own name
    folder.mkdir(parents=True)
    (folder / "weights.bin").write_text("w")
    monkeypatch.setenv("AZUREML_MODEL_DIR", "azureml-models/birds/3")
    assert Model.get_model_path("birds") == str(folder) == Model.get_model_path("birds", version=3)
    for wrong in ({"model_name": "cats"}, {"model_name": "birds", "version": 4}):
        with pytest.raises(ModelNotFoundException, match="birds:3"):
            Model.get_model_path(**wrong)
    for version in (2, 10):
        Path(f"azureml-models/cats/{version}").mkdir(parents=True)
        Path(f"azureml-models/cats/{version}/model.pkl").write_text("m")
    monkeypatch.setenv("AZUREML_MODEL_DIR", "azureml-models")
    assert Model.get_model_path("cats") == "azureml-models/cats/10/model.pkl"
    assert Model.get_model_path("cats", 2) == "azureml-models/cats/2/model.pkl"
    assert Model.get_model_path("birds") == str(folder)
    monkeypatch.setenv("AML_APP_ROOT", str(tmp_path))
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert Model.get_model_path("cats", 2) == str(tmp_path / "azureml-models/cats/2/model.pkl")


def test_registered_in_a_run(ws: Any, experiment: Any, script: Any, model_name: str) -> None:
    """A script registers what it has just written, before its outputs are collected."""
    from azureml.core import Model

    run = experiment.submit(script(f"""
        import os
        from azureml.core import Run
        os.makedirs("outputs/net", exist_ok=True)
        open("outputs/net/w.bin", "w").write("w")
        open("outputs/one.bin", "w").write("1")
        run = Run.get_context()
        run.register_model({model_name!r}, "outputs/one.bin")
        run.register_model({model_name!r}, "outputs/net")
    """))
    run.wait_for_completion()
    assert [model.run_id for model in Model.list(ws, model_name, run_id=run.id)] == [run.id, run.id]
    Model(ws, model_name, version=1).download("d")
    assert Path("d/one.bin").read_text() == "1"
