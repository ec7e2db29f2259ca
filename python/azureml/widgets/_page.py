"""A run as HTML that stands by itself: no scripts, nothing fetched, everything escaped.

Colours are taken from the notebook's theme (currentColor), so that it reads on dark and light.
"""

from __future__ import annotations

from html import escape
from typing import List
from urllib.parse import urlsplit

from ._cells import NUMBER, STATUS_COLOURS, WAITING_COLOUR, duration, or_empty, value_text
from ._curve import draw, number
from ._run_view import Metric, RunState
from ._sweep_page import SWEEP_STYLE, search_parts

_STAGE_COLOURS = {
    "Running": "#2f7de1",
    "Queued": "#c98a1b",
    "Preparing": "#8f6fd1",
    "Provisioning": "#8f6fd1",
}
_OTHER_STAGE_COLOUR = "#8a8f98"
_MOST_METRICS = 60

_STYLE = """
.roost-run{font:13px/1.45 system-ui,sans-serif;color:inherit;max-width:1080px;margin:4px 0}
.roost-run *{box-sizing:border-box}
.roost-head{display:flex;flex-wrap:wrap;gap:4px 12px;align-items:baseline}
.roost-title{font-size:16px;font-weight:600;overflow-wrap:anywhere}
.roost-status{font-weight:600;color:#fff;border-radius:10px;padding:1px 10px}
.roost-run .roost-dim{opacity:.7}
.roost-run a{color:#2f7de1}
.roost-stages{display:flex;height:6px;margin:8px 0 4px;border-radius:3px;overflow:hidden;gap:1px}
.roost-stages span{display:block;min-width:3px}
.roost-legend span{margin-right:14px;white-space:nowrap}
.roost-legend i{display:inline-block;width:8px;height:8px;border-radius:4px;margin-right:5px}
.roost-note{border-left:3px solid #c98a1b;padding:2px 8px;margin:6px 0;overflow-wrap:anywhere}
.roost-error{border-left-color:#d64545;white-space:pre-wrap}
.roost-curves{display:grid;grid-template-columns:repeat(auto-fill,minmax(280px,1fr));gap:8px;
margin:10px 0}
.roost-curve{width:100%;height:auto;border:1px solid rgba(128,128,128,.3);border-radius:4px}
.roost-curve text{font-size:10px;fill:currentColor;opacity:.75}
.roost-curve .roost-name{font-size:11px;font-weight:600;opacity:1}
.roost-curve .roost-y,.roost-curve .roost-end,.roost-curve .roost-last{text-anchor:end}
.roost-curve .roost-last{font-size:11px;opacity:1}
.roost-grid{stroke:currentColor;opacity:.15;stroke-width:1}
.roost-line{fill:none;stroke:#2f7de1;stroke-width:1.5;stroke-linejoin:round}
.roost-band{fill:#2f7de1;opacity:.18}
.roost-dot{fill:#2f7de1}
.roost-run table{border-collapse:collapse;margin:8px 0;font-size:12px}
.roost-run th,.roost-run td{text-align:left;padding:2px 14px 2px 0;background:none;border:0;
border-bottom:1px solid rgba(128,128,128,.25);max-width:420px;overflow-wrap:anywhere}
.roost-run td.roost-number,.roost-run th.roost-number{text-align:right;white-space:nowrap;
font-variant-numeric:tabular-nums}
.roost-tail{display:flex;flex-direction:column-reverse;max-height:380px;overflow:auto;
margin:4px 0 0;border:1px solid rgba(128,128,128,.3);border-radius:4px;
background:rgba(128,128,128,.08)}
.roost-run .roost-log{font:12px/1.4 ui-monospace,monospace;margin:0;padding:8px;
white-space:pre-wrap;overflow-wrap:anywhere;background:none;border:0;color:inherit}
""".replace("\n", "")


