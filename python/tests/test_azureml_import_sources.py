"""Which files are read, and what of a notebook is Python."""

import json
import os

import pytest

from roost.azureml_import import sources
from roost.azureml_import.cells import split_cell
from roost.azureml_import.found import Source
from roost.azureml_import.sources import BadInput, find_files, read_source


def cell(text):
    source = Source("x.ipynb")
    split_cell(text, 1, source)
    return source


def python(text):
    (piece,) = cell(text).pieces
    return piece.text


def shell(text):
    return [(line.text, line.place.line) for line in cell(text).shell_lines]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a = 1", "a = 1\n"),
        ("%matplotlib inline\na = 1", "pass\na = 1\n"),
        ("!ls\na = 1", "pass\na = 1\n"),
        ("if a:\n    !ls\nelse:\n    %cd x", "if a:\n    pass\nelse:\n    pass\n"),
        ("files = !ls\nfiles", "pass\nfiles\n"),
        ("x = %env HOME", "pass\n"),
        ("run?\nrun??\n?run", "pass\npass\npass\n"),
        ("%time fit(x)", "fit(x)\n"),
        ("%time", "pass\n"),
        ("!a \\\n  b\nc", "pass\n\nc\n"),
        ("x = (1\n  % 2)\n!ls", "x = (1\n  % 2)\npass\n"),
        ('s = """\n%not a magic\n"""', 's = """\n%not a magic\n"""\n'),
        ('s = """\n!not shell\n"""\n!shell', 's = """\n!not shell\n"""\npass\n'),
        ("await run()", "await run()\n"),
    ],
)
def test_magics(before, after):
    assert python(before) == after


def test_shell_lines():
    assert shell("!ls -l\n!!pwd\nx = !az ml run list") == [
        ("ls -l", 1),
        ("pwd", 2),
        ("az ml run list", 3),
    ]
    assert shell("%pip install azureml-core") == [("pip install azureml-core", 1)]
    assert shell("%%bash\naz ml run \\\n  list\npwd") == [("az ml run  list", 2), ("pwd", 4)]


@pytest.mark.parametrize(
    "text", ["", "\n \n", "%%html\n<b>", "%%javascript\nvar a = {"]
)
def test_cells_without_python(text):
    assert cell(text).pieces == []


def test_cell_magics_around_python():
    (piece,) = cell("\n%%time\na = 1").pieces
    assert piece.text == "a = 1\n"
    assert piece.place(1).line == 3
    (piece,) = cell("%%writefile $folder/train.py\na = 1").pieces
    assert (piece.place(1).line, piece.target) == (2, "$folder/train.py")
    assert piece.is_python
    (piece,) = cell("%%writefile conda.yml\nname: x").pieces
    assert (piece.target, piece.is_python, piece.text) == ("conda.yml", False, "name: x\n")


def test_broken_python_is_kept_for_the_report():
    assert python("a = (\n!ls\n") == "a = (\npass\n"
    assert python("print 'x'") == "print 'x'\n"


def write_notebook(path, cells, **metadata):
    cells = [{"cell_type": kind, "source": text} for kind, text in cells]
    path.write_text(json.dumps({"cells": cells, "metadata": metadata}))
    return str(path)


def test_cells_count_with_text(tmp_path):
    path = write_notebook(tmp_path / "n.ipynb", [("markdown", "# a"), ("code", ["a\n", "b"])])
    (piece,) = read_source(path).pieces
    assert (piece.cell, piece.text) == (2, "a\nb\n")


def test_old_notebooks(tmp_path):
    sheet = {"cells": [{"cell_type": "code", "input": ["a"]}]}
    (tmp_path / "n.ipynb").write_text(json.dumps({"worksheets": [sheet], "nbformat": 3}))
    (piece,) = read_source(str(tmp_path / "n.ipynb")).pieces
    assert piece.text == "a\n"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "not a notebook"),
        (b"[]", "holds no JSON object"),
        (b"{", "not a notebook"),
        (b"\xff\xfe", "not a notebook"),
        (b"[" * 100000, "not a notebook"),
        (b'{"metadata": {"language_info": {"name": "R"}}}', "a notebook in r"),
    ],
)
def test_not_a_notebook(tmp_path, content, reason):
    (tmp_path / "n.ipynb").write_bytes(content)
    (unread,) = read_source(str(tmp_path / "n.ipynb")).unread
    assert reason in unread.reason


@pytest.mark.parametrize(
    "content",
    [
        b"{}",
        b'{"cells": 1, "metadata": []}',
        b'{"cells": [1, null, {"cell_type": "code"}, {"cell_type": "code", "source": 7}]}',
        b'{"cells": [{"cell_type": "code", "source": [1, null]}], "metadata": {"kernelspec": 1}}',
        b'{"worksheets": [1, {"cells": 2}]}',
    ],
)
def test_strange_notebooks_have_no_code(tmp_path, content):
    (tmp_path / "n.ipynb").write_bytes(content)
    source = read_source(str(tmp_path / "n.ipynb"))
    assert (source.pieces, source.unread) == ([], [])


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"\xef\xbb\xbfa = 1\r\nb\r\n", "a = 1\nb\n"),
        (b"# coding: latin-1\na = '\xe9'\n", "# coding: latin-1\na = 'é'\n"),
        (b"# coding: no-such\na\n", "# coding: no-such\na\n"),
        (b"a = '\xe9'\n", "a = '\N{REPLACEMENT CHARACTER}'\n"),
    ],
)
def test_encodings(tmp_path, content, text):
    (tmp_path / "a.py").write_bytes(content)
    (piece,) = read_source(str(tmp_path / "a.py")).pieces
    assert piece.text == text


def test_what_is_left_out(tmp_path):
    kept = ["a.py", "b/c.ipynb", "env/settings.py", "build/x.py"]
    skipped = [
        ".git/a.py",
        ".ipynb_checkpoints/a.ipynb",
        "node_modules/a.py",
        "v/lib/a.py",
        "conda/lib/a.py",
        "__pycache__/a.py",
        "a.txt",
        "a.pyc",
    ]
    for name in [*kept, *skipped, "v/pyvenv.cfg", "conda/conda-meta/history"]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    found = [os.path.relpath(path, tmp_path) for path in find_files(str(tmp_path))]
    assert sorted(found) == sorted(kept)


def test_links_are_not_followed_round(tmp_path):
    (tmp_path / "a.py").write_text("")
    os.symlink(tmp_path, tmp_path / "again")
    os.symlink(tmp_path / "missing.py", tmp_path / "dangling.py")
    found = find_files(str(tmp_path))
    assert [os.path.basename(path) for path in found] == ["a.py", "dangling.py"]
    (unread,) = read_source(found[1]).unread
    assert unread.reason.startswith("cannot be read")


def test_big_files_and_pipes(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "_LARGEST_SCRIPT", 1 << 20)
    (tmp_path / "big.py").write_bytes(b"#" * (1 << 20) + b"\n")
    (unread,) = read_source(str(tmp_path / "big.py")).unread
    assert unread.reason == "larger than 1 MiB, left out"
    os.mkfifo(tmp_path / "pipe.py")
    (unread,) = read_source(str(tmp_path / "pipe.py")).unread
    assert unread.reason == "not a regular file"
    with pytest.raises(BadInput, match="not a regular file"):
        find_files(str(tmp_path / "pipe.py"))
