"""Many runs as a table."""

from __future__ import annotations

import html
import os
from typing import Any, Dict, List, Optional, Union

from .client import Client, quote
from .metric_values import finite_or_not

_PAGE = 1000
_FACTS = ("id", "name", "project", "status", "created_at", "started_at", "ended_at", "user")
_SHOWN = 20
_WIDEST = 24


def runs(
    query: str = "",
    project: Optional[str] = None,
    workspace: Optional[str] = None,
    limit: int = 1000,
    sort: str = "-created",
) -> Any:
    """The runs that a query finds, newest first: a DataFrame where pandas is there, else a
    RunTable. Columns are id, name, project, status, times, user, and metrics.NAME (the last value),
    params.NAME and tags.NAME. The query is that of the studio and of `roost runs`."""
    rows = _rows(query, project, workspace, limit, sort)
    try:
        import pandas  # type: ignore
    except ImportError:
        return RunTable(rows)
    return pandas.DataFrame(rows, columns=_columns(rows))


class RunTable(List[Dict[str, Any]]):
    """A list of dicts, one a run, which prints as a table."""

    @property
    def columns(self) -> List[str]:
        return _columns(self)

    def __getitem__(self, key: Any) -> Any:
        """A row by its number, or a column by its name."""
        if isinstance(key, str):
            return [row.get(key) for row in self]
        return super().__getitem__(key)

    def __repr__(self) -> str:
        if not self:
            return "no runs"
        names = [name for name in self.columns if any(row.get(name) is not None for row in self)]
        lines = [names] + [[_text(row.get(name)) for name in names] for row in self[:_SHOWN]]
        widths = [max(len(line[i]) for line in lines) for i in range(len(names))]
        text = "\n".join(
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip()
            for line in lines
        )
        more = len(self) - _SHOWN
        return text + (f"\nand {more} more" if more > 0 else "")

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{html.escape(name)}</th>" for name in self.columns)
        body = "".join(
            "<tr>"
            + "".join(f"<td>{html.escape(_text(row.get(name)))}</td>" for name in self.columns)
            + "</tr>"
            for row in self[:_SHOWN]
        )
        return f"<table><tr>{head}</tr>{body}</table>"


def _rows(
    query: str, project: Optional[str], workspace: Optional[str], limit: int, sort: str
) -> List[Dict[str, Any]]:
    client = Client.connect()
    place = workspace or os.environ.get("ROOST_WORKSPACE") or "default"
    terms = query if project is None else f'experiment:"{project}" {query}'
    rows: List[Dict[str, Any]] = []
    while len(rows) < limit:
        page = client.get(
            f"/api/v1/workspaces/{quote(place)}/run-table",
            q=terms.strip() or None,
            sort=sort,
            offset=len(rows),
            limit=min(_PAGE, limit - len(rows)),
            column=["metrics.*", "params.*"],
        )
        rows += [_row(item) for item in page["items"]]
        if not page["items"] or len(rows) >= page["total"]:
            break
    return rows


def _row(item: Dict[str, Any]) -> Dict[str, Any]:
    row = {
        "id": item["id"],
        "name": item["display_name"],
        "project": item["experiment"],
        "status": item["status"],
        "created_at": item["created_at"],
        "started_at": item["started_at"],
        "ended_at": item["ended_at"],
        "user": item["created_by"],
    }
    for name, metric in item["metrics"].items():
        row[f"metrics.{name}"] = finite_or_not(metric)
    row.update({f"params.{name}": _number(value) for name, value in item["params"].items()})
    row.update({f"tags.{name}": value for name, value in item["tags"].items()})
    return row


def _number(text: str) -> Union[str, int, float]:
    """Parameters are kept as text."""
    try:
        number = float(text)
    except ValueError:
        return text
    whole = int(number) if number.is_integer() and abs(number) < 2**53 else None
    return whole if whole is not None and str(whole) == text else number


def _columns(rows: List[Dict[str, Any]]) -> List[str]:
    """What is known of every run, then by name what some have."""
    found = dict.fromkeys(name for row in rows for name in row)
    more = sorted(name for name in found if name not in _FACTS)
    return [*_FACTS, *more]


def _text(value: Any) -> str:
    if value is None:
        return ""
    text = f"{value:.6g}" if isinstance(value, float) else str(value)
    return text if len(text) <= _WIDEST else text[: _WIDEST - 1] + "…"
