"""Computes: where runs run."""

from __future__ import annotations

from typing import Any

from azureml._absent import absent_name
from azureml.core.compute.aks import AksCompute
from azureml.core.compute.amlcompute import AmlCompute
from azureml.core.compute.batchai import BatchAiCompute
from azureml.core.compute.compute import ComputeTarget
from azureml.core.compute.computeinstance import ComputeInstance
from azureml.core.compute.dsvm import DsvmCompute
from azureml.core.compute.slurm import SlurmCompute
from azureml.exceptions import ComputeTargetException

__all__ = [
    "AksCompute",
    "AmlCompute",
    "BatchAiCompute",
    "ComputeInstance",
    "ComputeTarget",
    "ComputeTargetException",
    "DsvmCompute",
    "SlurmCompute",
]


def __getattr__(name: str) -> Any:
    return absent_name(__name__, name)
