"""Web services: models that answer requests. Roost's own replicas serve all kinds of them."""

from __future__ import annotations

from azureml.core.webservice.aci import AciWebservice
from azureml.core.webservice.aks import AksWebservice
from azureml.core.webservice.endpoint import AksEndpoint
from azureml.core.webservice.local import LocalWebservice
from azureml.core.webservice.webservice import Webservice
from azureml.exceptions import WebserviceException

__all__ = [
    "AciWebservice",
    "AksEndpoint",
    "AksWebservice",
    "LocalWebservice",
    "Webservice",
    "WebserviceException",
]
