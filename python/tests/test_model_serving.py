"""What models do besides being deployed, against a fake of the server: packages and so on."""

import json
import os
import subprocess
import sys

import pytest
from fake_api import refusal
from fake_endpoints import HOME

from azureml.core import Environment, Model
from azureml.core.model import InferenceConfig
from azureml.exceptions import WebserviceException


def test_a_model_in_use(server, ws, model, connected):
    server.models["birds", 1]["serves"] = [
        {"workspace": "default", "endpoint": "birds-svc", "deployment": "default"}
    ]
    found = Model(ws, "birds")
    assert found.serves == server.models["birds", 1]["serves"] and model.serves == []
    path = "DELETE /api/v1/workspaces/default/models/birds/versions/1"
    connected.routes[path] = refusal(409, "failed_precondition", "birds-svc serves it")
    with pytest.raises(WebserviceException, match="birds-svc serves it"):
        found.delete()


def test_profile(server, ws, model, inference):
    profile = Model.profile(ws, "p", [model], inference, ['{"a": 1}', '{"a": 2}'], cpu=2)
    profile.wait_for_completion(True)
    details = profile.get_details()
    assert details["requestedCpu"] == 2 and details["requestedMemoryInGb"] == 15.0
    assert details["successQueries"] == details["totalQueries"] == 20
    assert 0 < details["latencyAtP50"] <= details["latencyAtP99"] and server.all == {}
    with pytest.raises(WebserviceException, match="requests to send"):
        Model.profile(ws, "p", [model], inference, [])


def fake_program(folder, monkeypatch):
    program = folder / "bin" / "roost"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    (folder / "bin" / "onnxruntime").mkdir()
    (folder / "bin" / "onnxruntime" / "libonnxruntime.so.1").write_text("")
    monkeypatch.setenv("ROOST_PROGRAM", str(program))


def stored(server, name, files, monkeypatch, **facts):
    """A model whose files are written instead of fetched."""

    def download(self, target_dir=".", exist_ok=False, exists_ok=None):
        os.makedirs(target_dir)
        for path, text in files.items():
            with open(os.path.join(target_dir, path), "w") as file:
                file.write(text)

    server.add_model(name, **facts)
    monkeypatch.setattr(Model, "download", download)


def test_package_with_a_script(server, ws, project, monkeypatch):
    fake_program(project, monkeypatch)
    stored(server, "birds", {"model.pkl": "weights"}, monkeypatch)
    (project / "env.yml").write_text(
        "dependencies: [python=3.8, scikit-learn=1.0, {pip: [azureml-defaults, numpy==1.24.2]}]\n"
    )
    environment = Environment.from_conda_specification("scoring", "env.yml")
    environment.environment_variables = {"WORKER_COUNT": "2", "WORD": 'a "b"'}
    config = InferenceConfig("deep/score.py", source_directory="source", environment=environment)
    package = Model.package(ws, [Model(ws, "birds")], config, generate_dockerfile=True)
    package.wait_for_creation(show_output=True)
    assert package.state == "Succeeded"
    package.save("out")
    assert (project / "out/azureml-app/azureml-models/birds/1/model.pkl").read_text() == "weights"
    assert (project / "out/azureml-app/source/extra.json").exists()
    assert (project / "out/requirements.txt").read_text() == "scikit-learn==1.0\nnumpy==1.24.2\n"
    assert (project / "out/python/azureml/core/model.py").exists()
    dockerfile = (project / "out/Dockerfile").read_text()
    assert dockerfile.startswith("FROM python:3.8-slim-bookworm\n") and "EXPOSE 5001" in dockerfile
    assert 'ENV WORD="a \\"b\\""' in dockerfile
    command = json.loads(dockerfile.rpartition("CMD ")[2])
    assert command[1:3] == ["serve", "/var/azureml-app/main.py"]
    assert command[3:7] == [
        "--model-dir", "/var/azureml-app/azureml-models/birds/1", "--workers", "2",
    ]  # fmt: skip
    with pytest.raises(WebserviceException, match="not empty"):
        package.save("out")
    with pytest.raises(WebserviceException, match="Use save"):
        package.pull()


