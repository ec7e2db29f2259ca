"""The REST API of a Roost server, as far as a run needs it."""

import http.client
import json
import os
import random
import ssl
import time
import urllib.error
import urllib.request
from typing import Any, BinaryIO, Dict, List, Optional, cast
from urllib.parse import quote, urlsplit

_CHUNK = 1 << 20
_SOCKET_TIMEOUT_SECONDS = 300.0
_FIRST_DELAY_SECONDS = 0.1
_LONGEST_DELAY_SECONDS = 5.0
_RETRIED_STATUSES = (429, 502, 503, 504)
_CODES = {
    400: "invalid_argument",
    401: "unauthenticated",
    403: "permission_denied",
    404: "not_found",
    405: "method_not_allowed",
    409: "failed_precondition",
    413: "too_large",
    422: "data_mismatch",
    501: "unimplemented",
    507: "resource_exhausted",
}


class RoostError(Exception):
    """A refusal, or no answer. `code` is one of the API's error codes."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"


class Client:
    """Calls a server with a token. Holds no connection; any thread may use it.

    While the server restarts or is busy, calls that may be repeated are repeated for
    `patience_seconds`.
    """

    def __init__(
        self, url: str, token: str, ca_file: Optional[str] = None, patience_seconds: float = 120.0
    ) -> None:
        self.url = url.rstrip("/")
        self._token = token
        self._patience_seconds = patience_seconds
        self._opener = _make_opener(self.url, ca_file)

    @classmethod
    def from_environment(cls) -> "Client":
        """The client of the run this process belongs to."""
        try:
            url, token = os.environ["ROOST_URL"], os.environ["ROOST_TOKEN"]
        except KeyError as missing:
            raise RoostError(
                "failed_precondition",
                f"{missing.args[0]} is not set. Start the script with `roost submit`.",
            ) from None
        return cls(url, token, os.environ.get("ROOST_CA_FILE"))

    def get_run(self, run: str) -> Dict[str, Any]:
        answer = self.request("GET", f"/api/v1/runs/{quote(run, safe='')}")
        return cast(Dict[str, Any], json.loads(answer))

    def put_artifact(self, run: str, path: str, content: BinaryIO) -> None:
        """Stores the bytes of `content`, a seekable file, from its current position on."""
        self.request("PUT", f"/api/v1/runs/{quote(run, safe='')}/artifacts/{quote(path)}", content)

    def request(self, method: str, path: str, content: Optional[BinaryIO] = None) -> bytes:
        """Returns the body of the answer. Raises RoostError."""
        start = content.tell() if content else 0
        give_up_at = time.monotonic() + self._patience_seconds
        delay = _FIRST_DELAY_SECONDS
        while True:
            if content:
                content.seek(start)
            try:
                return self._send(method, path, content)
            except urllib.error.HTTPError as error:
                failure, repeat = _from_answer(error), error.code in _RETRIED_STATUSES
            except (OSError, http.client.HTTPException) as error:
                reason = getattr(error, "reason", error)
                failure = RoostError(
                    "unavailable",
                    f"no answer from the server at {self.url} ({reason}). "
                    "Check that it runs: `roost up`.",
                )
                repeat = method != "POST" or isinstance(reason, ConnectionRefusedError)
                repeat = repeat and not isinstance(reason, ssl.SSLCertVerificationError)
            if not repeat or time.monotonic() + delay > give_up_at:
                raise failure
            time.sleep(delay * random.uniform(0.5, 1.0))
            delay = min(2 * delay, _LONGEST_DELAY_SECONDS)

    def _send(self, method: str, path: str, content: Optional[BinaryIO]) -> bytes:
        request = urllib.request.Request(self.url + path, method=method)
        request.add_header("Authorization", f"Bearer {self._token}")
        if content is not None:
            start = content.tell()
            size = content.seek(0, os.SEEK_END) - start
            content.seek(start)
            request.data = iter(lambda: content.read(_CHUNK), b"")  # removes Content-Length
            request.add_header("Content-Length", str(size))
            request.add_header("Content-Type", "application/octet-stream")
        with self._opener.open(request, timeout=_SOCKET_TIMEOUT_SECONDS) as answer:
            return cast(bytes, answer.read())


def _make_opener(url: str, ca_file: Optional[str]) -> urllib.request.OpenerDirector:
    handlers: List[urllib.request.BaseHandler] = []
    if urlsplit(url).hostname in ("localhost", "127.0.0.1", "::1"):
        handlers.append(urllib.request.ProxyHandler({}))
    if ca_file:
        handlers.append(
            urllib.request.HTTPSHandler(context=ssl.create_default_context(cafile=ca_file))
        )
    return urllib.request.build_opener(*handlers)


def _from_answer(answer: urllib.error.HTTPError) -> RoostError:
    default_code = (
        "unavailable" if answer.code in _RETRIED_STATUSES else _CODES.get(answer.code, "internal")
    )
    try:
        error = json.loads(answer.read())["error"]
        return RoostError(error["code"], error["message"])
    except (OSError, ValueError, KeyError, TypeError, http.client.HTTPException):
        return RoostError(default_code, f"the server answered {answer.code} {answer.reason}")
