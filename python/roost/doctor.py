"""What `roost doctor` runs on every node: can they meet, before a script is blamed.

One process per node, started like any distributed run. The first one collects what the others see
and prints one line of JSON: {"nodes": [...], "checks": [{"name", "state", "detail"}]}.
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
import shutil
import socket
import time
from typing import Any, Dict, List, Tuple

_LIBRARIES = ("torch", "numpy", "horovod", "mpi4py", "tensorflow", "deepspeed", "lightning")
_PATIENCE = float(os.environ.get("ROOST_DOCTOR_SECONDS", "20"))
_SKEW_SECONDS = 1.0
_LEAST_SHARED_MEMORY = 64 << 20

Facts = Dict[str, Any]


def _versions() -> Dict[str, str]:
    found = {"python": platform.python_version()}
    try:
        from importlib import metadata
    except ImportError:  # before Python 3.8
        return found
    for name in _LIBRARIES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def _shared_memory() -> Facts:
    try:
        usage = shutil.disk_usage("/dev/shm")
        place = f"/dev/shm/roost-doctor-{os.getpid()}-{os.urandom(4).hex()}"
        with open(place, "wb") as file:
            file.write(b"\0" * 4096)
        os.unlink(place)
        return {"total": usage.total, "free": usage.free, "problem": ""}
    except OSError as error:
        return {"total": 0, "free": 0, "problem": str(error)}


class _Line:
    """JSON messages over a socket, one per line."""

    def __init__(self, connection: socket.socket) -> None:
        connection.settimeout(_PATIENCE)
        self._file = connection.makefile("rw", encoding="utf-8", newline="\n")

    def say(self, message: Any) -> None:
        self._file.write(json.dumps(message) + "\n")
        self._file.flush()

    def hear(self) -> Any:
        line = self._file.readline()
        if not line:
            raise ConnectionError("the other side hung up")
        return json.loads(line)


def _connect(address: str, port: int, patience: float) -> socket.socket:
    deadline = time.monotonic() + patience
    while True:
        try:
            return socket.create_connection((address, port), timeout=max(0.2, patience))
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)


def _own_facts(rank: int, port: int) -> Facts:
    return {
        "rank": rank,
        "node": os.environ.get("ROOST_NODE", socket.gethostname()),
        "host": socket.gethostname(),
        "port": port,
        "shared_memory": _shared_memory(),
        "versions": _versions(),
    }


def _reach_peers(rank: int, peers: List[Facts]) -> List[Facts]:
    """Resolves and connects to every other node."""
    results = []
    for peer in peers:
        if peer["rank"] == rank:
            continue
        result: Facts = {"to": peer["rank"], "address": "", "milliseconds": None, "problem": ""}
        try:
            result["address"] = socket.gethostbyname(peer["host"])
            began = time.monotonic()
            _connect(result["address"], peer["port"], 3.0).close()
            result["milliseconds"] = round(1000 * (time.monotonic() - began), 3)
        except OSError as error:
            what = "reach" if result["address"] else "resolve the name of"
            result["problem"] = f"cannot {what} {peer['host']}: {error}"
        results.append(result)
    return results


def _skew(line: _Line) -> float:
    """How far the other clock is ahead of ours, in seconds."""
    best: Tuple[float, float] = (float("inf"), 0.0)
    for _ in range(5):
        sent = time.time()
        line.say({"time": sent})
        there = float(line.hear()["time"])
        back = time.time()
        best = min(best, (back - sent, there - (sent + back) / 2))
    return best[1]


def _be_first(count: int, own: Facts, listener: socket.socket) -> Tuple[List[Facts], List[str]]:
    """Collects the others' facts and what they reach; also what went wrong."""
    nodes: List[Facts] = [own]
    lines: Dict[int, _Line] = {}
    problems: List[str] = []
    listener.settimeout(_PATIENCE)
    deadline = time.monotonic() + _PATIENCE
    while len(lines) < count - 1 and time.monotonic() < deadline:
        try:
            connection, _ = listener.accept()
            line = _Line(connection)
            facts = line.hear()
            facts["skew"] = _skew(line)
            nodes.append(facts)
            lines[facts["rank"]] = line
        except (OSError, ValueError) as error:
            problems.append(f"a node did not get through: {error}")
    nodes.sort(key=lambda facts: int(facts["rank"]))
    for line in lines.values():
        line.say({"peers": nodes})
    own["reaches"] = _reach_peers(own["rank"], nodes)
    for facts in nodes:
        if facts["rank"] in lines:
            try:
                facts["reaches"] = lines[facts["rank"]].hear()["reaches"]
            except (OSError, ValueError) as error:
                problems.append(f"{facts['node']} went silent: {error}")
    for line in lines.values():
        with contextlib.suppress(OSError):
            line.say({"done": True})
    missing = sorted(set(range(count)) - {int(facts["rank"]) for facts in nodes})
    problems += [f"node {rank} never came to {own['host']}" for rank in missing]
    return nodes, problems


