"""Puts a verdict on each use: what the facade has decides, the table explains."""

from __future__ import annotations

import re
from typing import Any, Dict, List, Optional, Tuple

from . import differences, installed
from .found import ABSENT, DIFFERENT, SAME, UNKNOWN, Finding, Place, ShellLine, Use
from .kinds import Instance
from .results import ALTERNATIVES, result_of

_AZ_ML = re.compile(r"^\s*az\s+ml\b")
_PIP = re.compile(r"\b(?:pip3?|conda)\s+install\b.*\bazureml[\w-]*")


def judge(use: Use) -> Optional[Finding]:
    """None for a guess that led nowhere."""
    if use.owner.startswith("azure.ai.ml"):
        return Finding(use.symbol, use.place, ABSENT, differences.SDK_V2)
    verdict, note = _judge_import(use) if use.imported else _judge_member(use)
    if verdict == ABSENT and use.guessed and differences.row_of(use.owner, use.member) is None:
        return None
    if verdict == ABSENT and use.imported and use.guarded:
        return Finding(use.symbol, use.place, DIFFERENT, f"{note} The code expects that.")
    return Finding(use.symbol, use.place, verdict, note)


def _judge_import(use: Use) -> Tuple[str, str]:
    try:
        installed.resolve(use.owner, use.member)
        return SAME, ""
    except installed.StandIn as missing:
        # What is done with it is judged where it is done.
        return DIFFERENT, f"It can be imported and fails when it is used. {_advice(use, missing)}"
    except installed.Missing as missing:
        return ABSENT, _advice(use, missing)


def _advice(use: Use, missing: installed.Missing) -> str:
    row = differences.row_of(use.member) if use.member else None
    if row is not None and row.verdict == ABSENT:
        return row.note
    part = differences.absent_part(use.member) if use.member else None
    part = part or differences.absent_part(f"{use.owner}.{use.member}".rstrip("."))
    return part.note if part else _shorten(str(missing))


def _judge_member(use: Use) -> Tuple[str, str]:
    owner = installed.find_class(use.owner)
    row = _row(use)
    if row is not None and row.verdict == ABSENT:
        return ABSENT, row.note
    if owner is None:
        part = differences.absent_part(use.owner) or differences.absent_part(use.module)
        return ABSENT, part.note if part else f"Roost does not have {use.owner}."
    if use.member:
        names = (use.owner, *ALTERNATIVES.get(use.owner, ()))
        holders = [h for h in map(installed.find_class, names) if h is not None]
        holders = [h for h in holders if installed.has_member(h, use.member)]
        if not holders:
            return ABSENT, f"Roost's {use.owner} has no {use.member}."
        called = installed.member_of(holders[0], use.member)
        if installed.refuses(called):
            return ABSENT, f"Roost's {use.owner}.{use.member} only says that it is not there yet."
    else:
        called = owner
    if use.called and called is not None:
        refused = installed.unaccepted(called, [name for name, _ in use.keywords])
        if refused:
            return ABSENT, f"Roost's {use.symbol} takes no {', '.join(refused)}."
        worst = _judge_arguments(use, called)
        if worst is not None:
            return worst
    return (DIFFERENT, row.note) if row is not None and row.verdict == DIFFERENT else (SAME, "")


def _row(use: Use) -> Optional[differences.Row]:
    """The member's own row; else the one of a class that is absent, or shares its difference, or
    is made here."""
    for owner in (use.owner, *ALTERNATIVES.get(use.owner, ())):
        own = differences.row_of(owner, use.member)
        if own is not None:
            return own
    row = differences.row_of(use.owner)
    if row is None or row.verdict == ABSENT or row.everywhere:
        return row
    made = result_of(use.owner, use.member) if use.called else None
    return row if isinstance(made, Instance) and made.name == use.owner else None


def _judge_arguments(use: Use, called: Any) -> Optional[Tuple[str, str]]:
    name = f"{use.owner}.{use.member}" if use.member else use.owner
    rules = differences.argument_rows(name)
    if not rules:
        return None
    given: Dict[str, Any] = dict(use.keywords)
    for index, value in enumerate(use.positional):
        parameter = installed.parameter_name(called, index)
        if parameter:
            given.setdefault(parameter, value)
    for rule in rules:
        if rule.parameter not in given or given[rule.parameter] in rule.harmless:
            continue
        if given[rule.parameter] is UNKNOWN and rule.verdict == ABSENT:
            return DIFFERENT, f"With {rule.condition}: {rule.note}"
        return rule.verdict, rule.note
    return None


def judge_shell(lines: List[ShellLine]) -> List[Finding]:
    """`az ml` and installs of azureml, wherever a shell is called."""
    findings = []
    for line in lines:
        for command in re.split(r"&&|\|\||;", line.text):
            if _AZ_ML.match(command):
                symbol = " ".join(command.split()[:4])
                findings.append(Finding(symbol, line.place, ABSENT, differences.AZ_ML))
            elif _PIP.search(command):
                symbol = " ".join(command.split()[:4])
                findings.append(Finding(symbol, line.place, DIFFERENT, differences.PIP_INSTALL))
    return findings


def judge_strings(strings: List[Tuple[str, Place]]) -> List[Finding]:
    return judge_shell([ShellLine(text, place) for text, place in strings if _AZ_ML.match(text)])


def _shorten(text: str) -> str:
    """Without where the facade's own files lie and the pointer to the page that this leads to."""
    text = re.sub(r"\s*\([^()]*__init__\.py\)", "", text)
    return re.sub(r"\s*docs/azureml\.md[^.]*\.", "", text).strip().rstrip(".") + "."
