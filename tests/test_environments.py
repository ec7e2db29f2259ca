"""Preparing: a definition becomes an environment, once; its log is in the run; failures say what to do."""
import os
import re
import subprocess
import threading
import time
from pathlib import Path
from typing import Any, Dict, List

import pytest

from conftest import MakeServer
from local_index import make_wheel
from processes import processes_with, wait_until
from roost_fixture import RoostServer
from torch_python import local_cpu_wheels

RUNS = "/workspaces/default/runs"
BUILD_LOG = "azureml-logs/20_image_build_log.txt"
SHOW = "import {0}; print({0}.__version__)"


@pytest.fixture
def wheels(tmp_path: Path) -> Path:
    folder = tmp_path / "wheels"
    for version in ("1.0", "1.2", "2.0"):
        make_wheel(folder, "alpha", version)
    make_wheel(folder, "beta", "1.0", requires=["alpha<2"])
    make_wheel(folder, "gamma", "1.0", requires=["alpha>=2"])
    return folder


@pytest.fixture
def server(make_server: MakeServer, wheels: Path) -> RoostServer:
    """All packages come from a folder of the test's own."""
    return make_server(config={"environments": {"wheels": str(wheels), "offline": True}})


def packages(*pip: str, python: str = "", conda: List[str] = []) -> Dict[str, Any]:
    dependencies: List[Any] = [f"python{python}", *conda]
    if pip:
        dependencies.append({"pip": list(pip)})
    return {"python": {"condaDependencies": {"channels": ["conda-forge"], "dependencies": dependencies}}}


def define(server: RoostServer, definition: Dict[str, Any], name: str = "mine") -> Dict[str, Any]:
    server.post("/workspaces/default/environments", {"name": name, "definition": definition})
    return {"name": name}


def run_in(server: RoostServer, definition: Dict[str, Any], code: str, name: str = "mine", **more: Any) -> Dict[str, Any]:
    return server.run(code, timeout=90, environment={**define(server, definition, name), **more})


def built_count(server: RoostServer) -> int:
    return len(server.get("/environment-builds")["items"])


def test_the_queue_says_what_the_run_waits_for(server: RoostServer) -> None:
    run = server.submit("pass", environment=define(server, packages("alpha==1.0")))
    (item,) = server.get(f"/workspaces/default/queue?run={run['id']}")["items"]
    assert (item["status"], item["position"], item["reason"]) == ("Preparing", None, "its environment is being built")
    assert server.wait(run, timeout=90)["status"] == "Completed"
    assert server.get(f"/workspaces/default/queue?run={run['id']}")["items"] == []


def test_built_once_and_then_ready(server: RoostServer) -> None:
    first = run_in(server, packages("alpha==1.2", "azureml-defaults"), SHOW.format("alpha"))
    assert first["status"] == "Completed", (first["error"], server.log(first, BUILD_LOG))
    assert server.log(first).strip() == b"1.2"
    environment = first["environment"]
    assert (environment["kind"], environment["lock"]) == ("venv", ["alpha==1.2"])
    log = server.log(first, BUILD_LOG).decode()
    assert log.startswith("Builder: venv, because") and "Step 2/3" in log and "alpha==1.2" in log
    assert BUILD_LOG in [item["name"] for item in server.get(f"/runs/{first['id']}/logs")["items"]]
    second = run_in(server, packages("alpha==1.2", "azureml-defaults"), SHOW.format("alpha"), name="another-name")
    assert second["status"] == "Completed" and second["durations"]["Preparing"] < 0.05, second["durations"]
    assert second["environment"]["digest"] == environment["digest"] and built_count(server) == 1
    server.restart()
    third = run_in(server, packages("alpha==1.2", "azureml-defaults"), SHOW.format("alpha"))
    assert third["durations"]["Preparing"] < 0.05 and built_count(server) == 1


