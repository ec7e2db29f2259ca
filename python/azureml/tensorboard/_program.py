"""The `tensorboard` program: found, started, ended."""

from __future__ import annotations

import atexit
import os
import re
import subprocess
import sys
import threading
import time
from typing import List, Optional

_START_SECONDS = 60.0
_ADDRESS = re.compile(r"(https?://\S+)")
_ADVICE = "Install it with `pip install tensorboard` in the Python of this notebook or script"


class TensorboardProgram:
    """At most one process, which ends with this one."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._process: Optional[subprocess.Popen[str]] = None

    def find(self) -> List[str]:
        """How it is called. Raises when it is not installed."""
        import importlib.util
        import shutil

        beside = os.path.join(os.path.dirname(sys.executable), "tensorboard")
        if os.access(beside, os.X_OK):
            return [beside]
        program = shutil.which("tensorboard")
        if program:
            return [program]
        if importlib.util.find_spec("tensorboard") is not None:
            return [sys.executable, "-m", "tensorboard.main"]
        from azureml.exceptions import OptionalDependencyMissingException

        raise OptionalDependencyMissingException(
            f"the program tensorboard was not found. {_ADVICE}, then call start() again."
        )

    def start(self, folder: str) -> str:
        """Waits until it serves and returns its address."""
        if self._process is not None and self._process.poll() is None:
            self.stop()
        command = [*self.find(), "--logdir", folder, "--port", str(self._port)]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            universal_newlines=True,
            errors="replace",
        )
        atexit.register(self.stop)
        output = _Output(self._process)
        url = output.wait_for_address(_START_SECONDS)
        if url is None:
            self.stop()
            from azureml.exceptions import UserErrorException

            raise UserErrorException(
                f"tensorboard did not start on port {self._port}: {output.last_words()} "
                "If another one has the port, give Tensorboard(runs, port=0) to take a free one."
            )
        return url

    def stop(self) -> None:
        atexit.unregister(self.stop)
        process, self._process = self._process, None
        if process is None:
            return
        if process.poll() is None:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        if process.stdout is not None:
            process.stdout.close()


class _Output:
    """Reads what the program prints for as long as it prints, so that it never blocks."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self._lines: List[str] = []
        self._address: Optional[str] = None
        self._changed = threading.Condition()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        try:
            for line in self._process.stdout:
                with self._changed:
                    self._lines = [*self._lines[-20:], line.strip()]
                    found = _ADDRESS.search(line) if " at http" in line else None
                    if found and self._address is None:
                        self._address = found.group(1)
                    self._changed.notify_all()
        except ValueError:
            pass  # closed by stop()
        with self._changed:
            self._changed.notify_all()

    def wait_for_address(self, seconds: float) -> Optional[str]:
        give_up_at = time.monotonic() + seconds
        with self._changed:
            while self._address is None and self._process.poll() is None:
                left = give_up_at - time.monotonic()
                if left <= 0:
                    return None
                self._changed.wait(min(left, 0.2))
            return self._address

    def last_words(self) -> str:
        with self._changed:
            lines = [line for line in self._lines if line]
        return lines[-1] if lines else "it said nothing."
