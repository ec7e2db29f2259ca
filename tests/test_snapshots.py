"""A folder handed in by the command line, and given back exactly."""
import os
import stat
import subprocess
from pathlib import Path
from typing import Dict, Optional, Tuple

import pytest

from roost_fixture import RoostServer, sha256


@pytest.fixture(scope="module")
def server(shared_server: RoostServer) -> RoostServer:
    return shared_server


def tree(folder: Path) -> Dict[str, Tuple]:
    """Everything about a tree that a snapshot keeps: files, modes, symlinks, empty folders."""
    found: Dict[str, Tuple] = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_symlink():
            found[name] = ("link", os.readlink(path))
        elif path.is_dir():
            if not any(path.iterdir()):
                found[name] = ("empty folder",)
        else:
            found[name] = ("file", bool(path.stat().st_mode & stat.S_IXUSR), path.read_bytes())
    return found


def write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def create(server: RoostServer, source: Path) -> str:
    return server.cli("snapshot", "create", "--source", source).stdout.strip()


def paths(server: RoostServer, digest: str) -> list:
    """Its files. Folders that the rules left empty are entries too, and do not count here."""
    return [entry["path"] for entry in server.get(f"/snapshots/{digest}")["entries"] if entry["mode"] != "040000"]


def test_restore_gives_back_the_exact_tree(server: RoostServer, source: Path, tmp_path: Path) -> None:
    write(source, **{"train.py": "print(1)", "deep/er/data.txt": "x" * 100_000, "ü 🐔/a b.txt": "text", "empty.txt": "",
                     "new\nline": "odd", "quote'\"\\": "odd"})
    (source / "run.sh").write_text("#!/bin/sh\n")
    (source / "run.sh").chmod(0o755)
    (source / "bin.dat").write_bytes(os.urandom(3_000_000))
    (source / "nothing" / "here").mkdir(parents=True)
    (source / "link").symlink_to("train.py")
    (source / "deep" / "up").symlink_to("../train.py")
    (source / "deep" / "folder").symlink_to("er")
    (source / "dangling").symlink_to("not-there")
    digest = create(server, source)
    server.cli("snapshot", "get", digest, tmp_path / "back")
    assert tree(tmp_path / "back") == tree(source)
    assert create(server, tmp_path / "back") == digest


def test_run_sees_the_same_tree(server: RoostServer, source: Path) -> None:
    write(source, **{"data/a.txt": "a", "train.py": """
import os
print(open("link").read(), os.readlink("link"), os.access("run.sh", os.X_OK), os.access("data/a.txt", os.X_OK))
print(os.path.isdir("hollow"), os.listdir("hollow"))
"""})
    (source / "run.sh").write_text("#!/bin/sh\n")
    (source / "run.sh").chmod(0o755)
    (source / "link").symlink_to("data/a.txt")
    (source / "hollow").mkdir()
    done = server.cli("submit", "--experiment", "tree", "--source", source, "--", "python", "train.py")
    assert done.stdout == "a data/a.txt True False\nTrue []\n"


@pytest.mark.parametrize("target", ["/etc/passwd", "../outside", "deep/../../outside"])
def test_symlink_that_leads_out_is_refused_by_name(server: RoostServer, source: Path, target: str) -> None:
    write(source, **{"train.py": "", "deep/x": ""})
    (source / "bad-link").symlink_to(target)
    done = server.cli("submit", "--experiment", "e", "--source", source, "--", "true", check=False)
    assert done.returncode == 122 and "bad-link" in done.stderr


@pytest.mark.parametrize("ignore_file", [".amlignore", ".gitignore"])
def test_ignore_rules(server: RoostServer, source: Path, ignore_file: str) -> None:
    write(source, **{ignore_file: "*.log\n!keep.log\n/data/\ncache/**\n# comment\n\\#odd\n", "train.py": "",
                     "a.log": "", "keep.log": "", "data/x": "", "sub/data/x": "", "cache/y": "", "#odd": "",
                     "sub/b.log": "", f"sub/{ignore_file}": "only-here.txt\n", "sub/only-here.txt": "",
                     "only-here.txt": ""})
    found = paths(server, create(server, source))
    kept = [path for path in found if not path.endswith("ignore")]
    assert kept == ["keep.log", "only-here.txt", "sub/data/x", "train.py"]


def test_amlignore_counts_alone(server: RoostServer, source: Path) -> None:
    write(source, **{".amlignore": "a.txt\n", ".gitignore": "b.txt\n", "a.txt": "", "b.txt": ""})
    found = paths(server, create(server, source))
    assert "b.txt" in found and "a.txt" not in found


