"""The request and the answer that a script has in its hands."""

import io

import pytest

from roost.scoring.aml_request import AMLRequest, BadRequest
from roost.scoring.aml_response import AMLResponse, Response
from roost.scoring.headers import Headers


def test_request():
    request = AMLRequest(
        "POST",
        "/score",
        "a=1&a=2&b=",
        {"content-type": "application/json", "x-a": "1"},
        b'{"k": 1}',
    )
    assert (request.method, request.path, request.full_path) == (
        "POST", "/score", "/score?a=1&a=2&b=",
    )  # fmt: skip
    assert request.args["a"] == "1" and request.args.getlist("a") == ["1", "2"]
    assert request.args.get("b") == "" and request.args.get("c") is None
    assert request.args.get("a", type=int) == 1 and request.args.get("b", 7, type=int) == 7
    assert request.headers["CONTENT-type"] == "application/json" and "X-A" in request.headers
    assert dict(request.headers.items())["X-A"] == "1"
    assert request.is_json and request.json == {"k": 1} == request.get_json(force=True)
    assert request.data == b'{"k": 1}' == request.get_data(False)
    assert request.get_data(as_text=True) == '{"k": 1}'
    assert request.files == {} and request.form == {} and request.content_length == 8


def test_request_without_json():
    request = AMLRequest("POST", body=b"{")
    assert not request.is_json and request.get_json(silent=True) is None
    assert request.full_path == "/score?"
    with pytest.raises(BadRequest) as caught:
        request.get_json()
    assert caught.value.code == 415
    with pytest.raises(BadRequest) as caught:
        request.get_json(force=True)
    assert caught.value.code == 400


def test_form():
    kind = {"content-type": "application/x-www-form-urlencoded"}
    request = AMLRequest("POST", "/score", "q=0", kind, b"a=1+2&b=%C3%A9")
    assert request.form == {"a": "1 2", "b": "é"} and request.values["q"] == "0"


def test_files(tmp_path):
    body = (
        b'preamble\r\n--b 1\r\nContent-Disposition: form-data; name="note"\r\n\r\nhello\r\n'
        b'--b 1\r\nContent-Disposition: form-data; name="image"; filename="a \\"b;c.png"\r\n'
        b"Content-Type: image/png\r\n\r\n\x89PNG\r\n\x00--b\r\n--b 1--\r\nepilogue"
    )
    kind = {"content-type": 'multipart/form-data; boundary="b 1"'}
    request = AMLRequest("POST", headers=kind, body=body)
    assert request.form == {"note": "hello"}
    image = request.files["image"]
    assert (image.filename, image.mimetype, image.name) == ('a "b;c.png', "image/png", "image")
    assert image.read() == b"\x89PNG\r\n\x00--b" and image.read() == b""
    image.seek(0)
    image.save(str(tmp_path / "a.png"))
    assert (tmp_path / "a.png").read_bytes() == b"\x89PNG\r\n\x00--b"
    image.seek(1)
    copy = io.BytesIO()
    image.save(copy)
    assert copy.getvalue().startswith(b"PNG")


@pytest.mark.parametrize(
    "body", [b"", b"--x", b"--x\r\n\r\n", b"--x\r\nno colon\r\n\r\nv\r\n--x--"]
)
def test_broken_files(body):
    for kind in ("multipart/form-data; boundary=x", "multipart/form-data"):
        request = AMLRequest("POST", headers={"content-type": kind}, body=body)
        assert request.files == {} and request.form == {}


def test_response():
    response = AMLResponse({"a": 1}, 201, json_str=True)
    assert (response.status_code, response.data, response.mimetype) == (
        201, b'{"a": 1}', "application/json",
    )  # fmt: skip
    assert response.headers["X-MS-run-function-failed"] == "False" and response.json == {"a": 1}
    assert AMLResponse(None, 200).get_data(as_text=True) == "{}"
    failed = AMLResponse("x", 500, run_function_failed=True)
    assert failed.headers.get("x-ms-run-function-failed") == "True"
    assert AMLResponse("text", 200).content_type == "text/html; charset=utf-8"


def test_response_headers():
    given = {"content-type": "image/png", "Access-Control-Allow-Methods": "GET, POST"}
    response = AMLResponse(b"\x89", 200, given)
    assert response.headers.getlist("Content-Type") == ["image/png"]
    assert response.headers.getlist("Access-Control-Allow-Methods") == ["GET", "POST"]
    response.headers["x-new"] = 1
    response.headers.add("x-new", 2)
    assert response.headers.getlist("X-New") == ["1", "2"]
    response.headers["X-NEW"] = 3
    assert response.headers.getlist("x-new") == ["3"]
    response.set_data("é")
    response.status_code = 202
    assert response.data == "é".encode() and response.status == "202 ACCEPTED"


def test_response_bodies():
    assert Response(["a", b"b"]).data == b"ab" and Response("x", "404 NOT FOUND").status_code == 404
    assert Response(b"x", mimetype="text/csv").content_type == "text/csv; charset=utf-8"
    assert Response({"a": 1}).data == b'{"a": 1}'


def test_headers():
    headers = Headers([("A", "1"), ("B", "2"), ("a", "3")])
    assert headers.keys() == ["A", "B", "a"] and len(headers) == 3 and headers.get("c") is None
    headers.set("a", "9")
    assert headers.items() == [("a", "9"), ("B", "2")]
    del headers["b"]
    assert "B" not in headers and headers.setdefault("b", "x") == "x" and list(headers) == [
        ("a", "9"),
        ("b", "x"),
    ]
    with pytest.raises(KeyError):
        headers["nothing"]
