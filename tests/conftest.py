"""Fixtures: each test has a server of its own unless it says that it shares one."""
import json
import os
import re
import signal
import subprocess
import threading
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Optional

import pytest

from netns import Hosts, can_make_hosts
from roost_fixture import RoostServer
from slurm_cluster import SlurmCluster, make_cluster
from torch_python import TORCH, local_cpu_wheels, make_python

# Short enough for a test to wait for, long enough for a busy machine with two cores.
IMPATIENT = {"heartbeat_seconds": 1, "node_silent_seconds": 3, "node_lost_seconds": 5, "cancel_grace_seconds": 1}

# Fixtures that need root, and those whose users go one after another, however many tests run beside one another.
ROOT_FIXTURES = {"hosts", "three_hosts", "standing_cluster", "base_image", "mounts", "small_memory"}
GROUP_FIXTURES = {"standing_cluster": "slurm", "base_image": "images"}
# The longest begin first, so that nobody waits for the last of them at the end.
LONGEST = ["torch", "slurm", "images", "test_environments.py", "test_definitions.py", "test_pip_in_runs.py", "test_hostile_requests.py",
           "test_azureml_foresight.py", "test_mpi.py", "test_gc.py", "test_faults_answers.py", "test_health.py", "test_bad_input.py",
           "test_faults_server.py", "test_cli_env.py", "test_hosts.py", "test_full_outputs.py", "test_conda.py"]

MakeServer = Callable[..., RoostServer]
_sweepers: List[subprocess.Popen] = []  # a disk can take long to forget thousands of files; tests need not wait


