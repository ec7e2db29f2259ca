"""Endpoints as a control plane sees them: from create to delete, and what goes wrong in between."""
import json
import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Dict, List

import pytest

from endpoint_load import Load, call, create, echo, get, path, register, settled
from onnx_models import linear_model
from processes import wait_until
from roost_fixture import ROOT, RoostServer

HAS_RUNTIME = any((ROOT / "build" / place / "libonnxruntime.so.1").exists() for place in ("onnxruntime",)) or \
    bool(os.environ.get("ROOST_ONNXRUNTIME"))
needs_runtime = pytest.mark.skipif(not HAS_RUNTIME, reason="ONNX Runtime was not fetched (tools/onnxruntime)")


def replicas(endpoint: Dict[str, Any], deployment: int = 0) -> List[Dict[str, Any]]:
    return endpoint["deployments"][deployment]["replicas_now"]


def test_from_a_script_to_an_answer(server: RoostServer) -> None:
    made = create(server, "echo", echo(server))
    status, body, headers = call(made["scoring_uri"])
    assert (status, json.loads(body)["version"]) == (200, "1")
    assert headers["x-roost-deployment"] == "default"
    assert [step["text"] for step in made["steps"]][-1] == "Checking the status of inference endpoint echo."
    # The server's own address passes it on, too.
    assert call(server.info["url"] + "/endpoints/echo/score")[0] == 200


@needs_runtime
def test_a_model_without_code(server: RoostServer) -> None:
    model = register(server, "double", {"double.onnx": linear_model([[2.0, 0.0], [0.0, 2.0]], [0.0, 0.0])}, framework="Onnx")
    made = create(server, "double", {"models": ["double"]})
    assert made["deployments"][0]["runtime"] == "onnx"
    assert [one["id"] for one in made["deployments"][0]["models"]] == ["double:1"]
    status, body, headers = call(made["scoring_uri"], json.dumps({"data": [[1, 2.5]]}).encode())
    assert status == 200 and b"5" in body and headers["x-roost-version"] == "double:1"
    assert server.get("/workspaces/default/models/double")["serves"] == [
        {"workspace": "default", "endpoint": "double", "deployment": "default"}]
    server.expect(409, "DELETE", "/workspaces/default/models/double/versions/1")
    server.expect(200, "DELETE", path("double"))
    server.expect(200, "DELETE", "/workspaces/default/models/double/versions/1")
    assert model["serves"] == []


def test_a_script_that_cannot_start_says_why(server: RoostServer) -> None:
    source = "def init():\n    raise ValueError('no weights here')\ndef run(data):\n    return data\n"
    server.expect(201, "POST", "/workspaces/default/endpoints",
                  json={"name": "broken", "deployments": [echo(server, source=source)]})
    failed = settled(server, "broken", "Failed")
    assert failed["error"]["details"][0]["code"] == "CrashLoopBackOff"
    assert "ValueError: no weights here" in failed["error"]["message"]
    assert "no weights here" in server.get(path("broken", "logs"))["text"]
    assert call(failed["scoring_uri"])[0] == 401  # keys are asked for by default, whatever its state


def test_keys_and_tokens(server: RoostServer) -> None:
    made = create(server, "keys", echo(server), auth="key")
    keys = server.get(path("keys", "keys"))
    uri = made["scoring_uri"]
    assert call(uri)[0] == 401
    assert call(uri, headers={"Authorization": "Bearer nonsense"})[0] == 401
    for key in (keys["primary"], keys["secondary"]):
        assert call(uri, headers={"Authorization": f"Bearer {key}"})[0] == 200
    renewed = server.post(path("keys", "keys"), {"key": "primary"})
    wait_until(lambda: call(uri, headers={"Authorization": f"Bearer {keys['primary']}"})[0] == 401, 10, "the old key to end")
    assert call(uri, headers={"Authorization": f"Bearer {renewed['primary']}"})[0] == 200
    # Who may only read calls it with a token of its own, and changes nothing.
    reader = server.new_token("reader")["token"]
    assert server.api("GET", path("keys", "keys"), token=reader).status == 403
    assert server.api("PATCH", path("keys"), json={"auth": "none"}, token=reader).status == 403
    token = json.loads(server.api("POST", path("keys", "token"), token=reader).body)["token"]
    wait_until(lambda: call(uri, headers={"Authorization": f"Bearer {token}"})[0] == 200, 10, "the token to be known")


