"""The commands of docs/serving.md do what it says, in its order, on one server."""
import re
import subprocess
from pathlib import Path
from typing import List

import pytest

from onnx_models import linear_model
from roost_fixture import ROOT, RoostServer, roost_program
from serving import serve

DOCUMENT = ROOT / "docs" / "serving.md"
WEIGHTS = [[1.0, 0.0], [0.5, -1.0], [0.0, 2.0]]


def commands() -> List[str]:
    """All but the first block, which needs a trained model and has examples of its own."""
    blocks = re.findall(r"```console\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.S)
    return [line[2:] for block in blocks[1:] for line in block.splitlines() if line.startswith("$ ")]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "model.onnx").write_bytes(linear_model(WEIGHTS, [0.0, 0.0]))
    with serve(tmp_path / "runtime", tmp_path / "model.onnx"):  # skips where there is no runtime
        pass
    (tmp_path / "rows").mkdir()
    (tmp_path / "rows" / "one.csv").write_text("1,2,3\n")
    return tmp_path


def test_the_commands(server: RoostServer, folder: Path) -> None:
    for _ in range(2):
        server.cli("model", "register", "lines", folder / "model.onnx")
    said = commands()
    assert len(said) >= 15
    path = f"{roost_program().parent}:{server.environment['PATH']}"
    for line in said:
        done = subprocess.run(["bash", "-c", line], cwd=folder, env={**server.environment, "PATH": path}, capture_output=True,
                              text=True, timeout=180)
        assert done.returncode == 0, (line, done.stdout, done.stderr)
    assert (folder / "scores" / "one.csv").is_file()
