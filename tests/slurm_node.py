"""A node of a test's Slurm cluster: a machine of its own in namespaces, with its own address, name, processes and disk.

Usage: slurm_node.py start|stop FOLDER NAMES   (NAMES as Slurm has them: n1 or n[1-3]; ResumeProgram calls this)"""
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Dict, List

# What a node does before slurmd: a name, a disk that nobody else sees, nothing of the project or its tests.
BOOT = r"""
set -e
hostname "$NAME"
mount --make-rprivate /
IFS=$'\n'
for place in $HIDDEN; do mount -t tmpfs -o size=2g tmpfs "$place"; done
unset IFS
while ! [ -e "$FOLDER/run/$NAME.net" ]; do sleep 0.02; done
exec slurmd -D -f "$FOLDER/slurm.conf" -N "$NAME" $SLURMD_OPTIONS
"""


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True, timeout=20)


def _settings(folder: Path) -> Dict[str, Any]:
    return json.loads((folder / "cluster.json").read_text(encoding="utf-8"))


def _child_of(pid: int) -> int:
    until = time.monotonic() + 10
    while time.monotonic() < until:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
        if children:
            return int(children[0])
        time.sleep(0.01)
    raise TimeoutError("the node's first process did not start")


def start(folder: Path, name: str) -> None:
    settings = _settings(folder)
    number = int(name.lstrip("n"))
    (folder / f"run/{name}.net").unlink(missing_ok=True)
    environment = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "NAME": name,
                   "FOLDER": str(folder), "HIDDEN": "\n".join(settings["hidden"]),
                   "SLURMD_OPTIONS": settings.get("slurmd_options", "")}
    # ResumeProgram inherits blocked signals: unshare would not end when told to.
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    with open(folder / f"log/node.{name}.log", "ab") as log:
        process = subprocess.Popen(["unshare", "-m", "-n", "-u", "-p", "-f", "--mount-proc", "--kill-child", "bash", "-c", BOOT],
                                   stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment,
                                   start_new_session=True)
    (folder / f"run/{name}.pid").write_text(str(process.pid), encoding="ascii")
    first = _child_of(process.pid)
    outside = f"{settings['bridge']}n{number}"
    subprocess.run(["ip", "link", "del", outside], capture_output=True, timeout=20)
    _ip("link", "add", outside, "type", "veth", "peer", "name", "eth0", "netns", str(first))
    _ip("link", "set", outside, "master", settings["bridge"], "up")
    inside: List[List[str]] = [["link", "set", "lo", "up"], ["addr", "add", f"{settings['net']}.{number}/24", "dev", "eth0"],
                               ["link", "set", "eth0", "up"]]
    for words in inside:
        subprocess.run(["nsenter", "-t", str(first), "-n", "ip", *words], check=True, capture_output=True, timeout=20)
    (folder / f"run/{name}.net").touch()


def is_on(folder: Path, name: str) -> bool:
    file = folder / f"run/{name}.pid"
    return file.exists() and Path(f"/proc/{file.read_text(encoding='ascii')}/ns/net").exists()


def stop(folder: Path, name: str) -> None:
    """As a power loss does: everything in it ends at once."""
    file = folder / f"run/{name}.pid"
    if not file.exists():
        return
    pid = int(file.read_text(encoding="ascii"))
    file.unlink()
    try:
        os.killpg(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    except (ProcessLookupError, ChildProcessError):
        pass


def _names(text: str) -> List[str]:
    shown = subprocess.run(["scontrol", "show", "hostnames", text], check=True, capture_output=True, text=True, timeout=20)
    return shown.stdout.split()


if __name__ == "__main__":
    for node in _names(sys.argv[3]):
        {"start": start, "stop": stop}[sys.argv[1]](Path(sys.argv[2]), node)
