import os
import stat
import threading

import pytest
from fake_blob_server import FakeBlobServer, sha256

from roost import Client, RoostError
from roost.blobs import Blob, make_batches, read_frames
from roost.lanes import run_lanes
from roost.snapshot import restore_snapshot, take_snapshot
from roost.transfer import download_tree, upload_blobs, upload_files


class Seen:
    """A bar that remembers."""

    def __init__(self):
        self.total = 0
        self.done = 0
        self.files = []
        self._lock = threading.Lock()  # several uploads go at once

    def set_total(self, total):
        self.total = total

    def advance(self, count):
        with self._lock:
            self.done += count

    def done_file(self, name):
        self.files.append(name)


@pytest.fixture
def server():
    server = FakeBlobServer()
    yield server
    server.stop()


@pytest.fixture
def client(server):
    return Client(server.url, "token", patience_seconds=20)


@pytest.fixture
def tree(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = tmp_path / "src"
    (folder / "sub").mkdir(parents=True)
    (folder / "train.py").write_text("print(1)")
    (folder / "sub" / "run.sh").write_text("#!/bin/sh\n")
    (folder / "sub" / "run.sh").chmod(0o755)
    (folder / "sub" / "link").symlink_to("../train.py")
    (folder / "empty").mkdir()
    (folder / "big").write_bytes(os.urandom(3_000_000))
    return folder


def facts(folder):
    found = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_symlink():
            found[name] = os.readlink(str(path))
        elif path.is_dir():
            found[name] = "folder"
        else:
            found[name] = (path.read_bytes(), stat.S_IMODE(path.stat().st_mode))
    return found


def no_leftovers(folder):
    return not [p for p in folder.rglob("*") if p.name.startswith(".roost-")]


def test_there_and_back(client, server, tree, tmp_path):
    taken = take_snapshot(client, tree)
    assert taken.digest in server.snapshots
    assert (taken.files, taken.size) == (3, 3_000_018)
    assert restore_snapshot(client, taken.digest, tmp_path / "new" / "back") == taken
    assert facts(tmp_path / "new" / "back") == facts(tree)
    assert no_leftovers(tmp_path)


def test_a_second_snapshot_sends_only_what_is_new(client, server, tree):
    take_snapshot(client, tree)
    server.requests.clear()
    take_snapshot(client, tree)
    assert [request[1] for request in server.requests] == ["/api/v1/snapshots"]
    (tree / "train.py").write_text("print(2)")
    take_snapshot(client, tree)
    assert len(server.asked("POST", "/blobs")) == 1
    assert not server.asked("PUT")


def test_small_files_travel_together(client, server, tree):
    for i in range(3000):
        (tree / f"{i}.txt").write_text(str(i))
    seen = Seen()
    take_snapshot(client, tree, progress=seen)
    assert len(server.asked("POST", "/blobs")) == 2
    assert seen.done == seen.total == sum(len(content) for content in server.blobs.values())
    assert len(seen.files) == 3003


def test_cut_upload_goes_on_where_it_broke(client, server, tree):
    server.cut_puts = [1_000_000, 500_000]
    seen = Seen()
    take_snapshot(client, tree, progress=seen)
    assert server.blobs[sha256((tree / "big").read_bytes())]
    assert not server.uploads
    assert seen.done == seen.total


def test_what_somebody_else_is_sending_is_not_sent_twice(client, server, tree):
    server.others_blob, server.others_send = (tree / "big").read_bytes(), 2
    seen = Seen()
    take_snapshot(client, tree, progress=seen)
    assert not server.asked("PUT")
    assert seen.done == seen.total


def test_somebody_else_who_is_slow_is_not_waited_for(client, server, tree):
    server.others_blob, server.others_send = (tree / "big").read_bytes(), 1000
    take_snapshot(client, tree)
    assert len(server.asked("PUT")) == 1


def test_what_was_kept_of_an_earlier_upload_does_not_fit(client, server, tree):
    server.uploads[sha256((tree / "big").read_bytes())] = bytearray(b"wrong" * 100)
    seen = Seen()
    take_snapshot(client, tree, progress=seen)
    assert seen.done == seen.total


def test_busy_server_is_asked_again(client, server, tree):
    server.unavailable = 3
    take_snapshot(client, tree)
    assert len(server.snapshots) == 1


def test_blob_lost_between_is_sent_again(client, server, tree):
    server.forget_once = sha256(b"print(1)")
    take_snapshot(client, tree)
    assert len(server.snapshots) == 1


def test_file_that_changes_meanwhile_is_named(client, tree, monkeypatch):
    real = client.send

    def change_then_send(method, path, *more, **query):
        if path == "/api/v1/snapshots":
            (tree / "train.py").write_text("print(3)")
        return real(method, path, *more, **query)

    monkeypatch.setattr(client, "send", change_then_send)
    with pytest.raises(RoostError, match="train.py changed while it was uploaded") as caught:
        take_snapshot(client, tree)
    assert caught.value.code == "failed_precondition"


def test_big_file_that_shrinks_meanwhile_is_named(client, tree, monkeypatch):
    real = client.send

    def shrink_then_send(method, path, *more, **query):
        if method == "PUT":
            os.truncate(str(tree / "big"), 1000)
        return real(method, path, *more, **query)

    monkeypatch.setattr(client, "send", shrink_then_send)
    with pytest.raises(RoostError, match="big changed while it was uploaded"):
        take_snapshot(client, tree)


def test_upload_files_names_them_as_told(client, server, tree, tmp_path):
    digest = upload_files(
        client, {"model.pt": tree / "big", "./code/main.py": str(tree / "train.py")}, progress=False
    )
    entries = server.snapshots[digest]["entries"]
    assert [entry["path"] for entry in entries] == ["code/main.py", "model.pt"]
    written = download_tree(client, digest, tmp_path / "out")
    assert written == [str(tmp_path / "out/code/main.py"), str(tmp_path / "out/model.pt")]


def test_upload_files_takes_folders_and_follows_symlinks(client, server, tree, tmp_path):
    (tree / "sub" / "outside").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "weights").write_text("w")
    digest = upload_files(client, {"net": tree})
    found = {entry["path"]: entry["mode"] for entry in server.snapshots[digest]["entries"]}
    assert found == {
        "net/big": "100644",
        "net/empty/": "040000",
        "net/sub/link": "100644",
        "net/sub/outside/weights": "100644",
        "net/sub/run.sh": "100755",
        "net/train.py": "100644",
    }


