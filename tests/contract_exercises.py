"""One valid call of each operation of the contract, by operationId; those of the runner are in their own file."""
from contract_caller import Caller, exercise
from http_api import FRAMES, frame, frames_of
from processes import wait_until
from roost_fixture import RoostServer, manifest_line, own_properties, sha256

BYTES = "application/octet-stream"

# The server.

@exercise
def get_health(c: Caller) -> None:
    assert c.call("get_health", 200, token="").json["status"] == "ok"


@exercise
def get_prometheus_metrics(c: Caller) -> None:
    text = c.call("get_prometheus_metrics", 200, token="").body.decode()
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    assert lines and all(float(line.rsplit(" ", 1)[1]) is not None for line in lines)
    assert any(line.startswith("roost_") for line in lines)


@exercise
def get_openapi(c: Caller) -> None:
    assert c.call("get_openapi", 200, token="").json["openapi"].startswith("3.")


@exercise
def get_server(c: Caller) -> None:
    answer = c.call("get_server", 200).json
    assert answer["pid"] == c.server.pid and answer["data"] == str(c.server.data)


@exercise
def stop_server(c: Caller) -> None:
    other = RoostServer(c.server.folder / "other").start()
    try:
        Caller(other, c.contract).call("stop_server", 202, json={"keep_runs": False})
        assert other.process.wait(20) == 0
    finally:
        other.close()
    c.accepted.add("stop_server")


# Workspaces and experiments.

@exercise
def list_workspaces(c: Caller) -> None:
    assert "default" in [w["name"] for w in c.call("list_workspaces", 200).json["items"]]


@exercise
def create_workspace(c: Caller) -> None:
    name = c.new_name()
    assert c.call("create_workspace", 201, json={"name": name}).json["name"] == name
    c.call("create_workspace", 409, json={"name": name})


@exercise
def get_workspace(c: Caller) -> None:
    assert c.call("get_workspace", 200, "default").json["name"] == "default"
    c.call("get_workspace", 404, "none-such")


@exercise
def list_experiments(c: Caller) -> None:
    for _ in range(3):
        c.call("create_experiment", 201, "default", json={"name": c.new_name()})
    page = c.call("list_experiments", 200, "default", limit=2).json
    assert len(page["items"]) == 2
    rest = c.call("list_experiments", 200, "default", limit=2, cursor=page["next_cursor"]).json
    assert rest["items"][0]["name"] not in [e["name"] for e in page["items"]]


@exercise
def create_experiment(c: Caller) -> None:
    name = c.new_name()
    made = c.call("create_experiment", 201, "default", json={"name": name}).json
    assert (made["name"], made["run_count"], made["last_run_at"], made["archived"]) == (name, 0, None, False)
    c.call("create_experiment", 409, "default", json={"name": name})


@exercise
def get_experiment(c: Caller) -> None:
    run = c.finished_run()
    experiment = c.call("get_experiment", 200, "default", run["experiment"]).json
    assert experiment["run_count"] >= 1 and experiment["last_run_at"] >= run["created_at"]


@exercise
def update_experiment(c: Caller) -> None:
    name = c.new_name()
    c.call("create_experiment", 201, "default", json={"name": name})
    changed = c.call("update_experiment", 200, "default", name, json={"archived": True, "tags": {"a": "1", "b": "2"}})
    assert changed.json["archived"] and changed.json["tags"] == {"a": "1", "b": "2"}
    changed = c.call("update_experiment", 200, "default", name, json={"remove_tags": ["a"]})
    assert changed.json["archived"] and changed.json["tags"] == {"b": "2"}


# Runs.

@exercise
def list_runs(c: Caller) -> None:
    run = c.finished_run()
    page = c.call("list_runs", 200, "default", experiment=run["experiment"], status=["Completed", "Failed"],
                  tag=["k=v"], name=run["id"][:5], compute="local", created_after=run["created_at"],
                  created_before="2999-01-01T00:00:00Z", limit=10).json
    assert run["id"] in [item["id"] for item in page["items"]]


