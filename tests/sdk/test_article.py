"""Code written for Azure ML runs unchanged: the article's, where its text is at hand, and our own."""
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any, Dict, List, Tuple

import pytest

from conftest import MakeServer
from local_index import make_wheel
from onnx_models import linear_model
from roost_fixture import RoostServer
from sdk_python import SDK, pythons
from serving import serve

pytestmark = pytest.mark.heavy("torch")

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "azureml-birds"
SEEDS = sorted((ROOT.parent / "shared" / "seeds").glob("*.txt"))


def code_blocks(seed: Path) -> Tuple[str, ...]:
    return tuple(re.findall(r"```\w+\n(.*?)```", seed.read_text(encoding="utf-8"), re.S))


def editions() -> List[Path]:
    """One text for each that has code of its own: translations of an edition share every block to the letter."""
    first: Dict[Tuple[str, ...], Path] = {}
    for seed in SEEDS:
        first.setdefault(code_blocks(seed), seed)
    return list(first.values())


EDITIONS = editions()
NEAREST = {"environments": {"offline": True}}  # with the packages of this machine
CONFIG = '{"subscription_id": "s", "resource_group": "g", "workspace_name": "%s"}'


def has_torch() -> bool:
    code = "import importlib.util, sys; sys.exit(importlib.util.find_spec('torch') is None)"  # to import it takes seconds
    return subprocess.run(["/usr/bin/python3", "-c", code], capture_output=True, timeout=120).returncode == 0


@pytest.fixture(scope="module")
def nearest_server(make_shared_server: MakeServer) -> RoostServer:
    return make_shared_server(config=NEAREST)


needs_article = pytest.mark.skipif(not SEEDS, reason="the article's text (../shared/seeds) is not on this machine")
needs_torch = pytest.mark.skipif(not has_torch(), reason="PyTorch is not installed: tools/setup demo")


def user_runs(server: RoostServer, python: str, *arguments: str, folder: Path, timeout: float = 150) -> str:
    done = subprocess.run([python, *arguments], cwd=folder, env={**server.environment, "PYTHONPATH": str(SDK)},
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=timeout)
    assert done.returncode == 0, done.stdout
    return done.stdout


@needs_article
def test_the_article_has_two_editions() -> None:
    """So that following two of the five texts is following all: the newer with its launcher, the older with its own contract."""
    assert len(SEEDS) == 5 and len(EDITIONS) == 2
    assert [("launch_cmd = " in text, "AZ_BATCHAI_PYTORCH_INIT_METHOD" in text)
            for text in ("".join(code_blocks(seed)) for seed in EDITIONS)] == [(True, False), (False, True)]


@needs_torch
@needs_article
@pytest.mark.parametrize("seed", EDITIONS, ids=lambda path: path.name[:3])
def test_the_article(nearest_server: RoostServer, tmp_path: Path, seed: Path) -> None:
    """Its pins are older than anything on this machine, and moved."""
    run = follow_the_article(nearest_server, tmp_path, seed)
    assert any(change.startswith("torch==1.6.0 -> torch 1.13") for change in run["environment"]["changes"])


def follow_the_article(server: RoostServer, tmp_path: Path, seed: Path, timeout: float = 150) -> Dict[str, Any]:
    """All its Python blocks in order, unmodified, to the registered and downloaded model. Returns the run."""
    workspace = f"docs-{seed.name[:3]}"
    text = seed.read_text(encoding="utf-8")
    (tmp_path / "config.json").write_text(CONFIG % workspace)
    (tmp_path / "conda_dependencies.yml").write_text(re.search(r"```yaml\n(.*?)```", text, re.S)[1])
    shutil.copy(EXAMPLE / "src" / "train.py", tmp_path / "pytorch_train.py")
    server.cli("workspace", "create", workspace)
    out = user_runs(server, "/usr/bin/python3", str(Path(__file__).with_name("run_blocks.py")), str(seed),
                    "Download the model", folder=tmp_path, timeout=timeout)
    assert "BLOCKS 13" in out and "MODEL pytorch-birds 1 True" in out
    assert "stands for Roost's curated environment roost-pytorch" in out
    assert out.index("Streaming azureml-logs/70_driver_log.txt") < out.index("Epoch 29/29")
    assert (tmp_path / "AzureML-PyTorch-1.6-GPU" / "azureml_environment.json").exists()
    assert (tmp_path / "AzureML-PyTorch-1.6-GPU" / "conda_dependencies.yml").exists()
    (run,) = server.get(f"/workspaces/{workspace}/runs")["items"]
    assert (run["status"], run["compute"], run["spec"]["arguments"]) == (
        "Completed", "gpu-cluster", ["--num_epochs", "30", "--output_dir", "./outputs"])
    assert (tmp_path / "model" / "model.pt").read_bytes() == server.artifact(run, "outputs/model.pt")
    assert run["environment"]["kind"] == "venv"
    assert run["environment"]["definition"]["docker"]["baseImage"].endswith("cuda10.1-cudnn7-ubuntu18.04")
    return run


