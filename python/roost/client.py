"""The REST API of a Roost server."""

from __future__ import annotations

import json
import os
import random
import time
from typing import TYPE_CHECKING, Any, BinaryIO, Callable, Dict, Iterator, Optional, Union, cast

from .connections import Connections
from .errors import RETRIED_STATUSES, RoostError, error_of_answer

if TYPE_CHECKING:
    import http.client

__all__ = ["Client", "RoostError", "quote"]

_CHUNK = 1 << 20
_FIRST_DELAY_SECONDS = 0.1
_LONGEST_DELAY_SECONDS = 5.0
_PATIENCE_SECONDS = 120.0
# Who sits in front of it rather hears that the server is off.
_PERSONS_PATIENCE_SECONDS = 20.0
_PERSONS_FIRST_PATIENCE_SECONDS = 2.0
_STREAM_SILENCE_SECONDS = 35.0  # streams have a ping every 10 seconds
# These say what is to be so, not that something is to be done once more.
_REPEATABLE_POSTS = (
    "/blobs",
    "/blobs/missing",
    "/blobs/fetch",
    "/snapshots",
    "/records",
    "/complete",
    "/fail",
    "/files",
    "/environments",
)

Content = Union[BinaryIO, bytes]
Progress = Callable[[int], Any]


class Client:
    """Calls a server with a token. Keeps connections open; any thread may use it, and a forked
    child too.

    While the server restarts or is busy, calls that may be repeated are repeated for
    `patience_seconds`, or `first_patience_seconds` until the server has answered once. A server
    that comes back at another address is found by its `server_file`.
    """

    def __init__(
        self,
        url: str,
        token: str,
        ca_file: Optional[str] = None,
        patience_seconds: float = _PATIENCE_SECONDS,
        first_patience_seconds: Optional[float] = None,
        server_file: Optional[str] = None,
    ) -> None:
        self.url = url.rstrip("/")
        self.token = token
        self.ca_file = ca_file
        self._patience = patience_seconds
        self._first_patience = (
            patience_seconds if first_patience_seconds is None else first_patience_seconds
        )
        self._answered = False
        self._server_file = server_file
        try:
            self._connections = Connections(self.url, ca_file)
        except ValueError as error:
            raise RoostError("invalid_argument", f"{error}. Correct ROOST_URL.") from None

    @classmethod
    def connect(
        cls, url: Optional[str] = None, token: Optional[str] = None, ca_file: Optional[str] = None
    ) -> Client:
        """The client of what is given, of ROOST_URL and ROOST_TOKEN, or of the server of this
        machine. Calls nobody yet; RoostError when there is no server to be found."""
        from .discovery import find_server

        found = find_server(url, token, ca_file)
        if os.environ.get("ROOST_SPOOL"):
            return cls(found.url, found.token, found.ca_file, server_file=found.server_file)
        return cls(
            found.url,
            found.token,
            found.ca_file,
            _PERSONS_PATIENCE_SECONDS,
            _PERSONS_FIRST_PATIENCE_SECONDS,
            found.server_file,
        )

    @classmethod
    def from_environment(cls) -> Client:
        """The client of the run this process belongs to."""
        try:
            url, token = os.environ["ROOST_URL"], os.environ["ROOST_TOKEN"]
        except KeyError as missing:
            raise RoostError(
                "failed_precondition",
                f"{missing.args[0]} is not set. Start the script with `roost submit`.",
            ) from None
        ca_file, server_file = map(os.environ.get, ("ROOST_CA_FILE", "ROOST_SERVER_FILE"))
        return cls(url, token, ca_file, server_file=server_file)

    # JSON. Paths begin with /api/v1. Query values of None are left out, lists are repeated.

    def get(self, path: str, **query: Any) -> Any:
        return self._json("GET", path, None, query)

    def post(self, path: str, body: Any = None, **query: Any) -> Any:
        return self._json("POST", path, {} if body is None else body, query)

    def patch(self, path: str, body: Any = None, **query: Any) -> Any:
        return self._json("PATCH", path, {} if body is None else body, query)

    def put(self, path: str, body: Any = None, **query: Any) -> Any:
        return self._json("PUT", path, {} if body is None else body, query)

    def delete(self, path: str, **query: Any) -> Any:
        return self._json("DELETE", path, None, query)

    def pages(self, path: str, **query: Any) -> Iterator[Dict[str, Any]]:
        """The items of all pages of a list, each page asked for when it is needed."""
        while True:
            page = self.get(path, **query)
            yield from page["items"]
            cursor = page.get("next_cursor")
            if cursor is None:
                return
            query["cursor"] = cursor

    def lines(self, path: str, **query: Any) -> Iterator[Any]:
        """The lines of an NDJSON stream, each as it comes; close the iterator to hang up. Raises
        RoostError when the connection is lost; it does not begin again."""
        import http.client

        self._look_again()
        connection = self._connections.new(_STREAM_SILENCE_SECONDS)
        try:
            try:
                answer = self._ask(connection, "GET", path + _query(query), None, "")
                if answer.status != 200:
                    raise error_of_answer(answer.status, answer.reason, answer.read())
                self._answered = True
                for line in iter(answer.readline, b""):
                    yield json.loads(line)
            except (OSError, http.client.HTTPException, ValueError) as error:
                raise self._no_answer(error) from None
        finally:
            connection.close()

    # Bytes.

    def send(
        self,
        method: str,
        path: str,
        content: Content,
        content_type: str = "application/octet-stream",
        **query: Any,
    ) -> bytes:
        """Sends bytes, or a seekable file from its current position on; returns the answer."""
        return self.request(method, path + _query(query), content, content_type)

    def fetch(
        self, path: str, out: BinaryIO, progress: Optional[Progress] = None, **query: Any
    ) -> int:
        """Appends the bytes of the answer to `out` and returns how many there were. `progress` is
        called with the size of each piece. A lost connection is resumed where it broke."""
        import http.client

        target = path + _query(query)
        done = 0
        attempts = _Attempts(self)
        while True:
            connection = self._connections.borrow()
            try:
                answer = self._ask(
                    connection, "GET", target, None, "", f"bytes={done}-" if done else ""
                )
                if answer.status >= 300:
                    body = answer.read()
                    self._finish(connection, answer)
                    failure = error_of_answer(answer.status, answer.reason, body)
                    attempts.failed(failure, answer.status in RETRIED_STATUSES)
                    continue
                self._answered = True
                skip = done if answer.status == 200 else 0
                for piece in iter(lambda: answer.read(_CHUNK), b""):  # noqa: B023
                    skipped, skip = skip, max(0, skip - len(piece))
                    fresh = piece[skipped:]
                    _write(out, fresh)
                    done += len(fresh)
                    attempts.went_on()
                    if progress is not None and fresh:
                        progress(len(fresh))
                if answer.length:
                    raise http.client.IncompleteRead(b"", answer.length)
                self._finish(connection, answer)
                return done
            except _NotWritten as error:
                connection.close()
                raise error.cause from None
            except (OSError, http.client.HTTPException) as error:
                connection.close()
                attempts.failed(self._no_answer(error), not _is_certificate(error))

    def submit_run(self, path: str, spec: Any) -> Any:
        """Posts a run. Its key makes the server know a repeated post, so a lost answer is asked for
        again and never starts a second run."""
        content = json.dumps(spec, allow_nan=False).encode()
        answer = self.request("POST", path, content, "application/json", os.urandom(16).hex())
        return json.loads(answer)

    # Sweeps. Numbers that JSON does not know come as Python has them.

    def create_sweep(self, path: str, spec: Any) -> Dict[str, Any]:
        """Posts a sweep; a repeated post starts no second one."""
        return _sweep_facts(self.submit_run(path, spec))

    def get_sweep(self, sweep: str) -> Dict[str, Any]:
        return _sweep_facts(self.get(f"/api/v1/sweeps/{quote(sweep)}"))

    def update_sweep(self, sweep: str, **changes: Any) -> Dict[str, Any]:
        """Sets paused, stop, max_total_runs or max_concurrent_runs."""
        return _sweep_facts(self.patch(f"/api/v1/sweeps/{quote(sweep)}", changes))

    def list_trials(self, sweep: str, limit: int = 1000) -> Iterator[Dict[str, Any]]:
        """The trials in order of their number, each page asked for when it is needed."""
        after: Optional[int] = None
        while True:
            page = self.get(f"/api/v1/sweeps/{quote(sweep)}/trials", limit=limit, after=after)
            yield from map(_sweep_facts, page["trials"])
            after = page.get("next")
            if after is None:
                return

    def add_trial(self, sweep: str, parameters: Dict[str, Any]) -> Dict[str, Any]:
        """A trial of these values, whatever the sampler thinks."""
        path = f"/api/v1/sweeps/{quote(sweep)}/trials"
        return _sweep_facts(self.post(path, {"parameters": parameters}))

    # What a run needs.

    def get_run(self, run: str) -> Dict[str, Any]:
        return cast(Dict[str, Any], self.get(f"/api/v1/runs/{quote(run)}"))

    def put_artifact(self, run: str, path: str, content: BinaryIO) -> None:
        """Stores the bytes of `content`, a seekable file, from its current position on."""
        self.send("PUT", f"/api/v1/runs/{quote(run)}/artifacts/{quote(path, '/')}", content)

    def request(
        self,
        method: str,
        path: str,
        content: Optional[Content] = None,
        content_type: str = "application/octet-stream",
        idempotency_key: str = "",
    ) -> bytes:
        """Returns the body of the answer. Raises RoostError. With a key any call is repeated."""
        import http.client

        file = None if content is None or isinstance(content, bytes) else content
        start = file.tell() if file else 0
        attempts = _Attempts(self)
        while True:
            if file:
                file.seek(start)
            connection = self._connections.borrow()
            try:
                answer = self._ask(
                    connection, method, path, content, content_type, "", idempotency_key
                )
                body = answer.read()
            except (OSError, http.client.HTTPException) as error:
                connection.close()
                repeat = bool(idempotency_key) or _is_repeatable(method, path)
                repeat = repeat or isinstance(error, ConnectionRefusedError)
                attempts.failed(self._no_answer(error), repeat and not _is_certificate(error))
                continue
            except BaseException:
                connection.close()
                raise
            self._finish(connection, answer)
            if answer.status < 300:
                self._answered = True
                return body
            failure = error_of_answer(answer.status, answer.reason, body)
            attempts.failed(failure, answer.status in RETRIED_STATUSES)

    def _json(self, method: str, path: str, body: Any, query: Dict[str, Any]) -> Any:
        content = None if body is None else json.dumps(body, allow_nan=False).encode()
        answer = self.request(method, path + _query(query), content, "application/json")
        return json.loads(answer) if answer else None

    def _ask(
        self,
        connection: http.client.HTTPConnection,
        method: str,
        path: str,
        content: Optional[Content],
        content_type: str,
        byte_range: str = "",
        idempotency_key: str = "",
    ) -> http.client.HTTPResponse:
        headers = {"Authorization": f"Bearer {self.token}", **self._connections.headers()}
        if byte_range:
            headers["Range"] = byte_range
        if idempotency_key:
            headers["Idempotency-Key"] = idempotency_key
        if content is not None:
            headers["Content-Type"] = content_type
            if not isinstance(content, bytes):
                start = content.tell()
                headers["Content-Length"] = str(content.seek(0, os.SEEK_END) - start)
                content.seek(start)
        target = self._connections.target(path)
        try:
            connection.request(method, target, content, headers)
        except (BrokenPipeError, ConnectionResetError):
            # A server may refuse a body before it has read it all, and say why.
            return _refusal(connection)
        return connection.getresponse()

    def _finish(
        self, connection: http.client.HTTPConnection, answer: http.client.HTTPResponse
    ) -> None:
        if answer.will_close:
            connection.close()
        else:
            self._connections.give_back(connection)

    def _look_again(self) -> None:
        """A server that was started again may listen at another port."""
        from .discovery import read_server_file

        found = read_server_file(self._server_file) if self._server_file else None
        if found is None or str(found["url"]).rstrip("/") == self.url:
            return
        url, ca_file = str(found["url"]).rstrip("/"), found.get("ca_file") or self.ca_file
        try:
            self._connections = Connections(url, ca_file)
        except ValueError:
            return
        self.url, self.ca_file = url, ca_file

    def _no_answer(self, error: Exception) -> RoostError:
        if _is_certificate(error):
            return RoostError(
                "unavailable",
                f"the certificate of {self.url} is not trusted ({error}). "
                "Set ROOST_CA_FILE to the certificate that signed it.",
            )
        return RoostError(
            "unavailable",
            f"no answer from the server at {self.url} ({error}). Check that it runs: `roost up`.",
        )


