"""What stands in a cell of a table: numbers, times, states."""

from __future__ import annotations

import json
from html import escape

from ._curve import number

STATUS_COLOURS = {
    "Completed": "#2e9e5b",
    "Failed": "#d64545",
    "Canceled": "#8a8f98",
    "Stopped": "#8a8f98",
    "Running": "#2f7de1",
    "Finalizing": "#2f7de1",
}
WAITING_COLOUR = "#c98a1b"
NUMBER = ' class="roost-number"'


def or_empty(value: object) -> str:
    return "" if value is None else number(value)


def value_text(value: object) -> str:
    """The last value of a metric, escaped; tables and rows as JSON, cut short."""
    if isinstance(value, (dict, list)):
        text = json.dumps(value, ensure_ascii=False, default=str)
        return escape(text if len(text) <= 80 else text[:79] + "…")
    if isinstance(value, str) and len(value) > 80:
        value = value[:79] + "…"
    return "" if value is None else number(value)


def duration(seconds: float) -> str:
    if seconds < 0.0995:
        return f"{1000 * seconds:.0f} ms"
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(int(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min"
