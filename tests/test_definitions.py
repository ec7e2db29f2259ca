"""Definitions shaped like those people have, against an index of the test's own: each builds, and what it names can be
imported in the versions expected here, or it fails for the reason that is true."""
import subprocess
from pathlib import Path
from typing import Any, Dict, Iterator, List, NamedTuple, Tuple

import pytest

from conftest import MakeServer
from local_index import HERE, OLD, LocalIndex, make_source, make_wheel, source_files
from package_tools import find_uv
from roost_fixture import RoostServer

BUILD_LOG = "azureml-logs/20_image_build_log.txt"
CUDA = "nvidia-cudnn-cu12==8.9"


def make_world(folder: Path) -> None:
    """What an index of today has of the packages of 2020: most of it is for Pythons that are gone."""
    for name, version, requires, tag in [
            ("torch", "1.6.0", [], OLD), ("torch", "1.13.0", [], HERE), ("torch", "1.13.1", [], HERE), ("torch", "2.0.0", [], HERE),
            ("torch", "2.1.0rc1", [], HERE), ("torch", "2.2.0", [CUDA], HERE),
            ("torchvision", "0.2.0", [], "py2.py3-none-any"), ("torchvision", "0.7.0", ["torch==1.6.0"], OLD),
            ("torchvision", "0.14.0", ["torch==1.13.0"], HERE), ("torchvision", "0.14.1", ["torch==1.13.1"], HERE),
            ("torchvision", "0.15.0", ["torch==2.0.0"], HERE), ("torchvision", "0.17.0", ["torch==2.2.0"], HERE),
            ("nvidia-cudnn-cu12", "8.9", [], "py3-none-any"), ("nvidia-nccl-cu12", "2.20", [], "py3-none-any"),
            ("numpy", "1.18.5", [], OLD), ("numpy", "1.23.5", [], HERE), ("numpy", "1.24.0", [], HERE), ("numpy", "1.24.4", [], HERE),
            ("numpy", "2.0.0", [], HERE),
            ("pandas", "1.0.5", ["numpy"], OLD), ("pandas", "1.5.3", ["numpy<2"], HERE), ("pandas", "2.2.0", ["numpy"], HERE),
            ("scikit-learn", "0.22.1", ["numpy"], OLD), ("scikit-learn", "1.1.2", ["numpy<2"], HERE),
            ("scikit-learn", "1.1.3", ["numpy<2"], HERE), ("scikit-learn", "1.5.0", ["numpy"], HERE),
            ("tqdm", "4.1.0", [], "py3-none-any"), ("tqdm", "4.66.0", [], "py3-none-any"), ("tqdm", "4.67.0", [], "py3-none-any"),
            ("future", "1.0.0", [], "py3-none-any"), ("pillow", "7.0.0", [], OLD), ("pillow", "9.4.0", [], HERE), ("pillow", "10.0.0", [], HERE),
            ("opencv-python-headless", "4.8.0.76", ["numpy"], HERE), ("matplotlib", "3.7.0", ["numpy", "pillow"], HERE),
            ("msgpack", "1.0.5", [], HERE), ("tables", "3.8.0", ["numpy"], HERE), ("xgboost", "1.7.0", ["numpy"], "py3-none-any"),
            ("xgboost", "2.1.0", ["numpy", "nvidia-nccl-cu12"], "py3-none-any"), ("joblib", "1.3.0", [], "py3-none-any"),
            ("dataclasses", "0.8", [], "py3-none-any"), ("onlynew", "5.0", [], "py3-none-any"), ("pre", "1.0", [], "py3-none-any"),
            ("pre", "2.0rc1", [], "py3-none-any"), ("bad-pair", "1.0", ["numpy<1.24"], "py3-none-any"),
            ("good-pair", "1.0", ["numpy>=2"], "py3-none-any")]:
        make_wheel(folder, name, version, requires, tag=tag)
    make_wheel(folder, "transformers", "4.30.0", ["tqdm", "torch>=1.9 ; extra == 'torch'"], extras=["torch"])
    make_source(folder, "scikit-learn", "0.22.1", problem="numpy.distutils is no more")
    make_source(folder, "future", "0.17.1")
    make_source(folder, "wget", "3.2")
    make_source(folder, "hopeless", "1.0", problem="no compiler takes it")
    for name, version, problem in [("sources", "0.19.5", "too old"), ("sources", "0.20.0", ""), ("sources", "0.20.3", ""),
                                   ("sources", "0.28.1", ""), ("later", "1.0", "too old"), ("later", "2.0", "too old"),
                                   ("later", "3.0", "too old"), ("later", "4.0", "")]:
        make_source(folder, name, version, problem=problem)
    make_source(folder, "mmcv-full", "1.7.0", code="import torch")
    for name in ("setuptools", "wheel", "packaging", "cffi"):  # what compilers are driven by
        make_wheel(folder, name, "0.40")
    make_source(folder, "twokinds", "1.0", problem="it wants Python 2")
    make_wheel(folder, "twokinds", "1.4", tag="py3-none-any")


