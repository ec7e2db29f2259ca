"""A logger for PyTorch Lightning.

trainer = Trainer(logger=RoostLogger(project="birds"))
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Optional

try:
    from lightning.pytorch.loggers.logger import Logger, rank_zero_experiment  # type: ignore
    from lightning.pytorch.utilities.rank_zero import rank_zero_only  # type: ignore
except ImportError:  # by its older name
    from pytorch_lightning.loggers.logger import Logger, rank_zero_experiment  # type: ignore
    from pytorch_lightning.utilities.rank_zero import rank_zero_only  # type: ignore

import roost
from roost.active_run import ActiveRun


class RoostLogger(Logger):  # type: ignore[misc]
    """Logs to a run of its own, or in a submitted run to that. Takes what roost.init takes. Only
    the process of rank 0 logs."""

    def __init__(
        self, project: Optional[str] = None, name: Optional[str] = None, **options: Any
    ) -> None:
        super().__init__()
        self._project = project
        self._name = name
        self._options = options
        self._run: Optional[ActiveRun] = None

    @property
    @rank_zero_experiment  # type: ignore
    def experiment(self) -> ActiveRun:
        """The run: self.logger.experiment.log_image(...)."""
        if self._run is None:
            self._run = roost.init(self._project, self._name, **self._options)
        return self._run

    @property
    def name(self) -> Optional[str]:
        """Names the folder of checkpoints."""
        return self._project or "roost"

    @property
    def version(self) -> Optional[str]:
        return self._run.id if self._run is not None else None

    @rank_zero_only  # type: ignore
    def log_hyperparams(self, params: Any, *_: Any, **__: Any) -> None:
        self.experiment.log_params(params)

    @rank_zero_only  # type: ignore
    def log_metrics(self, metrics: Mapping[str, float], step: Optional[int] = None) -> None:
        self.experiment.log(metrics, step)

    @rank_zero_only  # type: ignore
    def log_image(self, key: str, images: Any, step: Optional[int] = None, **_: Any) -> None:
        """Each of a list of images, as Lightning's own loggers have it."""
        for image in images:
            self.experiment.log_image(key, image, step)

    @rank_zero_only  # type: ignore
    def save(self) -> None:
        if self._run is not None:
            self._run.flush()

    @rank_zero_only  # type: ignore
    def finalize(self, status: str) -> None:
        """The run goes on until the script ends: fit and test may follow one another."""
        if self._run is None:
            return
        if status == "failed":
            self._run.tag("lightning", "failed")
        self._run.flush()
