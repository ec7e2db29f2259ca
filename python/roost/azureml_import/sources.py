"""Finds scripts and notebooks below a folder and reads them, within bounds."""

from __future__ import annotations

import io
import json
import os
import stat
import tokenize
from typing import Any, Dict, Iterator, List

from .cells import split_cell
from .found import Piece, Source, Unread

_SKIPPED_FOLDERS = {"__pycache__", "node_modules", "site-packages", "venv", "env"}
_MOST_NEIGHBOURS = 200
_LARGEST_SCRIPT = 2 << 20
_LARGEST_NOTEBOOK = 64 << 20  # pictures in the outputs


class BadInput(Exception):
    """The user named something that cannot be read at all."""


def find_files(path: str) -> List[str]:
    """The file itself, or all scripts and notebooks below the folder, in order."""
    if os.path.isdir(path):
        return list(_walk(path))
    if not os.path.exists(path):
        raise BadInput(f"there is no {path}")
    if not path.endswith((".py", ".ipynb")):
        raise BadInput(f"{path} is neither a folder nor a .py or .ipynb file")
    if not os.path.isfile(path):
        raise BadInput(f"{path} is not a regular file")
    return [path]


def find_neighbours(path: str) -> List[str]:
    """Scripts that a single file may import: those beside it and one folder below."""
    folder = os.path.dirname(path) or "."
    found: List[str] = []
    try:
        names = sorted(os.listdir(folder))
        below = [n for n in names if os.path.isfile(os.path.join(folder, n, "__init__.py"))]
        for here in [folder, *(os.path.join(folder, name) for name in below)]:
            scripts = sorted(name for name in os.listdir(here) if name.endswith(".py"))
            found += [os.path.join(here, name) for name in scripts]
    except OSError:
        pass
    own = os.path.realpath(path)
    return [name for name in found if os.path.realpath(name) != own][:_MOST_NEIGHBOURS]


def _walk(folder: str) -> Iterator[str]:
    for here, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not _skipped(here, name))
        for name in sorted(files):
            if name.endswith((".py", ".ipynb")):
                yield os.path.join(here, name)


def _skipped(parent: str, name: str) -> bool:
    if name.startswith("."):
        return True
    if name in ("venv", "env"):  # a plain folder may have such a name
        return _is_environment(os.path.join(parent, name))
    return name in _SKIPPED_FOLDERS or _is_environment(os.path.join(parent, name))


def _is_environment(folder: str) -> bool:
    marks = ("pyvenv.cfg", "conda-meta")
    return any(os.path.exists(os.path.join(folder, mark)) for mark in marks)


def read_source(path: str) -> Source:
    """Never fails: what cannot be read is in `unread`."""
    source = Source(path)
    notebook = path.endswith(".ipynb")
    try:
        facts = os.stat(path)
        if not stat.S_ISREG(facts.st_mode):
            source.unread.append(Unread(None, "not a regular file"))
            return source
        largest = _LARGEST_NOTEBOOK if notebook else _LARGEST_SCRIPT
        if facts.st_size > largest:
            source.unread.append(Unread(None, f"larger than {largest >> 20} MiB, left out"))
            return source
        with open(path, "rb") as file:
            content = file.read(largest)
    except OSError as error:
        source.unread.append(Unread(None, f"cannot be read: {error.strerror}"))
        return source
    if notebook:
        _read_notebook(content, source)
    else:
        source.pieces.append(Piece(_decode(content)))
    return source


def _decode(content: bytes) -> str:
    try:
        encoding = tokenize.detect_encoding(io.BytesIO(content).readline)[0]
        text = content.decode(encoding)
    except (SyntaxError, UnicodeDecodeError, LookupError):
        text = content.decode("utf-8", "replace")
    return "\n".join(text.splitlines()) + "\n"


def _read_notebook(content: bytes, source: Source) -> None:
    try:
        notebook = json.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        source.unread.append(Unread(None, f"not a notebook: {error}"))
        return
    if not isinstance(notebook, dict):
        source.unread.append(Unread(None, "not a notebook: the file holds no JSON object"))
        return
    language = _language(notebook)
    if language != "python":
        source.unread.append(Unread(None, f"a notebook in {language}, not in Python"))
        return
    for number, cell in enumerate(notebook_cells(notebook), 1):
        if isinstance(cell, dict) and cell.get("cell_type") == "code":
            split_cell(cell_text(cell), number, source)


def _language(notebook: Dict[str, Any]) -> str:
    metadata = notebook.get("metadata")
    for key, name in (("language_info", "name"), ("kernelspec", "language")):
        section = metadata.get(key) if isinstance(metadata, dict) else None
        if isinstance(section, dict) and isinstance(section.get(name), str):
            return str(section[name]).lower()
    return "python"


def notebook_cells(notebook: Dict[str, Any]) -> List[Any]:
    cells = notebook.get("cells")
    if isinstance(cells, list):
        return cells
    sheets = notebook.get("worksheets")  # nbformat 3
    found: List[Any] = []
    for sheet in sheets if isinstance(sheets, list) else []:
        if isinstance(sheet, dict) and isinstance(sheet.get("cells"), list):
            found += sheet["cells"]
    return found


def cell_text(cell: Dict[str, Any]) -> str:
    return _text(cell.get("source", cell.get("input", "")))


def _text(source: Any) -> str:
    if isinstance(source, list):
        source = "".join(line for line in source if isinstance(line, str))
    return source if isinstance(source, str) else ""
