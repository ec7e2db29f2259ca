"""A real Slurm cluster for tests: munged, slurmctld and slurmd on nodes in namespaces of their own."""
import json
import os
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Optional

import pytest

import slurm_node
from netns import take_bridge
from processes import wait_until
from roost_fixture import RoostServer

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = ("slurmctld", "slurmd", "munged", "sbatch", "srun", "ip", "unshare")

# Fast to decide, fast to notice: what takes minutes by default takes seconds here.
CONF = """
ClusterName=test
SlurmctldHost={host}({address})
SlurmctldPort={port}
SlurmdPort={slurmd_port}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={folder}/munge/munge.socket,cred_expire=5
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool/%n
SlurmctldPidFile={folder}/run/slurmctld.pid
SlurmdPidFile={folder}/run/slurmd.%n.pid
SlurmctldLogFile={folder}/log/slurmctld.log
SlurmdLogFile={folder}/log/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SlurmdParameters=config_overrides
ReturnToService=2
PropagateResourceLimits=NONE
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0,bf_interval=1,bf_continue
KillWait=5
SlurmdTimeout=5
MessageTimeout=5
TCPTimeout=2
MinJobAge=3600
DefMemPerCPU=100
{extra}
{nodes}
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
PartitionName=first Nodes=n1 MaxTime=INFINITE State=UP
PartitionName=short Nodes=ALL MaxTime=1 State=UP
PartitionName=narrow Nodes=ALL MaxNodes=1 State=UP
"""


def why_not() -> str:
    """Why there can be no cluster here; "" if there can."""
    missing = [program for program in PROGRAMS if not shutil.which(program)]
    if missing:
        return f"there is no {', '.join(missing)} here (tools/setup installs Slurm)"
    if os.geteuid() != 0:
        return "namespaces with addresses of their own need root"
    probe = subprocess.run(["unshare", "-m", "-n", "-u", "-p", "-f", "--mount-proc", "true"], capture_output=True, timeout=20)
    return "" if probe.returncode == 0 else "namespaces cannot be made here"


