"""Runs of `true` per second through the whole life cycle, from the first submit_run until the last is Completed."""

import subprocess
import threading
import time
from typing import Any, List

from harness import Bench, Server, clean_environment
from table import Row, per_second

MARK = 400
THREADS = 2
NODES = 4


def measure(bench: Bench) -> List[Row]:
    count = bench.size(300, 40)
    with bench.server() as server, server.connect() as api:
        api.create_compute("trivial", NODES, NODES)
        submit_from_threads(server, THREADS * NODES, "warm-up")
        api.wait_until_no_run_is_active(60)
        api.wait_for_idle_nodes("trivial", NODES)
        start = time.monotonic()
        submit_from_threads(server, count, "trivial")
        api.wait_until_no_run_is_active(300)
        rate = count / (time.monotonic() - start)
        completed = api.call("GET", "/workspaces/default/runs?experiment=trivial&status=Completed&limit=1000")["items"]
        if len(completed) != count:
            raise RuntimeError(f"{len(completed)} of {count} runs are Completed")
    with bench.folder("spawn") as folder:
        environment = clean_environment(folder)
        start = time.monotonic()
        for _ in range(count):
            subprocess.run(["sh", "-c", "true"], env=environment, check=True, timeout=60)
        peer = count / (time.monotonic() - start)
    return [Row(f"{count} trivial runs, whole life cycle, {NODES} nodes", per_second(rate),
                f"sh -c true, one by one: {per_second(peer)}", rate / peer, f"at least {MARK}/s", rate >= MARK,
                {"roost_per_s": rate, "peer_per_s": peer})]


def submit_from_threads(server: Server, count: int, experiment: str) -> None:
    failures: List[Any] = []

    def submit(share: int) -> None:
        try:
            with server.connect() as api:
                for _ in range(share):
                    api.submit(experiment=experiment, command="true", compute="trivial")
        except Exception as error:  # told to the caller
            failures.append(error)

    shares = [count // THREADS + (number < count % THREADS) for number in range(THREADS)]
    threads = [threading.Thread(target=submit, args=(share,)) for share in shares]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
