"""Computes, under the path most code imports their exception from."""

from azureml.core.compute.amlcompute import AmlCompute
from azureml.core.compute.compute import ComputeTarget
from azureml.exceptions import ComputeTargetException

__all__ = ["AmlCompute", "ComputeTarget", "ComputeTargetException"]
