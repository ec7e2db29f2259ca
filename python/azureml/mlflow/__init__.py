"""Links MLflow to a workspace, in Azure ML by being imported. Here nothing has to be linked:
Workspace.get_mlflow_tracking_uri() is an http address, which MLflow speaks by itself."""

from __future__ import annotations

from typing import Any

from .._absent import absent_name

__all__ = ["get_portal_url"]


def get_portal_url(run: Any) -> str:
    """The page in the studio of a run: of azureml's, or of MLflow's, which has info.run_id."""
    if hasattr(run, "get_portal_url"):
        return str(run.get_portal_url())
    from roost.client import Client, quote

    return f"{Client.connect().url}/runs/{quote(run.info.run_id)}"


def __getattr__(name: str) -> Any:
    return absent_name(__name__, name)
