"""roost model export: PyTorch models become ONNX models, in a run of the model's own environment and code."""
import json
import subprocess
from pathlib import Path
from typing import Any, Dict

import pytest

from conftest import MakeServer
from roost_fixture import PYTHON, RoostServer

# Written as people write them: the network is the script's own, and importing it would train again.
TRAIN = """
import sys
import torch
from torch import nn

WIDTH = 6


class Net(nn.Module):
    def __init__(self, classes=2):
        super().__init__()
        self.conv1 = nn.Conv2d(3, WIDTH, 3, padding=1)
        self.drop = nn.Dropout(0.5)
        self.fc = nn.Linear(WIDTH, classes)

    def forward(self, image):
        return self.fc(self.drop(torch.relu(self.conv1(image)).mean((2, 3))))


class Words(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(100, 16)
        self.layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)
        self.out = nn.Linear(16, 3)

    def forward(self, ids, mask):
        hidden = self.layer(self.embed(ids)) * mask.unsqueeze(-1)
        return {"logits": self.out(hidden.mean(1)), "hidden": hidden}


def main():
    import os
    os.makedirs("outputs", exist_ok=True)
    torch.manual_seed(0)
    net = Net()
    torch.save(net, "outputs/net.pt")
    torch.save({"epoch": 3, "state_dict": {"module." + k: v for k, v in net.state_dict().items()}}, "outputs/state.pt")
    torch.jit.script(net).save("outputs/script.pt")
    torch.save(Words(), "outputs/words.pt")
    print("trained")


main()
"""


@pytest.fixture(scope="module")
def server(shared_server: RoostServer) -> RoostServer:
    return shared_server


@pytest.fixture(scope="module")
def run(server: RoostServer) -> Dict[str, Any]:
    pytest.importorskip("torch", reason="needs PyTorch for /usr/bin/python3")
    done = server.run(TRAIN, timeout=120, experiment="exports", environment={"python": PYTHON})
    assert done["status"] == "Completed", server.log(done)
    for name in ("net", "state", "script", "words"):
        server.cli("model", "register", f"x-{name}", "--run", done["id"], "--path", f"outputs/{name}.pt")
    return done


def files(model: Dict[str, Any], server: RoostServer) -> list:
    return [entry["path"] for entry in server.cli_json("model", "show", model["id"])["entries"]]


def test_a_whole_module_of_a_script_that_cannot_be_imported(server: RoostServer, run: Dict[str, Any]) -> None:
    done = server.cli("model", "export", "x-net:1", "--to", "onnx", "--input", "2x3x8x8", timeout=120)
    assert done.stdout == "x-net:2\n", done.stderr
    assert "trained" not in done.stderr and "loaded net.pt: module" in done.stderr
    model = server.cli_json("model", "show", "x-net:2")
    facts = model["properties"]
    assert (model["framework"], model["tags"], facts["exported_from"]) == ("Onnx", {"format": "onnx"}, "x-net:1")
    assert (facts["inputs"], facts["outputs"]) == ("image=batchx3x8x8:float32", "output=batchx2:float32")
    assert facts["compared_with"] == "roost serve" and float(facts["largest_difference"]) < 1e-4
    export = server.get_run(model["run"])
    assert export["snapshot"] == run["snapshot"] and export["experiment"] == "exports"
    assert export["properties"]["exported_model"] == "x-net:2" and export["properties"]["model"] == "x-net:1"
    assert files(model, server) == ["net.onnx"]
    assert json.loads(server.artifact(export, "outputs/export.json"))["files"] == ["net.onnx"]


def test_weights_need_a_function(server: RoostServer, run: Dict[str, Any]) -> None:
    bare = server.cli("model", "export", "x-state", "-i", "2x3x8x8", check=False, timeout=120)
    assert bare.returncode == 2 and bare.stdout == ""
    assert "state.pt is a state dict" in bare.stderr and "--model-function" in bare.stderr
    assert "conv1.weight 6x3x3x3" in bare.stderr and "Traceback" not in bare.stderr
    wrong = server.cli("model", "export", "x-state", "-i", "2x3x8x8", "-f", "train:Net(classes=5)", check=False, timeout=120)
    assert wrong.returncode == 2 and "size mismatch for fc.weight" in wrong.stderr
    made = server.cli_json("model", "export", "x-state", "-i", "image=2x3x8x8", "-f", "train:Net", "-n", "x-named", timeout=120)
    assert (made["id"], made["properties"]["source_kind"]) == ("x-named:1", "state dict")
    assert server.cli("model", "ls", "x-state", "-q").stdout == "x-state:1\n"


