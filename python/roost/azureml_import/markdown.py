"""The tables of docs/azureml.md, from the table of differences."""

from __future__ import annotations

from typing import Dict, List, Tuple, Union

from .differences import ABSENT_PARTS, SECTIONS, ArgumentRow, Row, Section
from .found import ABSENT, DIFFERENT, SAME

BEGIN = "<!-- tables: begin, made by python -m roost.azureml_import --markdown -->"
END = "<!-- tables: end -->"


def tables() -> str:
    lines: List[str] = [BEGIN]
    for section in SECTIONS:
        lines += _section(section)
    lines += ["", "### Absent packages", "", "| package | what it is | instead |", "|---|---|---|"]
    for part in ABSENT_PARTS:
        classes = ", ".join(f"`{name}`" for name in part.classes[:6])
        more = ", ..." if len(part.classes) > 6 else ""
        what = f"{part.what}: {classes}{more}" if classes else part.what
        lines.append(f"| `{part.module}` | {what} | {part.note} |")
    return "\n".join([*lines, END])


def _section(section: Section) -> List[str]:
    modules = ", ".join(f"`{module}`" for module in section.modules)
    lines = ["", f"### {section.title}", f"Imported from {modules}.", ""]
    lines += ["| class or method | | how, or what instead |", "|---|---|---|"]
    every: List[Union[Row, ArgumentRow]] = [*section.rows, *section.arguments]
    groups: Dict[Tuple[str, str], List[str]] = {}  # what is said once about several
    for row in every:
        groups.setdefault((row.verdict, row.note), []).append(f"`{row.name}`")
    order = {DIFFERENT: 0, ABSENT: 1, SAME: 2}
    for (verdict, note), names in sorted(groups.items(), key=lambda item: order[item[0][0]]):
        lines.append(f"| {', '.join(names)} | {verdict} | {note} |")
    return lines
