"""Snapshots taken and restored by the Python package are those of the command line, bit for bit."""
import os
import random
import sys
import time
from pathlib import Path
from typing import Dict, Tuple

import pytest

from roost_fixture import ROOT, RoostServer, sha256

sys.path.insert(0, str(ROOT / "python"))
from roost import Client, RoostError  # noqa: E402
from roost.snapshot import restore_snapshot, take_snapshot  # noqa: E402
from roost.transfer import download_tree, upload_blobs, upload_files  # noqa: E402

NAMES = ["a", "b", "x.py", "x.pyc", "build", "a b", "é", ".x", "q\"\\", "new\nline", "\x7f", "🐔", "a.b", "a-b", "A"]
RULES = ["*.pyc", "build/", "/a", "!a", "a/**", "**/x.py", "!x.py", "*", "!*/", "b*", "[a-b]", "x.py/", "é", "# no"]


@pytest.fixture(scope="module")
def server(shared_server: RoostServer) -> RoostServer:
    return shared_server


@pytest.fixture
def client(server: RoostServer) -> Client:
    assert server.api_client is not None
    return Client(server.info["url"], Path(server.info["token_file"]).read_text().strip(), server.info.get("ca_file"))


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = tmp_path / "src"
    folder.mkdir()
    return folder


def facts(folder: Path) -> Dict[str, Tuple]:
    found: Dict[str, Tuple] = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_symlink():
            found[name] = ("link", os.readlink(path))
        elif path.is_dir():
            found[name] = ("folder",)
        else:
            found[name] = ("file", path.stat().st_mode & 0o777, path.read_bytes())
    return found


def digest_of_cli(server: RoostServer, source: Path) -> str:
    return server.cli("snapshot", "create", "--source", source).stdout.strip()


def grow(rng: random.Random, root: Path) -> None:
    for _ in range(60):
        parts = [rng.choice(NAMES) for _ in range(rng.randint(1, 4))]
        path = root.joinpath(*parts)
        kind = rng.random()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if kind < 0.1:
                path.mkdir()
            elif kind < 0.25:
                up = "../" * rng.randint(0, len(parts) - 1)
                path.symlink_to(up + rng.choice(NAMES[:9]))
            else:
                path.write_bytes(os.urandom(rng.choice([0, 3, 1000])))
                path.chmod(rng.choice([0o644, 0o755, 0o600, 0o711, 0o664]))
        except OSError:
            continue
    folders = [root] + [path for path in root.rglob("*") if path.is_dir() and not path.is_symlink()]
    name = rng.choice([".gitignore", ".amlignore"])
    for folder in folders:
        for rules in {name, ".gitignore"}:
            if rng.random() < 0.2 and not os.path.lexists(folder / rules):
                lines = [rng.choice(RULES) for _ in range(rng.randint(1, 4))]
                (folder / rules).write_text("\n".join(lines))


@pytest.mark.parametrize("seed", range(int(os.environ.get("ROOST_TREE_ROUNDS", "12"))))
def test_random_trees_have_the_same_digest(server: RoostServer, client: Client, source: Path, tmp_path: Path,
                                           seed: int) -> None:
    grow(random.Random(seed), source)
    from_cli = server.cli("snapshot", "create", "--source", source, check=False)
    try:
        taken = take_snapshot(client, source)
    except RoostError as error:
        assert from_cli.returncode != 0, error.message
        assert error.message in from_cli.stderr
        return
    assert from_cli.stdout.strip() == taken.digest
    server.cli("snapshot", "get", taken.digest, tmp_path / "by-cli")
    assert restore_snapshot(client, taken.digest, tmp_path / "by-python") == taken
    assert facts(tmp_path / "by-cli") == facts(tmp_path / "by-python")


def test_refusals_read_the_same(server: RoostServer, client: Client, source: Path) -> None:
    for i in range(13):
        (source / f"link{i:02}").symlink_to(["/etc/passwd", "../x", "a/../../y"][i % 3])
    os.mkfifo(source / "pipe")
    refused = server.cli("snapshot", "create", "--source", source, check=False)
    assert refused.returncode == 2
    with pytest.raises(RoostError) as caught:
        take_snapshot(client, source)
    assert caught.value.message in refused.stderr
    assert "and 4 more" in caught.value.message


def test_code_taken_by_python_runs(server: RoostServer, client: Client, source: Path) -> None:
    (source / "train.py").write_text("print('from python')")
    taken = take_snapshot(client, source)
    run = server.submit(experiment="birds", snapshot=taken.digest, script="train.py")
    server.wait(run, "Completed")
    assert b"from python" in server.log(run)


def test_unchanged_tree_is_not_read_again(client: Client, source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import roost.tree_scan as scan

    for i in range(200):
        (source / f"{i}.txt").write_text(str(i))
    time.sleep(0.05)
    first = take_snapshot(client, source)

    def never(path: str) -> None:
        raise AssertionError(f"{path} was read")

    monkeypatch.setattr(scan, "digest_file", never)
    assert take_snapshot(client, source) == first


def test_large_files_and_many_small_ones(client: Client, source: Path, tmp_path: Path) -> None:
    (source / "large").write_bytes(os.urandom(20_000_000))
    for i in range(2500):
        (source / f"{i % 50}").mkdir(exist_ok=True)
        (source / f"{i % 50}" / f"{i}.txt").write_text(f"{i} {source}")
    taken = take_snapshot(client, source)
    assert taken.files == 2501
    restore_snapshot(client, taken.digest, tmp_path / "back")
    assert facts(tmp_path / "back") == facts(source)


def test_upload_goes_on_after_half_of_it(server: RoostServer, client: Client, source: Path) -> None:
    content = os.urandom(5_000_000)
    (source / "model.pt").write_bytes(content)
    digest = sha256(content)
    half = server.api("PUT", f"/blobs/{digest}?offset=0", data=content[:2_000_000],
                      content_type="application/octet-stream", check=False)
    assert half.status >= 400
    assert upload_blobs(client, [source / "model.pt"]) == [(digest, 5_000_000)]
    assert server.get(f"/blobs/{digest}") == content


def test_model_files(server: RoostServer, client: Client, source: Path, tmp_path: Path) -> None:
    (source / "net" / "deep").mkdir(parents=True)
    (source / "net" / "deep" / "w.bin").write_bytes(b"w" * 300_000)
    (source / "net" / "config.json").write_text("{}")
    digest = upload_files(client, {"net": source / "net", "labels.txt": source / "net" / "config.json"})
    paths = [entry["path"] for entry in server.get(f"/snapshots/{digest}")["entries"]]
    assert paths == ["labels.txt", "net/config.json", "net/deep/w.bin"]
    written = download_tree(client, digest, tmp_path / "out", prefix="net")
    assert written == [str(tmp_path / "out/net/config.json"), str(tmp_path / "out/net/deep/w.bin")]
    assert (tmp_path / "out/net/deep/w.bin").read_bytes() == b"w" * 300_000


def test_absent_snapshot(client: Client, tmp_path: Path) -> None:
    with pytest.raises(RoostError) as caught:
        restore_snapshot(client, "0" * 64, tmp_path / "x")
    assert caught.value.code == "not_found"
    assert not (tmp_path / "x").exists()
