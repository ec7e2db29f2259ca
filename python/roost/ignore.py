"""What a snapshot leaves out: .amlignore or .gitignore, as git reads them.

Bytes are matched, not characters, as git does. The same rules as src/snapshot/ignore_rules.h.
"""

from __future__ import annotations

from typing import Dict, FrozenSet, List, NamedTuple, Optional, Set, Tuple

AML_IGNORE = b".amlignore"
GIT_IGNORE = b".gitignore"

_LONGEST_PATH = 4096
_MOST_REMEMBERED = 20_000
_SPECIAL = frozenset(b"*?[\\")
_SLASH = ord("/")
_ALL = frozenset(range(256))


def _span(low: str, high: str) -> FrozenSet[int]:
    return frozenset(range(ord(low), ord(high) + 1))


_DIGIT, _LOWER, _UPPER = _span("0", "9"), _span("a", "z"), _span("A", "Z")
_GRAPH = _span("!", "~")
# git's own: ASCII only, and "\v" and "\f" are no spaces.
_NAMED = {
    b"alnum": _LOWER | _UPPER | _DIGIT,
    b"alpha": _LOWER | _UPPER,
    b"blank": frozenset(b" \t"),
    b"cntrl": frozenset(range(0x20)) | {0x7F},
    b"digit": _DIGIT,
    b"graph": _GRAPH,
    b"lower": _LOWER,
    b"print": _GRAPH | {0x20},
    b"punct": _GRAPH - _LOWER - _UPPER - _DIGIT,
    b"space": frozenset(b" \t\n\r"),
    b"upper": _UPPER,
    b"xdigit": _DIGIT | _span("a", "f") | _span("A", "F"),
}


class _Token(NamedTuple):
    kind: str  # "bytes", "star", "deep", or the two halves of "**/": "entry" and "inside"
    bytes: FrozenSet[int] = frozenset()


def _read_class(pattern: bytes, start: int) -> Optional[Tuple[FrozenSet[int], int]]:
    """The bytes of the class that opens at `start`, and where the pattern goes on."""

    def peek(at: int) -> int:
        return pattern[at] if at < len(pattern) else 0

    at = start + 1
    negated = peek(at) in b"!^" and peek(at) != 0
    if negated:
        at += 1
    found: Set[int] = set()
    range_start = 0  # 0: a "-" here stands for itself
    first = True
    while first or peek(at) != ord("]"):
        first = False
        c = peek(at)
        if c == 0:
            return None
        if c == ord("-") and range_start and peek(at + 1) not in (0, ord("]")):
            at += 1
            if peek(at) == ord("\\"):
                at += 1
            if peek(at) == 0:
                return None
            found.update(range(range_start, peek(at) + 1))
            range_start = 0
            at += 1
            continue
        if c == ord("[") and peek(at + 1) == ord(":"):
            end = pattern.find(b"]", at + 2)
            if end < 0:
                return None
            if end > at + 2 and pattern[end - 1] == ord(":"):
                named = _NAMED.get(pattern[at + 2 : end - 1])
                if named is None:
                    return None
                found.update(named)
                range_start = 0
                at = end + 1
                continue
        elif c == ord("\\"):
            at += 1
            c = peek(at)
            if c == 0:
                return None
        range_start = c
        found.add(c)
        at += 1
    chosen = _ALL - found if negated else frozenset(found)
    return chosen - {_SLASH}, at + 1


