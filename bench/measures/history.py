"""A history of 100,000 runs: how fast the newest are listed, and whether a submit costs more than on an empty one."""

import statistics
import time
from typing import List

from harness import Api, Bench, percentile
from measures.fill_history import EXPERIMENTS, fill_history
from table import Row, milliseconds

MARK_SECONDS = 0.010
FILTERS = (("experiment and status", f"experiment={EXPERIMENTS[3]}&status=Failed"), ("tag", "tag=team%3Dt7"),
           ("status", "status=Failed"))


def measure(bench: Bench) -> List[Row]:
    count = bench.size(100_000, 2_000)
    with bench.folder("history") as folder:
        data = folder / "data"
        with bench.server(data) as server, server.connect() as api:
            model = api.submit(experiment=EXPERIMENTS[0], command="true", tags={"team": "t0"})
            api.wait_for_run(model)
        fill_history(data / "roost.db", model, count)
        with bench.server(data) as server, server.connect() as api:
            rows = list_rows(bench, api, count)
            with bench.server() as empty_server, empty_server.connect() as empty_api:
                late, early = costs_of_submit(bench.size(50, 10), api, empty_api)
    rows.append(Row(f"submit_run with {count:,} runs", milliseconds(late),
                    f"with an empty history: {milliseconds(early)}", late / early, "at most 1.20",
                    late / early <= 1.2, {"roost_s": late, "peer_s": early}))
    return rows


def list_rows(bench: Bench, api: Api, count: int) -> List[Row]:
    requests = bench.size(300, 60)
    peer = percentile([time_of(api, "/healthz") for _ in range(requests)], 99)
    rows = []
    for name, filters in FILTERS:
        path = f"/api/v1/workspaces/default/runs?limit=50&{filters}"
        found = len(api.call("GET", path[len("/api/v1"):])["items"])
        if found != min(50, expected(name, count)):
            raise RuntimeError(f"{path} lists {found} runs of {count}")
        times = [time_of(api, path) for _ in range(requests)]
        p50, p99 = percentile(times, 50), percentile(times, 99)
        rows.append(Row(f"newest 50 of {count:,} runs by {name}, p99", f"{milliseconds(p99)} (p50 {milliseconds(p50)})",
                        f"/healthz p99: {milliseconds(peer)}", p99 / peer, "at most 10 ms", p99 <= MARK_SECONDS,
                        {"roost_p50_s": p50, "roost_p99_s": p99, "peer_p99_s": peer}))
    return rows


def expected(name: str, count: int) -> int:
    return {"experiment and status": count // 100, "tag": count // 20, "status": count // 10}[name]


def time_of(api: Api, path: str) -> float:
    start = time.monotonic()
    status, _ = api.send("GET", path)
    elapsed = time.monotonic() - start
    if status != 200:
        raise RuntimeError(f"GET {path}: {status}")
    return elapsed


def costs_of_submit(count: int, *apis: Api) -> List[float]:
    """Median of `count` POSTs to each, in turn, so that what else the machine does hits all alike."""
    for api in apis:
        api.create_busy_compute("busy")
    times: List[List[float]] = [[] for _ in apis]
    for _ in range(5 + count):  # the first five warm up
        for api, own in zip(apis, times):
            start = time.monotonic()
            api.submit(experiment=EXPERIMENTS[0], command="true", compute="busy", tags={"team": "t0"})
            own.append(time.monotonic() - start)
    return [statistics.median(own[5:]) for own in times]