class _Attempts:
    """Waits between attempts; gives up in time."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self.went_on()

    def went_on(self) -> None:
        self._delay = _FIRST_DELAY_SECONDS
        self._began = time.monotonic()

    def failed(self, failure: RoostError, repeat: bool) -> None:
        client = self._client
        patience = client._patience if client._answered else client._first_patience
        if not repeat or time.monotonic() + self._delay > self._began + patience:
            raise failure
        time.sleep(self._delay * random.uniform(0.5, 1.0))
        client._look_again()
        self._delay = min(2 * self._delay, _LONGEST_DELAY_SECONDS)


def quote(text: str, safe: str = "") -> str:
    """`text` as a part of a path."""
    from urllib.parse import quote as percent_encode

    return percent_encode(str(text), safe=safe)


def _sweep_facts(facts: Any) -> Dict[str, Any]:
    """Only values of the metric: a parameter may be the text "NaN"."""
    from .metric_values import finite_or_not

    found = dict(facts)
    for name in ("best", "last"):
        value = found.get(name)
        if isinstance(value, dict):
            found[name] = {**value, "value": finite_or_not(value.get("value"))}
        elif name in found:
            found[name] = finite_or_not(value)
    return found


def _query(values: Dict[str, Any]) -> str:
    given = {key: _plain(value) for key, value in values.items() if value is not None}
    if not given:
        return ""
    from urllib.parse import urlencode

    return "?" + urlencode(given, doseq=True)


def _plain(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else value


def _is_repeatable(method: str, path: str) -> bool:
    return method != "POST" or path.split("?", 1)[0].endswith(_REPEATABLE_POSTS)


def _refusal(connection: http.client.HTTPConnection) -> http.client.HTTPResponse:
    import http.client

    if connection.sock is None:
        raise ConnectionResetError("the server closed the connection")
    try:
        answer = http.client.HTTPResponse(cast(Any, connection.sock))
        answer.begin()
    except (OSError, http.client.HTTPException):
        raise ConnectionResetError("the server closed the connection") from None
    answer.will_close = True
    return answer


def _is_certificate(error: Exception) -> bool:
    return type(error).__name__ == "SSLCertVerificationError"


class _NotWritten(Exception):
    """A full disk is not a lost server."""

    def __init__(self, cause: OSError) -> None:
        super().__init__(cause)
        self.cause = cause


def _write(out: BinaryIO, piece: bytes) -> None:
    try:
        out.write(piece)
    except OSError as error:
        raise _NotWritten(error) from None
