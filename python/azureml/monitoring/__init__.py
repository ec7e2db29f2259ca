"""Collecting what a web service was given and what it answered."""

from __future__ import annotations

import csv
import datetime
import os
import uuid
from typing import Any, List, Optional, Sequence

__all__ = ["ModelDataCollector"]


class ModelDataCollector:
    """Appends rows to CSV files, one a day, below ROOST_COLLECT_FOLDER or ./outputs:
    modeldata/MODEL/DESIGNATION/YEAR/MONTH/DAY/DESIGNATION.csv. Nothing leaves this machine."""

    def __init__(
        self,
        model_name: str,
        identifier: str = "default",
        feature_names: Optional[Sequence[str]] = None,
        designation: Optional[str] = None,
        model_version: Optional[str] = None,
        **_: Any,
    ) -> None:
        self.model_name = model_name
        self.designation = designation or identifier
        self.feature_names: List[str] = list(feature_names or [])

    def collect(self, input_data: Any, user_correlation_id: str = "") -> str:
        """Writes each row of a list, an array or a table; gives the id of this call, which is in
        the first column of its rows."""
        now = datetime.datetime.now(datetime.timezone.utc)
        correlation = user_correlation_id or str(uuid.uuid4())
        names, rows = self._table(input_data)
        path = self._path(now)
        is_new = not os.path.exists(path)
        with open(path, "a", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            if is_new and names:
                writer.writerow(["$CorrelationId", "$Timestamp", *names])
            for row in rows:
                writer.writerow([correlation, now.isoformat(), *row])
        return correlation

    def add_correlations(self, input_data: Any, correlations: Any) -> Any:
        """As it is: the rows of a call are together already."""
        return input_data

    def _table(self, data: Any) -> Any:
        names = self.feature_names
        if hasattr(data, "columns") and hasattr(data, "values"):
            names, data = names or [str(name) for name in data.columns], data.values
        if hasattr(data, "tolist"):
            data = data.tolist()
        if not isinstance(data, (list, tuple)):
            data = [data]
        rows = [list(row) if isinstance(row, (list, tuple)) else [row] for row in data]
        return names, rows

    def _path(self, now: datetime.datetime) -> str:
        top = os.environ.get("ROOST_COLLECT_FOLDER") or "outputs"
        parts = ("modeldata", self.model_name, self.designation, now.strftime("%Y/%m/%d"))
        folder = os.path.join(top, *(str(part) for part in parts))
        os.makedirs(folder, exist_ok=True)
        return os.path.join(folder, f"{self.designation}.csv")
