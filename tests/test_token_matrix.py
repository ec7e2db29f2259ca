"""Every operation of the contract against every kind of token. What is allowed follows from x-roost-need alone."""
import hashlib
import hmac
import http.client
import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, Iterator, List
from urllib.parse import quote, urlencode

import pytest

import contract
from conftest import Gate, MakeServer
from contract import Operation
from contract_caller import Caller
from contract_slurm_exercises import played_job
from http_api import strict_json
from mlflow_http import NEEDS_OF_FILES, documented
from processes import wait_until
from roost_fixture import RoostServer

# The logout last: the others need the session.
OPERATIONS = dict(sorted(contract.load().operations.items(), key=lambda item: item[0] == "end_session"))
ROLES = ["reader", "contributor", "owner"]
VALUE = "value-of-a-variable"  # of any run; shown to its submitter, owners and the run itself only
TAG = "tag-of-the-run"         # shown to whoever may see the run
ALLOWED = 200


def machine_token(server: RoostServer, prefix: str, what: str) -> str:
    secret = (server.data / "secret").read_text().strip()
    return prefix + hmac.new(secret.encode(), what.encode(), hashlib.sha256).hexdigest()


@dataclass
class Kind:
    """A caller: what it sends, and by what it is known. `role` is a person's, else one of the three words is set."""
    headers: Dict[str, str]
    refused: int = 0  # with this, everywhere
    role: str = ""
    run: str = ""   # "own", "child", "other" or "other workspace": how the request's run stands to the token's
    node: str = ""  # "own" or "other"
    job: str = ""
    folder: bool = False  # has what stops the server, from its data folder
    sees: List[str] = field(default_factory=list)  # values of variables
    parameters: Dict[str, str] = field(default_factory=dict)

    def expected(self, operation: Operation) -> int:
        need = operation.need
        assert need, f"{operation.id} has no x-roost-need"
        if need in ("nobody", "reader_or_local"):
            return ALLOWED
        if self.refused:
            return self.refused
        if self.folder:
            return ALLOWED if need == "owner_or_folder" else 401
        if self.role:
            least = need.replace("_or_run", "").replace("_or_folder", "")
            return ALLOWED if least in ROLES and ROLES.index(self.role) >= ROLES.index(least) else 403
        if self.node:
            return ALLOWED if need == "node" and self.node == "own" else 403
        if self.job:
            names_one = "{allocation}" in operation.path
            return ALLOWED if need == "allocation" and (self.job == "own" or not names_one) else 403
        if need == "attempt":
            return ALLOWED if self.run in ("own", "other workspace") else 403
        if not need.endswith("_or_run"):
            return 403
        strange = (self.run == "other" and "{run}" in operation.path) or \
            (self.run == "other workspace" and "{workspace}" in operation.path)
        return 403 if strange else ALLOWED


