"""pip in a run: what it installs is for that run alone, whichever interpreter it has and however it is called."""
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any, Dict, Iterator, List

import pytest

from conftest import MakeServer
from local_index import make_wheel
from plain_user import PlainServer
from roost_fixture import RoostServer
from test_confinement import without_namespaces

PYTHON = "/usr/bin/python3"

# A package of the code's own that needs no setuptools to be installed in place.
EDITABLE = {
    "mine/mine.py": "HERE = 'in place'\n",
    "mine/pyproject.toml": '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n',
    "mine/backend.py": """
import os, zipfile

def build_editable(folder, config_settings=None, metadata_directory=None):
    name = "mine-3.0-py3-none-any.whl"
    files = {
        "mine.pth": os.getcwd() + "\\n",
        "mine-3.0.dist-info/METADATA": "Metadata-Version: 2.1\\nName: mine\\nVersion: 3.0\\n",
        "mine-3.0.dist-info/WHEEL": "Wheel-Version: 1.0\\nGenerator: t\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n",
    }
    files["mine-3.0.dist-info/RECORD"] = "".join(path + ",,\\n" for path in [*files, "mine-3.0.dist-info/RECORD"])
    with zipfile.ZipFile(os.path.join(folder, name), "w") as wheel:
        for path, text in files.items():
            wheel.writestr(path, text)
    return name
""",
    "needs.txt": "delta\n",
}

# Every way to call it; what it brought is there at once, and for the processes that come after.
EVERY_WAY = """
    import json, os, subprocess, sys

    def seen(name, tell="__version__"):
        code = f"import {name}; print({name}.{tell})"
        done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, universal_newlines=True)
        return done.stdout.strip() if done.returncode == 0 else None

    said = {"before": seen("alpha")}
    subprocess.check_call([sys.executable, "-m", "pip", "install", "alpha==1.0"])
    import alpha
    said["same process"] = alpha.__version__
    assert os.system("pip install --upgrade alpha") == 0
    said["upgraded"] = seen("alpha")
    assert os.system("pip3 install --user beta") == 0
    import beta
    said["user"] = beta.__version__
    assert os.system("pip install -r needs.txt") == 0
    said["file"] = seen("delta")
    assert os.system("pip install -e mine") == 0
    import mine
    said["editable"] = [mine.HERE, seen("mine", "HERE")]
    assert os.system("pip uninstall -y beta") == 0
    said["uninstalled"] = seen("beta")
    import pip._internal
    said["in process"] = [pip._internal.main(["install", "beta"]), seen("beta"), "packages" in sys.prefix]
    said["prefix"] = sys.prefix
    said["programs"] = subprocess.check_output(["delta-tool"], universal_newlines=True).strip()
    print(json.dumps(said))
"""

EXPECTED = {"same process": "1.0", "upgraded": "2.0", "user": "1.0", "file": "1.0",
            "editable": ["in place", "in place"], "uninstalled": None, "in process": [0, "1.0", False],
            "programs": "delta's tool"}
INSTALLED = "pip installed for this run alone: alpha 2.0, beta 1.0, delta 1.0, mine 3.0; name them in the environment"

LIST = """
import os, site, sys, sysconfig
folders = {*site.getsitepackages(), site.getusersitepackages(), sysconfig.get_path("purelib"), sysconfig.get_path("scripts")}
for folder in sorted(folders):
    for place, _, names in sorted(os.walk(folder)):
        for name in sorted(names):
            if not name.endswith(".pyc"):
                print(os.path.join(place, name), os.stat(os.path.join(place, name), follow_symlinks=False).st_mtime_ns)
"""


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("index") / "wheels"
    for version in ("1.0", "2.0"):
        make_wheel(folder, "alpha", version)
    make_wheel(folder, "beta", "1.0", requires=["alpha"])
    make_wheel(folder, "delta", "1.0", code="def main():\n    print(\"delta's tool\")\n",
               scripts={"delta-tool": "delta:main"})
    make_wheel(folder, "wide", "1.0", modules=400)
    for place in (folder.parent, folder):
        place.chmod(0o755)
    return folder


@pytest.fixture(scope="module")
def server(make_shared_server: MakeServer, wheels: Path) -> RoostServer:
    return make_shared_server({"environments": {"wheels": str(wheels), "offline": True}})


def from_wheels(wheels: Path) -> Dict[str, str]:
    return {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheels), "PIP_CONFIG_FILE": os.devnull}


def files_of(python: str, home: str) -> str:
    return subprocess.run([python, "-c", LIST], env={"HOME": home, "PATH": os.environ["PATH"]}, check=True,
                          stdout=subprocess.PIPE, universal_newlines=True).stdout


