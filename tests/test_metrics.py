"""Metrics: what a script logs is what a query gives back."""
import json
import math
import random

import pytest

from conftest import Gate
from processes import wait_until
from roost_fixture import RoostServer, own_properties


@pytest.fixture(scope="module")
def server(shared_server: RoostServer) -> RoostServer:
    return shared_server


def values(server: RoostServer, run: dict, name: str) -> list:
    return [point["value"] for point in server.metric(run, name)["points"]]


def summaries(server: RoostServer, run: dict) -> dict:
    return {metric["name"]: metric for metric in server.get(f"/runs/{run['id']}/metrics")["items"]}


def test_every_kind(server: RoostServer) -> None:
    run = server.run("""
        import math, os
        import roost.run as run
        for step in range(5):
            run.log("loss", 1 / (step + 1), step=step)
        for value in (math.nan, math.inf, -math.inf, 5, -0.1, True, "warm", 1 << 62):
            run.log("mixed", value)
        run.log_list("list", [1.5, 2.5, "x"])
        run.log_row("row", x=1, y="a"); run.log_row("row", x=2, y="b")
        run.log_table("table", {"x": [1, 2], "y": [3, 4]})
        run.log_confusion_matrix("matrix", {"schema_type": "confusion_matrix", "data": {"matrix": [[1, 0], [0, 2]]}})
        run.log_accuracy_table("accuracy", {"data": {"a": 1}})
        run.log_residuals("residuals", {"data": {"r": 1}})
        run.log_predictions("predictions", {"data": {"p": 1}})
        os.makedirs("outputs", exist_ok=True)
        open("outputs/plot.png", "wb").write(b"png")
        run.log_image("image", path="outputs/plot.png")
        run.log("name with / slash, ü and 'quote'", 1)
    """)
    assert run["status"] == "Completed", (run["error"], server.log(run))
    assert values(server, run, "loss") == [1, 1 / 2, 1 / 3, 1 / 4, 1 / 5]
    assert [p["step"] for p in server.metric(run, "loss")["points"]] == [0, 1, 2, 3, 4]
    assert values(server, run, "mixed") == ["NaN", "Infinity", "-Infinity", 5, -0.1, True, "warm", 1 << 62]
    assert values(server, run, "list") == [1.5, 2.5, "x"]
    assert values(server, run, "row") == [{"x": 1, "y": "a"}, {"x": 2, "y": "b"}]
    assert values(server, run, "table") == [{"x": [1, 2], "y": [3, 4]}]
    assert values(server, run, "matrix")[0]["data"] == {"matrix": [[1, 0], [0, 2]]}
    assert [values(server, run, name)[0]["data"] for name in ("accuracy", "residuals", "predictions")] == [
        {"a": 1}, {"r": 1}, {"p": 1}]
    assert values(server, run, "name with / slash, ü and 'quote'") == [1]
    (image,) = values(server, run, "image")
    assert server.artifact(run, image["path"]) == b"png"
    kinds = {name: metric["kind"] for name, metric in summaries(server, run).items()}
    assert (kinds["loss"], kinds["list"], kinds["row"], kinds["table"], kinds["image"]) == (
        "scalar", "list", "row", "table", "image")
    assert kinds["matrix"] == "confusion_matrix"
    loss = summaries(server, run)["loss"]
    assert (loss["count"], loss["last"], loss["min"], loss["max"], loss["last_step"]) == (5, 0.2, 0.2, 1, 4)
    assert run["started_at"] <= loss["last_at"] <= run["ended_at"]


def test_every_double_comes_back_exactly(server: RoostServer) -> None:
    numbers = [math.ldexp(random.Random(n).random(), n % 2000 - 1000) for n in range(5000)]
    run = server.run("import json, roost.run\nfor n in json.load(open('numbers.json')): roost.run.log('n', n)",
                     files={"numbers.json": json.dumps(numbers)})
    points = []
    while len(points) < len(numbers):
        page = server.metric(run, "n", from_index=len(points), limit=2000)
        assert page["count"] == len(numbers) and page["points"]
        points += page["points"]
    assert [p["value"] for p in points] == numbers
    assert [p["index"] for p in points] == list(range(len(numbers)))


@pytest.mark.parametrize("buckets", [1, 10, 333])
def test_down_sampling_keeps_minimum_and_maximum(server: RoostServer, wave: dict, buckets: int) -> None:
    numbers = wave_numbers()
    answer = server.metric(wave, "wave", buckets=buckets)
    found = answer["buckets"]
    assert answer["count"] == len(numbers) and len(found) <= buckets
    assert sum(b["count"] for b in found) == len(numbers)
    start = 0
    for bucket in found:
        part = numbers[start:start + bucket["count"]]
        assert (bucket["min"], bucket["max"], bucket["last"]) == (min(part), max(part), part[-1])
        assert bucket["mean"] == pytest.approx(sum(part) / len(part))
        assert (bucket["index"], bucket["step_first"], bucket["step_last"]) == (start, start, start + len(part) - 1)
        assert bucket["at_first"] <= bucket["at_last"]
        start += bucket["count"]