class SlurmCluster:
    """`count` nodes n1, n2, ... with `cpus` each. Close it at the end. `cloud`: they are off until Slurm wants them;
    `shared`: they see the server's disk."""

    def __init__(self, count: int = 4, cpus: int = 4, cloud: bool = False, extra: str = "", partitions: str = "",
                 shared: bool = False) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="roost-slurm-", dir="/var/tmp"))
        self.folder.chmod(0o711)
        for name in ("state", "spool", "log", "run"):
            (self.folder / name).mkdir()
        number = take_bridge("rsl")
        self.bridge = f"rsl{number}"
        self.net = f"10.{20 + number % 90}.{number}"
        self.address = f"{self.net}.254"
        self.port = 16900 + number  # the controller takes it on all addresses of this machine
        self.names = [f"n{i + 1}" for i in range(count)]
        self.cloud = cloud
        self.environment = {**os.environ, "SLURM_CONF": str(self.folder / "slurm.conf")}
        self.daemons: Dict[str, subprocess.Popen] = {}
        self._write(cpus, extra, shared)
        if partitions:
            with open(self.folder / "slurm.conf", "a", encoding="utf-8") as file:
                file.write(partitions + "\n")
        try:
            self._start()
        except BaseException:
            self.close()
            raise

    def _write(self, cpus: int, extra: str, shared: bool) -> None:
        # Nothing of what the server has is seen by a node: not its data, not its program. The build may lie below /tmp, so it
        # is hidden first; or elsewhere, and there may be none here.
        hidden = [str(place) for place in (ROOT / "build", Path("/tmp")) if place.is_dir() and not shared]
        settings = {"bridge": self.bridge, "net": self.net, "hidden": hidden}
        if self.cloud:
            settings["slurmd_options"] = "-b"
            tool = f"/usr/bin/python3 {ROOT / 'tests/slurm_node.py'}"
            for verb in ("start", "stop"):
                script = self.folder / f"{verb}-nodes"
                script.write_text(f"#!/bin/sh\nexport PATH=/usr/sbin:/usr/bin:/sbin:/bin SLURM_CONF={self.folder}/slurm.conf\n"
                                  f"exec {tool} {verb} {self.folder} \"$1\" >>{self.folder}/log/power.log 2>&1\n", encoding="utf-8")
                script.chmod(0o755)
            extra += (f"\nResumeProgram={self.folder}/start-nodes\nSuspendProgram={self.folder}/stop-nodes\nSuspendTime=15\n"
                      "ResumeTimeout=60\nSuspendTimeout=2\nResumeRate=0\nSuspendRate=0\n"
                      "SlurmctldParameters=power_save_interval=1,power_save_min_interval=0,cloud_dns,idle_on_node_suspend\n")
        (self.folder / "cluster.json").write_text(json.dumps(settings), encoding="utf-8")
        state = "CLOUD" if self.cloud else "UNKNOWN"
        nodes = "\n".join(f"NodeName={name} NodeAddr={self.net}.{i + 1} CPUs={cpus} RealMemory=4000 State={state}"
                          for i, name in enumerate(self.names))
        text = CONF.format(host=socket.gethostname(), address=self.address, port=self.port, slurmd_port=16818, folder=self.folder,
                           extra=extra, nodes=nodes)
        (self.folder / "slurm.conf").write_text(text, encoding="utf-8")
        munge = self.folder / "munge"
        munge.mkdir(mode=0o711)
        (munge / "munge.key").write_bytes(os.urandom(1024))
        (munge / "munge.key").chmod(0o600)

    def _start(self) -> None:
        for words in (["addr", "add", f"{self.address}/24", "dev", self.bridge], ["link", "set", self.bridge, "up"]):
            subprocess.run(["ip", *words], check=True, capture_output=True, timeout=20)
        self.start_munged()
        self.start_controller(clean=True)
        if not self.cloud:
            for name in self.names:
                self.start_node(name)
            wait_until(self._is_idle, 60, "all nodes to be idle")

    def _daemon(self, name: str, words: List[str]) -> None:
        with open(self.folder / f"log/{name}.out", "ab") as log:
            self.daemons[name] = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self.environment,
                                                  start_new_session=True)

    def start_munged(self) -> None:
        munge = self.folder / "munge"
        self._daemon("munged", ["munged", "--foreground", f"--key-file={munge}/munge.key", f"--socket={munge}/munge.socket",
                                f"--pid-file={self.folder}/run/munged.pid", f"--seed-file={munge}/munged.seed",
                                f"--log-file={self.folder}/log/munged.log", "--force"])
        wait_until(lambda: (munge / "munge.socket").exists(), 20, "munged")

    def start_controller(self, clean: bool = False) -> None:
        self._daemon("slurmctld", ["slurmctld", "-D", "-f", str(self.folder / "slurm.conf")] + (["-c"] if clean else []))
        wait_until(lambda: self.run("scontrol", "ping", check=False).returncode == 0, 30, "slurmctld")

    def kill(self, name: str) -> None:
        """kill -9 of munged or slurmctld."""
        process = self.daemons.pop(name, None)
        if process is not None:
            process.kill()
            process.wait(20)
            if name == "munged":
                (self.folder / "munge/munge.socket").unlink(missing_ok=True)

    def wait_for_saved_state(self) -> None:
        """Until slurmctld has written down what it knows now; what it was told since, it forgets when it is killed."""
        if not (jobs := self.active_jobs()):
            return
        # A file that is written from now on may have been put together before: what is said now has to stand in it.
        mark = f"saved-{os.urandom(8).hex()}"
        self.run("scontrol", "update", f"jobid={jobs[0]['id']}", f"comment={mark}")
        state = self.folder / "state/job_state"
        wait_until(lambda: state.exists() and mark.encode() in state.read_bytes(), 60, "Slurm saves its state")

    def start_node(self, name: str) -> None:
        slurm_node.start(self.folder, name)

    def power_loss(self, name: str) -> None:
        slurm_node.stop(self.folder, name)

    def start_again(self, name: str) -> None:
        """With an empty disk."""
        self.power_loss(name)
        self.start_node(name)
        self.heal()

    def heal(self, forget: bool = False) -> "SlurmCluster":
        """Whatever happened to it: all daemons and nodes run, no job is left, every node is idle. `forget`: it knows of no job
        before this; else one that is killed later may remember jobs that were over as running, and start them again."""
        self._ensure("munged", self.start_munged)
        if forget:
            for name in self.names:  # a slurmd that starts says so at once; one that runs is asked seconds later
                self.power_loss(name)
            self.kill("slurmctld")
            shutil.rmtree(self.folder / "state")
            (self.folder / "state").mkdir()
            self.start_controller(clean=True)
        self._ensure("slurmctld", self.start_controller)
        for name in self.names:
            if not slurm_node.is_on(self.folder, name):
                self.start_node(name)
        if left := [job["id"] for job in self.active_jobs()]:
            self.run("scancel", *left)
        no_jobs(self)
        wait_until(self._is_idle, 60, "all nodes to be idle")
        return self

    def _ensure(self, daemon: str, start: Callable[[], None]) -> None:
        if daemon not in self.daemons or self.daemons[daemon].poll() is not None:
            self.kill(daemon)
            start()

    def _is_idle(self) -> bool:
        for name in self.hosts("drain,fail"):  # a job that would not end in time, for example
            self.run("scontrol", "update", f"nodename={name}", "state=resume", check=False)
        return self.hosts("idle") == self.names

    def run(self, *words: str, check: bool = True, timeout: float = 30) -> subprocess.CompletedProcess:
        return subprocess.run(list(words), capture_output=True, text=True, check=check, timeout=timeout, env=self.environment)

    def hosts(self, state: Optional[str] = None) -> List[str]:
        shown = self.run("sinfo", "-h", "-N", "-p", "main", *(["-t", state] if state else []), "-o", "%N", check=False)
        return sorted(set(shown.stdout.split()), key=lambda name: int(name[1:]))

    def jobs(self) -> List[Dict[str, str]]:
        shown = self.run("squeue", "-h", "-r", "-t", "all", "-o", "%i|%T|%j|%r").stdout
        return [dict(zip(("id", "state", "name", "reason"), line.split("|"))) for line in shown.splitlines()]

    def active_jobs(self) -> List[Dict[str, str]]:
        over = ("BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED", "NODE_FAIL", "PREEMPTED", "TIMEOUT")
        return [job for job in self.jobs() if not job["state"].startswith(over)]

    def config(self, **more: Any) -> Dict[str, Any]:
        """For a server that uses this cluster."""
        return {"address": self.address, "allow_insecure": True,
                "slurm": {"variables": {"SLURM_CONF": str(self.folder / "slurm.conf")}, "folder": "/tmp/roost", **more}}

    def close(self) -> None:
        for name in self.names:
            slurm_node.stop(self.folder, name)
        for name in list(self.daemons):
            self.kill(name)
        subprocess.run(["ip", "link", "del", self.bridge], capture_output=True, timeout=20)
        shutil.rmtree(self.folder, ignore_errors=True)


def make_cluster(**settings: Any) -> Iterator[SlurmCluster]:
    """For a fixture: a cluster that is gone afterwards."""
    if reason := why_not():
        pytest.skip(reason)
    made = SlurmCluster(**settings)
    yield made
    made.close()


def attach(server: RoostServer, name: str, **options: Any) -> Dict[str, Any]:
    return server.expect(201, "POST", "/workspaces/default/computes", json={"name": name, "slurm": options})


def no_jobs(cluster: SlurmCluster) -> None:
    wait_until(lambda: not cluster.active_jobs(), 30, "no job to be left")
