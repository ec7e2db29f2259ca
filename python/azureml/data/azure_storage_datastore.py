"""Datastores by the names of the Azure stores they stand in for."""

from __future__ import annotations

from typing import Type

from azureml.core.datastore import Datastore

__all__ = ["AbstractAzureStorageDatastore", "AzureBlobDatastore", "AzureFileDatastore"]


class AbstractAzureStorageDatastore(Datastore):
    """Files on the Roost server."""


class AzureBlobDatastore(AbstractAzureStorageDatastore):
    """Stands in for a container of blobs."""


class AzureFileDatastore(AbstractAzureStorageDatastore):
    """Stands in for a file share."""


def class_of(kind: str) -> Type[Datastore]:
    if kind == "AzureFile":
        return AzureFileDatastore
    return AzureBlobDatastore if kind == "AzureBlob" else AbstractAzureStorageDatastore
