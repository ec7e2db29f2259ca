"""roost.runs where there is no pandas."""

import sys

import pytest

import roost
from roost.run_table import RunTable


def row(number, metrics=None, params=None, tags=None):
    return {
        "id": f"birds_{number}",
        "display_name": f"birds-{number}",
        "experiment": "birds",
        "status": "Completed",
        "created_at": "2026-11-18T21:12:44.972123Z",
        "started_at": None,
        "ended_at": None,
        "created_by": "anna",
        "metrics": metrics or {},
        "params": params or {},
        "tags": tags or {},
    }


@pytest.fixture
def table(api, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    monkeypatch.setenv("ROOST_URL", api.url)
    monkeypatch.setenv("ROOST_TOKEN", "t")
    rows = [
        row(2, {"loss": "NaN"}, {"lr": "1e-3", "n": "3", "id": "007"}, {"best": None}),
        row(1, {"loss": 0.25}, {"opt": "adam"}),
    ]
    api.routes["GET /api/v1/workspaces/default/run-table"] = lambda asked: {
        "items": rows[int(asked.query["offset"][0]) :][:1],
        "total": 2,
    }
    return api


def test_all_pages(table):
    found = roost.runs("status:completed", project="birds")
    assert isinstance(found, RunTable) and found["id"] == ["birds_2", "birds_1"]
    assert [asked.query["q"][0] for asked in table.asked] == [
        'experiment:"birds" status:completed'
    ] * 2
    first, second = found
    assert first["metrics.loss"] != first["metrics.loss"] and second["metrics.loss"] == 0.25
    assert (first["params.lr"], first["params.n"], first["params.id"]) == (0.001, 3, "007")
    assert first["tags.best"] == "" and second["params.opt"] == "adam"
    assert len(roost.runs(limit=1)) == 1


def test_how_it_looks(table):
    found = roost.runs()
    head, first, second = repr(found).splitlines()
    assert head.split() == [
        *("id", "name", "project", "status", "created_at", "user", "metrics.loss"),
        *("params.id", "params.lr", "params.n", "params.opt", "tags.best"),
    ]
    assert "2026-11-18 21:12:44" in first and "0.25" in second
    assert "<td>0.25</td>" in found._repr_html_()
    assert repr(RunTable()) == "no runs"
