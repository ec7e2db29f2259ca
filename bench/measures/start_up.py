"""From starting `roost up` until /healthz answers, and what the server takes when it idles."""

import contextlib
import http.client
import socket
import statistics
import subprocess
import time
from pathlib import Path
from typing import Dict, List, Tuple

from harness import PYTHON, Bench, clean_environment, memory_mb
from table import Row, milliseconds


def measure(bench: Bench) -> List[Row]:
    rounds = bench.size(7, 2)
    fresh, again, peers, memory, peer_memory = [], [], [], [], []
    with bench.folder("start") as folder:
        environment = clean_environment(folder)
        for number in range(rounds):
            data = folder / f"data-{number}"
            fresh.append(start(roost_up(bench, data), environment, folder)[0])
            seconds, size = start(roost_up(bench, data), environment, folder)
            again.append(seconds)
            memory.append(size)
            seconds, size = start([PYTHON, "-m", "http.server", "--bind", "127.0.0.1", "{port}"], environment, folder)
            peers.append(seconds)
            peer_memory.append(size)
    peer = statistics.median(peers)
    peer_text = f"python3 -m http.server: {milliseconds(peer)}"
    rows = []
    for title, values in (("start of the server, new data folder", fresh), ("start of the server, again", again)):
        value = statistics.median(values)
        rows.append(Row(title, milliseconds(value), peer_text, value / peer, "at most 300 ms", value <= 0.3,
                        {"roost_s": value, "peer_s": peer}))
    idle, peer_idle = max(memory), max(peer_memory)
    rows.append(Row("memory of the idle server", f"{idle:.1f} MB", f"python3 -m http.server: {peer_idle:.1f} MB",
                    idle / peer_idle, "at most 60 MB", idle <= 60, {"roost_mb": idle, "peer_mb": peer_idle}))
    return rows


def roost_up(bench: Bench, data: Path) -> List[str]:
    return [bench.roost, "up", "--data", str(data), "--port", "{port}"]


def start(command: List[str], environment: Dict[str, str], folder: Path) -> Tuple[float, float]:
    """Seconds until it answers over HTTP, and its memory half a second later."""
    port = free_port()
    words = [word.format(port=port) for word in command]
    began = time.monotonic()
    process = subprocess.Popen(words, env=environment, cwd=folder, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        while not answers(port):
            if process.poll() is not None or time.monotonic() - began > 60:
                raise RuntimeError(f"{words[:4]} does not answer; it ended with {process.poll()}")
            time.sleep(0.001)
        seconds = time.monotonic() - began
        time.sleep(0.5)
        return seconds, memory_mb(process.pid, "VmRSS")
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(10)


def answers(port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    with contextlib.closing(connection):
        try:
            connection.request("GET", "/healthz")
            return connection.getresponse().status in (200, 404)  # 404 is how the peer answers it
        except (OSError, http.client.HTTPException):
            return False


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
