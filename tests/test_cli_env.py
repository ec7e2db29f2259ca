"""roost env: looking at environments, building, comparing and removing them, and files of old versions."""
import json
import os
import re
from pathlib import Path
from typing import Any, Dict, List

import pytest
import yaml

from conftest import MakeServer
from local_index import make_wheel
from roost_fixture import RoostServer

PRINT_VERSION = "import nest, sys; print('nest', nest.__version__)"


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheels")
    for version in ("1.0", "1.4", "2.0"):
        make_wheel(folder, "nest", version)
    make_wheel(folder, "tree", "1.0", requires=["nest>=1.0"])
    return folder


@pytest.fixture(scope="module")
def server(make_shared_server: MakeServer, wheels: Path) -> RoostServer:
    return make_shared_server({"environments": {"wheels": str(wheels), "offline": True}})


def definition(*pip: str, **more: Any) -> Dict[str, Any]:
    dependencies: List[Any] = [{"pip": list(pip)}]
    return {"python": {"condaDependencies": {"dependencies": dependencies}}, **more}


def register(server: RoostServer, name: str, *pip: str, **more: Any) -> Dict[str, Any]:
    body = {"name": name, "definition": definition(*pip, **more)}
    return server.expect(201, "POST", "/workspaces/default/environments", json=body)


def builds(server: RoostServer) -> List[str]:
    return server.cli("env", "ls", "--builds", "-q").stdout.split()


def test_submit_says_once_why_a_build_failed(server: RoostServer, name: str, tmp_path: Path) -> None:
    register(server, name, "nest==9")
    (tmp_path / "go.py").write_text("pass\n", encoding="utf-8")
    done = server.cli("submit", "--experiment", "e", "--environment", name, "--pins", "strict", "--", "python", "go.py",
                      cwd=tmp_path, check=False)
    assert done.returncode == 120
    assert done.stderr.count("nest==9 cannot be had: there are") == 1 and "\nFailed" in done.stderr, done.stderr


def test_build_show_list_and_remove(server: RoostServer, name: str) -> None:
    register(server, name, "nest==1.4", "tree", environmentVariables={"COLOUR": "green"})
    before = server.cli("env", "show", name).stdout
    assert before.startswith(f"{name}:1\n") and "nest==1.4" in before and "COLOUR=green" in before
    assert "built      no;" in before

    built = server.cli("env", "build", name)
    digest = built.stdout.strip()
    assert f"digest     {digest}  (nearest pins)\n" in before
    assert "Builder: venv, because all packages come from pip" in built.stderr
    assert built.stderr.count("Step 3/3") == 1
    assert "built in " in built.stderr.splitlines()[-1] and "venv, 2 packages" in built.stderr.splitlines()[-1]
    again = server.cli("env", "build", f"{name}:1")
    assert again.stdout.strip() == digest and "built already" in again.stderr and "Step" not in again.stderr
    assert server.cli_json("env", "build", name)["environment"]["lock"] == ["nest==1.4", "tree==1.0"]

    shown = server.cli_json("env", "show", name)
    assert (shown["digest"], [one["digest"] for one in shown["builds"]]) == (digest, [digest])
    page = server.cli("env", "show", name).stdout
    assert "Built  venv, 2 packages" in page and "nest==1.4\n" in page and "tree==1.0\n" in page
    row = next(line for line in server.cli("env", "ls").stdout.splitlines() if line.startswith(f"{name}:1 "))
    assert " yes " in row and "nest==1.4, tree" in row
    row = next(line for line in server.cli("env", "ls", "--builds").stdout.splitlines() if line.startswith(digest[:12]))
    assert " venv " in row and row.endswith(f"{name}:1")
    assert digest in [one["digest"] for one in server.cli_json("env", "ls", "--builds")["items"]]

    assert server.cli("env", "rm", name).stdout == f"removed {digest}\n"
    assert digest not in builds(server)
    gone = server.cli("env", "rm", name, check=False)
    assert gone.returncode == 3 and f"{name}:1 is not built" in gone.stderr
    assert server.cli("env", "build", name).stdout.strip() == digest
    assert server.cli_json("env", "rm", digest[:10]) == {"removed": 1, "digests": [digest]}
    assert server.cli("env", "rm", digest, check=False).returncode == 3


def test_versions_and_curated_ones_are_listed(server: RoostServer, name: str) -> None:
    register(server, name, "nest==1.0")
    register(server, name, "nest==2.0")
    register(server, "anonymous-0123456789ab", "nest")
    names = server.cli("env", "ls", "-q").stdout.split()
    assert name in names and "AzureML-Minimal" in names and "anonymous-0123456789ab" not in names
    assert "anonymous-0123456789ab" in server.cli("env", "ls", "-q", "--all").stdout.split()
    assert server.cli("env", "ls", name, "-q").stdout == f"{name}:2\n{name}:1\n"
    assert [one["version"] for one in server.cli_json("env", "ls", name)["items"]] == ["2", "1"]
    curated = server.cli("env", "show", "azureml-pytorch-1.6-gpu").stdout
    assert "roost-pytorch" in curated and "torchvision" in curated and "note: " in curated


