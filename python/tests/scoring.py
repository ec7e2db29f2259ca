"""A script that is asked without a process of its own, and one that has one."""

import contextlib
import importlib
import json
import os
import signal
import socket
import subprocess
import sys
import textwrap

from roost.scoring import aml_request, answers, frames, script

PYTHON_FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FALLBACK = os.path.join(PYTHON_FOLDER, "roost", "scoring", "fallback")
_PROGRAM = (
    "import sys; sys.path[:] = [place for place in sys.path if place]; "
    "from roost.scoring.worker import main; main(int(sys.argv[1]))"
)


class Answer:
    def __init__(self, status, headers, body):
        self.status = status
        self.headers = {name.lower(): value for name, value in headers}
        self.body = body

    @property
    def json(self):
        return json.loads(self.body.decode("utf-8"))


def question(body, method, query, headers, path="/score", timeout_ms=0):
    data = body if isinstance(body, bytes) else body.encode("utf-8")
    head = {"method": method, "path": path, "query": query, "headers": headers or {}}
    return {**head, "timeout_ms": timeout_ms}, data


class LoadedScript:
    def __init__(self, folder, text):
        (folder / "score.py").write_text(textwrap.dedent(text))
        self.script = script.load(str(folder), "score.py")
        self.script.init()

    def ask(self, body="", method="POST", query="", headers=None, **more):
        head, data = question(body, method, query, headers, **more)
        return Answer(*answers.answer(self.script, head, data))


@contextlib.contextmanager
def clean_process():
    """What scripts leave behind in this process goes again."""
    path, was_raw = list(sys.path), aml_request.raw_http_requested
    aml_request.raw_http_requested = False
    if importlib.util.find_spec("inference_schema") is None:
        sys.path.append(FALLBACK)
    try:
        yield
    finally:
        sys.path[:] = path
        aml_request.raw_http_requested = was_raw
        for name in list(sys.modules):
            if name == "entry_module" or name.split(".")[0] == "inference_schema":
                del sys.modules[name]
        signal.signal(signal.SIGALRM, signal.SIG_DFL)


class Worker:
    """A real worker process, with this test in the place of `roost serve`."""

    def __init__(self, folder, text=None, **variables):
        if text is not None:
            (folder / "score.py").write_text(textwrap.dedent(text))
        mine, other = socket.socketpair()
        environment = {**os.environ, "PYTHONPATH": PYTHON_FOLDER, "AML_APP_ROOT": str(folder)}
        environment["AZUREML_ENTRY_SCRIPT"] = "score.py"
        environment.update(variables)
        self.process = subprocess.Popen(
            [sys.executable, "-u", "-c", _PROGRAM, str(other.fileno())],
            cwd=str(folder),
            env=environment,
            pass_fds=[other.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        other.close()
        mine.settimeout(60)
        self._end = mine
        self.channel = frames.Channel(mine)
        self.greeting, self.about = self.channel.receive()

    def ask(self, body="", method="POST", query="", headers=None, **more):
        self.channel.send(*question(body, method, query, headers, **more))
        received = self.channel.receive()
        if received is None:
            return None
        return Answer(received[0]["status"], received[0]["headers"], received[1])

    def close(self):
        """Gives what it printed."""
        self._end.close()
        printed, _ = self.process.communicate(timeout=60)
        return printed.decode("utf-8")
