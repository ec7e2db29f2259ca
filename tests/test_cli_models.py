"""roost model: versions of trained models, from files here and from what runs left behind."""
import os
from pathlib import Path

import pytest

from roost_fixture import RoostServer

TRAIN = """
import os
os.makedirs("outputs/net/deep")
open("outputs/model.pt", "wb").write(b"weights" * 1000)
open("outputs/net/config.json", "w").write("{}")
open("outputs/net/deep/w.bin", "wb").write(b"w" * 300_000)
"""


@pytest.fixture(scope="module")
def server(shared_server: RoostServer) -> RoostServer:
    return shared_server


@pytest.fixture(scope="module")
def run(server: RoostServer) -> str:
    return server.run(TRAIN)["id"]


def files(folder: Path) -> dict:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_a_file_becomes_a_version_and_comes_back(server: RoostServer, tmp_path: Path) -> None:
    content = os.urandom(2_000_000)
    (tmp_path / "model.pt").write_bytes(content)
    first = server.cli("model", "register", "owls", tmp_path / "model.pt", "--tag", "stage=trial", "--tag", "best",
                       "--framework", "PyTorch", "--framework-version", "2.8", "--description", "sees owls",
                       "--property", "epochs=30")
    assert first.stdout == "owls:1\n"
    assert "1 file, 2.0 MB" in first.stderr
    (tmp_path / "model.pt").write_bytes(content[:1000])
    assert server.cli("model", "register", "owls", "model.pt", cwd=tmp_path).stdout == "owls:2\n"

    old = server.cli_json("model", "show", "owls:1")
    assert (old["tags"], old["properties"]) == ({"stage": "trial", "best": None}, {"epochs": "30"})
    assert (old["framework"], old["framework_version"], old["description"]) == ("PyTorch", "2.8", "sees owls")
    assert [(entry["path"], entry["size"]) for entry in old["entries"]] == [("model.pt", 2_000_000)]
    shown = server.cli("model", "show", "owls").stdout
    assert shown.startswith("owls:2\n") and "1.0 kB  model.pt" in shown

    got = server.cli("model", "get", "owls:1", "-o", tmp_path / "out")
    assert got.stdout == f"{tmp_path}/out/model.pt\n"
    assert "SHA-256 verified" in got.stderr
    assert files(tmp_path / "out") == {"model.pt": content}
    server.cli("model", "get", "owls", "-o", tmp_path / "out")
    assert files(tmp_path / "out") == {"model.pt": content[:1000]}


def test_a_folder_keeps_its_name_and_its_links_are_followed(server: RoostServer, tmp_path: Path) -> None:
    (tmp_path / "net" / "empty").mkdir(parents=True)
    (tmp_path / "net" / "run.sh").write_text("#!/bin/sh\n")
    (tmp_path / "net" / "run.sh").chmod(0o755)
    (tmp_path / "net" / ".gitignore").write_text("*.bin")
    (tmp_path / "store").write_bytes(b"w" * 400_000)
    (tmp_path / "net" / "w.bin").symlink_to("../store")
    model = server.cli_json("model", "register", "terns", f"{tmp_path}/net/")
    assert (model["id"], model["files"]) == ("terns:1", 3)
    got = server.cli_json("model", "get", "terns", "-o", tmp_path / "out")
    assert got["downloaded"] == [f"{tmp_path}/out/net/{name}" for name in (".gitignore", "run.sh", "w.bin")]
    assert files(tmp_path / "out" / "net")["w.bin"] == b"w" * 400_000
    assert os.access(tmp_path / "out/net/run.sh", os.X_OK)
    assert (tmp_path / "out/net/empty").is_dir()


def test_what_a_run_left_behind(server: RoostServer, run: str, tmp_path: Path) -> None:
    one = server.cli_json("model", "register", "gulls", "--run", run, "--path", "outputs/model.pt")
    assert (one["run"], one["files"]) == (run, 1)
    assert [entry["path"] for entry in server.cli_json("model", "show", "gulls")["entries"]] == ["model.pt"]
    many = server.cli_json("model", "register", "gulls", "--run", run, "--path", "outputs/net")
    assert (many["version"], many["files"]) == (2, 2)
    server.cli("model", "get", "gulls", "-o", tmp_path)
    assert files(tmp_path) == {"net/config.json": b"{}", "net/deep/w.bin": b"w" * 300_000}
    shown = server.cli("model", "show", "gulls").stdout
    assert run in shown and "net/deep/w.bin" in shown
    assert server.cli("model", "ls", "--run", run, "-q").stdout.split() == ["gulls:2", "gulls:1"]


