"""Calls a Roost server with the standard library only."""
import http.client
import json
import ssl
import urllib.parse
from dataclasses import dataclass, field
from typing import Any, Dict, Iterator, Optional

NDJSON = "application/x-ndjson"
FRAMES = "application/x-roost-frames"


@dataclass
class Answer:
    status: int
    headers: Dict[str, str]
    body: bytes = field(repr=False)

    @property
    def content_type(self) -> str:
        return self.headers.get("content-type", "").split(";")[0].strip()

    @property
    def json(self) -> Any:
        return strict_json(self.body)

    @property
    def code(self) -> str:
        return self.json["error"]["code"]

    @property
    def message(self) -> str:
        return self.json["error"]["message"]


class Api:
    """One server and one token. Every call uses a connection of its own, so any thread may call."""

    def __init__(self, url: str, token: str, ca_file: Optional[str] = None, timeout: float = 30) -> None:
        self.url = urllib.parse.urlsplit(url)
        self.token = token
        self.ca_file = ca_file
        self.timeout = timeout

    def send(self, method: str, path: str, body: bytes = b"", content_type: str = "", token: Optional[str] = None,
             headers: Optional[Dict[str, str]] = None) -> Answer:
        """`path` is already encoded. `token` "" sends none."""
        connection = self.connect()
        try:
            connection.request(method, path, body, self.headers(content_type, token, headers))
            answer = connection.getresponse()
            names = {name.lower(): value for name, value in answer.getheaders()}
            return Answer(answer.status, names, answer.read())
        finally:
            connection.close()

    def lines(self, path: str, timeout: float = 60) -> Iterator[Any]:
        """The values of an NDJSON stream, each as soon as it is there. Close the generator to hang up."""
        connection = self.connect(timeout)
        try:
            connection.request("GET", path, headers=self.headers())
            answer = connection.getresponse()
            assert answer.status == 200, (answer.status, answer.read())
            assert answer.headers.get_content_type() == NDJSON, answer.headers
            while True:
                line = answer.readline()
                if not line:
                    return
                yield strict_json(line)
        finally:
            connection.close()

    def connect(self, timeout: Optional[float] = None) -> http.client.HTTPConnection:
        host, port = self.url.hostname, self.url.port
        seconds = timeout or self.timeout
        if self.url.scheme == "https":
            context = ssl.create_default_context(cafile=self.ca_file)
            return http.client.HTTPSConnection(host, port, timeout=seconds, context=context)
        return http.client.HTTPConnection(host, port, timeout=seconds)

    def headers(self, content_type: str = "", token: Optional[str] = None,
                more: Optional[Dict[str, str]] = None) -> Dict[str, str]:
        out = dict(more or {})
        secret = self.token if token is None else token
        if secret:
            out["Authorization"] = f"Bearer {secret}"
        if content_type:
            out["Content-Type"] = content_type
        return out


def strict_json(data: bytes) -> Any:
    """JSON as RFC 8259 has it: no NaN, no Infinity, valid UTF-8."""

    def refuse(word: str) -> None:
        raise ValueError(f"{word} is not JSON")

    return json.loads(data.decode("utf-8"), parse_constant=refuse)


def frame(payload: bytes, **header: Any) -> bytes:
    return json.dumps({**header, "length": len(payload)}).encode() + b"\n" + payload


def frames_of(body: bytes) -> Iterator[Any]:
    while body:
        line, body = body.split(b"\n", 1)
        header = strict_json(line)
        yield header, body[: header["length"]]
        body = body[header["length"]:]


def quote(text: str) -> str:
    return urllib.parse.quote(text, safe="")


def query(**values: Any) -> str:
    """?a=1&b=2&b=3; nothing for None."""
    given = {key: value for key, value in values.items() if value is not None}
    return "?" + urllib.parse.urlencode(given, doseq=True) if given else ""
