"""Definitions shaped like those people have, against the package index that pip reaches, on a plain `roost up`: each builds and
has everything it names, or fails for the reason that is true."""
import glob
import json
import os
import re
import shutil
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Tuple

import pytest

from conftest import MakeServer
from package_tools import index_answers
from roost_fixture import RoostServer
from test_definitions import BUILD_LOG, pip

pytestmark = pytest.mark.slow


class Case(NamedTuple):
    name: str
    dependencies: List[Any]         # as in a conda file
    imports: str = ""               # modules that it names
    has: Dict[str, str] = {}        # distribution -> regular expression of its version
    changes: Tuple[str, ...] = ()   # regular expressions, each of one change, and there are no others
    fails: Tuple[str, ...] = ()     # words of the error
    python38: bool = False          # needs a machine that has one


CASES = [
    Case("exact", [pip("tqdm==4.66.1")], "tqdm", {"tqdm": r"4\.66\.1"}),
    Case("compatible-and-odd-spelling", [pip("six~=1.15.0", "PyYAML>=5 # for settings")], "six, yaml", {"six": r"1\.15\.0", "pyyaml": r"\d.*"}),
    Case("conda-unpinned", ["python", "tqdm", "joblib"], "tqdm, joblib", {}, (r"tqdm by conda -> tqdm by pip", r"joblib by conda -> joblib by pip")),
    Case("conda-names", ["msgpack-python", "pip", "cudatoolkit=10.1"], "msgpack", {},
         (r"msgpack-python by conda -> msgpack by pip", r"cudatoolkit=10\.1 by conda was left out.*")),
    Case("conda-pinned", ["conda-forge::six=1.15.0=pyh9f0ad1d_0"], "six", {"six": r"1\.15\.0"}, (r".*six.* by conda -> six==1\.15\.0(\.\*)? by pip",)),
    Case("extras", [pip("requests[socks]==2.31.0")], "requests, socks", {"requests": r"2\.31\.0"}),
    Case("markers", [pip("dataclasses==0.7; python_version < '3.7'", "six==1.16.0; python_version >= '3.7'")], "six", {"six": r"1\.16\.0"}),
    Case("withdrawn", [pip("attrs==21.1.0")], "attr", {"attrs": r"21\.2\.0"}, (r"attrs==21\.1\.0 -> attrs==21\.2\.0",)),
    Case("beyond-the-newest", [pip("tqdm==99.0")], "tqdm", {"tqdm": r"4\.\d+.*"}, (r"tqdm==99\.0 -> tqdm==4\..*",)),
    Case("beyond-its-major-version", [pip("six==1.99", "attrs")], "six, attr", {"six": r"1\.\d+\.\d+"}, (r"six==1\.99 -> six==1\..*",)),
    Case("source-of-python-alone", [pip("wget==3.2")], "wget", {"wget": r"3\.2"}),
    Case("source-that-no-compiler-takes", [pip("pycrypto==2.6.1")], fails=("pycrypto==2.6.1", "building it from its source failed")),
    Case("nobody-has-it", [pip("roost-has-no-such-package==1.0")], fails=("roost-has-no-such-package==1.0 cannot be had: there is no such package",)),
    Case("scikit-learn-of-2020", [pip("scikit-learn==0.22.1")], "sklearn.linear_model", {"scikit-learn": r"1\.\d.*", "numpy": r"1\..*"},
         (r"scikit-learn==0\.22\.1 -> scikit-learn==1\..*",)),
    Case("old-set", [pip("numpy==1.18.5", "pandas==1.0.5")], "numpy, pandas", {"numpy": r"1\..*", "pandas": r"1\..*"},
         (r"numpy==1\.18\.5 -> numpy==1\..*", r"pandas==1\.0\.5 -> pandas==1\..*")),
    Case("pins-against-each-other", [pip("botocore==1.29.0", "urllib3==2.0.7")], "botocore, urllib3", {},
         (r"(botocore==1\.29\.0 -> botocore==|urllib3==2\.0\.7 -> urllib3==).*",)),
    Case("python-of-the-same-line", ["python=3.8.5", pip("six==1.15.0")], "six", {"six": r"1\.15\.0"}, (r"python=3\.8\.5 -> 3\.8\..*",), python38=True),
    Case("a-pair-of-2020", ["python=3.8.5", pip("torch==1.6.0", "torchvision==0.7.0")], "torch, torchvision",
         {"torch": r"1\.6\.0", "torchvision": r"0\.7\.0"}, (r"python=3\.8\.5 -> 3\.8\..*",), python38=True),
]
assert len(CASES) >= 12


def old_python() -> str:
    found = glob.glob(os.path.expanduser("~/.pyenv/versions/3.8.*/bin/python3.8"))
    return found[0] if found else shutil.which("python3.8") or ""


@pytest.fixture(scope="module")
def online(make_shared_server: MakeServer, tmp_path_factory: pytest.TempPathFactory) -> RoostServer:
    if not index_answers():
        pytest.skip("no package index is reachable")
    folder = tmp_path_factory.mktemp("bin")
    if old_python():
        (folder / "python3.8").symlink_to(old_python())
    return make_shared_server(None, {"PATH": f"{folder}:/usr/local/bin:/usr/bin:/bin"})


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_definition(online: RoostServer, case: Case) -> None:
    if case.python38 and not old_python():
        pytest.skip("no Python 3.8 is on this machine")
    definition = {"python": {"condaDependencies": {"channels": ["conda-forge"], "dependencies": case.dependencies}}}
    online.post("/workspaces/default/environments", {"name": case.name, "definition": definition})
    code = f"import json, sys\nimport importlib.metadata as m\n{'import ' + case.imports if case.imports else ''}\n" \
           f"print(json.dumps({{name: m.version(name) for name in {list(case.has)!r}}}))"
    run = online.run(code, timeout=600, environment={"name": case.name})
    log = online.log(run, BUILD_LOG).decode()
    if case.fails:
        assert (run["status"], run["error"]["code"]) == ("Failed", "environment_failed"), run
        for words in case.fails:
            assert words in run["error"]["message"], run["error"]["message"]
        return
    assert run["status"] == "Completed", (run["error"], log[-3000:])
    found = json.loads(online.log(run))
    for name, version in case.has.items():
        assert re.fullmatch(version, found[name]), (found, log[-3000:])
        assert f"{name}=={found[name]}" in run["environment"]["lock"]
    changes = run["environment"]["changes"]
    assert len(changes) == len(case.changes), changes
    for change in case.changes:
        assert any(re.fullmatch(change, one) for one in changes), (change, changes)
    assert not [line for line in run["environment"]["lock"] if line.startswith("nvidia-")]
    moved = [one.split(" -> ")[1] for one in changes if " -> " in one and " by conda" not in one and not one.startswith("python=")]
    assert set(moved) <= set(run["environment"]["lock"]), "what was moved is what is installed"


def test_a_second_environment_downloads_nothing(online: RoostServer) -> None:
    said = []
    for name, lines in (("first", ("idna==3.4", "zipp==3.15.0")), ("second", ("idna==3.4",))):
        definition = {"python": {"condaDependencies": {"dependencies": [pip(*lines)]}}}
        online.post("/workspaces/default/environments", {"name": name, "definition": definition})
        run = online.run("import idna", timeout=600, environment={"name": name})
        assert run["status"] == "Completed", run["error"]
        said.append(online.log(run, BUILD_LOG).decode())
    assert "Prepared 2 packages" in said[0] and "Prepared" not in said[1] and "Installed 1 package" in said[1]
