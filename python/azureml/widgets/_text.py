"""A run as text for a terminal."""

from __future__ import annotations

import html
import re
from typing import List

from ._cells import duration, value_text
from ._page import row_values
from ._run_view import RunState, Search

_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_MOST_METRICS = 30


def as_text(state: RunState) -> str:
    facts = [f"experiment {state.experiment}" if state.experiment else ""]
    facts.append(f"on {state.compute}" if state.compute else "")
    about = ", ".join(fact for fact in facts if fact)
    lines = [f"{_plain(state.name)}  {state.status}" + (f"  ({_plain(about)})" if about else "")]
    lines.append(f"RunId: {_plain(state.id)}")
    if state.url:
        lines.append(f"Web View: {_plain(state.url)}")
    if state.stages:
        stages = (f"{_plain(name)} {duration(seconds)}" for name, seconds in state.stages)
        lines.append("Stages: " + ", ".join(stages))
    lines += [f"Error: {_plain(line)}" for line in state.error.splitlines()]
    lines += [f"Note: {_plain(notice)}" for notice in state.notices]
    lines += _metrics(state)
    if state.search is not None:
        lines += _search(state, state.search)
    elif state.children:
        lines += ["", "Child runs:"]
        lines += [f"  {_plain(child.name)}  {child.status}" for child in state.children]
    if state.log_lines:
        lines += ["", f"{_plain(state.log_name)}, last lines:"]
        lines += ["  " + line for line in state.log_lines]
    return "\n".join(lines)


def _metrics(state: RunState) -> List[str]:
    if not state.metrics:
        return []
    rows = [["metric", "last", "lowest", "highest", "values"]]
    for metric in state.metrics[:_MOST_METRICS]:
        cells = [_plain(html.unescape(value_text(value))) for value in row_values(metric)]
        rows.append([_plain(metric.name), *cells])
    widths = [max(len(row[column]) for row in rows) for column in range(5)]
    lines = [""]
    for row in rows:
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:])]
        lines.append(("  " + "  ".join(cells)).rstrip())
    left = len(state.metrics) - _MOST_METRICS
    return [*lines, f"  and {left} more"] if left > 0 else lines


def _search(state: RunState, search: Search) -> List[str]:
    lines = ["", _plain(f"Sweep: {search.goal} {search.metric}. {search.message}".strip())]
    if search.best_run:
        lines.append(_plain(f"Best: {_value(search.best)} by {search.best_run}"))
    rows = [["", "run", search.metric, "status", "time", *search.parameters, "why"]]
    for child in state.children:
        mark = "*" if child.id == search.best_run else ""
        took = "" if child.seconds is None else duration(child.seconds)
        values = [_value(child.parameters.get(name)) for name in search.parameters]
        facts = [mark, child.name, _value(child.best), child.status, took, *values, child.why]
        rows.append(facts)
    if len(rows) == 1:
        return lines
    plain = [[_plain(cell) for cell in row] for row in rows]
    widths = [max(len(row[column]) for row in plain) for column in range(len(rows[0]))]
    for row in plain:
        cells = (cell.ljust(width) for cell, width in zip(row, widths))
        lines.append("  ".join(cells).rstrip())
    return [*lines, "  and more"] if state.children_left_out else lines


def _value(value: object) -> str:
    return html.unescape(value_text(value))


def _plain(text: str) -> str:
    return _CONTROLS.sub("\N{REPLACEMENT CHARACTER}", text)
