"""Environments of conda packages, by py-rattler and from a channel that is a folder made by the test."""
import subprocess
from pathlib import Path
from typing import Any, Dict, List

import pytest

from conftest import MakeServer
from local_channel import LocalChannel
from local_index import make_wheel
from roost_fixture import RoostServer

BUILD_LOG = "azureml-logs/20_image_build_log.txt"
RATTLER = Path("/tmp/roost-conda/py-rattler")  # kept between test runs
SHOW = "import tinylib, sys; print(tinylib.__version__, sys.prefix)"


@pytest.fixture(scope="session")
def rattler() -> str:
    """A Python with py-rattler: the one conda tool that a package index has."""
    python = RATTLER / "bin" / "python"
    if not has_rattler(python):
        subprocess.run(["/usr/bin/python3", "-m", "venv", "--clear", str(RATTLER)], check=True, timeout=120)
        done = subprocess.run([str(python), "-m", "pip", "install", "--quiet", "--retries", "1", "--timeout", "10",
                               "--disable-pip-version-check", "py-rattler"],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
        if done.returncode != 0:
            pytest.skip(f"py-rattler cannot be had here: {done.stdout.strip().splitlines()[-1:]}")
    return str(python)


def has_rattler(python: Path) -> bool:
    return python.exists() and subprocess.run([str(python), "-c", "import rattler"], capture_output=True,
                                              timeout=60).returncode == 0


@pytest.fixture
def channel(tmp_path: Path) -> LocalChannel:
    channel = LocalChannel(tmp_path / "channel")
    channel.add_python()
    for version in ("1.0", "1.2"):
        channel.add_module("tinylib", version)
    channel.add_module("tinyold", "1.0", ["python", "tinylib <1.1"])
    return channel


@pytest.fixture
def server(make_server: MakeServer, rattler: str, tmp_path: Path) -> RoostServer:
    make_wheel(tmp_path / "wheels", "alpha", "1.2")
    return make_server(config={"environments": {"pythons": [rattler], "wheels": str(tmp_path / "wheels"), "offline": True}})


def conda(channel: str, *packages: Any) -> Dict[str, Any]:
    return {"python": {"condaDependencies": {"channels": [channel], "dependencies": list(packages)}}}


def run_in(server: RoostServer, definition: Dict[str, Any], code: str = SHOW, **more: Any) -> Dict[str, Any]:
    server.post("/workspaces/default/environments", {"name": "mine", "definition": definition})
    return server.run(code, timeout=90, environment={"name": "mine", **more})


def told(server: RoostServer, run: Dict[str, Any]) -> List[str]:
    assert run["status"] == "Completed", (run["error"], server.log(run, BUILD_LOG)[-3000:])
    return server.log(run).decode().split()


def nothing_is_left(server: RoostServer) -> bool:
    folders = [path for path in (server.data / "environments").iterdir() if path.suffix != ".log"]
    return not folders and not server.get("/environment-builds")["items"]


def test_packages_of_a_channel_and_of_pip(server: RoostServer, channel: LocalChannel) -> None:
    definition = conda(channel.url, "python", "tinylib=1.0", {"pip": ["alpha"]})
    run = run_in(server, definition, SHOW + "; import alpha; print(alpha.__version__)")
    version, prefix, alpha = told(server, run)
    environment = run["environment"]
    assert (version, prefix, alpha) == ("1.0", environment["folder"], "1.2")
    assert environment["kind"] == "conda" and {"tinylib=1.0=0", "alpha==1.2"} <= set(environment["lock"])
    log = server.log(run, BUILD_LOG).decode()
    assert log.startswith("Builder: conda (py-rattler of ") and "because conda is asked for 1 package" in log
    assert "Step 2/3: 1 of pip's packages" in log
    again = run_in(server, definition)
    assert told(server, again)[1] == prefix and again["durations"]["Preparing"] < 0.05


def test_a_lock_installs_exactly_that(server: RoostServer, channel: LocalChannel, tmp_path: Path) -> None:
    definition = conda(channel.url, "python", "tinylib", {"pip": ["alpha"]})
    code = SHOW + "; import alpha; print(alpha.__version__)"
    first = run_in(server, definition, code)
    assert told(server, first)[::2] == ["1.2", "1.2"]
    server.expect(200, "DELETE", f"/environment-builds/{first['environment']['digest']}")
    channel.add_module("tinylib", "1.2.1")
    make_wheel(tmp_path / "wheels", "alpha", "1.3")
    locked = run_in(server, definition, code, lock=first["environment"]["lock"])
    assert told(server, locked)[::2] == ["1.2", "1.2"] and locked["environment"]["lock"] == first["environment"]["lock"]
    fresh = run_in(server, definition, code)
    assert told(server, fresh)[::2] == ["1.2.1", "1.3"]


@pytest.mark.parametrize("packages, words", [
    (["python", "tinylib=9"], ["tinylib=9 cannot be had: there are 1.0, 1.2", "pins: nearest", "roost env modernize"]),
    (["python", "nosuch"], ["nosuch cannot be had: there is no such package in file:"]),
    (["python", "tinylib=1.2", "tinyold"], ["tinyold", "tinylib"]),
    (["python", "tinylib", {"pip": ["alpha==7"]}], ["alpha==7 cannot be had: there are 1.2"]),
], ids=["version", "package", "conflict", "pip"])
def test_failures_say_which_and_what_to_do(server: RoostServer, channel: LocalChannel, packages: List[Any],
                                           words: List[str]) -> None:
    run = run_in(server, conda(channel.url, *packages), pins="strict")
    assert (run["status"], run["error"]["code"]) == ("Failed", "environment_failed")
    for word in words:
        assert word in run["error"]["message"], run["error"]["message"]
    assert nothing_is_left(server)
    assert told(server, run_in(server, conda(channel.url, "python", "tinylib")))[0] == "1.2", "the next good build works"


def test_a_channel_that_is_not_there(server: RoostServer, tmp_path: Path) -> None:
    run = run_in(server, conda(str(tmp_path / "nowhere"), "python", "tinylib"))
    assert run["status"] == "Failed" and "nowhere" in run["error"]["message"], run["error"]
    elsewhere = run_in(server, conda("some-channel", "python", "tinylib"))
    assert "some-channel is not on this machine" in elsewhere["error"]["message"]
    assert "environments.channels" in elsewhere["error"]["message"] and nothing_is_left(server)


def test_nearest_moves_a_pin_of_conda(server: RoostServer, channel: LocalChannel) -> None:
    run = run_in(server, conda(channel.url, "python=3.6.2", "tinylib=1.1.7", {"pip": ["alpha==1.1"]}))
    assert told(server, run)[0] == "1.2"
    changes = run["environment"]["changes"]
    assert "alpha==1.1 -> alpha==1.2" in changes, "those of pip in it move too"
    assert "tinylib=1.1.7 -> tinylib==1.2" in changes and any(one.startswith("python=3.6.2 -> python==3.") for one in changes)


def test_channels_of_the_operator_go_before_the_definitions(make_server: MakeServer, rattler: str, tmp_path: Path,
                                                            channel: LocalChannel) -> None:
    server = make_server(config={"environments": {"pythons": [rattler], "offline": True, "channels": [str(channel.folder)]}})
    assert told(server, run_in(server, conda("some-channel", "python", "tinylib=1.0")))[0] == "1.0"
