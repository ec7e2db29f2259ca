"""Calls of endpoints: most of one without a deployment, which starts nothing."""
from typing import Any, Dict

from contract_caller import Caller, exercise
from contract_registry_exercises import new_model, stored_manifest
from processes import wait_until

SCORE = b"""
import os
print("token", os.environ["AZUREML_RUN_TOKEN"], flush=True)
def init(): pass
def run(data): return data
"""


def new_endpoint(c: Caller, **more: Any) -> Dict[str, Any]:
    return c.call("create_endpoint", 201, "default", json={"name": c.new_name(), **more}).json


def code(c: Caller) -> Dict[str, Any]:
    return {"snapshot": stored_manifest(c, "score.py", SCORE), "entry_script": "score.py"}


def end(c: Caller, endpoint: Dict[str, Any]) -> None:
    c.call("delete_endpoint", 200, "default", endpoint["name"])


@exercise
def create_endpoint(c: Caller) -> None:
    made = new_endpoint(c, auth="none", tags={"a": "b"}, settings={"cpu_cores": 1})
    assert (made["state"], made["auth"], made["deployments"], made["traffic"]) == ("Healthy", "none", [], {})
    c.call("create_endpoint", 409, "default", json={"name": made["name"]})
    again = c.call("create_endpoint", 201, "default", json={"name": made["name"], "overwrite": True}).json
    assert again["revision"] == made["revision"] + 1
    end(c, made)
    c.call("create_endpoint", 404, "nowhere", json={"name": "birds"})
    c.call("create_endpoint", 404, "default", json={"name": "birds", "deployments": [{"models": ["no-such-model"]}]})
    model = new_model(c)
    answer = c.call("create_endpoint", 400, "default", json={"name": "birds", "deployments": [{"models": [model["id"]]}]})
    assert "cannot be served without code" in answer.json["error"]["message"]


@exercise
def list_endpoints(c: Caller) -> None:
    made = new_endpoint(c)
    assert made["name"] in [one["name"] for one in c.call("list_endpoints", 200, "default").json["endpoints"]]
    end(c, made)


@exercise
def get_endpoint(c: Caller) -> None:
    made = new_endpoint(c)
    assert c.call("get_endpoint", 200, "default", made["name"]).json["slug"] == made["slug"]
    end(c, made)
    c.call("get_endpoint", 404, "default", made["name"])


@exercise
def update_endpoint(c: Caller) -> None:
    made = new_endpoint(c, tags={"a": "b"})
    changed = c.call("update_endpoint", 200, "default", made["name"], json={"tags": {"c": "d"}, "auth": "none"}).json
    assert (changed["tags"], changed["auth"]) == ({"c": "d"}, "none")
    c.call("update_endpoint", 400, "default", made["name"], json={"traffic": {"blue": 100}})
    end(c, made)


@exercise
def delete_endpoint(c: Caller) -> None:
    made = new_endpoint(c)
    end(c, made)
    c.call("delete_endpoint", 404, "default", made["name"])


@exercise
def set_deployment(c: Caller) -> None:
    made = new_endpoint(c)
    changed = c.call("set_deployment", 200, "default", made["name"], "blue", json={"code": code(c)}).json
    assert (changed["deployments"][0]["runtime"], changed["traffic"], changed["default"]) == ("python", {"blue": 100}, "blue")
    c.call("set_deployment", 400, "default", made["name"], "green", json={"models": []})
    end(c, made)


@exercise
def delete_deployment(c: Caller) -> None:
    made = new_endpoint(c, deployments=[{"name": name, "code": code(c)} for name in ("blue", "green")])
    c.call("delete_deployment", 409, "default", made["name"], "blue")
    left = c.call("delete_deployment", 200, "default", made["name"], "green").json
    assert [one["name"] for one in left["deployments"]] == ["blue"]
    c.call("delete_deployment", 404, "default", made["name"], "green")
    end(c, made)


@exercise
def roll_back_endpoint(c: Caller) -> None:
    made = new_endpoint(c, description="first")
    c.call("roll_back_endpoint", 409, "default", made["name"], json={})
    c.call("update_endpoint", 200, "default", made["name"], json={"description": "second"})
    assert c.call("roll_back_endpoint", 200, "default", made["name"], json={}).json["description"] == "first"
    assert c.call("roll_back_endpoint", 200, "default", made["name"], json={"revision": 2}).json["description"] == "second"
    end(c, made)


@exercise
def restart_endpoint(c: Caller) -> None:
    made = new_endpoint(c)
    assert c.call("restart_endpoint", 200, "default", made["name"], json={}).json["revision"] == 2
    c.call("restart_endpoint", 404, "default", made["name"], json={"deployment": "blue"})
    end(c, made)


@exercise
def list_endpoint_revisions(c: Caller) -> None:
    made = new_endpoint(c)
    c.call("update_endpoint", 200, "default", made["name"], json={"description": "other"})
    revisions = c.call("list_endpoint_revisions", 200, "default", made["name"]).json["revisions"]
    assert [one["why"] for one in revisions] == ["updated", "created"]
    end(c, made)


@exercise
def get_endpoint_keys(c: Caller) -> None:
    made = new_endpoint(c, primary_key="a-key-of-mine")
    keys = c.call("get_endpoint_keys", 200, "default", made["name"]).json
    assert keys["primary"] == "a-key-of-mine" and len(keys["secondary"]) >= 32
    end(c, made)


@exercise
def renew_endpoint_key(c: Caller) -> None:
    made = new_endpoint(c)
    keys = c.call("get_endpoint_keys", 200, "default", made["name"]).json
    renewed = c.call("renew_endpoint_key", 200, "default", made["name"], json={"key": "primary"}).json
    assert renewed["primary"] != keys["primary"] and renewed["secondary"] == keys["secondary"]
    end(c, made)


@exercise
def make_endpoint_token(c: Caller) -> None:
    made = new_endpoint(c)
    token = c.call("make_endpoint_token", 200, "default", made["name"]).json
    assert len(token["token"]) >= 32 and token["refresh_after"] < token["expires_at"]
    end(c, made)


@exercise
def get_endpoint_logs(c: Caller) -> None:
    made = new_endpoint(c)
    assert c.call("get_endpoint_logs", 200, "default", made["name"], lines=10).json == {"text": "", "replica": None}
    end(c, made)


@exercise
def get_endpoint_statistics(c: Caller) -> None:
    made = new_endpoint(c)
    assert c.call("get_endpoint_statistics", 200, "default", made["name"]).json["deployments"] == []
    end(c, made)


@exercise
def beat_replica(c: Caller) -> None:
    made = new_endpoint(c, deployments=[{"code": code(c)}])

    def printed() -> str:
        return str(c.call("get_endpoint_logs", 200, "default", made["name"]).json["text"])

    wait_until(lambda: "token " in printed(), 60, "the replica to print its token")
    token = printed().split("token ")[1].split()[0]
    deployment = c.call("get_endpoint", 200, "default", made["name"]).json["deployments"][0]
    run = deployment["replicas_now"][0]["run"]
    beat = {"state": "ready", "address": "127.0.0.1", "port": 1, "key": "k", "load": {"in_flight": 0}}
    assert c.call("beat_replica", 200, run, json=beat, token=token).json == {"stop": False}
    c.call("beat_replica", 403, run, json=beat)
    end(c, made)
