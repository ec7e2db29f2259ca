"""What a score.py costs behind `roost serve`: a request over one kept connection, beside calling run() in process."""

import contextlib
import re
import socket
import statistics
import subprocess
import time
from pathlib import Path
from typing import Callable, Iterator, List, Optional

from harness import PYTHON, Bench, clean_environment, wait_until
from table import Row

MARK_MS = 0.3
SCRIPT = """\
import json

def init():
    global weights
    weights = [0.5, -1.0, 2.0, 0.25]

def run(data):
    rows = json.loads(data)["data"]
    return {"result": [sum(w * x for w, x in zip(weights, row)) for row in rows]}
"""
BODY = b'{"data": [[1.0, 2.0, 3.0, 4.0]]}'
SDK = Path(__file__).resolve().parent.parent.parent / "python"


def measure(bench: Bench) -> List[Row]:
    calls = bench.size(5_000, 300)
    with bench.folder("score-script") as folder:
        (folder / "score.py").write_text(SCRIPT, encoding="utf-8")
        with serving(bench, folder) as connection:
            score = request(b"POST", b"/score", BODY)
            health = request(b"GET", b"/", b"")
            whole = median_us(lambda: round_trip(connection, score), calls)
            bare = median_us(lambda: round_trip(connection, health), calls)
        alone = in_process_us(folder, calls)
    above = (whole - alone) / 1000
    return [Row("score.py: a request, above run() itself", f"{above:.3f} ms", f"run() in process: {alone / 1000:.3f} ms", None,
                f"at most {MARK_MS} ms", above <= MARK_MS,
                {"request_us": whole, "in_process_us": alone, "http_alone_us": bare})]


@contextlib.contextmanager
def serving(bench: Bench, folder: Path) -> Iterator[socket.socket]:
    output = folder / "serve.out"
    environment = {**clean_environment(folder), "PYTHONPATH": f"{SDK}/in_run:{SDK}"}
    with open(output, "wb") as file:
        process = subprocess.Popen([bench.roost, "serve", str(folder / "score.py"), "--port", "0"], cwd=folder, env=environment,
                                   stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT)
    try:
        def address() -> "Optional[re.Match[str]]":
            text = output.read_text(encoding="utf-8", errors="replace")
            if process.poll() is not None:
                raise RuntimeError(f"roost serve ended with {process.returncode}: {text[-300:]!r}")
            return re.search(r"^serving .* on http://([\d.]+):(\d+)$", text, re.MULTILINE)

        found = wait_until(address, 60, "roost serve to be ready")
        assert found is not None
        with socket.create_connection((found[1], int(found[2]))) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            yield connection
    finally:
        process.terminate()
        process.wait(60)


def request(method: bytes, path: bytes, body: bytes) -> bytes:
    return b"%s %s HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (
        method, path, len(body), body)


def round_trip(connection: socket.socket, message: bytes) -> None:
    """The client does as little as it can: what it costs counts as Roost's."""
    connection.sendall(message)
    answer = connection.recv(65536)
    while b"\r\n\r\n" not in answer:
        answer += connection.recv(65536)
    head, _, body = answer.partition(b"\r\n\r\n")
    if not head.startswith(b"HTTP/1.1 200"):
        raise RuntimeError(f"answered {answer[:300]!r}")
    length = re.search(rb"Content-Length: (\d+)", head)
    while length and len(body) < int(length[1]):
        body += connection.recv(65536)


def median_us(call: Callable[[], None], calls: int) -> float:
    for _ in range(max(20, calls // 20)):
        call()
    times = []
    for _ in range(calls):
        start = time.perf_counter_ns()
        call()
        times.append(time.perf_counter_ns() - start)
    return statistics.median(times) / 1000


def in_process_us(folder: Path, calls: int) -> float:
    """By the same Python, in a process of its own, with the JSON of the answer made there too."""
    code = ("import json, sys, time, statistics\nsys.path.insert(0, '.')\nimport score\nscore.init()\n"
            f"body = {BODY.decode()!r}\ntimes = []\n"
            f"for _ in range({calls}):\n    start = time.perf_counter_ns()\n    json.dumps(score.run(body))\n"
            "    times.append(time.perf_counter_ns() - start)\nprint(statistics.median(times))\n")
    done = subprocess.run([PYTHON, "-c", code], cwd=folder, env=clean_environment(folder), stdout=subprocess.PIPE, text=True,
                          timeout=120, check=True)
    return float(done.stdout) / 1000
