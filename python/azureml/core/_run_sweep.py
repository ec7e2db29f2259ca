"""A sweep that was found again as a plain Run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Optional

from ._run_record import RunRecord

if TYPE_CHECKING:
    from azureml.train.hyperdrive import HyperDriveRun

    from .run import Run


class RunSweep(RunRecord):
    """Run(experiment, id) of a sweep answers what HyperDriveRun does; of any other run these raise
    UserErrorException."""

    def get_best_run_by_primary_metric(
        self,
        include_failed: bool = True,
        include_canceled: bool = True,
        include_resume_from_runs: bool = True,
    ) -> Optional[Run]:
        """Of a sweep: the child with the best value of the primary metric, or None."""
        return self._as_sweep().get_best_run_by_primary_metric(
            include_failed, include_canceled, include_resume_from_runs
        )

    def get_children_sorted_by_primary_metric(
        self, top: int = 0, reverse: bool = False, discard_no_metric: bool = False
    ) -> List[Dict[str, Any]]:
        """Of a sweep: its children, the best first."""
        return self._as_sweep().get_children_sorted_by_primary_metric(
            top, reverse, discard_no_metric
        )

    def get_hyperparameters(self) -> Dict[str, str]:
        """Of a sweep: child id -> its values, as JSON."""
        return self._as_sweep().get_hyperparameters()

    def _as_sweep(self) -> HyperDriveRun:
        from azureml.train.hyperdrive import HyperDriveRun

        return HyperDriveRun(self._experiment, self._run_id, _facts=self._known)
