"""A build that nobody waits for any more ends, with everything it started."""
import socket
from typing import Any, Dict, Iterator

import pytest

from conftest import MakeServer
from processes import processes_with, wait_until
from roost_fixture import RoostServer
from test_environments import define, packages

# Long before pip itself gives up on an index: five times fifteen seconds.
SOON = 10


@pytest.fixture
def silent_index() -> Iterator[str]:
    """An index that takes calls and never answers."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(16)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/simple"


@pytest.fixture
def server(make_server: MakeServer, silent_index: str) -> RoostServer:
    return make_server({"environments": {"index_url": silent_index}})


def submit(server: RoostServer) -> Dict[str, Any]:
    return server.submit("pass", environment=define(server, packages("alpha==1.0")))


def builders(server: RoostServer) -> Any:
    return processes_with(str(server.data / "environments"))


def begun(server: RoostServer) -> None:
    """So far that it has every kind of file that a build has."""
    wait_until(lambda: all(any((server.data / "environments").glob(f"*{kind}")) for kind in (".order", ".work"))
               and len(builders(server)) > 1, 60, "pip is at work")


def ended(server: RoostServer) -> None:
    wait_until(lambda: not builders(server), SOON, "the build has ended")
    wait_until(lambda: not any((server.data / "environments").iterdir()), SOON, "its files are gone")


def test_the_only_run_is_canceled(server: RoostServer) -> None:
    run = submit(server)
    begun(server)
    assert server.cancel(run)["status"] == "Canceled"
    ended(server)
    assert "was not built" not in server.output


def test_another_run_still_waits(server: RoostServer) -> None:
    first, second = submit(server), submit(server)
    begun(server)
    server.cancel(first)
    begun(server)
    assert server.get_run(second)["status"] == "Preparing"
    server.cancel(second)
    ended(server)


def test_a_run_that_comes_while_it_ends_gets_a_build_of_its_own(server: RoostServer) -> None:
    first = submit(server)
    begun(server)
    server.cancel(first)
    second = submit(server)
    wait_until(lambda: builders(server), 30, "another build")
    assert server.get_run(second)["status"] == "Preparing"
    server.cancel(second)
    ended(server)


def test_one_that_was_asked_for_by_itself_goes_on(server: RoostServer) -> None:
    define(server, packages("alpha==1.0"))
    server.api("POST", "/workspaces/default/environments/mine/build", json={})
    begun(server)
    run = submit(server)
    server.cancel(run)
    assert builders(server)
    server.stop()
    assert not builders(server)