def as_html(state: RunState, problem: str = "") -> str:
    """`problem` says why what is shown may be old."""
    parts = [f'<div class="roost-run"><style>{_STYLE}{SWEEP_STYLE}</style>']
    parts += _head(state)
    parts += _stages(state)
    if problem:
        parts.append(f'<div class="roost-note">{escape(problem)}</div>')
    if state.error:
        parts.append(f'<div class="roost-note roost-error">{escape(state.error)}</div>')
    for notice in state.notices:
        parts.append(f'<div class="roost-note">{escape(notice)}</div>')
    if state.curves:
        curves = "".join(draw(curve) for curve in state.curves)
        parts.append(f'<div class="roost-curves">{curves}</div>')
    parts += _metrics(state)
    parts += _children(state)
    parts += _log(state)
    return "".join([*parts, "</div>"])


def _head(state: RunState) -> List[str]:
    colour = STATUS_COLOURS.get(state.status, WAITING_COLOUR)
    facts = [f"experiment {state.experiment}" if state.experiment else ""]
    facts += [f"on {state.compute}" if state.compute else "", state.id]
    dim = " · ".join(escape(fact) for fact in facts if fact)
    return [
        '<div class="roost-head">',
        f'<span class="roost-status" style="background:{colour}">{escape(state.status)}</span>',
        f'<span class="roost-title">{escape(state.name)}</span>',
        f'<span class="roost-dim">{dim}</span>',
        _link(state.url),
        "</div>",
    ]


def _link(url: str) -> str:
    """Only http leads somewhere; javascript: and the like are shown to nobody."""
    if urlsplit(url).scheme not in ("http", "https"):
        return ""
    shown = escape(url, quote=True)
    return f'<a href="{shown}" target="_blank" rel="noopener noreferrer">open the run</a>'


def _stages(state: RunState) -> List[str]:
    total = sum(seconds for _, seconds in state.stages)
    if total <= 0:
        return []
    bars, legend = [], []
    for name, seconds in state.stages:
        colour = _STAGE_COLOURS.get(name, _OTHER_STAGE_COLOUR)
        share = 100 * seconds / total
        bars.append(f'<span style="width:{share:.2f}%;background:{colour}"></span>')
        legend.append(
            f'<span><i style="background:{colour}"></i>{escape(name)} {duration(seconds)}</span>'
        )
    return [
        f'<div class="roost-stages">{"".join(bars)}</div>',
        f'<div class="roost-legend">{"".join(legend)}</div>',
    ]


def _metrics(state: RunState) -> List[str]:
    if not state.metrics:
        return []
    heads = "".join(
        f"<th{'' if word == 'metric' else NUMBER}>{word}</th>"
        for word in ("metric", "last", "lowest", "highest", "values")
    )
    rows = [f"<table><tr>{heads}</tr>"]
    for metric in state.metrics[:_MOST_METRICS]:
        cells = [value_text(metric.last), or_empty(metric.lowest), or_empty(metric.highest)]
        cells.append(number(metric.count))
        shown = "".join(f"<td{NUMBER}>{cell}</td>" for cell in cells)
        rows.append(f"<tr><td>{escape(metric.name)}</td>{shown}</tr>")
    rows.append("</table>")
    left = len(state.metrics) - _MOST_METRICS
    if left > 0:
        rows.append(f'<div class="roost-dim">and {left} more</div>')
    return rows


def _children(state: RunState) -> List[str]:
    if state.search is not None:
        return search_parts(state, state.search)
    if not state.children:
        return []
    rows = ["<table><tr><th>child run</th><th>status</th></tr>"]
    for child in state.children:
        colour = STATUS_COLOURS.get(child.status, WAITING_COLOUR)
        rows.append(
            f"<tr><td>{escape(child.name)}</td>"
            f'<td style="color:{colour}">{escape(child.status)}</td></tr>'
        )
    rows.append("</table>")
    if state.children_left_out:
        rows.append('<div class="roost-dim">and more</div>')
    return rows


def _log(state: RunState) -> List[str]:
    if not state.log_lines:
        return []
    text = escape("\n".join(state.log_lines))
    return [
        f'<div class="roost-dim">{escape(state.log_name)}, last lines</div>',
        f'<div class="roost-tail"><pre class="roost-log">{text}</pre></div>',  # begins at its end
    ]


def row_values(metric: Metric) -> List[object]:
    return [metric.last, metric.lowest, metric.highest, metric.count]
