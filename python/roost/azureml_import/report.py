"""The report as text for people and as JSON for programs."""

from __future__ import annotations

import os
import re
import textwrap
from typing import Any, Dict, List

from .config_file import ConfigFile
from .found import (
    ABSENT,
    CHANGES,
    DIFFERENT,
    LACKS,
    NOTE,
    ROOST,
    RUNS,
    SAME,
    YOU,
    FileReport,
    Finding,
    Foreseen,
    Unread,
)

_WORDS = {SAME: "has", DIFFERENT: "differs", ABSENT: "lacks"}
_COLOURS = {SAME: "32", DIFFERENT: "33", ABSENT: "31"}
_VERDICTS = {RUNS: "32", CHANGES: "33", LACKS: "31"}
_BY = {ABSENT: ("lacks", "31"), YOU: ("you", "33"), ROOST: ("roost", "36"), NOTE: ("note", "2")}
_UNASKED = "No server was asked, so that it has the workspace, computes and data was not looked at."
_MARGIN = " " * 11
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


class Style:
    def __init__(self, colours: bool, width: int = 100) -> None:
        self._colours = colours
        self.width = max(40, min(width, 120))

    def paint(self, text: str, code: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self._colours and text else text


def as_json(reports: List[FileReport], config: ConfigFile) -> Dict[str, Any]:
    concerned = _concerned(reports)
    return {
        "files": [report.as_json() for report in concerned],
        "config": config.as_json(),
        "summary": {
            "files_read": len(reports),
            "files_with_azureml": len(concerned),
            "files_that_run": sum(report.runs for report in concerned),
            **{_WORDS[v]: sum(r.count(v) for r in concerned) for v in (SAME, DIFFERENT, ABSENT)},
            "unread": sum(len(report.unread) for report in concerned),
        },
    }


def exit_code(reports: List[FileReport]) -> int:
    good = all(report.runs for report in _concerned(reports))
    return 0 if good and all(r.trial is None or r.trial.ran for r in reports) else 1


def as_text(
    reports: List[FileReport], config: ConfigFile, style: Style, quiet: bool, asked: bool = True
) -> str:
    """`asked`: whether a server said what it has."""
    lines: List[str] = []
    concerned = _concerned(reports)
    for report in concerned:
        lines += _one_line(report, style) if quiet else _file(report, style)
    if concerned and not quiet:
        lines += _config(config, style)
        lines += [] if asked else [_UNASKED, ""]
    lines.append(_total(reports, concerned, style))
    return "\n".join(lines)


def _concerned(reports: List[FileReport]) -> List[FileReport]:
    return [report for report in reports if report.uses_azureml or report.unread]


def _total(reports: List[FileReport], concerned: List[FileReport], style: Style) -> str:
    if not reports:
        return "No .py or .ipynb file here."
    if not concerned:
        return f"No use of azureml in {_count(len(reports), 'file')}."
    running = sum(report.runs for report in concerned)
    differing = sum(report.runs and report.count(DIFFERENT) > 0 for report in concerned)
    total = f"{running} of {_count(len(concerned), 'file')} run unchanged"
    if len(concerned) == 1:
        total = "The file runs unchanged" if running else "The file does not run unchanged"
    text = style.paint(total, "1")
    if differing and len(concerned) > 1:
        text += f", {differing} of them with a difference to know of"
    elif differing:
        text += ", with a difference to know of"
    others = len(reports) - len(concerned)
    if others:
        text += f". {_count(others, 'other file')} without azureml"
    return text + "."


def _one_line(report: FileReport, style: Style) -> List[str]:
    word = {LACKS: "lacks", CHANGES: "changes", RUNS: "runs"}[report.verdict]
    painted = style.paint(f"{word:8}", _VERDICTS[report.verdict])
    return [f"{painted} {_shown(report.path)}  {_counts(report)}"]


def _counts(report: FileReport) -> str:
    counts = [f"{_WORDS[v]} {report.count(v)}" for v in (ABSENT, DIFFERENT, SAME)]
    if report.unread:
        counts.append(f"unread {len(report.unread)}")
    return ", ".join(count for count in counts if not count.endswith(" 0"))


def _file(report: FileReport, style: Style) -> List[str]:
    verdict = style.paint(report.verdict, _VERDICTS[report.verdict])
    lines = [f"{style.paint(_shown(report.path), '1')}  {verdict}  ({_counts(report)})"]
    for unread in report.unread:
        lines += _unread(report, unread, style)
    for by in _BY:
        for one in report.changes(by):
            lines += _change(report, one, style)
    if report.trial is not None:
        lines += _trial(report, style)
    for verdict in (ABSENT, DIFFERENT, SAME):
        groups: Dict[str, List[Finding]] = {}
        for finding in report.findings:
            if finding.verdict == verdict:
                groups.setdefault(finding.note, []).append(finding)
        for note, findings in groups.items():
            lines += _group(report, verdict, note, findings, style)
    return [*lines, ""]


def _unread(report: FileReport, unread: Unread, style: Style) -> List[str]:
    where = f"{_name(report)}:{unread.place}" if unread.place else _name(report)
    return [f"  {style.paint('unread  ', '31')} {where}  {_shown(unread.reason)}"]


def _change(report: FileReport, change: Foreseen, style: Style) -> List[str]:
    word, colour = _BY[change.by]
    file = _shown(change.file) or _name(report)
    where = f"{file}:{change.place}" if change.place and not _is_data(file) else file
    text = f"{_shown(change.text)}  ({where})"
    first, *rest = textwrap.wrap(
        text, style.width - len(_MARGIN), break_long_words=False, break_on_hyphens=False
    )
    return [f"  {style.paint(f'{word:8}', colour)} {first}", *(_MARGIN + line for line in rest)]


def _trial(report: FileReport, style: Style) -> List[str]:
    trial = report.trial
    ended = ", ".join(f"{run['id']} {run['status']}" for run in trial.runs)
    if trial.ran:
        text = "it ran, as foreseen" + (f": {ended}" if ended else "")
    else:
        text = f"foreseen: {report.verdict}; but it failed: {_shown(trial.error)}"
    lines = [f"  {style.paint('tried   ', '32' if trial.ran else '31')} {text}"]
    return lines + [f"{_MARGIN}moved: {_shown(change)}" for change in trial.moved]


def _is_data(name: str) -> bool:
    """A file without lines of code, such as a conda file: the place is the code's that names it."""
    return not name.endswith((".py", ".ipynb"))


def _group(
    report: FileReport, verdict: str, note: str, findings: List[Finding], style: Style
) -> List[str]:
    places: Dict[str, List[str]] = {}
    for finding in findings:
        where = places.setdefault(_shown(finding.symbol), [])
        if str(finding.place) not in where:
            where.append(str(finding.place))
    lines = []
    for index, (symbol, where) in enumerate(places.items()):
        word = style.paint(f"{_WORDS[verdict]:8}", _COLOURS[verdict]) if index == 0 else " " * 8
        text = f"{symbol}  {_name(report)}:{', '.join(where)}"
        first, *rest = textwrap.wrap(
            text, style.width - len(_MARGIN), subsequent_indent="    ", break_long_words=False
        )
        lines.append(f"  {word} {first}")
        lines += [_MARGIN + line for line in rest]
    wrapped = textwrap.wrap(note, style.width - len(_MARGIN) - 2, break_long_words=False)
    return lines + [_MARGIN + "  " + style.paint(line, "2") for line in wrapped]


def _config(config: ConfigFile, style: Style) -> List[str]:
    if config.path is None:
        if not config.needed:
            return []
        return [
            style.paint("config.json not found", "33")
            + ': Workspace.from_config() needs one, such as {"workspace_name": "default"}.',
            "",
        ]
    if config.problem:
        return [style.paint(f"{_shown(config.path)} {config.problem}", "33") + ".", ""]
    shown = _shown(config.workspace or "")
    return [f"{_shown(config.path)} names the workspace {shown}.", ""]


def _name(report: FileReport) -> str:
    return _shown(os.path.basename(report.path))


def _shown(text: str) -> str:
    """File names and code of others must not steer the terminal."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
