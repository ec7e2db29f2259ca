"""docs/python.md, block by block."""
import re
import subprocess
from pathlib import Path

from roost_fixture import PYTHON, ROOT, RoostServer

PAGE = ROOT / "docs" / "python.md"


def test_every_block_runs_as_it_stands(server: RoostServer, tmp_path: Path) -> None:
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)
    assert len(blocks) == 5
    folder = tmp_path / "birds"
    folder.mkdir()
    (folder / "blocks.py").write_text("\n".join(blocks), encoding="utf-8")
    environment = {**server.environment, "PYTHONPATH": str(ROOT / "python")}
    done = subprocess.run([PYTHON, "blocks.py"], cwd=folder, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert "Completed {'epochs': '3', 'lr': '0.1'} [1.0, 0.5, 0.3333333333333333]" in done.stdout
    runs = server.get("/workspaces/default/runs?experiment=birds")["items"]
    assert [run["status"] for run in runs] == ["Completed"] * 3
    first = server.get(f"/runs/{runs[1]['id']}")
    assert first["params"] == {"lr": "0.1", "opt.name": "adam", "opt.betas": "[0.9,0.999]", "epochs": "20"}
    assert set(first["tags"]) == {"baseline", "description"} and first["display_name"] == "first try"
    (offline,) = (folder / "roost-offline").iterdir()
    assert f"roost sync {offline}" in done.stdout
    handed_in = server.cli("sync", str(offline)).stdout.split()
    assert server.get(f"/runs/{handed_in[0]}/metrics/loss")["count"] == 1
