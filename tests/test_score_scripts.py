"""score.py in a replica: what is answered, whatever the script does."""
import json
import os
import pickle
import re
import signal
import threading
from pathlib import Path
from typing import Any, Callable, Iterator, List

import pytest

from http_api import Answer
from processes import is_alive, wait_until
from served_script import ServedScript

Serve = Callable[..., ServedScript]
JSON = {"Content-Type": "application/json"}
RAISED = "An unexpected error occurred in scoring script. Check the logs for more info."

# run() does what its input says.
OBEDIENT = """
    import json, os, sys, time
    from azureml.contrib.services.aml_response import AMLResponse

    def init():
        print("init in", os.getpid())

    def run(data):
        word, _, rest = data.partition(" ")
        if word == "pid":
            return os.getpid()
        if word == "return":
            return eval(rest)
        if word == "raise":
            raise ValueError(rest)
        if word == "exit":
            os._exit(int(rest))
        if word == "sleep":
            time.sleep(float(rest))
        if word == "hang":
            import signal
            signal.signal(signal.SIGALRM, signal.SIG_IGN)
            time.sleep(1000)
        if word == "meet":
            place, _, number = rest.partition(" ")
            open(os.path.join(place, str(os.getpid())), "w").close()
            while len(os.listdir(place)) < int(number):
                time.sleep(0.01)
        return data
"""


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    served: List[ServedScript] = []

    def begin(script: str = "", **order: Any) -> ServedScript:
        served.append(ServedScript(tmp_path / f"app{len(served)}", script, **order))
        return served[-1]

    yield begin
    for each in served:
        each.close()


@pytest.fixture(scope="module")
def obedient(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedScript]:
    served = ServedScript(tmp_path_factory.mktemp("obedient") / "app", OBEDIENT).start()
    yield served
    assert served.close() == 0


def message(answer: Answer) -> str:
    return answer.json["message"]


# What run() returns.


@pytest.mark.parametrize("value, body", [
    ("'text'", b'"text"'), ("json.dumps({'a': 1})", b'"{\\"a\\": 1}"'), ("{'a': [1, 2.5]}", b'{"a": [1, 2.5]}'), ("None", b"{}"),
    ("[True, None]", b"[true, null]"), ("'\\u00e9'", b'"\\u00e9"'),
])
def test_values(obedient: ServedScript, value: str, body: bytes) -> None:
    answer = obedient.ask(f"return {value}")
    assert (answer.status, answer.body) == (200, body)
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-ms-run-function-failed"] == "False"
    assert re.fullmatch(r"\d+\.\d{3}", answer.headers["x-ms-run-fn-exec-ms"])
    assert answer.headers["x-ms-server-version"].startswith("roost/")
    assert answer.headers["x-ms-request-id"] == answer.headers["x-request-id"] != ""


def test_numpy_is_not_json(obedient: ServedScript) -> None:
    pytest.importorskip("numpy")
    answer = obedient.ask("return __import__('numpy').zeros(3)")
    assert (answer.status, message(answer)) == (500, "An unexpected internal error occurred. Check the logs for more info.")
    assert "Object of type ndarray is not JSON serializable" in obedient.log


def test_response(obedient: ServedScript) -> None:
    made = "AMLResponse(b'\\xff1', 201, {'Content-Type': 'image/png', 'X-Mine': 'a, b', 'X-Request-Id': 'its own'})"
    answer = obedient.ask(f"return {made}", headers={"X-Request-Id": "mine"})
    assert (answer.status, answer.body, answer.headers["content-type"]) == (201, b"\xff1", "image/png")
    assert (answer.headers["x-mine"], answer.headers["x-request-id"]) == ("a, b", "mine")
    answer = obedient.ask("return AMLResponse('sorry', 503)")
    assert (answer.status, answer.body, answer.headers["x-ms-run-function-failed"]) == (503, b"sorry", "True")


def test_exception(obedient: ServedScript) -> None:
    answer = obedient.ask("raise no such bird")
    assert (answer.status, message(answer)) == (500, RAISED)
    assert answer.headers["x-ms-run-function-failed"] == "True"
    assert "ValueError: no such bird" in obedient.log and "raise ValueError(rest)" in obedient.log
    assert obedient.ask("return 1").status == 200


# What run() is given.


def test_query(obedient: ServedScript) -> None:
    answer = obedient.ask(method="GET", path="/score?a=1&b=x&b=%5B2%5D")
    assert json.loads(answer.json) == {"a": 1, "b": ["x", [2]]}
    assert "GET /score?a=1&b=x&b=%5B2%5D 200 " in obedient.log


