"""A notebook as a script, to be tried without Jupyter: its cells, with the magics that matter."""

from __future__ import annotations

import json
from typing import Any, List

from .cells import split_cell
from .found import Source
from .sources import cell_text, notebook_cells

_PRELUDE = """\
def _roost_shell(command, names):
    import re, subprocess
    command = re.sub(r"\\\\{(\\\\w+)\\\\}|\\\\$(\\\\w+)",
                     lambda m: str(names.get(m.group(1) or m.group(2), m.group(0))), command)
    return subprocess.call(command, shell=True)

def _roost_write(path, text, names):
    import os, re
    path = re.sub(r"\\\\{(\\\\w+)\\\\}|\\\\$(\\\\w+)",
                  lambda m: str(names.get(m.group(1) or m.group(2), m.group(0))), path)
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "w") as file:
        file.write(text)

def display(*values):
    print(*values)

""".replace("\\\\", "\\")


def as_script(content: str) -> str:
    """Raises ValueError if it is no notebook."""
    notebook = json.loads(content)
    if not isinstance(notebook, dict):
        raise ValueError("the file holds no JSON object")
    parts: List[str] = [_PRELUDE]
    for number, cell in enumerate(notebook_cells(notebook), 1):
        if isinstance(cell, dict) and cell.get("cell_type") == "code":
            parts.append(_cell(cell_text(cell), number))
    return "\n".join(parts)


def _cell(text: str, number: int) -> str:
    first, _, rest = text.lstrip().partition("\n")
    if first.startswith(("%%writefile", "%%file")):
        path = first.split(None, 1)[1].replace("-a ", "").strip() if " " in first else ""
        return f"_roost_write({path!r}, {rest!r}, globals())\n"
    source = Source("")
    split_cell(text, number, source)
    if not source.pieces:
        return "\n".join(_shell(line.text) for line in source.shell_lines) + "\n"
    piece = source.pieces[0]
    lines: List[Any] = piece.text.split("\n")
    for command in source.shell_lines:
        index = command.place.line - piece.lines_before - 1
        if 0 <= index < len(lines) and lines[index].strip() == "pass":
            lines[index] = lines[index].replace("pass", _shell(command.text))
    return "\n".join(lines)


def _shell(command: str) -> str:
    return f"_roost_shell({command!r}, globals())"
