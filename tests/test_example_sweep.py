"""The sweep of examples/pytorch-birds as its README starts it, with fewer and shorter trials: real training, paused and gone on with."""
import shutil
from pathlib import Path

from roost_fixture import PYTHON, ROOT, RoostServer

EXAMPLE = ROOT / "examples" / "pytorch-birds"


def test_the_birds_are_tuned(server: RoostServer, tmp_path: Path) -> None:
    folder = tmp_path / "birds"
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns("data", "outputs", "__pycache__"))
    text = (folder / "sweep.yaml").read_text(encoding="utf-8")
    for old, new in (("--num_epochs, 18, --pretrain_epochs, 2", "--num_epochs, 3, --pretrain_epochs, 1"),
                     ("min_intervals: 2, max_intervals: 18", "min_intervals: 1, max_intervals: 3"), ("max_total_runs: 12", "max_total_runs: 3")):
        assert old in text
        text = text.replace(old, new)
    (folder / "sweep.yaml").write_text(f"{text}\npython: {PYTHON}\n", encoding="utf-8")
    sweep = server.cli_json("sweep", "start", str(folder / "sweep.yaml"), timeout=300)
    trials = sweep["trials"]
    assert (sweep["status"], sorted(trial["state"] for trial in trials)) == ("Completed", ["completed", "stopped", "stopped"])
    winner = next(trial for trial in trials if trial["state"] == "completed")
    assert winner["intervals"] == 3 and sum(trial["intervals"] for trial in trials) == 5, "one of three went on, and trained nothing twice"
    run = server.get_run(winner["run"])
    log = server.cli("logs", winner["run"]).stdout
    assert run["attempt"] == 2 and "goes on after epoch 0: ./outputs/checkpoint/last.pt" in log and "Epoch 2/2" in log
    assert server.artifact(run, "outputs/model.pt")