def test_bytes_that_are_no_text(obedient: ServedScript) -> None:
    answer = obedient.ask(b"\xff\xfe", headers={"Content-Type": "application/octet-stream"})
    assert answer.status == 400 and message(answer).startswith("Input cannot be decoded as UTF-8")


def test_ids(obedient: ServedScript) -> None:
    given = {"x-request-id": "r", "x-ms-client-request-id": "c", "TraceId": "t"}
    headers = obedient.ask("x", headers=given).headers
    assert [headers[name] for name in ("x-request-id", "x-ms-client-request-id", "x-ms-request-id", "traceid")] == ["r", "c", "c", "t"]
    refused = obedient.ask("x", headers={"x-request-id": "a" * 101})
    assert (refused.status, message(refused)) == (431, "x-request-id must not exceed 100 characters")


@pytest.mark.parametrize("method, path, status", [
    ("PUT", "/score", 405), ("DELETE", "/score", 405), ("HEAD", "/score", 405), ("OPTIONS", "/score", 200), ("GET", "/", 200),
    ("GET", "/nothing", 404), ("GET", "/swagger.json", 200), ("GET", "/swagger.json?version=9", 404),
])
def test_routes(obedient: ServedScript, method: str, path: str, status: int) -> None:
    answer = obedient.ask(method=method, path=path)
    assert answer.status == status
    if status >= 400 and method != "HEAD":
        assert message(answer)


def test_health(obedient: ServedScript) -> None:
    assert obedient.ask(method="GET", path="/").body == b"Healthy"


def test_log(obedient: ServedScript) -> None:
    obedient.ask("return 12345")
    line = r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} I \[\d+\] azmlinfsrv - "
    for text in (r"POST /score 200 \d+\.\d{3}ms 5$", r"Booting worker with pid: \d+$", "Invoking user's init function$"):
        assert re.search(line + text, obedient.log, re.MULTILINE), text


SUM = """
    from inference_schema.schema_decorators import input_schema, output_schema
    from inference_schema.parameter_types.standard_py_parameter_type import StandardPythonParameterType
    def init():
        pass
    @input_schema("a", StandardPythonParameterType([1]))
    @input_schema("b", StandardPythonParameterType(2))
    @output_schema(StandardPythonParameterType(3))
    def run(a, b=10):
        return sum(a) + b
"""


def test_samples(serve: Serve) -> None:
    served = serve(SUM, cors_origins="*").start()
    assert served.ask('{"a": [1, 2], "b": 3, "more": 4}', headers=JSON).json == 6
    assert served.ask('{"a": [1, 2]}', headers=JSON).json == 13
    assert served.ask(method="GET", path="/score?a=[1]&b=1").json == 2
    for body, headers, status, text in [
        ('{"b": 1}', JSON, 400, "A value is not provided for the 'a' parameter."),
        ('{"a": [1]}', {}, 415, "Expects Content-Type to be application/json"),
        ('{"a": [1]}', {"Content-Type": "text/csv"}, 415, "Expects Content-Type to be application/json"),
        ("[]", JSON, 400, "POST body should be a JSON dictionary."),
        ("{", JSON, 400, "POST body could not be decoded as JSON"),
        ('{"a": 7}', JSON, 500, RAISED),
    ]:
        answer = served.ask(body, headers=headers)
        assert answer.status == status and message(answer).startswith(text)
    described = served.ask(method="GET", path="/swagger.json", headers={"X-Roost-Prefix": "/endpoints/birds"}).json
    assert described["info"]["title"] == "birds" and "/endpoints/birds/score" in described["paths"]
    assert described["definitions"]["ServiceInput"]["example"] == {"a": [1], "b": 2}
    assert served.ask(method="GET", path="/swagger.json?version=3.1").json["openapi"] == "3.1.0"
    assert served.ask("{}", headers={**JSON, "Origin": "http://x"}).headers["access-control-allow-origin"] == "*"


