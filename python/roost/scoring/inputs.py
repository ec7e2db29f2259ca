"""From a request to the arguments of run(): a text, values by name, or the request itself."""

import inspect
import json
from typing import Any, Callable, Dict, List, Tuple
from urllib.parse import parse_qsl

from .aml_request import AMLRequest, BadRequest, header_names, is_json_type
from .frames import Head
from .multipart import media_type

Arguments = Dict[str, Any]
ReadInput = Callable[[Head, bytes], Arguments]


def text_input(parameter: str) -> ReadInput:
    """run() is not decorated: the body as a str, whatever its content type."""

    def read(head: Head, body: bytes) -> Arguments:
        if head["method"] == "GET":
            return {parameter: json.dumps(_query_values(head["query"]))}
        try:
            return {parameter: body.decode("utf-8")}
        except UnicodeDecodeError as error:
            raise BadRequest(f"Input cannot be decoded as UTF-8: {error}") from None

    return read


def schema_input(parameters: List[inspect.Parameter]) -> ReadInput:
    """run() has @input_schema: each parameter by its name; what else is there is left out."""
    wanted = [(parameter.name, parameter.default) for parameter in parameters]

    def read(head: Head, body: bytes) -> Arguments:
        values = _query_values(head["query"]) if head["method"] == "GET" else _object(head, body)
        return {name: _value(values, name, default) for name, default in wanted}

    return read


def raw_input(parameter: str) -> ReadInput:
    """run() has @rawhttp."""

    def read(head: Head, body: bytes) -> Arguments:
        return {
            parameter: AMLRequest(
                head["method"], head["path"], head["query"], head["headers"], body
            )
        }

    return read


def with_headers(read: ReadInput) -> ReadInput:
    """run() has a parameter request_headers too."""

    def read_both(head: Head, body: bytes) -> Arguments:
        arguments = read(head, body)
        arguments["request_headers"] = header_names(head["headers"])
        return arguments

    return read_both


def _value(values: Dict[str, Any], name: str, default: Any) -> Any:
    if name in values:
        return values[name]
    if default is inspect.Parameter.empty:
        raise BadRequest(f"A value is not provided for the {name!r} parameter.")
    return default


def _object(head: Head, body: bytes) -> Dict[str, Any]:
    if not is_json_type(media_type(head["headers"].get("content-type", ""))[0]):
        raise BadRequest("Expects Content-Type to be application/json", 415)
    if not body:
        raise BadRequest("POST body is empty. Expecting a JSON dictionary.")
    try:
        value = json.loads(body.decode("utf-8"))
    except ValueError as error:  # UnicodeDecodeError is one
        raise BadRequest(f"POST body could not be decoded as JSON: {error}") from None
    if not isinstance(value, dict):
        raise BadRequest("POST body should be a JSON dictionary.")
    return value


def _query_values(query: str) -> Dict[str, Any]:
    """Values are JSON where they can be read so; a name that comes again makes a list."""
    found: Dict[str, List[Any]] = {}
    for name, text in parse_qsl(query, keep_blank_values=True):
        found.setdefault(name, []).append(_json_or_text(text))
    return {name: values[0] if len(values) == 1 else values for name, values in found.items()}


def _json_or_text(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def run_parameters(run: Callable[..., Any]) -> Tuple[List[inspect.Parameter], bool]:
    """Those for input, and whether there is one for the headers. ValueError if it is not to be
    called so."""
    parameters = list(inspect.signature(run).parameters.values())
    allowed = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    if any(parameter.kind not in allowed for parameter in parameters):
        raise ValueError("run() cannot accept positional-only arguments, *args, or **kwargs.")
    others = [parameter for parameter in parameters if parameter.name != "request_headers"]
    has_headers = len(others) < len(parameters)
    if not others:
        raise ValueError(
            'run() needs to accept an argument other than "request_headers".'
            if has_headers
            else "run() needs to accept an argument for input data."
        )
    return others, has_headers
