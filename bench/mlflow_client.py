"""What MLflow's client achieves against the server in MLFLOW_TRACKING_URI; prints one JSON line. Run by a Python that has mlflow."""
import http.client
import json
import os
import statistics
import sys
import time
import urllib.parse

from mlflow import MlflowClient
from mlflow.entities import Metric, Param

calls, batches, runs, points = map(int, sys.argv[1:5])
client = MlflowClient()
uri = urllib.parse.urlsplit(os.environ["MLFLOW_TRACKING_URI"])
headers = {"Content-Type": "application/json"}
if os.environ.get("MLFLOW_TRACKING_TOKEN"):
    headers["Authorization"] = "Bearer " + os.environ["MLFLOW_TRACKING_TOKEN"]


def answer_time(method: str, path: str, body: bytes = b"", rounds: int = 5) -> float:
    """From the request to the last byte of the answer, without any client: the median of some rounds."""
    connection = http.client.HTTPConnection(uri.hostname, uri.port, timeout=300)
    times = []
    for _ in range(rounds):
        began = time.perf_counter()
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        answer.read()
        times.append(time.perf_counter() - began)
        assert answer.status == 200, answer.status
    connection.close()
    return statistics.median(times)


found = {}
experiment = client.create_experiment(f"bench-{time.time_ns()}")
run = client.create_run(experiment).info.run_id
client.log_metric(run, "warm", 0)
began = time.perf_counter()
for i in range(calls):
    client.log_metric(run, "loss", 1 / (i + 1), step=i)
found["log_metric_per_second"] = calls / (time.perf_counter() - began)

ready = [[Metric("batch", 1 / (i + 1), 1_700_000_000_000 + i, i) for i in range(b * 1000, (b + 1) * 1000)] for b in range(batches)]
began = time.perf_counter()
for metrics in ready:
    client.log_batch(run, metrics=metrics)
found["points_per_second"] = batches * 1000 / (time.perf_counter() - began)

for begin in range(0, points, 1000):
    client.log_batch(run, metrics=[Metric("long", 1 / (i + 1), 1_700_000_000_000 + i, i) for i in range(begin, begin + 1000)])
path = f"{uri.path.rstrip('/')}/api/2.0/mlflow"
history = f"{path}/metrics/get-history?run_id={run}&metric_key=long&max_results={points}"
found["history_seconds"] = answer_time("GET", history, rounds=3)
assert len(client.get_metric_history(run, "long")) == points

many = client.create_experiment(f"many-{time.time_ns()}")
for i in range(runs):
    made = client.create_run(many, tags={"team": f"t{i % 7}"}).info.run_id
    client.log_batch(made, metrics=[Metric(f"m{k}", i / (k + 1), 1, 0) for k in range(5)], params=[Param(f"p{k}", str(i)) for k in range(5)])
search = {"experiment_ids": [many], "max_results": 1000}
found["search_seconds"] = answer_time("POST", f"{path}/runs/search", json.dumps(search).encode())
search["filter"] = "metrics.m1 > 10 and params.p2 != '5' and tags.team LIKE 't%'"
search["order_by"] = ["metrics.m3 DESC"]
found["filtered_seconds"] = answer_time("POST", f"{path}/runs/search", json.dumps(search).encode())
print(json.dumps(found))
