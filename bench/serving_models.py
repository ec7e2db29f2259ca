"""The models that bench/measures/serving.py serves, and the requests to them."""

import json
import random
import struct
import subprocess
import sys
from pathlib import Path
from typing import Sequence

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from onnx_files import FLOAT, onnx_model  # noqa: E402

from harness import PYTHON, clean_environment  # noqa: E402

WIDTH = 128  # of what the small model takes and gives, so that the null model's requests are as long
SMALL = (WIDTH, 512, 512, WIDTH)
MEDIUM = (WIDTH, 2048, 2048, WIDTH)  # 19 MB of weights to read for a row, or for many
RESNET = """import sys, torch, torchvision
torch.manual_seed(1)
model = torchvision.models.resnet18(weights=None).eval()
torch.onnx.export(model, torch.zeros(2, 3, 224, 224), sys.argv[1], input_names=["data"], output_names=["scores"],
                  dynamic_axes={"data": {0: "batch"}, "scores": {0: "batch"}}, opset_version=13)
"""


def perceptron(sizes: Sequence[int] = SMALL) -> bytes:
    """Layers of these sizes with ReLU between them."""
    values = random.Random(1)
    nodes, weights, last = [], {}, "data"
    for i, (rows, columns) in enumerate(zip(sizes, sizes[1:])):
        is_end = i == len(sizes) - 2
        weights[f"w{i}"] = ((rows, columns), [values.uniform(-0.05, 0.05) for _ in range(rows * columns)])
        weights[f"b{i}"] = ((columns,), [values.uniform(-0.05, 0.05) for _ in range(columns)])
        nodes += [("MatMul", [last, f"w{i}"], [f"product{i}"]), ("Add", [f"product{i}", f"b{i}"], ["scores" if is_end else f"sum{i}"])]
        if not is_end:
            nodes.append(("Relu", [f"sum{i}"], [f"hidden{i}"]))
        last = f"hidden{i}"
    return onnx_model(nodes, [("data", FLOAT, ("batch", sizes[0]))], [("scores", FLOAT, ("batch", sizes[-1]))], weights)


def null_model() -> bytes:
    return onnx_model([("Identity", ["data"], ["scores"])], [("data", FLOAT, ("batch", WIDTH))], [("scores", FLOAT, ("batch", WIDTH))])


def make_resnet(path: Path) -> str:
    """ResNet-18 with random weights; why not, if it could not be made."""
    done = subprocess.run([PYTHON, "-c", RESNET, str(path)], env=clean_environment(path.parent), capture_output=True, text=True,
                          timeout=300, check=False)
    return "" if done.returncode == 0 else (done.stderr.strip().splitlines() or ["no reason"])[-1][:80]


class Body:
    """A request for one row in the binary form of the v2 protocol, and its data alone, as files."""

    def __init__(self, folder: Path, name: str, shape: Sequence[int]) -> None:
        count = 1
        for size in shape:
            count *= size
        values = random.Random(2)
        data = struct.pack(f"<{count}f", *[values.uniform(0, 1) for _ in range(count)])
        head = json.dumps({"inputs": [{"name": "data", "shape": list(shape), "datatype": "FP32",
                                       "parameters": {"binary_data_size": len(data)}}],
                           "outputs": [{"name": "scores", "parameters": {"binary_data": True}}]}).encode()
        self.header = f"Inference-Header-Content-Length: {len(head)}"
        self.v2 = folder / f"{name}.v2"
        self.v2.write_bytes(head + data)
        self.raw = folder / f"{name}.raw"
        self.raw.write_bytes(data)