def test_local_file_with_the_run_it_came_from(server: RoostServer, run: str, tmp_path: Path) -> None:
    (tmp_path / "m").write_text("x")
    assert server.cli_json("model", "register", "rails", tmp_path / "m", "--run", run)["run"] == run


def test_lists(server: RoostServer, tmp_path: Path) -> None:
    (tmp_path / "m").write_text("x")
    for tag in ("a=1", "a=2", "b"):
        server.cli("model", "register", "larks", tmp_path / "m", "--tag", tag, "--framework", "Larky")
    ids = [model["id"] for model in server.cli_json("model", "ls", "larks")["items"]]
    assert ids == ["larks:3", "larks:2", "larks:1"]
    assert server.cli("model", "ls", "larks", "--latest", "-q").stdout == "larks:3\n"
    assert server.cli("model", "ls", "--tag", "a=2", "-q").stdout == "larks:2\n"
    assert server.cli("model", "ls", "--framework", "Larky", "--tag", "b", "-q").stdout == "larks:3\n"
    table = server.cli("model", "ls", "larks").stdout
    assert table.splitlines()[0].split() == ["MODEL", "FRAMEWORK", "SIZE", "CREATED", "TAGS"]
    nothing = server.cli("model", "ls", "no-such-model")
    assert nothing.stdout == "" and "no models" in nothing.stderr


def test_removed_numbers_are_not_given_again(server: RoostServer, tmp_path: Path) -> None:
    (tmp_path / "m").write_text("x")
    server.cli("model", "register", "wrens", tmp_path / "m")
    server.cli("model", "register", "wrens", tmp_path / "m")
    assert server.cli("model", "rm", "wrens:2").stdout == "removed wrens:2\n"
    assert server.cli("model", "ls", "wrens", "-q").stdout == "wrens:1\n"
    assert server.cli("model", "register", "wrens", tmp_path / "m").stdout == "wrens:3\n"
    unsure = server.cli("model", "rm", "wrens", check=False)
    assert unsure.returncode == 2 and "wrens:3" in unsure.stderr


def test_models_stay_in_their_workspace(server: RoostServer, tmp_path: Path) -> None:
    (tmp_path / "m").write_text("x")
    server.cli("workspace", "create", "models-apart")
    server.cli("-w", "models-apart", "model", "register", "kites", tmp_path / "m")
    assert server.cli("model", "show", "kites", check=False).returncode == 3
    assert server.cli("-w", "models-apart", "model", "ls", "-q").stdout == "kites:1\n"


@pytest.mark.parametrize("arguments, code, message", [
    (["register", "x"], 2, "name a file or folder of this machine"),
    (["register", "x", "a", "--path", "b", "--run", "@"], 2, "name a file or folder of this machine"),
    (["register", "x", "--path", "outputs/m"], 2, "name it by --run"),
    (["register", "x", "/no/such/file"], 3, "/no/such/file"),
    (["register", "x", "/dev/null"], 2, "/dev/null is neither a file nor a folder"),
    (["register", "bad name", "/etc/hostname"], 2, "name"),
    (["register", "x", "/etc/hostname", "--property", "novalue"], 2, "key=value"),
    (["register", "x", "--run", "no-such-run", "--path", "outputs/m"], 3, "no-such-run"),
    (["show", "no-such-model"], 3, "no-such-model"),
    (["show", "x:one"], 2, "write it like birds or birds:3"),
    (["get", "no-such-model:7"], 3, "no-such-model"),
    (["rm", "no-such-model:7"], 3, "no-such-model"),
])
def test_wrong_calls_say_what_to_do(server: RoostServer, arguments: list, code: int, message: str) -> None:
    refused = server.cli("model", *arguments, check=False)
    assert (refused.returncode, refused.stdout) == (code, "")
    assert message in refused.stderr


def test_path_that_the_run_does_not_have(server: RoostServer, run: str) -> None:
    refused = server.cli("model", "register", "x", "--run", run, "--path", "outputs/absent", check=False)
    assert refused.returncode == 3
    assert "outputs/absent" in refused.stderr


def test_download_does_not_leave_the_folder(server: RoostServer, run: str, tmp_path: Path) -> None:
    server.cli("model", "register", "crows", "--run", run, "--path", "outputs/net")
    (tmp_path / "victim").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "net").symlink_to(tmp_path / "victim")
    refused = server.cli("model", "get", "crows", "-o", tmp_path / "out", check=False)
    assert refused.returncode != 0 and "symbolic link" in refused.stderr
    assert files(tmp_path / "victim") == {}