def test_raw(serve: Serve) -> None:
    served = serve("""
        from azureml.contrib.services.aml_request import AMLRequest, rawhttp
        from azureml.contrib.services.aml_response import AMLResponse
        def init():
            pass
        @rawhttp
        def run(request):
            if request.files:
                return [request.files["image"].filename, len(request.files["image"].read()), request.form["note"]]
            if request.method == "POST":
                return AMLResponse(request.get_data(False), 200)
            return AMLResponse([request.method, request.full_path, request.headers.get("X-A")], 200, json_str=True)
    """).start()
    assert served.ask(b"\xff\x00").body == b"\xff\x00"
    assert served.ask(method="GET", path="/score?b=1&a=%20x", headers={"x-a": "1"}).json == ["GET", "/score?b=1&a=%20x", "1"]
    assert served.ask(method="OPTIONS").json[0] == "OPTIONS"
    form = (b'--b\r\nContent-Disposition: form-data; name="note"\r\n\r\nhi\r\n--b\r\nContent-Disposition: form-data; name="image"; '
            b'filename="a.png"\r\nContent-Type: image/png\r\n\r\n12345\r\n--b--\r\n')
    assert served.ask(form, headers={"Content-Type": "multipart/form-data; boundary=b"}).json == ["a.png", 5, "hi"]


def test_place_and_models(serve: Serve, tmp_path: Path) -> None:
    model = tmp_path / "app0" / "azureml-models" / "birds" / "3"
    model.mkdir(parents=True)
    (model / "weights.bin").write_text("w")
    (tmp_path / "app0" / "src").mkdir()
    (tmp_path / "app0" / "src" / "helper.py").write_text("WHO = 'helper'")
    (tmp_path / "app0" / "src" / "score.py").write_text(
        "import os, helper\nfrom azureml.core.model import Model\n"
        "def init():\n    global path\n    path = Model.get_model_path('birds')\n"
        "def run(data):\n    return [helper.WHO, path, os.environ['AZUREML_MODEL_DIR'], os.path.isdir('./src'), os.environ['MINE']]\n")
    served = serve(models=[{"name": "birds", "version": 3, "path": "azureml-models/birds/3"}], entry_script="src/score.py",
                   source_directory="src", model_dir="azureml-models/birds/3", variables={"MINE": "set"}).start()
    where = "azureml-models/birds/3"
    assert served.ask("x").json == ["helper", f"{where}/weights.bin", where, True, "set"]


# What should not happen.


@pytest.mark.parametrize("script, text", [
    ("import nothing_of_this_name", "importing score.py raised ModuleNotFoundError: No module named 'nothing_of_this_name'"),
    ("def run(data):\n    pass\ndef init():\n    raise OSError('no weights')", "init() of score.py raised OSError: no weights"),
    ("def run(data):\n    pass", "score.py does not have a init() function"),
    ("def init():\n    pass\ndef run(*data):\n    pass", "run() cannot accept positional-only arguments"),
    ("import os\nos._exit(9)", "exited with code 9"),
    ("import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)", "was killed by SIGSEGV"),
])
def test_scripts_that_cannot_start(serve: Serve, script: str, text: str) -> None:
    served = serve(script)
    assert served.wait() == 3
    assert served.state == "failed" and text in served.last["message"]
    assert text in served.log


def test_worker_that_ends(serve: Serve) -> None:
    served = serve(OBEDIENT).start()
    first = served.ask("pid").json
    answer = served.ask("exit 7")
    assert answer.status == 500 and "the worker process exited with code 7" in message(answer)
    second = served.ask("pid").json
    assert second != first
    os.kill(second, signal.SIGKILL)
    assert served.ask("pid").status == 200
    assert "was killed by SIGKILL" in served.log and served.log.count("Booting worker with pid") == 3


def test_crash_loop(serve: Serve) -> None:
    served = serve(OBEDIENT).start()
    (served.folder / "score.py").write_text("raise ValueError('the file changed')")
    assert served.ask("exit 1").status == 500
    assert served.wait() == 3
    assert served.state == "failed" and "importing score.py raised ValueError: the file changed" in served.last["message"]


def test_timeouts(serve: Serve) -> None:
    served = serve(OBEDIENT, scoring_timeout_ms=200).start()
    pid = served.ask("pid").json
    answer = served.ask("sleep 60")
    assert (answer.status, message(answer)) == (500, "Scoring timeout after 200 ms")
    assert served.ask("pid").json == pid
    answer = served.ask("hang")
    assert (answer.status, message(answer)) == (500, "Scoring timeout after 200 ms")
    assert served.ask("pid").json != pid


def test_queue(serve: Serve, tmp_path: Path) -> None:
    served = serve(OBEDIENT, queue_limit=0).start()
    place = tmp_path / "meeting"
    place.mkdir()
    busy = threading.Thread(target=served.ask, args=(f"meet {place} 2",))
    busy.start()
    wait_until(lambda: list(place.iterdir()), 30, "the worker at work")
    answer = served.ask("pid")
    assert (answer.status, answer.headers["retry-after"]) == (503, "1") and "busy" in message(answer)
    (place / "second").touch()
    busy.join()


