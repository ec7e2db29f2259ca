"""Errors of datasets, under the path real code imports them from."""

from azureml.exceptions import DatasetExecutionError, DatasetValidationError

__all__ = ["DatasetExecutionError", "DatasetValidationError"]