def test_few_points_are_not_down_sampled(server: RoostServer, wave: dict) -> None:
    assert server.metric(wave, "short", buckets=10)["points"][0]["value"] == 1


def wave_numbers() -> list:
    numbers = [math.sin(i / 1000) for i in range(20000)]
    numbers[7777], numbers[13131] = -50.0, 60.0
    return numbers


@pytest.fixture(scope="module")
def wave(server: RoostServer) -> dict:
    run = server.run("import json, roost.run\nfor i, n in enumerate(json.load(open('n.json'))):"
                     " roost.run.log('wave', n, step=i)\nroost.run.log('short', 1)",
                     files={"n.json": json.dumps(wave_numbers())})
    assert run["status"] == "Completed", run["error"]
    return run


def test_points_are_seen_while_the_run_runs(server: RoostServer, gate: Gate) -> None:
    run = server.submit("import roost.run\nroost.run.log('loss', 0.5, step=1)\nroost.run.run.tag('phase', 'warm')\n"
                        + gate.wait_code)
    wait_until(lambda: summaries(server, run).get("loss"), 10, "the first point")
    wait_until(lambda: server.get_run(run)["tags"] == {"phase": "warm"}, 10, "the tag")
    assert server.get_run(run)["status"] == "Running"
    gate.open()
    assert server.wait(run)["status"] == "Completed"


def test_points_of_several_processes_and_threads(server: RoostServer) -> None:
    run = server.run("""
        import os, threading
        import roost.run
        def work(k):
            for i in range(500): roost.run.log("n", k * 1000 + i)
        for k in range(3):
            if os.fork() == 0:
                work(k)
                os._exit(0)  # no exit handler cuts the spool file
        threads = [threading.Thread(target=work, args=(k,)) for k in (3, 4)]
        for t in threads: t.start()
        for t in threads: t.join()
        for _ in range(3): os.wait()
    """)
    found = values(server, run, "n")
    assert sorted(found) == sorted(k * 1000 + i for k in range(5) for i in range(500))
    for k in range(5):
        of_one = [value for value in found if value // 1000 == k]
        assert of_one == sorted(of_one), "the points of one writer keep their order"


def test_any_language_can_write_the_spool(server: RoostServer) -> None:
    run = server.run(command=r"""
        printf '["scalar","loss",0.5,1,1763240000]\n["scalar","loss",0.25,2,1763240001.5]\n' >> $ROOST_SPOOL/mine.spool
        printf 'not json\n["scalar"]\n["nonsense","a",1,null,0]\n["tag","k","v",null,0]\n' >> $ROOST_SPOOL/mine.spool
        printf '["scalar","last",1,null,1763240000' >> $ROOST_SPOOL/cut.spool
    """)
    points = server.metric(run, "loss")["points"]
    assert [(p["value"], p["step"], p["at"]) for p in points] == [
        (0.5, 1, "2025-11-15T20:53:20.000000Z"), (0.25, 2, "2025-11-15T20:53:21.500000Z")]
    assert run["status"] == "Completed" and run["tags"] == {"k": "v"} and "last" not in summaries(server, run)
    assert any("3" in notice for notice in run["notices"]), run["notices"]


def test_properties_from_a_script(server: RoostServer) -> None:
    run = server.run("import roost.run\nroost.run.run.add_properties({'seed': '7'})\nroost.run.run.tag('a')")
    assert own_properties(run) == {"seed": "7"} and run["tags"] == {"a": None}


def test_system_metrics(server: RoostServer, gate: Gate) -> None:
    run = server.submit("print('busy')\n" + gate.wait_code)

    def series() -> dict:
        found = server.get(f"/runs/{run['id']}/system-metrics")["series"]
        return {s["name"]: s["points"] for s in found if s["points"]}

    def complete() -> bool:
        return all(any(word in name for name in series()) for word in ("cpu", "memory", "disk", "network"))

    wait_until(complete, 20, "samples of cpu, memory, disk and network", interval=0.1)
    gate.open()
    assert server.wait(run)["status"] == "Completed"
    for name, points in series().items():
        assert all(math.isfinite(p["value"]) for p in points), name
        assert [p["at"] for p in points] == sorted(p["at"] for p in points)
