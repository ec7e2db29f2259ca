"""Serving ONNX models: `roost serve` beside a loop over ONNX Runtime's C interface, and beside Python servers.

All of a round is measured one after another, and figures are medians over the rounds: what else the machine does meanwhile
meets all of them. The load comes from bench/http_load.cc over kept connections, each with one request under way.
"""

import contextlib
import json
import os
import re
import socket
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Optional

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))

from harness import Bench, clean_environment, wait_until  # noqa: E402
from serving_models import MEDIUM, WIDTH, Body, make_resnet, null_model, perceptron  # noqa: E402
from table import Row, per_second  # noqa: E402
from torch_python import make_python  # noqa: E402

CLIENTS = (1, 16, 64)
CORES = len(os.sched_getaffinity(0))
PEERS = ["onnxruntime", "uvicorn[standard]", "gunicorn"]
PEER_FOLDER = Path(__file__).resolve().parents[1]
TICK = os.sysconf("SC_CLK_TCK")
Figures = Dict[str, float]
Take = Callable[[], Figures]


class Programs:
    def __init__(self, bench: Bench) -> None:
        folder = Path(bench.roost).parents[2] / "bench"
        self.roost, self.load, self.loop = bench.roost, str(folder / "http_load"), str(folder / "onnx_loop")
        self.seconds = "2" if not bench.quick else "0.3"

    def missing(self) -> str:
        absent = [path for path in (self.load, self.loop) if not os.path.exists(path)]
        return f"{absent[0]} is not built: -DROOST_BENCH=ON" if absent else ""


class Target:
    """A server under load. `pids`: its processes, whose processor time is told too."""

    def __init__(self, programs: Programs, port: int, pids: List[int]) -> None:
        self.programs, self.port, self.pids = programs, port, pids

    def take(self, path: str, body: Path, header: str, clients: int) -> Figures:
        before = self._cpu()
        arguments = ["--header", header, "--clients", str(clients), "--seconds", self.programs.seconds, "--warm", "0.2"]
        found = run_json([self.programs.load, str(self.port), path, str(body), *arguments])
        found["server_cpu_us"] = (self._cpu() - before) * 1e6 / (found["requests"] * (1 + 0.2 / float(self.programs.seconds)))
        return found

    def _cpu(self) -> float:
        total = 0
        for pid in self.pids:
            fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
            total += int(fields[11]) + int(fields[12])
        return total / TICK


def measure(bench: Bench) -> List[Row]:
    programs = Programs(bench)
    if programs.missing():
        return [absent("serving", programs.missing())]
    with bench.folder("serving") as folder:
        (folder / "small.onnx").write_bytes(perceptron())
        (folder / "null.onnx").write_bytes(null_model())
        (folder / "medium.onnx").write_bytes(perceptron(MEDIUM))
        return (small_model(bench, programs, folder) + together(bench, programs, folder)
                + resnet(bench, programs, folder))


def small_model(bench: Bench, programs: Programs, folder: Path) -> List[Row]:
    body = Body(folder, "small", (1, WIDTH))
    peers = make_python("serving-peers", PEERS)
    with contextlib.ExitStack() as stack:
        roost = stack.enter_context(roost_serve(programs, folder, ["small.onnx", "null.onnx"], 1))
        front = stack.enter_context(roost_front(programs, folder, roost))
        infer = "/v2/models/small/infer"
        takes: Dict[str, Callable[[int], Take]] = {
            "served": lambda n: lambda: roost.take(infer, body.v2, body.header, n),
            "null": lambda n: lambda: roost.take("/v2/models/null/infer", body.v2, body.header, n),
            "loop": lambda n: lambda: loop(programs, folder / "small.onnx", n, 1),
            "null_loop": lambda n: lambda: loop(programs, folder / "null.onnx", n, 1),
            "front": lambda n: lambda: front.take("/endpoints/small" + infer, body.v2, body.header, n),
        }
        if peers:
            uvicorn = stack.enter_context(uvicorn_serve(programs, peers, folder, "small.onnx", 1, CORES))
            gunicorn = stack.enter_context(gunicorn_serve(programs, peers, folder, "small.onnx", 1, CORES))
            takes["uvicorn"] = lambda n: lambda: uvicorn.take(infer, body.v2, body.header, n)
            takes["gunicorn"] = lambda n: lambda: gunicorn.take(infer, body.v2, body.header, n)
            takes["uvicorn_raw"] = lambda n: lambda: uvicorn.take("/raw", body.raw, "X-Body: raw", n)
        rows: List[Row] = []
        for clients in CLIENTS:
            figures = in_rounds({name: take(clients) for name, take in takes.items()}, bench.size(5, 1))
            rows += small_rows(clients, figures)
    return rows if peers else rows + [absent("serving: Python servers", f"{' '.join(PEERS)} cannot be had here")]


