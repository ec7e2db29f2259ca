"""Samplers beside Optuna's on functions with known minima: the regret after 100 trials, and the time of a suggestion.

What Optuna did is kept in build/optuna/results.jsonl, since each of its GP runs takes ten seconds or more. Ours are played anew
each time.
"""

import json
import math
import os
import random
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any, Dict, List, Tuple

from harness import Bench
from sweep_functions import FUNCTIONS, Function, summary
from table import Row, milliseconds

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))
from torch_python import TORCH, make_python  # noqa: E402

PLAYER = Path(__file__).resolve().parents[1] / "optuna_player.py"
OPTUNA = "optuna==5.*"
NAMES = {"tpe": "TPE", "gp": "GP"}
PEERS = {"tpe": "TPESampler", "gp": "GPSampler"}
MARK_P = 0.05
MARK_TIME = 0.1


def measure(bench: Bench) -> List[Row]:
    program = Path(bench.roost).parents[2] / "bench" / "suggest"
    peer = Optuna(Path(bench.roost).parents[3] / "optuna" / "results.jsonl")
    why = "bench/suggest is built with -DROOST_BENCH=ON" if not program.exists() else "" if peer.python else f"{OPTUNA} cannot be installed"
    if why:
        return [Row("samplers beside Optuna", "-", "-", None, "-", None, verdict_text=f"skipped: {why}")]
    seeds, trials = range(bench.size(20, 2)), bench.size(100, 15)
    jobs = [(sampler, name, seed) for sampler in NAMES for seed in seeds for name in FUNCTIONS]
    theirs = peer.regrets(jobs, trials)
    ours = {job: play(program, job[0], FUNCTIONS[job[1]], job[2], trials) for job in jobs}
    rows = []
    for sampler, label in NAMES.items():
        for name in FUNCTIONS:
            rows.append(compare(label, PEERS[sampler], name, [ours[sampler, name, seed] for seed in seeds],
                                [theirs[sampler, name, seed] for seed in seeds], trials))
    return rows + [time_row(program, peer, trials)]


def compare(label: str, peer: str, name: str, ours: List[float], theirs: List[float], trials: int) -> Row:
    worse = p_worse(ours, theirs)
    mine, other = statistics.median(ours), statistics.median(theirs)
    return Row(f"{label} on {name}: median regret after {trials} trials, {len(ours)} seeds", f"{mine:.2g} (p {worse:.2f})",
               f"{peer}: {other:.2g}", mine / other if other else None, f"not worse: p at least {MARK_P}", worse >= MARK_P,
               {"roost": mine, "peer": other, "p_worse": worse, "p_better": p_worse(theirs, ours)})


def p_worse(ours: List[float], theirs: List[float]) -> float:
    """Wilcoxon's signed rank test of the logarithms, one-sided: how likely so much worse a result is by chance if both are alike.

    Exact: all choices of signs are counted. Ranks are doubled, so that those of ties are whole numbers.
    """
    pairs = [math.log(a + 1e-12) - math.log(b + 1e-12) for a, b in zip(ours, theirs)]
    pairs = sorted((pair for pair in pairs if pair), key=abs)
    ranks = [sum(1 if abs(other) < abs(pair) else 0 for other in pairs) * 2 + 1 + sum(abs(other) == abs(pair) for other in pairs)
             for pair in pairs]
    seen = sum(rank for rank, pair in zip(ranks, pairs) if pair > 0)
    counts = {0: 1}
    for rank in ranks:
        more = dict(counts)
        for total, count in counts.items():
            more[total + rank] = more.get(total + rank, 0) + count
        counts = more
    return sum(count for total, count in counts.items() if total >= seen) / 2 ** len(ranks)


def time_row(program: Path, peer: "Optuna", trials: int) -> Row:
    theirs = peer.time_of_suggestion(trials)
    ours = statistics.median(time_of_suggestion(program, trials, seed) for seed in range(5))
    return Row(f"a GP suggestion after {trials} trials, CPU time", milliseconds(ours), f"GPSampler: {milliseconds(theirs)}",
               ours / theirs, f"at most {MARK_TIME:.2f}", ours / theirs <= MARK_TIME, {"roost_s": ours, "peer_s": theirs})


class Player:
    """The sampler in a process of its own."""

    def __init__(self, program: Path, start: Dict[str, Any]) -> None:
        self._process = subprocess.Popen([str(program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.tell(start)

    def __enter__(self) -> "Player":
        return self

    def __exit__(self, *unused: Any) -> None:
        self._process.communicate()

    def tell(self, line: Any) -> None:
        assert self._process.stdin
        print(json.dumps(line), file=self._process.stdin, flush=True)

    def ask(self) -> Dict[str, Any]:
        assert self._process.stdout
        return json.loads(self._process.stdout.readline())


def play(program: Path, sampler: str, function: Function, seed: int, trials: int) -> float:
    parameters, observed = [], []
    with Player(program, {"space": function.space, "sampling": {"type": sampler, "seed": seed}}) as player:
        for number in range(trials):
            parameters.append(player.ask()["parameters"])
            observed.append(function.observe(parameters[-1], seed, number))
            player.tell(observed[-1])
    return summary(function, parameters, observed)[str(trials)]


def time_of_suggestion(program: Path, trials: int, seed: int) -> float:
    """As Optuna's (bench/optuna_player.py): one more after random trials, which are the same."""
    function, draws = FUNCTIONS["Hartmann-6"], random.Random(seed)
    points = [{f"x{i}": draws.random() for i in range(6)} for _ in range(trials)]
    start = {"space": function.space, "sampling": {"type": "gp", "seed": seed},
             "trials": [[point, function.value(point)] for point in points]}
    with Player(program, start) as player:
        player.ask()
        player.tell(0.0)
        return player.ask()["cpu_seconds"]


class Optuna:
    def __init__(self, results: Path) -> None:
        self.results = results
        self.python = make_python("optuna", [OPTUNA, "scipy", TORCH])  # "" if they cannot be had
        self.environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}

    def regrets(self, jobs: List[Tuple[str, str, int]], trials: int) -> Dict[Tuple[str, str, int], float]:
        known = self._known(trials)
        missing = [f"{sampler},{name},{seed}" for sampler, name, seed in jobs if (sampler, name, seed) not in known]
        if missing:
            self.results.parent.mkdir(parents=True, exist_ok=True)
            subprocess.run([self.python, str(PLAYER), str(self.results), str(trials), *missing], env=self.environment, check=True)
        return self._known(trials)

    def time_of_suggestion(self, trials: int) -> float:
        done = subprocess.run([self.python, str(PLAYER), "--time", str(trials)], env=self.environment, check=True,
                              stdout=subprocess.PIPE)
        return json.loads(done.stdout)["seconds"]

    def _known(self, trials: int) -> Dict[Tuple[str, str, int], float]:
        known = {}
        try:
            lines = self.results.read_text(encoding="utf-8").splitlines()
        except FileNotFoundError:
            return {}
        for line in lines:
            found = json.loads(line)
            if found["trials"] == trials:
                known[found["sampler"], found["function"], found["seed"]] = found["regret"][str(trials)]
        return known
