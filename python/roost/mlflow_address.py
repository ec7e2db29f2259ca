"""How MLflow's own client reaches the server."""

from __future__ import annotations

import os
from typing import Dict

from .client import Client, quote

_DEFAULT_WORKSPACE = "default"
_given: Dict[str, str] = {}  # what was set here, and may be set again


def mlflow_uri(url: str, workspace: str) -> str:
    """The tracking URI of a workspace."""
    return url if workspace == _DEFAULT_WORKSPACE else f"{url}/mlflow/{quote(workspace)}"


def let_mlflow_in(client: Client) -> None:
    """Sets MLflow's variables in this process to what opens the server, but none of the user's."""
    for name, value in (
        ("MLFLOW_TRACKING_TOKEN", client.token),
        ("MLFLOW_TRACKING_SERVER_CERT_PATH", client.ca_file),
    ):
        if value and os.environ.get(name) in (None, "", _given.get(name)):
            os.environ[name] = _given[name] = value
