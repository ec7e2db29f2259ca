"""roost workspace."""
from pathlib import Path

import pytest

from roost_fixture import RoostServer


@pytest.fixture(scope="module")
def server(shared_server: RoostServer) -> RoostServer:
    return shared_server


def test_made_listed_and_shown(server: RoostServer) -> None:
    made = server.cli("workspace", "create", "vision")
    assert made.stdout == "vision\n"
    assert "--workspace vision" in made.stderr
    assert {"default", "vision"} <= set(server.cli("workspace", "ls", "-q").stdout.split())
    assert [item for item in server.cli_json("workspace", "ls")["items"] if item["name"] == "vision"]
    assert "vision" in server.cli("workspace", "ls").stdout
    shown = server.cli("workspace", "show", "vision").stdout
    assert shown.startswith("vision\n") and "local" in shown and "experiments  none" in shown
    assert server.cli_json("workspace", "show", "vision") == server.get("/workspaces/vision")


def test_show_is_of_the_one_in_use(server: RoostServer) -> None:
    assert server.cli_json("workspace", "show")["name"] == "default"
    server.cli("workspace", "create", "speech")
    assert server.cli_json("-w", "speech", "workspace", "show")["name"] == "speech"


def test_runs_stay_in_theirs(server: RoostServer, tmp_path: Path) -> None:
    server.cli("workspace", "create", "apart")
    (tmp_path / "train.py").write_text("print(1)")
    server.cli("-w", "apart", "submit", "-e", "birds", "-s", tmp_path, "--", "python3", "train.py")
    assert server.cli_json("-w", "apart", "runs")["items"]
    assert "birds" in server.cli("workspace", "show", "apart").stdout


@pytest.mark.parametrize("arguments, code", [
    (["create", "default"], 1), (["create", "no blanks"], 2), (["create", ""], 2), (["show", "no-such-place"], 3),
])
def test_refusals(server: RoostServer, arguments: list, code: int) -> None:
    refused = server.cli("workspace", *arguments, check=False)
    assert (refused.returncode, refused.stdout) == (code, "")
    assert refused.stderr.startswith("roost: ")