def test_the_network_may_be_a_file_of_this_machine(server: RoostServer, run: Dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(TRAIN.replace("\nmain()\n", ""))
    made = server.cli_json("model", "export", "x-state", "-i", "2x3x8x8", "-f", f"{tmp_path}/net.py:Net", timeout=120)
    assert server.get_run(made["run"])["snapshot"] != run["snapshot"]


def test_torchscript(server: RoostServer, run: Dict[str, Any]) -> None:
    made = server.cli_json("model", "export", "x-script", "-i", "1x3x8x8", timeout=120)
    assert made["properties"]["source_kind"] == "TorchScript"
    assert made["properties"]["inputs"] == "input_0=batchx3x8x8:float32"


def test_two_inputs_and_a_length_of_any_size(server: RoostServer, run: Dict[str, Any]) -> None:
    made = server.cli_json("model", "export", "x-words", "-i", "ids=2xlength@16:int64:100", "-i", "mask=2xlength@16", timeout=120)
    facts = made["properties"]
    assert facts["inputs"] == "ids=batchxlength:int64 mask=batchxlength:float32"
    assert facts["outputs"] == "logits=batchx3:float32 hidden=batchxlengthx16:float32"
    assert float(facts["largest_difference"]) < 1e-4


def test_what_is_wrong_is_said(server: RoostServer, run: Dict[str, Any], tmp_path: Path) -> None:
    shapes = server.cli("model", "export", "x-net:1", "-i", "2x4x8x8", check=False, timeout=120)
    assert shapes.returncode == 2 and "layer conv1 (Conv2d)" in shapes.stderr
    none = server.cli("model", "export", "x-net:1", check=False)
    assert none.returncode == 2 and "--input 2x3x224x224" in none.stderr
    other = server.cli("model", "export", "x-net:1", "-i", "2x3", "--to", "coreml", check=False)
    assert other.returncode == 2 and "onnx" in other.stderr
    (tmp_path / "model.pt").write_bytes(b"no model at all")
    server.cli("model", "register", "x-bad", tmp_path / "model.pt")
    bad = server.cli("model", "export", "x-bad", "-i", "2x3", "--python", PYTHON, check=False, timeout=120)
    assert bad.returncode == 2 and "model.pt cannot be read by PyTorch" in bad.stderr, bad.stderr


def test_without_a_check(server: RoostServer, run: Dict[str, Any]) -> None:
    made = server.cli_json("model", "export", "x-net:1", "-i", "2x3x8x8", "--no-check", "--fixed-shapes", timeout=120)
    assert made["properties"]["compared_with"] == "nothing: not asked for"
    assert made["properties"]["inputs"] == "image=2x3x8x8:float32"


def test_with_nothing_to_compare_with(make_server: MakeServer, tmp_path: Path) -> None:
    """It is registered all the same, and says why in one line, whatever lines the reason has."""
    (tmp_path / "broken.so").write_text("no library")
    server = make_server(start=False)
    server.environment["ROOST_ONNXRUNTIME"] = str(tmp_path / "broken.so")
    server.start()
    pytest.importorskip("torch", reason="needs PyTorch for /usr/bin/python3")
    if not subprocess.run([PYTHON, "-c", "import onnxruntime"], stderr=subprocess.DEVNULL).returncode:
        pytest.skip("the Python of the runs has an onnxruntime of its own")
    trained = server.run(TRAIN, timeout=120, environment={"python": PYTHON})
    server.cli("model", "register", "x-net", "--run", trained["id"], "--path", "outputs/net.pt")
    made = server.cli_json("model", "export", "x-net", "-i", "2x3x8x8", timeout=120)
    told = made["properties"]["compared_with"]
    assert told.startswith("nothing: the environment has no onnxruntime, and Roost's own runtime cannot serve the model: ")
    assert "broken.so" in told and told.isprintable() and "largest_difference" not in made["properties"]


def test_a_script_that_exports_itself_needs_nothing(server: RoostServer) -> None:
    """And the weights that lie beside an .onnx file are kept with it."""
    done = server.run("""
        import os
        from azureml.core import Run
        os.makedirs("outputs", exist_ok=True)
        open("outputs/model.onnx", "wb").write(b"graph")
        open("outputs/model.onnx.data", "wb").write(b"weights")
        model = Run.get_context().register_model("x-own", model_path="outputs/model.onnx")
        print(model.id)
    """, timeout=60)
    assert done["status"] == "Completed", server.log(done)
    assert files({"id": "x-own:1"}, server) == ["model.onnx", "model.onnx.data"]
    server.cli("model", "register", "x-own", "--run", done["id"], "--path", "outputs/model.onnx")
    assert files({"id": "x-own:2"}, server) == ["model.onnx", "model.onnx.data"]