def test_upload_files_refuses_loops_dangling_links_and_bad_names(client, tree):
    (tree / "sub" / "loop").symlink_to("..")
    with pytest.raises(RoostError, match="a folder above it"):
        upload_files(client, {"net": tree})
    (tree / "sub" / "loop").unlink()
    (tree / "sub" / "gone").symlink_to("nothing")
    with pytest.raises(RoostError, match="gone is a symlink to nothing"):
        upload_files(client, {"net": tree})
    for name in ("../x", "/x", "a/../../x", ""):
        with pytest.raises(RoostError) as caught:
            upload_files(client, {name: tree / "train.py"})
        assert caught.value.code == "invalid_argument"
    with pytest.raises(RoostError, match="absent is not there"):
        upload_files(client, {"x": tree / "absent"})


def test_upload_blobs_answers_in_order(client, server, tree):
    server.blobs[sha256(b"print(1)")] = b"print(1)"
    answer = upload_blobs(client, [tree / "sub" / "link", tree / "big", tree / "train.py"])
    assert answer == [
        (sha256(b"print(1)"), 8),
        (sha256((tree / "big").read_bytes()), 3_000_000),
        (sha256(b"print(1)"), 8),
    ]
    assert len(server.asked("PUT")) == 1
    assert len(server.asked("POST", "/blobs")) == 1  # what is missing, and nothing small to send
    assert upload_blobs(client, []) == []


def test_download_takes_a_part(client, tree, tmp_path):
    digest = take_snapshot(client, tree).digest
    assert download_tree(client, digest, tmp_path / "a", prefix="sub") == [
        str(tmp_path / "a/sub/link"),
        str(tmp_path / "a/sub/run.sh"),
    ]
    assert download_tree(client, digest, tmp_path / "b", prefix="./train.py") == [
        str(tmp_path / "b/train.py")
    ]
    with pytest.raises(RoostError, match='no "su" in'):
        download_tree(client, digest, tmp_path / "c", prefix="su")
    assert not (tmp_path / "c").exists()


def test_download_replaces_only_when_told(client, tree, tmp_path):
    digest = take_snapshot(client, tree).digest
    (tmp_path / "out" / "sub").mkdir(parents=True)
    (tmp_path / "out" / "train.py").write_text("mine")
    with pytest.raises(RoostError, match="train.py is there already") as caught:
        download_tree(client, digest, tmp_path / "out")
    assert caught.value.code == "already_exists"
    assert facts(tmp_path / "out") == {"sub": "folder", "train.py": (b"mine", 0o644)}
    download_tree(client, digest, tmp_path / "out", overwrite=True)
    assert facts(tmp_path / "out") == facts(tree)
    download_tree(client, digest, tmp_path / "out", overwrite=True)
    assert no_leftovers(tmp_path)