def test_workers_work_at_once(serve: Serve, tmp_path: Path) -> None:
    served = serve(OBEDIENT, variables={"WORKER_COUNT": "3"}).start()
    place = tmp_path / "meeting"
    place.mkdir()
    answers: List[Answer] = []
    asking = [threading.Thread(target=lambda: answers.append(served.ask(f"meet {place} 3"))) for _ in range(3)]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join()
    assert [answer.status for answer in answers] == [200, 200, 200] and len(list(place.iterdir())) == 3


def test_a_thousand_requests(serve: Serve) -> None:
    served = serve("""
        import os
        def init():
            pass
        def run(data):
            return [len(data), len(os.listdir("/proc/self/fd"))]
    """).start()
    connection = served.connect()
    found = {served.ask("x" * 100, connection=connection).body for _ in range(1000)}
    assert len(found) == 1
    wait_until(lambda: served.last["load"]["requests"] == 1000, 20, "the requests counted")
    assert served.last["load"]["errors"] == 0


def test_bodies_have_a_limit(serve: Serve) -> None:
    served = serve(OBEDIENT, max_body_bytes=1000).start()
    assert served.ask("x" * 1000).status == 200
    assert served.ask("x" * 1001).status == 413


def test_requests_under_way_are_finished(serve: Serve, tmp_path: Path) -> None:
    served = serve(OBEDIENT).start()
    place = tmp_path / "meeting"
    place.mkdir()
    answers: List[Answer] = []
    working = threading.Thread(target=lambda: answers.append(served.ask(f"meet {place} 2")))
    working.start()
    wait_until(lambda: list(place.iterdir()), 30, "the worker at work")
    served.process.send_signal(signal.SIGTERM)
    wait_until(lambda: served.state == "stopping", 20, "a replica that stops")
    (place / "second").touch()
    working.join()
    assert answers[0].status == 200 and served.wait() == 0


def test_workers_end_with_their_replica(serve: Serve) -> None:
    served = serve(OBEDIENT, workers=2).start()
    pids = [pid for pid in served.workers]
    assert len(pids) == 2
    served.process.kill()
    served.process.wait()
    wait_until(lambda: not any(is_alive(pid) for pid in pids), 20, "the workers gone")


# Without a script.


class Toy:
    """Stands in for a model of scikit-learn's; the worker finds it in this file."""

    def predict(self, rows: List[List[float]]) -> List[float]:
        return [sum(row) for row in rows]


def test_pickle_without_a_script(serve: Serve, tmp_path: Path) -> None:
    place = tmp_path / "app0" / "azureml-models" / "toy" / "1"
    place.mkdir(parents=True)
    # By the name that a worker can import.
    text = pickle.dumps(Toy(), 0).replace(Toy.__module__.encode(), b"toy_model")
    (place / "model.pkl").write_bytes(text)
    (tmp_path / "app0" / "toy_model.py").write_text(
        "class Toy:\n    def predict(self, rows):\n        return [sum(row) for row in rows]\n")
    served = serve(runtime="sklearn", entry_script="", models=[{"name": "toy", "version": 1, "path": "azureml-models/toy/1"}],
                   model_dir="azureml-models/toy/1").start()
    assert served.ask('{"data": [[1, 2], [3, 4]]}', headers=JSON).json == {"predict": [3, 7]}
    refused = served.ask('{"data": [[1, 2]], "method": "predict_proba"}', headers=JSON)
    assert refused.status == 400 and "has no predict_proba" in message(refused)


def test_scikit_learn(serve: Serve, tmp_path: Path) -> None:
    linear_model = pytest.importorskip("sklearn.linear_model")
    place = tmp_path / "app0" / "azureml-models" / "line" / "1"
    place.mkdir(parents=True)
    model = linear_model.LogisticRegression().fit([[0, 0], [1, 1]], [0, 1])
    (place / "model.pkl").write_bytes(pickle.dumps(model))
    served = serve(runtime="sklearn", entry_script="", models=[{"name": "line", "version": 1, "path": "azureml-models/line/1"}],
                   model_dir="azureml-models/line/1").start()
    assert served.ask('{"data": [[0, 0], [1, 1]], "method": "predict"}').json == {"predict": [0, 1]}
    assert list(served.ask('{"data": [[1, 1]]}').json) == ["predict_proba"]
