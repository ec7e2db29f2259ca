"""`roost` as a library: runs that a process of one's own reports to."""
import json
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any, Callable, Dict, Iterator

import pytest

from processes import wait_until
from roost_fixture import ROOT, RoostServer
from sdk_fixtures import at_server  # noqa: F401

RUNS = "/workspaces/default/runs"


@pytest.fixture
def roost(at_server: RoostServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The library in this process, which must not notice its end."""
    import roost
    from roost import endings, tracking

    monkeypatch.setattr(endings, "_installed", True)
    monkeypatch.delenv("ROOST_PROCESS_RUN", raising=False)
    yield roost
    roost.finish()
    tracking._current = None


class Process:
    """A script of its own."""

    def __init__(self, server: RoostServer, folder: Path) -> None:
        self.server, self.folder = server, folder
        self.environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}

    def start(self, code: str, *arguments: str, **variables: str) -> "subprocess.Popen[str]":
        script = self.folder / "train.py"
        script.write_text(textwrap.dedent(code), encoding="utf-8")
        return subprocess.Popen([sys.executable, str(script), *arguments], cwd=self.folder, text=True,
                                env={**self.environment, **variables}, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def run(self, code: str, *arguments: str, code_of_end: int = 0, **variables: str) -> str:
        """Returns what it wrote to stderr."""
        process = self.start(code, *arguments, **variables)
        out, error = process.communicate(timeout=60)
        assert process.returncode == code_of_end, error
        return error


@pytest.fixture
def process(at_server: RoostServer, tmp_path: Path) -> Process:
    return Process(at_server, tmp_path / "work")


@pytest.fixture
def only_run(at_server: RoostServer, name: str) -> Callable[[], Dict[str, Any]]:
    """The one run of the test's own project."""
    def find() -> Dict[str, Any]:
        (found,) = at_server.get(f"{RUNS}?experiment={name}")["items"]
        return at_server.get(f"/runs/{found['id']}")
    return find


def test_a_run_from_init_to_finish(roost: Any, at_server: RoostServer, name: str, tmp_path: Path) -> None:
    (tmp_path / "work" / "model.pt").write_bytes(b"weights")
    with roost.init(project=name, name="first", config={"lr": 0.1, "opt": {"name": "adam", "betas": [0.9, 0.99]}},
                    tags=["tried", "seed"], notes="nothing else changed") as run:
        for step in range(50):
            roost.log({"loss": 1 / (step + 1), "valid": {"acc": step / 50}}, step=step)
        roost.log_params({"epochs": 50})
        roost.log_table("birds", [{"name": "tit", "count": 3}, {"name": "owl", "count": 1}])
        roost.log_histogram("weights", [0.0, 0.5, 1.0, 1.0], step=7, bins=2)
        for step in (1, 2):
            roost.log_image("sample", [[0, 128], [255, step]], step=step)
        roost.log_artifact("model.pt")
    facts = at_server.get(f"/runs/{run.id}")
    assert (facts["status"], facts["display_name"], facts["experiment"]) == ("Completed", "first", name)
    assert facts["tags"] == {"tried": None, "seed": None, "description": "nothing else changed"}
    assert facts["params"] == {"lr": "0.1", "opt.name": "adam", "opt.betas": "[0.9,0.99]", "epochs": "50"}
    assert facts["properties"]["roost.host"]
    points = at_server.get(f"/runs/{run.id}/metrics/loss")["points"]
    assert [point["step"] for point in points] == list(range(50)) and points[1]["value"] == 0.5
    assert at_server.get(f"/runs/{run.id}/metrics/valid.acc")["count"] == 50
    histogram = at_server.get(f"/runs/{run.id}/metrics/weights")
    assert (histogram["kind"], histogram["points"][0]["step"]) == ("histogram", 7)
    assert histogram["points"][0]["value"] == {"edges": [0.0, 0.5, 1.0], "counts": [1, 3]}
    images = at_server.get(f"/runs/{run.id}/metrics/sample")
    assert (images["kind"], [point["step"] for point in images["points"]]) == ("image", [1, 2])
    for point in images["points"]:
        answer = at_server.api("GET", f"/runs/{run.id}/artifacts/{point['value']['path']}")
        assert answer.body.startswith(b"\x89PNG")
    stored = roost.run(run.id)
    assert stored.outputs() == sorted([point["value"]["path"] for point in images["points"]] + ["model.pt"])
    assert stored.metrics("birds") == {"name": ["tit", "owl"], "count": [3, 1]}
    assert stored.metrics("loss")[:2] == [1.0, 0.5] and stored.status == "Completed"
    assert Path(stored.outputs("down")[-1]).read_bytes() == b"weights"


def test_params_are_found_sorted_and_told(roost: Any, at_server: RoostServer, name: str) -> None:
    for lr in (0.1, 0.01):
        roost.init(project=name, config={"lr": lr, "opt": {"name": "adam"}})
        roost.log({"loss": lr * 2})
    roost.finish()
    table = at_server.get(f"/workspaces/default/run-table?q=experiment:{name}+params.lr<0.05&column=params.*")
    assert [row["params"] for row in table["items"]] == [{"lr": "0.01", "opt.name": "adam"}]
    frame = roost.runs("params.opt.name:adam", project=name, sort="params.lr")
    rows = frame.to_dict("records") if hasattr(frame, "to_dict") else frame
    assert [(row["params.lr"], row["metrics.loss"], row["status"]) for row in rows] == [
        (0.01, 0.02, "Completed"), (0.1, 0.2, "Completed")], "init ended the run before it"


def test_an_exception_that_leaves_the_script_fails_the_run(process: Process, only_run: Any, name: str) -> None:
    process.run("""
        import sys, roost
        roost.init(project=sys.argv[1])
        roost.log({"loss": 1.0})
        def train():
            raise ValueError("too many birds")
        train()
        """, name, code_of_end=1)
    run = only_run()
    assert (run["status"], run["error"]["message"]) == ("Failed", "ValueError: too many birds")
    assert run["error"]["traceback"][-2].strip() == 'raise ValueError("too many birds")'


@pytest.mark.parametrize("end, status, code", [("", "Completed", 0), ("sys.exit(3)", "Failed", 3),
                                               ("roost.finish('failed', 'diverged')", "Failed", 0)])
def test_the_end_of_the_script_ends_the_run(process: Process, only_run: Any, name: str, end: str, status: str,
                                            code: int) -> None:
    process.run(f"import sys, roost\nroost.init(project=sys.argv[1])\nroost.log({{'a': 1}})\n{end}\n", name, code_of_end=code)
    run = only_run()
    assert run["status"] == status
    assert (run["error"] or {}).get("message") == {3: "the script ended with exit code 3"}.get(code, "diverged" if end else None)


def test_a_submitted_run_is_the_run_of_init(roost: Any, at_server: RoostServer, name: str, tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "train.py").write_text(textwrap.dedent("""
        import argparse, roost
        parser = argparse.ArgumentParser()
        parser.add_argument("--lr", type=float)
        parser.add_argument("--epochs", type=int, default=3)
        run = roost.init(project="something-else", config=parser.parse_args(), tags={"from": "script"})
        for epoch in range(3):
            roost.log({"loss": 1.0 / (epoch + 1)}, step=epoch)
        roost.log_image("sample", [[0, 255]], step=2)
        roost.finish()
        print("this is", run.id)
        """))
    run = roost.submit("train.py", ["--lr", 0.5], folder=source, project=name, name="mine", wait=True)
    assert (run.status, run.name, run.project) == ("Completed", "mine", name)
    assert run.logs() == f"this is {run.id}\n"
    assert run.params == {"lr": "0.5", "epochs": "3"} and run.tags["from"] == "script"
    assert run.metrics("loss") == [1.0, 0.5, 1 / 3]
    assert [path for path in run.outputs() if path.startswith("images/")]


def test_a_worker_process_adds_to_the_run_and_ends_nothing(process: Process, only_run: Any, at_server: RoostServer,
                                                           name: str) -> None:
    for method in ("spawn", "fork"):
        process.run("""
            import multiprocessing, sys, roost
            run = roost.init(project=sys.argv[1] + sys.argv[2])
            def work(i):
                roost.log({"worker": i})
                if i == 0:
                    roost.finish()
            if __name__ == "__main__":
                roost.log({"parent": 1})
                workers = [multiprocessing.get_context(sys.argv[2]).Process(target=work, args=(i,)) for i in range(2)]
                [w.start() for w in workers], [w.join() for w in workers]
                roost.log({"parent": 2})
            """, name, method)
        (run,) = at_server.get(f"{RUNS}?experiment={name}{method}")["items"]
        assert run["status"] == "Completed"
        assert [p["value"] for p in at_server.get(f"/runs/{run['id']}/metrics/parent")["points"]] == [1, 2]
        assert sorted(p["value"] for p in at_server.get(f"/runs/{run['id']}/metrics/worker")["points"]) == [0, 1]


def test_a_killed_process_has_crashed(make_server: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    server = make_server({"process_silent_seconds": 0.8, "process_lost_seconds": 2})
    work = tmp_path / "work"
    work.mkdir()
    killed = Process(server, work)
    code = """
        import sys, time
        from azureml.core import Experiment, Workspace
        import roost
        runs = [roost.init(project=sys.argv[1]), Experiment(Workspace.get("default"), sys.argv[1]).start_logging(outputs=False)]
        for run in runs:
            print(run.id, flush=True)
        time.sleep(600)
        """
    process = killed.start(code, name, ROOST_DATA=str(server.data))
    ids = [process.stdout.readline().strip() for _ in range(2)] if process.stdout else []
    never = server.post(RUNS, {"experiment": name, "interactive": True})
    for id in ids:
        wait_until(lambda id=id: server.get(f"/runs/{id}")["status"] == "Running", 20, "the runs")
    server.restart()
    process.send_signal(signal.SIGKILL)
    process.communicate()
    for id in ids:
        run = server.wait(id, "Failed", timeout=30)
        assert run["error"]["code"] == "crashed"
        assert run["error"]["message"].startswith("crashed: its process has not been heard of for ")
        assert "NotResponding" in [event["to"] for event in server.get(f"/runs/{id}/events")["items"]]
    assert server.get(f"/runs/{never['id']}")["status"] == "Running", "it never said that it lives"


def test_a_run_starts_another_below_it(roost: Any, at_server: RoostServer, name: str, tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "train.py").write_text(
        "import roost\nprint(roost.submit(command='true', project=%r, wait=True).id)\n" % name)
    run = roost.submit("train.py", folder=source, project=name, wait=True)
    assert at_server.get(f"/runs/{run.logs().strip()}")["parent"] == run.id


def test_offline_folders_are_handed_in_once(process: Process, only_run: Any, at_server: RoostServer, name: str) -> None:
    from roost import sync

    told = process.run("""
        import sys, roost
        with roost.init(project=sys.argv[1], config={"lr": 0.5}, mode="offline"):
            for step in range(100):
                roost.log({"loss": step}, step=step)
            roost.log_image("sample", [[0, 255]], step=3)
            roost.log_artifact(__file__, "train.py")
        """, name, ROOST_URL="http://127.0.0.1:9", ROOST_TOKEN="none")
    assert "roost sync roost-offline/" in told
    (folder,) = (process.folder / "roost-offline").iterdir()
    assert sync.main([str(folder)]) == 0 and sync.main([str(folder)]) == 0
    (folder / "synced.json").unlink()  # as if the last answer had been lost
    assert sync.main([str(folder)]) == 0
    run = only_run()
    assert (run["status"], run["params"]) == ("Completed", {"lr": "0.5"})
    assert at_server.get(f"/runs/{run['id']}/metrics/loss")["count"] == 100
    assert at_server.get(f"/runs/{run['id']}/metrics/sample")["count"] == 1
    assert "train.py" in at_server.artifacts(run["id"])


def test_nothing_is_asked_of_a_server_when_disabled(roost: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROOST_URL", "http://127.0.0.1:9")
    with roost.init(mode="disabled", config={"lr": 1}):
        roost.log({"loss": 1})
        roost.log_image("a", [[1]])
    with pytest.raises(roost.RoostError, match="roost.init"):
        roost.log({"loss": 1})
