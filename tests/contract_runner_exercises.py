"""The operations a runner calls: a stopped runner lends its token, and this plays its part."""
import contextlib
import hashlib
import signal
from typing import Any, Dict, Iterator, List

from contract_caller import Caller, exercise
from http_api import FRAMES, Answer, Api, frame
from processes import environment_of, kill, wait_until


@exercise
def stream_orders(c: Caller) -> None:
    with played_runner(c) as runner:
        assert runner.hello["heartbeat_seconds"] > 0 and runner.order["command"] == "true"


@exercise
def send_heartbeat(c: Caller) -> None:
    with played_runner(c) as runner:
        beat = {"run": runner.run["id"], "attempt": 1, "usage": {"cpu_percent": 12.5}}
        assert c.call("send_heartbeat", 200, runner.node, json=beat, token=runner.token).json == {"fenced": False}
        c.call("send_heartbeat", 403, runner.node, json=beat)
        c.call("send_heartbeat", 403, "another-node", json=beat, token=runner.token)
        series = c.server.get(f"/runs/{runner.run['id']}/system-metrics")["series"]
        assert [(s["node"], s["name"], s["points"][0]["value"]) for s in series] == [(runner.node, "cpu_percent", 12.5)]


@exercise
def report_started(c: Caller) -> None:
    with played_runner(c) as runner:
        assert runner.attempt_call("report_started", json={}).json == {"status": "Running"}
        assert runner.attempt_call("report_started", json={}).json == {"status": "Running"}


@exercise
def report_enforced(c: Caller) -> None:
    with played_runner(c) as runner:
        said = {"node_rank": 0, "enforced": {"cpus": "affinity", "memory": "none", "why": "no cgroup"}}
        assert runner.attempt_call("report_enforced", json=said).json == {"noted": True}
        runner.attempt_call("report_enforced", status=410, json={**said, "node_rank": 7})
        for bad in ({"node_rank": 0, "enforced": {"cpus": 1}}, {"node_rank": 0, "enforced": {"gpus": "x"}},
                    {"node_rank": -1, "enforced": {}}, {"node_rank": 0, "enforced": []}):
            answer = c.server.api("POST", f"/attempts/{runner.run['id']}/1/enforced", json=bad, token=runner.order["token"])
            assert answer.status == 400, bad


@exercise
def report_ready(c: Caller) -> None:
    with played_runner(c) as runner:
        facts = {"name": runner.node, "address": "127.0.0.1", "ports": [6105], "machine": "m", "shared": "/tmp"}
        assert runner.attempt_call("report_ready", json={"node_rank": 0, "facts": facts}).json == {"all_ready": True}
        runner.attempt_call("report_ready", status=410, json={"node_rank": 1, "facts": facts})


@exercise
def report_failed(c: Caller) -> None:
    with played_runner(c) as runner:
        runner.attempt_call("report_started", json={})
        for _ in range(2):
            answer = runner.attempt_call("report_failed", json={"node_rank": 0, "rank": 0}).json
            assert answer == {"stopping": True}
        runner.attempt_call("report_failed", status=410, json={"node_rank": 3, "rank": 0})


@exercise
def request_command(c: Caller) -> None:
    with played_runner(c) as runner:
        asked = {"node": runner.node, "command": "orted --x"}
        for _ in range(2):
            assert runner.attempt_call("request_command", json=asked).json == {"asked": True}
        runner.attempt_call("request_command", status=400, json={**asked, "node": "another-node"})
        assert runner.orders("exec")[-1]["command"] == "orted --x"


@exercise
def report_command_ended(c: Caller) -> None:
    with played_runner(c) as runner:
        ended = {"node_rank": 0, "exit_code": 3}
        runner.attempt_call("report_command_ended", status=409, json=ended)
        runner.attempt_call("request_command", json={"node": runner.node, "command": "x"})
        assert runner.attempt_call("report_command_ended", json=ended).json == {"noted": True}


@exercise
def list_ranks(c: Caller) -> None:
    with played_runner(c) as runner:
        runner.attempt_call("report_started", json={})
        [rank] = c.call("list_ranks", 200, runner.run["id"]).json["items"]
        assert (rank["rank"], rank["node"], rank["state"], rank["role"]) == (0, runner.node, "running", None)
        assert rank["log"] == "azureml-logs/70_driver_log.txt"
    c.call("list_ranks", 404, "no_1_00000000")


@exercise
def append_streams(c: Caller) -> None:
    with played_runner(c) as runner:
        runner.attempt_call("report_started", json={})
        name = "azureml-logs/70_driver_log.txt"
        for offset, text, end in [(0, b"hello ", 6), (0, b"hello ", 6), (3, b"lo world", 11), (11, b"!", 12)]:
            body = frame(text, stream=name, offset=offset)
            answer = runner.attempt_call("append_streams", data=body, type=FRAMES).json
            assert answer == {"streams": {name: end}}
        spool = b'["scalar","loss",0.5,1,1763240000]\n'
        for _ in range(2):
            body = frame(spool, stream="spool/a.spool", offset=0)
            answer = runner.attempt_call("append_streams", data=body, type=FRAMES).json
            assert answer == {"streams": {"spool/a.spool": len(spool)}}
        assert c.server.log(runner.run) == b"hello world!" and c.server.metric(runner.run, "loss")["count"] == 1


