import os
import random
import shutil
import subprocess
import time

import pytest

from roost.ignore import IgnoreFile, IgnoreScope, is_ignored

PARTS = ["a", "b", "ab", "x.py", "x.pyc", "build", "a b", "[a]", "a*b", "é", ".x", "#a", "!a", "-"]
PIECES = ["a", "b", "ab", "x", ".py", "*", "**", "?", "/", "**/", "/**", "[ab]", "[!a]", "[a-x]"]
PIECES += ["[[:alpha:]]", "[^b]", "\\*", "\\a", " ", "\\ ", ".", "#", "!", "é", "*/", "\\/", "\\"]
PIECES += ["[", "]", "-", "***", "[[:digit:][:space:]]", "build", "x.pyc"]


def ignored(texts, path, folder):
    """`texts` are ignore files by folder, "" or "a/b/"."""
    parts = path.encode().split(b"/")
    scope = None
    for i in range(len(parts)):
        above = b"".join(part + b"/" for part in parts[:i])
        if above in texts:
            scope = IgnoreScope(scope, above, texts[above])
        if is_ignored(scope, b"/".join(parts[: i + 1]), folder or i + 1 < len(parts)):
            return True
    return False


@pytest.mark.parametrize(
    "text, path, folder, expected",
    [
        ("*.pyc", "a/b.pyc", False, True),
        ("*.pyc", "a/b.py", False, False),
        ("build/", "build", False, False),
        ("build/", "build", True, True),
        ("build/", "x/build/y", False, True),
        ("/build", "x/build", True, False),
        ("a/b", "x/a/b", False, False),
        ("**/a/b", "x/a/b", False, True),
        ("a/**", "a/x/y", False, True),
        ("a/**", "a", True, False),
        ("a/**/b", "a/b", False, True),
        ("a/**/b", "a/x/y/b", False, True),
        ("*\n!a.py", "a.py", False, False),
        ("x/\n!x/a", "x/a", False, True),
        ("x/*\n!x/a", "x/a", False, False),
        ("\\#a", "#a", False, True),
        ("#a", "#a", False, False),
        ("\\!a", "!a", False, True),
        ("a  ", "a", False, True),
        ("a\\ ", "a ", False, True),
        ("a\r\nb\r\n", "b", False, True),
        ("[ab", "[ab", False, False),
        ("[[:upper:]]*", "Readme", False, True),
        ("?", "é", False, False),
        ("\ufeffa", "a", False, True),
        ("", ".git", True, True),
        ("!.git", "x/.git", True, True),
        ("", ".gitignore", False, False),
    ],
)
def test_patterns(text, path, folder, expected):
    assert ignored({b"": text.encode()}, path, folder) is expected


def test_lower_files_decide():
    texts = {b"": b"*.log\n", b"keep/": b"!*.log\n"}
    assert ignored(texts, "a.log", False)
    assert not ignored(texts, "keep/a.log", False)
    assert not ignored({b"": b"/a.txt", b"a/": b"b.txt"}, "b.txt", False)


def random_line(rng):
    line = "!" if rng.random() < 0.25 else ""
    line += "/" if rng.random() < 0.2 else ""
    line += "".join(rng.choice(PIECES) for _ in range(rng.randint(1, 5)))
    line += "/" if rng.random() < 0.2 else ""
    line += "  " if rng.random() < 0.08 else ""
    return line + ("\r\n" if rng.random() < 0.1 else "\n")


def random_tree(rng, root):
    """Makes files; returns the ignore texts and the paths, those of folders with a slash."""
    paths = set()
    for _ in range(40):
        parts = [rng.choice(PARTS) for _ in range(rng.randint(1, 4))]
        place = os.path.join(root, *parts[:-1])
        try:
            os.makedirs(place, exist_ok=True)
            open(os.path.join(place, parts[-1]), "w").close()
        except (FileExistsError, NotADirectoryError, IsADirectoryError):
            continue
        paths.add("/".join(parts))
        paths.update("/".join(parts[:i]) + "/" for i in range(1, len(parts)))
    texts = {}
    for folder in [""] + sorted(path for path in paths if path.endswith("/")):
        if not folder or rng.random() < 0.16:
            text = "".join(random_line(rng) for _ in range(rng.randint(1, 8))).encode()
            texts[folder.encode()] = text
            with open(os.path.join(root, folder, ".gitignore"), "wb") as file:
                file.write(text)
    return texts, sorted(paths)


@pytest.mark.skipif(shutil.which("git") is None, reason="no git on PATH")
@pytest.mark.parametrize("seed", range(int(os.environ.get("ROOST_IGNORE_ROUNDS", "25"))))
def test_same_as_git(seed, tmp_path):
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": "/dev/null",
    }
    root = tmp_path / "tree"
    root.mkdir()
    texts, paths = random_tree(random.Random(seed), str(root))
    subprocess.run(["git", "init", "-q", "."], cwd=root, env=environment, check=True)
    asked = "\0".join(path.rstrip("/") for path in paths)
    answer = subprocess.run(
        ["git", "check-ignore", "--no-index", "-z", "--stdin"],
        cwd=root,
        env=environment,
        input=asked.encode(),
        stdout=subprocess.PIPE,
    )
    assert answer.returncode in (0, 1)
    by_git = set(answer.stdout.decode().split("\0")) - {""}
    ours = {p.rstrip("/") for p in paths if ignored(texts, p.rstrip("/"), p.endswith("/"))}
    assert ours == by_git, texts


def test_no_pattern_takes_forever():
    text = b"a" * 4000
    stars, deep = b"*a" * 400, b"**/*a*/" * 400
    began = time.process_time()  # of this process alone: a busy machine does not count
    for pattern in (stars + b"*b", b"/" + stars + b"*b", deep + b"b", b"x" + b"*" * 100_000 + b"y"):
        assert IgnoreFile(pattern).judge(text, False) is None
    assert IgnoreFile(b"?" * 100_000).judge(text, False) is None
    file = IgnoreFile(b"/" + deep + b"b\n")
    assert file.judge(b"aa/" * 1000 + b"b", False) is True
    assert file.judge(b"aa/" * 1000 + b"ab", False) is None
    assert time.process_time() - began < 20
