#!/usr/bin/env python3
"""Half an hour of churn with kills, then power losses: nothing may be lost, doubled or stuck. `make soak` calls it.

Runs of several kinds come and go while the server, runners and ranks are killed at random; at the end every run that was
answered must have ended as it had to, with every line, point and output exactly once. Then the lights go out again and
again on a disk that forgets what was not synced.
"""
import argparse
import contextlib
import hashlib
import http.client
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional

from disks import Disk
from processes import command_line, kill, parent_of, processes_with
from roost_fixture import TERMINAL, RoostServer, sha256

CONFIG = {"heartbeat_seconds": 1, "node_silent_seconds": 5, "node_lost_seconds": 10, "cancel_grace_seconds": 1}
RETRIES = 100  # no run may end because its runner was killed once too often

# Numbered lines, points and files, and one file whose bytes many runs share. Another attempt writes the same again.
STEPS = """
import hashlib, os, sys, time
import roost.run
count, pause = int(sys.argv[1]), float(sys.argv[2])
rank = int(os.environ.get("RANK", "0"))
for i in range(count):
    print(f"line {i:06d}", flush=True)
    if rank == 0: roost.run.log("n", i, step=i)
    if i % 50 == 49:
        with open(f"outputs/part-{rank}-{i // 50:03d}.txt", "w") as part: part.write(f"{i}\\n" * 1000)
    time.sleep(pause)
with open(f"outputs/shared-{rank}.bin", "wb") as shared: shared.write(hashlib.sha256(b"same").digest() * (1 << 19))
"""
SHARED = hashlib.sha256(b"same").digest() * (1 << 19)


