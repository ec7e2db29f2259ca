"""Models without code, images of before Model.deploy(), packages and profiles, on a real server."""
import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from processes import kill
from roost_fixture import PYTHON, RoostServer, roost_program
from sdk_fixtures import at_server, experiment, script, ws  # noqa: F401
from serving_fixtures import deploy, inference, onnxruntime, post, register, write_onnx, write_pickle, write_script  # noqa: F401


def test_onnx_without_code(ws: Any, deploy: Any, onnxruntime: str) -> None:
    from azureml.core import Model
    from azureml.core.resource_configuration import ResourceConfiguration

    model = Model.register(ws, write_onnx("twice.onnx"), "twice", model_framework=Model.Framework.ONNX,
                           resource_configuration=ResourceConfiguration(cpu=1, memory_in_gb=0.5))
    service = deploy("twice", [model])
    service.wait_for_deployment(True)
    assert service.compute_type == "ACI" and service.container_resource_requirements.cpu == 1
    asked = {"inputs": {"x": {"dims": ["1", "3"], "dataType": 1, "floatData": [1, 2, 3]}}, "outputFilter": ["y"]}
    answer = service.run(json.dumps(asked))
    assert list(answer["outputs"]) == ["y"] and answer["outputs"]["y"]["dims"] == ["1", "3"]
    assert "6" in json.dumps(service.run(json.dumps({"data": [[1, 2, 3]]})))


def test_scikit_learn_without_code(ws: Any, deploy: Any) -> None:
    from azureml.core import Model

    model = Model.register(ws, write_pickle("sums.pkl"), "sums", model_framework=Model.Framework.SCIKITLEARN,
                           model_framework_version="1.0")
    service = deploy("sums", [model])
    service.wait_for_deployment(True)
    assert service.run(json.dumps({"data": [[1, 2], [3, 4]], "method": "predict"})) == {"predict": [3.0, 7.0]}


def test_what_cannot_be_served_without_code(ws: Any, deploy: Any) -> None:
    from azureml.core import Model
    from azureml.exceptions import WebserviceException

    model = register(ws, "torch", model_framework=Model.Framework.PYTORCH)
    with pytest.raises(WebserviceException, match="roost model export"):
        deploy("torch-svc", [model])


def test_legacy_images(ws: Any, deploy: Any, capsys: Any) -> None:
    from azureml.core import Model
    from azureml.core.image import ContainerImage, Image
    from azureml.core.webservice import AciWebservice, Webservice

    model = register(ws, "legacy", "legacy words")
    write_script("helper.py", "import os\nplace = os.environ['AZUREML_MODEL_DIR']\n")
    write_script("score.py", """
        import os, helper
        def init():
            global words
            words = open(os.path.join(helper.place, "model.txt")).read()
        def run(data): return {"words": words, "data": data}
    """)
    config = ContainerImage.image_configuration(execution_script="score.py", runtime="python", dependencies=["helper.py"],
                                                tags={"area": "birds"}, description="an image")
    image = ContainerImage.create(workspace=ws, name="legacy", models=[model], image_config=config)
    image.wait_for_creation(show_output=True)
    assert 'operation "Succeeded"' in capsys.readouterr().out and image.creation_state == "Succeeded"
    found = Image.list(ws, tags=["area"])
    assert [one.id for one in found] == ["legacy:1"] and ws.images["legacy"].id == "legacy:1"
    assert "container-image.legacy" not in ws.models and "legacy" in ws.models
    target = AciWebservice.deploy_configuration(cpu_cores=1, memory_gb=1)
    service = Webservice.deploy_from_image(workspace=ws, name="legacy", image=Image(ws, "legacy"), deployment_config=target)
    service.wait_for_deployment(show_output=True)
    assert service.run("x") == {"words": "legacy words", "data": "x"} and service.image_id == "legacy:1"
    service.delete()
    service = Webservice.deploy_from_model(ws, "legacy-two", [model], config, target)
    service.wait_for_deployment(True)
    assert service.run("y")["data"] == "y" and service.image.name == "legacy-two"
    service.delete()
    for one in Image.list(ws):
        one.delete()
    assert Image.list(ws) == [] and Model(ws, "legacy").version == 1


