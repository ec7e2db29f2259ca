"""From starting `roost submit` until the script's first line is on its stdout: warm node, unchanged snapshot."""

import statistics
import subprocess
import time
from pathlib import Path
from typing import Dict, List

from harness import PYTHON, Bench
from table import Row, milliseconds

MARK_SECONDS = 0.1


def measure(bench: Bench) -> List[Row]:
    rounds = bench.size(20, 3)
    with bench.folder("first-line") as folder, bench.server() as server, server.connect() as api:
        source = folder / "source"
        source.mkdir()
        (source / "hello.py").write_text('print("first line", flush=True)\n', encoding="utf-8")
        api.create_compute("warm", 1, 1)
        submit = server.arguments("submit", "-e", "first-line", "-c", "warm", "-s", str(source), "--python", PYTHON,
                                  "--", "python", "hello.py")
        submitted, by_hand = [], []
        time_to_first_line(submit, server.environment, folder)  # uploads the snapshot
        for _ in range(rounds):
            api.wait_for_idle_nodes("warm", 1)
            submitted.append(time_to_first_line(submit, server.environment, folder))
            by_hand.append(time_to_first_line([PYTHON, "hello.py"], server.environment, source))
    roost, hand = statistics.median(submitted), statistics.median(by_hand)
    rows = [Row("submit to first line, warm", milliseconds(roost), f"by hand: {milliseconds(hand)}", roost / hand,
                "at most 100 ms above", roost - hand <= MARK_SECONDS,
                {"roost_s": roost, "peer_s": hand, "above_s": roost - hand})]
    rows[0].roost += f" ({milliseconds(roost - hand)} above)"
    return rows


def time_to_first_line(command: List[str], environment: Dict[str, str], cwd: Path) -> float:
    start = time.monotonic()
    with subprocess.Popen(command, env=environment, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            elapsed = time.monotonic() - start
            process.wait(60)
        finally:
            if process.poll() is None:
                process.kill()
    if line != b"first line\n":
        raise RuntimeError(f"{command[:4]} printed {line!r} and ended with {process.returncode}")
    return elapsed
