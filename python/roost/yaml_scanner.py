"""Where a reader of YAML is in its text, and the scalars that span lines: quoted and block ones."""

from __future__ import annotations

import math
import re
from typing import Any, Dict, List, Match, NoReturn, Optional

_INT = re.compile(r"[-+]?[0-9]+\Z|0o[0-7]+\Z|0x[0-9a-fA-F]+\Z")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?\Z")
_WORDS: Dict[str, Any] = {"": None, "~": None, "null": None, "Null": None, "NULL": None}
_WORDS.update({"true": True, "True": True, "TRUE": True})
_WORDS.update({"false": False, "False": False, "FALSE": False})
_WORDS.update(dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), math.inf))
_WORDS.update(dict.fromkeys(("-.inf", "-.Inf", "-.INF"), -math.inf))
_WORDS.update(dict.fromkeys((".nan", ".NaN", ".NAN"), math.nan))
_ESCAPES = {
    "0": "\0", "a": "\a", "b": "\b", "t": "\t", "\t": "\t", "n": "\n", "v": "\v", "f": "\f",
    "r": "\r", "e": "\x1b", " ": " ", '"': '"', "/": "/", "\\": "\\", "N": "\x85", "_": "\xa0",
    "L": "\u2028", "P": "\u2029",
}  # fmt: skip
_WIDTHS = {"x": 2, "u": 4, "U": 8}


class YamlError(ValueError):
    """`line` counts from 1; the message begins with the name of the file and the line."""

    def __init__(self, name: str, line: int, problem: str) -> None:
        super().__init__(f"{name}, line {line}: {problem}")
        self.line = line


class Scanner:
    """Goes over the text once; `_at` is the next character."""

    def __init__(self, text: str, name: str) -> None:
        text = text[1:] if text.startswith("\ufeff") else text
        self._text = text.replace("\r\n", "\n").replace("\r", "\n")
        self._name = name
        self._at = 0

    # Where we are.

    def _fail(self, problem: str, at: Optional[int] = None) -> NoReturn:
        at = self._at if at is None else at
        raise YamlError(self._name, self._text.count("\n", 0, at) + 1, problem)

    def _char(self, ahead: int = 0) -> str:
        at = self._at + ahead
        return self._text[at] if at < len(self._text) else ""

    def _column(self) -> int:
        return self._at - (self._text.rfind("\n", 0, self._at) + 1)

    def _blank_at(self, ahead: int) -> bool:
        return self._char(ahead) in ("", " ", "\t", "\n")

    def _rest_of_line(self) -> str:
        end = self._text.find("\n", self._at)
        return self._text[self._at : end if end >= 0 else len(self._text)]

    def _skip(self) -> None:
        """To the next thing that is no blank, comment or end of line."""
        while True:
            char = self._char()
            if char == "\t" and self._text[self._at - self._column() : self._at].strip() == "":
                rest = self._rest_of_line().strip()
                if rest and not rest.startswith("#"):
                    self._fail("a tab indents this line; YAML allows only blanks there")
            if char in (" ", "\t", "\n") and char:
                self._at += 1
            elif char == "#" and (self._at == 0 or self._text[self._at - 1] in " \t\n"):
                self._at += len(self._rest_of_line())
            else:
                return

    # Scalars.

    def _quoted(self, parent: int) -> str:
        """A quoted scalar; line breaks in it are folded."""
        quote, start = self._char(), self._at
        self._at += 1
        parts: List[str] = []
        while True:
            char = self._char()
            if char == "":
                self._fail(f"the text that begins here has no closing {quote}", start)
            if char == "\n":
                self._fold(parts, parent)
            elif char == quote:
                self._at += 1
                if quote == "'" and self._char() == "'":
                    parts.append("'")
                    self._at += 1
                    continue
                return "".join(parts)
            elif char == "\\" and quote == '"':
                parts.append(self._escape())
            else:
                parts.append(char)
                self._at += 1

    def _fold(self, parts: List[str], parent: int) -> None:
        while parts and parts[-1] in (" ", "\t"):
            parts.pop()
        breaks = 0
        while self._char() in (" ", "\t", "\n") and self._char():
            breaks += self._char() == "\n"
            self._at += 1
        if self._char() and self._column() <= parent:
            self._fail("a quoted text goes on here, but the line is not indented enough")
        parts.append("\n" * (breaks - 1) or " ")

    def _escape(self) -> str:
        letter = self._char(1)
        if letter == "\n":
            self._at += 2
            while self._char() in (" ", "\t") and self._char():
                self._at += 1
            return ""
        if letter in _WIDTHS:
            digits = self._text[self._at + 2 : self._at + 2 + _WIDTHS[letter]]
            if not re.match(r"[0-9a-fA-F]+\Z", digits) or len(digits) < _WIDTHS[letter]:
                self._fail(f"\\{letter} needs {_WIDTHS[letter]} hexadecimal digits")
            if int(digits, 16) > 0x10FFFF:
                self._fail(f"\\{letter}{digits} is no character")
            self._at += 2 + len(digits)
            return chr(int(digits, 16))
        if letter not in _ESCAPES or not letter:
            self._fail(f"\\{letter} is no escape; write \\\\ for a backslash, or use single quotes")
        self._at += 2
        return _ESCAPES[letter]

    def _block_scalar(self, parent: int) -> str:
        head = re.match(r"([|>])([-+1-9]{0,2})[ \t]*(?:[ \t]#.*)?\Z", self._rest_of_line())
        if not head:
            self._fail("after | or > only -, + and an indentation may stand")
        self._at += len(self._rest_of_line()) + 1
        lines = self._block_lines(parent, head)
        kept = "\n".join(lines) if head.group(1) == "|" else _folded(lines)
        body = kept.rstrip("\n")
        if "-" in head.group(2):
            return body
        if "+" in head.group(2):
            return kept + "\n" if lines else ""
        return body + "\n" if body else ""

    def _block_lines(self, parent: int, head: Match[str]) -> List[str]:
        digits = re.sub(r"[-+]", "", head.group(2))
        width = max(parent, 0) + int(digits) if digits else -1
        lines: List[str] = []
        while self._at < len(self._text):
            line = self._rest_of_line()
            indent = len(line) - len(line.lstrip(" "))
            if line.strip(" ") == "" and (width < 0 or indent <= width):
                lines.append("")
            else:
                if width < 0:
                    width = indent
                if indent < width or indent <= parent:
                    break
                lines.append(line[width:])
            self._at += len(line) + 1
        self._at = min(self._at, len(self._text))
        while lines and lines[-1] == "" and "+" not in head.group(2):
            lines.pop()
        return lines


def _folded(lines: List[str]) -> str:
    """Lines of a > scalar: single breaks become blanks, but not around indented lines."""
    text = ""
    for number, line in enumerate(lines):
        if number == 0:
            text = line
            continue
        before = lines[number - 1]
        if line == "":
            text += "\n"
        elif before == "":
            earlier = next((kept for kept in reversed(lines[:number]) if kept), "")
            indented = line[:1] in (" ", "\t") or earlier[:1] in (" ", "\t") or not earlier
            text += ("\n" if indented else "") + line
        elif line[:1] in (" ", "\t") or before[:1] in (" ", "\t"):
            text += "\n" + line
        else:
            text += " " + line
    return text


def plain_value(text: str) -> Any:
    if text in _WORDS:
        return _WORDS[text]
    if _INT.match(text):
        return int(text, 0) if text[:2] in ("0o", "0x") else int(text)
    if _FLOAT.match(text):
        return float(text)
    return text
