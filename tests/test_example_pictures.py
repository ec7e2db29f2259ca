"""examples/pytorch-birds to the end of its README, with a short training: a picture goes in, the bird comes out."""
import shutil
import subprocess
from pathlib import Path

import pytest

from onnx_models import linear_model
from roost_fixture import PYTHON, ROOT, RoostServer
from serving import serve

EXAMPLE = ROOT / "examples" / "pytorch-birds"


@pytest.mark.heavy("torch")
def test_pictures_are_classified(server: RoostServer, tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="needs PyTorch for /usr/bin/python3")
    (tmp_path / "any.onnx").write_bytes(linear_model([[1.0]], [0.0]))
    with serve(tmp_path / "runtime", tmp_path / "any.onnx"):  # skips where there is no ONNX Runtime
        pass
    folder = tmp_path / "birds"
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns("data", "outputs", "__pycache__"))
    server.cli("submit", "-e", "birds", "-s", folder, "--python", PYTHON, "--", "python", "pytorch_train.py", "--num_epochs", "3",
               "--pretrain_epochs", "2", "--output_dir", "./outputs", timeout=300)
    server.cli("model", "register", "birds", "--run", "@", "--path", "outputs/model.pt", "--framework", "PyTorch")
    server.cli("model", "export", "birds", "--input", "2x3x64x64", "--model-function", "pytorch_train:BirdNet(outputs=2)", timeout=180)
    address = server.cli_json("deploy", "birds", "--as", "birds", timeout=120)["scoring_uri"]
    subprocess.run([PYTHON, "draw_birds.py"], cwd=folder, env=server.environment, check=True, timeout=120)
    pictures = [f"data/val/{kind}/{number:03}.png" for kind in ("chickens", "turkeys") for number in range(20)]
    said = subprocess.run([PYTHON, "classify_birds.py", address, *pictures], cwd=folder, env=server.environment, capture_output=True,
                          text=True, timeout=120)
    assert said.returncode == 0, said.stderr
    right = [line for line in said.stdout.splitlines() if line.split()[1] in line.split()[0]]
    assert len(said.stdout.splitlines()) == 40 and len(right) >= 24, said.stdout  # half would be by chance
