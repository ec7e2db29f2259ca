"""roost.sweep on a real server, with the example of docs/sweeps.md to the letter."""
import re
import subprocess
from pathlib import Path
from typing import Any, List

import pytest

from conftest import Gate
from processes import wait_until
from roost_fixture import PYTHON, ROOT, RoostServer
from sdk_fixtures import at_server  # noqa: F401
from sdk_python import SDK

DOCUMENT = ROOT / "docs" / "sweeps.md"


def blocks() -> List[str]:
    text = DOCUMENT.read_text(encoding="utf-8")
    return re.findall(r"```python\n(.*?)```", text[text.index("## From Python"):], re.S)


def test_the_documents_example(at_server: RoostServer, tmp_path: Path) -> None:
    from roost.sweep import Sweep

    search, train = blocks()[:2]
    assert len([line for line in search.splitlines() if line.strip()]) <= 10, "it promises ten lines"
    folder = tmp_path / "birds"
    folder.mkdir()
    (folder / "search.py").write_text(search, encoding="utf-8")
    (folder / "train.py").write_text(train, encoding="utf-8")
    done = subprocess.run([PYTHON, "search.py"], cwd=folder, env={**at_server.environment, "PYTHONPATH": str(SDK)},
                          capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    *log, last = done.stdout.splitlines()
    assert any("Max number of jobs '12' reached" in line for line in log)
    run, value, parameters = last.split(" ", 2)
    made = Sweep(run.rpartition("_")[0])
    trials = made.trials()
    assert made.status == "Completed" and len(trials) == 12
    assert float(value) == max(trial.value for trial in trials) == made.best.value
    assert parameters == str(made.best.parameters)
    assert {trial.parameters["layers"] for trial in trials} <= {1, 2, 3, 4}
    assert all(1e-4 <= trial.parameters["lr"] <= 0.1 for trial in trials)
    assert at_server.get_run(made.id)["experiment"] == "birds"


def test_steering(at_server: RoostServer, gate: Gate) -> None:
    from roost.sweep import Sweep, choice, sweep, uniform

    Path("train.py").write_text("import roost.run as run\nrun.log('acc', 1)\n" + gate.wait_code, encoding="utf-8")
    space = {"opt": choice("sgd", "adam"), "m": uniform(0.5, 0.9, when={"opt": "sgd"})}
    search = sweep(["train.py", "--quick"], space, "acc", sampler="random", max_runs=50, concurrency=1, python=PYTHON)
    wait_until(lambda: search.best, 60, "the first trial has logged")
    search.pause()
    added = search.add({"opt": "adam"})
    assert added.parameters == {"opt": "adam"} and search.trials()[added.number] == added
    search.resume()
    search.stop()
    gate.open()
    assert search.wait().status == "Completed"
    again = Sweep(search.id)
    assert again.best.run == f"{search.id}_0" and again.best.status == "Completed"
    assert again.message == search.message != "" and len(again.trials()) < 50
    again.cancel()  # it has ended, and stays as it is
    assert again.status == "Completed"


def test_cancel_and_failure(at_server: RoostServer, gate: Gate) -> None:
    from roost.errors import RoostError
    from roost.sweep import sweep

    Path("train.py").write_text(gate.wait_code, encoding="utf-8")
    search = sweep("train.py", {"x": [1, 2]}, "acc", max_runs=2, python=PYTHON)
    wait_until(lambda: any(trial.status == "Running" for trial in search.trials()), 60, "one runs")
    search.cancel()
    with pytest.raises(RoostError, match=f"the sweep {search.id} is Canceled"):
        search.wait()
    Path("train.py").write_text("raise ValueError('no birds')", encoding="utf-8")
    failing = sweep("train.py", {"x": [1, 2]}, "acc", max_runs=2, python=PYTHON)
    with pytest.raises(RoostError, match="(?s)is Failed: every child failed.*ValueError: no birds"):
        failing.wait()


def test_the_server_refuses(at_server: RoostServer) -> None:
    from roost.errors import RoostError
    from roost.sweep import choice, sweep, uniform

    Path("train.py").write_text("", encoding="utf-8")

    def start(space: Any, **more: Any) -> None:
        sweep("train.py", space, "acc", **more)

    with pytest.raises(RoostError, match="nowhere"):
        start({"x": [1]}, compute="nowhere", max_runs=1)
    with pytest.raises(RoostError, match="twice"):
        start({"x": choice(1, 1)})
    with pytest.raises(RoostError, match="must be a choice"):
        start({"a": uniform(0, 1), "b": uniform(0, 1, when={"a": 0.5})})


def test_trials_that_are_paused(at_server: RoostServer, gate: Gate) -> None:
    """Each waits at the first rung, and the best of the three goes on to the end."""
    from roost.sweep import sweep

    Path("train.py").write_text(
        "import sys\nimport roost.run as run\nx = float(sys.argv[2])\nrun.log('acc', x)\n" + gate.wait_code +
        "for _ in range(8): run.log('acc', x)\n", encoding="utf-8")
    search = sweep("train.py", {"x": [0.9, 0.8, 0.1]}, "acc", sampler="grid", max_runs=3, concurrency=1, python=PYTHON,
                   policy={"type": "asha", "min_intervals": 1, "max_intervals": 9, "eta": 3})
    wait_until(lambda: any(trial.status == "Paused" for trial in search.trials()), 60, "one is paused")
    paused = next(trial for trial in search.trials() if trial.status == "Paused")
    assert paused.reason and paused.value in (0.9, 0.8, 0.1)
    gate.open()
    assert search.wait().best.value == 0.9
    assert sorted(trial.value for trial in search.trials()) == [0.1, 0.8, 0.9]