class World:
    """A server with a run that goes on, one that is over, nodes, and persons of every role."""

    def __init__(self, server: RoostServer, gate: Gate) -> None:
        self.server = server
        server.post("/workspaces", json={"name": "elsewhere"})
        server.post("/workspaces/default/computes", json={"name": "brief", "max_nodes": 1, "idle_seconds_before_scaledown": 0})
        def common(which: str) -> Dict[str, Any]:
            return {"tags": {"tag": TAG}, "environment_variables": {"NAME": f"{VALUE}-{which}"}}

        # Of the owner. The one that is over ran on a node that is gone.
        self.over = server.run("print(1)", compute="brief", **common("over"))
        wait_until(lambda: not server.nodes("brief"), 30, "the end of the node")
        self.live = server.submit(gate.wait_code, **common("live"))
        self.other = server.submit(gate.wait_code, **common("other"))
        for run in (self.live, self.other):
            server.wait(run, "Running")
        self.live, self.other = server.get_run(self.live), server.get_run(self.other)
        self.child = server.run("print(1)", compute="brief", parent=self.live["id"], **common("child"))

    def run_token(self, run: Dict[str, Any]) -> str:
        return machine_token(self.server, "roost_run_", f"attempt/{run['id']}/1")

    def node_token(self, run: Dict[str, Any]) -> str:
        return machine_token(self.server, "roost_node_", f"node/{run['node']}")

    def session(self, role: str) -> Dict[str, str]:
        token = self.server.new_token(role)["token"]
        answer = self.server.api("POST", "/session", json={"token": token}, token="")
        assert answer.status == 201
        return {"Cookie": answer.headers["set-cookie"].split(";")[0], "X-Roost-Studio": "1"}

    def kinds(self) -> Iterator[Any]:
        def bearer(token: str) -> Dict[str, str]:
            return {"Authorization": f"Bearer {token}"}

        server, live, other = self.server, self.live, self.other
        at_live = {"run": live["id"], "node": live["node"]}
        all_values = ["over", "live", "other", "child", "ada"]

        def values(role: str) -> List[str]:
            return all_values if role == "owner" else []

        yield "nothing", Kind({}, refused=401)
        for wrong in ("wrong", "roost_" + "0" * 48, "roost_run_" + "0" * 64, "roost_node_" + "0" * 64,
                      "roost_job_" + "0" * 64, "roost_session_" + "0" * 48):
            yield f"a made-up token {wrong[:14]}", Kind(bearer(wrong), refused=401)
        for role in ROLES:
            yield f"a {role}", Kind(bearer(server.new_token(role)["token"]), role=role, sees=values(role))
            yield f"the browser of a {role}", Kind(self.session(role), role=role, sees=values(role))
        made = server.new_token("contributor", name="ada")
        own = server.expect(201, "POST", "/workspaces/default/runs", token=made["token"],
                            json={"experiment": "e", "command": "true", "environment_variables": {"NAME": VALUE + "-ada"}})
        yield "the submitter", Kind(bearer(made["token"]), role="contributor", sees=["ada"],
                                    parameters={"run": own["id"]})
        for role in ROLES:
            gone = server.new_token(role)
            assert server.api("GET", "/server", token=gone["token"]).status == 200  # it is known by now
            server.expect(200, "DELETE", f"/tokens/{gone['id']}")
            yield f"a revoked {role}", Kind(bearer(gone["token"]), refused=401)
        late = server.new_token("owner", expires_in_seconds=1)["token"]
        server.api("GET", "/server", token=late)
        wait_until(lambda: server.api("GET", "/server", token=late).status == 401, 10, "the token's end")
        yield "an expired owner", Kind(bearer(late), refused=401)
        browser = self.session("owner")
        server.expect(200, "DELETE", "/session", token="", headers=browser)
        yield "a logged-out browser", Kind(browser, refused=401)

        yield "the data folder", Kind(bearer(machine_token(server, "roost_stop_", "stop")), folder=True)
        yield "a run", Kind(bearer(self.run_token(live)), run="own", sees=["live"], parameters=at_live)
        yield "a run, at its child", Kind(bearer(self.run_token(live)), run="child", sees=["live"],
                                          parameters={"run": self.child["id"]})
        yield "a run, at another", Kind(bearer(self.run_token(other)), run="other", sees=["other"], parameters=at_live)
        yield "a run, in another workspace", Kind(bearer(self.run_token(live)), run="other workspace", sees=["live"],
                                                  parameters={**at_live, "workspace": "elsewhere"})
        yield "a run that has ended", Kind(bearer(self.run_token(self.over)), refused=401,
                                           parameters={"run": self.over["id"]})
        yield "a run that has ended, at another", Kind(bearer(self.run_token(self.over)), refused=401, parameters=at_live)
        yield "a node", Kind(bearer(self.node_token(live)), node="own", sees=["live"], parameters=at_live)
        yield "a node, at another", Kind(bearer(self.node_token(other)), node="other", parameters=at_live)
        yield "a node that is gone", Kind(bearer(self.node_token(self.over)), refused=401,
                                          parameters={"node": self.over["node"]})


