"""What tests of services begin with: models, scripts that answer, and a way to end what was deployed."""
import json
import pickle
import textwrap
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

import pytest

from roost_fixture import PYTHON, roost_program

SCORE = """
    import json, os
    def init():
        global words
        path = os.environ["AZUREML_MODEL_DIR"]
        words = open(os.path.join(path, os.listdir(path)[0])).read()
        print("init of", words)
    def run(data):
        asked = json.loads(data)
        if asked == "raise":
            raise ValueError("a bad bird")
        if asked == "text":
            return json.dumps({"model": words})
        return {"model": words, "asked": asked}
"""


def write_script(path: str, code: str) -> str:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(textwrap.dedent(code), encoding="utf-8")
    return path


def environment(name: str = "scoring") -> Any:
    """The Python of the machine, as it is."""
    from azureml.core import Environment

    made = Environment(name)
    made.python.user_managed_dependencies = True
    made.python.interpreter_path = PYTHON
    return made


def inference(script: str = "score.py", source_directory: Optional[str] = None, code: str = SCORE, **variables: str) -> Any:
    """An InferenceConfig whose script is written first."""
    from azureml.core.model import InferenceConfig

    write_script(f"{source_directory}/{script}" if source_directory else script, code)
    made = environment()
    made.environment_variables = variables
    return InferenceConfig(entry_script=script, source_directory=source_directory, environment=made)


def register(ws: Any, name: str, text: str = "weights", **options: Any) -> Any:
    from azureml.core import Model

    Path("model.txt").write_text(text)
    return Model.register(ws, "model.txt", name, **options)


def post(url: str, body: bytes, headers: Optional[Dict[str, str]] = None) -> Tuple[int, Dict[str, str], bytes]:
    """As a client without the SDK does."""
    request = urllib.request.Request(url, body, {"Content-Type": "application/json", **(headers or {})})
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, dict(answer.headers), answer.read()
    except urllib.error.HTTPError as error:
        return error.code, dict(error.headers), error.read()


def get_json(url: str) -> Any:
    with urllib.request.urlopen(url, timeout=60) as answer:
        return json.load(answer)


@pytest.fixture
def deploy(ws: Any) -> Iterator[Callable[..., Any]]:
    """Model.deploy; what it made is deleted at the end."""
    from azureml.core import Model
    from azureml.core.webservice import Webservice
    from azureml.exceptions import WebserviceException

    names: List[str] = []

    def deploy_one(name: str, models: Any, *args: Any, **options: Any) -> Any:
        names.append(name)
        return Model.deploy(ws, name, models, *args, **options)

    yield deploy_one
    for name in names:
        try:
            Webservice(ws, name).delete()
        except WebserviceException:
            pass


@pytest.fixture
def onnxruntime(at_server: Any, monkeypatch: pytest.MonkeyPatch) -> str:
    """The library beside the program; the test is skipped where there is none."""
    from azureml.core._model_package import find_onnxruntime
    from azureml.exceptions import WebserviceException

    monkeypatch.delenv("ROOST_ONNXRUNTIME", raising=False)
    try:
        return find_onnxruntime(str(roost_program()))
    except WebserviceException:
        pytest.skip("ONNX Runtime is not there: run tools/onnxruntime")


# Models that need no library to be made.


class _Number:
    """Unpickles as something with predict(), without a module that has its class."""

    def __reduce__(self) -> Any:
        return eval, ("type('Sums', (), {'predict': lambda self, rows: [float(sum(row)) for row in rows]})()",)


def write_pickle(path: str) -> str:
    Path(path).write_bytes(pickle.dumps(_Number()))
    return path


def write_onnx(path: str) -> str:
    """y = x + x, for any number of rows of three."""
    shape = _message(2, _message(1, _text(2, "rows")) + _message(1, _number(1, 3)))
    tensor = _message(1, _number(1, 1) + shape)
    graph = (
        _message(1, _text(1, "x") + _text(1, "x") + _text(2, "y") + _text(4, "Add"))
        + _text(2, "twice")
        + _message(11, _text(1, "x") + _message(2, tensor))
        + _message(12, _text(1, "y") + _message(2, tensor))
    )
    model = _number(1, 8) + _message(7, graph) + _message(8, _number(2, 13))
    Path(path).write_bytes(model)
    return path


def _varint(value: int) -> bytes:
    out = b""
    while value >= 0x80:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _message(field: int, body: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(body)) + body


def _text(field: int, text: str) -> bytes:
    return _message(field, text.encode())