@exercise
def report_exited(c: Caller) -> None:
    with played_runner(c) as runner:
        runner.attempt_call("report_started", json={})
        answer = runner.attempt_call("report_exited", json={"exited_ago_us": 1000}).json
        assert answer == {"status": "Finalizing"}


@exercise
def report_finished(c: Caller) -> None:
    with played_runner(c) as runner:
        runner.attempt_call("report_started", json={})
        report = {"outcome": "exited", "message": "", "ranks": [{"rank": 0, "exit_code": 0, "signal": None}], "outputs": [],
                  "started_ago_us": 9000, "exited_ago_us": 1000, "streams": {"azureml-logs/70_driver_log.txt": 5}}
        runner.attempt_call("report_finished", status=422, json=report)
        body = frame(b"hello", stream="azureml-logs/70_driver_log.txt", offset=0)
        runner.attempt_call("append_streams", data=body, type=FRAMES)
        missing = {**report, "outputs": [{"path": "outputs/x", "digest": "0" * 64, "size": 1}]}
        assert runner.attempt_call("report_finished", status=409, json=missing).code == "failed_precondition"
        assert runner.attempt_call("report_finished", json=report).json == {"status": "Completed"}
        assert c.server.get_run(runner.run)["status"] == "Completed"


@exercise
def send_stacks(c: Caller) -> None:
    with played_runner(c) as runner:
        seen = {"rank": 0, "pid": 7, "command": "python train.py", "stack": "File train.py"}
        body = {"id": "nobody-asked", "run": runner.run["id"], "processes": [seen]}
        assert c.call("send_stacks", 200, runner.node, json=body, token=runner.token).json == {"taken": True}
        c.call("send_stacks", 403, runner.node, json=body)


@exercise
def keep_outputs(c: Caller) -> None:
    with played_runner(c) as runner:
        runner.attempt_call("report_started", json={})
        folder = {"folder": "outputs", "rest_ms": 60_000, "settled": True}
        missing = [{"path": "outputs/model.pt", "digest": "0" * 64, "size": 1}]
        runner.attempt_call("keep_outputs", status=409, json={"folders": [{**folder, "files": missing}]})
        digest = hashlib.sha256(b"weights").hexdigest()
        c.server.expect((200, 201), "POST", "/blobs", data=frame(b"weights", digest=digest), content_type=FRAMES)
        kept = [{"path": "outputs/model.pt", "digest": digest, "size": 7}]
        body = {"node_rank": 0, "folders": [{**folder, "files": kept}]}
        assert runner.attempt_call("keep_outputs", json=body).json == {"sets": ["outputs"]}
        assert c.server.get(f"/runs/{runner.run['id']}/artifacts")["items"][0]["path"] == "outputs/model.pt"


class PlayedRunner:
    """Stands in for a runner whose process is stopped: knows its node, its token and its first order."""

    def __init__(self, caller: Caller, compute: str) -> None:
        self.caller, server = caller, caller.server
        (node,) = server.nodes(compute)
        self.node, self.pid = node["id"], node["pid"]
        kill(self.pid, signal.SIGSTOP)
        self.token = environment_of(self.pid)["ROOST_NODE_TOKEN"]
        self.run = server.submit(command="true", compute=compute)
        orders = self.orders("start")
        caller.accepted.add("stream_orders")
        self.hello, self.order = orders[0], orders[-1]["order"]
        assert self.order["run"] == self.run["id"]

    def orders(self, last: str) -> List[Dict[str, Any]]:
        """What the node is told from the beginning on, up to the first order of that type."""
        lines = Api(self.caller.server.info["url"], self.token).lines(f"/api/v1/nodes/{self.node}/orders", timeout=20)
        orders = []
        for line in lines:
            self.caller.contract.check(self.caller.contract.schema("Order"), line, "stream_orders")
            orders.append(line)
            if line["type"] == last:
                break
        lines.close()
        return orders

    def attempt_call(self, operation: str, status: int = 200, **body: Any) -> Answer:
        return self.caller.call(operation, status, self.run["id"], 1, token=self.order["token"], **body)


@contextlib.contextmanager
def played_runner(c: Caller) -> Iterator[PlayedRunner]:
    compute = c.new_name()
    c.call("create_compute", 201, "default", json={"name": compute, "min_nodes": 1, "max_nodes": 1})

    def idle() -> bool:
        return [node["state"] for node in c.server.nodes(compute)] == ["idle"]

    wait_until(idle, 20, "the node is up")
    runner = PlayedRunner(c, compute)
    try:
        yield runner
    finally:
        c.server.api("PATCH", f"/workspaces/default/computes/{compute}", json={"min_nodes": 0})
        c.server.api("POST", f"/runs/{runner.run['id']}/cancel")
        kill(runner.pid)
        c.server.wait(runner.run)
