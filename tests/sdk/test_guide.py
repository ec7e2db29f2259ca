"""docs/bring-your-azureml-code.md, done by the letter."""
import re
import subprocess
from pathlib import Path
from typing import List

from roost_fixture import PYTHON, ROOT, RoostServer

GUIDE = ROOT / "docs" / "bring-your-azureml-code.md"


def blocks(language: str) -> List[str]:
    return re.findall(rf"```{language}\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.S)


def test_the_guide_works(server: RoostServer, tmp_path: Path) -> None:
    train, submit = blocks("python")[:2]
    console = "\n".join(blocks("console"))
    folder = tmp_path / "project"  # the server's own folder lies beside it and must not be submitted
    folder.mkdir()
    (folder / "train.py").write_text(train, encoding="utf-8")
    (folder / "submit.py").write_text(submit, encoding="utf-8")
    (folder / "config.json").write_text(re.search(r"^\{.*\}$", console, re.M).group(), encoding="utf-8")
    assert server.cli("workspace", "create", "birds").stdout == "birds\n"

    looked = server.cli("import", "azureml", ".", cwd=folder).stdout
    shown = console[console.index("./submit.py"):console.index("  ...")]
    assert [line for line in shown.splitlines() if line.strip() not in looked] == []
    assert looked.rstrip().endswith("2 of 2 files run unchanged, 1 of them with a difference to know of.")

    environment = {**server.environment, "PYTHONPATH": str(ROOT / "python")}
    done = subprocess.run([PYTHON, "submit.py"], cwd=folder, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("birds\tlocal\n") and "epoch 4: loss 0.200" in done.stdout
    assert done.stdout.endswith("{'loss': [1.0, 0.5, 0.3333333333333333, 0.25, 0.2]}\nbirds 1\n")
    assert (folder / "model" / "model.txt").read_text() == "weights"

    assert "Completed" in server.cli("runs", "-w", "birds").stdout
    assert "loss" in server.cli("metrics", "-w", "birds", "@").stdout
    assert "birds:1" in server.cli("model", "ls", "-w", "birds").stdout
    assert server.cli("model", "get", "birds", "-w", "birds", cwd=folder).stdout == "model.txt\n"

    score, deploy = blocks("python")[-2:]
    (folder / "score.py").write_text(score, encoding="utf-8")
    (folder / "deploy.py").write_text(deploy, encoding="utf-8")
    done = subprocess.run([PYTHON, "deploy.py"], cwd=folder, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    shown = console[console.index("Succeeded\nACI"):]
    assert done.stdout.endswith(shown[:shown.index("}") + 2]), done.stdout
