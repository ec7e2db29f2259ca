"""One valid call of each operation on models, environments and data, and of those that report to a run."""
import subprocess
from typing import Any, Dict

from contract_caller import Caller, exercise
from processes import wait_until
from roost_fixture import manifest_line, sha256

BYTES = "application/octet-stream"


def stored_file(c: Caller, content: bytes) -> str:
    c.call("put_blob", 201, sha256(content), data=content, type=BYTES)
    return sha256(content)


def stored_manifest(c: Caller, path: str, content: bytes) -> str:
    stored_file(c, content)
    manifest = manifest_line(path, content)
    assert c.call("create_snapshot", 200, data=manifest, type="text/plain").json["created"]
    return sha256(manifest)


def new_model(c: Caller, **more: Any) -> Dict[str, Any]:
    name = c.new_name()
    content = stored_manifest(c, "model.bin", name.encode())
    return c.call("register_model", 201, "default", json={"name": name, "content": content, **more}).json


def interactive(c: Caller) -> Dict[str, Any]:
    return c.call("submit_run", 201, "default", json={"experiment": "talk", "interactive": True}).json


# Runs that report from elsewhere.

@exercise
def complete_run(c: Caller) -> None:
    run = interactive(c)
    assert (run["status"], run["type"]) == ("Running", "interactive")
    assert c.call("complete_run", 200, run["id"]).json["status"] == "Completed"
    c.call("complete_run", 409, run["id"])


@exercise
def fail_run(c: Caller) -> None:
    run = interactive(c)
    failed = c.call("fail_run", 200, run["id"], json={"message": "no data", "code": "E1"}).json
    assert (failed["status"], failed["error"]["code"], failed["error"]["message"]) == ("Failed", "E1", "no data")
    c.call("fail_run", 409, run["id"], json={})


@exercise
def hear_run(c: Caller) -> None:
    run = interactive(c)
    answer = c.call("hear_run", 200, run["id"], json={}).json
    assert answer["status"] == "Running" and answer["next_seconds"] > 0
    c.call("complete_run", 200, run["id"])
    assert c.call("hear_run", 200, run["id"], json={}).json["status"] == "Completed"


@exercise
def append_records(c: Caller) -> None:
    run = interactive(c)["id"]
    lines = b'["scalar","loss",0.5,null,1]\n["tag","kind","x",null,1]\n'
    for _ in range(2):  # the second time nothing is stored twice
        answer = c.call("append_records", 200, run, data=lines, type="text/plain", stream="me", offset=0).json
        assert answer == {"length": len(lines), "skipped": 0}
    metric = c.call("get_metric", 200, run, "loss").json
    assert (metric["count"], c.call("get_run", 200, run).json["tags"]) == (1, {"kind": "x"})


# Models.

@exercise
def list_models(c: Caller) -> None:
    first = new_model(c, tags={"stage": "list"})
    second = c.call("register_model", 201, "default", json={"name": first["name"], "content": first["content"]}).json
    assert [m["version"] for m in c.call("list_models", 200, "default", name=first["name"]).json["items"]] == [2, 1]
    latest = c.call("list_models", 200, "default", name=first["name"], latest=True).json["items"]
    assert latest == [second]
    page = c.call("list_models", 200, "default", name=first["name"], limit=1).json
    rest = c.call("list_models", 200, "default", name=first["name"], limit=1, cursor=page["next_cursor"]).json
    assert page["items"] + rest["items"] == [second, first] and rest["next_cursor"] is None
    assert c.call("list_models", 200, "default", tag=["stage=list"]).json["items"] == [first]


@exercise
def register_model(c: Caller) -> None:
    run = c.finished_run()
    body = {"name": c.new_name(), "run": run["id"], "path": "outputs/model.bin", "tags": {"a": "b"},
            "framework": "PyTorch", "framework_version": "2.0", "datasets": [{"name": "birds"}]}
    model = c.call("register_model", 201, "default", json=body).json
    assert (model["run"], model["snapshot"], model["files"], model["size"]) == (run["id"], run["snapshot"], 1, 256)
    entries = c.call("get_snapshot", 200, model["content"]).json["entries"]
    assert [e["path"] for e in entries] == ["model.bin"]
    c.call("register_model", 404, "default", json={"name": "x", "run": run["id"], "path": "outputs/none"})
    c.call("register_model", 409, "default", json={"name": "x", "content": "0" * 64})