def test_a_build_that_fails_says_why_in_its_last_line(server: RoostServer, name: str) -> None:
    register(server, name, "nest==1.5")
    failed = server.cli("env", "build", name, "--pins", "strict", check=False)
    assert (failed.returncode, failed.stdout) == (1, "")
    last = failed.stderr.splitlines()[-1]
    assert last.startswith("roost: nest==1.5") and "1.0, 1.4, 2.0" in last and "pins: nearest" in last
    assert failed.stderr.count(last[len("roost: "):]) == 1, failed.stderr
    moved = server.cli("env", "build", name)
    assert "note: pins: nearest: nest==1.5 -> nest==1.4\n" in moved.stderr
    assert server.cli_json("env", "show", name)["builds"][0]["changes"] == ["nest==1.5 -> nest==1.4"]
    for wrong, code in ((["build", name, "--pins", "loose"], 2), (["build", "nobody"], 3), (["build", f"{name}:x"], 2),
                        (["show", f"{name}:7"], 3), (["prune", "--keep", "much"], 2), (["prune", "--unused", "?"], 2)):
        refused = server.cli("env", *wrong, check=False)
        assert (refused.returncode, refused.stdout) == (code, ""), (wrong, refused)


def test_nothing_to_build(server: RoostServer, name: str) -> None:
    register(server, name)
    done = server.cli("env", "build", name)
    assert done.stdout == "" and "nothing to build" in done.stderr
    assert "needs none" in server.cli("env", "show", name).stdout


def test_diff(server: RoostServer, name: str) -> None:
    register(server, name, "nest==1.0", "tree", environmentVariables={"A": "1"})
    register(server, name, "nest==2.0", environmentVariables={"A": "2"})
    assert server.cli_json("env", "diff", f"{name}:1", name) == {
        "a": f"{name}:1", "b": f"{name}:2",
        "differences": [{"name": "pip nest", "a": "nest==1.0", "b": "nest==2.0"},
                        {"name": "pip tree", "a": "tree", "b": None},
                        {"name": "variable A", "a": "1", "b": "2"}]}
    table = server.cli("env", "diff", f"{name}:1", f"{name}:2").stdout
    assert f"A {name}:1" in table and "nest==1.0" in table
    same = server.cli("env", "diff", name, name)
    assert (same.stdout, same.stderr) == ("", "the same\n")


def test_prune(server: RoostServer, name: str) -> None:
    register(server, name, "nest==2.0", "tree==1.0")
    digest = server.cli("env", "build", name).stdout.strip()
    assert server.cli("env", "prune").stdout.startswith("removed 0 (0 B), kept ")
    assert digest in builds(server)
    assert server.cli_json("env", "prune", "--keep", "1TB")["removed"] == 0
    assert server.cli_json("env", "prune", "--unused", "0", "--keep", "1B")["kept_bytes"] == 0
    assert builds(server) == []
    assert "nothing is built" in server.cli("env", "ls", "--builds").stderr


def test_a_run_in_an_environment_and_again_with_its_versions(server: RoostServer, name: str, tmp_path: Path) -> None:
    register(server, name, "nest")
    (tmp_path / "train.py").write_text(PRINT_VERSION)
    first = server.cli("submit", "-e", name, "--environment", name, "--", "python", "train.py", cwd=tmp_path)
    assert first.stdout == "nest 2.0\n", first
    run = server.cli_json("runs", "-e", name)["items"][0]
    assert run["environment"]["lock"] == ["nest==2.0"]
    assert re.search(rf"name +{name}:1\n", server.cli("show", run["id"]).stdout)

    # A newer one comes; what was built is gone; a rerun takes what the first run had.
    wheels = Path(server.config["environments"]["wheels"])
    newer = make_wheel(wheels, "nest", "3.0")
    try:
        server.cli("env", "rm", name)
        again = server.cli("rerun", run["id"])
        assert again.stdout == "nest 2.0\n", again
        repeated = server.cli_json("runs", "-e", name)["items"][0]
        assert repeated["spec"]["environment"] == {"name": name, "version": "1", "lock": ["nest==2.0"], "variables": {}}
        assert [one["lock"] for one in server.cli_json("env", "show", name)["builds"]] == [["nest==2.0"]]
        assert server.cli("rerun", repeated["id"]).stdout == "nest 2.0\n"
        fresh = server.cli("submit", "-e", name, "--environment", name, "--", "python", "train.py", cwd=tmp_path)
        assert fresh.stdout == "nest 3.0\n"
    finally:
        newer.unlink()


