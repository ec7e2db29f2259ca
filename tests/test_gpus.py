"""GPUs, CPUs and memory that runs ask for: nobody else of the machine is given the same, whatever happens."""
import os
import subprocess
from pathlib import Path
from typing import Any, Dict, List, Set

import pytest

from conftest import Gate, MakeServer
from processes import command_line, kill, oldest, processes_with, wait_until
from roost_fixture import RoostServer

FOUR = ["GPU-a", "GPU-b", "GPU-c", "GPU-d"]
ALL_CPUS = sorted(os.sched_getaffinity(0))


@pytest.fixture
def gpu_server(make_server: MakeServer) -> RoostServer:
    server = make_server({"gpus": FOUR, "heartbeat_seconds": 0.2})
    server.expect(200, "PATCH", "/workspaces/default/computes/local", json={"max_nodes": 4})
    server.post("/workspaces", json={"name": "other"})
    server.post("/workspaces/other/computes", json={"name": "cluster", "vm_size": "local", "max_nodes": 4})
    return server


def shows(gate: Gate) -> str:
    """Prints what it may use, then waits."""
    return "import os\nprint(os.environ.get('CUDA_VISIBLE_DEVICES'), flush=True)\n" + gate.wait_code


def printed(server: RoostServer, run: Any) -> List[str]:
    wait_until(lambda: server.log(run).endswith(b"\n"), 20, "the script has printed")
    return [gpu for gpu in server.log(run).decode().splitlines()[0].split(",") if gpu]


def waits(server: RoostServer, run: Any, workspace: str = "default") -> str:
    items = server.get(f"/workspaces/{workspace}/queue")["items"]
    return next((item["reason"] for item in items if item["run"] == run["id"]), "")


def test_three_runs_of_two_gpus_on_four_never_share_one(gpu_server: RoostServer, gate: Gate) -> None:
    """Over two computes in two workspaces, and over kill -9 of the server."""
    server = gpu_server
    first = server.submit(shows(gate), resources={"gpus": 2})
    second = server.submit(shows(gate), workspace="other", compute="cluster", resources={"gpus": 2})
    for run in (first, second):
        server.wait(run, "Running")
    third = server.submit(shows(gate), resources={"gpus": 2})
    has: Dict[str, Set[str]] = {run["id"]: set(printed(server, run)) for run in (first, second)}
    assert sorted(has[first["id"]] | has[second["id"]]) == FOUR
    wait_until(lambda: waits(server, third) == "waits for 2 GPUs; 0 of 4 free", 20, "it says for what it waits")
    server.kill9()
    server.start()
    late = server.submit(shows(gate), workspace="other", compute="cluster", resources={"gpus": 1})
    wait_until(lambda: server.get_run(late)["status"] in ("Queued", "Provisioning"), 20, "it waits")
    wait_until(lambda: waits(server, third) == "waits for 2 GPUs; 0 of 4 free", 20, "the new server knows who has which")
    [lease] = server.get_run(first)["leases"]
    assert set(lease["gpus"]) == has[first["id"]] and lease["freed_at"] is None
    server.cancel(first)
    server.wait(third, "Running")
    assert set(printed(server, third)) == has[first["id"]]
    assert server.get_run(first)["leases"][0]["freed_at"] is not None
    assert server.get_run(late)["status"] in ("Queued", "Provisioning")
    gate.open()
    for run in (second, third, late):
        assert server.wait(run)["status"] == "Completed"


