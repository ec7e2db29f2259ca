"""Holds the server to api/openapi.yaml: its routes and nothing else, and the shape of every request and answer."""
import json
import subprocess

import pytest
import yaml

import contract
import contract_all_exercises  # noqa: F401  fills EXERCISES
from contract_caller import EXERCISES, Caller
from roost_fixture import RoostServer, roost_program

CONTRACT = contract.load()


@pytest.fixture(scope="module")
def caller(shared_server: RoostServer) -> Caller:
    return Caller(shared_server, CONTRACT)


def test_the_server_routes_exactly_the_contract() -> None:
    done = subprocess.run([str(roost_program()), "server", "--print-routes"], capture_output=True, text=True,
                          timeout=20, check=True)
    routed = {tuple(line.split()) for line in done.stdout.splitlines() if line.strip()}
    written = {(o.method, o.route, o.id, o.need) for o in CONTRACT.operations.values()}
    assert routed - written == set(), "the server has routes that are not in api/openapi.yaml"
    assert written - routed == set(), "api/openapi.yaml has routes that the server lacks"


def test_the_served_contract_is_the_file(shared_server: RoostServer) -> None:
    written = yaml.safe_load(contract.FILE.read_text(encoding="utf-8"))
    assert shared_server.get("/openapi.json") == json.loads(json.dumps(written))


@pytest.mark.parametrize("operation", sorted(CONTRACT.operations))
def test_operation(caller: Caller, operation: str) -> None:
    assert operation in EXERCISES, f"nothing calls {operation}: add it to contract_exercises.py"
    EXERCISES[operation](caller)
    assert operation in caller.accepted, f"the exercise of {operation} did not make it succeed"


def test_no_exercise_without_operation() -> None:
    assert set(EXERCISES) - set(CONTRACT.operations) == set()


@pytest.mark.parametrize("operation", sorted(set(CONTRACT.operations) - CONTRACT.open_to_all))
def test_operation_needs_a_token(shared_server: RoostServer, operation: str) -> None:
    op = CONTRACT.operations[operation]
    digest = "0" * 64
    path = op.path
    for parameter, value in {"workspace": "default", "digest": digest, "attempt": "1"}.items():
        path = path.replace("{%s}" % parameter, value)
    path = path.replace("{", "").replace("}", "")
    for token in ("", "not-a-token"):
        answer = shared_server.api(op.method, "/" + path, token=token)
        assert (answer.status, answer.code) == (401, "unauthenticated"), (token, answer.body)


def test_wrong_method_and_wrong_path(shared_server: RoostServer) -> None:
    answer = shared_server.api("DELETE", "/workspaces")
    assert (answer.status, answer.code) == (405, "method_not_allowed")
    assert {"GET", "POST"} <= {method.strip() for method in answer.headers.get("allow", "").split(",")}
    for path in ("/nothing", "//nothing", "//api/v2/runs", "/runs"):
        answer = shared_server.api("GET", path)
        assert (answer.status, answer.code) == (404, "not_found"), path
