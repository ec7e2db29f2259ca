"""From asking for an environment of sixty packages with PyTorch until it is built, beside uv by hand; both find all in their caches."""

import statistics
import sys
from pathlib import Path
from typing import Any, Dict, List

from harness import PYTHON, Api, Bench, clean_environment, timed_command
from table import Row

from measures.environment import build_and_wait

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))
from package_tools import find_uv, index_answers  # noqa: E402
from torch_python import TORCH, local_cpu_wheels  # noqa: E402

NAME = "environment of sixty packages with PyTorch"
ASKED = [TORCH, "pandas", "scipy", "scikit-learn", "matplotlib", "tqdm", "pyyaml", "requests", "seaborn", "tensorboard",
         "transformers", "ipython"]
CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")


def measure(bench: Bench) -> List[Row]:
    uv, wheels = find_uv(), local_cpu_wheels()
    why = "no uv" if not uv else f"no wheel of {TORCH} for CPUs" if not wheels else "" if index_answers() else "no package index is reachable"
    if why:
        return [Row(NAME, "-", "-", None, "at most 1.10", None, verdict_text=f"skipped: {why}")]
    rounds = bench.size(5, 1)
    config: Dict[str, Any] = {"environments": {"wheels": wheels, "uv": uv}}
    with bench.folder("environment") as folder, bench.server(config=config) as server, server.connect() as api:
        hand = ByHand(uv, wheels, folder)
        lines = hand.settle(ASKED)
        built, by_hand = [], []
        for n in range(rounds + 1):
            # Another order is another environment. The first round fills both caches.
            order = lines[n:] + lines[:n]
            by_hand.append(hand.install(f"venv-{n}", order))
            built.append(time_of_build(api, f"env-{n}", order))
    roost, peer = statistics.median(built[1:]), statistics.median(by_hand[1:])
    return [Row(NAME, f"{roost:.2f} s", f"uv: {peer:.2f} s", roost / peer, "at most 1.10", roost / peer <= 1.1,
                {"roost_s": roost, "peer_s": peer, "packages": len(lines)})]


class ByHand:
    def __init__(self, uv: str, wheels: str, folder: Path) -> None:
        self.uv, self.wheels, self.folder = uv, wheels, folder
        self.environment = {**clean_environment(folder), "UV_CACHE_DIR": str(folder / "uv")}
        if CERTIFICATES.exists():
            self.environment["SSL_CERT_FILE"] = str(CERTIFICATES)

    def settle(self, asked: List[str]) -> List[str]:
        """The versions of all that these need, so that every round installs the same."""
        (self.folder / "asked.txt").write_text("\n".join(asked))
        timed_command([self.uv, "pip", "compile", "-q", "--no-header", "--no-annotate", "--python", PYTHON, "--find-links", self.wheels,
                       "-o", str(self.folder / "settled.txt"), str(self.folder / "asked.txt")], self.environment)
        lines = (self.folder / "settled.txt").read_text().split()
        if len(lines) < 60:
            raise RuntimeError(f"only {len(lines)} packages")
        return lines

    def install(self, name: str, lines: List[str]) -> float:
        (self.folder / f"{name}.txt").write_text("\n".join(lines))
        made = timed_command([self.uv, "venv", "-q", "--python", PYTHON, str(self.folder / name)], self.environment)
        return made + timed_command([self.uv, "pip", "install", "-q", "--python", str(self.folder / name / "bin" / "python"),
                                     "--find-links", self.wheels, "-r", str(self.folder / f"{name}.txt")], self.environment)


def time_of_build(api: Api, name: str, lines: List[str]) -> float:
    definition: Dict[str, Any] = {"python": {"condaDependencies": {"dependencies": [{"pip": lines}]}}}
    return build_and_wait(api, name, definition)
