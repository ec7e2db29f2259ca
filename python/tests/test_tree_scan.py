import hashlib
import os
import socket
import time

import pytest

from roost import RoostError
from roost import tree_scan as module
from roost.manifest import Entry, check_entries, manifest_text, sort_entries
from roost.tree_scan import scan_tree


@pytest.fixture
def tree(tmp_path):
    folder = tmp_path / "src"
    folder.mkdir()
    return folder


@pytest.fixture
def scan(tree, tmp_path):
    return lambda: scan_tree(str(tree), str(tmp_path / "cache"))


def write(tree, **files):
    for name, text in files.items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(text)


def grow_old():
    """Files just written are not believed."""
    time.sleep(0.05)


def paths(scanned):
    return [entry.path for entry in scanned.entries]


def test_text_of_a_manifest(tree, scan):
    write(tree, **{"a.py": "print()", "b/c": "x", "b.x": "", 'q"\\\n\x01ü': "odd"})
    (tree / "run.sh").write_text("#!/bin/sh\n")
    (tree / "run.sh").chmod(0o755)
    (tree / "empty" / "deep").mkdir(parents=True)
    (tree / "link").symlink_to("b/c")
    scanned = scan()

    def digest(text):
        return hashlib.sha256(text).hexdigest()

    expected = (
        f'["a.py","100644",7,"{digest(b"print()")}"]\n'
        f'["b.x","100644",0,"{digest(b"")}"]\n'
        f'["b/c","100644",1,"{digest(b"x")}"]\n'
        '["empty/deep/","040000"]\n'
        '["link","120000","b/c"]\n'
        f'["q\\"\\\\\\n\\u0001ü","100644",3,"{digest(b"odd")}"]\n'
        f'["run.sh","100755",10,"{digest(b"#!/bin/sh" + bytes([10]))}"]\n'
    ).encode()
    assert manifest_text(scanned.entries) == expected
    assert scanned.digest == digest(expected)
    assert (scanned.files, scanned.size) == (5, 21)


def test_empty_folder_has_the_empty_text(scan):
    assert scan().digest == hashlib.sha256(b"").hexdigest()


def test_only_amlignore_counts_when_there_are_both(tree, scan):
    write(tree, **{".gitignore": "a", ".amlignore": "b", "a": "", "b": "", "sub/.gitignore": "c"})
    write(tree, **{"sub/.amlignore": "d", "sub/c": "", "sub/d": ""})
    assert paths(scan()) == [".amlignore", ".gitignore", "a", "sub/.amlignore"] + [
        "sub/.gitignore",
        "sub/c",
    ]


def test_amlignore_below_the_root_does_not_switch(tree, scan):
    write(tree, **{".gitignore": "a", "sub/.amlignore": "c", "a": "", "sub/c": ""})
    assert paths(scan()) == [".gitignore", "sub/.amlignore", "sub/c"]


def test_folder_that_the_rules_leave_empty_is_kept(tree, scan):
    write(tree, **{".gitignore": "*.log", "logs/a.log": ""})
    assert paths(scan()) == [".gitignore", "logs/"]


def test_everything_that_cannot_be_kept_is_named(tree, scan):
    (tree / "sub").mkdir()
    (tree / "absolute").symlink_to("/etc/passwd")
    (tree / "sub" / "up").symlink_to("../../x")
    (tree / "sub" / "fine").symlink_to("../x")
    (tree / "here").symlink_to("sub")
    (tree / "through").symlink_to("here/../x")
    os.mkfifo(str(tree / "pipe"))
    with open(os.fsencode(str(tree)) + b"/bad\xff", "w"):
        pass
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tree / "socket"))
        with pytest.raises(RoostError) as caught:
            scan()
    assert caught.value.code == "invalid_argument"
    assert caught.value.message == (
        f"cannot take a snapshot of {tree}; remove these or leave them out by .gitignore:\n"
        "  absolute is a symlink to the absolute path /etc/passwd\n"
        "  bad\ufffd has a name that is not UTF-8\n"
        "  pipe is a named pipe\n"
        "  socket is a socket\n"
        "  sub/up is a symlink out of the folder, to ../../x\n"
        "  through is a symlink to here/../x, which goes through another symlink and then up"
    )


def test_ignored_things_are_not_refused(tree, scan):
    (tree / "out").symlink_to("/tmp")
    write(tree, **{".amlignore": "/out\n"})
    assert paths(scan()) == [".amlignore"]


def test_amlignore_behind_a_symlink_is_refused(tree, scan):
    write(tree, rules="*.log")
    (tree / ".amlignore").symlink_to("rules")
    with pytest.raises(RoostError, match="ignore rules must be in a file"):
        scan()


def test_missing_folder_and_file_for_folder(tree, tmp_path):
    with pytest.raises(RoostError, match="there is no folder"):
        scan_tree(str(tree / "absent"), str(tmp_path / "cache"))
    write(tree, file="")
    with pytest.raises(RoostError, match="is not a folder"):
        scan_tree(str(tree / "file"), str(tmp_path / "cache"))


