"""The class that fits a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict

if TYPE_CHECKING:
    from .experiment import Experiment
    from .run import Run


def known_run(experiment: Experiment, facts: Dict[str, Any]) -> Run:
    """A run that the server has told of: a HyperDriveRun for a sweep, else a Run."""
    if facts["type"] == "hyperdrive":
        from azureml.train.hyperdrive.run import HyperDriveRun

        return HyperDriveRun(experiment, facts["id"], _facts=facts)
    from .run import Run

    return Run(experiment, facts["id"], _facts=facts)