def test_ignore_rules_agree_with_git(server: RoostServer, source: Path) -> None:
    patterns = ["*.pyc", "build/", "/top.txt", "doc/*.txt", "**/tmp", "a/**/z", "!important.pyc", "x[0-9].dat",
                "trailing ", "sp\\ ace", "*.o", "!/src/*.o", "ünicode*", "[!a]b.c", "dir/**"]
    names = ["a.pyc", "important.pyc", "build/x", "sub/build/x", "top.txt", "sub/top.txt", "doc/a.txt", "doc/sub/a.txt",
             "tmp", "s/tmp/x", "a/z", "a/b/z", "a/b/c/z", "x1.dat", "xa.dat", "trailing", "sp ace", "m.o", "src/m.o",
             "src/s/m.o", "ünicode-1", "ab.c", "bb.c", "dir/x/y", "plain.txt"]
    write(source, **{".gitignore": "\n".join(patterns) + "\n", **{name: "x" for name in names}})
    subprocess.run(["git", "init", "-q"], cwd=source, check=True, timeout=20)
    command = ["git", "ls-files", "-z", "--others", "--exclude-standard"]
    environment = {**server.environment, "GIT_CONFIG_GLOBAL": os.devnull}
    listed = subprocess.check_output(command, cwd=source, env=environment, timeout=20)
    expected = sorted(listed.decode().split("\0")[:-1], key=str.encode)
    assert [path for path in paths(server, create(server, source)) if not path.startswith(".git/")] == expected


@pytest.mark.parametrize("kind", ["fifo", "socket"])
def test_things_that_are_not_files_are_refused_by_name(server: RoostServer, source: Path, kind: str) -> None:
    write(source, **{"train.py": ""})
    os.mknod(source / "odd", 0o600 | (stat.S_IFIFO if kind == "fifo" else stat.S_IFSOCK))
    done = server.cli("snapshot", "create", "--source", source, check=False, timeout=20)
    assert done.returncode == 2 and "odd" in done.stderr


def test_changed_file_is_noticed_in_spite_of_the_stat_cache(server: RoostServer, source: Path) -> None:
    write(source, **{"train.py": "one", "same.py": "same"})
    first = create(server, source)
    info = (source / "train.py").stat()
    (source / "train.py").write_text("two")  # same size; and the times are put back
    os.utime(source / "train.py", ns=(info.st_atime_ns, info.st_mtime_ns))
    second = create(server, source)
    assert first != second
    entries = {entry["path"]: entry["digest"] for entry in server.get(f"/snapshots/{second}")["entries"]}
    assert entries["train.py"] == sha256(b"two")


def test_restore_into_a_full_folder_is_refused(server: RoostServer, source: Path, tmp_path: Path) -> None:
    write(source, **{"train.py": ""})
    write(tmp_path / "full", **{"mine": "precious"})
    digest = create(server, source)
    done = server.cli("snapshot", "get", digest, tmp_path / "full", check=False)
    assert done.returncode != 0 and "full" in done.stderr
    assert tree(tmp_path / "full") == {"mine": ("file", False, b"precious")}


def test_restore_of_a_run(server: RoostServer, source: Path, tmp_path: Path) -> None:
    write(source, **{"train.py": "print(1)"})
    run = server.cli("submit", "--experiment", "r", "--source", source, "-d", "--", "python", "train.py").stdout.strip()
    server.cli("snapshot", "get", run, tmp_path / "back")
    assert tree(tmp_path / "back") == tree(source)
    server.wait(run)


def test_many_files(server: RoostServer, source: Path, tmp_path: Path) -> None:
    for i in range(3000):
        (source / f"{i % 30}").mkdir(exist_ok=True)
        (source / f"{i % 30}" / f"{i}.txt").write_text(f"file {i}\n")
    digest = create(server, source)
    assert len(paths(server, digest)) == 3000
    server.cli("snapshot", "get", digest, tmp_path / "back")
    assert tree(tmp_path / "back") == tree(source)


@pytest.mark.parametrize("ignore_file", [None, ".amlignore", ".gitignore"])
def test_a_data_folder_in_the_source_is_no_part_of_it(tmp_path: Path, ignore_file: Optional[str]) -> None:
    """`roost up --data ./data` and `roost submit` in the same folder: the owner's token must not travel with the code."""
    source = tmp_path / "project"
    write(source, **{"train.py": "print('trained')", **({ignore_file: "*.tmp\n"} if ignore_file else {})})
    own = RoostServer(tmp_path, data=source / "data").start()
    try:
        for _ in range(2):  # the second time there are runs and blobs in it
            run = own.cli("submit", "-e", "x", "--source", source, "--", "python3", "train.py", cwd=source)
            assert "trained" in run.stdout
        taken = own.cli("snapshot", "create", "--source", source).stdout.strip()
        own.cli("snapshot", "get", taken, tmp_path / "back")
        back = tree(tmp_path / "back")
        assert back.pop("data") == ("empty folder",)
        assert set(back) == {"train.py", *([ignore_file] if ignore_file else [])}
    finally:
        own.close()