def test_an_update_fails_no_request(server: RoostServer) -> None:
    made = create(server, "busy", echo(server, "1", workers=2, max_concurrent_requests=0))
    with Load(made["scoring_uri"], 64) as load:
        for version in ("2", "3"):
            server.expect(200, "PUT", path("busy", "deployments", "default"),
                          json=echo(server, version, workers=2, max_concurrent_requests=0))
            settled(server, "busy")
            wait_until(lambda: json.loads(call(made["scoring_uri"])[1])["version"] == version, 30, f"version {version}")
            load.goes_on()
        server.expect(200, "POST", path("busy", "rollback"), json={})
        settled(server, "busy")
        wait_until(lambda: json.loads(call(made["scoring_uri"])[1])["version"] == "2", 30, "the version before")
        load.goes_on()
        server.expect(200, "POST", path("busy", "restart"), json={})
        settled(server, "busy")
        wait_until(lambda: len(replicas(get(server, "busy"))) == 1, 30, "the earlier replica to end")
        load.goes_on()
    assert (dict(load.statuses).keys(), load.lost) == ({200}, 0), (load.statuses, load.lost, load.texts[:3])


@pytest.mark.parametrize("change", ["update", "delete"])
def test_a_long_request_is_answered_by_what_is_replaced(server: RoostServer, change: str) -> None:
    source = "import time\ndef init(): pass\ndef run(data):\n    time.sleep(6)\n    return 'slept'\n"
    made = create(server, "slow", echo(server, source=source))
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(call, made["scoring_uri"])
        run = replicas(made)[0]["run"]
        wait_until(lambda: replicas(get(server, "slow"))[0]["load"]["in_flight"] == 1, 20, "the request to be under way")
        if change == "delete":
            server.expect(200, "DELETE", path("slow"))
        else:
            server.expect(200, "PUT", path("slow", "deployments", "default"), json=echo(server, "2"))
        assert answer.result(30)[:2] == (200, b'"slept"')
    server.wait(run)


def test_an_update_that_fails_leaves_what_served(server: RoostServer) -> None:
    made = create(server, "kept", echo(server, "1"))
    server.expect(200, "PUT", path("kept", "deployments", "default"), json=echo(server, source="raise SystemError('not today')"))
    failed = settled(server, "kept", "Unhealthy")
    assert "not today" in failed["error"]["message"]
    assert json.loads(call(made["scoring_uri"])[1])["version"] == "1"
    server.expect(200, "POST", path("kept", "rollback"), json={})
    assert settled(server, "kept")["error"] is None


def test_traffic_is_split_and_shadowed(server: RoostServer) -> None:
    blue, green = echo(server, "blue", name="blue"), echo(server, "green", name="green")
    made = create(server, "split", blue, green, traffic={"green": 25})
    assert made["traffic"] == {"blue": 75, "green": 25}
    answers = [json.loads(call(made["scoring_uri"])[1])["version"] for _ in range(100)]
    assert answers.count("green") == 25
    assert json.loads(call(made["scoring_uri"], headers={"azureml-model-deployment": "green"})[1])["version"] == "green"
    server.expect(200, "PATCH", path("split"), json={"traffic": {"blue": 100}, "shadow": {"green": 100}})
    wait_until(lambda: {json.loads(call(made["scoring_uri"])[1])["version"] for _ in range(8)} == {"blue"}, 10, "only blue to answer")

    def shadowed() -> int:
        by_name = {one["name"]: one for one in server.get(path("split", "statistics"))["deployments"]}
        return int(by_name["green"]["shadow_requests"])

    wait_until(lambda: shadowed() > 0, 10, "copies for green")
    server.expect(409, "DELETE", path("split", "deployments", "blue"))
    left = server.expect(200, "DELETE", path("split", "deployments", "green"))
    assert [one["name"] for one in left["deployments"]] == ["blue"]


def test_it_grows_with_its_load_and_goes_to_none(server: RoostServer) -> None:
    source = "import time\ndef init(): pass\ndef run(data):\n    time.sleep(0.05)\n    return 1\n"
    made = create(server, "elastic", echo(server, source=source, replicas={"min": 0, "max": 3, "idle_seconds": 1}))
    with Load(made["scoring_uri"], 8) as load:
        wait_until(lambda: get(server, "elastic")["deployments"][0]["ready"] == 3, 60, "three replicas")
        load.goes_on(20)
    assert set(load.statuses) == {200}, (load.statuses, load.texts[:3])
    server.expect(200, "PUT", path("elastic", "deployments", "default"),
                  json=echo(server, source=source, replicas={"min": 0, "max": 1, "idle_seconds": 1}))
    settled(server, "elastic")
    wait_until(lambda: replicas(get(server, "elastic")) == [], 60, "no replica to be left")
    assert get(server, "elastic")["state"] == "Healthy"
    began = time.monotonic()
    assert call(made["scoring_uri"])[0] == 200, "the first request is held until a replica is there"
    assert time.monotonic() - began < 30


def test_deleted_it_is_gone_and_its_runs_end(server: RoostServer) -> None:
    made = create(server, "short", echo(server))
    run = replicas(made)[0]["run"]
    server.expect(200, "DELETE", path("short"))
    server.expect(404, "GET", path("short"))
    wait_until(lambda: call(made["scoring_uri"])[0] == 404, 10, "its address to be gone")
    server.wait(run)
    again = create(server, "short", echo(server, "2"))
    assert json.loads(call(again["scoring_uri"])[1])["version"] == "2"


