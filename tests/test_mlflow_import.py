"""`roost import mlflow`: what a store has is here afterwards, once, with its ids. The size of the store is set by
ROOST_MLFLOW_IMPORT_RUNS and ROOST_MLFLOW_IMPORT_POINTS (of each run)."""
import os
import subprocess
from pathlib import Path
from typing import List, Tuple

import pytest

from conftest import MakeServer
from mlflow_store import START, fill
from processes import wait_until
from roost_fixture import RoostServer, roost_program
from test_mlflow_frameworks import NAME, PACKAGES
from torch_python import has_python, make_python

RUNS = int(os.environ.get("ROOST_MLFLOW_IMPORT_RUNS", "12"))
POINTS = int(os.environ.get("ROOST_MLFLOW_IMPORT_POINTS", "40"))
LONG = 60 + RUNS + RUNS * POINTS // 5000


@pytest.fixture(scope="module")
def server(shared_server: RoostServer) -> RoostServer:
    return shared_server


@pytest.fixture
def store(tmp_path: Path) -> Tuple[str, List[str]]:
    if has_python(NAME, PACKAGES):  # then MLflow reads it, too, and wants all its tables
        make = "import sys; from mlflow import MlflowClient; MlflowClient(sys.argv[1]).search_experiments()"
        subprocess.run([make_python(NAME, PACKAGES), "-c", make, f"sqlite:///{tmp_path}/mlflow.db"], check=True, timeout=120,
                       stderr=subprocess.DEVNULL)
    ids = fill(tmp_path / "mlflow.db", tmp_path / "artifacts", RUNS, POINTS)
    return f"sqlite:///{tmp_path}/mlflow.db", ids


def test_a_database_is_brought_and_equal(make_server: MakeServer, store: Tuple[str, List[str]]) -> None:
    server = make_server()
    uri, ids = store
    first = server.cli_json("import", "mlflow", uri, timeout=LONG)
    assert first["whole"], first["remarks"]
    kinds = {name: tuple(kind.values()) for name, kind in first["kinds"].items()}
    assert kinds["runs"] == (RUNS,) * 3 and kinds["points"] == (RUNS * (POINTS + 1),) * 3 and kinds["files"] == (2 * RUNS,) * 3
    assert kinds["models"] == (1,) * 3 and kinds["versions"] == (2,) * 3
    run = server.get_run(ids[0])
    assert run["status"] == "Completed" and run["experiment"] == "brought"
    assert server.metric(run, "loss")["count"] == (POINTS + 1) // 2
    assert server.artifact(run, "empty.txt") == b""
    again = server.cli_json("import", "mlflow", uri, timeout=LONG)
    assert again["whole"] and again["kinds"] == first["kinds"]
    assert server.metric(run, "loss")["count"] == (POINTS + 1) // 2
    if has_python(NAME, PACKAGES):
        compare_by_client(server, uri)


def compare_by_client(server: RoostServer, uri: str) -> None:
    """MLflow's own client reads both sides."""
    script = Path(__file__).parent / "mlflow_read_back.py"
    environment = {**server.environment, "MLFLOW_TRACKING_TOKEN": server.api_client.token}
    done = subprocess.run([make_python(NAME, PACKAGES), str(script), uri, server.info["url"], "brought"], env=environment,
                          stdout=subprocess.PIPE, text=True, timeout=LONG)
    assert done.returncode == 0 and '"equal": true' in done.stdout, done.stdout


def test_an_import_that_is_killed_goes_on(make_server: MakeServer, store: Tuple[str, List[str]]) -> None:
    server = make_server()
    uri, ids = store
    command = [str(roost_program()), "import", "mlflow", uri, "--json"]
    killed = subprocess.Popen(command, env=server.environment, cwd=server.folder, stdout=subprocess.DEVNULL)
    wait_until(lambda: len(list(server.pages("/workspaces/default/runs"))) >= 3, 60, "some runs are there")
    killed.kill()
    killed.wait(10)
    done = server.cli_json("import", "mlflow", uri, timeout=LONG)
    assert done["whole"], done["remarks"]
    assert server.metric(ids[2], "loss")["count"] == (POINTS + 1) // 2


def test_a_folder(server: RoostServer, tmp_path: Path) -> None:
    run = tmp_path / "mlruns" / "8" / ("c" * 32)
    for folder in ("metrics/a", "params", "tags", "artifacts/d"):
        (run / folder).mkdir(parents=True)
    (run.parent / "meta.yaml").write_text("artifact_location: file:///gone/8\nexperiment_id: '8'\nlifecycle_stage: active\nname: in files\n")
    (run / "meta.yaml").write_text(
        f"artifact_uri: file:///gone/8/{run.name}/artifacts\nend_time: {START + 5}\nexperiment_id: '8'\nlifecycle_stage: active\n"
        f"run_id: {run.name}\nrun_name: 'one: \"quoted\"'\nstart_time: {START}\nstatus: 3\nuser_id: ada\n")
    (run / "metrics/a/loss").write_text(f"{START} 0.5 1\n{START + 1} nan 2\n{START + 2} inf 3\n")
    (run / "params/rate").write_text("0.1\nand more")
    (run / "artifacts/d/x.txt").write_text("hello")
    done = server.cli_json("import", "mlflow", tmp_path)
    assert done["whole"], done["remarks"]
    points = server.metric(run.name, "a/loss")["points"]
    assert [(point["value"], point["step"]) for point in points] == [(0.5, 1), ("NaN", 2), ("Infinity", 3)]
    assert server.get_run(run.name)["display_name"] == 'one: "quoted"'
    assert server.get("/workspaces/default/experiments/in%20files")["run_count"] == 1, "though none of Roost's own has such a name"
    assert server.artifact(run.name, "d/x.txt") == b"hello"


def test_what_cannot_be_read_is_said(server: RoostServer, tmp_path: Path) -> None:
    (tmp_path / "not.db").write_text("no database at all, but long enough to be one")
    for source, words in (("/no/such/place", "neither a folder nor a file"), (str(tmp_path), "no experiments of MLflow"),
                          (f"sqlite:///{tmp_path}/not.db", "no database of MLflow"), ("postgresql://x/y", "start `mlflow server`"),
                          (f"sqlite:///{tmp_path}/none.db", "there is no file")):
        done = server.cli("import", "mlflow", source, check=False)
        assert done.returncode == 2 and words in done.stderr, (source, done.stderr)
