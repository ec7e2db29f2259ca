"""The request that a script with @rawhttp is given: the parts of Flask's that scripts use."""

import json
from typing import Any, Callable, Dict, Optional, TypeVar
from urllib.parse import parse_qsl

from .headers import Headers, MultiDict
from .multipart import media_type, parse_form

_Function = TypeVar("_Function", bound=Callable[..., Any])

raw_http_requested = False


def rawhttp(run: _Function) -> _Function:
    """Has run() called with the request instead of its body; for the whole process, as in Azure."""
    global raw_http_requested
    raw_http_requested = True
    return run


class BadRequest(Exception):
    """Answered with `code` instead of 500: the request is at fault, not the script."""

    code = 400

    def __init__(self, message: str, code: int = 400) -> None:
        super().__init__(message)
        self.code = code
        self.description = message


class AMLRequest:
    """One HTTP request, whole."""

    def __init__(
        self,
        method: str = "GET",
        path: str = "/score",
        query: str = "",
        headers: Optional[Dict[str, str]] = None,
        body: bytes = b"",
    ) -> None:
        self.method = method
        self.path = path
        self.query_string = query.encode("latin-1", "replace")
        self.headers = Headers(header_names(headers or {}))
        self.args = MultiDict(parse_qsl(query, keep_blank_values=True))
        self._body = body
        self._form: Optional[MultiDict] = None
        self._files: Optional[MultiDict] = None

    # What it is.

    @property
    def full_path(self) -> str:
        """With the query, or a bare question mark, as Flask has it."""
        return self.path + "?" + self.query_string.decode("latin-1")

    @property
    def host(self) -> str:
        return str(self.headers.get("Host", ""))

    @property
    def base_url(self) -> str:
        return f"http://{self.host}{self.path}"

    @property
    def url(self) -> str:
        return f"http://{self.host}{self.full_path.rstrip('?')}"

    @property
    def content_type(self) -> Optional[str]:
        found: Optional[str] = self.headers.get("Content-Type")
        return found

    @property
    def mimetype(self) -> str:
        return media_type(self.content_type or "")[0]

    @property
    def content_length(self) -> int:
        return len(self._body)

    @property
    def is_json(self) -> bool:
        return is_json_type(self.mimetype)

    # Its body.

    @property
    def data(self) -> bytes:
        return self._body

    @property
    def stream(self) -> Any:
        import io

        return io.BytesIO(self._body)

    def get_data(
        self, cache: bool = True, as_text: bool = False, parse_form_data: bool = False
    ) -> Any:
        return self._body.decode("utf-8", "replace") if as_text else self._body

    @property
    def json(self) -> Any:
        return self.get_json()

    def get_json(self, force: bool = False, silent: bool = False, cache: bool = True) -> Any:
        if not force and not self.is_json:
            if silent:
                return None
            raise BadRequest(
                "Did not attempt to load JSON data because the request Content-Type was not "
                "'application/json'.",
                415,
            )
        try:
            return json.loads(self._body.decode("utf-8"))
        except ValueError as error:
            if silent:
                return None
            raise BadRequest(f"Failed to decode JSON object: {error}") from None

    @property
    def form(self) -> MultiDict:
        self._read_form()
        assert self._form is not None
        return self._form

    @property
    def files(self) -> MultiDict:
        self._read_form()
        assert self._files is not None
        return self._files

    @property
    def values(self) -> MultiDict:
        both = [pair for given in (self.args, self.form) for pair in given.lists()]
        return MultiDict((name, value) for name, values in both for value in values)

    def _read_form(self) -> None:
        if self._form is not None:
            return
        kind, options = media_type(self.content_type or "")
        self._form = self._files = MultiDict()
        if kind == "application/x-www-form-urlencoded":
            text = self._body.decode("utf-8", "replace")
            self._form = MultiDict(parse_qsl(text, keep_blank_values=True))
        elif kind == "multipart/form-data":
            fields, files = parse_form(self._body, options.get("boundary", ""))
            self._form, self._files = MultiDict(fields), MultiDict(files)

    def __repr__(self) -> str:
        return f"<AMLRequest {self.full_path.rstrip('?')!r} [{self.method}]>"


def header_names(headers: Dict[str, str]) -> Dict[str, str]:
    """Names as WSGI servers give them: content-type becomes Content-Type."""
    return {name.title(): value for name, value in headers.items()}


def is_json_type(mimetype: str) -> bool:
    return mimetype == "application/json" or (
        mimetype.startswith("application/") and mimetype.endswith("+json")
    )
