"""The article's path to its end: train, register, export, deploy, ask. PyTorch, ONNX Runtime in Python and Roost agree."""
import json
import subprocess
from pathlib import Path
from typing import Any, List

import pytest

from roost_fixture import PYTHON, RoostServer
from serving import serve
from onnx_models import linear_model
from torch_python import make_python

CLOSE = 1e-4
SHAPE = (3, 3, 16, 16)

TRAIN = """
import os
import torch
from torch import nn


class Birds(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten())
        self.head = nn.Linear(32, 2)

    def forward(self, pictures):
        return self.head(self.features(pictures))


torch.manual_seed(0)
model = Birds()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
pictures, labels = torch.randn(16, 3, 16, 16), torch.arange(16) % 2
for epoch in range(3):
    loss = nn.functional.cross_entropy(model(pictures), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print("epoch", epoch, loss.item())
os.makedirs("outputs", exist_ok=True)
model.eval()
torch.save(model.state_dict(), "outputs/model.pt")
probe = torch.randn(3, 3, 16, 16, generator=torch.Generator().manual_seed(1))
import json
json.dump({"pictures": probe.tolist(), "scores": model(probe).tolist()}, open("outputs/probe.json", "w"))
"""

ASK_RUNTIME = """
import json, sys
import numpy, onnxruntime
probe = json.load(open(sys.argv[2]))
session = onnxruntime.InferenceSession(sys.argv[1], providers=["CPUExecutionProvider"])
pictures = numpy.array(probe["pictures"], dtype=numpy.float32)
print(json.dumps(session.run(None, {session.get_inputs()[0].name: pictures})[0].tolist()))
"""


def largest_difference(left: List[List[float]], right: List[List[float]]) -> float:
    assert [len(row) for row in left] == [len(row) for row in right]
    return max(abs(a - b) for one, other in zip(left, right) for a, b in zip(one, other))


@pytest.mark.heavy("torch")
def test_the_path(server: RoostServer, tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="needs PyTorch for /usr/bin/python3")
    (tmp_path / "any.onnx").write_bytes(linear_model([[1.0]], [0.0]))
    with serve(tmp_path / "runtime", tmp_path / "any.onnx"):  # skips where there is no ONNX Runtime
        pass
    run = server.run(TRAIN, timeout=120, experiment="article", environment={"python": PYTHON})
    assert run["status"] == "Completed", server.log(run)
    server.cli("model", "register", "birds", "--run", run["id"], "--path", "outputs/model.pt", "--framework", "PyTorch")
    made = server.cli("model", "export", "birds", "--to", "onnx", "--input", "2x3x16x16", "--model-function", "train:Birds", timeout=180)
    assert made.stdout == "birds:2\n"
    server.cli("deploy", "birds:2", "--as", "birds", timeout=120)

    probe = json.loads(server.artifact(run, "outputs/probe.json"))
    (tmp_path / "request.json").write_text(json.dumps({"data": probe["pictures"]}))
    answer: Any = json.loads(server.cli("endpoints", "call", "birds", "--file", tmp_path / "request.json").stdout)
    assert largest_difference(answer["result"], probe["scores"]) < CLOSE

    server.cli("model", "get", "birds:2", "-o", tmp_path / "model")
    (tmp_path / "probe.json").write_text(json.dumps(probe))
    python = make_python("onnxruntime", ["onnxruntime", "numpy"])
    if not python:
        pytest.skip("PyTorch and Roost agree; onnxruntime for Python cannot be installed: no package index is reachable")
    done = subprocess.run([python, "-c", ASK_RUNTIME, str(tmp_path / "model" / "model.onnx"), str(tmp_path / "probe.json")],
                          capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    in_python = json.loads(done.stdout)
    assert largest_difference(in_python, probe["scores"]) < CLOSE
    assert largest_difference(in_python, answer["result"]) < CLOSE
