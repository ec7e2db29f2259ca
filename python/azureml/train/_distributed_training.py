"""How estimators are told to train on several nodes."""

from __future__ import annotations

from typing import Any, Optional

from azureml.core.runconfig import MpiConfiguration, PyTorchConfiguration, TensorflowConfiguration
from azureml.exceptions import TrainingException


class Mpi:
    """`process_count_per_node` processes on each node, started by MPI."""

    def __init__(self, process_count_per_node: int = 1) -> None:
        self.process_count_per_node = process_count_per_node

    def _config(self, node_count: int, process_count_per_node: int) -> Any:
        per_node = max(self.process_count_per_node, process_count_per_node)
        return MpiConfiguration(per_node, node_count)


class Nccl:
    """torch.distributed over NCCL."""

    _backend = "Nccl"

    def _config(self, node_count: int, process_count_per_node: int) -> Any:
        return PyTorchConfiguration(self._backend, node_count * process_count_per_node, node_count)


class Gloo(Nccl):
    """torch.distributed over Gloo."""

    _backend = "Gloo"


class ParameterServer:
    """TensorFlow's workers and parameter servers."""

    def __init__(self, worker_count: int = 1, parameter_server_count: int = 1) -> None:
        self.worker_count = worker_count
        self.parameter_server_count = parameter_server_count

    def _config(self, node_count: int, process_count_per_node: int) -> Any:
        return TensorflowConfiguration(self.worker_count, self.parameter_server_count)


def job_config(
    distributed_training: Any,
    distributed_backend: Optional[str],
    node_count: int,
    process_count_per_node: int,
    worker_count: int = 1,
    parameter_server_count: int = 1,
) -> Any:
    """The distributed_job_config that an estimator's arguments mean, or None."""
    if distributed_training is None and distributed_backend:
        kinds = {
            "mpi": Mpi(process_count_per_node),
            "nccl": Nccl(),
            "gloo": Gloo(),
            "ps": ParameterServer(worker_count, parameter_server_count),
        }
        if str(distributed_backend).lower() not in kinds:
            raise TrainingException(
                f"distributed_backend is one of {', '.join(kinds)}, not {distributed_backend!r}."
            )
        distributed_training = kinds[distributed_backend.lower()]
    if distributed_training is None:
        if node_count == 1 and process_count_per_node == 1:
            return None
        distributed_training = Mpi(process_count_per_node)
    if isinstance(
        distributed_training, (MpiConfiguration, PyTorchConfiguration, TensorflowConfiguration)
    ):
        if isinstance(distributed_training, MpiConfiguration):
            per_node = distributed_training.process_count_per_node
            return MpiConfiguration(per_node, max(node_count, distributed_training.node_count))
        if isinstance(distributed_training, PyTorchConfiguration):
            return PyTorchConfiguration(
                distributed_training.communication_backend,
                distributed_training.process_count,
                max(node_count, distributed_training.node_count),
            )
        return distributed_training
    if not hasattr(distributed_training, "_config"):
        raise TrainingException(
            "distributed_training must be an MpiConfiguration, Mpi, Nccl, Gloo or ParameterServer, "
            f"not {type(distributed_training).__name__}."
        )
    return distributed_training._config(node_count, process_count_per_node)
