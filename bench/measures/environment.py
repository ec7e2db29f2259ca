"""From asking for an environment of ten packages until it is built, beside venv and pip by hand."""

import statistics
import sys
import time
from pathlib import Path
from typing import Any, Dict, List

from harness import PYTHON, Api, Bench, clean_environment, timed_command, wait_until
from table import Row

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))
from local_index import make_wheel  # noqa: E402

PACKAGES = 10
CODE = "\n".join(f"def function_{n}(x):\n    return x + {n}" for n in range(3000))


def measure(bench: Bench) -> List[Row]:
    rounds = bench.size(5, 1)
    with bench.folder("environment") as folder, bench.server() as server, server.connect() as api:
        wheels = folder / "wheels"
        for n in range(PACKAGES):
            make_wheel(wheels, f"package-{n}", "1.0", code=CODE)
        names = [f"package-{n}" for n in range(PACKAGES)]
        built, by_hand = [], []
        for n in range(rounds):
            by_hand.append(time_by_hand(folder / f"venv-{n}", wheels, names))
            # Another order is another environment: nothing comes from the cache.
            built.append(time_of_build(api, f"env-{n}", wheels, names[n:] + names[:n]))
    roost, hand = statistics.median(built), statistics.median(by_hand)
    return [Row("environment of ten packages", f"{roost:.2f} s", f"venv and pip: {hand:.2f} s", roost / hand,
                "at most 1.10", roost / hand <= 1.1, {"roost_s": roost, "peer_s": hand})]


def time_by_hand(venv: Path, wheels: Path, names: List[str]) -> float:
    environment = clean_environment(venv.parent)
    made = timed_command([PYTHON, "-m", "venv", "--without-pip", str(venv)], environment)
    return made + timed_command([PYTHON, "-m", "pip", "--python", str(venv / "bin" / "python"), "install", "-q",
                                 "--no-cache-dir", "--disable-pip-version-check", "--no-index", "--find-links",
                                 str(wheels), *names], environment)


def time_of_build(api: Api, name: str, wheels: Path, names: List[str]) -> float:
    pip = ["--no-index", f"--find-links {wheels}", *names]
    return build_and_wait(api, name, {"python": {"condaDependencies": {"dependencies": [{"pip": pip}]}}})


def build_and_wait(api: Api, name: str, definition: Dict[str, Any]) -> float:
    """Seconds until it is built."""
    api.call("POST", "/workspaces/default/environments", {"name": name, "definition": definition})
    start = time.monotonic()
    build = api.call("POST", f"/workspaces/default/environments/{name}/build", {})

    def state() -> Any:
        found = api.call("GET", f"/environment-builds/{build['digest']}")
        return found if found["status"] in ("built", "failed") else None

    ended = wait_until(state, 600, "the build", 0.005)
    if ended["status"] != "built":
        raise RuntimeError(ended["message"])
    return time.monotonic() - start
