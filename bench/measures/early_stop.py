"""From the point that decides it until the script of a trial gets its SIGTERM, beside a signal sent by hand."""

import os
import signal
import statistics
import subprocess
import time
from typing import List

from harness import PYTHON, Bench, wait_until
from table import Row, milliseconds

MARK = 1.0
# Two trials run side by side: the good one logs at once, the other says when it logged and when it was told to end.
SCRIPT = """
import os, signal, sys, time
def stopped(*_):
    open("outputs/stopped", "w").write(str(time.time() - logged))
    sys.exit(0)
signal.signal(signal.SIGTERM, stopped)
import roost.run as run
value = float(sys.argv[-1])
time.sleep(0 if value > 0.5 else 1)
logged = time.time()
run.log("accuracy", value)
time.sleep(600 if value < 0.5 else 4)
"""


def measure(bench: Bench) -> List[Row]:
    rounds = bench.size(7, 2)
    delays = []
    with bench.folder("early-stop") as folder, bench.server() as server, server.connect() as api:
        (folder / "train.py").write_text(SCRIPT, encoding="utf-8")
        api.create_compute("warm", 2, 2)
        server.command("submit", "-e", "warm-up", "-c", "warm", "-s", str(folder), "--python", PYTHON, "--", "true")
        snapshot = api.call("GET", "/workspaces/default/runs?limit=1")["items"][0]["snapshot"]
        for _ in range(rounds):
            api.wait_for_idle_nodes("warm", 2)
            sweep = api.call("POST", "/workspaces/default/sweeps", {
                "run": {"experiment": "early", "command": f"{PYTHON} train.py", "compute": "warm", "snapshot": snapshot},
                "space": [{"name": "x", "expression": "choice", "values": [0.9, 0.1]}], "sampling": {"type": "grid"},
                "metric": {"name": "accuracy", "goal": "maximize"}, "policy": {"type": "bandit", "slack_amount": 0.1},
                "max_total_runs": 2})
            api.wait_for_run(sweep["id"], 60)
            delays.append(float(api.send("GET", f"/api/v1/runs/{sweep['id']}_1/artifacts/outputs/stopped")[1]))
    by_hand = statistics.median(signal_delay() for _ in range(rounds))
    roost = statistics.median(delays)
    return [Row("a bad point until its trial gets SIGTERM", f"{milliseconds(roost)} (worst {milliseconds(max(delays))})",
                f"a signal by hand: {milliseconds(by_hand)}", roost / by_hand, "within a second", max(delays) <= MARK,
                {"roost_s": roost, "worst_s": max(delays), "peer_s": by_hand})]


def signal_delay() -> float:
    """From kill() until a Python process has noticed."""
    code = "import signal, sys, time\nsignal.signal(15, lambda *_: (print(time.time()), sys.exit()))\nprint('up', flush=True)\nsignal.pause()"
    with subprocess.Popen([PYTHON, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        wait_until(lambda: process.stdout.readline() == "up\n", 30, "it is up")
        start = time.time()
        os.kill(process.pid, signal.SIGTERM)
        return float(process.stdout.readline()) - start
