"""Parallel coordinates as SVG: an axis a parameter, the metric last, a line a trial."""

from __future__ import annotations

import math
from html import escape
from typing import Any, Dict, List, Optional

from ._curve import number
from ._run_view import Search

_HEIGHT, _TOP, _BOTTOM, _GAP, _SIDE = 220, 34, 18, 130, 60
_MOST_AXES = 12
_MOST_WORDS = 10
_LONGEST_NAME = 18
_WIDE = 100.0  # from this ratio of the ends on an axis is logarithmic


def draw_parallel(search: Search) -> str:
    """Best on top where the metric is maximised. Nothing until two trials have a value."""
    if len(search.tried) < 2:
        return ""
    names = search.parameters[:_MOST_AXES]
    rows = [
        [parameters.get(name) for name in names] + [value] for parameters, value in search.tried
    ]
    axes = [_Axis(name, [row[index] for row in rows]) for index, name in enumerate(names)]
    axes.append(_Axis(search.metric, [row[-1] for row in rows]))
    width = 2 * _SIDE + _GAP * (len(axes) - 1)
    parts = [
        f'<svg class="roost-parallel" style="max-width:{width}px" viewBox="0 0 {width} {_HEIGHT}" '
        f'role="img" aria-label="parameters and {escape(search.metric, quote=True)}">'
    ]
    for index in range(len(rows) - 1, -1, -1):  # the best last, above the others
        parts.append(_line(axes, rows[index], index / len(rows), is_best=index == 0))
    for index, axis in enumerate(axes):
        parts += axis.draw(_SIDE + _GAP * index)
    return "".join([*parts, "</svg>"])


def _line(axes: List[_Axis], row: List[Any], rank: float, is_best: bool) -> str:
    """`rank` goes from 0, the best, to 1. Where a parameter has no value the line leaves it out."""
    points = []
    for index, (axis, value) in enumerate(zip(axes, row)):
        y = axis.place(value)
        if y is not None:
            points.append(f"{_SIDE + _GAP * index},{y:.1f}")
    look = (
        ' class="roost-best"' if is_best else f' stroke="#2f7de1" opacity="{0.8 - 0.65 * rank:.2f}"'
    )
    return f'<polyline points="{" ".join(points)}"{look}/>'


class _Axis:
    """One scale: of numbers, logarithmic where they span much, or of words."""

    def __init__(self, name: str, values: List[Any]) -> None:
        self._name = name
        self._words: Dict[str, int] = {}
        self._ends: List[float] = []
        given = [value for value in values if value is not None]
        if not all(_is_number(value) for value in given):
            self._words = {word: i for i, word in enumerate(dict.fromkeys(map(str, given)))}
        elif given:
            self._ends = [float(min(given)), float(max(given))]
        self._is_log = bool(self._ends) and 0 < self._ends[0] <= self._ends[1] / _WIDE

    def place(self, value: Any) -> Optional[float]:
        if value is None:
            return None
        if self._words:
            share = (self._words[str(value)] + 0.5) / len(self._words)
        else:
            low, here, high = map(self._measure, (self._ends[0], value, self._ends[1]))
            share = (here - low) / (high - low) if high > low else 0.5
        return _HEIGHT - _BOTTOM - share * (_HEIGHT - _BOTTOM - _TOP)

    def _measure(self, value: float) -> float:
        return math.log(value) if self._is_log else value / 2  # the span of large ones is finite

    def draw(self, x: float) -> List[str]:
        ends = f'y1="{_TOP}" y2="{_HEIGHT - _BOTTOM}"'
        parts = [
            f'<line x1="{x}" x2="{x}" {ends} stroke="currentColor" opacity=".4"/>',
            f'<text x="{x}" y="12">{escape(_shorten(self._name))}</text>',
        ]
        for end, y in zip(self._ends, (_HEIGHT - 5, _TOP - 5)):
            parts.append(f'<text x="{x}" y="{y}">{number(end)}</text>')
        for word in [*self._words][:_MOST_WORDS]:
            above = (self.place(word) or 0) - 4
            shown = escape(_shorten(word))
            parts.append(f'<text class="roost-word" x="{x + 4}" y="{above:.1f}">{shown}</text>')
        return parts


def _shorten(text: str) -> str:
    return text if len(text) <= _LONGEST_NAME else text[: _LONGEST_NAME - 1] + "…"


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
