"""The folders of a run may be those of an earlier one; nobody may notice."""
import pytest

from roost_fixture import RoostServer

pytestmark = pytest.mark.both

LIST = "find . -mindepth 1 | sort; ls -A \"$ROOST_SPOOL\""
EMPTY = b"./logs\n./outputs\n"


@pytest.fixture(scope="module")
def server(shared_server: RoostServer) -> RoostServer:
    return shared_server


@pytest.mark.parametrize("before", [
    "true", "echo printed", "echo kept > outputs/model.txt", "echo log > logs/mine.txt", "mkdir code; touch outputs/.hidden",
    "chmod 700 outputs logs .", "rmdir outputs; ln -s /etc outputs", "echo >> $ROOST_SPOOL/a.spool", "exit 3"])
def test_a_run_begins_with_empty_folders_whatever_was_before(server: RoostServer, before: str) -> None:
    usual = server.log(server.run(command="stat -c %a . outputs logs"))
    server.run(command=before)
    run = server.run(command=LIST)
    assert run["status"] == "Completed" and server.log(run) == EMPTY
    assert server.log(server.run(command="stat -c %a . outputs logs")) == usual
    assert [file["path"] for file in server.get(f"/runs/{run['id']}/artifacts")["items"]] == []