def small_rows(clients: int, figures: Dict[str, Figures]) -> List[Row]:
    name = f"serving: small model, {clients} client{'s' if clients > 1 else ''}"
    served, bare = figures["served"], figures["loop"]
    own, own_cpu = model_share(figures, "us"), model_share(figures, "cpu")
    values = {f"{who}_{what}": value for who, found in figures.items() for what, value in found.items()}
    rows = [
        Row(f"{name}: time of a request less HTTP", f"{own:.1f} us ({per_second(served['requests_per_second'])})",
            f"C interface: {bare['us']:.1f} us", bare["us"] / own if own > 0 else None, "at least 0.90",
            bare["us"] / own >= 0.9 if own > 0 else None, values,
            "" if own > 0 else "cannot be told: less than the null model took"),
        Row(f"{name}: the same in processor time", f"{own_cpu:.1f} us", f"C interface: {bare['cpu']:.1f} us",
            bare["cpu"] / own_cpu if own_cpu > 0 else None, "-", None),
        Row(f"{name}: p99 beside p50", f"{served['p99_us'] / 1000:.2f} ms", f"p50: {served['p50_us'] / 1000:.2f} ms",
            served["p99_us"] / served["p50_us"], "at most 3.0", served["p99_us"] <= 3 * served["p50_us"]),
        beside(f"{name}: through the front", figures, "front", "served", "without it", None)]
    for peer, shown in (("uvicorn", "uvicorn"), ("gunicorn", "gunicorn"), ("uvicorn_raw", "uvicorn, bare bytes")):
        if peer in figures:
            rows.append(beside(f"{name}: beside {shown}", figures, "served", peer, shown, 5.0))
    return rows


def together(bench: Bench, programs: Programs, folder: Path) -> List[Row]:
    body = Body(folder, "medium", (1, WIDTH))
    infer = "/v2/models/medium/infer"
    rows: List[Row] = []
    with roost_serve(programs, folder, ["medium.onnx"], 1) as roost, \
            roost_serve(programs, folder, ["medium.onnx"], 1, "--max-batch", "1") as alone:
        for clients in (16, 64):
            def take(target: Target, count: int = clients) -> Take:
                return lambda: target.take(infer, body.v2, body.header, count)

            figures = in_rounds({"served": take(roost), "alone": take(alone)}, bench.size(5, 1))
            rows.append(beside(f"serving: 19 MB model, {clients} clients: requests put together", figures, "served", "alone",
                               "one by one", 1.0))
    return rows


def model_share(figures: Dict[str, Figures], what: str) -> float:
    """Of a served request, what is left without that which a request to the null model costs more than a call of it."""
    return figures["served"][what] - (figures["null"][what] - figures["null_loop"][what])


def resnet(bench: Bench, programs: Programs, folder: Path) -> List[Row]:
    why = make_resnet(folder / "resnet.onnx")
    if why:
        return [absent("serving: ResNet-18", f"PyTorch cannot export it: {why}")]
    rows: List[Row] = []
    for clients, threads in ((1, CORES), (1, 1), (16, 1)):
        rows += resnet_rows(bench, programs, folder, clients, threads)
    return rows


