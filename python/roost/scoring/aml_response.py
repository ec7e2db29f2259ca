"""The answer that a script makes itself: the parts of Flask's Response that scripts use."""

import json
from typing import Any, Iterable, Mapping, Optional, Tuple, Union

from .headers import Headers

FAILED_HEADER = "x-ms-run-function-failed"


class Response:
    """Bytes with a status and headers."""

    def __init__(
        self,
        response: Union[str, bytes, Iterable[Any], None] = None,
        status: Union[int, str, None] = None,
        headers: Optional[Union[Mapping[str, Any], Iterable[Tuple[str, Any]]]] = None,
        mimetype: Optional[str] = None,
        content_type: Optional[str] = None,
    ) -> None:
        self.headers = Headers(headers or ())
        self.status_code = int(str(status).split()[0]) if status is not None else 200
        if content_type is None and mimetype is not None:
            content_type = mimetype + ("; charset=utf-8" if mimetype.startswith("text/") else "")
        if content_type is not None:
            self.headers["Content-Type"] = content_type
        elif "Content-Type" not in self.headers:
            self.headers["Content-Type"] = "text/html; charset=utf-8"
        self._body = b""
        self.set_data(b"" if response is None else response)

    def set_data(self, value: Any) -> None:
        if isinstance(value, str):
            self._body = value.encode("utf-8")
        elif isinstance(value, (bytes, bytearray, memoryview)):
            self._body = bytes(value)
        elif isinstance(value, Mapping):
            self._body = json.dumps(value).encode("utf-8")
        else:
            self._body = b"".join(
                part.encode("utf-8") if isinstance(part, str) else bytes(part) for part in value
            )

    def get_data(self, as_text: bool = False) -> Any:
        return self._body.decode("utf-8") if as_text else self._body

    @property
    def data(self) -> bytes:
        return self._body

    @data.setter
    def data(self, value: Any) -> None:
        self.set_data(value)

    @property
    def json(self) -> Any:
        return json.loads(self._body.decode("utf-8"))

    @property
    def status(self) -> str:
        import http

        try:
            return f"{self.status_code} {http.HTTPStatus(self.status_code).phrase.upper()}"
        except ValueError:
            return f"{self.status_code} UNKNOWN"

    @property
    def content_type(self) -> Any:
        return self.headers.get("Content-Type")

    @content_type.setter
    def content_type(self, value: str) -> None:
        self.headers["Content-Type"] = value

    @property
    def mimetype(self) -> str:
        return str(self.content_type or "").split(";")[0].strip().lower()

    @mimetype.setter
    def mimetype(self, value: str) -> None:
        self.headers["Content-Type"] = value

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {len(self._body)} bytes [{self.status}]>"


class AMLResponse(Response):
    """What Azure's scripts return: `message` as it is, or as JSON with `json_str`."""

    def __init__(
        self,
        message: Any,
        status_code: int,
        response_headers: Optional[Mapping[str, Any]] = None,
        json_str: bool = False,
        run_function_failed: bool = False,
    ) -> None:
        given = dict(response_headers or {})
        if message is None or json_str:
            text = json.dumps({} if message is None else message)
            super().__init__(text, status_code, mimetype="application/json")
        else:
            super().__init__(message, status_code)
            if any(name.lower() == "content-type" for name in given):
                self.headers.remove("Content-Type")
        self.headers[FAILED_HEADER] = run_function_failed
        for name, value in given.items():
            for part in str(value).split(","):
                self.headers.add(name, part.strip())


def is_response(value: Any) -> bool:
    """Ours, or one of Flask's or Werkzeug's."""
    return isinstance(value, Response) or all(
        hasattr(value, name) for name in ("status_code", "headers", "get_data")
    )
