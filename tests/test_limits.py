"""Limits that a definition asks for by docker arguments, where this machine has control groups to give."""
import os
from pathlib import Path
from typing import Any, Dict, List

import pytest

from roost_fixture import RoostServer

pytestmark = pytest.mark.both

ROOT = Path("/sys/fs/cgroup")


def group_of(controller: str) -> str:
    """The path of this process's group; runners are in the same."""
    for line in Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines():
        number, names, path = line.split(":", 2)
        if controller in names.split(",") and (ROOT / controller).exists():
            return path
        if number == "0" and (ROOT / "cgroup.controllers").exists():
            return path
    return ""


def is_delegated(path: str, controller: str) -> bool:
    folder = ROOT / path.lstrip("/") if (ROOT / "cgroup.controllers").exists() else ROOT / controller / path.lstrip("/")
    marked = [name for name in ("trusted.delegate", "user.delegate") if name in os.listxattr(folder)]
    return bool(marked) or (os.geteuid() != 0 and folder.stat().st_uid == os.geteuid())


def can_limit(controller: str) -> bool:
    """Whether Roost may: the top group, as root, or one that was delegated."""
    path = group_of(controller)
    return (path == "/" and os.geteuid() == 0) or (path != "" and path != "/" and is_delegated(path, controller))


def run_with(server: RoostServer, arguments: List[str], code: str) -> Dict[str, Any]:
    definition = {"docker": {"arguments": arguments}}
    server.post("/workspaces/default/environments", {"name": "limited", "definition": definition})
    return server.run(code, timeout=60, environment={"name": "limited"})


@pytest.mark.skipif(not can_limit("cpu"), reason=f"the control group for cpu here is not Roost's to divide: {group_of('cpu')}")
def test_a_run_gets_no_more_cpu_than_it_asked_for(server: RoostServer) -> None:
    run = run_with(server, ["--cpus", "0.1"], """
        import os, time
        lines = [line.strip().split(":", 2) for line in open("/proc/self/cgroup")]
        path = next(path for number, names, path in lines if "cpu" in names.split(",") or (number == "0" and path != "/"))
        print(path)
        folder = next(root + path for root in ("/sys/fs/cgroup/cpu", "/sys/fs/cgroup") if os.path.exists(root + path + "/cpu.stat"))
        for name in ("cpu.cfs_quota_us", "cpu.max"):
            if os.path.exists(folder + "/" + name): print(name, open(folder + "/" + name).read())
        end = time.monotonic() + 30  # a busy machine may give it less than the limit for a while
        while time.monotonic() < end and "nr_throttled 0" in open(folder + "/cpu.stat").read():
            for _ in range(10000): pass
        print(open(folder + "/cpu.stat").read())
    """)
    assert run["status"] == "Completed", run["error"]
    text = server.log(run).decode()
    path = text.splitlines()[0]
    assert path.endswith(f"roost-{run['id']}-1-0"), text
    assert "cpu.cfs_quota_us 10000" in text or "cpu.max 10000 100000" in text, text
    throttled = next(int(line.split()[1]) for line in text.splitlines() if line.startswith("nr_throttled"))
    assert throttled > 0, text
    assert not list(ROOT.glob(f"*/**/roost-{run['id']}-1-0")), "the group goes with the run"


EATER = "held = []\nfor _ in range(400): held.append(bytearray(1 << 20))\nprint('got', len(held))"


@pytest.mark.skipif(not can_limit("memory"), reason=f"the control group for memory here is not Roost's to divide: {group_of('memory')}")
def test_a_run_that_takes_too_much_memory_is_ended(server: RoostServer) -> None:
    run = run_with(server, ["-m", "100m"], EATER)
    assert (run["status"], run["signal"]) == ("Failed", 9)
    assert b"went over its limit (100 MB of memory)" in server.log(run)
    assert run_with(server, ["-m", "1g"], EATER)["status"] == "Completed"


@pytest.mark.skipif(can_limit("memory"), reason="here memory can be limited")
def test_a_limit_that_cannot_be_set_is_told_and_the_run_goes_on(server: RoostServer) -> None:
    run = run_with(server, ["-m", "100m"], EATER)
    text = server.log(run).decode()
    assert run["status"] == "Completed" and text.startswith("roost: memory is not limited: "), text
    assert text.endswith("got 400\n") and run["environment"]["limits"] == {"memory": 100 << 20}


def test_bad_values_and_what_has_no_effect(server: RoostServer) -> None:
    bad = run_with(server, ["--memory", "lots"], "print('never')")
    assert bad["status"] == "Failed" and '--memory of the environment is "lots"' in bad["error"]["message"]
    run = run_with(server, ["--privileged", "--gpus", "all"], "print('yes')")
    assert run["status"] == "Completed"
    assert run["notices"] == ["the docker argument --privileged has no effect here"]


def test_a_user_managed_run_says_that_it_is_not_isolated(server: RoostServer) -> None:
    server.post("/workspaces/default/environments",
                {"name": "own", "definition": {"python": {"userManagedDependencies": True, "interpreterPath": "/usr/bin/python3"}}})
    run = server.run("print('yes')", environment={"name": "own"})
    assert run["status"] == "Completed" and run["environment"]["isolated"] is False
    events = server.get(f"/runs/{run['id']}/events")["items"]
    assert any("on the host, not isolated" in (event["reason"] or "") for event in events), events
    shown = server.cli("show", run["id"])
    assert "no, on the host: it has the files of its machine as the server's user has them, but for the data folder" in shown.stdout