def _tokens(pattern: bytes) -> Optional[List[_Token]]:
    tokens: List[_Token] = []
    after_slash = True
    at = 0
    while at < len(pattern):
        c = pattern[at]
        if c == ord("*"):
            start = at
            while at < len(pattern) and pattern[at] == ord("*"):
                at += 1
            alone = at - start > 1 and after_slash
            if alone and pattern[at : at + 1] == b"/":
                # Nothing, or anything that ends in a slash. Twice in a row is the same as once.
                at += 1
                if not tokens or tokens[-1].kind != "inside":
                    tokens += [_Token("entry"), _Token("inside")]
                continue
            deep = alone and (at == len(pattern) or pattern[at : at + 2] == b"\\/")
            tokens.append(_Token("deep" if deep else "star"))
            after_slash = False
            continue
        after_slash = c == _SLASH
        if c == ord("["):
            read = _read_class(pattern, at)
            if read is None:
                return None
            tokens.append(_Token("bytes", read[0]))
            at = read[1]
        elif c == ord("\\"):
            if at + 1 == len(pattern):
                return None
            tokens.append(_Token("bytes", frozenset((pattern[at + 1],))))
            after_slash = pattern[at + 1] == _SLASH
            at += 2
        else:
            tokens.append(_Token("bytes", _ALL - {_SLASH} if c == ord("?") else frozenset((c,))))
            at += 1
    return tokens


class Glob:
    """A wildcard pattern as an automaton, so that no pattern takes forever.

    Bit i of a state: the first i tokens have matched the text so far.
    """

    def __init__(self, tokens: List[_Token]) -> None:
        self._tokens = tokens
        self._final = 1 << len(tokens)
        self._skip_one = self._skip_two = 0
        self._shortest = 0
        for i, token in enumerate(tokens):
            if token.kind == "bytes":
                self._shortest += 1
            elif token.kind != "inside":
                self._skip_one |= 1 << i
            if token.kind == "entry":
                self._skip_two |= 1 << i
        self._rows: Dict[int, Tuple[int, int]] = {}
        self._start = self._close(1)
        self._steps: Dict[Tuple[int, int], int] = {}
        fixed_end = tokens and tokens[-1].kind == "bytes"
        self.last_bytes = tokens[-1].bytes if fixed_end else _ALL

    @staticmethod
    def compile(pattern: bytes) -> Optional[Glob]:
        """None if no text can match: a class that is not closed, a backslash at the end."""
        tokens = _tokens(pattern)
        if tokens is None or sum(t.kind == "bytes" for t in tokens) > _LONGEST_PATH:
            return None
        return Glob(tokens)

    def matches(self, text: bytes) -> bool:
        if len(text) < self._shortest:
            return False
        state = self._start
        steps = self._steps
        for c in text:
            after = steps.get((state, c))
            if after is None:
                after = self._step(state, c)
                if len(steps) >= _MOST_REMEMBERED:
                    steps.clear()
                steps[state, c] = after
            if after == 0:
                return False
            state = after
        return state & self._final != 0

    def _step(self, state: int, c: int) -> int:
        row = self._rows.get(c)
        if row is None:
            row = self._rows[c] = self._row(c)
        goes, stays = row
        return self._close((state & goes) << 1 | state & stays)

    def _row(self, c: int) -> Tuple[int, int]:
        """The tokens that byte c completes, and those it leaves as they are."""
        goes = stays = 0
        for i, token in enumerate(self._tokens):
            if token.kind == "bytes":
                goes |= (c in token.bytes) << i
            elif token.kind == "inside":
                goes |= (c == _SLASH) << i
                stays |= 1 << i
            elif token.kind == "deep":
                stays |= 1 << i
            elif token.kind == "star":
                stays |= (c != _SLASH) << i
        return goes, stays

    def _close(self, state: int) -> int:
        """Adds the states reached by matching nothing. Few tokens in a row can do that."""
        while True:
            more = state | (state & self._skip_one) << 1 | (state & self._skip_two) << 2
            if more == state:
                return state
            state = more


