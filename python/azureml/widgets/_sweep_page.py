"""A sweep as HTML: what it looks for, its best, its trials, and which parameters did well."""

from __future__ import annotations

from html import escape
from typing import List

from ._cells import NUMBER, STATUS_COLOURS, WAITING_COLOUR, duration, value_text
from ._parallel import draw_parallel
from ._run_view import Child, RunState, Search

SWEEP_STYLE = """
.roost-run tr.roost-best td{font-weight:600}
.roost-parallel{display:block;width:100%;height:auto;margin:8px 0}
.roost-parallel text{font-size:10px;fill:currentColor;opacity:.75;text-anchor:middle}
.roost-parallel .roost-word{text-anchor:start}
.roost-parallel polyline{fill:none;stroke-width:1}
.roost-parallel .roost-best{stroke:#d64545;stroke-width:2}
""".replace("\n", "")


def search_parts(state: RunState, search: Search) -> List[str]:
    said = escape(f"{search.goal} {search.metric}. {search.message}".strip())
    parts = [f'<div class="roost-dim">{said}</div>']
    if search.best_run:
        best = f"best: {value_text(search.best)} by {escape(search.best_run)}"
        parts.append(f"<div><b>{best}</b></div>")
    parts.append(draw_parallel(search))
    if not state.children:
        return parts
    heads = f"<th>run</th><th{NUMBER}>{escape(search.metric)}</th><th>status</th>"
    heads += f"<th{NUMBER}>time</th>"
    heads += "".join(f"<th>{escape(name)}</th>" for name in search.parameters)
    parts.append(f"<table><tr>{heads}<th>why</th></tr>")
    parts += [_row(child, search) for child in state.children]
    parts.append("</table>")
    if state.children_left_out:
        parts.append('<div class="roost-dim">and more</div>')
    return parts


def _row(child: Child, search: Search) -> str:
    mark = ' class="roost-best"' if child.id == search.best_run else ""
    colour = STATUS_COLOURS.get(child.status, WAITING_COLOUR)
    took = "" if child.seconds is None else duration(child.seconds)
    values = (child.parameters.get(name) for name in search.parameters)
    return (
        f"<tr{mark}><td>{escape(child.name)}</td><td{NUMBER}>{value_text(child.best)}</td>"
        f'<td style="color:{colour}">{escape(child.status)}</td><td{NUMBER}>{took}</td>'
        + "".join(f"<td>{value_text(value)}</td>" for value in values)
        + f"<td>{escape(child.why)}</td></tr>"
    )
