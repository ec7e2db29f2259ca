"""Model.profile: how long requests to a deployed model take."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING, Any, Dict, List, Optional

from azureml.core.webservice._checks import check_positive
from azureml.exceptions import WebserviceException
from roost.client import quote
from roost.errors import RoostError

if TYPE_CHECKING:
    from azureml.core.webservice import Webservice
    from azureml.core.workspace import Workspace

__all__ = ["ModelProfile"]

DEFAULT_CPU = 3.5
DEFAULT_MEMORY_GB = 15.0
_LEAST_REQUESTS = 20  # few rows are sent again and again, so that there is something to measure


class ModelProfile:
    """A measurement; wait_for_completion() makes it. It lives in this process only."""

    def __init__(
        self,
        workspace: Workspace,
        name: str,
        service: Webservice,
        requests: List[bytes],
        cpu: float,
        memory_in_gb: float,
        description: Optional[str],
    ) -> None:
        self.workspace = workspace
        self.name = name
        self.description = description
        self.state = "Running"
        self.requested_cpu = cpu
        self.requested_memory_in_gb = memory_in_gb
        self.error: Optional[Dict[str, Any]] = None
        self._service = service
        self._requests = requests
        self._details: Dict[str, Any] = {}

    def wait_for_completion(self, show_output: bool = False) -> None:
        """Sends the requests one after the other, then ends the service it made for them."""
        if self.state != "Running":
            return
        if show_output:
            print("Running")
            sys.stdout.flush()
        try:
            self._service.wait_for_deployment()
            self._measure()
            self.state = "Succeeded"
        except BaseException as error:
            self.state = "Failed"
            self.error = {"code": "ModelProfileFailed", "message": str(error)}
            raise
        finally:
            self._service.delete()
            if show_output:
                print(self.state)
                print(f'Model Profile operation with name {self.name} finished, "{self.state}"')

    def get_details(self) -> Dict[str, Any]:
        """What was asked for and what was measured: latencies in seconds, and the most cores and
        memory in use on the node meanwhile, by whomever; None if it was too short to tell."""
        return {
            "name": self.name,
            "state": self.state,
            "description": self.description,
            "requestedCpu": self.requested_cpu,
            "requestedMemoryInGb": self.requested_memory_in_gb,
            **({"error": self.error} if self.error else {}),
            **self._details,
        }

    def get_results(self) -> Dict[str, Any]:
        return self.get_details()

    def serialize(self) -> Dict[str, Any]:
        return self.get_details()

    def _measure(self) -> None:
        times: List[float] = []
        failed: List[str] = []
        rounds = -(-_LEAST_REQUESTS // len(self._requests))
        began = time.monotonic()
        for body in self._requests * rounds:
            start = time.monotonic()
            try:
                self._service.run(body)
            except WebserviceException as error:
                failed.append(error.message)
            times.append(time.monotonic() - start)
        elapsed = time.monotonic() - began
        times.sort()
        self._details = {
            "totalQueries": len(times),
            "successQueries": len(times) - len(failed),
            "successRate": 100.0 * (len(times) - len(failed)) / len(times),
            "averageLatency": sum(times) / len(times),
            "latencyAtP50": _percentile(times, 50),
            "latencyAtP90": _percentile(times, 90),
            "latencyAtP95": _percentile(times, 95),
            "latencyAtP99": _percentile(times, 99),
            "latencyAtP999": _percentile(times, 99.9),
            "measuredQueriesPerSecond": len(times) / elapsed if elapsed else None,
            **self._used(),
        }
        if failed:
            self._details["firstError"] = failed[0]

    def _used(self) -> Dict[str, Any]:
        """What the node of the replica used, by the samples of its run."""
        client, facts = self.workspace._client, self._service._facts
        runs = [replica["run"] for replica in self._service._deployment.get("replicas_now") or []]
        most: Dict[str, float] = {}
        cores = 0.0
        try:
            for run in runs:
                for series in client.get(f"/api/v1/runs/{quote(run)}/system-metrics")["series"]:
                    values = [float(point["value"]) for point in series["points"]]
                    most[series["name"]] = max([most.get(series["name"], 0.0), *values])
            compute = client.get(self.workspace._path("computes", str(facts["compute"])))
            cores = float(compute["resources"]["cpus"])
        except (RoostError, KeyError):
            pass  # a profile is good without it
        cpu, memory = most.get("cpu_percent"), most.get("memory_used_mb")
        return {
            "maxUtilizedCpu": None if cpu is None or not cores else round(cpu * cores / 100, 3),
            "maxUtilizedMemoryInGb": None if memory is None else round(memory / 1024, 3),
        }


def profile_models(
    workspace: Workspace,
    profile_name: str,
    models: Any,
    inference_config: Any,
    requests: Any,
    cpu: Optional[float],
    memory_in_gb: Optional[float],
    description: Optional[str],
) -> ModelProfile:
    from azureml.core.webservice import LocalWebservice
    from azureml.core.webservice._deploying import deploy_models

    check_positive(cpu, "cpu")
    check_positive(memory_in_gb, "memory_in_gb")
    bodies = request_bodies(requests)
    name = f"profile-{os.urandom(6).hex()}"
    configuration = LocalWebservice.deploy_configuration()
    service = deploy_models(workspace, name, models, inference_config, configuration)
    return ModelProfile(
        workspace,
        profile_name,
        service,
        bodies,
        DEFAULT_CPU if cpu is None else cpu,
        DEFAULT_MEMORY_GB if memory_in_gb is None else memory_in_gb,
        description,
    )


def request_bodies(given: Any) -> List[bytes]:
    """One request for each line of the dataset's files, or for each text of a list."""
    found: List[bytes] = []
    if isinstance(given, (str, bytes)):
        found = [given.encode() if isinstance(given, str) else given]
    elif isinstance(given, (list, tuple)):
        found = [one.encode() if isinstance(one, str) else bytes(one) for one in given]
    elif hasattr(given, "download"):
        import tempfile

        with tempfile.TemporaryDirectory() as folder:
            for path in given.download(folder, overwrite=True):
                with open(path, "rb") as file:
                    found += [line for line in file.read().splitlines() if line.strip()]
    if not found:
        raise WebserviceException(
            "input_dataset must have requests to send: a file dataset whose lines are the bodies "
            f"of requests, or a list of texts. {type(given).__name__} has none."
        )
    return found


def _percentile(ordered: List[float], percent: float) -> float:
    return ordered[min(len(ordered) - 1, int(len(ordered) * percent / 100))]