@pytest.fixture
def make_server(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[MakeServer]:
    """make_server(config=None, data=None) starts a server on a new folder; all are closed at the end."""
    servers: List[RoostServer] = []
    failed = request.session.testsfailed

    def make(config: Optional[Dict[str, Any]] = None, data: Optional[Path] = None, start: bool = True) -> RoostServer:
        server = RoostServer(tmp_path / f"server{len(servers)}", config, data)
        servers.append(server)
        return server.start() if start else server

    yield make
    _close(servers, keep=request.session.testsfailed > failed)


@pytest.fixture
def server(make_server: MakeServer) -> RoostServer:
    """`roost up`, with nothing configured."""
    return make_server()


@pytest.fixture
def impatient_server(make_server: MakeServer) -> RoostServer:
    """`roost server` that gives up on silent nodes and stubborn scripts within seconds."""
    return make_server(IMPATIENT)


@pytest.fixture(scope="module")
def make_shared_server(tmp_path_factory: pytest.TempPathFactory,
                       request: pytest.FixtureRequest) -> Iterator[MakeServer]:
    """make_shared_server(config, variables) starts a server for a whole file."""
    servers: List[RoostServer] = []
    failed = request.session.testsfailed

    def make(config: Optional[Dict[str, Any]] = None, variables: Optional[Dict[str, str]] = None) -> RoostServer:
        servers.append(RoostServer(tmp_path_factory.mktemp("shared") / "server", config))
        servers[-1].environment.update(variables or {})
        return servers[-1].start()

    yield make
    _close(servers, keep=request.session.testsfailed > failed)


@pytest.fixture(scope="module")
def shared_server(make_shared_server: MakeServer) -> RoostServer:
    """One server for a whole file, for tests that leave nothing behind or use names of their own."""
    return make_shared_server()


@pytest.fixture
def hosts() -> Iterator[Hosts]:
    """Two hosts with addresses of their own. Ask for them before the server, which must end first."""
    yield from make_hosts(2)


def make_hosts(count: int) -> Iterator[Hosts]:
    if not can_make_hosts():
        pytest.skip("network namespaces cannot be made here: that needs root and iproute2")
    made = Hosts(count)
    yield made
    made.close()


@pytest.fixture(scope="session")
def standing_cluster() -> Iterator[SlurmCluster]:
    """Four nodes of Slurm that share no disk with the server, for all tests. heal() it before use."""
    yield from make_cluster()


@pytest.fixture(scope="module")
def cluster(standing_cluster: SlurmCluster) -> SlurmCluster:
    return standing_cluster.heal()


@pytest.fixture(scope="session")
def torch_python() -> str:
    """A Python with a current PyTorch."""
    if not local_cpu_wheels():
        pytest.skip(f"pip on this machine knows no wheel of {TORCH} for CPUs")
    python = make_python("torch", [TORCH, "numpy"])
    if not python:
        pytest.skip(f"{TORCH} cannot be installed: no package index is reachable")
    return python


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """An empty folder for a run's code; a file of tests may put its script there in a fixture of the same name."""
    folder = tmp_path / "src"
    folder.mkdir()
    return folder


@pytest.fixture
def gate(tmp_path: Path) -> "Gate":
    return Gate(tmp_path / "gate")


@pytest.fixture
def name(request: pytest.FixtureRequest) -> str:
    """A name no other test uses, good for an experiment."""
    return re.sub(r"[^A-Za-z0-9]+", "-", request.node.name).strip("-")[:60]


class Gate:
    """A file that scripts wait for: they stop at wait_code until open()."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.wait_code = f"import os, time\nwhile not os.path.exists({str(path)!r}): time.sleep(0.01)\n"

    def open(self) -> None:
        self.path.touch()


def _close(servers: List[RoostServer], keep: bool) -> None:
    """Ends the servers. Their folders go too, unless a test failed and somebody will want to look."""
    problems = []
    for server in servers:
        try:
            server.close()
        except AssertionError as error:
            problems.append(str(error))
    if not keep and not problems:
        for server in servers:
            _sweepers.append(subprocess.Popen(["rm", "-rf", str(server.folder)], stderr=subprocess.DEVNULL))
    assert not problems, "\n\n".join(problems)


def _tell_times(session: pytest.Session) -> None:
    """Leaves how long each test took, with its fixtures, in the file that tools/test names."""
    path = os.environ.get("ROOST_TEST_TIMES")
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if path and reporter and not os.environ.get("PYTEST_XDIST_WORKER"):
        seconds: Dict[str, float] = {}
        for report in (report for reports in reporter.stats.values() for report in reports if hasattr(report, "duration")):
            name = report.nodeid.split("@")[0]
            seconds[name] = seconds.get(name, 0) + report.duration
        Path(path).write_text(json.dumps([[time, name] for name, time in seconds.items()]), encoding="utf-8")


def _group_of(item: pytest.Item) -> str:
    """A file's tests share servers and stay together; heavy ones of several files go one after another."""
    heavy = item.get_closest_marker("heavy")
    groups = [GROUP_FIXTURES[name] for name in GROUP_FIXTURES if name in getattr(item, "fixturenames", ())]
    return heavy.args[0] if heavy else groups[0] if groups else item.path.name


@pytest.hookimpl(tryfirst=True)  # before xdist and -m look at the marks
def pytest_collection_modifyitems(items: List[pytest.Item]) -> None:
    for item in items:
        if ROOT_FIXTURES & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.root)
        item.add_marker(pytest.mark.xdist_group(_group_of(item)))
    if "PYTEST_XDIST_WORKER" in os.environ:
        place = {name: index for index, name in enumerate(LONGEST)}
        items.sort(key=lambda item: place.get(_group_of(item), len(LONGEST)))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("root") and os.geteuid() != 0:
        pytest.skip("needs root")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """A test that only root can do, and does not say so, would be left out by everybody: tools/test runs the unmarked ones
    as a plain user alone."""
    outcome = yield
    report = outcome.get_result()
    reason = report.longrepr[2] if report.skipped and isinstance(report.longrepr, tuple) else ""
    if "root" in reason and os.geteuid() != 0 and not item.get_closest_marker("root"):
        report.outcome, report.longrepr = "failed", f"{item.nodeid} is skipped ({reason}) but is not marked: pytest.mark.root"


def pytest_configure() -> None:
    """A test run that is told to end (make, timeout) still ends what it started."""

    def leave(*_: object) -> None:
        pytest.exit("terminated", returncode=143)

    # A worker of pytest-xdist may be set up on another thread; the one who started it ends it then.
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, leave)


def pytest_sessionfinish(session: pytest.Session) -> None:
    _tell_times(session)
    for sweeper in _sweepers:
        sweeper.wait(300)
