"""roost sweep: a file becomes trials that are watched, steered and ranked."""
import json
import textwrap
from pathlib import Path
from typing import Any, Dict, List

import pytest

from processes import wait_until
from roost_fixture import PYTHON, RoostServer

TRAIN = """
import argparse, os, time
from roost.run import run

parser = argparse.ArgumentParser()
parser.add_argument("--x", type=float)
parser.add_argument("--gate", default="")
args = parser.parse_args()
run.log("score", 1 - (args.x - 3) ** 2)
os.makedirs("outputs", exist_ok=True)
open("outputs/model.txt", "w").write(str(args.x))
while args.gate and not os.path.exists(args.gate):
    time.sleep(0.05)
"""


@pytest.fixture(scope="module")
def server(shared_server: RoostServer) -> RoostServer:
    return shared_server


def sweep_file(folder: Path, **keys: Any) -> Path:
    """A file beside its script; JSON is YAML."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "train.py").write_text(textwrap.dedent(TRAIN))
    body = {"experiment": "sweeps", "script": "train.py", "python": PYTHON, "parameter_space": {"x": [1, 2, 3, 4]},
            "sampling": "grid", "metric": "score", "goal": "maximize", "max_concurrent_runs": 2, **keys}
    (folder / "sweep.yaml").write_text(json.dumps(body))
    return folder / "sweep.yaml"


def gated(folder: Path, **keys: Any) -> Path:
    """Trials that do not end before folder/open is there."""
    return sweep_file(folder, arguments=["--gate", str(folder / "open")], **keys)


def show(server: RoostServer, sweep: str) -> Dict[str, Any]:
    return server.cli_json("sweep", "show", sweep)


def wait_for_end(server: RoostServer, sweep: str, status: str = "Completed") -> Dict[str, Any]:
    wait_until(lambda: show(server, sweep)["status"] in ("Completed", "Failed", "Canceled"), 60, f"{sweep} ends")
    ended = show(server, sweep)
    assert ended["status"] == status, ended
    return ended


def numbers(sweep: Dict[str, Any]) -> List[int]:
    return [trial["number"] for trial in sweep["trials"]]


def test_a_grid_is_run_and_its_best_becomes_a_model(server: RoostServer, tmp_path: Path) -> None:
    done = server.cli("sweep", "start", sweep_file(tmp_path))
    assert "trial 2 Completed  score 1" in done.stderr
    assert "4 of 4 trials ended" in done.stdout
    best_row = [line for line in done.stdout.splitlines() if line.startswith("*")]
    assert len(best_row) == 1 and " 2  Completed " in best_row[0]

    sweep = show(server, "@")
    assert (sweep["status"], numbers(sweep)) == ("Completed", [0, 1, 2, 3])
    assert [trial["parameters"] for trial in sweep["trials"]] == [{"x": x} for x in (1, 2, 3, 4)]
    assert sweep["best"] == {"trial": 2, "run": f"{sweep['id']}_2", "value": 1.0, "parameters": {"x": 3}}

    best = server.cli("sweep", "best")
    assert best.stdout == f"{sweep['id']}_2\n" and "score 1 by trial 2: x=3" in best.stderr
    model = server.cli_json("sweep", "best", sweep["id"][:12], "--register", "winner", "--path", "outputs/model.txt")
    assert (model["run"], model["properties"]["sweep"]) == (f"{sweep['id']}_2", sweep["id"])
    server.cli("model", "get", model["id"], "-o", tmp_path / "got")
    assert (tmp_path / "got" / "model.txt").read_text() == "3.0"

    top = server.cli_json("sweep", "show", "@", "--top", "2")
    assert numbers(top)[0] == 2 and len(top["trials"]) == 2
    assert sweep["id"] in server.cli("sweep", "ls").stdout
    assert server.cli("sweep", "ls", "-q").stdout.splitlines()[0] == sweep["id"]


def test_it_is_steered_while_it_runs(server: RoostServer, tmp_path: Path) -> None:
    sweep = server.cli("sweep", "start", gated(tmp_path, max_concurrent_runs=1), "-d").stdout.strip()
    assert sweep.startswith("HD_")
    wait_until(lambda: show(server, sweep)["counts"]["running"] == 1, 30, "the first trial runs")
    assert "paused" in server.cli("sweep", "pause", sweep).stdout
    changed = server.cli_json("sweep", "set", sweep, "--max-runs", "3", "--concurrency", "2")
    assert (changed["spec"]["max_total_runs"], changed["spec"]["max_concurrent_runs"]) == (3, 2)
    added = server.cli_json("sweep", "add", sweep, "x=2.5")
    assert (added["parameters"], added["origin"]) == ({"x": 2.5}, "hand")
    server.cli("sweep", "resume", sweep)
    (tmp_path / "open").touch()
    ended = wait_for_end(server, sweep)
    assert ended["best"]["value"] == 1.0 - 0.25 or ended["best"]["parameters"] == {"x": 3}
    assert " hand " in server.cli("sweep", "show", sweep).stdout


def test_stop_lets_trials_finish_and_now_does_not(server: RoostServer, tmp_path: Path) -> None:
    first = server.cli("sweep", "start", gated(tmp_path / "a"), "-d").stdout.strip()
    wait_until(lambda: show(server, first)["counts"]["running"] == 2, 30, "two trials run")
    server.cli("sweep", "stop", first)
    assert show(server, first)["phase"] == "stopping"
    (tmp_path / "a" / "open").touch()
    assert wait_for_end(server, first)["counts"]["completed"] == 2

    second = server.cli("sweep", "start", gated(tmp_path / "b"), "-d").stdout.strip()
    wait_until(lambda: show(server, second)["counts"]["running"] == 2, 30, "two trials run")
    server.cli("sweep", "stop", second, "--now")
    assert wait_for_end(server, second, "Canceled")["counts"]["completed"] == 0


def test_a_metric_that_nobody_logs_is_told(server: RoostServer, tmp_path: Path) -> None:
    sweep = server.cli("sweep", "start", sweep_file(tmp_path, metric="Score"), "-d").stdout.strip()
    wait_for_end(server, sweep)
    assert 'no trial logged "Score" so far; they logged score' in server.cli("sweep", "show", sweep).stdout
    refused = server.cli("sweep", "best", sweep, check=False)
    assert refused.returncode == 3 and "has logged" in refused.stderr


def test_a_wrong_file_is_refused_before_anything_happens(server: RoostServer, tmp_path: Path) -> None:
    before = server.cli("sweep", "ls", "-q").stdout
    (tmp_path / "sweep.yaml").write_text("experiment: birds\nscript: train.py\n"
                                         "parameter_space:\n  lr: {unifrom: [0, 1]}\n"
                                         "metric: a\ngoal: maximize\nmax_total_runs: 2\n")
    refused = server.cli("sweep", "start", "sweep.yaml", cwd=tmp_path, check=False)
    assert refused.returncode == 2
    assert "sweep.yaml, line 4: parameter_space.lr.unifrom: there is no such key" in refused.stderr
    assert "did you mean uniform?" in refused.stderr
    assert server.cli("sweep", "start", "none.yaml", cwd=tmp_path, check=False).returncode == 3
    assert server.cli("sweep", "ls", "-q").stdout == before
    for words in (["set", "@"], ["set", "@", "--max-runs", "0"], ["best", "--register", "m"]):
        assert server.cli("sweep", *words, check=False).returncode == 2, words
    assert server.cli("sweep", "show", "HD_none", check=False).returncode == 3