class Work:
    """One run that was answered, and what must have become of it."""

    def __init__(self, kind: str, run: Dict[str, Any], count: int = 0, ranks: int = 1) -> None:
        self.kind, self.id, self.count, self.ranks = kind, run["id"], count, ranks
        self.rank_killed = False
        self.cancel_asked = False

    def allowed(self) -> List[str]:
        if self.kind == "fails":
            return ["Failed"]
        ends = ["Completed"]
        if self.rank_killed:
            ends.append("Failed")  # a script that was killed is not tried again
        if self.cancel_asked:
            ends.append("Canceled")
        return ends

    def check(self, server: RoostServer) -> Optional[str]:
        """What is wrong with it; None if nothing."""
        run = server.get_run(self.id, check=False)
        if run["status"] not in self.allowed():
            return f"{self.kind} run {self.id} is {run['status']}, not {self.allowed()}: {run['error']} {server.events(self.id)[-6:]}"
        if run["status"] != "Completed" or self.kind not in ("steps", "gang"):
            return None
        lines = b"".join(b"line %06d\n" % i for i in range(self.count))
        for rank in range(self.ranks):
            name = "azureml-logs/70_driver_log.txt" if self.ranks == 1 else f"azureml-logs/70_driver_log_{rank}.txt"
            if server.log(self.id, name) != lines:
                return f"the log {name} of {self.id} has lost or doubled lines"
        points = [(point["step"], point["value"]) for point in server.metric(self.id, "n")["points"]]
        if points != [(i, i) for i in range(self.count)]:
            return f"the metric of {self.id} has {len(points)} points of {self.count}"
        for rank in range(self.ranks):
            for part in range(self.count // 50):
                if server.artifact(self.id, f"outputs/part-{rank}-{part:03d}.txt") != b"%d\n" % (part * 50 + 49) * 1000:
                    return f"part {part} of rank {rank} of {self.id} is another"
            if server.artifact(self.id, f"outputs/shared-{rank}.bin") != SHARED:
                return f"the shared file of {self.id} is another"
        return None


class Churn:
    """Submits runs and kills what runs them, until told to stop."""

    def __init__(self, server: RoostServer, dice: random.Random) -> None:
        self.server, self.dice = server, dice
        self.work: List[Work] = []
        self.killed: Counter = Counter()
        self.lock = threading.Lock()
        self.stop = threading.Event()
        self.sent = 0

    def submit_one(self) -> None:
        kind = self.dice.choices(["steps", "gang", "fails", "cancel", "quick"], [10, 2, 2, 3, 8])[0]
        count = self.dice.randrange(50, 700)
        spec: Dict[str, Any] = {"experiment": "churn", "max_retries": RETRIES, "tags": {"sent": str(self.sent)}}
        self.sent += 1
        code: Optional[str] = STEPS
        if kind == "gang":
            spec.update(distributed={"kind": "pytorch", "process_count": 2, "node_count": 2})
        if kind == "fails":
            code = "raise SystemExit(3)"
        if kind == "quick":
            code, spec["command"] = None, "true"
        else:
            spec["arguments"] = [str(count), str(self.dice.choice([0, 0.002, 0.01]))]
        if kind == "fails":
            spec.pop("arguments")
        work = Work(kind, self.server.submit(code, **spec), count, 2 if kind == "gang" else 1)
        with self.lock:
            self.work.append(work)

    def submit_until_stopped(self) -> None:
        while not self.stop.is_set():
            try:
                waiting = self.server.get("/workspaces/default/runs?status=Queued&limit=50", check=False)["items"]
                if len(waiting) < 4:
                    self.submit_one()
                    continue
                self.cancel_one()
            except (OSError, http.client.HTTPException, AssertionError):
                pass  # the server is away just now; what was not answered does not count
            time.sleep(0.2)

    def cancel_one(self) -> None:
        with self.lock:
            asked = [w for w in self.work[-20:] if w.kind == "cancel" and not w.cancel_asked]
        if asked:
            asked[0].cancel_asked = True
            self.server.cancel(asked[0].id)

    def kill_one(self) -> None:
        kind = self.dice.choices(["server", "runner", "rank"], [5, 4, 2])[0]
        if kind == "server":
            self.server.kill9()
            time.sleep(self.dice.choice([0, 0, 0.3, 2]))
            self.server.start()
        else:
            mine = [pid for pid in processes_with(str(self.server.data)) if pid != self.server.pid]
            runners = [pid for pid in mine if " runner" in command_line(pid)]
            runners = [pid for pid in runners if parent_of(pid) not in runners]  # the others are supervisors of ranks
            ranks = [pid for pid in mine if "train.py" in command_line(pid) and " runner" not in command_line(pid)]
            found = runners if kind == "runner" else ranks
            if not found:
                return
            victim = self.dice.choice(found)
            if kind == "rank":
                self._tell_rank_killed(victim)
            kill(victim)
        self.killed[kind] += 1

    def _tell_rank_killed(self, pid: int) -> None:
        with contextlib.suppress(OSError):
            environment = Path(f"/proc/{pid}/environ").read_bytes()
            with self.lock:
                for work in self.work:
                    if work.id.encode() in environment:
                        work.rank_killed = True

    def settle(self, seconds: float) -> List[str]:
        """Waits for all runs; what is wrong."""
        deadline = time.monotonic() + seconds
        left = [work.id for work in self.work]
        while left and time.monotonic() < deadline:
            left = [run for run in left if self.server.get_run(run, check=False)["status"] not in TERMINAL]
            time.sleep(0.2)
        wrong = [f"{run} is still {self.server.get_run(run)['status']}: {self.server.events(run)[-4:]}" for run in left]
        wrong += [text for text in (work.check(self.server) for work in self.work if work.id not in left) if text]
        sent = Counter(run["tags"].get("sent") for run in self.server.pages("/workspaces/default/runs", limit=1000))
        wrong += [f"submit {number} made {count} runs" for number, count in sent.items() if count > 1]
        return wrong


def churn(folder: Path, minutes: float, kills: int, dice: random.Random) -> List[str]:
    server = RoostServer(folder / "churn", CONFIG).start()
    game = Churn(server, dice)
    submitters = [threading.Thread(target=game.submit_until_stopped, daemon=True) for _ in range(2)]
    for thread in submitters:
        thread.start()
    begun, seconds = time.monotonic(), minutes * 60
    while time.monotonic() - begun < seconds or sum(game.killed.values()) < kills:
        time.sleep(dice.uniform(0, 2 * seconds / max(kills, 1)))
        game.kill_one()
        if time.monotonic() - begun > 2 * seconds + 60:
            return [f"only {sum(game.killed.values())} kills in twice the time"]
    game.stop.set()
    for thread in submitters:
        thread.join(30)
    if server.process is None or server.process.poll() is not None:
        server.start()
    wrong = game.settle(300)
    ends = Counter(server.get_run(work.id, check=False)["status"] for work in game.work)
    print(f"churn: {time.monotonic() - begun:.0f} s, {len(game.work)} runs {dict(ends)}, killed {dict(game.killed)}", flush=True)
    try:
        server.close()
    except AssertionError as error:
        wrong.append(str(error))
    if not wrong:
        shutil.rmtree(server.folder, ignore_errors=True)
    return wrong


def power_losses(folder: Path, count: int, dice: random.Random) -> List[str]:
    """Each loss goes on with what the disk had left of the one before."""
    mounts: List[Path] = []
    wrong: List[str] = []
    known: List[Work] = []
    disk = Disk(folder / "disk0.img", folder / "disk0", mounts).make()
    try:
        for number in range(1, count + 1):
            server = RoostServer(folder / f"power{number}", CONFIG, disk.folder / "data").start()
            sure = [work for work in known if work.kind == "sure"]
            for work in sure:
                run = server.get_run(work.id)
                if run["status"] != "Completed" or server.artifact(work.id, "outputs/x") != work.id.encode() * 100:
                    wrong.append(f"after loss {number - 1}: {work.id} was Completed and is {run['status']}")
            listed = {run["id"] for run in server.pages("/workspaces/default/runs", limit=1000)}
            wrong += [f"after loss {number - 1}: {work.id} was answered and is gone" for work in known if work.id not in listed]
            for _ in range(3):
                run = server.submit("import os; open('outputs/x', 'w').write(os.environ['AZUREML_RUN_ID'] * 100)", max_retries=RETRIES)
                known.append(Work("maybe", run))
            until = time.monotonic() + dice.uniform(0.2, 2.5)
            while time.monotonic() < until:
                known.append(Work("maybe", server.submit(command="true", max_retries=RETRIES)))
                time.sleep(dice.uniform(0, 0.1))
            for work in known[-60:]:
                run = server.get_run(work.id, check=False)
                if run["status"] == "Completed" and "outputs/x" in server.artifacts(work.id):
                    work.kind = "sure"
            lights_out(server)
            image = folder / f"disk{number}.img"
            disk.copy_as_after_power_loss(image)
            subprocess.run(["umount", "-l", str(mounts.pop())], check=False, timeout=30)
            disk.image.unlink()
            shutil.rmtree(server.folder, ignore_errors=True)
            disk = Disk(image, folder / f"disk{number}", mounts).mount()
            if wrong:
                break
        server = RoostServer(folder / "last", CONFIG, disk.folder / "data").start()
        for work in known:
            with contextlib.suppress(AssertionError):
                server.wait(work.id, timeout=60)
            status = server.get_run(work.id)["status"]
            if status != "Completed":
                wrong.append(f"{work.id} is {status} after the last loss: {server.events(work.id)[-3:]}")
        for path in (disk.folder / "data/blobs").glob("??/*"):
            if sha256(path.read_bytes()) != path.parent.name + path.name:
                wrong.append(f"{path} has other bytes than its name says")
        print(f"power losses: {count}, {len(known)} runs, {sum(w.kind == 'sure' for w in known)} seen Completed before a loss", flush=True)
        server.close()
    finally:
        for mounted in mounts:
            for pid in processes_with(str(mounted)):
                kill(pid)
            subprocess.run(["umount", "-l", str(mounted)], check=False, timeout=30)
    return wrong


def lights_out(server: RoostServer) -> None:
    for number in (signal.SIGSTOP, signal.SIGKILL):
        for pid in processes_with(str(server.data)):
            kill(pid, number)
    server._killed = True


@contextlib.contextmanager
def workplace() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="roost-soak-", dir="/var/tmp"))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=30, help="of churn")
    parser.add_argument("--kills", type=int, default=500, help="of server, runners and ranks during the churn")
    parser.add_argument("--power-losses", type=int, default=50, help="need root, for mount")
    parser.add_argument("--seed", type=int, default=20261117)
    wanted = parser.parse_args()
    with workplace() as folder:
        wrong = churn(folder, wanted.minutes, wanted.kills, random.Random(wanted.seed)) if wanted.minutes else []
        if wanted.power_losses:
            wrong += power_losses(folder, wanted.power_losses, random.Random(wanted.seed + 1))
        for text in wrong:
            print(f"WRONG: {text}", flush=True)
        print(f"{0 if wrong else 1} passed, {1 if wrong else 0} failed")
        return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
