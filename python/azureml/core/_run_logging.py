"""What a run reports: metrics, by the spool in a run and over the network from outside."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Iterable, Mapping, Optional, Union

import roost.run
from roost.spool import SpoolWriter

from .._errors import calling
from ..exceptions import ServiceException, UserErrorException
from ._run_record import RunRecord

if TYPE_CHECKING:
    from roost.recorder import Recorder


class RunLogging(RunRecord):
    """Metrics of a run, written and read. Writing does not wait for the server."""

    _sink: Union[SpoolWriter, Recorder, None]
    _reporter: Optional[roost.run.Run]

    def log(
        self, name: str, value: Any, description: Optional[str] = "", step: Optional[int] = None
    ) -> None:
        """Adds a point to a metric: a number, a string, or a tensor of one element."""
        sink = self._sink
        if sink is None:
            sink = self._open_sink()
        sink.log(name, value, step)

    def log_list(
        self,
        name: str,
        value: Iterable[Any],
        description: str = "",
        step: Optional[int] = None,
    ) -> None:
        """Adds each element as a point."""
        self._report.log_list(name, value, step)

    def log_row(self, name: str, description: Optional[str] = None, **kwargs: Any) -> None:
        """Adds a row to a table, one keyword a column."""
        self._report._record("row", name, kwargs)

    def log_table(
        self,
        name: str,
        value: Mapping[str, Any],
        description: str = "",
        step: Optional[int] = None,
    ) -> None:
        """Logs a table: column -> list of values."""
        if not isinstance(value, Mapping):
            raise UserErrorException(
                f"log_table takes a dict of column to list of values, not {type(value).__name__}."
            )
        self._report.log_table(name, value, step)

    def log_image(
        self, name: str, path: Any = None, plot: Any = None, description: str = ""
    ) -> None:
        """Logs an image file, or a plot of matplotlib's."""
        if (path is None) == (plot is None):
            raise UserErrorException("log_image takes either path= or plot=.")
        with calling(ServiceException):
            self._report.log_image(name, path, plot)

    def log_confusion_matrix(self, name: str, value: Any, description: str = "") -> None:
        self._report._record("confusion_matrix", name, _chart(value))

    def log_accuracy_table(self, name: str, value: Any, description: str = "") -> None:
        self._report._record("accuracy_table", name, _chart(value))

    def log_residuals(self, name: str, value: Any, description: str = "") -> None:
        self._report._record("residuals", name, _chart(value))

    def log_predictions(self, name: str, value: Any, description: str = "") -> None:
        self._report._record("predictions", name, _chart(value))

    def flush(self, timeout_seconds: float = 300) -> None:
        """Waits until what was logged is with the server; in a run, until it is on disk, from where
        the runner takes it."""
        sink = self._sink
        if isinstance(sink, SpoolWriter):
            sink.flush()
        elif sink is not None:
            with calling(ServiceException):
                sink.flush(timeout_seconds)

    def get_metrics(
        self,
        name: Optional[str] = None,
        recursive: bool = False,
        run_type: Optional[str] = None,
        populate: bool = False,
    ) -> Dict[str, Any]:
        """Metrics by name: a value when it was logged once, a list when more often, a dict of
        columns for rows and tables. With `recursive` those of this run and all below it, by run
        id."""
        from roost.metric_values import metric_values

        self.flush()
        if recursive:
            family = [self, *self._descendants(run_type)]
            found = {run.id: run.get_metrics(name) for run in family}
            return {id: metrics for id, metrics in found.items() if metrics}
        with calling(ServiceException):
            return metric_values(self._client, self._run_id, name)

    def _descendants(self, run_type: Optional[str]) -> Iterable[RunLogging]:
        raise NotImplementedError

    @property
    def _report(self) -> roost.run.Run:
        if self._reporter is None:
            sink = self._sink or self._open_sink()
            self._reporter = roost.run.Run(self._run_id, sink, self._client)
        return self._reporter

    def _open_sink(self) -> Union[SpoolWriter, Recorder]:
        from roost.recorder import Recorder

        self._sink = Recorder(self._client, self._run_id)
        return self._sink


def _chart(value: Any) -> Any:
    """The JSON that the chart's schema names, which may be given as text."""
    if isinstance(value, str):
        import json

        try:
            value = json.loads(value)
        except ValueError as error:
            raise UserErrorException(f"the value is not JSON: {error}.") from None
    if not isinstance(value, Mapping):
        raise UserErrorException(
            f"the value must be a dict with schema_type and data, not {type(value).__name__}."
        )
    return value