class IgnorePattern:
    """One line of an ignore file."""

    def __init__(self, includes: bool, folders_only: bool, by_path: bool, text: bytes) -> None:
        self.includes = includes
        self.folders_only = folders_only
        self.by_path = by_path
        self.literal = text
        self.ends = False  # the literal is only the end of the name
        self.glob: Optional[Glob] = None
        special = next((i for i, c in enumerate(text) if c in _SPECIAL), None)
        if special is None:
            pass
        elif not by_path and text[0] == ord("*") and not _SPECIAL.intersection(text[1:]):
            self.ends = True
            self.literal = text[1:]
        else:
            # git compares what comes before the first wildcard by itself and sees only the rest
            # as a pattern, so in "a**/b" the stars stand at the beginning.
            self.literal = text[:special] if by_path else b""
            self.glob = Glob.compile(text[len(self.literal) :])
        self.valid = special is None or self.ends or self.glob is not None
        if self.glob:
            self.last_bytes = self.glob.last_bytes
        else:
            self.last_bytes = frozenset(self.literal[-1:]) if self.literal else _ALL

    @staticmethod
    def parse(line: bytes) -> Optional[IgnorePattern]:
        """None for an empty line, a comment and a pattern that matches no path."""
        line = line.split(b"\0", 1)[0]
        if not line or line[:1] == b"#":
            return None
        line = _without_blanks_at_end(line)
        includes = line[:1] == b"!"
        if includes:
            line = line[1:]
        folders_only = line[-1:] == b"/"
        if folders_only:
            line = line[:-1]
        by_path = b"/" in line
        if by_path and line[:1] == b"/":
            line = line[1:]
        if not line:
            return None
        pattern = IgnorePattern(includes, folders_only, by_path, line)
        return pattern if pattern.valid else None

    def matches(self, path: bytes, name: bytes, folder: bool) -> bool:
        """`path` is relative to the ignore file's folder, `name` its last part."""
        if self.folders_only and not folder:
            return False
        if self.ends:
            return name.endswith(self.literal)
        text = path if self.by_path else name
        if self.glob is None:
            return text == self.literal
        return text.startswith(self.literal) and self.glob.matches(text[len(self.literal) :])


def _without_blanks_at_end(line: bytes) -> bytes:
    """Blanks at the end do not count, unless a backslash stands before them."""
    end = at = 0
    while at < len(line):
        if line[at] == ord("\\"):
            at = min(at + 1, len(line) - 1)
            end = at + 1
        elif line[at] != ord(" "):
            end = at + 1
        at += 1
    return line[:end]


class IgnoreFile:
    """The patterns of one ignore file."""

    def __init__(self, text: bytes) -> None:
        if text.startswith(b"\xef\xbb\xbf"):
            text = text[3:]
        patterns = []
        for line in text.split(b"\n"):
            pattern = IgnorePattern.parse(line[:-1] if line.endswith(b"\r") else line)
            if pattern:
                patterns.append(pattern)
        # Most patterns end in something literal (".pyc", "build"), so few are tried for a path.
        self._by_last_byte: List[List[IgnorePattern]] = [[] for _ in range(256)]
        for pattern in reversed(patterns):
            for byte in pattern.last_bytes:
                self._by_last_byte[byte].append(pattern)

    def judge(self, path: bytes, folder: bool) -> Optional[bool]:
        """What the last matching pattern says of a path relative to the file's folder."""
        name = path[path.rfind(b"/") + 1 :]
        for pattern in self._by_last_byte[name[-1] if name else 0]:
            if pattern.matches(path, name, folder):
                return not pattern.includes
        return None


class IgnoreScope:
    """The ignore files that count in a folder: its own and those of the folders above.

    The lower one decides where both have a matching pattern. `folder` is relative to the root of
    the tree, b"" or b"a/b/".
    """

    def __init__(self, above: Optional[IgnoreScope], folder: bytes, text: bytes) -> None:
        self.above = above
        self.folder = folder
        self.file = IgnoreFile(text)


def is_ignored(scope: Optional[IgnoreScope], path: bytes, folder: bool) -> bool:
    """Whether a snapshot leaves out `path`, relative to the root.

    A folder that is left out is not entered, so ask for the folders above first. ".git" is always
    left out.
    """
    if path == b".git" or path.endswith(b"/.git"):
        return True
    while scope is not None:
        verdict = scope.file.judge(path[len(scope.folder) :], folder)
        if verdict is not None:
            return verdict
        scope = scope.above
    return False
