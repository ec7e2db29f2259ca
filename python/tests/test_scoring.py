"""What a score.py is given, and what becomes of what it returns or raises."""

import json

import pytest
from scoring import LoadedScript, clean_process

from roost.scoring.script import ScriptError, load

RAISED = "An unexpected error occurred in scoring script. Check the logs for more info."


@pytest.fixture
def served(tmp_path):
    with clean_process():
        yield lambda text: LoadedScript(tmp_path, text)


ECHO = """
    def init():
        pass
    def run(data):
        return {"got": data, "type": type(data).__name__}
"""


def test_text(served):
    script = served(ECHO)
    answer = script.ask('{"data": [1]}', headers={"content-type": "text/plain"})
    assert (answer.status, answer.json) == (200, {"got": '{"data": [1]}', "type": "str"})
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-ms-run-function-failed"] == "False"
    whole, point, fraction = answer.headers["x-ms-run-fn-exec-ms"].partition(".")
    assert whole.isdigit() and point and len(fraction) == 3
    assert script.ask("").json["got"] == ""
    assert script.ask("é".encode()).json["got"] == "é"


def test_text_that_is_not_utf8(served):
    answer = served(ECHO).ask(b"\xff\xfe")
    assert answer.status == 400 and answer.json["message"].startswith(
        "Input cannot be decoded as UTF-8: "
    )


def test_query(served):
    answer = served(ECHO).ask(method="GET", query="a=1&b=[1,2]&c=x&d=null&e=%C3%A9+f&g=&h=1&h=y")
    assert json.loads(answer.json["got"]) == {
        "a": 1, "b": [1, 2], "c": "x", "d": None, "e": "é f", "g": "", "h": [1, "y"],
    }  # fmt: skip


def returning(expression):
    return f"""
        import json
        def init():
            pass
        def run(data):
            return {expression}
    """


@pytest.mark.parametrize(
    "expression, body",
    [
        ("None", b"{}"),
        ("'text'", b'"text"'),
        ("json.dumps({'a': 1})", b'"{\\"a\\": 1}"'),
        ("{'a': [1, 2.5, None]}", b'{"a": [1, 2.5, null]}'),
        ("[]", b"[]"),
        ("'\\u00e9'", b'"\\u00e9"'),
        ("float('nan')", b"NaN"),
    ],
)
def test_values(served, expression, body):
    answer = served(returning(expression)).ask("x")
    assert (answer.status, answer.body) == (200, body)


def test_what_is_not_json(served, caplog):
    pytest.importorskip("numpy")
    script = served(returning("__import__('numpy').array([1, 2])"))
    answer = script.ask("x")
    assert answer.status == 500 and "internal error" in answer.json["message"]
    assert answer.headers["x-ms-run-function-failed"] == "False"
    assert served(returning("object()")).ask("x").status == 500


def test_exception(served):
    answer = served(returning("1 / 0")).ask("x")
    assert (answer.status, answer.json) == (500, {"message": RAISED})
    assert answer.headers["x-ms-run-function-failed"] == "True"
    assert "x-ms-run-fn-exec-ms" not in answer.headers


def test_exit_gets_through(served):
    with pytest.raises(SystemExit):
        served(returning("exit(3)")).ask("x")


def test_headers_parameter(served):
    script = served("""
        def init():
            pass
        def run(data, request_headers):
            return request_headers
    """)
    answer = script.ask("x", headers={"content-type": "a/b", "x-my-own": "1"})
    assert answer.json == {"Content-Type": "a/b", "X-My-Own": "1"}


def test_timeout(served):
    script = served("""
        import time
        def init():
            pass
        def run(data):
            while True:
                try:
                    time.sleep(60)
                except Exception:
                    pass
    """)
    answer = script.ask("x", timeout_ms=50)
    assert (answer.status, answer.json) == (500, {"message": "Scoring timeout after 50 ms"})
    assert answer.headers["x-ms-run-function-failed"] == "True"


def test_timeout_that_the_script_swallows(served):
    script = served("""
        import time
        def init():
            pass
        def run(data):
            try:
                time.sleep(60)
            except BaseException:
                return 1
    """)
    assert script.ask("x", timeout_ms=50).json == {"message": "Scoring timeout after 50 ms"}


@pytest.mark.parametrize(
    "signature, says",
    [
        ("*args", "cannot accept positional-only"),
        ("data, **more", "cannot accept positional-only"),
        ("request_headers", 'other than "request_headers"'),
        ("", "needs to accept an argument for input data"),
    ],
)
def test_refused_signatures(served, signature, says):
    with pytest.raises(ScriptError, match="score.py: run.*" + says):
        served(f"def init(): pass\ndef run({signature}): pass")


def test_missing_functions(served):
    with pytest.raises(ScriptError, match=r"score.py does not have a init\(\)"):
        served("def run(data): pass")
    with pytest.raises(ScriptError, match=r"score.py does not have a run\(\)"):
        served("def init(): pass")


