"""Reads everything of two MLflow stores through MLflow's client and says whether they are equal.
Called as `mlflow_read_back.py URI URI EXPERIMENT`."""
import json
import math
import sys
from typing import Any, Dict

from mlflow import MlflowClient
from mlflow.entities import ViewType


def plain(value: float) -> Any:
    if math.isnan(value):
        return "NaN"
    return math.copysign(math.inf, value) if abs(value) >= sys.float_info.max else value


def everything(uri: str, name: str) -> Dict[str, Any]:
    client = MlflowClient(uri)
    experiment = client.get_experiment_by_name(name)
    found: Dict[str, Any] = {"tags": experiment.tags, "runs": {}, "points": 0}
    token = None
    while True:
        page = client.search_runs([experiment.experiment_id], run_view_type=ViewType.ALL, max_results=1000, page_token=token)
        for run in page:
            info, data = run.info, run.data
            history = {key: sorted(((p.timestamp, p.step, plain(p.value)) for p in client.get_metric_history(info.run_id, key)), key=repr)
                       for key in data.metrics}
            found["points"] += sum(map(len, history.values()))
            found["runs"][info.run_id] = {
                "name": info.run_name, "status": info.status, "start": info.start_time, "end": info.end_time, "user": info.user_id,
                "stage": info.lifecycle_stage, "params": data.params, "history": history,
                "tags": {key: value for key, value in data.tags.items() if not key.startswith("roost.")}}
        token = page.token
        if not token:
            break
    found["models"] = {
        model.name: {"about": model.description, "tags": model.tags, "aliases": {k: str(v) for k, v in model.aliases.items()},
                     "versions": {str(one.version): [one.current_stage, one.description, one.tags, one.run_id]
                                  for one in client.search_model_versions(f"name = '{model.name}'")}}
        for model in client.search_registered_models()}
    return found


if __name__ == "__main__":
    left, right = (everything(uri, sys.argv[3]) for uri in sys.argv[1:3])
    for run, facts in left["runs"].items():
        other = right["runs"].get(run, {})
        for key, value in facts.items():
            if other.get(key) != value:
                print(f"run {run}: {key}: {str(value)[:300]} / {str(other.get(key))[:300]}")
    for key in ("tags", "points", "models"):
        if left[key] != right[key]:
            print(f"{key}: {left[key]} / {right[key]}")
    print(json.dumps({"runs": len(left["runs"]), "points": left["points"], "equal": left == right}))
