"""A curve as SVG, drawn here so that a notebook needs nothing to show it."""

from __future__ import annotations

import math
from html import escape
from typing import Callable, List, Tuple

from ._run_view import Curve

_WIDTH, _HEIGHT = 320, 170
_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 8, 22, 20
_LONGEST_NAME = 28
_Scale = Callable[[float], float]


def draw(curve: Curve) -> str:
    """One <svg>. Every text in it is escaped; numbers are formatted here."""
    drawn = [(x, y) for x, y in curve.points if not math.isnan(y)]
    parts = [
        f'<svg class="roost-curve" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
        f'aria-label="{escape(curve.name, quote=True)}">',
        f"<title>{escape(curve.name)}</title>",
        f'<text x="{_LEFT}" y="13" class="roost-name">{escape(_shorten(curve.name))}</text>',
    ]
    if not drawn:
        parts.append(f'<text x="{_LEFT}" y="{_HEIGHT / 2:.0f}">no finite value yet</text></svg>')
        return "".join(parts)
    band = [(x, low, high) for x, low, high in curve.band if not math.isnan(low + high)]
    values = [y for _, y in drawn] + [low for _, low, _ in band] + [high for _, _, high in band]
    low, high = _widen(min(values), max(values))
    left, right = _widen_x(drawn[0][0], drawn[-1][0])
    across = _scale(left, right, _LEFT, _WIDTH - _RIGHT)
    up = _scale(low, high, _HEIGHT - _BOTTOM, _TOP)
    parts += _axes(low, high, up)
    parts += _ends(curve, drawn[0][0], drawn[-1][0])
    if band:
        upper = [f"{across(x):.1f},{up(top):.1f}" for x, _, top in band]
        lower = [f"{across(x):.1f},{up(bottom):.1f}" for x, bottom, _ in reversed(band)]
        parts.append(f'<polygon class="roost-band" points="{" ".join(upper + lower)}"/>')
    for run in _unbroken(curve.points):
        parts.append(_line(run, across, up))
    x, y = drawn[-1]
    parts.append(f'<circle cx="{across(x):.1f}" cy="{up(y):.1f}" r="2.5" class="roost-dot"/>')
    end = _WIDTH - _RIGHT
    parts.append(f'<text x="{end}" y="13" class="roost-last">{number(curve.last)}</text></svg>')
    return "".join(parts)


def _shorten(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1] + "…"


def _axes(low: float, high: float, up: _Scale) -> List[str]:
    parts = []
    for value in _ticks(low, high):
        y = up(value)
        parts.append(
            f'<line x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}" '
            'class="roost-grid"/>'
        )
        parts.append(
            f'<text x="{_LEFT - 4}" y="{y + 3:.1f}" class="roost-y">{number(value)}</text>'
        )
    return parts


def _ends(curve: Curve, first: float, last: float) -> List[str]:
    word, start = (curve.counts, 0) if curve.by_step else ("value", 1)
    y = _HEIGHT - 6
    parts = [f'<text x="{_LEFT}" y="{y}">{word} {number(first + start)}</text>']
    if last > first:
        end = number(last + start)
        parts.append(f'<text x="{_WIDTH - _RIGHT}" y="{y}" class="roost-end">{end}</text>')
    return parts


def _line(run: List[Tuple[float, float]], across: _Scale, up: _Scale) -> str:
    if len(run) == 1:
        x, y = run[0]
        return f'<circle cx="{across(x):.1f}" cy="{up(y):.1f}" r="1.5" class="roost-dot"/>'
    points = " ".join(f"{across(x):.1f},{up(y):.1f}" for x, y in run)
    return f'<polyline class="roost-line" points="{points}"/>'


def _unbroken(points: List[Tuple[float, float]]) -> List[List[Tuple[float, float]]]:
    runs: List[List[Tuple[float, float]]] = [[]]
    for point in points:
        if math.isnan(point[1]):
            runs.append([])
        else:
            runs[-1].append(point)
    return [run for run in runs if run]


def _scale(low: float, high: float, start: float, end: float) -> _Scale:
    # Halves first: the difference of two large numbers may be infinite.
    span = high / 2 - low / 2
    return lambda value: start + (value / 2 - low / 2) / span * (end - start)


def _widen(low: float, high: float) -> Tuple[float, float]:
    if high > low and math.isfinite(high / 2 - low / 2) and high / 2 - low / 2 > 0:
        margin = (high / 2 - low / 2) * 0.1
        return max(low - margin, -1.7e308), min(high + margin, 1.7e308)
    margin = abs(low) * 0.1 or 1.0
    return max(low - margin, -1.7e308), min(high + margin, 1.7e308)


def _widen_x(low: float, high: float) -> Tuple[float, float]:
    return (low, high) if high > low else (low - 1.0, low + 1.0)


def _ticks(low: float, high: float) -> List[float]:
    """Three or four round numbers."""
    span = high / 2 - low / 2
    if not span > 0 or not math.isfinite(span):
        return [low]
    rough = span / 2 * 1.34
    power = math.floor(math.log10(rough))
    unit = 10.0 ** max(-307, min(307, power))
    step = next((m * unit for m in (1, 2, 2.5, 5, 10) if m * unit >= rough), 10 * unit)
    first = math.ceil(low / step)
    found = [(first + index) * step for index in range(6)]
    return [value for value in found if low <= value <= high and math.isfinite(value)]


def number(value: object) -> str:
    """Short and exact enough to read."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return escape(str(value))
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "∞" if value > 0 else "-∞"
    if value == int(value) and abs(value) < 1e6:
        return str(int(value))
    return f"{value:.4g}"