def call_every_way(server: RoostServer, wheels: Path, **spec: Any) -> Dict[str, Any]:
    run = server.run(EVERY_WAY, files=EDITABLE, environment_variables=from_wheels(wheels), timeout=180, **spec)
    assert run["status"] == "Completed", (run["error"], server.log(run).decode())
    said = json.loads(server.log(run).splitlines()[-1])
    assert {key: said[key] for key in EXPECTED} == EXPECTED
    assert [notice for notice in run["notices"] if notice.startswith("pip")] == [
        INSTALLED + " to have them there from the start"]
    return said


def make_venv(folder: Path, *options: str) -> str:
    subprocess.run([PYTHON, "-m", "venv", *options, str(folder)], check=True)
    return str(folder / "bin/python")


def test_the_machines_own_python(server: RoostServer, wheels: Path) -> None:
    home = server.environment["HOME"]
    before = files_of(PYTHON, home)
    assert call_every_way(server, wheels)["before"] is None
    assert files_of(PYTHON, home) == before
    # Another run of the same user on the same node has nothing of it.
    later = server.run("import alpha")
    assert later["status"] == "Failed" and "No module named 'alpha'" in later["error"]["message"]


def test_a_built_environment_has_pip_and_stays_as_it_is(server: RoostServer, wheels: Path) -> None:
    definition = {"python": {"condaDependencies": {"dependencies": [{"pip": ["alpha==1.0"]}]}}}
    server.post("/workspaces/default/environments", {"name": "built", "definition": definition})
    environment = {"name": "built"}
    first = server.run("import alpha, pip; print(alpha.__version__)", environment=environment, timeout=90)
    assert first["status"] == "Completed", (first["error"], server.log(first))
    python = first["environment"]["python"]
    before = files_of(python, "/nowhere")
    assert call_every_way(server, wheels, environment=environment)["before"] == "1.0"
    assert files_of(python, "/nowhere") == before
    gone = server.run("import os; assert os.system('pip uninstall -y alpha') == 0\nimport alpha", environment=environment)
    assert "No module named 'alpha'" in gone["error"]["message"], "a run may also be without something"
    last = server.run("import alpha; print(alpha.__version__)", environment=environment)
    assert server.log(last) == b"1.0\n"


@pytest.mark.parametrize("options", [[], ["--without-pip"]])
def test_an_interpreter_that_the_user_manages(server: RoostServer, wheels: Path, tmp_path: Path, options: List[str]) -> None:
    python = make_venv(tmp_path / "theirs", *options)
    before = files_of(python, "/nowhere")
    said = call_every_way(server, wheels, environment={"python": python})
    assert said["prefix"] == str(tmp_path / "theirs")
    assert files_of(python, "/nowhere") == before


def test_where_there_are_no_namespaces(make_server: MakeServer, wheels: Path) -> None:
    server = without_namespaces(make_server(start=False))
    before = files_of(PYTHON, server.environment["HOME"])
    call_every_way(server, wheels)
    assert files_of(PYTHON, server.environment["HOME"]) == before


@pytest.fixture
def plain_server() -> Iterator[PlainServer]:
    server = PlainServer()
    yield server
    server.close()


def test_a_plain_user(plain_server: PlainServer, wheels: Path, tmp_path: Path) -> None:
    readable = Path(plain_server.folder) / "wheels"
    shutil.copytree(wheels, readable)
    plain_server.start()
    call_every_way(plain_server, readable)
    assert not (Path(plain_server.environment["HOME"]) / ".local/lib").exists()


def test_ranks_that_install_at_once_wait_for_each_other(server: RoostServer, wheels: Path) -> None:
    code = """
        import subprocess, sys
        done = subprocess.run([sys.executable, "-m", "pip", "install", "wide"], stdout=subprocess.PIPE,
                              universal_newlines=True, check=True)
        import wide.m399
        print("installed" if "Successfully installed" in done.stdout else "found")
    """
    run = server.run(code, environment_variables=from_wheels(wheels), timeout=120,
                     distributed={"kind": "pytorch", "process_count": 4, "node_count": 1})
    logs = [server.log(run, f"azureml-logs/70_driver_log_{rank}.txt").decode() for rank in range(4)]
    assert run["status"] == "Completed", (run["error"], logs)
    assert sorted(log.split()[-1] for log in logs) == ["found", "found", "found", "installed"]


def test_a_virtual_environment_that_the_run_makes_is_its_own(server: RoostServer, wheels: Path, tmp_path: Path) -> None:
    for place in ("own", str(tmp_path / "elsewhere")):
        run = server.run(f"""
            import subprocess, sys
            subprocess.check_call([sys.executable, "-m", "venv", {place!r}])
            subprocess.check_call([{place!r} + "/bin/pip", "install", "alpha==1.0"])
            subprocess.check_call([{place!r} + "/bin/python", "-c", "import alpha; print(alpha.__file__)"])
        """, environment_variables=from_wheels(wheels), timeout=120)
        assert run["status"] == "Completed", (run["error"], server.log(run).decode())
        assert server.log(run).decode().splitlines()[-1].split("/lib/")[0].endswith(place)
        assert not run["notices"], "nothing went to the folder of the run"
