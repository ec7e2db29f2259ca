import io
import time
import types

import pytest

from roost import progress
from roost.progress import Bar, human_bytes, human_duration, opened, progress_line


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self):
        return True


@pytest.fixture
def terminal(monkeypatch):
    screen = Terminal()
    monkeypatch.setattr(progress, "sys", types.SimpleNamespace(stderr=screen))
    monkeypatch.setattr(progress, "_FIRST_DRAW_SECONDS", 0)
    monkeypatch.setattr(progress, "_INTERVAL_SECONDS", 0)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    return screen


def test_bar_on_a_terminal_is_drawn_and_taken_away(terminal):
    with progress.bar("Uploading", 2_000_000) as bar:
        time.sleep(0.01)
        bar.advance(1_000_000)
        assert "Uploading" in terminal.getvalue()
        assert "50 %  1.0 MB of 2.0 MB" in terminal.getvalue()
        assert "\033[36m" in terminal.getvalue()
        bar.done_file("x")
    assert terminal.getvalue().endswith("\r\033[K")


def test_no_color_is_honoured(terminal, monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    with progress.bar("Uploading", 10) as bar:
        bar.advance(5)
    assert "\033[36m" not in terminal.getvalue()
    assert "█" in terminal.getvalue()


@pytest.mark.usefixtures("terminal")
def test_plain_letters_where_blocks_cannot_be_written(monkeypatch):
    monkeypatch.setattr(Terminal, "encoding", "ascii")
    assert "#####....." in progress_line("x", 5, 10, 0, 60, False)


def test_silent_in_a_pipe(capsys):
    with progress.bar("Uploading", 10) as bar:
        bar.advance(10)
    assert capsys.readouterr() == ("", "")


def test_what_is_done_at_once_shows_no_bar(terminal, monkeypatch):
    monkeypatch.setattr(progress, "_FIRST_DRAW_SECONDS", 60)
    with progress.bar("Uploading", 10) as bar:
        bar.advance(10)
    assert terminal.getvalue() == ""


def test_line():
    line = progress_line("Up", 50_000_000, 200_000_000, 5, 100, False)
    assert line.startswith("Up  ██████████░")
    assert line.endswith("   25 %  50 MB of 200 MB  10 MB/s  15 s left")
    assert progress_line("Up", 0, 0, 0, 30, False) == "Up  100 %  0 B of 0 B"
    assert len(progress_line("Uploading", 5, 10, 1, 20, False)) == 20


def test_numbers():
    assert [human_bytes(n) for n in (0, 999, 1000, 9_950, 12_345, 999_500, 3_100_000_000)] == [
        "0 B",
        "999 B",
        "1.0 kB",
        "9.9 kB",
        "12 kB",
        "1.0 MB",
        "3.1 GB",
    ]
    assert [human_duration(n) for n in (5, 65, 3725)] == ["5 s", "1 min 05 s", "1 h 02 min"]


def test_whatever_the_caller_gives(terminal):
    calls = []
    with opened(calls.append, "x", 10) as bar:
        bar.advance(3)
    assert calls == [3]
    with opened(False, "x", 10) as bar:
        bar.advance(3)
    assert terminal.getvalue() == ""
    lent = Bar("mine", 0)
    with opened(lent, "x", 10) as bar:
        bar.advance(3)
        bar.done_file("a")
    assert (lent.total, lent.done, lent.files) == (10, 3, 1)
    assert not terminal.getvalue().endswith("\r\033[K")
    with pytest.raises(TypeError):
        opened(7, "x", 10)
