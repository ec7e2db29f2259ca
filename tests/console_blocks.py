"""The console blocks of the documents: what is typed, what is shown, and why one is not run.

A block for copying, ```sh after `<!-- run -->`, is run too; each of its lines is a command.

A block is written ```console; its lines that begin with "$ " are typed, those below are what is shown. A line "..." stands for any
lines, "..." within a line for anything. Before a block that cannot be run here stands `<!-- not run: why -->`; that counts for the next
block only.
"""
import re
from pathlib import Path
from typing import List, NamedTuple

from roost_fixture import ROOT

_BLOCK = re.compile(r"(?:^ *<!-- (run|not run: [^>]+?) -->\n+)?^( *)```(console|sh)\n(.*?)^ *```", re.S | re.M)
# What is another each time, and what stands for it. The first that fits a place counts.
_VARYING = [
    (r"\b[\w.-]+_\d{10}_[0-9a-f]{8}\b", r"[\\w.-]+_\\d{10}_[0-9a-f]{8}"),
    (r"\bHD_[0-9a-f-]{36}", r"HD_[0-9a-f-]{36}"),
    (r"\b[\w-]+-\d+-[0-9a-f]{6}\b", r"[\\w-]+-\\d+-[0-9a-f]{6}"),
    (r"https?://[\w.-]+:\d+", r"https?://[\\w.-]+:\\d+"),
    (r"/(?:tmp|home)/[\w./-]*", r"/[\\w./-]+"),
    (r"(?:just now|\d+ (?:s|min|h) ago)", r"(?:just now|\\d+ (?:s|min|h) ago)"),
    (r"\b\d+ (?:min|h) \d+ s\b|\b\d+(?:\.\d+)? (?:ms|s|min|h)\b", r"\\d+(?:\\.\\d+)? (?:ms|s|min|h)(?: \\d+ s)?"),
    (r"\b\d+(?:\.\d+)? (?:B|KB|kB|MB|GB)\b", r"\\d+(?:\\.\\d+)? (?:B|KB|kB|MB|GB)"),
    (r"\b\d+ CPUs\b", r"\\d+ CPUs?"),
    (r"\b[0-9a-f]{64}\b", r"[0-9a-f]{64}"),
]


class Command(NamedTuple):
    line: str
    shown: List[str]


class Block(NamedTuple):
    page: Path
    number: int
    why_not: str  # "" for one that is run
    commands: List[Command]


def pages() -> List[Path]:
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "examples").glob("*/README.md"))]


def blocks(page: Path) -> List[Block]:
    found = []
    for number, (mark, indent, kind, text) in enumerate(_BLOCK.findall(page.read_text(encoding="utf-8")), 1):
        if kind == "sh" and mark != "run":
            continue
        why_not = mark[len("not run: "):] if mark.startswith("not run: ") else ""
        if kind == "sh":
            text = "".join(f"{indent}$ {line.strip()}\n" for line in text.splitlines() if line.strip())
        commands: List[Command] = []
        for line in text.split("\n"):
            line = line[len(indent):] if line.startswith(indent) else line
            if line.startswith("$ "):
                commands.append(Command(line[2:], []))
            elif commands and commands[-1].line.endswith("\\") and not commands[-1].shown:
                commands[-1] = Command(commands[-1].line + "\n" + line, [])
            elif commands:
                commands[-1].shown.append(line.rstrip())
        found.append(Block(page, number, why_not, commands))
    return found


def pattern_of(shown: List[str]) -> str:
    """A regular expression that what was printed has to match as a whole."""
    pattern = ""
    for line in [line for line in shown if line.strip()]:
        pattern += r"(?:.*\n)*?" if line.strip() == "..." else r"[ \t]*" + _line_pattern(line) + r"[ \t]*\n"
    return pattern


def _line_pattern(line: str) -> str:
    pattern, at = "", 0
    line = line.strip()
    places = re.compile("|".join([r"(?P<any>\.\.\.)", r"(?P<blank>\s+)", *(f"(?P<v{i}>{what})" for i, (what, _) in enumerate(_VARYING))]))
    for place in places.finditer(line):
        pattern += re.escape(line[at:place.start()])
        at = place.end()
        if place.lastgroup == "any":
            pattern += ".*"
        elif place.lastgroup == "blank":
            pattern += r"[ \t]+"
        else:
            pattern += _VARYING[int(str(place.lastgroup)[1:])][1].replace("\\\\", "\\")
    return pattern + re.escape(line[at:])