@pytest.fixture(scope="module")
def world(make_shared_server: MakeServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    gate = Gate(tmp_path_factory.mktemp("matrix") / "gate")
    made = World(make_shared_server(), gate)
    yield made
    gate.open()
    for run in (made.live, made.other):
        made.server.wait(run)


def target(operation: Operation, kind: Kind, standard: Dict[str, str]) -> str:
    """The operation's path. What would be changed or removed for good is named so that it is not there."""
    values = {**standard, **kind.parameters}
    if operation.id == "cancel_run" and kind.expected(operation) == ALLOWED:
        values["run"] = standard["child"]
    path = operation.path
    for parameter in (p for p in operation.parameters if p["in"] == "path"):
        path = path.replace("{%s}" % parameter["name"], quote(values.get(parameter["name"], "absent"), safe=""))
    return path


def call(server: RoostServer, operation: Operation, path: str, kind: Kind) -> "tuple[int, bytes]":
    """A body that no operation takes: who may call is told so, and nothing happens."""
    content_type = next(iter(operation.body["content"])) if operation.body else ""
    headers = {**kind.headers, **({"Content-Type": content_type} if content_type else {})}
    connection = server.api_client.connect(20)
    try:
        connection.request(operation.method, path, b"[]" if operation.body else None, headers)
        answer = connection.getresponse()
        endless = answer.status == 200 and "chunked" in answer.headers.get("Transfer-Encoding", "")
        return answer.status, first_piece(answer) if endless else answer.read()
    finally:
        connection.close()


def first_piece(answer: http.client.HTTPResponse) -> bytes:
    return answer.read1(1 << 20)


def holes_of(server: RoostServer, kind: Kind, standard: Dict[str, str]) -> List[str]:
    holes = []
    for operation in OPERATIONS.values():
        path = target(operation, kind, standard)
        status, body = call(server, operation, path, kind)
        wanted = kind.expected(operation)
        where = f"{operation.id} ({operation.need}) {path}: {status} {body[:200]!r}"
        if status >= 500:
            holes.append("failed: " + where)
        elif wanted == ALLOWED and status in (401, 403, 410):
            holes.append("refused: " + where)
        elif wanted != ALLOWED and status not in (wanted, 410 if wanted == 401 else wanted):
            holes.append(f"let in, not {wanted}: " + where)
        elif wanted != ALLOWED and set(strict_json(body)) != {"error"}:
            holes.append("says too much: " + where)
        shown = {found.decode() for found in re.findall(VALUE.encode() + b"-([a-z]+)", body)}
        if shown - set(kind.sees if wanted == ALLOWED else []):
            holes.append(f"tells the values of variables of {shown}: " + where)
        if TAG.encode() in body and wanted != ALLOWED:
            holes.append("tells of the run: " + where)
    return holes


def test_every_operation_against_every_kind_of_token(world: World) -> None:
    standard = {"workspace": "default", "run": world.live["id"], "child": world.child["id"], "attempt": "1", "node": world.live["node"],
                "digest": "0" * 64, "path": "outputs/none", "allocation": "roost-none"}
    holes: Dict[str, List[str]] = {}
    seen = 0
    for name, kind in world.kinds():
        found = holes_of(world.server, kind, standard)
        seen += 1
        if found:
            holes[name] = found
    assert seen >= 25 and not holes, "\n".join(f"{name}:\n  " + "\n  ".join(found) for name, found in holes.items())
    assert world.server.get_run(world.live)["status"] == "Running", "a refused or empty request ended the run"


def mlflow_operations() -> Iterator[Operation]:
    """MLflow's calls, of which the contract says nothing: for the workspace of the caller, and for one that is named."""
    calls = [(method, "mlflow/" + path, need) for method, path, need, here in documented() if here != "absent"]
    calls += [(method, "mlflow-artifacts/" + path, need) for method, path, need in NEEDS_OF_FILES]
    for base in ("/api/2.0/", "/ajax-api/3.0/", "/mlflow/{workspace}/api/2.0/"):
        for method, path, needs in calls:
            need = needs.replace(", ", "_or_")
            yield Operation(f"{method} {path}", method, base + path, [], None, {}, re.compile(""), need)


def mlflow_holes_of(server: RoostServer, kind: Kind, standard: Dict[str, str]) -> List[str]:
    values = {**standard, **kind.parameters}
    naming_the_run = json.dumps({"run_id": values["run"], "run_uuid": values["run"]}).encode()
    holes = []
    for operation in mlflow_operations():
        wanted = kind.expected(operation)
        path = operation.path.replace("{workspace}", values["workspace"]).replace("{run}", values["run"])
        query = "?" + urlencode({"run_id": values["run"], "run_uuid": values["run"]}) if operation.method == "GET" else ""
        # Who may is to change nothing; who may not names the run.
        body = b"" if operation.method == "GET" else naming_the_run if wanted != ALLOWED or kind.run == "other" else b"[]"
        answer = server.api_client.send(operation.method, path + query, body, "application/json" if body else "", "",
                                        headers=kind.headers)
        where = f"{operation.id} ({operation.need}) {path}: {answer.status} {answer.body[:200]!r}"
        strange = kind.run == "other" and re.search("/(runs|artifacts)/(?!create|search)|get-artifact|{run}", operation.path)
        files_stay = b"has ended: its files stay" in answer.body  # for nobody to remove
        if answer.status >= 500 and answer.status != 501:
            holes.append("failed: " + where)
        elif wanted == ALLOWED and answer.status in (401, 403, 410) and not strange and not files_stay:
            holes.append("refused: " + where)
        elif (wanted != ALLOWED and answer.status != wanted) or (strange and answer.status < 400):
            holes.append(f"let in, not {wanted}: " + where)
        elif answer.status >= 400 and set(strict_json(answer.body)) != {"error_code", "message"}:
            holes.append("not in MLflow's form: " + where)
        if VALUE.encode() in answer.body:
            holes.append("tells the values of variables: " + where)
        if TAG.encode() in answer.body and (wanted != ALLOWED or strange):
            holes.append("tells of the run: " + where)
    return holes


def test_every_call_of_mlflow_against_every_kind_of_token(world: World) -> None:
    standard = {"workspace": "default", "run": world.live["id"]}
    holes = {name: found for name, kind in world.kinds() if (found := mlflow_holes_of(world.server, kind, standard))}
    assert not holes, "\n".join(f"{name}:\n  " + "\n  ".join(found) for name, found in holes.items())
    assert world.server.get_run(world.live)["status"] == "Running", "a refused or empty request ended the run"


def test_a_slurm_job_may_bring_up_its_nodes_and_nothing_else(shared_server: RoostServer) -> None:
    # Slurm is not asked again, so that it does not say that it has never heard of the job.
    with played_job(Caller(shared_server, contract.load()), poll_seconds=3600) as job:
        standard = {"workspace": "default", "digest": "0" * 64, "attempt": "1"}
        for name, how in ((job.name, "own"), ("roost-other", "other")):
            kind = Kind({"Authorization": f"Bearer {job.token}"}, job=how, parameters={"allocation": name})
            assert holes_of(job.caller.server, kind, standard) == []


def test_no_need_is_unknown() -> None:
    known = {"nobody", "reader_or_local", "owner_or_folder", *ROLES, "reader_or_run", "contributor_or_run", "node", "attempt", "allocation"}
    assert {operation.need for operation in OPERATIONS.values()} <= known
    assert Path(contract.FILE).is_file()
