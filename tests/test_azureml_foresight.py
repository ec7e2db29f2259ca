"""`roost import azureml` says of each script what happens, and then it happens: the script is really run.

Nothing that is said to run fails; what is said to lack something fails; what waits for a change fails without it and
runs with it.
"""
import functools
import http.server
import json
import os
import subprocess
import sys
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional

import pytest

from azureml_scripts import CASES, CHANGES, LACKS, RUNS, Case
from conftest import MakeServer
from local_index import make_wheel
from roost_fixture import PYTHON, ROOT, TERMINAL, RoostServer, roost_program

sys.path.insert(0, str(ROOT / "python"))
from roost.azureml_import.notebook_script import as_script  # noqa: E402


@dataclass
class Seen:
    """What was said of a script, and how it went."""

    said: Dict[str, Any]
    good: bool
    output: str


@dataclass
class Result:
    first: Seen
    fixed: Optional[Seen] = None


class Lab:
    """A server with a cluster, a folder of wheels for its only index, and some files on the web."""

    def __init__(self, server: RoostServer, folder: Path, url: str) -> None:
        self.server, self.folder, self.url = server, folder, url

    def examine(self, case: Case) -> Result:
        folder = self.folder / case.name
        self._write(case, folder, case.files)
        result = Result(self._see(case, folder, {}))
        if case.fix:
            variables = {name[1:]: value for name, value in case.fix.items() if name.startswith("$")}
            files = {name: text for name, text in case.fix.items() if not name.startswith("$") and name != "roost"}
            self._write(case, folder, files)
            if "roost" in case.fix:
                self.server.cli(*case.fix["roost"].split())
            result.fixed = self._see(case, folder, variables)
        return result

    def _write(self, case: Case, folder: Path, files: Dict[str, str]) -> None:
        for name, text in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text.replace("@NAME@", case.name).replace("@URL@", self.url), encoding="utf-8")

    def _see(self, case: Case, folder: Path, variables: Dict[str, str]) -> Seen:
        environment = {**self.server.environment, **variables}
        said = subprocess.run([str(roost_program()), "import", "azureml", case.main, "--json"], env=environment,
                              cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
        assert said.returncode in (0, 1), said.stderr
        (report,) = json.loads(said.stdout)["files"]
        done = subprocess.run([PYTHON, self._script(case, folder)], env={**environment, "PYTHONPATH": str(ROOT / "python")},
                              cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, timeout=120)
        ended = [run["status"] for run in self._runs(case)]
        good = done.returncode == 0 and all(status == "Completed" for status in ended)
        return Seen(report, good, f"{done.stdout[-3000:]}\n{ended}")

    def _script(self, case: Case, folder: Path) -> str:
        if not case.main.endswith(".ipynb"):
            return case.main
        (folder / "notebook.py").write_text(as_script((folder / case.main).read_text(encoding="utf-8")), encoding="utf-8")
        return "notebook.py"

    def _runs(self, case: Case) -> List[Dict[str, Any]]:
        """The newest of the case's own, after its end: a run that was to fail may come before it."""
        newest = [run for run in self.server.pages("/workspaces/default/runs", experiment=case.name)][:1]
        return [self.server.wait(run, TERMINAL, timeout=60) for run in newest]


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("web")
    (folder / "birds.csv").write_text("name,weight\nwren,9\n")

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            pass

    handler = functools.partial(Quiet, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="module")
def results(make_shared_server: MakeServer, tmp_path_factory: pytest.TempPathFactory, web: str) -> Dict[str, "Future[Result]"]:
    """All cases, several at once: each waits for the server more than it computes."""
    folder = tmp_path_factory.mktemp("foresight")
    wheels = folder / "wheels"
    make_wheel(wheels, "birdtools", "1.0")
    make_wheel(wheels, "birdtools", "2.0")
    make_wheel(wheels, "featherlib", "1.0", requires=["birdtools"])
    server = make_shared_server(None, {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheels), "PIP_CONFIG_FILE": os.devnull})
    server.post("/workspaces/default/computes", {"name": "cpu-cluster", "min_nodes": 0, "max_nodes": 2,
                                                 "vm_size": "STANDARD_D2_V2"})
    lab = Lab(server, folder, web)
    with ThreadPoolExecutor(4) as pool:
        return {case.name: pool.submit(lab.examine, case) for case in CASES}


def holds(code: str) -> bool:
    variables = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
    return subprocess.run([PYTHON, "-c", code], env=variables, capture_output=True, timeout=60).returncode == 0


def test_there_are_enough() -> None:
    assert len(CASES) >= 30 and len({case.name for case in CASES}) == len(CASES)
    assert {case.verdict for case in CASES} == {RUNS, CHANGES, LACKS}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_it_comes_as_foreseen(results: Dict[str, "Future[Result]"], case: Case) -> None:
    result = results[case.name].result()
    said, seen = result.first.said, result.first
    by = {change["by"] for change in said["changes"]}
    if said["verdict"] == RUNS or (said["verdict"] == CHANGES and "you" not in by):
        assert seen.good, ("it was said to run", said["changes"], seen.output)
    else:
        assert not seen.good, ("it was said not to run as it stands", said["changes"], seen.output)
    if case.only_if and not holds(case.only_if):
        return  # it came as foreseen, which is all that can be asked
    assert said["verdict"] == case.verdict, (said["changes"], seen.output)
    if case.by:
        assert case.by in by and not (case.by == "roost" and "you" in by), said["changes"]
    everything = json.dumps([said["changes"], said["uses"]])
    assert case.words in everything, everything
    if result.fixed is not None:
        assert result.fixed.said["runs"] is True, result.fixed.said["changes"]
        assert result.fixed.good, result.fixed.output