@needs_torch
@pytest.mark.parametrize("python", pythons())
def test_the_example(nearest_server: RoostServer, tmp_path: Path, python: str) -> None:
    server = nearest_server
    folder = tmp_path / "birds"
    shutil.copytree(EXAMPLE, folder)
    out = user_runs(server, python, "submit_birds.py", folder=folder)
    assert "Epoch 19/19" in out and "birds\tbirds:" in out
    assert "outputs/model.pt" in out
    run = server.get("/workspaces/default/runs?limit=1")["items"][0]
    assert (folder / "model" / "model.pt").read_bytes() == server.artifact(run, "outputs/model.pt")


@needs_torch
def test_the_example_serves(nearest_server: RoostServer, tmp_path: Path) -> None:
    with serve(tmp_path / "runtime", small_model(tmp_path)):  # skips where there is no ONNX Runtime
        pass
    folder = tmp_path / "birds"
    shutil.copytree(EXAMPLE, folder)
    user_runs(nearest_server, "/usr/bin/python3", "submit_birds.py", folder=folder)
    out = user_runs(nearest_server, "/usr/bin/python3", "serve_birds.py", folder=folder)
    assert "Healthy http://" in out and "a chicken looks like a chicken" in out and "a turkey looks like a turkey" in out, out


def small_model(folder: Path) -> Path:
    path = folder / "model.onnx"
    path.write_bytes(linear_model([[1.0]], [0.0]))
    return path


# A reader's submit: the article's own block that makes the environment, and a script of one line.
SUBMIT = """
from azureml.core import Environment, Experiment, ScriptRunConfig, Workspace
ws = Workspace.from_config()
{block}
run = Experiment(ws, 'environments').submit(ScriptRunConfig('src', script='show.py', environment=pytorch_env))
try:
    run.wait_for_completion()
except Exception as error:
    print('RAISED', type(error).__name__, error)
print('ENDED', run.get_status())
"""
SHOW = "import torch, torchvision; print('has', torch.__version__)"


def submit_block(server: RoostServer, folder: Path, seed: Path, words: str, yaml: int = 0, show: str = SHOW, timeout: float = 150) -> str:
    """Submits with the first block of the article that has these words, beside its first or second YAML file."""
    text = seed.read_text(encoding="utf-8")
    block = next(each for each in re.findall(r"```[Pp]ython\n(.*?)```", text, re.S) if words in each)
    (folder / "conda_dependencies.yml").write_text(re.findall(r"```yaml\n(.*?)```", text, re.S)[yaml])
    (folder / "config.json").write_text(CONFIG % "default")
    (folder / "src").mkdir()
    (folder / "src" / "show.py").write_text(show)
    (folder / "submit.py").write_text(SUBMIT.format(block=block))
    return user_runs(server, "/usr/bin/python3", "submit.py", folder=folder, timeout=timeout)


@pytest.fixture(scope="module")
def strict_server(make_shared_server: MakeServer) -> RoostServer:
    return make_shared_server(config={"pins": "strict", "environments": {"offline": True}})


@needs_article
@pytest.mark.parametrize("yaml", [0, 1], ids=["pytorch", "horovod"])
@pytest.mark.parametrize("words", ["docker.base_image", "name='pytorch-1.6-gpu', file_path"], ids=["image", "plain"])
def test_its_pins_are_refused_under_strict(strict_server: RoostServer, tmp_path: Path, yaml: int, words: str) -> None:
    out = submit_block(strict_server, tmp_path, SEEDS[0], words, yaml)
    assert "RAISED ActivityFailedException" in out and "ENDED Failed" in out, out
    run = strict_server.get("/workspaces/default/runs?limit=1")["items"][0]
    message = run["error"]["message"]
    assert run["error"]["code"] == "environment_failed" and message in out
    for word in ("python=3.6.2", "cannot be had: this machine has 3.", "pins: nearest", "roost env modernize"):
        assert word in message, message
    assert strict_server.get("/environment-builds")["items"] == []


@needs_torch
@needs_article
def test_its_second_yaml_and_image_under_nearest(make_server: MakeServer, tmp_path: Path) -> None:
    """Its Horovod is a wheel of the test's own: the pin moves to that. Real Horovod is for the tests of ranks."""
    make_wheel(tmp_path / "wheels", "horovod", "0.28.1")
    server = make_server(config={"environments": {"offline": True, "wheels": str(tmp_path / "wheels")}})
    out = submit_block(server, tmp_path, SEEDS[0], "docker.base_image", 1, SHOW + "; import horovod; print(horovod.__version__)")
    run = server.get("/workspaces/default/runs?limit=1")["items"][0]
    assert "ENDED Completed" in out, (out, run["error"])
    assert server.log(run).split()[::2] == [b"has", b"0.28.1"]
    changes = run["environment"]["changes"]
    assert "horovod==0.19.5 -> horovod==0.28.1" in changes
    assert all(any(one.startswith(pin + " -> ") for one in changes) for pin in ("python=3.6.2", "torch==1.6.0")), changes


@needs_torch
@needs_article
def test_its_curated_example_under_nearest(nearest_server: RoostServer, tmp_path: Path) -> None:
    out = submit_block(nearest_server, tmp_path, SEEDS[0], "Environment.get(workspace=ws")
    run = nearest_server.get("/workspaces/default/runs?limit=1")["items"][0]
    assert "ENDED Completed" in out, (out, run["error"])
    assert nearest_server.log(run).startswith(b"has 1.13") and run["environment"]["kind"] == "venv"