@exercise
def get_model(c: Caller) -> None:
    model = new_model(c)
    assert c.call("get_model", 200, "default", model["name"]).json == model
    assert c.call("get_model", 200, "default", model["name"], version=1).json == model
    c.call("get_model", 404, "default", model["name"], version=2)


@exercise
def update_model(c: Caller) -> None:
    model = new_model(c, tags={"old": "1"})
    change = {"tags": {"new": None}, "remove_tags": ["old"], "properties": {"p": "q"}, "description": "mine"}
    changed = c.call("update_model", 200, "default", model["name"], 1, json=change).json
    assert (changed["tags"], changed["properties"], changed["description"]) == ({"new": None}, {"p": "q"}, "mine")
    c.call("update_model", 409, "default", model["name"], 1, json={"properties": {"p": "other"}})


@exercise
def delete_model(c: Caller) -> None:
    model = new_model(c)
    assert c.call("delete_model", 200, "default", model["name"], 1).json == model
    c.call("delete_model", 404, "default", model["name"], 1)


# Environments.

@exercise
def list_environments(c: Caller) -> None:
    names = [e["name"] for e in c.call("list_environments", 200, "default").json["items"]]
    assert "AzureML-PyTorch-1.6-GPU" in names


@exercise
def register_environment(c: Caller) -> None:
    name = c.new_name()
    for version, definition in [("1", {"a": 1}), ("1", {"a": 1}), ("2", {"a": 2})]:
        made = c.call("register_environment", 201, "default", json={"name": name, "definition": definition}).json
        assert (made["version"], made["definition"]) == (version, definition)
    assert len(c.call("list_environments", 200, "default", name=name).json["items"]) == 2
    c.call("register_environment", 409, "default", json={"name": "AzureML-mine", "definition": {}})


@exercise
def get_environment(c: Caller) -> None:
    found = c.call("get_environment", 200, "default", "azureml-pytorch-1.6-gpu").json
    assert found["curated"] and found["alias_of"] == "roost-pytorch" and "roost-pytorch" in found["notice"]
    c.call("get_environment", 404, "default", "nobodys")


# Data.

@exercise
def list_datastores(c: Caller) -> None:
    stores = c.call("list_datastores", 200, "default").json["items"]
    assert [s["name"] for s in stores if s["is_default"]] == ["workspaceblobstore"]


@exercise
def register_datastore(c: Caller) -> None:
    name = c.new_name()
    body = {"name": name, "type": "AzureBlob", "properties": {"container_name": "c"}}
    assert c.call("register_datastore", 201, "default", json=body).json["properties"] == {"container_name": "c"}
    c.call("register_datastore", 409, "default", json={"name": "workspaceblobstore"})


@exercise
def get_datastore(c: Caller) -> None:
    assert c.call("get_datastore", 200, "default", "workspacefilestore").json["type"] == "AzureFile"
    c.call("get_datastore", 404, "default", "none-such")


@exercise
def delete_datastore(c: Caller) -> None:
    name = c.call("register_datastore", 201, "default", json={"name": c.new_name()}).json["name"]
    assert c.call("delete_datastore", 200, "default", name).json["name"] == name
    c.call("get_datastore", 404, "default", name)
    c.call("delete_datastore", 409, "default", "workspaceblobstore")


def add_file(c: Caller, path: str, content: bytes) -> Dict[str, Any]:
    file = {"path": path, "size": len(content), "digest": stored_file(c, content)}
    return c.call("add_datastore_files", 200, "default", "workspaceblobstore", json={"files": [file]}).json


@exercise
def list_datastore_files(c: Caller) -> None:
    for name in ("a", "b", "c"):
        add_file(c, f"listed/{name}.txt", name.encode())
    page = c.call("list_datastore_files", 200, "default", "workspaceblobstore", prefix="listed", limit=2).json
    rest = c.call("list_datastore_files", 200, "default", "workspaceblobstore", prefix="listed", limit=2,
                  cursor=page["next_cursor"]).json
    assert [f["path"] for f in page["items"] + rest["items"]] == ["listed/a.txt", "listed/b.txt", "listed/c.txt"]


@exercise
def add_datastore_files(c: Caller) -> None:
    assert add_file(c, "added.txt", b"one") == {"added": 1, "skipped": 0}
    assert add_file(c, "added.txt", b"one") == {"added": 0, "skipped": 1}
    missing = {"files": [{"path": "x", "size": 1, "digest": "1" * 64}]}
    c.call("add_datastore_files", 409, "default", "workspaceblobstore", json=missing)


