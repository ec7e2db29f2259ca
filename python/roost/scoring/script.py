"""The entry script: found, imported, started once, then called for each request."""

import importlib.util
import os
import sys
import traceback
from types import ModuleType
from typing import Any, Callable, Optional

from . import aml_request
from .frames import Head
from .inputs import (
    Arguments,
    ReadInput,
    raw_input,
    run_parameters,
    schema_input,
    text_input,
    with_headers,
)
from .log import logger

_MODULE = "entry_module"


class ScriptError(Exception):
    """Why the script cannot serve, in its own words; `trace` is the traceback of its own lines."""

    def __init__(self, message: str, trace: str = "") -> None:
        super().__init__(message)
        self.trace = trace


class Script:
    """A script that was imported; init() is not called yet."""

    def __init__(self, module: ModuleType, place: str) -> None:
        for name in ("init", "run"):
            if not callable(getattr(module, name, None)):
                raise ScriptError(f"{place} does not have a {name}() function.")
        # A generated main.py holds the user's script as driver_module; its own run() passes on.
        inner = getattr(module, "driver_module", None)
        self.run: Callable[..., Any] = getattr(inner, "run", None) or module.run
        self._init: Callable[[], Any] = module.init
        self.place = place
        self.is_raw = False
        self._read = self._choose_input()

    def init(self) -> None:
        logger.info("Invoking user's init function")
        try:
            self._init()
        except BaseException as error:
            raise ScriptError(
                f"init() of {self.place} raised {in_words(error)}", own_lines(error)
            ) from error
        logger.info("Users's init has completed successfully")

    def arguments(self, head: Head, body: bytes) -> Arguments:
        """BadRequest if the request does not have them."""
        return self._read(head, body)

    def _choose_input(self) -> ReadInput:
        try:
            parameters, has_headers = run_parameters(self.run)
        except (ValueError, TypeError) as error:
            raise ScriptError(f"{self.place}: {error}") from None
        read = self._input_of(parameters)
        return with_headers(read) if has_headers else read

    def _input_of(self, parameters: Any) -> ReadInput:
        has_schema = is_schema_decorated(self.run)
        if aml_request.raw_http_requested and has_schema:
            raise ScriptError(
                f"{self.place}: run() cannot be decorated with both @rawhttp and @input_schema"
            )
        if aml_request.raw_http_requested:
            logger.info("run() is decorated with @rawhttp. It is called with the request.")
            self.is_raw = True
            return raw_input(parameters[0].name)
        if has_schema:
            names = ", ".join(parameter.name for parameter in parameters)
            logger.info("run() is decorated with @input_schema. It is called with: %s.", names)
            return schema_input(parameters)
        logger.info("run() is not decorated. It is called with the input in a string.")
        return text_input(parameters[0].name)


def load(app_root: str, entry_script: str) -> Script:
    """Imports the script. ScriptError has what it raised."""
    place = os.path.join(app_root, entry_script)
    if not os.path.isfile(place):
        raise ScriptError(f"there is no entry script {entry_script} below {app_root}.")
    spec = importlib.util.spec_from_file_location(_MODULE, place)
    if spec is None or spec.loader is None:
        raise ScriptError(f"{entry_script} is not a Python file: its name must end in .py.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[_MODULE] = module  # pickles and dataclasses look their module up
    try:
        spec.loader.exec_module(module)
    except BaseException as error:
        raise ScriptError(
            f"importing {entry_script} raised {in_words(error)}", own_lines(error)
        ) from error
    logger.info("Found user script at %s", place)
    return Script(module, entry_script)


def is_schema_decorated(run: Callable[..., Any]) -> bool:
    """By inference_schema, if the script has loaded it: the real one, or ours."""
    util: Optional[ModuleType] = sys.modules.get("inference_schema.schema_util")
    return util is not None and bool(util.is_schema_decorated(run))


def in_words(error: BaseException) -> str:
    return "".join(traceback.format_exception_only(type(error), error)).strip()


def own_lines(error: BaseException) -> str:
    """The traceback from the first line that is not of this package, or of the import system."""
    here = os.path.dirname(os.path.abspath(__file__))
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        file = trace.tb_frame.f_code.co_filename
        if os.path.dirname(os.path.abspath(file)) != here and "importlib" not in file:
            break
        trace = trace.tb_next
    return "".join(traceback.format_exception(type(error), error, trace))
