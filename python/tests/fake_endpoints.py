"""Endpoints as /api/v1 has them, in memory, beside a FakeApi; each scores as `answer` says."""

import hashlib
import json

from fake_api import refusal

AT = "2026-11-18T12:00:00.000000Z"
HOME = "/api/v1/workspaces/default"


class FakeEndpoints:
    def __init__(self, api):
        self.api = api
        self.all = {}
        self.keys = {}
        self.models = {}
        self.environments = []
        self.computes = {}
        self.manifests = []
        self.looks = 1  # how often a service is looked at before it is what it will be
        self.ends_as = "Healthy"
        self.error = None
        self.log = "log of the replica\n"
        self.answer = lambda asked: {"echo": asked.body.decode()}
        one = f"{HOME}/endpoints/([^/]+)"
        api.patterns += [
            (f"POST {HOME}/endpoints", self.create),
            (f"GET {HOME}/endpoints", lambda asked: {"endpoints": list(self.all.values())}),
            (f"GET {one}", self.get),
            (f"PATCH {one}", self.update),
            (f"DELETE {one}", self.delete),
            (f"PUT {one}/deployments/([^/]+)", self.put),
            (f"DELETE {one}/deployments/([^/]+)", self.remove),
            (f"POST {one}/restart", self.restart),
            (f"GET {one}/keys", lambda asked, name: self.keys[name]),
            (f"POST {one}/keys", self.renew),
            (f"POST {one}/token", self.token),
            (f"GET {one}/logs", lambda asked, name: {"text": self.log, "replica": None}),
            ("POST /endpoints/([^/]+)/score", self.score),
            ("GET /api/v1/server", lambda asked: {"pid": 1}),
            ("POST /api/v1/snapshots", self.snapshot),
            (f"POST {HOME}/environments", self.environment),
            (f"POST {HOME}/environments/([^/]+)/build", lambda asked, name: {"status": "built"}),
            (f"POST {HOME}/models", self.register),
            (f"GET {HOME}/models", self.list_models),
            (f"GET {HOME}/models/([^/]+)", self.model),
            (f"PATCH {HOME}/models/([^/]+)/versions/([^/]+)", self.change_model),
            (f"DELETE {HOME}/models/([^/]+)/versions/([^/]+)", self.delete_model),
            (f"POST {HOME}/computes", self.create_compute),
            (f"GET {HOME}/computes/([^/]+)", lambda asked, name: self.computes[name]),
        ]

    # Endpoints.

    def create(self, asked):
        body = asked.json
        if body["name"] in self.all and not body.get("overwrite"):
            return refusal(409, "already_exists", "there is an endpoint already")
        base = f"{self.api.url}/endpoints/{body['name']}"
        facts = {
            "kind": "roost",
            "description": "",
            "tags": {},
            "properties": {},
            "settings": {},
            "compute": "endpoints",
            "auth": "none",
            "port": None,
            "shadow": {},
            **body,
            "base_uri": base,
            "scoring_uri": f"{base}/score",
            "swagger_uri": f"{base}/swagger.json",
            "default": body.get("default") or body["deployments"][0]["name"],
            "revision": 1,
            "created_at": AT,
            "updated_at": AT,
            "created_by": "owner",
        }
        facts["deployments"] = [self.told(one["name"], one) for one in body["deployments"]]
        facts["traffic"] = {facts["default"]: 100}
        self.keys[body["name"]] = {
            "primary": body.get("primary_key") or "first-key",
            "secondary": body.get("secondary_key") or "second-key",
        }
        for name in ("overwrite", "primary_key", "secondary_key"):
            facts.pop(name, None)
        self.all[body["name"]] = facts
        return 201, self.begin(facts)

    def told(self, name, deployment):
        models = [
            {"id": id, "name": id.split(":")[0], "version": int(id.split(":")[1])}
            for id in deployment.get("models") or []
        ]
        return {
            "replicas": {"min": 1, "max": 1, "target_utilization": 70, "idle_seconds": 300},
            "workers": 1,
            "max_concurrent_requests": None,
            "runtime": "python",
            "environment": {},
            "environment_variables": {},
            **deployment,
            "name": name,
            "models": models,
            "revision": 1,
            "ready": 1,
            "replicas_now": [],
            "state": "Healthy",
            "error": None,
        }

    def begin(self, facts):
        facts["state"], facts["error"] = "Transitioning", None
        facts["steps"] = [{"at": AT, "text": "Registering the environment."}]
        facts["looked"] = 0
        return facts

    def get(self, asked, name):
        if name not in self.all:
            return refusal(404, "not_found", f"there is no endpoint {name}")
        facts = self.all[name]
        facts["looked"] += 1
        if facts["looked"] > self.looks and facts["state"] == "Transitioning":
            facts["state"], facts["error"] = self.ends_as, self.error
            facts["steps"].append(
                {"at": AT, "text": f"Checking the status of inference endpoint {name}."}
            )
        return facts

    def update(self, asked, name):
        facts = self.all[name]
        for key, value in asked.json.items():
            if key in ("properties", "settings"):
                facts[key] = {**facts[key], **value}
            elif key not in ("primary_key", "secondary_key"):
                facts[key] = value
        return facts

    def delete(self, asked, name):
        if name not in self.all:
            return refusal(404, "not_found")
        self.all.pop(name)
        return {}

    def put(self, asked, name, deployment):
        facts = self.all[name]
        others = [one for one in facts["deployments"] if one["name"] != deployment]
        facts["deployments"] = [*others, self.told(deployment, asked.json)]
        return self.begin(facts)

    def remove(self, asked, name, deployment):
        facts = self.all[name]
        facts["deployments"] = [one for one in facts["deployments"] if one["name"] != deployment]
        return facts

    def restart(self, asked, name):
        return self.begin(self.all[name])

    def renew(self, asked, name):
        self.keys[name][asked.json["key"]] = asked.json["value"] or "a-new-key"
        return self.keys[name]

    def token(self, asked, name):
        self.keys[name]["token"] = "a-token"
        after, end = "2026-11-18T18:00:00.000000Z", "2026-11-19T00:00:00.000000Z"
        return {"token": "a-token", "refresh_after": after, "expires_at": end}

    def score(self, asked, name):
        facts = self.all[name]
        wanted = [f"Bearer {key}" for key in self.keys[name].values()]
        if facts["auth"] != "none" and asked.headers.get("Authorization") not in wanted:
            return 401, {"message": "no"}
        return self.answer(asked)

    # What is deployed.

    def snapshot(self, asked):
        self.manifests.append(asked.body.decode())
        return {"digest": hashlib.sha256(asked.body).hexdigest(), "missing": []}

    def environment(self, asked):
        self.environments.append(asked.json)
        return {**asked.json, "version": "1", "notice": None, "curated": False}

    def add_model(self, name, framework=None, **facts):
        version = max([0, *(known[1] for known in self.models if known[0] == name)]) + 1
        self.models[name, version] = {
            "name": name,
            "version": version,
            "id": f"{name}:{version}",
            "tags": {},
            "properties": {},
            "framework": framework,
            "created_at": AT,
            "content": "0" * 64,
            **facts,
        }
        return self.models[name, version]

    def register(self, asked):
        body = dict(asked.json)
        return 201, self.add_model(body.pop("name"), body.pop("framework", None), **body)

    def list_models(self, asked):
        framework = asked.query.get("framework")
        found = [
            facts
            for facts in reversed(list(self.models.values()))
            if framework in (None, [facts["framework"]])
        ]
        return {"items": found, "next_cursor": None}

    def model(self, asked, name):
        versions = [known[1] for known in self.models if known[0] == name]
        version = int(asked.query.get("version", [max(versions, default=0)])[0])
        if (name, version) not in self.models:
            return refusal(404, "not_found", f"there is no model {name}")
        return self.models[name, version]

    def change_model(self, asked, name, version):
        facts = self.models[name, int(version)]
        for key in asked.json.get("remove_tags") or []:
            facts["tags"].pop(key, None)
        facts["tags"] = {**facts["tags"], **(asked.json.get("tags") or {})}
        return facts

    def delete_model(self, asked, name, version):
        return self.models.pop((name, int(version)))

    def create_compute(self, asked):
        counts = ("preparing", "running", "idle", "unusable", "leaving", "preempted")
        self.computes[asked.json["name"]] = {
            "type": "AmlCompute",
            "provisioning_state": "Succeeded",
            "created_at": AT,
            "modified_at": AT,
            "current_node_count": 0,
            "target_node_count": 0,
            "node_state_counts": dict.fromkeys(counts, 0),
            **asked.json,
        }
        return 201, self.computes[asked.json["name"]]

    # What was asked.

    def sent(self, name):
        """The last body that was posted for an endpoint."""
        bodies = [asked.json for asked in self.api.calls(f"POST {HOME}/endpoints")]
        return [body for body in bodies if body["name"] == name][-1]

    def files(self):
        """The paths of the last snapshot."""
        return sorted(json.loads(line)[0] for line in self.manifests[-1].splitlines())