def test_profile(ws: Any) -> None:
    from azureml.core import Dataset, Model
    from azureml.core.webservice import Webservice

    os.makedirs("requests")
    Path("requests/rows.txt").write_text('[1]\n[2]\n[3]\n')
    rows = Dataset.File.upload_directory("requests", (ws.get_default_datastore(), "profile"))
    profile = Model.profile(ws, "speed", [register(ws, "speed")], inference(), rows, cpu=1, memory_in_gb=1)
    profile.wait_for_completion(True)
    details = profile.get_details()
    assert details["requestedCpu"] == 1 and details["successQueries"] == details["totalQueries"] >= 20
    assert 0 < details["latencyAtP50"] < 5 and Webservice.list(ws, compute_type="LOCAL") == []


@pytest.mark.parametrize("kind", ["script", "onnx"])
def test_a_package_serves(ws: Any, at_server: RoostServer, monkeypatch: Any, kind: str, request: Any) -> None:
    """What the Dockerfile would start, started here."""
    from azureml.core import Model

    if kind == "onnx":
        request.getfixturevalue("onnxruntime")
    monkeypatch.setenv("ROOST_PROGRAM", str(roost_program()))
    if kind == "onnx":
        model = Model.register(ws, write_onnx("twice.onnx"), "packed-onnx", model_framework=Model.Framework.ONNX)
        config, body, words = None, b'{"data": [[1, 2, 3]]}', b"6"
    else:
        model, body, words = register(ws, "packed", "packed words"), b"[1]", b"packed words"
        config = inference("deep/score.py", "source")
    package = Model.package(ws, [model], config, generate_dockerfile=True)
    package.wait_for_creation(show_output=True)
    package.save("out")
    dockerfile = Path("out/Dockerfile").read_text()
    assert dockerfile.startswith("FROM ") and "EXPOSE 5001" in dockerfile
    command = json.loads(dockerfile.rpartition("CMD ")[2])
    command = [word.replace("/var/azureml-app", os.path.abspath("out/azureml-app")) for word in command]
    command = ["out/roost", *command[1:command.index("--address")], "--port", "0"]
    variables = {**at_server.environment, "PYTHONPATH": os.path.abspath("out/python")}
    if kind == "onnx":
        variables["ROOST_ONNXRUNTIME"] = os.path.abspath("out/lib")
    process = subprocess.Popen(command, env=variables, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        said = process.stdout.readline()
        while said and not said.startswith("serving "):
            said = process.stdout.readline()
        found = re.search(r"http://\S+", said)
        assert found is not None, said
        status, _, answer = post(f"{found.group()}/score", body)
        assert status == 200 and words in answer, answer
    finally:
        kill(process.pid)
        process.wait()
        process.stdout.close()


TRAIN = """
    import os
    import torch

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = torch.nn.Linear(3, 2)

        def forward(self, x):
            return torch.relu(self.linear(x))

    os.makedirs("outputs", exist_ok=True)
    torch.manual_seed(1)
    net = Net()
    torch.save(net, "outputs/net.pt")
    print(*net(torch.ones(1, 3)).tolist()[0])
"""


@pytest.mark.skipif(subprocess.run([PYTHON, "-c", "import torch"], capture_output=True).returncode != 0,
                    reason=f"{PYTHON} has no torch")
def test_from_a_run_to_predictions(ws: Any, experiment: Any, script: Any, deploy: Any, onnxruntime: str) -> None:
    """Trained, registered, exported, deployed, asked: the answers are PyTorch's."""
    run = experiment.submit(script(TRAIN))
    run.wait_for_completion()
    log = run.get_details_with_logs()["logFiles"]["azureml-logs/70_driver_log.txt"]
    expected = [float(word) for word in log.split()]
    model = run.register_model("to-predictions", "outputs/net.pt")
    exported = model.export_onnx((2, 3), name="to-predictions-onnx", show_output=True)
    assert (exported.name, exported.model_framework) == ("to-predictions-onnx", "Onnx")
    assert exported.properties["exported_from"] == model.id and exported.run_id != run.id
    service = deploy("to-predictions", [exported])
    service.wait_for_deployment(True)
    answer = json.dumps(service.run(json.dumps({"data": [[1, 1, 1]]})))
    got = [float(word) for word in re.findall(r"-?\d+\.?\d*(?:e-?\d+)?", answer)]
    assert got[-2:] == pytest.approx(expected, abs=1e-4), answer