def test_a_port_of_its_own(server: RoostServer) -> None:
    import socket
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    made = create(server, "apart", echo(server), port=port)
    assert made["scoring_uri"] == f"http://localhost:{port}/score"
    wait_until(lambda: call(f"http://127.0.0.1:{port}/score")[0] == 200, 10, "the port")
    refused = server.expect(409, "POST", "/workspaces/default/endpoints", json={"name": "other", "port": port})
    assert "apart" in refused["error"]["message"]


def pids_of(run: str, word: str) -> List[int]:
    """Processes of a run with that word in their command line; inside of the run they have other numbers."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            is_of_run = f"AZUREML_RUN_ID={run}\0" in (process / "environ").read_text(errors="replace")
            if is_of_run and word in (process / "cmdline").read_text(errors="replace"):
                found.append(int(process.name))
        except OSError:
            continue
    return found


def test_the_server_is_killed_under_load(server: RoostServer) -> None:
    made = create(server, "steady", echo(server, workers=2, max_concurrent_requests=0))
    with Load(made["scoring_uri"], 16) as load:
        server.kill9()
        load.goes_on(200)
        server.restart()
        assert settled(server, "steady")["deployments"][0]["restarts"] == 0
        load.goes_on(200)
    assert (set(load.statuses), load.lost) == ({200}, 0), (load.statuses, load.texts[:3])


def test_the_front_is_killed_under_load(server: RoostServer) -> None:
    made = create(server, "doored", echo(server, workers=2, max_concurrent_requests=0))
    front = json.loads((server.data / "serving/front.json").read_text())
    with Load(made["scoring_uri"], 16) as load:
        killed = time.monotonic()
        os.kill(front["pid"], signal.SIGKILL)
        wait_until(lambda: load.lost > 0, 10, "connections to break")
        load.goes_on(200)
        back = load.last_failure - killed
    assert set(load.statuses) == {200}, (load.statuses, load.texts[:3])
    assert json.loads((server.data / "serving/front.json").read_text())["port"] == front["port"]
    assert back < 10, back


def test_a_worker_and_a_replica_are_killed_under_load(server: RoostServer) -> None:
    made = create(server, "two", echo(server, workers=2, replicas={"min": 2, "max": 2}, max_concurrent_requests=0))
    with Load(made["scoring_uri"], 16) as load:
        victim = replicas(get(server, "two"))[0]["run"]
        os.kill(pids_of(victim, "scoring")[0], signal.SIGKILL)
        load.goes_on(200)
        for pid in pids_of(victim, "\0serve"):
            os.kill(pid, signal.SIGKILL)
        wait_until(lambda: victim not in [one["run"] for one in replicas(get(server, "two"))], 30, "another in its place")
        settled(server, "two")
        load.goes_on(200)
    # Only what was under way on what died is answered with an error, and that says so.
    failed = sum(count for status, count in load.statuses.items() if status != 200)
    assert set(load.statuses) <= {200, 500, 502} and failed <= 32 and load.lost == 0, (load.statuses, load.lost, load.texts[:3])
    assert all(b"message" in text for text in load.texts), load.texts[:3]


@pytest.mark.parametrize("change, words", [
    ({"models": ["nothing:1"]}, "nothing"),
    ({"code": {"snapshot": "0" * 64, "entry_script": "score.py"}}, "is not on the server"),
    ({"runtime": "python"}, "needs \"code\""),
    ({"models": [], "runtime": None}, "needs code"),
    ({"replicas": {"min": 2, "max": 1}}, "below its \"min\""),
    ({"workers": 0}, "workers"),
])
def test_what_cannot_be_is_refused(shared_server: RoostServer, change: Dict[str, Any], words: str) -> None:
    body = {"name": "never", "deployments": [change]}
    answer = shared_server.api("POST", "/workspaces/default/endpoints", json=body)
    assert answer.status in (400, 404, 409), answer.body
    assert words in json.loads(answer.body)["error"]["message"]
    shared_server.expect(404, "GET", path("never"))


def test_a_pytorch_model_is_told_the_way_out(shared_server: RoostServer) -> None:
    register(shared_server, "weights", {"model.pt": b"not really"}, framework="PyTorch")
    answer = shared_server.expect(400, "POST", "/workspaces/default/endpoints",
                                  json={"name": "never", "deployments": [{"models": ["weights"]}]})
    assert "roost model export weights:1 --to onnx" in answer["error"]["message"]


def test_two_workspaces_may_use_one_name(shared_server: RoostServer) -> None:
    shared_server.expect(201, "POST", "/workspaces", json={"name": "other"})
    one = shared_server.expect(201, "POST", "/workspaces/default/endpoints", json={"name": "same"})
    two = shared_server.expect(201, "POST", "/workspaces/other/endpoints", json={"name": "same"})
    assert (one["slug"], two["slug"]) == ("same", "same.other")
