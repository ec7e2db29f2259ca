"""The one error of this package."""

from __future__ import annotations

_CODES = {
    400: "invalid_argument",
    401: "unauthenticated",
    403: "permission_denied",
    404: "not_found",
    405: "method_not_allowed",
    409: "failed_precondition",
    410: "given_up",
    413: "too_large",
    422: "data_mismatch",
    501: "unimplemented",
    507: "resource_exhausted",
}
RETRIED_STATUSES = (429, 502, 503, 504)


class RoostError(Exception):
    """A refusal, or no answer. `code` is one of the API's error codes."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"


def error_of_answer(status: int, reason: str, body: bytes) -> RoostError:
    """The error an answer tells of; of proxies too, which do not speak the API."""
    import json

    try:
        error = json.loads(body)["error"]
        return RoostError(str(error["code"]), str(error["message"]))
    except (ValueError, KeyError, TypeError):
        code = "unavailable" if status in RETRIED_STATUSES else _CODES.get(status, "internal")
        return RoostError(code, f"the server answered {status} {reason}")
