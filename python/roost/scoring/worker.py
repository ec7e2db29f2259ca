"""The process: started by `roost serve` in the app root, with a socket to it."""

import importlib.util
import json
import os
import signal
import socket
import sys
from typing import Any, Dict

from . import log, swagger
from .answers import answer
from .frames import Channel
from .log import logger
from .script import Script, ScriptError, load

_COULD_NOT_START = 3
_SKLEARN = "sklearn"


def main(fd: int) -> None:
    """Serves until the other side closes its end of the socket."""
    signal.signal(signal.SIGTERM, _end)
    end = socket.socket(fileno=fd)
    end.set_inheritable(False)
    channel = Channel(end)
    log.set_up()
    app_root = os.getcwd()
    set_path(app_root)
    try:
        script = start(app_root)
        about = swagger.documents(script.run, app_root)
        text = json.dumps(about, default=str).encode("ascii")
    except ScriptError as error:
        logger.error("%s\n%s", error, error.trace)
        models = os.environ.get("AZUREML_MODEL_DIR", "")
        if models and os.path.isdir(models):
            log.show_models(models)
        trace = error.trace.encode("utf-8", "replace")
        channel.send({"kind": "failed", "message": str(error)}, trace)
        sys.exit(_COULD_NOT_START)
    channel.send({"kind": "ready", "raw": script.is_raw}, text)
    serve(channel, script)


def _end(*_: Any) -> None:
    """What the script wants done at its end is done."""
    sys.exit(0)


def start(app_root: str) -> Script:
    if os.environ.get("ROOST_SCORING") == _SKLEARN:
        from . import sklearn_script

        script = Script(sklearn_script, "the built-in script for scikit-learn models")
    else:
        script = load(app_root, os.environ.get("AZUREML_ENTRY_SCRIPT") or "main.py")
    script.init()
    return script


def serve(channel: Channel, script: Script) -> None:
    while True:
        request = channel.receive()
        if request is None:
            return
        made = answer(script, *request)
        head: Dict[str, Any] = {"kind": "answer", "status": made.status, "headers": made.headers}
        channel.send(head, made.body)


def set_path(app_root: str) -> None:
    """The app root comes first, as the working folder of a server does; the folders of the script
    come last, and after them what stands in for packages that are not installed."""
    sys.path.insert(0, app_root)
    source = os.environ.get("AZUREML_SOURCE_DIRECTORY", "")
    script = os.path.dirname(os.environ.get("AZUREML_ENTRY_SCRIPT", ""))
    for folder in (source, script):
        path = os.path.normpath(os.path.join(app_root, folder))
        if path not in sys.path:
            sys.path.append(path)
    if importlib.util.find_spec("inference_schema") is None:
        sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "fallback"))