def test_unchanged_files_are_not_read_again(tree, scan, monkeypatch):
    write(tree, **{"a": "1", "b/c": "2", ".gitignore": "x"})
    grow_old()
    first = scan()
    assert first.hashed == 3
    opened = []
    real = module.digest_file
    monkeypatch.setattr(module, "digest_file", lambda path: opened.append(path) or real(path))
    assert scan() == first._replace(hashed=0)
    write(tree, **{"b/c": "3"})
    changed = scan()
    assert opened == [str(tree / "b/c")]
    assert changed.digest != first.digest


def test_a_file_changed_in_place_with_its_time_kept_is_seen(tree, scan):
    write(tree, a="one")
    grow_old()
    before = scan()
    info = os.stat(tree / "a")
    (tree / "a").write_text("two")
    os.utime(tree / "a", ns=(info.st_atime_ns, info.st_mtime_ns))
    assert scan().digest != before.digest


def test_file_written_during_the_scan_is_read_again(tree, scan):
    write(tree, a="one")
    os.utime(tree / "a", (time.time() + 60, time.time() + 60))
    assert scan().hashed == 1
    assert scan().hashed == 1  # too young to be believed


def test_mode_alone_is_a_change(tree, scan):
    write(tree, a="one")
    grow_old()
    before = scan()
    (tree / "a").chmod(0o755)
    assert scan().entries[0].mode == "100755" != before.entries[0].mode


@pytest.mark.parametrize("damage", ["flip", "cut", "foreign", "folder"])
def test_damaged_cache_is_no_cache(tree, scan, tmp_path, damage):
    write(tree, a="one", b="two")
    grow_old()
    first = scan()
    (file,) = (tmp_path / "cache" / "digests").iterdir()
    content = bytearray(file.read_bytes())
    if damage == "flip":
        content[-20] ^= 1
        file.write_bytes(bytes(content))
    elif damage == "cut":
        file.write_bytes(bytes(content[: len(content) // 2]))
    elif damage == "foreign":
        body = b'["not a cache"]'
        head = b"roost-digests-1 " + hashlib.sha256(body).hexdigest().encode() + b"\n"
        file.write_bytes(head + body)
    else:
        file.unlink()
        file.mkdir()
    assert scan() == first


def test_read_only_cache_is_no_matter(tree):
    write(tree, a="one")
    assert scan_tree(str(tree), "/proc/nowhere").files == 1


def test_file_that_keeps_changing_is_refused(tree, scan, monkeypatch):
    write(tree, a="one")
    times = iter(range(100))
    real = module.stamp_of

    def restless(info):
        size, mtime, _, *rest = real(info)
        return (size, mtime, next(times), *rest)

    monkeypatch.setattr(module, "stamp_of", restless)
    with pytest.raises(RoostError, match="a keeps changing while it is read"):
        scan()


def test_unreadable_file_is_refused(tree, scan, monkeypatch):
    write(tree, a="one")

    def refuse(_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(module, "digest_file", refuse)
    with pytest.raises(RoostError, match="a cannot be read: Permission denied"):
        scan()


def test_file_that_goes_meanwhile_is_left_out(tree, scan, monkeypatch):
    write(tree, a="one", b="two")
    real = module.digest_file

    def vanish(path):
        if path.endswith("a"):
            raise FileNotFoundError(2, "No such file")
        return real(path)

    monkeypatch.setattr(module, "digest_file", vanish)
    assert paths(scan()) == ["b"]


D = "0" * 64


@pytest.mark.parametrize(
    "entries",
    [
        [Entry("/a", "100644", 0, D)],
        [Entry("../a", "100644", 0, D)],
        [Entry("a/../b", "100644", 0, D)],
        [Entry("a//b", "100644", 0, D)],
        [Entry("", "100644", 0, D)],
        [Entry("a\0", "100644", 0, D)],
        [Entry("a" * 256, "100644", 0, D)],
        [Entry("a", "100644", 0, "D" * 64)],
        [Entry("a", "100644", -1, D)],
        [Entry("a", "100600", 0, D)],
        [Entry("a", "040000")],
        [Entry("a/", "100644", 0, D)],
        [Entry("b", "100644", 0, D), Entry("a", "100644", 0, D)],
        [Entry("a", "100644", 0, D), Entry("a", "100644", 0, D)],
        [Entry("a", "100644", 0, D), Entry("a/b", "100644", 0, D)],
        [Entry("a", "120000", target="."), Entry("a/b", "100644", 0, D)],
        [Entry("a/", "040000"), Entry("a/b", "100644", 0, D)],
        [Entry("a", "120000", target="..")],
        [Entry("a", "120000", target="/etc")],
        [Entry("a", "120000", target="")],
    ],
)
def test_entries_that_could_leave_a_folder_are_refused(entries):
    with pytest.raises(RoostError):
        check_entries(entries)


def test_entries_sort_by_bytes():
    names = ["a/b", "a.b", "a", "é", "z", "\U0001f414", "\uffff"]
    entries = sort_entries([Entry(name, "100644", 0, D) for name in names])
    assert [entry.path for entry in entries] == sorted(names, key=str.encode)
