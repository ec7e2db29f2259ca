"""A run that plays with what the runner reads of it gets nothing of the machine to see, and does not stop its node.

The same attack by a run on the host and by one in an image, which has nothing in common with the host but its folders.
"""
import os
import shutil
from typing import Any, Dict, Iterator, List

import pytest

from conftest import IMPATIENT, MakeServer
from processes import wait_until
from roost_fixture import RoostServer

pytestmark = pytest.mark.both

ATTACK = """
    import os, subprocess, sys
    data = sys.argv[1]
    token, swapped = data + "/owner.token", 0

    def swap(folder, target):
        # A folder with files of the names that are in `target`, and a link to that, in turn at the same place.
        os.makedirs(folder + ".mine")
        for name in ("owner.token", "secret", "roost.db"):
            open(f"{folder}.mine/{name}", "w").write("mine")
        os.symlink(target, folder + ".link")
        while not os.path.exists("stop"):
            os.rename(folder + ".mine", folder); os.rename(folder, folder + ".mine")
            os.rename(folder + ".link", folder); os.rename(folder, folder + ".link")

    def swap_file(place):
        # The same with a file that is followed.
        os.symlink(token, place + ".link")
        open(place + ".mine", "w").write("mine\\n")
        while not os.path.exists("stop"):
            os.rename(place + ".mine", place); os.rename(place, place + ".mine")
            os.rename(place + ".link", place); os.rename(place, place + ".link")

    for folder in ("outputs", "logs"):
        os.makedirs(folder + "/deep", exist_ok=True)
        os.symlink(token, folder + "/link")
        os.symlink(data, folder + "/folder")
        os.symlink("/proc/self/root" + token, folder + "/magic")
        os.mkfifo(folder + "/fifo")
        os.mkfifo(folder + "/deep/fifo.log")
    for name in ("a.spool", "b.spool"):
        place = os.path.join(os.environ["ROOST_SPOOL"], name)
        os.symlink(token, place) if name == "a.spool" else os.mkfifo(place)
    stacks = os.path.join(os.environ["ROOST_STACKS"], str(os.getpid()))
    os.unlink(stacks)
    os.symlink(token, stacks)
    # Another process, whose answer would come through a FIFO.
    other = subprocess.Popen([sys.executable, "-c", '''if True:
        import os, time
        place = os.path.join(os.environ["ROOST_STACKS"], str(os.getpid()))
        os.unlink(place); os.mkfifo(place)
        while not os.path.exists("stop"): time.sleep(0.05)
    '''])
    # Threads would take turns; processes do not.
    for work in (lambda: swap("outputs/deep/swap", data), lambda: swap("logs/deep/swap", data),
                 lambda: swap_file("logs/swap.log"),
                 lambda: swap_file(os.path.join(os.environ["ROOST_STACKS"], str(os.getpid())))):
        if os.fork() == 0:
            work()
            os._exit(0)
    open("outputs/own.txt", "w").write("own")
    open("logs/own.log", "w").write("own\\n")
    print("at it", flush=True)
    other.wait()
    for _ in range(4):
        os.wait()
    print("done", flush=True)
"""


def everything_shown(server: RoostServer, run: Dict[str, Any]) -> List[bytes]:
    """All that the server shows of the run."""
    shown = [server.artifact(run, path) for path in server.artifacts(run)]
    shown += [server.log(run, item["name"]) for item in server.get(f"/runs/{run['id']}/logs")["items"]]
    shown.append(repr(server.get_run(run)).encode())
    shown.append(server.api("GET", f"/runs/{run['id']}/metrics").body)
    return shown


def beats(server: RoostServer, run: Dict[str, Any]) -> int:
    """How many samples of the machine came; each came with a heartbeat."""
    series = server.get(f"/runs/{run['id']}/system-metrics")["series"]
    return max((len(one["points"]) for one in series), default=0)


def attack(server: RoostServer, run: Dict[str, Any]) -> None:
    secrets = [(server.data / name).read_bytes().strip() for name in ("owner.token", "secret")]
    assert all(len(secret) >= 16 for secret in secrets)
    wait_until(lambda: b"at it" in server.log(run), 30, "the run is at it")
    [code] = (server.data / "nodes").glob(f"*/runs/{run['id']}-1/code")
    shown: List[bytes] = []
    before = beats(server, run)
    for _ in range(3):
        shown.append(server.api("POST", f"/runs/{run['id']}/stacks").body)
    wait_until(lambda: beats(server, run) > before + 2, 60, "the heartbeat goes on")
    wait_until(lambda: "outputs/own.txt" in server.artifacts(run), 60, "outputs are kept meanwhile")
    (code / "stop").touch()
    run = server.wait(run, timeout=60)
    assert (run["status"], run["attempt"]) == ("Completed", 1), run["error"]
    assert server.log(run) == b"at it\ndone\n"
    assert server.artifact(run, "outputs/own.txt") == b"own" and server.log(run, "logs/own.log") == b"own\n"
    assert any("outputs/fifo" in notice for notice in run["notices"]), run["notices"]
    shown += everything_shown(server, run)
    for secret in [*secrets, b"SQLite format 3"]:
        assert [text[:300] for text in shown if secret in text] == []
    kept = {path: server.artifact(run, path) for path in server.artifacts(run, "outputs/deep/")}
    assert set(kept.values()) <= {b"mine"}, kept


def test_a_run_on_the_host(make_server: MakeServer) -> None:
    server = make_server(IMPATIENT)
    attack(server, server.wait(server.submit(ATTACK, arguments=[str(server.data)]), "Running"))


class TestInAnImage:
    """tests/test_images.py has the base image, and says what it needs."""

    @pytest.fixture
    def base_image(self) -> Iterator[str]:
        missing = [name for name in ("buildah", "mmdebstrap") if shutil.which(name) is None]
        if missing or os.geteuid() != 0:
            pytest.skip(f"not installed: {', '.join(missing)} (tools/setup images)" if missing else "needs root")
        from test_images import BASE, make_base
        if not (BASE / "index.json").exists():
            make_base(BASE)
        yield f"oci:{BASE}:latest"

    def test_a_run_in_an_image(self, make_server: MakeServer, base_image: str) -> None:
        server = make_server(IMPATIENT)
        definition = {"docker": {"baseImage": base_image}, "python": {"userManagedDependencies": True}}
        server.post("/workspaces/default/environments", {"name": "mine", "definition": definition})
        run = server.submit(ATTACK, arguments=[str(server.data)], environment={"name": "mine"})
        attack(server, server.wait(run, "Running", timeout=240))