class Case(NamedTuple):
    name: str
    dependencies: List[Any]         # as in a conda file
    has: Dict[str, str] = {}        # module -> version
    changes: Tuple[str, ...] = ()   # beginnings, each of another change
    fails: Tuple[str, ...] = ()     # words of the error


def pip(*lines: str) -> Dict[str, Any]:
    return {"pip": list(lines)}


CASES = [
    Case("exact", [pip("numpy==1.24.0")], {"numpy": "1.24.0"}),
    Case("unpinned", [pip("numpy", "tqdm")], {"numpy": "2.0.0", "tqdm": "4.67.0"}),
    Case("the-article", ["python=3.6.2", pip("azureml-defaults", "torch==1.6.0", "torchvision==0.7.0", "future==0.17.1", "pillow")],
         {"torch": "1.13.1", "torchvision": "0.14.1", "future": "0.17.1", "pillow": "10.0.0"},
         ("python=3.6.2 -> 3.", "torch==1.6.0 -> torch==1.13.1", "torchvision==0.7.0 -> torchvision==0.14.1")),
    Case("a-pair-of-today", [pip("torch==2.0.0", "torchvision==0.15.0")], {"torch": "2.0.0", "torchvision": "0.15.0"}),
    Case("a-pair-half-pinned", [pip("torch==1.13.0", "torchvision")], {"torch": "1.13.0", "torchvision": "0.14.0"}),
    Case("a-pair-that-never-was", [pip("torch==1.13.1", "torchvision==0.15.0")], {"torch": "2.0.0", "torchvision": "0.15.0"},
         ("torch==1.13.1 -> torch==2.0.0",)),
    Case("no-gigabytes-without-a-gpu", [pip("torch", "torchvision")], {"torch": "2.0.0", "torchvision": "0.15.0"}),
    Case("not-even-pinned", [pip("torch==2.2.0")], {"torch": "2.0.0"}, ("torch==2.2.0 -> torch==2.0.0",)),
    Case("nearest-line-above", [pip("scikit-learn==0.22.1")], {"scikit_learn": "1.1.3", "numpy": "1.24.4"},
         ("scikit-learn==0.22.1 -> scikit-learn==1.1.3",)),
    Case("beyond-the-newest", [pip("tqdm==99.0")], {"tqdm": "4.67.0"}, ("tqdm==99.0 -> tqdm==4.67.0",)),
    Case("not-over-a-major-version", [pip("numpy==1.99.0")], {"numpy": "1.24.4"}, ("numpy==1.99.0 -> numpy==1.24.4",)),
    Case("before-the-oldest", [pip("onlynew==1.0")], {"onlynew": "5.0"}, ("onlynew==1.0 -> onlynew==5.0",)),
    Case("between", [pip("tqdm==4.50.0")], {"tqdm": "4.66.0"}, ("tqdm==4.50.0 -> tqdm==4.66.0",)),
    Case("withdrawn", [pip("torchvision==0.2.0")], {"torchvision": "0.14.1"}, ("torchvision==0.2.0 -> torchvision==0.14.1",)),
    Case("no-pre-release", [pip("pre")], {"pre": "1.0"}),
    Case("a-pre-release-that-is-named", [pip("pre==2.0rc1")], {"pre": "2.0rc1"}),
    Case("all-pre-releases", [pip("--pre", "pre")], {"pre": "2.0rc1"}),
    Case("a-range", [pip("numpy>=1.18,<1.24")], {"numpy": "1.23.5"}),
    Case("a-range-of-old", [pip("numpy>=1.16,<1.19")], {"numpy": "1.23.5"}, ("numpy>=1.16,<1.19 -> numpy==1.23.5",)),
    Case("an-upper-bound-of-old", [pip("numpy<1.19")], {"numpy": "1.23.5"}, ("numpy<1.19 -> numpy==1.23.5",)),
    Case("compatible-release", [pip("numpy~=1.24.0")], {"numpy": "1.24.4"}),
    Case("old-set", [pip("numpy==1.18.5", "pandas==1.0.5", "scikit-learn==0.22.1", "joblib")],
         {"numpy": "1.23.5", "pandas": "1.5.3", "scikit_learn": "1.1.3", "joblib": "1.3.0"},
         ("numpy==1.18.5 -> numpy==1.23.5", "pandas==1.0.5 -> pandas==1.5.3", "scikit-learn==0.22.1 -> ")),
    Case("new-beside-old", [pip("numpy==2.0.0", "pandas==1.0.5")], {"numpy": "2.0.0", "pandas": "2.2.0"}, ("pandas==1.0.5 -> pandas==2.2.0",)),
    Case("source-of-python-alone", [pip("future==0.17.1", "wget")], {"future": "0.17.1", "wget": "3.2"}),
    Case("source-that-fails", [pip("twokinds==1.0")], {"twokinds": "1.4"}, ("twokinds==1.0 -> twokinds==1.4",)),
    Case("source-that-fails-and-is-all", [pip("hopeless==1.0")], fails=("hopeless==1.0", "source failed", "no compiler takes it")),
    Case("source-that-fails-and-a-later-one-does-not", [pip("sources==0.19.5")], {"sources": "0.20.3"}, ("sources==0.19.5 -> sources==0.20.3",)),
    Case("two-sources-that-fail-and-the-newest", [pip("later==1.0")], {"later": "4.0"}, ("later==1.0 -> later==4.0",)),
    Case("compiled-against-what-is-beside-it", [pip("torch==2.0.0", "mmcv-full==1.7.0")], {"torch": "2.0.0", "mmcv_full": "1.7.0"}),
    Case("conda-unpinned", ["python", "numpy", "scikit-learn", "matplotlib"], {"numpy": "1.24.4", "scikit_learn": "1.5.0", "matplotlib": "3.7.0"},  # which was made before NumPy 2
         ("numpy by conda -> numpy by pip", "scikit-learn by conda -> ", "matplotlib by conda -> ")),
    Case("conda-pinned", ["numpy=1.24", pip("tqdm")], {"numpy": "1.24.4"}, ("numpy=1.24 by conda -> numpy==1.24.* by pip",)),
    Case("conda-pinned-old", ["numpy=1.18"], {"numpy": "1.23.5"}, ("numpy=1.18 by conda -> ", "numpy==1.18.* -> numpy==1.23.5")),
    Case("conda-names", ["pytorch", "opencv", "pytables", "py-xgboost", "matplotlib-base", "msgpack-python"],
         {"torch": "2.0.0", "opencv_python_headless": "4.8.0.76", "tables": "3.8.0", "xgboost": "2.1.0", "msgpack": "1.0.5"},
         ("pytorch by conda -> torch by pip", "opencv by conda -> opencv-python-headless by pip")),
    Case("conda-not-of-python", ["cudatoolkit=10.1", "mkl", "openmpi", "libgcc", "tqdm"], {"tqdm": "4.67.0"},
         ("cudatoolkit=10.1 by conda was left out", "mkl by conda was left out", "openmpi by conda was left out", "libgcc by conda was left out")),
    Case("conda-with-channel-and-build", ["conda-forge::tqdm=4.66.0=pyhd_0", "numpy==1.24.0"], {"tqdm": "4.66.0", "numpy": "1.24.0"}),
    Case("mixed", ["python=3.6.2", "numpy=1.18", "pytorch::pytorch=1.6.0", pip("torchvision==0.7.0", "tqdm")],
         {"torch": "1.13.1", "torchvision": "0.14.1", "numpy": "1.23.5"}, ("torchvision==0.7.0 -> torchvision==0.14.1",)),
    Case("extras", [pip("transformers[torch]==4.30.0")], {"transformers": "4.30.0", "torch": "2.0.0"}),
    Case("extras-moved", [pip("transformers[torch]==3.0.2")], {"transformers": "4.30.0", "torch": "2.0.0"}, ("transformers[torch]==3.0.2 -> transformers==4.30.0",)),
    Case("markers", [pip("dataclasses==0.7; python_version < '3.7'", "tqdm==4.66.0; python_version >= '3.7'")], {"tqdm": "4.66.0"}),
    Case("odd-spelling", [pip("Scikit_Learn == 1.5.0", "PILLOW>=9 # for images")], {"scikit_learn": "1.5.0", "pillow": "10.0.0"}),
    Case("xgboost-without-a-gpu", [pip("xgboost==2.1.0")], {"xgboost": "2.1.0"}),
    Case("nobody-has-it", [pip("nosuchpackage==1.0")], fails=("nosuchpackage==1.0 cannot be had: there is no such package",)),
    Case("contradiction", [pip("bad-pair", "good-pair")], fails=("bad-pair", "good-pair", "numpy")),
    Case("a-wheel-by-its-url", [pip("tqdm @ {files}/tqdm-4.66.0-py3-none-any.whl")], {"tqdm": "4.66.0"}),
    Case("a-git-url", [pip("git+file://{git}", "tqdm")], {"ofgit": "0.3", "tqdm": "4.67.0"}),
    Case("a-file-only-the-user-has", [pip("-r requirements.txt")], fails=("-r requirements.txt",)),
]
assert len(CASES) >= 40
# Not "a-git-url": Debian's pip knows no name before a URL without a host.
BY_PIP = ("exact", "the-article", "a-pair-that-never-was", "nearest-line-above", "beyond-the-newest", "between", "withdrawn", "old-set",
          "source-of-python-alone", "source-that-fails", "conda-names", "extras", "nobody-has-it", "contradiction")


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalIndex]:
    folder = tmp_path_factory.mktemp("index")
    make_world(folder)
    with LocalIndex(folder) as index:
        index.yanked.add("torchvision-0.2.0-py2.py3-none-any.whl")
        yield index


