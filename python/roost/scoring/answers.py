"""From what run() returned, or raised, to an answer: status, headers, body."""

import json
import time
from typing import Any, List, NamedTuple, Tuple

from .aml_request import BadRequest
from .aml_response import FAILED_HEADER, is_response
from .deadline import Deadline, ScoringTimeout
from .frames import Head
from .log import logger
from .script import Script, own_lines

_JSON = "application/json"
_RAISED = "An unexpected error occurred in scoring script. Check the logs for more info."
_INTERNAL = "An unexpected internal error occurred. Check the logs for more info."


class Answer(NamedTuple):
    status: int
    headers: List[Tuple[str, str]]
    body: bytes


def answer(script: Script, head: Head, body: bytes) -> Answer:
    """Calls run(). Only what ends a process gets through: SystemExit and KeyboardInterrupt."""
    limit = int(head.get("timeout_ms", 0))
    deadline = Deadline(limit)
    started = time.perf_counter()
    try:
        arguments = script.arguments(head, body)
        with deadline:
            started = time.perf_counter()
            value = script.run(**arguments)
            took = (time.perf_counter() - started) * 1000
    except BadRequest as error:
        return error_answer(error.code, error.description)
    except ScoringTimeout as error:
        return _timed_out(limit, own_lines(error))
    except Exception as error:
        if deadline.passed:
            return _timed_out(limit, own_lines(error))
        code = _code_of(error)
        if code is not None:
            return error_answer(code, str(getattr(error, "description", error)))
        logger.error("Encountered Exception: %s", own_lines(error))
        return error_answer(500, _RAISED, run_failed=True)
    if deadline.passed:
        return _timed_out(limit, "run() went on after it was interrupted")
    try:
        return _from_value(value, took)
    except Exception as error:
        logger.error("run() returned what cannot be sent: %s", own_lines(error))
        return error_answer(500, _INTERNAL)


def error_answer(status: int, message: str, run_failed: bool = False) -> Answer:
    text = json.dumps({"message": message})
    return Answer(
        status, [("Content-Type", _JSON), (FAILED_HEADER, str(run_failed))], text.encode("ascii")
    )


def _from_value(value: Any, took: float) -> Answer:
    timing = ("x-ms-run-fn-exec-ms", f"{took:.3f}")
    if not is_response(value):
        text = json.dumps({} if value is None else value)
        return Answer(
            200, [("Content-Type", _JSON), (FAILED_HEADER, "False"), timing], text.encode("ascii")
        )
    headers = [(str(name), str(text)) for name, text in value.headers.items()]
    status = int(value.status_code)
    if status >= 500:
        headers = [pair for pair in headers if pair[0].lower() != FAILED_HEADER]
        headers.append((FAILED_HEADER, "True"))
    return Answer(status, [*headers, timing], bytes(value.get_data()))


def _timed_out(limit: int, trace: str) -> Answer:
    logger.error("Scoring timeout after %d ms: %s", limit, trace)
    return error_answer(500, f"Scoring timeout after {limit} ms", run_failed=True)


def _code_of(error: Exception) -> Any:
    """Of an HTTP exception of Werkzeug's, as flask.abort(404) raises it."""
    code = getattr(error, "code", None)
    is_http = any(kind.__name__ == "HTTPException" for kind in type(error).__mro__)
    return code if is_http and isinstance(code, int) and 400 <= code < 600 else None
