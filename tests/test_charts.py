"""get_charts: curves of several metrics, down-sampled."""
import json
from typing import Any, Dict, List

import pytest

from http_api import query
from roost_fixture import RoostServer

POINTS = 20_000


@pytest.fixture(scope="module")
def server(shared_server: RoostServer) -> RoostServer:
    return shared_server


@pytest.fixture(scope="module")
def run(server: RoostServer) -> Dict[str, Any]:
    """`long` has steps 0, 2, 4 ... one a second with a spike, `odd` no steps and no plain numbers, `word` no number."""
    run = server.expect(201, "POST", "/workspaces/default/runs", json={"experiment": "e", "interactive": True})
    lines = [["scalar", "long", 1e6 if i == 777 else i / 8, i * 2, 1_000 + i] for i in range(POINTS)]
    lines += [["scalar", "odd", value, None, 5] for value in ("NaN", 1, "word", "Infinity", "-Infinity", 1e-300)]
    lines += [["scalar", "word", "yes", None, 5]]
    body = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    server.expect(200, "POST", f"/runs/{run['id']}/records" + query(stream="s", offset=0), data=body,
                  content_type="application/x-ndjson")
    server.post(f"/runs/{run['id']}/complete")
    return run


def charts(server: RoostServer, run: Dict[str, Any], *names: str, **options: Any) -> List[Dict[str, Any]]:
    items = server.get(f"/runs/{run['id']}/charts" + query(name=list(names), **options))["items"]
    for chart in items:
        columns = [chart[key] for key in ("steps", "times", "values", "lows", "highs") if key in chart]
        assert len({len(column) for column in columns}) == 1
    return items


def test_buckets_keep_the_spike(server: RoostServer, run: Dict[str, Any]) -> None:
    (chart,) = charts(server, run, "long", buckets=100)
    assert chart["count"] == POINTS and len(chart["steps"]) == 100
    assert max(chart["highs"]) == 1e6 and chart["lows"][0] == 0
    assert chart["steps"][0] == 398 and chart["times"][0] == 1199 and chart["steps"][-1] == 2 * (POINTS - 1)
    assert chart["values"][0] == pytest.approx(sum(range(200)) / 8 / 200)
    assert len(charts(server, run, "long")[0]["steps"]) == 1000


def test_a_closer_look_has_every_point(server: RoostServer, run: Dict[str, Any]) -> None:
    (chart,) = charts(server, run, "long", **{"from": 20_000, "to": 20_004})
    assert chart["steps"] == [19_998, 20_000, 20_002, 20_004, 20_006] and "lows" not in chart
    assert chart["values"] == [step / 16 for step in chart["steps"]]
    (chart,) = charts(server, run, "long", x="time", **{"from": 1_010.5, "to": 1_010.75})
    assert chart["times"] == [1_010, 1_011]
    (chart,) = charts(server, run, "long", buckets=10, **{"from": 20_000})
    assert len(chart["steps"]) == 10 and chart["lows"][0] == 19_998 / 16
    assert charts(server, run, "long", **{"from": 1e9})[0]["steps"] == [2 * (POINTS - 1)]


def test_odd_numbers_and_absent_metrics(server: RoostServer, run: Dict[str, Any]) -> None:
    odd, word = charts(server, run, "absent", "odd", "word")
    assert odd["values"] == ["NaN", 1, "Infinity", "-Infinity", 1e-300] and odd["steps"] == [0, 1, 3, 4, 5]
    assert word["values"] == [] and word["count"] == 1
    assert charts(server, run) == []
    names = [chart["name"] for chart in charts(server, run, "odd", "long", "odd", buckets=1)]
    assert names == ["odd", "long", "odd"]


@pytest.mark.parametrize("options, says", [({"x": "loss"}, "step or time"), ({"from": "a"}, "number"), ({"to": "nan"}, "number"),
                                           ({"buckets": 0}, "buckets"), ({"buckets": 20_001}, "buckets"),
                                           ({"name": ["a"] * 101}, "100")])
def test_what_is_wrong_is_said(server: RoostServer, run: Dict[str, Any], options: Dict[str, Any], says: str) -> None:
    answer = server.api("GET", f"/runs/{run['id']}/charts" + query(**options))
    assert (answer.status, answer.code) == (400, "invalid_argument") and says in answer.message


def test_charts_of_an_attempt(server: RoostServer, run: Dict[str, Any]) -> None:
    assert charts(server, run, "long", attempt=0) == []
    assert len(charts(server, run, "long", attempt=1)) == 1
    assert server.api("GET", "/runs/absent/charts").status == 404