def test_submit_with_strict_and_nearest_pins(server: RoostServer, name: str, tmp_path: Path) -> None:
    register(server, name, "nest==1.9")
    code, active = tmp_path / "code", tmp_path / "active"
    code.mkdir()
    (code / "train.py").write_text(PRINT_VERSION)
    words = ["submit", "-e", name, "--environment", f"{name}:1", "--", "python", "train.py"]
    strict = server.cli("submit", "--pins", "strict", *words[1:], cwd=code, check=False)
    assert strict.returncode == 120 and "nest==1.9" in strict.stderr and "pins: nearest" in strict.stderr
    words[1:1] = ["--pins", "nearest"]
    # A virtual environment that is active here says nothing about a run that names an environment.
    (active / "bin").mkdir(parents=True)
    os.symlink("/bin/false", active / "bin" / "python")
    done = server.cli(*words, cwd=code, env={**server.environment, "VIRTUAL_ENV": str(active)})
    assert done.stdout == "nest 1.4\n"
    run = server.cli_json("runs", "-e", name)["items"][0]
    assert run["environment"]["changes"] == ["nest==1.9 -> nest==1.4"]
    assert server.cli("rerun", run["id"]).stdout == "nest 1.4\n"
    for wrong in (["--python", "/usr/bin/python3"], ["--pins", "loose"]):
        assert server.cli("submit", *wrong, *words[3:], cwd=code, check=False).returncode == 122
    assert server.cli("submit", "-e", name, "--pins", "nearest", "--", "true", cwd=code, check=False).returncode == 122


def test_an_interactive_run_cannot_be_repeated(server: RoostServer, name: str) -> None:
    run = server.expect(201, "POST", "/workspaces/default/runs", json={"experiment": name, "interactive": True})
    refused = server.cli("rerun", run["id"], check=False)
    assert refused.returncode == 121 and f"{run['id']} is an interactive run" in refused.stderr
    server.cancel(run)


OLD_FILE = """\
name: birds
channels:
  - conda-forge
dependencies:
  - python=3.6.2  # as it was then
  - nest=1.2
  - pip:
      - tree==0.9
      - azureml-defaults
"""


def test_modernize_writes_what_can_be_had(server: RoostServer, tmp_path: Path) -> None:
    (tmp_path / "old.yml").write_text(OLD_FILE)
    done = server.cli("env", "modernize", "old.yml", cwd=tmp_path)
    new = yaml.safe_load(done.stdout)
    python = new["dependencies"][0]
    assert new["name"] == "birds" and python.startswith("python=3.") and python != "python=3.6.2"
    assert new["dependencies"][-1] == {"pip": ["tree==1.0", "azureml-defaults", "nest==1.4"]}
    for change in ("nest=1.2 by conda -> nest==1.2.* by pip", "tree==0.9 -> tree==1.0", "nest==1.2.* -> nest==1.4"):
        assert change in done.stderr.splitlines()

    # What it wrote needs no pins that move.
    (tmp_path / "new.yml").write_text(done.stdout)
    again = server.cli("env", "modernize", "new.yml", "-o", "newer.yml", cwd=tmp_path)
    assert again.stdout == "" and "nothing to change" in again.stderr
    assert (tmp_path / "newer.yml").read_text() == done.stdout
    document = json.loads(server.cli("env", "modernize", "old.yml", "--json", cwd=tmp_path).stdout)
    assert document["yaml"] == done.stdout and len(document["changes"]) == 4
    assert not [one for one in server.cli("env", "ls", "-q").stdout.split() if one.startswith("modernize-")]


def test_modernize_refuses_what_it_cannot_read(server: RoostServer, tmp_path: Path) -> None:
    cases = {"broken: [": "line", "name: x": "dependencies", "dependencies: [{pip: [-r x.txt]}]": "-r x.txt"}
    for text, reason in cases.items():
        (tmp_path / "wrong.yml").write_text(text)
        refused = server.cli("env", "modernize", "wrong.yml", cwd=tmp_path, check=False)
        assert (refused.returncode, refused.stdout) == (2, "") and reason in refused.stderr, (text, refused)
    assert server.cli("env", "modernize", "absent.yml", cwd=tmp_path, check=False).returncode == 3
    (tmp_path / "wrong.yml").write_text("dependencies: [{pip: [no-such-package==1]}]")
    failed = server.cli("env", "modernize", "wrong.yml", "-o", "out.yml", cwd=tmp_path, check=False)
    assert failed.returncode == 1 and "no-such-package" in failed.stderr.splitlines()[-1]
    assert not (tmp_path / "out.yml").exists()