def test_what_can_never_be_is_refused_with_what_there_is(gpu_server: RoostServer) -> None:
    answer = gpu_server.api("POST", "/workspaces/default/runs",
                            json={"experiment": "e", "command": "true", "resources": {"gpus": 5}})
    assert answer.status == 400 and "5 GPUs on each node, but a node of local has 4 GPUs" in answer.json["error"]["message"]
    answer = gpu_server.api("POST", "/workspaces/default/runs",
                            json={"experiment": "e", "command": "true", "node_count": 2, "resources": {"gpus": 3},
                                  "distributed": {"kind": "pytorch", "node_count": 2}})
    assert answer.status == 400 and "6 GPUs in all" in answer.json["error"]["message"]
    answer = gpu_server.api("POST", "/workspaces/default/runs",
                            json={"experiment": "e", "command": "true", "resources": {"cpus": 9999}})
    assert answer.status == 400 and "9999 CPUs" in answer.json["error"]["message"]
    for bad in ({"gpus": -1}, {"gpus": "1"}, {"gpus": None, "cpu": 1}, {"memory_mb": 1}, [], "x", {"cpus": 1.5}):
        answer = gpu_server.api("POST", "/workspaces/default/runs",
                                json={"experiment": "e", "command": "true", "resources": bad})
        assert answer.status == 400, bad


def test_ranks_and_nodes_get_their_share(gpu_server: RoostServer) -> None:
    code = "import os\nprint(os.environ['RANK'], os.environ['CUDA_VISIBLE_DEVICES'])\n"
    run = gpu_server.run(code, resources={"gpus": 2}, environment_variables={"ROOST_GPU_BINDING": "rank"},
                         distributed={"kind": "pytorch", "node_count": 2, "process_count": 4}, timeout=60)
    assert run["status"] == "Completed", run["error"]
    lines = [gpu_server.log(run, f"azureml-logs/70_driver_log_{rank}.txt").decode().split() for rank in range(4)]
    assert sorted(line[1] for line in lines) == FOUR
    assert [line[0] for line in lines] == ["0", "1", "2", "3"]


def test_those_who_did_not_ask_get_what_nobody_has(gpu_server: RoostServer, gate: Gate) -> None:
    asked = gpu_server.submit(shows(gate), resources={"gpus": 1})
    gpu_server.wait(asked, "Running")
    open_one = gpu_server.submit(shows(gate))
    none = gpu_server.submit(shows(gate), resources={"gpus": 0})
    for run in (open_one, none):
        gpu_server.wait(run, "Running")
    assert len(printed(gpu_server, asked)) == 1
    assert sorted(printed(gpu_server, asked) + printed(gpu_server, open_one)) == FOUR
    assert printed(gpu_server, none) == []
    gate.open()
    for run in (asked, open_one, none):
        gpu_server.wait(run)


def test_a_run_chooses_only_among_its_own(gpu_server: RoostServer) -> None:
    code = "import os\nprint(os.environ['CUDA_VISIBLE_DEVICES'])\n"
    run = gpu_server.run(code, resources={"gpus": 2}, environment_variables={"CUDA_VISIBLE_DEVICES": "1"})
    assert gpu_server.log(run) == b"GPU-b\n"
    run = gpu_server.run(code, resources={"gpus": 1}, environment_variables={"CUDA_VISIBLE_DEVICES": "GPU-d"})
    assert gpu_server.log(run) == b"\n"


def test_what_a_lost_node_had_is_free_once_its_processes_are_gone(gpu_server: RoostServer, gate: Gate) -> None:
    run = gpu_server.submit(shows(gate), resources={"gpus": 4})
    gpu_server.wait(run, "Running")
    [node] = [node for node in gpu_server.nodes("local") if node["state"] == "running"]
    waiting = gpu_server.submit("print('mine')", resources={"gpus": 4})
    kill(oldest(pid for pid in processes_with(node["id"]) if "runner" in command_line(pid)))
    assert gpu_server.wait(run)["error"]["code"] == "node_lost"
    assert gpu_server.wait(waiting)["status"] == "Completed"


