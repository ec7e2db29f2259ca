"""The metrics of runs as event files, for TensorBoard."""

from __future__ import annotations

import os
from typing import Any, Iterator, List, Optional, Tuple

from ._event_file import EventFile

__all__ = ["export_to_tensorboard"]


def export_to_tensorboard(
    run_data: Any, logdir: Any, logger: Any = None, recursive: bool = True
) -> None:
    """Writes what was logged as numbers by `run_data`, a run or a list of runs, below `logdir`, and
    with `recursive` what the runs below them logged, each in a folder named as the run."""
    runs = list(run_data) if isinstance(run_data, (list, tuple, set)) else [run_data]
    for run in runs:
        if getattr(run, "_client", None) is None:
            from azureml.exceptions import UserErrorException

            raise UserErrorException(
                f"export_to_tensorboard takes runs of a workspace, not {type(run).__name__}. "
                "Give it what Experiment.submit() returned."
            )
    for run in runs:
        family = list(run.get_children(recursive=True)) if recursive else []
        alone = len(runs) == 1 and not family
        for one in [run, *family]:
            folder = os.fspath(logdir) if alone else os.path.join(os.fspath(logdir), one.id)
            points = list(_points(one))
            if not points and one is not run:
                continue
            if logger is not None:
                logger.info("Exporting %d points of %s to %s", len(points), one.id, folder)
            with EventFile(folder) as file:
                for name, step, at, value in points:
                    file.add_scalar(name, value, step, at)


def _points(run: Any) -> Iterator[Tuple[str, int, float, float]]:
    from azureml._errors import calling
    from azureml.exceptions import ServiceException
    from roost.metric_values import metric_points

    run.flush()
    with calling(ServiceException):
        for name, index, point in metric_points(run._client, run.id):
            step = index if point["step"] is None else int(point["step"])
            for column, value in _numbers(point["value"]):
                yield f"{name}/{column}" if column else name, step, _seconds(point["at"]), value


def _numbers(value: Any) -> List[Tuple[str, float]]:
    """The value, or those of the columns of a row, that are numbers."""
    if isinstance(value, dict):
        return [(str(key), number) for key, item in value.items() for _, number in _numbers(item)]
    number = _number(value)
    return [] if number is None else [("", number)]


def _number(value: Any) -> Optional[float]:
    if isinstance(value, (bool, int, float)):
        return float(value)
    return float(value) if value in ("NaN", "Infinity", "-Infinity") else None


def _seconds(time: str) -> float:
    from roost.times import read_time

    return float(read_time(time).timestamp())
