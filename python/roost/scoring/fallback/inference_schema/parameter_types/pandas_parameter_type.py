"""A table."""

import importlib
import json
from typing import Any, Dict, List

from .abstract_parameter_type import AbstractParameterType
from .dtype_schema import dtype_schema

_ORIENTS = ("split", "records", "index", "columns", "values", "table")


class PandasParameterType(AbstractParameterType):
    """Like the sample: its columns, their types and, for orient='values', their names."""

    def __init__(
        self,
        sample_input: Any,
        enforce_column_type: bool = True,
        enforce_shape: bool = True,
        apply_column_names: bool = False,
        orient: str = "records",
    ) -> None:
        pandas = _pandas()
        if not isinstance(sample_input, (pandas.DataFrame, pandas.Series)):
            raise TypeError(
                "PandasParameterType takes a DataFrame or a Series as its sample, not a "
                f"{type(sample_input).__name__}"
            )
        if orient not in _ORIENTS:
            raise ValueError(f"there is no orient {orient!r}; there are {', '.join(_ORIENTS)}")
        super().__init__(sample_input)
        self.is_series = isinstance(sample_input, pandas.Series)
        self.enforce_column_type = enforce_column_type
        self.enforce_shape = enforce_shape
        self.apply_column_names = apply_column_names
        self.orient = orient

    def deserialize_input(self, input_data: Any) -> Any:
        pandas = _pandas()
        if isinstance(input_data, (pandas.DataFrame, pandas.Series)):
            return input_data
        if self.is_series:
            series = pandas.Series(input_data)
            return series.astype(self.sample_input.dtype) if self.enforce_column_type else series
        frame = self._frame(input_data)
        columns = list(self.sample_input.columns)
        if self.apply_column_names and len(frame.columns) == len(columns):
            frame.columns = self.sample_input.columns
        if self.enforce_shape and len(frame.columns) != len(columns):
            raise ValueError(
                f"the input has {len(frame.columns)} columns, expected are {len(columns)}: "
                f"{columns}"
            )
        return self._typed(frame) if self.enforce_column_type else frame

    def _frame(self, data: Any) -> Any:
        pandas = _pandas()
        if self.orient == "split":
            return pandas.DataFrame(data["data"], data.get("index"), data.get("columns"))
        if self.orient == "table":
            keys = data.get("schema", {}).get("primaryKey", [])
            frame = pandas.DataFrame(data["data"])
            return frame.set_index([key for key in keys if key in frame.columns]) if keys else frame
        if self.orient == "index":
            return pandas.DataFrame.from_dict(data, orient="index")
        return pandas.DataFrame(data)

    def _typed(self, frame: Any) -> Any:
        pandas = _pandas()
        for name, dtype in self.sample_input.dtypes.items():
            if name not in frame.columns:
                continue
            if dtype.kind == "M":
                frame[name] = pandas.to_datetime(frame[name]).astype(dtype)
            elif dtype.kind == "m":
                frame[name] = pandas.to_timedelta(frame[name]).astype(dtype)
            else:
                frame[name] = frame[name].astype(dtype)
        return frame

    def input_to_swagger(self) -> Dict[str, Any]:
        sample = self.sample_input
        if self.is_series:
            example = json.loads(sample.to_json(orient="values", date_format="iso"))
            items = _described(sample.dtype, sample)
            return {"type": "array", "items": items, "format": "pandas.Series", "example": example}
        example = json.loads(sample.to_json(orient=self.orient, date_format="iso"))
        columns = {
            str(name): _described(dtype, sample[name]) for name, dtype in sample.dtypes.items()
        }
        schema = self._schema(columns)
        return {**schema, "format": f"pandas.DataFrame:{self.orient}", "example": example}

    def _schema(self, columns: Dict[str, Any]) -> Dict[str, Any]:
        row = {"type": "object", "properties": columns, "required": list(columns)}
        values = {"type": "array", "items": _one_of(list(columns.values()))}
        if self.orient == "records":
            return {"type": "array", "items": row}
        if self.orient == "values":
            return {"type": "array", "items": values}
        if self.orient == "index":
            return {"type": "object", "additionalProperties": row}
        if self.orient == "columns":
            by_column = {
                name: {"type": "object", "additionalProperties": kind}
                for name, kind in columns.items()
            }
            return {"type": "object", "properties": by_column}
        table: Dict[str, Any] = {"data": {"type": "array", "items": values}}
        if self.orient == "split":
            table["columns"] = {"type": "array", "items": {"type": "string"}}
            table["index"] = {"type": "array", "items": {"type": "integer"}}
        else:
            table = {"schema": {"type": "object"}, "data": {"type": "array", "items": row}}
        return {"type": "object", "properties": table}


def _pandas() -> Any:
    return importlib.import_module("pandas")


def _described(dtype: Any, column: Any) -> Dict[str, Any]:
    """Objects are texts if the first one is."""
    if getattr(dtype, "kind", "") == "O" and len(column) and isinstance(column.iloc[0], str):
        return {"type": "string"}
    return dtype_schema(dtype)


def _one_of(kinds: List[Dict[str, Any]]) -> Dict[str, Any]:
    different = [kind for at, kind in enumerate(kinds) if kind not in kinds[:at]]
    return different[0] if len(different) == 1 else {"type": "object"}
