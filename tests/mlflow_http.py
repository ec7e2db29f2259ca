"""Calls MLflow's REST API as a client would, with the standard library only."""
import base64
import json
import re
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple
from urllib.parse import urlencode

from http_api import Answer, strict_json
from roost_fixture import RoostServer

# Method, path and who may, of the calls that carry files.
NEEDS_OF_FILES = [("GET", "artifacts", "reader, run"), ("GET", "artifacts/0/{run}/artifacts/x", "reader, run"),
                  ("PUT", "artifacts/0/{run}/artifacts/x", "contributor, run"),
                  ("DELETE", "artifacts/0/{run}/artifacts/x", "contributor, run"),
                  ("GET", "presigned/0/none/artifacts/x", "reader, run"),
                  ("POST", "mpu/create/0/none/artifacts/x", "contributor, run")]


def documented() -> List[Tuple[str, str, str, str]]:
    """Method, path, who may, and whether it is there, as docs/mlflow.md says."""
    page = (Path(__file__).resolve().parent.parent / "docs/mlflow.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([A-Z]+) ([\w/-]+)` \| ([\w, ]*) \| (same|different|absent) \|", page, re.M)
    assert len(rows) > 55
    return rows


class Mlflow:
    def __init__(self, server: RoostServer, workspace: str = "", token: Optional[str] = None) -> None:
        self.server = server
        self.base = f"/mlflow/{workspace}" if workspace else ""
        self.token = token

    def send(self, method: str, path: str, fields: Optional[Dict[str, Any]] = None, body: Optional[bytes] = None,
             content_type: str = "application/json", api: str = "/api/2.0/mlflow/", **more: Any) -> Answer:
        """`path` is "runs/create". The fields of a GET are its query, those of others the JSON body."""
        target = f"{self.base}{api}{path}"
        if method == "GET":
            target += "?" + urlencode(fields or {}, doseq=True) if fields else ""
            body, content_type = b"", ""
        elif body is None:
            body = json.dumps(fields or {}).encode()
        assert self.server.api_client is not None
        return self.server.api_client.send(method, target, body, content_type, self.token, **more)

    def call(self, method: str, path: str, fields: Optional[Dict[str, Any]] = None, **more: Any) -> Any:
        answer = self.send(method, path, fields, **more)
        assert answer.status == 200, (method, path, answer.status, answer.body[:2000])
        return strict_json(answer.body)

    def get(self, path: str, /, **fields: Any) -> Any:
        return self.call("GET", path, fields)

    def post(self, path: str, /, **fields: Any) -> Any:
        return self.call("POST", path, fields)

    def refused(self, method: str, path: str, fields: Optional[Dict[str, Any]] = None, **more: Any) -> Tuple[int, str]:
        """Status and code of an answer that is an error in MLflow's form."""
        answer = self.send(method, path, fields, **more)
        assert answer.status >= 400, (method, path, fields, answer.body[:500])
        error = strict_json(answer.body)
        assert set(error) == {"error_code", "message"} and error["message"], error
        return answer.status, error["error_code"]

    # What most tests begin with.

    def experiment(self, name: str) -> str:
        return self.post("experiments/create", name=name)["experiment_id"]

    def run(self, experiment: str, **fields: Any) -> str:
        return self.post("runs/create", experiment_id=experiment, start_time=1_700_000_000_000, **fields)["run"]["info"]["run_id"]

    def log(self, run: str, key: str, value: Any, step: int = 0, timestamp: int = 1_700_000_000_000) -> None:
        self.post("runs/log-metric", run_id=run, key=key, value=value, step=step, timestamp=timestamp)

    def read(self, run: str) -> Dict[str, Any]:
        return self.get("runs/get", run_id=run)["run"]

    def history(self, run: str, key: str, **more: Any) -> List[Dict[str, Any]]:
        return self.get("metrics/get-history", run_id=run, metric_key=key, **more).get("metrics", [])

    def search(self, *experiments: str, **fields: Any) -> List[str]:
        found = self.post("runs/search", experiment_ids=list(experiments), **fields)
        return [run["info"]["run_id"] for run in found.get("runs", [])]


def pairs(items: List[Dict[str, str]]) -> Dict[str, str]:
    return {item["key"]: item["value"] for item in items}


def basic(user: str, password: str) -> Dict[str, str]:
    return {"Authorization": "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()}