def test_what_import_and_init_raise(served, tmp_path):
    with pytest.raises(ScriptError, match="importing score.py raised ValueError: no") as caught:
        served("raise ValueError('no luck')")
    lines = caught.value.trace.splitlines()
    assert "score.py" in lines[1] and lines[-1] == "ValueError: no luck" and len(lines) == 4
    with pytest.raises(ScriptError, match=r"init\(\) of score.py raised OSError: gone") as caught:
        served("def run(data): pass\ndef init():\n  raise OSError('gone')")
    assert "worker" not in caught.value.trace and "in init" in caught.value.trace
    with pytest.raises(ScriptError, match="importing score.py raised SystemExit: 1"):
        served("import sys\nsys.exit(1)")
    with pytest.raises(ScriptError, match="SyntaxError"):
        served("def run(:")
    with pytest.raises(ScriptError, match="there is no entry script nothing.py"):
        load(str(tmp_path), "nothing.py")


# With samples.


SUM = """
    from inference_schema.schema_decorators import input_schema, output_schema
    from inference_schema.parameter_types.standard_py_parameter_type import (
        StandardPythonParameterType,
    )
    def init():
        pass
    @input_schema("a", StandardPythonParameterType([1]))
    @input_schema("b", StandardPythonParameterType(2))
    @output_schema(StandardPythonParameterType(3))
    def run(a, b=10):
        return sum(a) + b
"""
JSON = {"content-type": "application/json; charset=utf-8"}


def test_schema(served):
    script = served(SUM)
    assert script.ask('{"a": [1, 2], "b": 3, "extra": 0}', headers=JSON).json == 6
    assert script.ask('{"a": [1, 2]}', headers=JSON).json == 13
    assert script.ask(method="GET", query="a=[1]&b=2").json == 3


@pytest.mark.parametrize(
    "body, status, message",
    [
        ('{"b": 3}', 400, "A value is not provided for the 'a' parameter."),
        ("", 400, "POST body is empty. Expecting a JSON dictionary."),
        ("[1]", 400, "POST body should be a JSON dictionary."),
        ("{", 400, "POST body could not be decoded as JSON: "),
        (b"\xff", 400, "POST body could not be decoded as JSON: "),
        ('{"a": 1}', 500, RAISED),
    ],
)
def test_schema_refuses(served, body, status, message):
    answer = served(SUM).ask(body, headers=JSON)
    assert answer.status == status and answer.json["message"].startswith(message)


@pytest.mark.parametrize("kind", ["text/plain", "", "application/jsonx"])
def test_schema_wants_json(served, kind):
    answer = served(SUM).ask('{"a": [1]}', headers={"content-type": kind})
    assert (answer.status, answer.json["message"]) == (
        415,
        "Expects Content-Type to be application/json",
    )


# The request itself.


def test_raw(served):
    script = served("""
        from azureml.contrib.services.aml_request import AMLRequest, rawhttp
        from azureml.contrib.services.aml_response import AMLResponse
        def init():
            pass
        @rawhttp
        def run(request):
            if request.method == "POST":
                return AMLResponse(request.get_data(False), 200)
            if request.method == "GET":
                return AMLResponse(str.encode(request.full_path), 200)
            return AMLResponse("bad request", 500)
    """)
    assert script.script.is_raw
    answer = script.ask(b"\xff\x00")
    assert (answer.status, answer.body) == (200, b"\xff\x00")
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["x-ms-run-function-failed"] == "False"
    assert script.ask(method="GET", query="b=1&a=2").body == b"/score?b=1&a=2"
    answer = script.ask(method="OPTIONS")
    assert (answer.status, answer.headers["x-ms-run-function-failed"]) == (500, "True")


def test_raw_and_schema(served):
    with pytest.raises(ScriptError, match="both @rawhttp and @input_schema"):
        served("""
            from azureml_inference_server_http.api.aml_request import rawhttp
            from inference_schema.schema_decorators import input_schema
            from inference_schema.parameter_types.standard_py_parameter_type import (
                StandardPythonParameterType,
            )
            def init():
                pass
            @rawhttp
            @input_schema("a", StandardPythonParameterType(1))
            def run(a):
                pass
        """)


def test_wrong_content_of_a_raw_request(served):
    script = served("""
        from azureml.contrib.services.aml_request import rawhttp
        def init():
            pass
        @rawhttp
        def run(request):
            return request.json
    """)
    assert script.ask('{"a": 1}', headers=JSON).json == {"a": 1}
    assert script.ask("{", headers=JSON).status == 400
    assert script.ask("{}", headers={"content-type": "text/plain"}).status == 415


def test_responses_of_others(served):
    """One that Flask or Werkzeug made has the same names."""
    script = served("""
        class Made:
            status_code = 503
            headers = {"X-Mine": "1", "Content-Type": "text/csv", "X-MS-Run-Function-Failed": "no"}
            def get_data(self):
                return b"a,b"
        def init():
            pass
        def run(data):
            return Made()
    """)
    answer = script.ask("x")
    assert (answer.status, answer.body, answer.headers["x-mine"]) == (503, b"a,b", "1")
    assert answer.headers["x-ms-run-function-failed"] == "True"
    assert answer.headers["content-type"] == "text/csv"
