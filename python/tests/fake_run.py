"""A run of no server: answers what azureml.widgets and azureml.tensorboard ask for."""

import math
from urllib.parse import unquote


class FakeClient:
    url = "http://127.0.0.1:7000"

    def __init__(self, run):
        self.run = run
        self.asked = []

    def get(self, path, **query):
        self.asked.append(path)
        if self.run.failure is not None:
            raise self.run.failure
        start = f"/api/v1/runs/{self.run.id}"
        if path == start:
            return dict(self.run.facts)
        if path == f"{start}/metrics":
            return {"items": [self._summary(name) for name in self.run.metrics]}
        if path.startswith(f"{start}/metrics/"):
            return self._series(unquote(path[len(start) + 9 :]), query)
        if path == f"{start}/logs":
            logs = self.run.logs.items()
            attempt = self.run.facts["attempt"]
            return {"items": [{"name": n, "size": len(c), "attempt": attempt} for n, c in logs]}
        if path.startswith("/api/v1/workspaces/"):
            assert query["parent"] == self.run.id
            return {"items": self.run.children, "next_cursor": None}
        raise AssertionError(path)

    def fetch(self, path, out, progress=None, **query):
        self.asked.append(path)
        start = f"/api/v1/runs/{self.run.id}"
        assert path.startswith(f"{start}/logs/")
        content = self.run.logs[unquote(path[len(start) + 6 :])]
        out.write(content[query["offset"] :][: query["limit"]])

    def _summary(self, name):
        kind, values = self.run.metrics[name]
        numbers = [v for v in values if isinstance(v, (int, float)) and math.isfinite(v)]
        return {
            "name": name,
            "kind": kind,
            "count": len(values),
            "last": _wire(values[-1]),
            "min": min(numbers, default=None),
            "max": max(numbers, default=None),
        }

    def _series(self, name, query):
        kind, values = self.run.metrics[name]
        answer = {"name": name, "kind": kind, "count": len(values)}
        if len(values) <= query["buckets"]:
            points = [{"index": i, "step": None, "value": _wire(v)} for i, v in enumerate(values)]
            return {**answer, "points": points}
        size = math.ceil(len(values) / query["buckets"])
        buckets = []
        for start in range(0, len(values), size):
            part = values[start : start + size]
            buckets.append(
                {
                    "index": start,
                    "count": len(part),
                    "step_last": None,
                    "min": min(part),
                    "max": max(part),
                    "mean": sum(part) / len(part),
                    "last": part[-1],
                }
            )
        return {**answer, "buckets": buckets}


def _wire(value):
    """Numbers that JSON does not know go over the wire as strings."""
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value


class FakeRun:
    def __init__(self, status="Running", name="eager_bird_3", run_id="birds_1_0a1b2c3d"):
        self.id = run_id
        self.metrics = {}
        self.logs = {}
        self.children = []
        self.failure = None
        self.facts = {
            "id": run_id,
            "workspace": "default",
            "experiment": "birds",
            "display_name": name,
            "status": status,
            "compute": "gpu-cluster",
            "node": "node-1",
            "attempt": 1,
            "created_at": "2026-01-02T03:04:05Z",
            "durations": {"Running": 61.5, "Preparing": 0.25, "Queued": 4.0, "Completed": 9.0},
            "error": None,
            "notices": [],
        }
        self._client = FakeClient(self)

    def get_status(self):
        return self.facts["status"]

    def get_portal_url(self):
        return f"{self._client.url}/runs/{self.id}"


def training_run():
    """What a run looks like that trains: curves short and long, a gap, rows, a log with a bar."""
    run = FakeRun()
    run.metrics = {
        "loss": ("scalar", [2.3 * math.exp(-i / 12) + 0.1 for i in range(40)]),
        "accuracy": ("scalar", [1 - math.exp(-i / 9) for i in range(40)]),
        "long": ("scalar", [math.sin(i / 300) + (i % 7) / 10 for i in range(5000)]),
        "gaps": ("scalar", [1.0, 2.0, math.nan, 2.5, math.inf, 3.0]),
        "validation": ("row", [{"epoch": i, "loss": 1 / (i + 1)} for i in range(8)]),
        "best_val_acc": ("scalar", [0.9536]),
        "framework": ("scalar", ["pytorch"]),
    }
    bar = "\r".join(f"epoch 4: {n:3}%|{'#' * (n // 10):10}|" for n in range(0, 101, 10))
    run.logs = {
        "azureml-logs/70_driver_log.txt": (
            "".join(f"epoch {n} \x1b[32mok\x1b[0m\n" for n in range(30)) + bar + "\n"
        ).encode()
    }
    run.facts["notices"] = ["AzureML-PyTorch-1.6-GPU stands for pytorch here."]
    return run