def resnet_rows(bench: Bench, programs: Programs, folder: Path, clients: int, threads: int) -> List[Row]:
    body = Body(folder, "resnet", (1, 3, 224, 224))
    peers = make_python("serving-peers", PEERS)
    infer = "/v2/models/resnet/infer"
    with contextlib.ExitStack() as stack:
        roost = stack.enter_context(roost_serve(programs, folder, ["resnet.onnx"], threads))
        takes: Dict[str, Take] = {
            "served": lambda: roost.take(infer, body.v2, body.header, clients),
            "loop": lambda: loop(programs, folder / "resnet.onnx", min(clients, CORES), threads)}
        if peers:
            workers = 1 if threads > 1 else CORES
            uvicorn = stack.enter_context(uvicorn_serve(programs, peers, folder, "resnet.onnx", threads, workers))
            takes["uvicorn"] = lambda: uvicorn.take(infer, body.v2, body.header, clients)
        figures = in_rounds(takes, bench.size(5, 1))
    name = f"serving: ResNet-18, {clients} client{'s' if clients > 1 else ''}, {threads} thread{'s' if threads > 1 else ''} a run"
    rows = [beside(name, figures, "served", "loop", "C interface", 0.95)]
    if peers:
        rows.append(beside(f"{name}: beside uvicorn", figures, "served", "uvicorn", "uvicorn", 1.0))
    return rows


def in_rounds(takes: Dict[str, Take], rounds: int) -> Dict[str, Figures]:
    """Medians; `us` and `cpu` are the time and the processor time of a request."""
    taken: Dict[str, List[Figures]] = {name: [] for name in takes}
    for _ in range(rounds):
        for name, take in takes.items():
            found = take()
            found["us"] = 1e6 / found["requests_per_second"]
            found["cpu"] = found.get("server_cpu_us", 0) + found["cpu_us"]
            taken[name].append(found)
    return {name: {key: statistics.median(one[key] for one in all_rounds) for key in all_rounds[0]}
            for name, all_rounds in taken.items()}


def beside(name: str, figures: Dict[str, Figures], ours: str, peer: str, shown: str, least: Optional[float]) -> Row:
    own, other = figures[ours], figures[peer]
    ratio = own["requests_per_second"] / other["requests_per_second"]
    values = {f"{who}_{what}": value for who, found in (("roost", own), ("peer", other)) for what, value in found.items()}
    return Row(name, f"{per_second(own['requests_per_second'])}, p50 {own['p50_us'] / 1000:.2f} ms",
               f"{shown}: {per_second(other['requests_per_second'])}, p50 {other['p50_us'] / 1000:.2f} ms", ratio,
               "-" if least is None else f"at least {least}", None if least is None else ratio >= least, values)


def absent(name: str, why: str) -> Row:
    return Row(name, "-", "-", None, "-", None, verdict_text=f"not measured here ({why})")


def loop(programs: Programs, model: Path, clients: int, threads: int) -> Figures:
    return run_json([programs.loop, str(model), "--clients", str(clients), "--intra-op", str(threads), "--seconds",
                     programs.seconds])


def run_json(command: List[str]) -> Figures:
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{Path(command[0]).name} ended with {done.returncode}: {done.stderr[-300:]}")
    found: Figures = json.loads(done.stdout)
    return found


@contextlib.contextmanager
def started(command: List[str], folder: Path, log: Path, **variables: str) -> "Iterator[subprocess.Popen[bytes]]":
    with open(log, "wb") as output:
        process = subprocess.Popen(command, cwd=folder, env={**clean_environment(folder), **variables}, stdin=subprocess.DEVNULL,
                                   stdout=output, stderr=output)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(60)


