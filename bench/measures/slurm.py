"""What Roost adds to Slurm: a run's first line against a bare sbatch, and how fast many runs reach Slurm's queue."""

import statistics
import sys
import time
from pathlib import Path
from typing import Dict, List

from harness import PYTHON, Bench, timed_command, wait_until
from measures.first_line import time_to_first_line
from table import Row, milliseconds

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))

MARK_SECONDS = 0.15


def measure(bench: Bench) -> List[Row]:
    try:
        from slurm_cluster import SlurmCluster, why_not
    except ImportError as error:
        return [_not_here(str(error))]
    if reason := why_not():
        return [_not_here(reason)]
    cluster = SlurmCluster(count=2, cpus=4)
    try:
        with bench.folder("slurm") as folder, bench.server(config=cluster.config()) as server, server.connect() as api:
            api.call("POST", "/workspaces/default/computes", {"name": "slurm", "slurm": {"partition": "main", "cpus": 1}})
            source = folder / "source"
            source.mkdir()
            (source / "hello.py").write_text('print("first line", flush=True)\n', encoding="utf-8")
            submit = server.arguments("submit", "-e", "slurm", "-c", "slurm", "-s", str(source), "--python", PYTHON, "--",
                                      "python", "hello.py")
            local = [word if word != "slurm" or submit[at - 1] != "-c" else "warm" for at, word in enumerate(submit)]
            api.create_compute("warm", 1, 1)
            return [*_first_line(bench, cluster, submit, local, server.environment, folder), _many(bench, cluster, api)]
    finally:
        cluster.close()


def _not_here(reason: str) -> Row:
    row = Row("on Slurm", "-", "-", 0, "at most 150 ms above sbatch", None, {})
    row.verdict_text = f"not measured here ({reason})"
    return row


def _first_line(bench: Bench, cluster, submit: List[str], local: List[str], environment: Dict[str, str],
                folder: Path) -> List[Row]:
    program = cluster.folder / "hello.py"  # the one folder that nodes and this machine share
    program.write_text('print("first line", flush=True)\n', encoding="utf-8")
    through_roost, on_local, bare = [], [], []
    for node in range(4):  # each node fetches the program once
        time_to_first_line(submit, environment, folder)
    rounds = bench.size(15, 3)
    for number in range(rounds):
        # Slurm looks at its queue once a second: both have to wait equally long for that.
        _wait_for_phase(number / rounds)
        bare.append(_sbatch(cluster, program, cluster.folder / f"out-{number}"))
        _wait_for_phase(number / rounds)
        through_roost.append(time_to_first_line(submit, environment, folder))
        on_local.append(time_to_first_line(local, environment, folder))
        wait_until(lambda: not cluster.active_jobs(), 60, "the queue to be empty", 0.05)
    roost, peer = statistics.median(through_roost), statistics.median(bare)
    above = statistics.median(a - b for a, b in zip(through_roost, bare))
    row = Row("on Slurm: submit to first line", milliseconds(roost), f"sbatch: {milliseconds(peer)}", roost / peer,
              "at most 150 ms above", above <= MARK_SECONDS, {"roost_s": roost, "peer_s": peer, "above_s": above})
    row.roost += f" ({milliseconds(above)} above, round by round)"
    warm = statistics.median(on_local)
    return [row, Row("submit to first line on local compute, against Slurm", milliseconds(warm), f"sbatch: {milliseconds(peer)}",
                     warm / peer, "at most 0.20", warm / peer <= 0.2, {"roost_s": warm, "peer_s": peer})]


def _wait_for_phase(fraction: float) -> None:
    """Until the clock is that far into a second."""
    time.sleep((fraction - time.time()) % 1)


def _sbatch(cluster, program: Path, output: Path) -> float:
    start = time.monotonic()
    cluster.run("sbatch", "--parsable", "--cpus-per-task=1", f"--output={output}", "--chdir=/", f"--wrap={PYTHON} {program}")
    wait_until(lambda: output.exists() and output.stat().st_size > 0, 60, "the output of sbatch", 0.001)
    return time.monotonic() - start


def _many(bench: Bench, cluster, api) -> Row:
    """The cluster is full meanwhile, so that only the way into the queue counts."""
    count = bench.size(500, 50)
    hold = cluster.run("sbatch", "--parsable", "--exclusive", "-N2", "-o", "/dev/null", "-D", "/", "--wrap", "sleep 600").stdout.strip()
    begin = time.monotonic()
    for _ in range(count):
        timed_command(["sbatch", "--hold", "--job-name=bare", "--cpus-per-task=1", "--output=/dev/null", "--chdir=/", "--wrap=true"],
                      cluster.environment, None, 60)
    peer = count / (time.monotonic() - begin)
    cluster.run("scancel", "--name=bare")
    begin = time.monotonic()
    for _ in range(count):
        api.call("POST", "/workspaces/default/runs", {"experiment": "many", "command": "true", "compute": "slurm"})

    def waiting() -> int:
        return sum(job["name"].startswith("roost-") and job["state"] == "PENDING" for job in cluster.jobs())

    wait_until(lambda: waiting() == count, 120, "all runs to be in Slurm's queue", 0.05)
    roost = count / (time.monotonic() - begin)
    cluster.run("scancel", hold)
    return Row(f"on Slurm: {count} runs into its queue", f"{roost:.0f}/s", f"sbatch: {peer:.0f}/s", roost / peer, "at least 1.0",
               roost >= peer, {"roost_per_s": roost, "peer_per_s": peer})
