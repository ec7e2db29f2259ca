"""A bar with rate and time left, on a terminal; nothing in a pipe."""

from __future__ import annotations

import os
import sys
import threading
import time
from typing import Any, Callable, Optional, Union

_INTERVAL_SECONDS = 0.1
_FIRST_DRAW_SECONDS = 0.3  # what is done sooner needs no bar
_WIDEST_BAR = 40
_UNITS = ("kB", "MB", "GB", "TB", "PB")
_EIGHTHS = ("", "▏", "▎", "▍", "▌", "▋", "▊", "▉")


class Bar:
    """Shows how far a transfer is. Any thread may call it; use it as a context manager."""

    def __init__(self, label: str, total: int, shown: Optional[bool] = None) -> None:
        self.label = label
        self.total = total
        self.done = 0
        self.files = 0
        self._shown = _is_terminal() if shown is None else shown
        self._lock = threading.Lock()
        self._began = time.monotonic()
        self._drawn_at: Optional[float] = None

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *_: Any) -> None:
        self.clear()

    def set_total(self, total: int) -> None:
        with self._lock:
            self.total = total
            self._draw()

    def advance(self, count: int) -> None:
        """`count` is negative when bytes have to be moved once more."""
        with self._lock:
            self.done += count
            self._draw()

    def done_file(self, name: str) -> None:
        with self._lock:
            self.files += 1
            self._draw()

    def clear(self) -> None:
        with self._lock:
            if self._drawn_at is not None:
                _write("\r\033[K")
            self._drawn_at = None

    def _draw(self) -> None:
        now = time.monotonic()
        wait = _FIRST_DRAW_SECONDS if self._drawn_at is None else _INTERVAL_SECONDS
        if not self._shown or now - (self._drawn_at or self._began) < wait:
            return
        self._drawn_at = now
        line = progress_line(
            self.label, self.done, self.total, now - self._began, _width() - 1, _colours()
        )
        _write(f"\r{line}\033[K")


class Silent(Bar):
    """Counts and shows nothing."""

    def __init__(self) -> None:
        super().__init__("", 0, shown=False)


class _Calling(Bar):
    def __init__(self, callback: Callable[[int], Any]) -> None:
        super().__init__("", 0, shown=False)
        self._callback = callback

    def advance(self, count: int) -> None:
        super().advance(count)
        self._callback(count)


class _Lent(Bar):
    """Somebody else's bar: it is not cleared here."""

    def __init__(self, bar: Any) -> None:
        super().__init__("", 0, shown=False)
        self._bar = bar

    def set_total(self, total: int) -> None:
        if hasattr(self._bar, "set_total"):
            self._bar.set_total(total)

    def advance(self, count: int) -> None:
        self._bar.advance(count)

    def done_file(self, name: str) -> None:
        self._bar.done_file(name)


# None or True: a bar when there is a terminal. False: silence. A Bar, or whatever has its
# advance() and done_file(). A function that is called with the bytes of each piece.
Progress = Union[None, bool, Bar, Callable[[int], Any]]


def bar(label: str, total_bytes: int = 0) -> Bar:
    return Bar(label, total_bytes)


def opened(progress: Progress, label: str, total_bytes: int) -> Bar:
    """What a transfer reports to, given the `progress` of its caller."""
    if progress is None or progress is True:
        return Bar(label, total_bytes)
    if progress is False:
        return Silent()
    if hasattr(progress, "advance"):
        lent = _Lent(progress)
        lent.set_total(total_bytes)
        return lent
    if not callable(progress):
        raise TypeError(f"progress must be a bar, a function, True, False or None: {progress!r}")
    return _Calling(progress)


def progress_line(
    label: str, done: int, total: int, seconds: float, width: int, colours: bool
) -> str:
    part = 1.0 if total <= 0 else min(1.0, max(0.0, done / total))
    rate = done / seconds if seconds > 0 and done > 0 else 0.0
    facts = f"{int(part * 100):3d} %  {human_bytes(done)} of {human_bytes(total)}"
    if rate > 0:
        facts += f"  {human_bytes(int(rate))}/s"
    if rate > 0 and done < total and seconds > 0.5:
        facts += f"  {human_duration(max(1, round((total - done) / rate)))} left"
    room = width - len(label) - len(facts) - 4
    if room < 8:
        return f"{label}  {facts}"[: max(width, 0)]
    return f"{label}  {_bar_text(part, min(room, _WIDEST_BAR), colours)}  {facts}"


def human_bytes(count: int) -> str:
    if count < 1000:
        return f"{count} B"
    size, unit = count / 1000, 0
    while size >= 999.5 and unit + 1 < len(_UNITS):
        size /= 1000
        unit += 1
    return f"{size:.1f} {_UNITS[unit]}" if size < 10 else f"{size:.0f} {_UNITS[unit]}"


def human_duration(seconds: int) -> str:
    if seconds < 60:
        return f"{seconds} s"
    if seconds < 3600:
        return f"{seconds // 60} min {seconds % 60:02} s"
    return f"{seconds // 3600} h {seconds // 60 % 60:02} min"


def _bar_text(part: float, width: int, colours: bool) -> str:
    try:
        "█░".encode(getattr(sys.stderr, "encoding", None) or "ascii")
        eighths = round(part * width * 8)
        full = "█" * (eighths // 8) + _EIGHTHS[eighths % 8]
        rest = "░" * (width - len(full))
    except (UnicodeEncodeError, LookupError):
        full = "#" * round(part * width)
        rest = "." * (width - len(full))
    return f"\033[36m{full}\033[0m\033[2m{rest}\033[0m" if colours else full + rest


def _is_terminal() -> bool:
    try:
        return sys.stderr is not None and sys.stderr.isatty()
    except (AttributeError, ValueError):
        return False


def _colours() -> bool:
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _width() -> int:
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except (OSError, ValueError, AttributeError):
        return 80


def _write(text: str) -> None:
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except (OSError, ValueError):
        pass
