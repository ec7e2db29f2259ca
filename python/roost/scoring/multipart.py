"""Forms with files: multipart/form-data, as browsers and `requests` send it."""

import io
import os
import shutil
from typing import Any, Dict, List, Optional, Tuple

from .headers import Headers


class FileStorage:
    """A file of a form: reads like an open file, and knows its name."""

    def __init__(self, name: str, filename: str, headers: Headers, data: bytes) -> None:
        self.name = name
        self.filename = filename
        self.headers = headers
        self.content_type: Optional[str] = headers.get("content-type")
        self.mimetype = media_type(self.content_type or "")[0]
        self.content_length = len(data)
        self.stream = io.BytesIO(data)

    def save(self, to: Any, buffer_size: int = 16384) -> None:
        """Writes it to a path, or into an open file."""
        if isinstance(to, (str, bytes, os.PathLike)):
            with open(to, "wb") as file:
                shutil.copyfileobj(self.stream, file, buffer_size)
        else:
            shutil.copyfileobj(self.stream, to, buffer_size)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)  # read, seek, tell, readline, close and so on

    def __iter__(self) -> Any:
        return iter(self.stream)

    def __repr__(self) -> str:
        return f"<FileStorage: {self.filename!r} ({self.content_type!r})>"


def media_type(value: str) -> Tuple[str, Dict[str, str]]:
    """'text/html; charset="utf-8"' as ('text/html', {'charset': 'utf-8'})."""
    parts = _split_outside_quotes(value)
    options = {}
    for part in parts[1:]:
        name, found, text = part.partition("=")
        text = text.strip()
        if len(text) >= 2 and text[0] == text[-1] == '"':
            text = text[1:-1].replace('\\"', '"').replace("\\\\", "\\")
        if found:
            options[name.strip().lower()] = text
    return parts[0].strip().lower(), options


def parse_form(
    body: bytes, boundary: str
) -> Tuple[List[Tuple[str, str]], List[Tuple[str, FileStorage]]]:
    """The fields and the files of a body. What is cut off or malformed is left out."""
    fields: List[Tuple[str, str]] = []
    files: List[Tuple[str, FileStorage]] = []
    if not boundary:
        return fields, files
    line = b"--" + boundary.encode("latin-1", "replace")
    # The first boundary need not follow a line end, all others do.
    for part in (b"\r\n" + body).split(b"\r\n" + line)[1:]:
        if part.startswith(b"--"):
            break
        head, found, data = part.partition(b"\r\n\r\n")
        if not found:
            continue
        headers = Headers()
        for text in head.decode("utf-8", "replace").split("\r\n"):
            name, colon, value = text.partition(":")
            if colon:
                headers.add(name.strip(), value.strip())
        kind, options = media_type(headers.get("content-disposition") or "")
        name = options.get("name", "")
        if kind != "form-data" or not name:
            continue
        if "filename" in options:
            files.append((name, FileStorage(name, options["filename"], headers, data)))
        else:
            fields.append((name, data.decode("utf-8", "replace")))
    return fields, files


def _split_outside_quotes(value: str) -> List[str]:
    parts = [""]
    quoted = escaped = False
    for character in value:
        if character == ";" and not quoted:
            parts.append("")
            continue
        if character == '"' and not escaped:
            quoted = not quoted
        escaped = character == "\\" and quoted and not escaped
        parts[-1] += character
    return parts
