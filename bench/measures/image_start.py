"""A script in an isolated image beside the same script on the host: from `roost submit` to its first line."""

import shutil
import statistics
from pathlib import Path
from typing import List

from harness import Bench
from measures.first_line import time_to_first_line
from table import Row, milliseconds

MARK_SECONDS = 0.03
BASE = Path("/tmp/roost-images/bookworm-python3")  # made by tests/test_images.py, and kept there
SCRIPT = "echo first line"
TITLE = "first line in an isolated image"


def measure(bench: Bench) -> List[Row]:
    if shutil.which("buildah") is None or not (BASE / "index.json").exists():
        return [Row(TITLE, "-", "the host", None, "at most 30 ms above", None,
                    verdict_text="not measured here (run tests/test_images.py first)")]
    rounds = bench.size(20, 3)
    with bench.folder("image-start") as folder, bench.server() as server, server.connect() as api:
        source = folder / "source"
        source.mkdir()
        (source / "notes.txt").write_text("a file to lay out\n", encoding="utf-8")
        api.create_compute("warm", 1, 1)
        api.call("POST", "/workspaces/default/environments",
                 {"name": "image", "definition": {"docker": {"baseImage": f"oci:{BASE}:latest"}}})
        words = ["submit", "-e", "image-start", "-c", "warm", "-s", str(source)]
        # A shell line: two Pythons begin at different speed, by what is installed for them.
        inside = server.arguments(*words, "--environment", "image", "--", SCRIPT)
        host = server.arguments(*words, "--", SCRIPT)
        server.command(*words, "--environment", "image", "--", SCRIPT)  # builds it
        in_image, on_host = [], []
        # One kind after the other: a start may wait for the node to clean up after the run before it.
        for command, times in ((inside, in_image), (host, on_host)):
            time_to_first_line(command, server.environment, folder)
            for _ in range(rounds):
                api.wait_for_idle_nodes("warm", 1)
                times.append(time_to_first_line(command, server.environment, folder))
    roost, peer = statistics.median(in_image), statistics.median(on_host)
    return [Row(TITLE, f"{milliseconds(roost)} ({milliseconds(roost - peer)} above)", f"on the host: {milliseconds(peer)}",
                roost / peer, "at most 30 ms above", roost - peer <= MARK_SECONDS,
                {"roost_s": roost, "peer_s": peer, "above_s": roost - peer})]