@exercise
def submit_run(c: Caller) -> None:
    spec = {"experiment": "tests", "command": "true", "display_name": "a name", "compute": "local", "priority": 1,
            "arguments": [], "environment_variables": {"A": "1"}, "node_count": 1, "max_run_duration_seconds": 60,
            "max_retries": 1, "tags": {"a": "b"}, "properties": {"c": "d"},
            "git": {"repository_uri": "u", "branch": "b", "commit": "c", "dirty": True}}
    run = c.call("submit_run", 201, "default", json=spec).json
    for key in ("experiment", "display_name", "priority", "max_retries", "tags", "git"):
        assert run[key] == spec[key]
    assert own_properties(run) == spec["properties"]
    assert c.server.wait(run)["status"] == "Completed"


@exercise
def get_run(c: Caller) -> None:
    run = c.call("get_run", 200, c.finished_run()["id"]).json
    assert (run["exit_code"], run["signal"], run["error"], run["attempt"]) == (0, None, None, 1)
    assert run["started_at"] <= run["ended_at"] and run["durations"]["Running"] >= 0


@exercise
def update_run(c: Caller) -> None:
    run = c.server.run(command="true")
    change = {"tags": {"x": "1"}, "properties": {"y": "2"}, "display_name": "renamed"}
    changed = c.call("update_run", 200, run["id"], json=change).json
    assert (changed["tags"], changed["properties"]["y"], changed["display_name"]) == ({"x": "1"}, "2", "renamed")


@exercise
def cancel_run(c: Caller) -> None:
    run = c.server.submit(command="sleep 60")
    assert c.call("cancel_run", 200, run["id"]).json["status"] in ("CancelRequested", "Finalizing", "Canceled")
    assert c.server.wait(run)["status"] == "Canceled"


@exercise
def list_run_events(c: Caller) -> None:
    events = c.call("list_run_events", 200, c.finished_run()["id"]).json["items"]
    assert events[-1]["to"] == "Completed" and [e["seq"] for e in events] == sorted(e["seq"] for e in events)


@exercise
def follow_run(c: Caller) -> None:
    answer = c.call("follow_run", 200, c.finished_run()["id"], offset=0, log="azureml-logs/70_driver_log.txt")
    assert b'"end"' in answer.body.splitlines()[-1] and b"hello" in answer.body
    for offsets, says in (("0", b"hello"), ("2", b"llo")):
        answer = c.call("follow_run", 200, c.finished_run()["id"], ranks="all", offsets=offsets, live=False, build_offset=0)
        assert b'"rank":0' in answer.body and says in answer.body
    c.call("follow_run", 400, c.finished_run()["id"], ranks="0,7")


@exercise
def list_logs(c: Caller) -> None:
    logs = {log["name"]: log["size"] for log in c.call("list_logs", 200, c.finished_run()["id"]).json["items"]}
    assert logs["azureml-logs/70_driver_log.txt"] == len("hello\n")


@exercise
def get_log(c: Caller) -> None:
    run = c.finished_run()["id"]
    for name in ("azureml-logs/70_driver_log.txt", "user_logs/std_log.txt"):
        assert c.call("get_log", 200, run, name, attempt=1, follow=True).body == b"hello\n"
        assert c.call("get_log", 200, run, name, offset=1, limit=3).body == b"ell"


# Metrics.

@exercise
def list_metrics(c: Caller) -> None:
    found = {m["name"]: m for m in c.call("list_metrics", 200, c.finished_run()["id"]).json["items"]}
    assert (found["loss"]["count"], found["loss"]["min"], found["loss"]["max"], found["loss"]["odd"]) == (100, 0.01, 1, None)
    assert found["nan"]["odd"].keys() == {"count", "step", "at"}
    assert found["nan"]["last"] == "NaN" and found["word"]["last"] == "yes" and found["flag"]["last"] is True
    assert {m["kind"] for m in found.values()} == {"scalar", "list", "row", "table", "confusion_matrix"}