@exercise
def delete_datastore_files(c: Caller) -> None:
    add_file(c, "gone/a.txt", b"a")
    gone = c.call("delete_datastore_files", 200, "default", "workspaceblobstore", prefix="gone").json
    assert gone == {"removed": 1}


def new_dataset(c: Caller) -> Dict[str, Any]:
    body = {"name": c.new_name(), "definition": {"paths": ["birds"]}, "description": "d", "tags": {"k": "v"}}
    return c.call("register_dataset", 201, "default", json=body).json


@exercise
def list_datasets(c: Caller) -> None:
    made = new_dataset(c)
    assert made in c.call("list_datasets", 200, "default").json["items"]
    assert c.call("list_datasets", 200, "default", name=made["name"]).json["items"] == [made]


@exercise
def register_dataset(c: Caller) -> None:
    made = new_dataset(c)
    other = {"name": made["name"], "definition": {"paths": ["fish"]}}
    c.call("register_dataset", 409, "default", json=other)
    assert c.call("register_dataset", 201, "default", json={**other, "create_new_version": True}).json["version"] == 2


@exercise
def get_dataset(c: Caller) -> None:
    made = new_dataset(c)
    for key in ("name", "id"):
        assert c.call("get_dataset", 200, "default", made[key]).json == made
    c.call("get_dataset", 404, "default", made["name"], version=9)


@exercise
def delete_dataset(c: Caller) -> None:
    made = new_dataset(c)
    assert c.call("delete_dataset", 200, "default", made["name"]).json == made
    c.call("get_dataset", 404, "default", made["name"])


# Builds of environments. An environment of nothing but a version of Python needs no package index.

def own_version(c: Caller) -> str:
    python = c.call("get_server", 200).json["python"]
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    return subprocess.run([python, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def build(c: Caller, condition: str) -> Dict[str, Any]:
    name = c.new_name()
    definition = {"python": {"condaDependencies": {"dependencies": [f"python{condition}"]}}}
    c.call("register_environment", 201, "default", json={"name": name, "definition": definition})
    return c.call("build_environment", 202, "default", name, json={"pins": "strict"}).json


def finished(c: Caller, started: Dict[str, Any]) -> Dict[str, Any]:
    def ended() -> bool:
        state = c.call("get_environment_build", 200, started["digest"]).json
        return state["status"] in ("built", "failed")
    wait_until(ended, 60, "the build has ended")
    return c.call("get_environment_build", 200, started["digest"]).json


@exercise
def build_environment(c: Caller) -> None:
    assert build(c, "")["status"] == "nothing_to_build"
    started = build(c, "=" + own_version(c))
    assert started["status"] in ("queued", "built")
    built = finished(c, started)
    assert built["status"] == "built" and built["environment"]["builder"] == "venv", built
    assert build(c, "=" + own_version(c))["status"] == "built", "the name does not count"
    c.call("build_environment", 404, "default", "nobodys", json={})


@exercise
def get_environment_build(c: Caller) -> None:
    failed = finished(c, build(c, "=1.0.1"))
    assert failed["status"] == "failed" and "python=1.0.1" in failed["message"], failed
    c.call("get_environment_build", 404, "0" * 64)


@exercise
def get_environment_build_log(c: Caller) -> None:
    failed = finished(c, build(c, "=1.0.2"))
    assert "python=1.0.2" in c.call("get_environment_build_log", 200, failed["digest"]).body.decode()


@exercise
def list_environment_builds(c: Caller) -> None:
    built = finished(c, build(c, "==" + own_version(c) + ".*"))
    assert built["environment"]["digest"] in [e["digest"] for e in c.call("list_environment_builds", 200).json["items"]]


@exercise
def delete_environment_build(c: Caller) -> None:
    built = finished(c, build(c, ">=" + own_version(c)))
    assert c.call("delete_environment_build", 200, built["digest"]).json == {"removed": 1}
    c.call("delete_environment_build", 404, built["digest"])


@exercise
def prune_environment_builds(c: Caller) -> None:
    finished(c, build(c, ">=" + own_version(c) + ",<99"))
    kept = c.call("prune_environment_builds", 200, json={"unused_seconds": 3600}).json
    assert kept["removed"] == 0 and kept["kept_bytes"] > 0
    assert c.call("prune_environment_builds", 200, json={}).json["kept_bytes"] == 0