def _be_another(own: Facts, address: str, port: int) -> None:
    line = _Line(_connect(address, port, _PATIENCE))
    line.say(own)
    for _ in range(5):
        line.hear()
        line.say({"time": time.time()})
    peers = line.hear()["peers"]
    line.say({"reaches": _reach_peers(own["rank"], peers)})
    line.hear()  # the others may still want to reach this node


def _check(name: str, problems: List[str], fine: str, warning: bool = False) -> Dict[str, str]:
    state = "ok" if not problems else "warning" if warning else "failed"
    return {"name": name, "state": state, "detail": "; ".join(problems) or fine}


def _judge(nodes: List[Facts], problems: List[str]) -> List[Dict[str, str]]:
    names = {facts["rank"]: facts["node"] for facts in nodes}
    reaches = [(names[f["rank"]], reach) for f in nodes for reach in f.get("reaches", [])]
    failed = [f"{node} {r['problem']}" for node, r in reaches if r["problem"]]
    unresolved = [problem for problem in failed if "resolve" in problem]
    unreached = [problem for problem in failed if "cannot reach" in problem]
    return [
        _check("rendezvous", problems, f"{len(nodes)} of {len(nodes)} nodes met"),
        _check("names", unresolved, "every node finds the others"),
        _check("ports", unreached, _slowest([r for _, r in reaches])),
        _check("shared memory", *_memory(nodes)),
        _check("clocks", *_clocks(nodes), warning=True),
        _check("libraries", _differences(nodes), _common(nodes)),
    ]


def _slowest(reaches: List[Facts]) -> str:
    times = [r["milliseconds"] for r in reaches if r["milliseconds"] is not None]
    if not times:
        return "one node, nobody to meet"
    return f"the slowest connection took {max(times):.1f} ms"


def _memory(nodes: List[Facts]) -> Tuple[List[str], str]:
    problems = []
    for facts in nodes:
        memory = facts["shared_memory"]
        if memory["problem"] or memory["free"] < _LEAST_SHARED_MEMORY:
            left = memory["problem"] or f"{memory['free'] >> 20} MB free"
            problems.append(f"{facts['node']}: {left} in /dev/shm")
    least = min(facts["shared_memory"]["free"] for facts in nodes)
    return problems, f"at least {least >> 20} MB free in /dev/shm"


def _clocks(nodes: List[Facts]) -> Tuple[List[str], str]:
    skews = {facts["node"]: float(facts.get("skew", 0.0)) for facts in nodes}
    off = [f"{node} is {s:+.3f} s off" for node, s in skews.items() if abs(s) > _SKEW_SECONDS]
    largest = max(abs(skew) for skew in skews.values())
    return off, f"within {1000 * largest:.1f} ms of one another"


def _differences(nodes: List[Facts]) -> List[str]:
    problems = []
    for name in sorted({name for facts in nodes for name in facts["versions"]}):
        seen = {facts["node"]: facts["versions"].get(name, "none") for facts in nodes}
        if len(set(seen.values())) > 1:
            problems.append(f"{name}: " + ", ".join(f"{v} on {node}" for node, v in seen.items()))
    return problems


def _common(nodes: List[Facts]) -> str:
    return ", ".join(f"{name} {version}" for name, version in nodes[0]["versions"].items())


def main() -> None:
    rank = int(os.environ.get("NODE_RANK", "0"))
    count = int(os.environ.get("AZUREML_NODE_COUNT", "1"))
    address = os.environ.get("MASTER_ADDR", "127.0.0.1")
    port = int(os.environ.get("MASTER_PORT", "0"))
    with socket.socket() as own_port:
        own_port.bind(("", 0))
        own_port.listen(64)
        own = _own_facts(rank, own_port.getsockname()[1])
        if rank > 0:
            _be_another(own, address, port)
            return
        with socket.socket() as listener:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(("", port))
            listener.listen(count)
            nodes, problems = _be_first(count, own, listener)
    print(json.dumps({"nodes": nodes, "checks": _judge(nodes, problems)}), flush=True)


if __name__ == "__main__":
    main()