@exercise
def get_metric(c: Caller) -> None:
    run = c.finished_run()["id"]
    points = c.call("get_metric", 200, run, "loss", from_index=1, limit=2).json["points"]
    assert [(p["index"], p["step"], p["value"]) for p in points] == [(1, 1, 1 / 2), (2, 2, 1 / 3)]
    buckets = c.call("get_metric", 200, run, "loss", buckets=7).json["buckets"]
    assert sum(b["count"] for b in buckets) == 100 and len(buckets) <= 7
    for name in ("nan", "inf", "word", "flag", "list", "row", "table", "matrix"):
        c.call("get_metric", 200, run, name)


@exercise
def get_system_metrics(c: Caller) -> None:
    c.call("get_system_metrics", 200, c.finished_run()["id"], buckets=10)


# Artifacts, snapshots, blobs.

@exercise
def list_artifacts(c: Caller) -> None:
    items = c.call("list_artifacts", 200, c.finished_run()["id"], prefix="outputs/").json["items"]
    assert [(i["path"], i["size"], i["digest"]) for i in items] == [
        ("outputs/model.bin", 256, sha256(bytes(range(256))))]


@exercise
def get_artifact(c: Caller) -> None:
    run = c.finished_run()["id"]
    assert c.call("get_artifact", 200, run, "outputs/model.bin").body == bytes(range(256))
    part = c.call("get_artifact", 206, run, "outputs/model.bin", headers={"Range": "bytes=1-3"})
    assert part.body == b"\1\2\3" and part.headers["content-range"] == "bytes 1-3/256"


@exercise
def put_artifact(c: Caller) -> None:
    run = c.server.run(command="true")["id"]
    made = c.call("put_artifact", 201, run, "outputs/a b/ü.txt", data=b"mine", type=BYTES).json
    assert (made["path"], made["size"], made["digest"]) == ("outputs/a b/ü.txt", 4, sha256(b"mine"))
    assert c.call("get_artifact", 200, run, "outputs/a b/ü.txt").body == b"mine"


@exercise
def create_snapshot(c: Caller) -> None:
    content = b"create_snapshot"
    manifest = manifest_line("a/b.txt", content)
    asked = c.call("create_snapshot", 200, data=manifest, type="text/plain").json
    assert asked == {"digest": sha256(manifest), "created": False, "missing": [sha256(content)]}
    c.call("put_blob", 201, sha256(content), data=content, type=BYTES)
    made = c.call("create_snapshot", 200, data=manifest, type="text/plain").json
    assert made == {"digest": sha256(manifest), "created": True, "missing": []}
    assert c.call("create_snapshot", 200, data=manifest, type="text/plain").json == made


@exercise
def get_snapshot(c: Caller) -> None:
    digest = c.server.snapshot({"train.py": "x", "b/c": b""})
    found = c.call("get_snapshot", 200, digest).json
    assert (found["files"], found["size"], [e["path"] for e in found["entries"]]) == (2, 1, ["b/c", "train.py"])


@exercise
def put_blobs(c: Caller) -> None:
    parts = [b"", b"one", b"two" * 1000]
    body = b"".join(frame(part, digest=sha256(part)) for part in parts)
    assert c.call("put_blobs", 200, data=body, type=FRAMES).json == {"stored": 3}


@exercise
def find_missing_blobs(c: Caller) -> None:
    c.call("put_blob", 201, sha256(b"here"), data=b"here", type=BYTES)
    asked = [sha256(b"here"), sha256(b"not here")]
    assert c.call("find_missing_blobs", 200, json={"digests": asked}).json == {"missing": asked[1:]}


