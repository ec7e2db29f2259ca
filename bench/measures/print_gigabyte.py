"""A process that prints 1 GB: is it slowed down, does the server stay small, is every byte kept?"""

import hashlib
import os
import subprocess
import time
from pathlib import Path
from typing import List, Tuple

from harness import PYTHON, Api, Bench, Server, clean_environment
from table import Row, milliseconds

LOG = "azureml-logs/70_driver_log.txt"
MARK_WHOLE = 3.0
PIECE = 64_000  # bytes a write; each begins with its number, so that none can be lost or doubled unseen

SCRIPT = """
import os, sys, time
pieces = int(sys.argv[1])
body = (b"y" * 99 + b"\\n") * 639
start = time.monotonic()
for number in range(pieces):
    piece = b"%099d\\n" % number + body
    while piece:
        piece = piece[os.write(1, piece):]
elapsed = time.monotonic() - start
os.makedirs("outputs", exist_ok=True)
with open("outputs/elapsed.txt", "w") as file:
    file.write(repr(elapsed))
"""


def measure(bench: Bench) -> List[Row]:
    pieces = bench.size(1_000_000_000, 50_000_000) // PIECE
    size = pieces * PIECE
    with bench.folder("print") as folder:
        source = folder / "source"
        source.mkdir()
        (source / "print.py").write_text(SCRIPT, encoding="utf-8")
        (source / ".amlignore").write_text("outputs\n", encoding="utf-8")
        by_hand, in_run = [], []
        for _ in range(bench.size(2, 1)):
            by_hand.append(time_by_hand(source, folder / "peer.txt", pieces))
            os.sync()
            with bench.server() as server, server.connect() as api:
                in_run.append(time_in_run(server, api, source, pieces))
    loops, wholes, memories = zip(*in_run)
    peer, roost, whole, memory = min(by_hand), min(loops), min(wholes), max(memories)
    peer_text = f"piped to a file: {milliseconds(peer)}"
    return [Row(f"a process that prints {size / 1e6:,.0f} MB", milliseconds(roost), peer_text, roost / peer,
                "at most 1.30", roost / peer <= 1.3, {"roost_s": roost, "peer_s": peer}),
            Row("  submit until Completed, every byte kept", milliseconds(whole), peer_text, whole / peer,
                f"at most {MARK_WHOLE:.2f}", whole / peer <= MARK_WHOLE,
                {"roost_s": whole, "peer_s": peer}),
            Row("  highest memory of the server meanwhile", f"{memory:.0f} MB", "-", None, "under 200 MB", memory < 200,
                {"roost_mb": memory})]


def time_by_hand(source: Path, output: Path, pieces: int) -> float:
    os.sync()
    subprocess.run(["sh", "-c", '"$0" print.py "$1" | cat > "$2"', PYTHON, str(pieces), str(output)], cwd=source,
                   env={**clean_environment(source), "PYTHONUNBUFFERED": "1"}, check=True, timeout=600)
    if output.stat().st_size != pieces * PIECE:
        raise RuntimeError(f"the pipe kept {output.stat().st_size} of {pieces * PIECE} bytes")
    output.unlink()
    return float((source / "outputs/elapsed.txt").read_text(encoding="utf-8"))


def time_in_run(server: Server, api: Api, source: Path, pieces: int) -> Tuple[float, float, float]:
    """Seconds of the write loop, seconds from submit to Completed, and the server's highest memory in MB."""
    start = time.monotonic()
    server.command("submit", "-e", "print", "-s", str(source), "--python", PYTHON, "-d", "--", "python", "print.py",
                   str(pieces))
    run = api.call("GET", "/workspaces/default/runs?limit=1")["items"][0]["id"]
    api.wait_for_run(run, 600)
    whole = time.monotonic() - start
    memory = server.memory_mb("VmHWM")
    check_log(api, run, pieces)
    return float(api.send("GET", f"/api/v1/runs/{run}/artifacts/outputs/elapsed.txt")[1]), whole, memory


def check_log(api: Api, run: str, pieces: int) -> None:
    body = (b"y" * 99 + b"\n") * 639
    expected, got, size = hashlib.sha256(), hashlib.sha256(), 0
    for number in range(pieces):
        expected.update(b"%099d\n" % number + body)
    for data in api.stream(f"/runs/{run}/logs/{LOG}"):
        got.update(data)
        size += len(data)
    if size != pieces * PIECE or got.digest() != expected.digest():
        raise RuntimeError(f"the log has {size:,} bytes, not the {pieces * PIECE:,} that were printed, or others")
