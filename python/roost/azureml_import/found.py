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
    """Source with line numbers of its own: a script, a cell, or a file a cell writes."""

    text: str
    cell: Optional[int] = None
    lines_before: int = 0
    scope: str = ""  # pieces of one scope share their variables

    def place(self, line: int) -> Place:
        return Place(line + self.lines_before, self.cell)

    @property
    def target(self) -> str:
        """The file that a cell writes, as the cell names it; "" for code that runs."""
        return self.scope.partition(":")[2]

    @property
    def is_python(self) -> bool:
        return not self.target or self.target.endswith(".py")


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


YOU = "you"  # to be done before it runs
ROOST = "roost"  # done by Roost without asking; good to know
NOTE = "note"


@dataclass(frozen=True)
class Foreseen:
    """What will happen that names alone do not tell, and by whom it is to be dealt with."""

    by: str
    text: str
    place: Optional[Place] = None
    file: str = ""  # another file than that of the report, as the code names it


RUNS = "runs"
CHANGES = "runs with these changes"
LACKS = "lacks"


@dataclass
class FileReport:
    path: str
    findings: List[Finding]
    unread: List[Unread]
    foreseen: List[Foreseen] = field(default_factory=list)
    submitted: bool = False  # a run starts with it; it is not called by hand
    trial: Any = None  # a Trial, if it was tried

    def count(self, verdict: str) -> int:
        return sum(finding.verdict == verdict for finding in self.findings)

    @property
    def uses_azureml(self) -> bool:
        return bool(self.findings)

    @property
    def runs(self) -> bool:
        """As it stands: nothing lacks, and nothing is left for the user to do."""
        return self.verdict == RUNS or (self.verdict == CHANGES and not self.changes(YOU))

    @property
    def verdict(self) -> str:
        if self.count(ABSENT) or self.unread or self.changes(ABSENT):
            return LACKS
        return CHANGES if self.changes(YOU) or self.changes(ROOST) else RUNS

    def changes(self, by: str) -> List[Foreseen]:
        return [one for one in self.foreseen if one.by == by]

    def as_json(self) -> Dict[str, Any]:
        return {
            "path": self.path,
            "runs": self.runs,
            "verdict": self.verdict,
            "changes": [
                {
                    "by": f.by,
                    "text": f.text,
                    **({"file": f.file} if f.file else {}),
                    **(_where(f.place) if f.place else {}),
                }
                for f in self.foreseen
            ],
            "uses": [
                {"symbol": f.symbol, "verdict": f.verdict, "note": f.note, **_where(f.place)}
                for f in self.findings
            ],
            **({"submitted": True} if self.submitted else {}),
            **({"trial": self.trial.as_json()} if self.trial is not None else {}),
            "unread": [
                {"reason": u.reason, **(_where(u.place) if u.place else {})} for u in self.unread
            ],
        }


def _where(place: Place) -> Dict[str, int]:
    cell = {} if place.cell is None else {"cell": place.cell}
    return {**cell, "line": place.line}