@exercise
def fetch_blobs(c: Caller) -> None:
    parts = {sha256(part): part for part in (b"f1", b"f2" * 1000, b"")}
    for digest, part in parts.items():
        c.call("put_blob", 201, digest, data=part, type=BYTES)
    answer = c.call("fetch_blobs", 200, json={"digests": list(parts)})
    assert {header["digest"]: payload for header, payload in frames_of(answer.body)} == parts


@exercise
def collect_blobs(c: Caller) -> None:
    digest = sha256(b"garbage")
    c.call("put_blob", 201, digest, data=b"garbage", type=BYTES)
    c.call("collect_blobs", 202, json={"grace_seconds": 0, "verify": True})
    c.server.collect_garbage()
    assert c.call("get_blob", 200, digest).body == b"garbage", "stored just now: somebody may be about to name it"
    assert c.server.artifact(c.finished_run(), "outputs/model.bin") == bytes(range(256))


@exercise
def get_collection(c: Caller) -> None:
    begun = c.call("collect_blobs", 202, json={}).json
    assert c.call("get_collection", 200).json["id"] == begun["id"]


@exercise
def get_blob(c: Caller) -> None:
    c.call("put_blob", 201, sha256(b"0123456789"), data=b"0123456789", type=BYTES)
    assert c.call("get_blob", 200, sha256(b"0123456789")).body == b"0123456789"
    part = c.call("get_blob", 206, sha256(b"0123456789"), headers={"Range": "bytes=4-"})
    assert part.body == b"456789" and part.headers["content-range"] == "bytes 4-9/10"


@exercise
def put_blob(c: Caller) -> None:
    content = b"put_blob" * 1000
    assert c.call("put_blob", 201, sha256(content), data=content, type=BYTES, offset=0).json == {
        "digest": sha256(content), "size": len(content)}


@exercise
def get_blob_upload(c: Caller) -> None:
    assert c.call("get_blob_upload", 200, sha256(b"never sent"), wait_seconds=1).json == {
        "stored": False, "active": False, "received": 0}


# Computes.

@exercise
def list_computes(c: Caller) -> None:
    names = [compute["name"] for compute in c.call("list_computes", 200, "default").json["items"]]
    assert "local" in names


@exercise
def create_compute(c: Caller) -> None:
    name = c.new_name()
    wanted = {"name": name, "vm_size": "STANDARD_NC6", "vm_priority": "lowpriority", "min_nodes": 0, "max_nodes": 3,
              "idle_seconds_before_scaledown": 60, "max_nodes_per_user": 2, "max_runs_per_user": 5}
    made = c.call("create_compute", 201, "default", json=wanted).json
    assert {key: made[key] for key in wanted} == wanted
    assert (made["provisioning_state"], made["current_node_count"]) == ("Succeeded", 0)
    c.call("create_compute", 409, "default", json=wanted)


@exercise
def get_compute(c: Caller) -> None:
    name = c.new_name()
    c.call("create_compute", 201, "default", json={"name": name})
    found = c.call("get_compute", 200, "default", name).json
    assert (found["max_nodes"], found["vm_priority"], found["idle_seconds_before_scaledown"]) == (4, "dedicated", 120)


@exercise
def update_compute(c: Caller) -> None:
    name = c.new_name()
    c.call("create_compute", 201, "default", json={"name": name})
    change = {"min_nodes": 0, "max_nodes": 2, "idle_seconds_before_scaledown": 5, "max_nodes_per_user": 1,
              "max_runs_per_user": 0}
    changed = c.call("update_compute", 200, "default", name, json=change).json
    assert {key: changed[key] for key in change} == change and changed["modified_at"] >= changed["created_at"]


