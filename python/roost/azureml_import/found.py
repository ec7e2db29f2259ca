"""What passes between the parts: pieces of code, uses of azureml in them, and verdicts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Tuple

SAME = "same"
DIFFERENT = "different"
ABSENT = "absent"


@dataclass(frozen=True)
class Place:
    """A line of a script, or of a notebook's cell. Both count from 1, cells as the notebook
    shows them, text included."""

    line: int
    cell: Optional[int] = None

    def __str__(self) -> str:
        return str(self.line) if self.cell is None else f"cell {self.cell}:{self.line}"


@dataclass(frozen=True)
class Piece:
    """Python source with line numbers of its own: a script, a cell, or a file a cell writes."""

    text: str
    cell: Optional[int] = None
    lines_before: int = 0
    scope: str = ""  # pieces of one scope share their variables

    def place(self, line: int) -> Place:
        return Place(line + self.lines_before, self.cell)


@dataclass(frozen=True)
class ShellLine:
    text: str
    place: Place


@dataclass(frozen=True)
class Unread:
    """Code that could not be looked at, and why."""

    place: Optional[Place]
    reason: str


@dataclass
class Source:
    """One file of the user's."""

    path: str
    pieces: List[Piece] = field(default_factory=list)
    shell_lines: List[ShellLine] = field(default_factory=list)
    unread: List[Unread] = field(default_factory=list)


@dataclass(frozen=True)
class Use:
    """One mention of azureml: an import, a call or an attribute.

    `owner` is a module or class, `member` what is taken from it, if anything. `guessed` when the
    type rests on nothing but a variable's name.
    """

    owner: str
    member: str
    place: Place
    called: bool = False
    imported: bool = False
    keywords: Tuple[Tuple[str, Any], ...] = ()  # value: a constant, or UNKNOWN
    positional: Tuple[Any, ...] = ()
    guessed: bool = False
    guarded: bool = False  # inside a try that catches ImportError
    module: str = ""  # where the class was imported from, when that is known

    @property
    def symbol(self) -> str:
        name = f"{self.owner}.{self.member}" if self.member else self.owner
        return name + "()" if self.called else name


class _Unknown:
    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN = _Unknown()


@dataclass(frozen=True)
class Finding:
    symbol: str
    place: Place
    verdict: str
    note: str = ""


@dataclass
class FileReport:
    path: str
    findings: List[Finding]
    unread: List[Unread]

    def count(self, verdict: str) -> int:
        return sum(finding.verdict == verdict for finding in self.findings)

    @property
    def uses_azureml(self) -> bool:
        return bool(self.findings)

    @property
    def runs(self) -> bool:
        return self.count(ABSENT) == 0 and not self.unread

    def as_json(self) -> Dict[str, Any]:
        return {
            "path": self.path,
            "runs": self.runs,
            "uses": [
                {"symbol": f.symbol, "verdict": f.verdict, "note": f.note, **_where(f.place)}
                for f in self.findings
            ],
            "unread": [
                {"reason": u.reason, **(_where(u.place) if u.place else {})} for u in self.unread
            ],
        }


def _where(place: Place) -> Dict[str, int]:
    cell = {} if place.cell is None else {"cell": place.cell}
    return {**cell, "line": place.line}
