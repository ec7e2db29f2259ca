"""A program on a terminal, as somebody types at it."""
import fcntl
import os
import pty
import select
import struct
import subprocess
import termios
import time
from pathlib import Path
from typing import Dict, List


class Terminal:
    def __init__(self, command: List[str], environment: Dict[str, str], folder: Path, rows: int = 30, columns: int = 100) -> None:
        self.master, slave = pty.openpty()
        self.resize(rows, columns)
        self.process = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, env={**environment, "TERM": "xterm-256color"},
                                        cwd=folder, start_new_session=True, preexec_fn=self._take)
        os.close(slave)
        self.seen = b""

    @staticmethod
    def _take() -> None:
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    def resize(self, rows: int, columns: int) -> None:
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def type(self, text: str) -> None:
        os.write(self.master, text.encode())

    def until(self, text: str, seconds: float = 20) -> str:
        """What was printed up to and with `text`, which is taken away."""
        deadline = time.monotonic() + seconds
        while text.encode() not in self.seen:
            left = deadline - time.monotonic()
            assert left > 0, (text, self.seen[-2000:])
            ready, _, _ = select.select([self.master], [], [], left)
            if not ready:
                continue
            try:
                piece = os.read(self.master, 65536)
            except OSError:
                piece = b""
            assert piece, (text, "it has ended", self.seen[-2000:])
            self.seen += piece
        at = self.seen.index(text.encode()) + len(text)
        found, self.seen = self.seen[:at], self.seen[at:]
        return found.decode(errors="replace")

    def end(self, seconds: float = 20) -> int:
        """Its exit code, once it has ended; what it still prints is read away."""
        deadline = time.monotonic() + seconds
        while self.process.poll() is None and time.monotonic() < deadline:
            ready, _, _ = select.select([self.master], [], [], 0.05)
            if ready:
                try:
                    self.seen += os.read(self.master, 65536)
                except OSError:
                    break
        return self.process.wait(max(0.1, deadline - time.monotonic()))

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.master)