@exercise
def list_queue(c: Caller) -> None:
    name = c.new_name()
    c.call("create_compute", 201, "default", json={"name": name, "max_nodes": 1})
    runs = [c.server.submit(command="sleep 60", compute=name) for _ in range(3)]
    c.server.wait(runs[0], "Running")
    page = c.call("list_queue", 200, "default", compute=name, mine=True, running=True, limit=2).json
    rest = c.call("list_queue", 200, "default", compute=name, running=True, limit=2, cursor=page["next_cursor"]).json
    assert [item["run"] for item in page["items"] + rest["items"]] == [run["id"] for run in runs]
    assert page["items"][0]["node_names"] and rest["next_cursor"] is None
    (last,) = c.call("list_queue", 200, "default", run=runs[2]["id"], user=runs[2]["created_by"]).json["items"]
    assert (last["position"], last["reason"]) == (2, "behind 1 run")
    c.call("list_queue", 404, "default", compute="none-such")
    for run in runs:
        c.server.api("POST", f"/runs/{run['id']}/cancel")
    c.server.wait(runs[0])


@exercise
def delete_compute(c: Caller) -> None:
    name = c.new_name()
    c.call("create_compute", 201, "default", json={"name": name})
    assert c.call("delete_compute", 202, "default", name).json["name"] == name
    c.call("get_compute", 404, "default", name)
    c.call("create_compute", 201, "default", json={"name": name})
    c.call("delete_compute", 202, "default", name, drain=True)


@exercise
def preempt_nodes(c: Caller) -> None:
    name = c.new_name()
    c.call("create_compute", 201, "default", json={"name": name, "vm_priority": "lowpriority"})
    assert c.call("preempt_nodes", 202, "default", name, json={}).json == {"nodes": [], "runs": []}
    c.call("preempt_nodes", 404, "default", name, json={"node": "no-such-node"})
    c.call("preempt_nodes", 409, "default", "local", json={})


@exercise
def list_nodes(c: Caller) -> None:
    run = c.server.submit(command="sleep 60")
    c.server.wait(run, "Running")
    nodes = c.call("list_nodes", 200, "default", "local").json["items"]
    assert [node["state"] for node in nodes if node["run"] == run["id"]] == ["running"]
    c.server.cancel(run)
    c.server.wait(run)


@exercise
def list_vm_sizes(c: Caller) -> None:
    sizes = {size["name"].upper(): size for size in c.call("list_vm_sizes", 200).json["items"]}
    assert sizes["STANDARD_NC6"]["gpus"] == 1 and sizes["STANDARD_NC6"]["cpus"] == 6


# Tokens.

@exercise
def list_tokens(c: Caller) -> None:
    made = c.call("create_token", 201, json={"name": "listed", "role": "reader"}).json
    found = c.call("list_tokens", 200)
    assert made["id"] in [token["id"] for token in found.json["items"]]
    assert made["token"].encode() not in found.body


@exercise
def create_token(c: Caller) -> None:
    made = c.call("create_token", 201, json={"name": "x", "role": "contributor", "expires_in_seconds": 60}).json
    assert made["expires_at"] > made["created_at"]
    c.call("list_runs", 200, "default", token=made["token"])


@exercise
def revoke_token(c: Caller) -> None:
    made = c.call("create_token", 201, json={"name": "x", "role": "reader"}).json
    c.call("get_server", 200, token=made["token"])
    assert c.call("revoke_token", 200, made["id"]).json == {"id": made["id"], "revoked": True}
    c.call("get_server", 401, token=made["token"])


@exercise
def take_stacks(c: Caller) -> None:
    run = c.server.wait(c.server.submit("import time; time.sleep(60)"), "Running")
    try:
        def python_answers() -> bool:
            items = c.call("take_stacks", 200, run["id"]).json["items"]
            return any("time.sleep" in item["stack"] or "train.py" in item["stack"] for item in items)

        wait_until(python_answers, 20, "the script shows where it is")
    finally:
        c.server.expect(200, "POST", f"/runs/{run['id']}/cancel")
        c.server.wait(run)
    c.call("take_stacks", 409, run["id"])
