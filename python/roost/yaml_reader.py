"""Reads one YAML document; roost.yaml says which part of YAML."""

from __future__ import annotations

import re
from typing import Any, Dict, List, Optional

from .yaml_scanner import Scanner, plain_value

_DEEPEST = 100


class Reader(Scanner):
    """Lists and mappings, in block and in flow style."""

    def document(self) -> Any:
        self._skip()
        if self._char() == "%" and self._column() == 0:
            self._fail("directives such as %YAML are not supported; remove the line")
        if self._marker("---"):
            self._at += 3
            self._skip()
        value = None if self._at_end() else self._block(-1, 0)
        self._skip()
        if self._marker("..."):
            self._at += 3
            self._skip()
        if self._marker("---"):
            self._fail("a second document begins here; only one is read")
        if self._at < len(self._text):
            self._fail(f"cannot make sense of {self._rest_of_line()[:40]!r}; check the indentation")
        return value

    def _marker(self, marker: str) -> bool:
        here = self._text.startswith(marker, self._at)
        return here and self._column() == 0 and self._blank_at(3)

    def _at_end(self) -> bool:
        return self._at >= len(self._text) or self._marker("---") or self._marker("...")

    # Block style.

    def _block(self, parent: int, depth: int) -> Any:
        """The value that begins here and is indented by more than `parent` columns."""
        if depth > _DEEPEST:
            self._fail(f"more than {_DEEPEST} levels deep")
        if self._is_item():
            return self._list(self._column(), depth)
        if self._char() == "?" and self._blank_at(1):
            self._fail("keys marked by '?' are not supported; write key: value")
        if self._is_key():
            return self._mapping(self._column(), depth)
        return self._node(parent, depth)

    def _is_item(self) -> bool:
        return self._char() == "-" and self._blank_at(1)

    def _is_key(self) -> bool:
        """Whether `key:` stands here. A key fits on its line."""
        start = self._at
        try:
            return self._key() is not None
        finally:
            self._at = start

    def _key(self) -> Optional[str]:
        """The text of the key and past its colon, or None."""
        char = self._char()
        if char in ("'", '"'):
            if not _closed(self._rest_of_line()):
                return None
            key = self._quoted(-1)
            while self._char() in (" ", "\t") and self._char():
                self._at += 1
        elif char in ("[", "{", "&", "*", "!", "|", ">", "%", "@", "`", ""):
            return None
        else:
            line = self._rest_of_line()
            comment = re.search(r"[ \t]#", line)
            colon = re.search(r":(?=[ \t]|\Z)", line)
            if not colon or (comment and comment.start() < colon.start()):
                return None
            key = line[: colon.start()].rstrip()
            self._at += colon.start()
        if self._char() != ":" or not self._blank_at(1):
            return None
        self._at += 1
        return key

    def _list(self, column: int, depth: int) -> List[Any]:
        items: List[Any] = []
        while not self._at_end() and self._column() == column and self._is_item():
            self._at += 1
            items.append(self._value(column, depth, compact=True))
            self._skip()
        self._check_indent(column, "list")
        return items

    def _mapping(self, column: int, depth: int) -> Dict[Any, Any]:
        found: Dict[Any, Any] = {}
        while not self._at_end() and self._column() == column and not self._is_item():
            start = self._at
            quoted = self._char() in ("'", '"')
            text = self._key()
            if text is None:
                self._at = start
                self._refuse_indicators()
                self._fail(f"expected `key: value`, found {self._rest_of_line()[:40]!r}")
            key = text if quoted else plain_value(text)
            if key in found:
                self._fail(f"the key {text!r} is there twice", start)
            found[key] = self._value(column, depth, compact=False)
            self._skip()
        self._check_indent(column, "mapping")
        return found

    def _check_indent(self, column: int, kind: str) -> None:
        if not self._at_end() and self._column() > column:
            self._fail(f"this line is indented further than the {kind} it belongs to")

    def _value(self, column: int, depth: int, compact: bool) -> Any:
        """What follows `- ` or `key:` at `column`; on this line or indented on the next."""
        line_end = self._at + len(self._rest_of_line())
        self._skip()
        if self._at_end():
            return None
        if self._at <= line_end:
            if compact:
                return self._block(column, depth + 1)
            if self._is_item():
                self._fail("a list cannot begin on the line of its key; put it on the next line")
            if self._is_key():
                self._fail("a second key on the same line; put the text in quotes or on a new line")
            return self._node(column, depth)
        deeper = self._column() > column
        list_of_key = not compact and self._column() == column and self._is_item()
        return self._block(column, depth + 1) if deeper or list_of_key else None

    # Nodes that are not block collections.

    def _node(self, parent: int, depth: int) -> Any:
        self._refuse_indicators()
        char = self._char()
        if char in ("[", "{"):
            value = self._flow(depth + 1)
            self._end_of_line()
            return value
        if char in ("|", ">"):
            return self._block_scalar(parent)
        if char in ("'", '"'):
            text = self._quoted(parent)
            self._end_of_line()
            return text
        return plain_value(self._plain(parent))

    def _refuse_indicators(self) -> None:
        char = self._char()
        if char == "&":
            self._fail("anchors (&name) are not supported; write the value out")
        if char == "*":
            self._fail("aliases (*name) are not supported; write the value out, or quote the text")
        if char == "!":
            self._fail("tags (!name) are not supported; remove it, or quote the text")
        if char in ("@", "`", "%", ",", "]", "}") and char:
            self._fail(f"a text cannot begin with {char!r}; put it in quotes")

    def _end_of_line(self) -> None:
        rest = self._rest_of_line()
        if rest.strip() and not re.match(r"[ \t]+#", rest):
            self._fail(f"unexpected {rest.strip()[:40]!r} after the value")

    def _plain(self, parent: int) -> str:
        """A plain scalar, over as many lines as are indented by more than `parent`."""
        words = [self._plain_line()]
        while True:
            start = self._at
            lines = 0
            while self._rest_of_line().strip() == "" and self._at < len(self._text):
                self._at += len(self._rest_of_line()) + 1
                lines += 1
            if self._at >= len(self._text):
                break
            rest = self._rest_of_line()
            self._at += len(rest) - len(rest.lstrip(" "))
            if self._column() <= parent or rest.lstrip().startswith("#") or self._at_end():
                self._at = start
                break
            if self._text[start - 1 : start] == "#" or self._is_key():
                self._at = start
                break
            words.append("\n" * (lines - 1) or " ")
            words.append(self._plain_line())
        return "".join(words)

    def _plain_line(self) -> str:
        line = self._rest_of_line()
        comment = re.search(r"[ \t]#", line)
        colon = re.search(r":(?=[ \t]|\Z)", line)
        if colon and not (comment and comment.start() < colon.start()):
            self._fail("a colon in the middle of a text; put the text in quotes")
        if comment:
            self._at += comment.start()
            return line[: comment.start()].rstrip()
        self._at += len(line)
        return line.rstrip()

    # Flow style.

    def _flow(self, depth: int) -> Any:
        if depth > _DEEPEST:
            self._fail(f"more than {_DEEPEST} levels deep")
        opening, start = self._char(), self._at
        closing = "]" if opening == "[" else "}"
        items: List[Any] = []
        found: Dict[Any, Any] = {}
        self._at += 1
        while True:
            self._skip()
            if self._char() == "":
                self._fail(f"the {opening} that begins here has no closing {closing}", start)
            if self._char() == closing:
                self._at += 1
                return items if opening == "[" else found
            key = self._flow_item(depth)
            self._skip()
            if self._char() == ":":
                self._at += 1
                self._skip()
                value = None if self._char() in (",", closing) else self._flow_item(depth)
                self._flow_pair(opening, items, found, key, value)
            elif opening == "[":
                items.append(key)
            else:
                self._flow_pair(opening, items, found, key, None)
            self._skip()
            if self._char() == ",":
                self._at += 1
            elif self._char() not in (closing, ""):
                self._fail(f"expected , or {closing} in the {opening}...{closing} list")

    def _flow_pair(
        self, opening: str, items: List[Any], found: Dict[Any, Any], key: Any, value: Any
    ) -> None:
        if isinstance(key, (list, dict)):
            self._fail("a list or mapping cannot be a key")
        if opening == "[":
            items.append({key: value})
        elif key in found:
            self._fail(f"the key {key!r} is there twice")
        else:
            found[key] = value

    def _flow_item(self, depth: int) -> Any:
        self._refuse_indicators()
        char = self._char()
        if char in ("[", "{"):
            return self._flow(depth + 1)
        if char in ("'", '"'):
            return self._quoted(-1)
        words: List[str] = []
        while True:
            match = re.compile(r"(?:[^,\[\]{}\n:#]|:(?![ \t\n,\[\]{}]|\Z)|(?<![ \t\n])#)+").match(
                self._text, self._at
            )
            if match:
                words.append(match.group().strip())
                self._at = match.end()
            if self._char() in ("\n", "#") and self._char():
                self._skip()
                if self._char() not in ("", ",", "]", "}", ":"):
                    continue
            break
        text = " ".join(words)
        if not text:
            self._fail(f"unexpected {self._char()!r}")
        return plain_value(text)


def _closed(line: str) -> bool:
    """Whether the quoted text at the start of the line also ends on it."""
    if line[0] == "'":
        return re.match(r"'(?:[^']|'')*'", line) is not None
    return re.match(r'"(?:[^"\\]|\\.)*"', line) is not None
