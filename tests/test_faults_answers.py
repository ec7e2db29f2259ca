"""Whatever a runner hears from its server, or does not hear: only "given up" ends its work, and nothing is lost."""
import os
import shutil
from pathlib import Path
from typing import Iterator

import pytest

from conftest import Gate, MakeServer
from disks import unwritable
from fault_proxy import LOST, RESET, FaultProxy, says
from processes import processes_with, wait_until
from roost_fixture import RoostServer

ANSWERS = [500, 403, 404, 409, 502, RESET, LOST]
# What every run of a single node asks for; "keep_outputs" needs a run that takes longer.
CALLS = ["orders", "heartbeat", "get_blob", "fetch_blobs", "started", "streams", "exited", "missing_blobs", "put_blobs",
         "upload_state", "put_blob", "finished"]
# What is told along the way is not insisted on: the node goes on, and the end tells it as well.
UNTIL_THE_END = set(CALLS) - {"orders", "heartbeat", "started", "exited"}
LARGE = 300_000  # more than goes in a batch
TWO_NODES = {"kind": "pytorch", "process_count": 2, "node_count": 2}
TRAIN = """
import os, sys, time
import roost.run
open("outputs/early.txt", "w").write("early")
for i in range(40):
    print(f"line {i:04d}", flush=True)
    roost.run.log("n", i, step=i)
    with open("logs/live.log", "a") as log: log.write(f"{i}\\n")
    time.sleep(float(sys.argv[1]))
open("outputs/large.bin", "wb").write(os.environ["SEED"].encode() * LARGE)
open("outputs/small.txt", "w").write(os.environ["SEED"])
""".replace("LARGE", str(LARGE // 4))


@pytest.fixture(scope="module")
def proxied(make_shared_server: MakeServer) -> Iterator[FaultProxy]:
    server = make_shared_server({"heartbeat_seconds": 0.2, "node_silent_seconds": 20, "node_lost_seconds": 60,
                                 "cancel_grace_seconds": 1})
    proxy = FaultProxy(server)
    yield proxy
    proxy.close()


@pytest.fixture
def proxy(proxied: FaultProxy) -> Iterator[FaultProxy]:
    proxied.faults, proxied.injected = {}, {}
    yield proxied
    proxied.faults = {}


def submit(server: RoostServer, seed: str, pause: float = 0.01, **spec: object) -> dict:
    """Everything of it is new to the node, so that it has to be fetched and sent."""
    files = {"train.py": TRAIN, "seed.txt": "in " + seed}
    return server.submit(files=files, script="train.py", arguments=[str(pause)],
                         environment_variables={"SEED": seed}, **spec)


def check_all_is_there_once(server: RoostServer, run: dict, seed: str) -> None:
    assert (run["status"], run["attempt"]) == ("Completed", 1), (run["error"], server.events(run))
    assert server.log(run) == b"".join(b"line %04d\n" % i for i in range(40))
    assert server.log(run, "logs/live.log") == b"".join(b"%d\n" % i for i in range(40))
    points = server.metric(run, "n")["points"]
    assert [(point["index"], point["step"], point["value"]) for point in points] == [(i, i, i) for i in range(40)]
    outputs = server.artifacts(run, "outputs/")
    assert set(outputs) == {"outputs/early.txt", "outputs/small.txt", "outputs/large.bin"}
    assert server.artifact(run, "outputs/early.txt") == b"early"
    assert server.artifact(run, "outputs/small.txt") == seed.encode()
    assert server.artifact(run, "outputs/large.bin") == seed.encode() * (LARGE // 4)


def new_seed() -> str:
    return os.urandom(2).hex()


@pytest.mark.parametrize("call", CALLS)
def test_each_answer_in_turn_to_one_call(proxy: FaultProxy, call: str) -> None:
    seed = new_seed()
    proxy.faults = {call: list(ANSWERS)}
    run = proxy.server.wait(submit(proxy.server, seed), timeout=40)
    met = proxy.injected.get(call, [])
    if call in UNTIL_THE_END:
        assert met == ANSWERS, proxy.injected
    else:
        assert met and met == ANSWERS[:len(met)], proxy.injected
    check_all_is_there_once(proxy.server, run, seed)


def test_each_answer_to_what_is_kept_while_it_runs(proxy: FaultProxy) -> None:
    seed = new_seed()
    proxy.faults = {"keep_outputs": list(ANSWERS)}
    run = proxy.server.wait(submit(proxy.server, seed, pause=0.2), timeout=60)
    assert proxy.injected.get("keep_outputs"), "the file was settled long before the run ended"
    check_all_is_there_once(proxy.server, run, seed)


@pytest.mark.parametrize("answer", ANSWERS)
def test_one_answer_to_every_call(proxy: FaultProxy, answer: object) -> None:
    seed = new_seed()
    proxy.faults = {call: [answer, answer] for call in CALLS}
    run = proxy.server.wait(submit(proxy.server, seed), timeout=40)
    check_all_is_there_once(proxy.server, run, seed)


@pytest.mark.parametrize("call", ["ready", "started", "streams", "finished"])
def test_each_answer_in_turn_to_a_run_of_two_nodes(proxy: FaultProxy, call: str) -> None:
    proxy.faults = {call: list(ANSWERS)}
    run = proxy.server.submit("import os; print('rank', os.environ['RANK'], flush=True)", distributed=TWO_NODES)
    run = proxy.server.wait(run, "Completed", timeout=40)
    met = proxy.injected.get(call, [])
    assert met == ANSWERS if call != "started" else met
    assert run["attempt"] == 1
    logs = [proxy.server.log(run, f"azureml-logs/70_driver_log_{rank}.txt") for rank in (0, 1)]
    assert logs == [b"rank 0\n", b"rank 1\n"]


@pytest.mark.skipif(not shutil.which("mpirun"), reason="there is no mpirun on this machine")
@pytest.mark.parametrize("call", ["command", "command_ended"])
def test_each_answer_in_turn_to_a_run_of_mpirun(proxy: FaultProxy, call: str) -> None:
    """mpirun on the first node asks for its daemon on the other one, and waits for its end, by way of the server."""
    proxy.faults = {call: list(ANSWERS)}
    run = proxy.server.submit("import os; print('rank', os.environ['OMPI_COMM_WORLD_RANK'], flush=True)",
                              distributed={"kind": "mpi", "process_count_per_node": 2, "node_count": 2})
    run = proxy.server.wait(run, "Completed", timeout=90)
    assert (proxy.injected.get(call), run["attempt"]) == (ANSWERS, 1)
    ranks = proxy.server.get(f"/runs/{run['id']}/ranks")["items"]
    assert [proxy.server.log(run, rank["log"]) for rank in ranks] == [b"rank %d\n" % rank for rank in range(4)]


def test_a_failure_is_told_through_each_answer(proxy: FaultProxy) -> None:
    proxy.faults = {"failed": list(ANSWERS)}
    run = proxy.server.submit("""
        import os, time
        if os.environ["RANK"] == "1": raise SystemExit(3)
        time.sleep(600)
    """, distributed=TWO_NODES)
    run = proxy.server.wait(run, "Failed", timeout=40)
    assert (run["exit_code"], run["error"]["rank"]) == (3, 1), run["error"]


# Answers of a server that has lost its mind: of a wrong shape, or with every member that runners read of a wrong type.
MEMBERS = ["streams", "refused", "failed", "full", "missing", "active", "stored", "received", "sets", "fenced", "status"]
STRANGE = [says(None), says([]), says(5), says("x"), says({}),
           *(says({name: value for name in MEMBERS}) for value in (None, -1, 1.5, "x", [None], [[]], {"x": None}, {"x": [1]}))]


@pytest.mark.parametrize("call", ["heartbeat", "started", "streams", "exited", "missing_blobs", "upload_state", "finished"])
def test_an_answer_that_makes_no_sense_ends_no_runner(proxy: FaultProxy, call: str) -> None:
    seed = new_seed()
    nodes = {node["id"] for node in proxy.server.nodes()}
    proxy.faults = {call: list(STRANGE)}
    run = proxy.server.wait(submit(proxy.server, seed, pause=0.05), timeout=60)
    assert proxy.injected.get(call), "it was asked"
    check_all_is_there_once(proxy.server, run, seed)
    assert not nodes or {node["id"] for node in proxy.server.nodes()} & nodes, "its node lives on"


ORDERS = [None, [], 5, "x", {}, {"type": None}, {"type": []}, {"type": "nothing"},
          *({"type": kind, "run": wrong, "attempt": wrong, "order": wrong, "nodes": wrong, "id": wrong, "command": wrong,
             "node": wrong, "exit_code": wrong, "grace_seconds": wrong, "heartbeat_seconds": wrong}
            for kind in ("cancel", "stop", "stacks", "go", "exec", "command_ended", "start", "hello")
            for wrong in (None, -1, 1e300, 2**63, "../../x", [None], {"run": "../../../escaped", "attempt": 1},
                          {"run": None}, {"run": ""}))]


def test_orders_that_make_no_sense_are_passed_over(proxy: FaultProxy) -> None:
    """Among them orders to start runs whose names lead out of the node's folder, which is cleared at a start."""
    server = proxy.server
    precious = server.data / "nodes" / "escaped-1"
    precious.mkdir(parents=True, exist_ok=True)
    (precious / "file").write_text("precious", encoding="utf-8")
    proxy.faults = {"orders": [says(*ORDERS), RESET, says(*ORDERS, {"type": "hello", "heartbeat_seconds": 0.2})]}
    server.post("/workspaces/default/computes", {"name": "fresh", "min_nodes": 0, "max_nodes": 1})
    seed = new_seed()
    run = server.wait(submit(server, seed, compute="fresh"), timeout=60)
    assert proxy.injected["orders"], "they came"
    check_all_is_there_once(server, run, seed)
    assert (precious / "file").read_text(encoding="utf-8") == "precious"


def test_a_run_stuck_at_its_end_can_be_canceled(proxy: FaultProxy, make_server: MakeServer, tmp_path: Path) -> None:
    """The server takes everything but the report: what the run left stays on disk until somebody decides."""
    server = make_server({"heartbeat_seconds": 0.2, "node_lost_seconds": 3, "node_silent_seconds": 1, "cancel_grace_seconds": 1})
    stuck = FaultProxy(server)
    try:
        stuck.faults = {"finished": 500}
        run = submit(server, new_seed())
        server.wait(run, "Finalizing", timeout=30)
        wait_until(lambda: len(stuck.injected.get("finished", [])) > 5, 20, "the report is tried again and again")
        [left] = list((server.data / "nodes").glob("*/runs/*/code/outputs/large.bin"))
        assert left.stat().st_size == LARGE
        server.cancel(run)
        run = server.wait(run, "Canceled", timeout=20)
        wait_until(lambda: not left.exists() and not processes_with(run["id"]), 20, "the runner heard that it was given up")
        stuck.faults = {}
        assert server.run("print('next')")["status"] == "Completed"
    finally:
        stuck.close()


def test_a_started_run_whose_start_nobody_took_can_be_canceled(proxy: FaultProxy, gate: Gate) -> None:
    proxy.faults = {"started": 500}
    server = proxy.server
    run = server.submit("print('here', flush=True)\n" + gate.wait_code)
    wait_until(lambda: server.api("GET", f"/runs/{run['id']}/logs/azureml-logs/70_driver_log.txt").body == b"here\n", 20,
               "its output is shipped all the same")
    server.cancel(run)
    assert server.wait(run, "Canceled", timeout=20)["attempt"] == 1


def test_a_run_whose_start_nobody_took_completes(proxy: FaultProxy, gate: Gate) -> None:
    proxy.faults = {"started": 500}
    run = proxy.server.submit(gate.wait_code)
    wait_until(lambda: len(proxy.injected.get("started", [])) > 2, 20, "it was tried again")
    gate.open()
    assert proxy.server.wait(run, "Completed")["attempt"] == 1


def test_a_log_that_is_refused_is_left_out_by_name_and_the_rest_is_kept(proxy: FaultProxy) -> None:
    seed = new_seed()
    proxy.faults = {"streams": 400}
    run = proxy.server.wait(submit(proxy.server, seed), "Completed", timeout=40)
    assert any("logs/live.log" in notice and "a test says 400" in notice for notice in run["notices"]), run["notices"]
    assert proxy.server.artifact(run, "outputs/large.bin") == seed.encode() * (LARGE // 4)


def test_a_report_that_is_refused_ends_the_run_with_the_reason(proxy: FaultProxy) -> None:
    seed = new_seed()
    proxy.faults = {"finished": [400] * 5}
    run = proxy.server.wait(submit(proxy.server, seed), "Failed", timeout=40)
    assert run["error"]["code"] == "report_refused" and "a test says 400" in run["error"]["message"], run["error"]
    assert proxy.server.log(run).endswith(b"line 0039\n")
    assert proxy.server.artifact(run, "outputs/large.bin") == seed.encode() * (LARGE // 4)


def test_a_log_that_the_server_cannot_write_for_a_while(make_server: MakeServer, gate: Gate) -> None:
    """Trouble with the server's own files is no refusal: the training goes on, and the log is whole in the end."""
    server = make_server()
    run = server.submit("print('before', flush=True)\n" + gate.wait_code + "print('after', flush=True)")
    wait_until(lambda: server.get_run(run)["status"] == "Running" and server.log(run) == b"before\n", 20, "it prints")
    [log] = (server.data / "logs").glob(f"*/{run['id']}/1/azureml-logs/70_driver_log.txt")
    with unwritable(log):
        gate.open()
        wait_until(lambda: "cannot write the log" in server.output, 20, "the server has tried in vain")
        assert server.get_run(run)["status"] in ("Running", "Finalizing")
    run = server.wait(run, "Completed")
    assert server.log(run) == b"before\nafter\n" and run["attempt"] == 1
