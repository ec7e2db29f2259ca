"""The disk fills up while an environment is built: the run says so, and nothing is left of the build."""
from pathlib import Path
from typing import Any, Dict

import pytest

from conftest import IMPATIENT, MakeServer
from disks import fill, mounts, needs_root, small_disk  # noqa: F401 (two are fixtures)
from local_index import make_wheel
from roost_fixture import RoostServer
from test_images import MISSING, base_image  # noqa: F401 (a fixture)

BUILD_LOG = "azureml-logs/20_image_build_log.txt"
pytestmark = needs_root


@pytest.fixture
def server(small_disk: Path, make_server: MakeServer, tmp_path: Path) -> RoostServer:  # noqa: F811
    """Its data is on a disk of 64 MB; the wheels are not, and one of them is larger than that."""
    wheels = tmp_path / "wheels"
    make_wheel(wheels, "large", "1.0", code=f"text = '''{'no space for this one ' * 4_000_000}'''\n")
    make_wheel(wheels, "small", "1.0")
    return make_server(config={**IMPATIENT, "environments": {"wheels": str(wheels), "offline": True}},
                       data=small_disk / "data")


def submit_in(server: RoostServer, definition: Dict[str, Any], code: str) -> Dict[str, Any]:
    server.post("/workspaces/default/environments", {"name": "mine", "definition": definition})
    return server.submit(code, environment={"name": "mine"})


def packages(*pip: str) -> Dict[str, Any]:
    return {"python": {"condaDependencies": {"dependencies": [{"pip": list(pip)}]}}}


def check_it_says_so(server: RoostServer, run: Dict[str, Any]) -> None:
    assert (run["status"], run["error"]["code"]) == ("Failed", "environment_failed"), run["error"]
    for word in ("no space left on device", str(server.data / "environments"), "roost env prune"):
        assert word in run["error"]["message"], run["error"]["message"]
    assert run["error"]["message"] in server.log(run, BUILD_LOG).decode()


def check_the_next_is_built(server: RoostServer) -> None:
    run = server.wait(submit_in(server, packages("small"), "import small; print(small.__version__)"), timeout=60)
    assert run["status"] == "Completed" and server.log(run).strip() == b"1.0", run["error"]


def folders(server: RoostServer) -> int:
    return len([path for path in (server.data / "environments").iterdir() if path.is_dir()])


def test_packages_that_do_not_fit(server: RoostServer) -> None:
    kept = server.wait(submit_in(server, packages("small==1.0"), "import small"), timeout=60)
    assert kept["status"] == "Completed"
    check_it_says_so(server, server.wait(submit_in(server, packages("large"), "print('never')"), timeout=60))
    assert folders(server) == 1 and len(server.get("/environment-builds")["items"]) == 1, "the cache is as it was"
    check_the_next_is_built(server)
    again = server.wait(submit_in(server, packages("small==1.0"), "import small"), timeout=60)
    assert again["environment"]["folder"] == kept["environment"]["folder"]


def test_a_disk_that_is_almost_full_already(server: RoostServer, small_disk: Path) -> None:  # noqa: F811
    """There is room for the run, and for the reason, and not for the smallest build."""
    ballast = fill(small_disk)
    ballast.write_bytes(bytes(ballast.stat().st_size - 600_000))
    check_it_says_so(server, server.wait(submit_in(server, packages("small", "large"), "print('never')"), timeout=60))
    ballast.unlink()
    check_the_next_is_built(server)


@pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)} (tools/setup images)")
def test_an_image_that_does_not_fit(server: RoostServer, base_image: str) -> None:  # noqa: F811
    definition = {"docker": {"baseImage": base_image}}
    check_it_says_so(server, server.wait(submit_in(server, definition, "print('never')"), timeout=120))
    assert folders(server) == 0
    check_the_next_is_built(server)
