"""The metrics of a run as Python values."""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, Optional, Tuple

from .client import Client, quote
from .lanes import run_lanes

_PAGE = 100_000
_LANES = 4
_NOT_FINITE = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}


def metric_values(client: Client, run: str, name: Optional[str] = None) -> Dict[str, Any]:
    """Name -> value. A scalar that was logged once is a value, more often a list; rows and tables
    are a dict of columns; an image is the address of its artifact."""
    summaries = [
        item
        for item in client.pages(f"/api/v1/runs/{quote(run)}/metrics")
        if name is None or item["name"] == name
    ]
    values: Dict[str, Any] = {}

    def read(summary: Dict[str, Any]) -> None:
        values[summary["name"]] = _value(client, run, summary)

    run_lanes(summaries, read, _LANES)
    return {item["name"]: values[item["name"]] for item in summaries}


def metric_points(client: Client, run: str) -> Iterator[Tuple[str, int, Dict[str, Any]]]:
    """Every point of every metric: name, index, and the point as the server shows it."""
    for summary in list(client.pages(f"/api/v1/runs/{quote(run)}/metrics")):
        for index, point in enumerate(_points(client, run, summary["name"])):
            yield summary["name"], index, point


def _value(client: Client, run: str, summary: Dict[str, Any]) -> Any:
    kind = summary["kind"]
    if summary["count"] == 1 and kind != "list":
        points = [finite_or_not(summary["last"])]
    else:
        points = [finite_or_not(value) for value in _values(client, run, summary["name"])]
    if kind == "image":
        addresses = [_image_address(run, point) for point in points]
        return addresses[0] if len(addresses) == 1 else addresses
    if kind == "list":
        return points
    if kind == "row":
        return points[0] if len(points) == 1 else _columns(points)
    if kind == "table":
        return _joined(points)
    return points[0] if len(points) == 1 else points


def _values(client: Client, run: str, name: str) -> Iterator[Any]:
    for point in _points(client, run, name):
        yield point["value"]


def _points(client: Client, run: str, name: str) -> Iterator[Dict[str, Any]]:
    path = f"/api/v1/runs/{quote(run)}/metrics/{quote(name)}"
    index = 0
    while True:
        page = client.get(path, from_index=index, limit=_PAGE)["points"]
        yield from page
        index += len(page)
        if len(page) < _PAGE:
            return


def _columns(rows: List[Dict[str, Any]]) -> Dict[str, List[Any]]:
    names = list(dict.fromkeys(name for row in rows for name in row))
    return {name: [row.get(name) for row in rows] for name in names}


def _joined(tables: List[Dict[str, Any]]) -> Dict[str, List[Any]]:
    joined: Dict[str, List[Any]] = {}
    for table in tables:
        for name, column in table.items():
            joined.setdefault(name, []).extend(column if isinstance(column, list) else [column])
    return joined


def _image_address(run: str, value: Any) -> str:
    path = value.get("path", "") if isinstance(value, dict) else str(value)
    return f"aml://artifactId/ExperimentRun/dcid.{run}/{path}"


def finite_or_not(value: Any) -> Any:
    """JSON has no NaN: it travels as a string."""
    if isinstance(value, str):
        return _NOT_FINITE.get(value, value)
    if isinstance(value, list):
        return [finite_or_not(item) for item in value]
    if isinstance(value, dict):
        return {key: finite_or_not(item) for key, item in value.items()}
    return value