def test_download_does_not_follow_a_symlink_out(client, tree, tmp_path):
    digest = take_snapshot(client, tree).digest
    (tmp_path / "victim").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "sub").symlink_to(tmp_path / "victim")
    with pytest.raises(RoostError, match="sub must be a folder"):
        download_tree(client, digest, tmp_path / "out", overwrite=True)
    assert not list((tmp_path / "victim").iterdir())
    (tmp_path / "out" / "sub").unlink()
    (tmp_path / "out" / "train.py").symlink_to(tmp_path / "victim" / "x")
    download_tree(client, digest, tmp_path / "out", overwrite=True)
    assert not list((tmp_path / "victim").iterdir())


def test_cut_download_goes_on_where_it_broke(client, server, tree, tmp_path):
    digest = take_snapshot(client, tree).digest
    server.cut_gets = [1_000_000, 1_500_000]
    seen = Seen()
    download_tree(client, digest, tmp_path / "out", progress=seen)
    assert (tmp_path / "out" / "big").read_bytes() == (tree / "big").read_bytes()
    assert [request[2] for request in server.asked("GET", "/blobs")][0] is None
    assert all(request[2] for request in server.asked("GET", "/blobs")[-2:])
    assert seen.done == seen.total


@pytest.mark.parametrize("name", ["big", "train.py"])
def test_wrong_bytes_are_refused_and_nothing_is_left(client, server, tree, tmp_path, name):
    digest = upload_files(client, {"f": tree / name})
    server.damage = True
    with pytest.raises(RoostError) as caught:
        download_tree(client, digest, tmp_path / "out")
    assert caught.value.code == "data_mismatch"
    assert not list((tmp_path / "out").iterdir())


def test_wrong_manifest_is_refused(client, server, tree, tmp_path):
    digest = take_snapshot(client, tree).digest
    server.snapshots[digest]["entries"][0]["path"] = "../../evil"
    with pytest.raises(RoostError, match="evil"):
        download_tree(client, digest, tmp_path / "out")
    server.snapshots[digest]["entries"].pop(0)
    with pytest.raises(RoostError, match="not that of"):
        download_tree(client, digest, tmp_path / "out")
    server.snapshots[digest] = {"entries": [{"path": 1}]}
    with pytest.raises(RoostError, match="not as it should be"):
        download_tree(client, digest, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_restore_wants_a_new_or_empty_folder(client, server, tree, tmp_path):
    digest = take_snapshot(client, tree).digest
    with pytest.raises(RoostError, match="is not an empty folder"):
        restore_snapshot(client, digest, tree)
    (tmp_path / "hollow").mkdir()
    restore_snapshot(client, digest, tmp_path / "hollow")
    assert facts(tmp_path / "hollow") == facts(tree)
    server.damage = True
    with pytest.raises(RoostError):
        restore_snapshot(client, digest, tmp_path / "third")
    assert not (tmp_path / "third").exists()
    assert no_leftovers(tmp_path)


def test_same_content_travels_once(client, server, tree, tmp_path):
    for name in ("copy1", "copy2"):
        (tree / name).write_bytes((tree / "big").read_bytes())
    (tree / "copy2").chmod(0o755)
    digest = take_snapshot(client, tree).digest
    assert len(server.asked("PUT")) == 1
    download_tree(client, digest, tmp_path / "out")
    assert facts(tmp_path / "out") == facts(tree)
    assert len(server.asked("GET", "/blobs")) == 2  # get_blob_upload before, get_blob once


def test_progress_by_a_function(client, tree):
    pieces = []
    take_snapshot(client, tree, progress=pieces.append)
    assert sum(pieces) == 3_000_018


def test_batches():
    def blob(size, name="x"):
        return Blob("d", size, name)

    assert make_batches([]) == []
    batches = make_batches([blob(10), blob(300_000), blob(0), blob(1_000_000)])
    assert [[b.size for b in batch] for batch in batches] == [[1_000_000], [300_000], [10, 0]]
    assert len(make_batches([blob(200_000, str(i)) for i in range(84)])) == 3
    assert [len(batch) for batch in make_batches([blob(0)] * 4100)] == [2000, 2000, 100]


def test_frames_that_end_early():
    assert list(read_frames(b'{"digest":"d","length":2}\nab{"digest":"e","length":0}\n')) == [
        ("d", b"ab"),
        ("e", b""),
    ]
    for body in (b'{"digest":"d","length":3}\nab', b'{"digest":"d"', b"nonsense\n", b"{}\n"):
        with pytest.raises(RoostError):
            list(read_frames(body))


def test_first_failure_ends_all_lanes():
    done = []
    stop = threading.Event()

    def work(item):
        if item == 3:
            raise KeyError(item)
        stop.wait(0.01)
        done.append(item)

    with pytest.raises(KeyError):
        run_lanes(range(1000), work, 4, stop)
    assert stop.is_set()
    assert len(done) < 20
