"""How the processes of a distributed run are counted."""

from __future__ import annotations

from typing import Any, Dict, Optional

from azureml._absent import not_here
from azureml.exceptions import UserErrorException


def _count(value: Any, name: str, least: int = 1) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise UserErrorException(
            f"{name} must be a whole number of at least {least}, not {value!r}."
        )
    return value


class MpiConfiguration:
    """`process_count_per_node` processes on each of `node_count` nodes, started by MPI."""

    def __init__(self, process_count_per_node: int = 1, node_count: int = 1) -> None:
        self.process_count_per_node = _count(process_count_per_node, "process_count_per_node")
        self.node_count = _count(node_count, "node_count")

    def _spec(self) -> Dict[str, Any]:
        return {
            "kind": "mpi",
            "process_count_per_node": _count(self.process_count_per_node, "process_count_per_node"),
            "node_count": _count(self.node_count, "node_count"),
        }


class PyTorchConfiguration:
    """`process_count` processes in all; one per node if None."""

    def __init__(
        self,
        communication_backend: str = "Nccl",
        process_count: Optional[int] = None,
        node_count: int = 1,
    ) -> None:
        self.communication_backend = communication_backend
        self.process_count = process_count
        self.node_count = node_count
        self._spec()

    def _spec(self) -> Dict[str, Any]:
        backend = self.communication_backend
        if not isinstance(backend, str) or backend.lower() not in ("nccl", "gloo", "mpi"):
            raise UserErrorException(f"communication_backend is 'Nccl' or 'Gloo', not {backend!r}.")
        nodes = _count(self.node_count, "node_count")
        processes = self.process_count
        if processes is not None and _count(processes, "process_count") % nodes:
            raise UserErrorException(
                f"process_count counts the processes of all nodes together: {processes} cannot be "
                f"shared out evenly over {nodes} nodes."
            )
        spec: Dict[str, Any] = {
            "kind": "pytorch",
            "communication_backend": backend.capitalize(),
            "node_count": nodes,
        }
        return spec if processes is None else {**spec, "process_count": processes}


class TensorflowConfiguration:
    """Workers and parameter servers, one process each."""

    def __init__(self, worker_count: int = 1, parameter_server_count: int = 1) -> None:
        self.worker_count = _count(worker_count, "worker_count")
        self.parameter_server_count = _count(parameter_server_count, "parameter_server_count", 0)

    @property
    def node_count(self) -> int:
        return self.worker_count + self.parameter_server_count

    def _spec(self) -> Dict[str, Any]:
        return {
            "kind": "tensorflow",
            "worker_count": _count(self.worker_count, "worker_count"),
            "parameter_server_count": _count(
                self.parameter_server_count, "parameter_server_count", 0
            ),
        }


class ParallelTaskConfiguration:
    """Many small tasks on a pool of workers. Submitting one is refused."""

    def __init__(
        self,
        max_retries_per_worker: int = 0,
        worker_count_per_node: int = 1,
        worker_timeout_in_seconds: Optional[int] = None,
    ) -> None:
        self.max_retries_per_worker = max_retries_per_worker
        self.worker_count_per_node = worker_count_per_node
        self.worker_timeout_in_seconds = worker_timeout_in_seconds
        self.node_count = 1

    def _spec(self) -> Dict[str, Any]:
        raise not_here(
            "ParallelTaskConfiguration",
            "runs many tasks on a pool of workers",
            "A later release brings it. Until then submit one run per task.",
        )
