"""Calls of MLflow's REST API, to a server of MLflow or to Roost's."""

from __future__ import annotations

import base64
import http.client
import json
import os
import tempfile
import time
from typing import Any, BinaryIO, Dict, Iterator, Optional, Union, cast
from urllib.parse import quote, urlencode

from ..connections import Connections
from .store import StoreError

_PIECE = 1 << 20
_RETRIED = (408, 429, 500, 502, 503, 504)
_PATIENCE_SECONDS = 60.0
_FIRST_PAUSE_SECONDS = 0.2
_LONGEST_PAUSE_SECONDS = 5.0

Content = Union[bytes, BinaryIO, None]


class ApiError(StoreError):
    """What the server answered."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code


class Api:
    """`url` is what MLFLOW_TRACKING_URI would be. Every call is repeated while the server is away
    or busy: writes of this API may be repeated, except those that make a name, which then fail with
    RESOURCE_ALREADY_EXISTS."""

    def __init__(self, url: str, authorization: str = "", ca_file: Optional[str] = None) -> None:
        self.url = url.rstrip("/")
        self._authorization = authorization
        try:
            self._connections = Connections(self.url, ca_file)
        except ValueError as error:
            raise StoreError(str(error)) from None

    @classmethod
    def of_environment(cls, url: str) -> Api:
        """With what MLflow's clients log in with."""
        user = os.environ.get("MLFLOW_TRACKING_USERNAME")
        token = os.environ.get("MLFLOW_TRACKING_TOKEN")
        authorization = ""
        if user:
            password = os.environ.get("MLFLOW_TRACKING_PASSWORD", "")
            secret = base64.b64encode(f"{user}:{password}".encode()).decode()
            authorization = f"Basic {secret}"
        elif token:
            authorization = f"Bearer {token}"
        return cls(url, authorization, os.environ.get("MLFLOW_TRACKING_SERVER_CERT_PATH"))

    def get(self, call: str, **query: Any) -> Dict[str, Any]:
        given = {key: value for key, value in query.items() if value is not None}
        path = f"/api/2.0/mlflow/{call}"
        return self._json("GET", f"{path}?{urlencode(given, doseq=True)}" if given else path, None)

    def post(self, call: str, **body: Any) -> Dict[str, Any]:
        return self.send("POST", call, **body)

    def send(self, method: str, call: str, **body: Any) -> Dict[str, Any]:
        content = json.dumps(body, allow_nan=False).encode()
        return self._json(method, f"/api/2.0/mlflow/{call}", content)

    def pages(self, method: str, call: str, key: str, **asked: Any) -> Iterator[Dict[str, Any]]:
        """The items of all pages of a list."""
        while True:
            page = self.get(call, **asked) if method == "GET" else self.post(call, **asked)
            yield from page.get(key, [])
            token = page.get("next_page_token")
            if not token:
                return
            asked["page_token"] = token

    # Files; paths are those of mlflow-artifacts: URIs.

    def list_folder(self, path: str) -> Iterator[Dict[str, Any]]:
        answer = self._json(
            "GET", "/api/2.0/mlflow-artifacts/artifacts?" + urlencode({"path": path}), None
        )
        yield from answer.get("files", [])

    def fetch(self, path: str) -> BinaryIO:
        """A temporary file, at its start."""
        target = "/api/2.0/mlflow-artifacts/artifacts/" + quote(path)
        file = cast(BinaryIO, tempfile.TemporaryFile())  # noqa: SIM115
        try:
            self._call("GET", target, None, file)
        except BaseException:
            file.close()
            raise
        file.seek(0)
        return file

    def put(self, path: str, content: Content) -> None:
        self._call("PUT", "/api/2.0/mlflow-artifacts/artifacts/" + quote(path), content)

    def _json(self, method: str, path: str, content: Optional[bytes]) -> Dict[str, Any]:
        body = self._call(method, path, content)
        try:
            answer = json.loads(body) if body else {}
        except ValueError:
            raise StoreError(f"{self.url} is no MLflow server: it answers {body[:80]!r}") from None
        return answer if isinstance(answer, dict) else {}

    def _call(
        self, method: str, path: str, content: Content, out: Optional[BinaryIO] = None
    ) -> bytes:
        began = time.monotonic()
        pause = _FIRST_PAUSE_SECONDS
        while True:
            try:
                return self._try(method, path, content, out)
            except ApiError as error:
                worth_it = error.status in _RETRIED
                failure: Exception = error
            except (OSError, http.client.HTTPException) as error:
                worth_it = True
                failure = StoreError(f"{self.url} does not answer: {error or type(error).__name__}")
            if not worth_it or time.monotonic() - began > _PATIENCE_SECONDS:
                raise failure from None
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE_SECONDS)

    def _try(self, method: str, path: str, content: Content, out: Optional[BinaryIO]) -> bytes:
        headers = {"Content-Type": "application/json", **self._connections.headers()}
        if self._authorization:
            headers["Authorization"] = self._authorization
        if content is not None and not isinstance(content, bytes):
            headers["Content-Type"] = "application/octet-stream"
            headers["Content-Length"] = str(content.seek(0, os.SEEK_END))
            content.seek(0)
        if out is not None:
            out.seek(0)
            out.truncate()
        connection = self._connections.borrow()
        try:
            connection.request(method, self._connections.target(path), content, headers)
            answer = connection.getresponse()
            if out is None or answer.status >= 300:
                body = answer.read()
            else:
                body = b""
                for piece in iter(lambda: answer.read(_PIECE), b""):
                    out.write(piece)
                if answer.length:
                    raise http.client.IncompleteRead(b"", answer.length)
        except BaseException:
            connection.close()
            raise
        if answer.will_close:
            connection.close()
        else:
            self._connections.give_back(connection)
        if answer.status >= 300:
            raise _error(method, path, answer.status, body)
        return body


def _error(method: str, path: str, status: int, body: bytes) -> ApiError:
    try:
        told = json.loads(body)
        return ApiError(status, str(told["error_code"]), str(told["message"]))
    except (ValueError, KeyError, TypeError):
        text = body[:200].decode("utf-8", "replace")
        return ApiError(status, "", f"{method} {path.split('?')[0]} was answered {status}: {text}")
