"""The decorators of run()."""

import functools
import inspect
from typing import Any, Callable, Dict, TypeVar

from .parameter_types.abstract_parameter_type import AbstractParameterType
from .schema_util import keep_schemas, schemas_of

_Function = TypeVar("_Function", bound=Callable[..., Any])


def input_schema(
    param_name: str,
    param_type: AbstractParameterType,
    convert_to_provided_type: bool = True,
    optional: bool = False,
) -> Callable[[_Function], _Function]:
    """Converts the argument `param_name` to what the sample of `param_type` is."""
    if not isinstance(param_type, AbstractParameterType):
        raise TypeError(
            f"input_schema of {param_name!r} takes a parameter type, as "
            f"StandardPythonParameterType(sample), not a {type(param_type).__name__}"
        )

    def decorate(func: _Function) -> _Function:
        parameters = list(inspect.signature(func).parameters)
        if param_name not in parameters:
            raise ValueError(f"input_schema: {func.__name__}() has no parameter {param_name!r}")
        place = parameters.index(param_name)

        @functools.wraps(func)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            if convert_to_provided_type:
                if param_name in kwargs:
                    kwargs[param_name] = _convert(kwargs[param_name])
                elif place < len(args):
                    args = (*args[:place], _convert(args[place]), *args[place + 1 :])
            return func(*args, **kwargs)

        def _convert(value: Any) -> Any:
            return None if optional and value is None else param_type.deserialize_input(value)

        keep_schemas(wrapped, _with_input(func, param_name, param_type))
        return wrapped  # type: ignore[return-value]

    return decorate


def output_schema(output_type: AbstractParameterType) -> Callable[[_Function], _Function]:
    """Tells what run() returns; nothing is converted."""

    def decorate(func: _Function) -> _Function:
        @functools.wraps(func)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            return func(*args, **kwargs)

        keep_schemas(wrapped, {**schemas_of(func), "output": output_type.input_to_swagger()})
        return wrapped  # type: ignore[return-value]

    return decorate


def _with_input(
    func: Callable[..., Any], name: str, kind: AbstractParameterType
) -> Dict[str, Any]:
    schemas = schemas_of(func)
    before = schemas.get("input", {})
    described = kind.input_to_swagger()
    example = described.pop("example", None)
    given = {
        "type": "object",
        "properties": {name: described, **before.get("properties", {})},
        "example": {name: example, **before.get("example", {})},
    }
    return {**schemas, "input": given}
