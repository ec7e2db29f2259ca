"""Takes what only IPython understands out of a cell, so that the rest is Python.

Lines keep their numbers: a magic becomes `pass`, not nothing.
"""

from __future__ import annotations

import ast
import re
from typing import List, Optional, Tuple

from .found import Piece, ShellLine, Source

_SHELL_CELLS = {"bash", "sh", "!", "script", "system", "sx", "cmd"}
_PYTHON_CELLS = {"time", "timeit", "capture", "prun", "python", "python3", "local", "px"}
_SHELL = re.compile(r"^(\s*)(?:[\w\s,.\[\]]+=\s*)?!{1,2}(.*)$")
_MAGIC = re.compile(r"^(\s*)(?:([\w\s,.\[\]]+)=\s*)?%{1,2}(\w+)(.*)$")
_HELP = re.compile(r"^(\s*)(?:\?{1,2}\s*[\w.*]+|[\w.*]+\s*\?{1,2})\s*(?:#.*)?$")
_SHELL_MAGICS = {"sx", "system"}
_TIMING_MAGICS = {"time", "timeit", "prun"}
_PIP_MAGICS = {"pip", "conda", "az"}


def split_cell(text: str, number: int, source: Source) -> None:
    """Adds the Python and the shell lines of a code cell to `source`."""
    lines = text.splitlines()
    first = next((i for i, line in enumerate(lines) if line.strip()), None)
    if first is None:
        return
    opening = lines[first].strip()
    if not opening.startswith("%%"):
        _add_python(lines, Piece("", number), source)
        return
    magic, _, rest = opening[2:].partition(" ")
    body = lines[first + 1 :]
    piece = Piece("", number, lines_before=first + 1)
    if magic in _SHELL_CELLS:
        for index, line in _logical_lines(body):
            source.shell_lines.append(ShellLine(line.strip(), piece.place(index + 1)))
    elif magic in ("writefile", "file"):
        target = rest.replace("-a ", "").strip()
        piece = Piece("", number, lines_before=first + 1, scope=f"{number}:{target}")
        source.pieces.append(_with_text(piece, body))
    elif magic in _PYTHON_CELLS or _parses("\n".join(body)):
        _add_python(body, piece, source)


def _add_python(lines: List[str], piece: Piece, source: Source) -> None:
    lines = list(lines)
    for _ in range(len(lines)):
        bad = _first_bad_line("\n".join(lines))
        if bad is None or not (1 <= bad <= len(lines)):
            break
        index = _start_of_command(lines, bad - 1)
        if not _replace(lines, index, piece, source):
            break
    if not _parses("\n".join(lines)):
        for index in range(len(lines)):
            _replace(lines, index, piece, source)
    source.pieces.append(_with_text(piece, lines))


def _with_text(piece: Piece, lines: List[str]) -> Piece:
    return Piece("\n".join(lines) + "\n", piece.cell, piece.lines_before, piece.scope)


def _first_bad_line(text: str) -> Optional[int]:
    try:
        ast.parse(text)
    except SyntaxError as error:
        return error.lineno or 0
    except (ValueError, RecursionError, MemoryError):
        return 0
    return None


def _parses(text: str) -> bool:
    return _first_bad_line(text) is None


def _start_of_command(lines: List[str], index: int) -> int:
    """A shell line may go on over backslashes; the parser complains anywhere in it."""
    start = index
    while start > 0 and lines[start - 1].rstrip().endswith("\\"):
        start -= 1
    return start if _SHELL.match(lines[start]) or _MAGIC.match(lines[start]) else index


def _replace(lines: List[str], index: int, piece: Piece, source: Source) -> bool:
    """Puts Python in the place of a magic, shell or help line. False if it is none."""
    line = lines[index]
    shell = _SHELL.match(line)
    magic = _MAGIC.match(line)
    if shell:
        indent, command, python = shell.group(1), shell.group(2), "pass"
    elif magic:
        indent, name, rest = magic.group(1), magic.group(3), magic.group(4)
        command = rest if name in _SHELL_MAGICS else name + rest if name in _PIP_MAGICS else ""
        python = rest.strip() if name in _TIMING_MAGICS and _parses(rest.strip()) else "pass"
        python = python or "pass"
    elif _HELP.match(line):
        indent, command, python = line[: len(line) - len(line.lstrip())], "", "pass"
    else:
        return False
    last, whole = index, command
    while lines[last].rstrip().endswith("\\") and last + 1 < len(lines):
        last += 1
        whole = whole.rstrip().rstrip("\\") + " " + lines[last].strip()
    lines[index] = indent + python
    for following in range(index + 1, last + 1):
        lines[following] = ""
    if whole.strip():
        source.shell_lines.append(ShellLine(whole.strip(), piece.place(index + 1)))
    return True


def _logical_lines(lines: List[str]) -> List[Tuple[int, str]]:
    joined: List[Tuple[int, str]] = []
    going_on = False
    for index, line in enumerate(lines):
        if going_on:
            start, text = joined[-1]
            joined[-1] = (start, text + " " + line.strip().rstrip("\\"))
        else:
            joined.append((index, line.rstrip().rstrip("\\")))
        going_on = line.rstrip().endswith("\\")
    return joined