def test_ten_runs_at_once_are_one_build(server: RoostServer) -> None:
    environment = define(server, packages("alpha==1.0"))
    runs: List[Dict[str, Any]] = []
    threads = [threading.Thread(target=lambda: runs.append(server.submit(SHOW.format("alpha"), environment=environment)))
               for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    finished = [server.wait(run, timeout=120) for run in runs]
    assert [run["status"] for run in finished] == ["Completed"] * 10
    assert built_count(server) == 1
    assert len({run["environment"]["folder"] for run in finished}) == 1
    # Those that came while it was built have its whole log.
    logs = {server.log(run, BUILD_LOG) for run in finished if server.api("GET", f"/runs/{run['id']}/logs/{BUILD_LOG}").status == 200}
    assert len(logs) == 1


def test_two_environments_are_built_side_by_side(server: RoostServer) -> None:
    runs = [server.submit(SHOW.format("alpha"), environment=define(server, packages(f"alpha=={version}"), f"v{i}"))
            for i, version in enumerate(("1.0", "2.0"))]
    under_way = server.data / "environments"
    wait_until(lambda: len(list(under_way.glob("*.order"))) == 2, 20, "both builds are under way at once")
    finished = [server.wait(run, timeout=90) for run in runs]
    assert [server.log(run).strip() for run in finished] == [b"1.0", b"2.0"]


def test_kill_9_in_the_middle_of_a_build(server: RoostServer) -> None:
    run = server.submit(SHOW.format("alpha"), environment=define(server, packages("alpha==2.0")))
    wait_until(lambda: list((server.data / "environments").glob("*.order")), 20, "the build has begun")
    server.kill9()
    environments = str(server.data / "environments")
    wait_until(lambda: not processes_with(environments), 10, "the build died with the server")
    assert not list((server.data / "environments").glob("*.json")), "nothing looks usable"
    server.start()
    finished = server.wait(run, timeout=90)
    assert finished["status"] == "Completed" and server.log(run).strip() == b"2.0"
    assert built_count(server) == 1
    left = [path.name for path in (server.data / "environments").iterdir() if path.is_dir()]
    assert left == [Path(finished["environment"]["folder"]).name]


def test_cancel_while_it_is_built(server: RoostServer) -> None:
    run = server.submit(SHOW.format("alpha"), environment=define(server, packages("alpha==1.0")))
    assert server.cancel(run)["status"] == "Canceled"
    time.sleep(0.5)
    assert server.get_run(run)["status"] == "Canceled"


@pytest.mark.parametrize("asked, words", [
    (packages("alpha==1.1"), ["alpha==1.1", "1.0, 1.2, 2.0", "pins: nearest"]),
    (packages("nosuchpackage"), ["nosuchpackage"]),
    (packages("beta", "gamma"), ["beta", "gamma", "alpha"]),
    (packages(python="=3.99.1"), ["python=3.99.1", "pins: nearest"]),
    (packages("alpha", conda=["numpy=1.19"]), ["numpy=1.19", "conda"]),
], ids=["version", "package", "conflict", "python", "conda"])
def test_failures_say_which_and_what_to_do(server: RoostServer, asked: Dict[str, Any], words: List[str]) -> None:
    run = run_in(server, asked, "print('never')", pins="strict")
    assert (run["status"], run["error"]["code"]) == ("Failed", "environment_failed"), run["error"]
    for word in words:
        assert word in run["error"]["message"], run["error"]["message"]
    assert run["error"]["message"] in server.log(run, BUILD_LOG).decode()
    assert built_count(server) == 0 and not [p for p in (server.data / "environments").iterdir() if p.is_dir()]
    good = run_in(server, packages("alpha==1.0"), SHOW.format("alpha"), name="good")
    assert good["status"] == "Completed", "the next good build works"


def test_bad_definitions_never_reach_a_builder(server: RoostServer) -> None:
    for bad in (packages("-r requirements.txt"), packages("a\nb"), {"python": {"condaDependencies": {"dependencies": 7}}}):
        run = run_in(server, bad, "print('never')", name="bad")
        assert (run["status"], run["error"]["code"]) == ("Failed", "environment_failed")
    answer = server.api("POST", "/workspaces/default/environments",
                        json={"name": "big", "definition": packages(*["x" * 1000] * 11000)})
    assert answer.status == 413


def check_a_good_one_is_built(server: RoostServer) -> None:
    assert built_count(server) == 0, "the cache is as it was"
    good = run_in(server, packages("alpha==1.0"), SHOW.format("alpha"), name="good")
    assert good["status"] == "Completed" and server.log(good).strip() == b"1.0", good["error"]


def test_a_definition_of_ten_megabytes(server: RoostServer) -> None:
    for definition in (packages(*["x" * 1000] * 11000), {"docker": {"baseDockerfile": "RUN true\n" * 1_200_000}}):
        answer = server.api("POST", "/workspaces/default/environments", json={"name": "big", "definition": definition})
        assert (answer.status, answer.code) == (413, "too_large") and answer.message, answer.body
        answer = server.api("POST", RUNS, json={"experiment": "e", "command": "true", "environment": {"definition": definition}})
        assert answer.status == 413, answer.body
    check_a_good_one_is_built(server)


def test_a_file_that_is_no_yaml(server: RoostServer, tmp_path: Path) -> None:
    """Refused where it is read, by its place in the file, before there is a run to fail."""
    (tmp_path / "bad.yml").write_text("channels:\n- conda-forge\ndependencies:\n- python=3.11\n  - pip: [\n")
    code = "from azureml.core import Environment\nEnvironment.from_conda_specification('bad', 'bad.yml')"
    sdk = Path(__file__).resolve().parents[1] / "python"
    done = subprocess.run(["/usr/bin/python3", "-c", code], cwd=tmp_path, env={**server.environment, "PYTHONPATH": str(sdk)},
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and "bad.yml" in done.stderr.splitlines()[-1] and "line 5" in done.stderr, done.stderr
    registered = [each for each in server.get("/workspaces/default/environments")["items"] if not each["curated"]]
    assert registered == [] and server.get(RUNS)["items"] == []
    check_a_good_one_is_built(server)


def test_an_index_that_does_not_answer(make_server: MakeServer) -> None:
    server = make_server(config={"environments": {"index_url": "http://127.0.0.1:1/simple"}})
    run = run_in(server, packages("alpha"), "print('never')")
    assert run["status"] == "Failed" and built_count(server) == 0
    assert "alpha cannot be had: the package index does not answer from this machine" in run["error"]["message"], run["error"]


def test_nearest_moves_pins_and_says_so(server: RoostServer) -> None:
    run = run_in(server, packages("alpha==1.1.7", python="=3.6.2", conda=["beta=1.0"]), SHOW.format("alpha"))
    assert run["status"] == "Completed", (run["error"], server.log(run, BUILD_LOG))
    assert server.log(run).strip() == b"1.2"
    changes = run["environment"]["changes"]
    assert any(change.startswith("python=3.6.2 -> ") for change in changes), changes
    assert "alpha==1.1.7 -> alpha==1.2" in changes and any("by pip" in change for change in changes)
    assert all(any(change in notice for notice in run["notices"]) for change in changes)


def test_pins_of_the_server(make_server: MakeServer, wheels: Path) -> None:
    """Nearest as it comes; "environments.pins" and the older "pins" say otherwise."""
    for config in ({"pins": "strict"}, {"environments": {"pins": "strict"}}):
        environments = {**config.get("environments", {}), "wheels": str(wheels), "offline": True}
        server = make_server(config={**config, "environments": environments})
        assert run_in(server, packages("alpha==1.1"), SHOW.format("alpha"))["status"] == "Failed"
        nearest = run_in(server, packages("alpha==1.1"), SHOW.format("alpha"), pins="nearest")
        assert nearest["status"] == "Completed" and server.log(nearest).strip() == b"1.2"


def test_a_lock_installs_exactly_that(server: RoostServer, wheels: Path) -> None:
    first = run_in(server, packages("alpha<2"), SHOW.format("alpha"))
    assert server.log(first).strip() == b"1.2"
    server.expect(200, "DELETE", f"/environment-builds/{first['environment']['digest']}")
    make_wheel(wheels, "alpha", "1.9")
    again = run_in(server, packages("alpha<2"), SHOW.format("alpha"), lock=first["environment"]["lock"])
    assert server.log(again).strip() == b"1.2", "the versions of the first build"
    fresh = run_in(server, packages("alpha<2"), SHOW.format("alpha"))
    assert server.log(fresh).strip() == b"1.9"


def test_an_environment_in_use_is_not_pruned(server: RoostServer, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    code = f"import alpha, os, time\nwhile not os.path.exists({str(gate)!r}): time.sleep(0.01)"
    run = server.submit(code, environment=define(server, packages("alpha==1.0")))
    server.wait(run, "Running", timeout=60)
    digest = server.get_run(run)["environment"]["digest"]
    assert server.api("DELETE", f"/environment-builds/{digest}").code == "failed_precondition"
    assert server.post("/environment-builds/prune", {})["removed"] == 0
    gate.touch()
    server.wait(run)
    assert server.post("/environment-builds/prune", {})["removed"] == 1
    assert not [path for path in (server.data / "environments").iterdir() if path.is_dir()]
    assert run_in(server, packages("alpha==1.0"), SHOW.format("alpha"))["status"] == "Completed"


def test_azureml_mlflow_brings_mlflow(server: RoostServer, wheels: Path) -> None:
    asked = packages("alpha==1.2", "azureml-mlflow")
    without = run_in(server, asked, "import alpha; print(alpha.__version__)")
    assert without["status"] == "Completed" and server.log(without) == b"1.2\n", without["error"]
    assert without["environment"]["lock"] == ["alpha==1.2"]
    (notice,) = without["notices"]
    assert notice == "azureml-mlflow brings mlflow, which cannot be had here; the environment is without it"
    for version in ("1.0", "3.1"):
        make_wheel(wheels, "mlflow", version)
    server.cli("env", "rm", without["environment"]["digest"])
    with_it = run_in(server, asked, SHOW.format("mlflow"))
    assert server.log(with_it) == b"3.1\n" and not with_it["notices"], with_it["error"]
    pinned = run_in(server, packages("mlflow<2", "azureml-mlflow"), SHOW.format("mlflow"), name="pinned")
    assert server.log(pinned) == b"1.0\n" and pinned["environment"]["lock"] == ["mlflow==1.0"]
    for line in ("nonesuch", "beta==9"):  # whatever else is missing is missed as ever
        failed = run_in(server, packages(line, "azureml-mlflow"), "pass", name="failing", pins="strict")
        assert failed["status"] == "Failed" and line[:4] in failed["error"]["message"], failed["error"]


def test_the_build_log_comes_before_the_scripts(server: RoostServer) -> None:
    run = server.submit(SHOW.format("alpha"), environment=define(server, packages("alpha==1.0")))
    lines = list(server.follow(run, build_offset=0))
    names = [line["name"] for line in lines if line["type"] == "log"]
    assert names[0] == BUILD_LOG and names[-1] == "azureml-logs/70_driver_log.txt"
    text = "".join(line["text"] for line in lines if line.get("name") == BUILD_LOG)
    assert text.encode() == server.log(run, BUILD_LOG)


@pytest.mark.slow
def test_pytorch_from_the_package_index(make_server: MakeServer) -> None:
    """Only with a wheel for CPUs at hand: the index alone would send gigabytes of CUDA."""
    wheels = local_cpu_wheels()
    if not wheels:
        pytest.skip("pip on this machine knows no wheel of torch==2.13.0 for CPUs")
    server = make_server(config={"environments": {"wheels": wheels}})
    run = server.run("import torch; print(torch.__version__, torch.ones(2).sum().item())", timeout=300,
                     environment=define(server, packages("torch==2.13.0")))
    assert run["status"] == "Completed", (run["error"], server.log(run, BUILD_LOG)[-2000:])
    assert b"2.13.0+cpu 2.0" in server.log(run) and "torch==2.13.0+cpu" in run["environment"]["lock"]