@pytest.fixture(scope="module")
def git(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("git")
    for name, text in source_files("ofgit", "0.3").items():
        (folder / name).write_text(text)
    for words in (["init", "-q"], ["add", "."], ["-c", "user.name=t", "-c", "user.email=t@t", "commit", "-q", "-m", "first"]):
        subprocess.run(["git", "-C", str(folder), *words], check=True, timeout=60)
    return folder


def settings(index: LocalIndex, uv: str) -> Dict[str, Any]:
    # No conda is to be found, and no GPU, whatever this machine has.
    return {"environments": {"index_url": index.url(), "uv": uv, "gpu": "no", "channels": ["/no/such/channel"]}}


@pytest.fixture(scope="module")
def by_uv(make_shared_server: MakeServer, index: LocalIndex) -> RoostServer:
    uv = find_uv()
    if not uv:
        pytest.skip("uv is not on this machine, and no package index answers")
    return make_shared_server(settings(index, uv))


@pytest.fixture(scope="module")
def by_pip(make_shared_server: MakeServer, index: LocalIndex) -> RoostServer:
    return make_shared_server(settings(index, "none"))


def definition(case: Case, index: LocalIndex, git: Path) -> Dict[str, Any]:
    def filled(line: Any) -> Any:
        if isinstance(line, dict):
            return {"pip": [filled(each) for each in line["pip"]]}
        return line.replace("{files}", index.url().replace("/simple", "/files")).replace("{git}", str(git))

    return {"python": {"condaDependencies": {"channels": ["conda-forge"], "dependencies": [filled(line) for line in case.dependencies]}}}


def check(server: RoostServer, case: Case, index: LocalIndex, git: Path) -> None:
    server.post("/workspaces/default/environments", {"name": case.name, "definition": definition(case, index, git)})
    code = "import " + ", ".join(case.has or ["sys"]) + "\n" + "\n".join(f"print({name}.__version__)" for name in case.has)
    run = server.run(code, timeout=120, environment={"name": case.name})
    if case.fails:
        assert (run["status"], run["error"]["code"]) == ("Failed", "environment_failed"), run
        for words in case.fails:
            assert words in run["error"]["message"], run["error"]["message"]
        return
    log = server.log(run, BUILD_LOG).decode()
    assert run["status"] == "Completed", (run["error"], log[-3000:])
    assert dict(zip(case.has, server.log(run).decode().split())) == case.has, log
    changes = run["environment"]["changes"]
    for beginning in case.changes:
        assert [one for one in changes if one.startswith(beginning)], (beginning, changes)
    moved = [one for one in changes if " by conda " not in one]
    expected = [one for one in case.changes if " by conda " not in one]
    assert len(moved) >= len(expected) and (case.changes or not changes or "conda" in case.name), changes
    assert all(any(change in notice for notice in run["notices"]) for change in changes), run["notices"]
    assert not [line for line in run["environment"]["lock"] if line.startswith("nvidia-")]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_definition(by_uv: RoostServer, index: LocalIndex, git: Path, case: Case) -> None:
    check(by_uv, case, index, git)


@pytest.mark.parametrize("case", [case for case in CASES if case.name in BY_PIP], ids=lambda case: case.name)
def test_a_definition_by_pip(by_pip: RoostServer, index: LocalIndex, git: Path, case: Case) -> None:
    """Where there is no uv, and none to be had."""
    check(by_pip, case, index, git)


@pytest.mark.parametrize("tool", ["uv", "pip"])
def test_a_source_that_did_not_compile_is_not_a_missing_package(request: pytest.FixtureRequest, index: LocalIndex, git: Path, tool: str) -> None:
    server: RoostServer = request.getfixturevalue(f"by_{tool}")
    case = Case(f"did-not-compile-{tool}", [pip("hopeless")], fails=("hopeless", "building it from its source failed", "no compiler takes it"))
    check(server, case, index, git)
    message = server.get("/workspaces/default/runs?limit=1")["items"][0]["error"]["message"]
    assert "no such package" not in message and "cannot be had" not in message, message


@pytest.mark.parametrize("tool", ["uv", "pip"])
def test_a_second_environment_downloads_nothing(make_server: MakeServer, tmp_path: Path, tool: str) -> None:
    uv = find_uv() if tool == "uv" else "none"
    if not uv:
        pytest.skip("uv is not on this machine, and no package index answers")
    for name in ("alpha", "beta"):
        make_wheel(tmp_path / "index", name, "1.0")
    with LocalIndex(tmp_path / "index") as index:
        server = make_server(settings(index, uv), start=False)
        server.environment["PIP_TRUSTED_HOST"] = "127.0.0.1"  # else pip keeps nothing that came without TLS
        server.start()
        first = Case("first", [pip("alpha", "beta")], {"alpha": "1.0", "beta": "1.0"})
        check(server, first, index, tmp_path)
        wheels = [name for name in index.fetched if name.endswith(".whl")]
        assert sorted(set(wheels)) == ["alpha-1.0-py3-none-any.whl", "beta-1.0-py3-none-any.whl"]
        index.fetched.clear()
        check(server, Case("second", [pip("beta==1.0")], {"beta": "1.0"}), index, tmp_path)
        assert index.fetched == [], "the packages of all environments are kept in one place"
        assert list((server.data / "packages").iterdir()), "which is the server's own"


@pytest.mark.parametrize("tool", ["uv", "pip"])
def test_a_private_index_of_pips_own_settings(make_server: MakeServer, tmp_path: Path, tool: str) -> None:
    uv = find_uv() if tool == "uv" else "none"
    if not uv:
        pytest.skip("uv is not on this machine, and no package index answers")
    make_wheel(tmp_path / "index", "tqdm", "0.0.7")  # the public one has others of that name
    with LocalIndex(tmp_path / "index", user="house:secret") as index:
        server = make_server({"environments": {"uv": uv}}, start=False)
        server.environment["PIP_INDEX_URL"] = index.url("house:secret")
        server.start()
        case = Case("private", [pip("tqdm")], {"tqdm": "0.0.7"})
        check(server, case, index, tmp_path)
        run = server.get("/workspaces/default/runs?limit=1")["items"][0]
        assert "secret" not in server.log(run, BUILD_LOG).decode()


def test_strict_is_an_option(make_server: MakeServer, index: LocalIndex, git: Path) -> None:
    config = settings(index, find_uv() or "none")
    config["environments"]["pins"] = "strict"
    server = make_server(config)
    case = Case("strict", [pip("tqdm==4.50.0")], fails=("tqdm==4.50.0 cannot be had: there are 4.1.0, 4.66.0, 4.67.0", "pins: nearest"))
    check(server, case, index, git)
    check(server, Case("strict-conda", ["tqdm", "numpy=1.24"], {"tqdm": "4.67.0", "numpy": "1.24.4"}, ("tqdm by conda -> ",)), index, git)