def test_the_main_of_a_package_runs_the_script(server, ws, project, monkeypatch):
    fake_program(project, monkeypatch)
    stored(server, "birds", {"model.pkl": "weights"}, monkeypatch)
    (project / "source" / "deep" / "score.py").write_text(
        "import helper\ndef init(): pass\ndef run(data): return helper.twice(data)\n"
    )
    (project / "source" / "helper.py").write_text("def twice(text): return text + text\n")
    config = InferenceConfig("deep/score.py", source_directory="source")
    Model.package(ws, [Model(ws, "birds")], config, generate_dockerfile=True).save("out")
    code = "import main; main.init(); print(main.run('ab'), main.driver_module.__name__)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd="out/azureml-app", capture_output=True, text=True
    )
    assert done.stdout == "abab driver_module\n", done.stderr


def test_packages_without_code(server, ws, project, monkeypatch):
    fake_program(project, monkeypatch)
    stored(server, "net", {"net.onnx": "graph"}, monkeypatch, framework="Onnx")
    Model.package(ws, [Model(ws, "net")], generate_dockerfile=True).save("onnx")
    assert (project / "onnx/lib/libonnxruntime.so.1").exists()
    assert '"--name", "net"' in (project / "onnx/Dockerfile").read_text()
    server.add_model("tree", "ScikitLearn")
    Model.package(ws, [Model(ws, "tree")], generate_dockerfile=True).save("tree")
    assert "sklearn_script" in (project / "tree/azureml-app/main.py").read_text()
    server.add_model("other", "PyTorch")
    with pytest.raises(WebserviceException, match="InferenceConfig"):
        Model.package(ws, [Model(ws, "other")], generate_dockerfile=True)


def test_package_that_cannot_be_made(server, ws, model, inference, monkeypatch):
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("ROOST_PROGRAM", raising=False)
    with pytest.raises(WebserviceException, match="generate_dockerfile=True"):
        Model.package(ws, [model], inference)
    with pytest.raises(WebserviceException, match="ROOST_PROGRAM"):
        Model.package(ws, [model], inference, generate_dockerfile=True)


# Export.


def test_export(server, ws, connected):
    server.add_model("birds", "PyTorch", run="run-1", experiment="birds")
    connected.routes["GET /api/v1/runs/run-1"] = {
        "type": "azureml.scriptrun", "compute": "cluster", "snapshot": "5" * 64,
        "environment": {"name": "torch", "version": "2", "lock": ["torch==1.13"], "changes": []},
        "spec": {"command": "python train.py --rate 1", "environment": {"name": "torch"}},
    }  # fmt: skip
    route = f"POST {HOME}/runs"
    connected.routes[route] = lambda asked: {"id": "run-2", "experiment": "birds"}
    run = Model(ws, "birds").export_onnx((2, 3, 8, 8), name="birds-onnx", check=False, wait=False)
    assert run.id == "run-2"
    spec = connected.calls(route)[0].json
    assert spec["command"] == (
        'python -m roost.inference.export_onnx --model "$AZUREML_DATAREFERENCE_roost_model" '
        "--exported-from birds:1 --input 2x3x8x8 --register birds-onnx --script train.py --no-check"
    )
    assert (spec["compute"], spec["snapshot"]) == ("cluster", "5" * 64)
    assert spec["environment"] == {"name": "torch", "version": "2", "lock": ["torch==1.13"]}
    assert spec["inputs"] == [{"name": "roost_model", "content": "0" * 64}]
    inputs = {"ids": "2xlength@16:int64", "mask": (2, 16)}
    Model(ws, "birds").export_onnx(inputs, model_function="net:make", wait=False)
    command = connected.calls(route)[1].json["command"]
    assert "--input ids=2xlength@16:int64 --input mask=2x16 " in command
    assert "--model-function net:make" in command and "--register birds " in command
    with pytest.raises(WebserviceException, match="input_shape"):
        Model(ws, "birds").export_onnx(None)