def test_cpus_and_memory_are_part_of_the_fit(gpu_server: RoostServer, gate: Gate) -> None:
    code = "import os\nprint(sorted(os.sched_getaffinity(0)), os.environ.get('OMP_NUM_THREADS'), flush=True)\n" + gate.wait_code
    first = gpu_server.submit(code, resources={"cpus": len(ALL_CPUS), "memory_mb": 64})
    gpu_server.wait(first, "Running")
    second = gpu_server.submit(code, resources={"cpus": 1})
    wait_until(lambda: waits(gpu_server, second) == f"waits for 1 CPU; 0 of {len(ALL_CPUS)} free", 20, "it waits for a CPU")
    wait_until(lambda: gpu_server.log(first).endswith(b"\n"), 20, "the script has printed")
    assert gpu_server.log(first).decode() == f"{ALL_CPUS} {len(ALL_CPUS)}\n"
    wait_until(lambda: gpu_server.get_run(first)["leases"][0]["enforced"], 20, "the node says what it enforces")
    enforced = gpu_server.get_run(first)["leases"][0]["enforced"]
    assert enforced["cpus"] in ("cgroup", "affinity") and enforced["memory"] in ("cgroup", "none")
    page = gpu_server.cli("show", first["id"]).stdout
    assert "asks for" in page and "64 MB of memory" in page, page
    gate.open()
    gpu_server.wait(first)
    assert gpu_server.wait(second)["status"] == "Completed"
    assert gpu_server.log(second).decode() == f"[{ALL_CPUS[0]}] 1\n"


def test_the_command_line_asks_for_them(gpu_server: RoostServer, source: Path) -> None:
    done = gpu_server.cli("submit", "-e", "cli", "-s", source, "--gpus", 1, "--cpus", 1, "--memory", "64m", "--",
                          "sh", "-c", "echo $CUDA_VISIBLE_DEVICES")
    assert done.stdout == "GPU-a\n"
    run = gpu_server.get("/workspaces/default/runs")["items"][0]
    assert run["spec"]["resources"] == {"gpus": 1, "cpus": 1, "memory_mb": 64}
    again = gpu_server.cli_json("rerun", "@", "-d")
    assert again["spec"]["resources"] == run["spec"]["resources"]
    refused = gpu_server.cli("submit", "-e", "cli", "-s", source, "--memory", "lots", "--", "true", check=False)
    assert refused.returncode != 0 and "lots" in refused.stderr and "16g" in refused.stderr


def build_nvml(folder: Path) -> Path:
    library = folder / "libfake-nvml.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", str(library), str(Path(__file__).with_name("fake_nvml.c"))], check=True)
    return library


def test_nvml_says_what_there_is_and_how_busy_it_is(make_server: MakeServer, tmp_path: Path, gate: Gate) -> None:
    server = make_server({"heartbeat_seconds": 0.1}, start=False)
    # Of what the server may not use nobody gets anything; a divided GPU is its instances.
    server.environment.update(ROOST_NVML=str(build_nvml(tmp_path)), CUDA_VISIBLE_DEVICES="3,1")
    server.start()
    run = server.submit(shows(gate), resources={"gpus": 3})
    server.wait(run, "Running")
    assert printed(server, run) == ["MIG-fake-0", "MIG-fake-1", "GPU-fake-1"]

    def names() -> Set[str]:
        return {series["name"] for series in server.get(f"/runs/{run['id']}/system-metrics")["series"]}

    wait_until(lambda: {"run_cpu_percent", "run_memory_mb", "run_gpu2_percent", "cpu_percent"} <= names(), 20, "both are measured")
    series = {one["name"]: one["points"][-1]["value"] for one in server.get(f"/runs/{run['id']}/system-metrics")["series"]}
    assert (series["run_gpu2_percent"], series["run_gpu2_memory_mb"]) == (20, 2000)
    assert "run_gpu0_percent" not in series and series["run_gpu0_memory_mb"] == 5000  # NVML has no load of an instance
    assert series["run_memory_mb"] > 1
    table = server.cli("metrics", run["id"], "--system").stdout
    assert "machine" in table and "run" in table
    gate.open()
    server.wait(run)
