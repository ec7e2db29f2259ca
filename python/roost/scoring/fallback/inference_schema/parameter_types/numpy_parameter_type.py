"""An array."""

from typing import Any, Dict

from .abstract_parameter_type import AbstractParameterType
from .dtype_schema import dtype_schema, nested_arrays


class NumpyParameterType(AbstractParameterType):
    """Like the sample: the type of its elements, and its shape after the first dimension."""

    def __init__(
        self, sample_input: Any, enforce_column_type: bool = True, enforce_shape: bool = True
    ) -> None:
        import numpy

        if not isinstance(sample_input, numpy.ndarray):
            raise TypeError(
                "NumpyParameterType takes an array as its sample, not a "
                f"{type(sample_input).__name__}"
            )
        super().__init__(sample_input)
        self.enforce_column_type = enforce_column_type
        self.enforce_shape = enforce_shape

    def deserialize_input(self, input_data: Any) -> Any:
        import numpy

        if isinstance(input_data, numpy.ndarray):
            return input_data
        dtype = self.sample_input.dtype
        if dtype.names:
            input_data = [_record(row, dtype.names) for row in input_data]
            array = numpy.array(input_data, dtype=dtype)
        elif self.enforce_column_type:
            array = numpy.array(input_data).astype(dtype)
        else:
            array = numpy.array(input_data)
        wanted = self.sample_input.shape
        if self.enforce_shape and (array.ndim != len(wanted) or array.shape[1:] != wanted[1:]):
            expected = ("any", *wanted[1:]) if wanted else ()
            raise ValueError(f"the input has the shape {array.shape}, expected is {expected}")
        return array

    def input_to_swagger(self) -> Dict[str, Any]:
        sample = self.sample_input
        schema = nested_arrays(dtype_schema(sample.dtype), sample.ndim)
        names = sample.dtype.names
        example = [_row(row, names) for row in sample] if names else _plain(sample)
        return {**schema, "format": "numpy.ndarray", "example": example}


def _record(row: Any, names: Any) -> Any:
    return tuple(row[name] for name in names) if isinstance(row, dict) else tuple(row)


def _row(row: Any, names: Any) -> Dict[str, Any]:
    return {name: _plain(row[name]) for name in names}


def _plain(value: Any) -> Any:
    kind = getattr(getattr(value, "dtype", None), "kind", "")
    if kind in ("M", "m", "S"):
        value = value.astype(str)
    return value.tolist() if hasattr(value, "tolist") else value