@contextlib.contextmanager
def roost_serve(programs: Programs, folder: Path, models: List[str], threads: int, *more: str) -> Iterator[Target]:
    log = folder / f"serve-{'-'.join([*models, *more])}.log"
    command = [programs.roost, "serve", *[str(folder / model) for model in models], "--port", "0", "--threads", str(threads), *more]
    with started(command, folder, log) as process:
        def port() -> int:
            text = log.read_text(encoding="utf-8", errors="replace")
            if process.poll() is not None:
                raise RuntimeError(f"roost serve ended with {process.returncode}: {text[-300:]!r}")
            found = re.search(r"^serving .* on http://[\d.]+:(\d+)$", text, re.MULTILINE)
            return int(found[1]) if found else 0

        yield Target(programs, wait_until(port, 60, "roost serve to be ready"), [process.pid])


@contextlib.contextmanager
def roost_front(programs: Programs, folder: Path, replica: Target) -> Iterator[Target]:
    """The front with that one replica; it needs no server to go on serving."""
    data = folder / "data"
    (data / "serving").mkdir(parents=True)
    deployment: Dict[str, Any] = {
        "name": "default", "revision": 1, "version": "small:1", "max_concurrent_requests": 0, "starting": False,
        "replicas": [{"run": "bench", "address": "127.0.0.1", "port": replica.port, "key": ""}]}
    endpoint: Dict[str, Any] = {
        "workspace": "bench", "name": "small", "slug": "small", "port": 0, "auth": "none", "keys": [], "tokens": [],
        "maps_500_to_502": False, "max_body_bytes": 104857600, "scoring_timeout_ms": 60000, "queue_wait_ms": 500,
        "queue_limit": 256, "hold_ms": 60000, "cors_origins": "", "default": "default",
        "traffic": [{"deployment": "default", "percent": 100}], "shadow": [], "deployments": [deployment]}
    routes = data / "serving" / "routes.json"
    routes.write_text(json.dumps({"generation": 1, "endpoints": [endpoint]}), encoding="utf-8")
    routes.chmod(0o600)
    where = data / "serving" / "front.json"
    command = [programs.roost, "front", "--data", str(data), "--address", "127.0.0.1", "--port", "0"]
    with started(command, folder, folder / "front.log") as process:
        wait_until(where.exists, 60, "roost front to be ready")
        port = json.loads(where.read_text(encoding="utf-8"))["port"]
        yield Target(programs, port, [process.pid, *replica.pids])


@contextlib.contextmanager
def uvicorn_serve(programs: Programs, python: str, folder: Path, model: str, threads: int, workers: int) -> Iterator[Target]:
    command = [python, "-m", "uvicorn", "onnx_peer:asgi", "--workers", str(workers), "--no-access-log", "--log-level", "warning",
               "--loop", "uvloop", "--http", "httptools"]
    with peer_serve(programs, command, "--port", folder, model, threads) as target:
        yield target


@contextlib.contextmanager
def gunicorn_serve(programs: Programs, python: str, folder: Path, model: str, threads: int, workers: int) -> Iterator[Target]:
    command = [python, "-m", "gunicorn", "onnx_peer:wsgi", "--workers", str(workers), "--worker-class", "gthread", "--threads", "64",
               "--keep-alive", "30", "--log-level", "warning"]
    with peer_serve(programs, command, "--bind", folder, model, threads) as target:
        yield target


@contextlib.contextmanager
def peer_serve(programs: Programs, command: List[str], option: str, folder: Path, model: str, threads: int) -> Iterator[Target]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    where = str(port) if option == "--port" else f"127.0.0.1:{port}"
    log = folder / f"peer-{port}.log"
    variables = {"PEER_MODEL": str(folder / model), "PEER_INTRA_OP": str(threads), "PYTHONPATH": str(PEER_FOLDER)}
    with started([*command, option, where], folder, log, **variables) as process:
        def answers() -> bool:
            if process.poll() is not None:
                raise RuntimeError(f"{command[2]} ended with {process.returncode}: {log.read_text(encoding='utf-8')[-300:]!r}")
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                return True
            return False

        wait_until(answers, 60, f"{command[2]} to be ready", 0.2)
        yield Target(programs, port, children_of(process.pid) or [process.pid])


def children_of(pid: int) -> List[int]:
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="utf-8").split()
    return [int(child) for child in children]
