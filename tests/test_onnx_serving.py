"""POST /score of a model that Roost serves by itself: ONNX Runtime Server's JSON and protobuf, plain JSON; and what is wrong with
requests, here and below /v2. Standard library only."""
import base64
import gzip
import json
import math
import struct
import zlib
from pathlib import Path
from typing import Any, Dict, Iterator, List, Sequence

import pytest

from onnx_files import DOUBLE, FLOAT, INT64, STRING, blob, identity_model, number, onnx_model, read_fields, tensor_proto
from processes import peak_memory_mb
from serving import Serving, serve

V2 = "/v2/models/one/infer"
MB = 1 << 20


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """y = x + [10, 20], of any number of rows."""
    folder = tmp_path_factory.mktemp("one")
    model = folder / "one.onnx"
    model.write_bytes(onnx_model([("Add", ["x", "w"], ["y"])], [("x", FLOAT, ["n", 2])], [("y", FLOAT, ["n", 2])],
                                 {"w": ([2], [10, 20])}))
    with serve(folder, model) as serving:
        yield serving


@pytest.fixture(scope="module")
def several(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """Gives back what it is given."""
    folder = tmp_path_factory.mktemp("several")
    model = folder / "several.onnx"
    model.write_bytes(identity_model(("words", STRING, ["n"]), ("ids", INT64, ["n", "m"]), ("weights", DOUBLE, ["n"])))
    with serve(folder, model) as serving:
        yield serving


def floats(*values: float) -> bytes:
    return struct.pack(f"<{len(values)}f", *values)


def raw(*values: float) -> str:
    return base64.b64encode(floats(*values)).decode()


def predict_request(shape: Sequence[int], data: bytes, kind: int = FLOAT, name: str = "x", outputs: Sequence[str] = ()) -> bytes:
    return (blob(2, blob(1, name) + blob(2, tensor_proto(shape, kind, data))) + b"".join(blob(3, output) for output in outputs))


# ONNX Runtime Server's forms.

def test_the_json_of_the_notebook(one: Serving) -> None:
    answer = one.score({"inputs": {"x": {"dims": ["1", "2"], "dataType": 1, "rawData": raw(1, 2)}}, "outputFilter": ["y"]})
    assert answer.status == 200, answer.body
    output = answer.json["outputs"]["y"]
    assert output == {"dims": ["1", "2"], "dataType": 1, "rawData": raw(11, 22)}


def test_lists_are_answered_with_lists(one: Serving, several: Serving) -> None:
    answer = one.score({"inputs": {"x": {"dims": [2, 2], "dataType": "FLOAT", "floatData": [1, 2, "NaN", -0.5]}}})
    assert answer.json["outputs"]["y"] == {"dims": ["2", "2"], "dataType": 1, "floatData": [11.0, 22.0, "NaN", 19.5]}
    words = [base64.b64encode(word).decode() for word in (b"a", b"\xff\x00")]
    answer = several.score({"inputs": {
        "words": {"dims": ["2"], "dataType": 8, "stringData": words}, "weights": {"dims": ["2"], "dataType": 11, "doubleData": [1, 2]},
        "ids": {"dims": ["2", "1"], "dataType": 7, "int64Data": ["9223372036854775807", 2]}}, "outputFilter": ["ids_out", "words_out"]})
    assert answer.json == {"outputs": {"ids_out": {"dims": ["2", "1"], "dataType": 7, "int64Data": ["9223372036854775807", "2"]},
                                       "words_out": {"dims": ["2"], "dataType": 8, "stringData": words}}}


@pytest.mark.parametrize("kind", ["application/x-protobuf", "application/vnd.google.protobuf", "application/octet-stream"])
def test_protobuf(one: Serving, kind: str) -> None:
    body = predict_request([1, 2], floats(1, 2), outputs=["y"])
    answer = one.score(body, Content_Type=kind)
    assert answer.status == 200, answer.body
    assert answer.content_type == "application/octet-stream"
    entry = read_fields(read_fields(answer.body)[1][0])  # type: ignore[arg-type]
    assert entry[1] == [b"y"]
    assert entry[2] == [tensor_proto([1, 2], FLOAT, floats(11, 22))]
    answer = one.score(body, Content_Type=kind, Accept="application/json")
    assert answer.json["outputs"]["y"]["rawData"] == raw(11, 22)


def test_accept_chooses_protobuf_for_json(one: Serving) -> None:
    answer = one.score({"inputs": {"x": {"dims": [1, 2], "dataType": 1, "rawData": raw(1, 2)}}}, Accept="application/x-protobuf")
    assert floats(11, 22) in answer.body


def test_a_content_type_is_needed(one: Serving) -> None:
    for kind in ({}, {"Content_Type": "text/csv"}):
        answer = one.score(b'{"data": [[1, 2]]}', **kind)
        assert answer.status == 400
        assert "application/json" in answer.json["message"]


# Plain JSON.

def test_plain_json(one: Serving, several: Serving) -> None:
    assert one.score({"data": [[1, 2], [3, 4]]}).json == {"result": [[11, 22], [13, 24]]}
    assert one.score({"data": [1, 2]}).json == {"result": [[11, 22]]}
    assert one.score({"data": []}).json == {"result": []}
    assert one.score({"inputs": {"x": [[1, 2]]}}).json == {"outputs": {"y": [[11, 22]]}}
    given = {"words": ["a", "ä"], "ids": [[1, 2], [3, 4]], "weights": [0.1, 1e300]}
    assert several.score({"data": given}).json == {"outputs": {f"{name}_out": value for name, value in given.items()}}
    assert several.score({"data": given, "outputs": ["ids_out"]}).json == {"outputs": {"ids_out": given["ids"]}}


def test_not_a_number_goes_through(one: Serving) -> None:
    for body in ('{"data": [[NaN, -Infinity]]}', '{"data": [["NaN", "-Infinity"]]}'):
        answer = one.score(body, Content_Type="application/json")
        (first, second), = json.loads(answer.body)["result"]
        assert math.isnan(first) and second == -math.inf


# What is wrong with a request. Nothing of it may be an error of the server.

PLAIN_REFUSALS: Dict[str, str] = {
    "": "found the end",
    "null": "expected an object",
    "{}": 'no "data"',
    '{"instances": [[1, 2]]}': "it has 'instances'",
    '{"data": [[1, 2], [3]]}': "the list at [1] has 1 elements, where the others have 2",
    '{"data": [[1, 2], 3]}': "a value at [1], where the others have lists",
    '{"data": [[1, 2, 3]]}': "input 'x' is FP32 [1,3], the model expects FP32 [-1,2]",
    '{"data": [[[1, 2]]]}': "another number of dimensions",
    '{"data": [["a", "b"]]}': "[0][0] is \"a\", not a number",
    '{"data": [[1, null]]}': "[0][1] is null, not a number",
    '{"data": [[1, 1e99]]}': "1e99, which FP32 cannot hold",
    '{"data": {"z": [[1, 2]]}}': "has no input 'z'; it has 'x'",
    '{"data": {}}': "input 'x' is missing",
    '{"data": [[1, 2]], "outputs": ["z"]}': "has no output 'z'; it has 'y'",
    '{"data": [[1, 2]]': "found the end",
    '{"data": ' + "[" * 100000: "too deep",
    '{"x": ' + "[" * 100000: "deeper than 64 levels",
    '{"data": "' + "a" * 100000 + '"}': "not a number",
    '{"inputs": {"x": {"dims": [1, 2], "dataType": 1, "rawData": "!!"}}}': "not base64",
    '{"inputs": {"x": {"dims": [1, 2], "dataType": 1, "rawData": "AAAA"}}}': "came with 3 bytes",
    '{"inputs": {"x": {"dims": [1, 2], "dataType": 7, "int64Data": [1, 2]}}}': "is INT64 [1,2], the model expects FP32 [-1,2]",
    '{"inputs": {"x": {"dims": ["9223372036854775807", "2"], "dataType": 1, "rawData": ""}}}': "it came with 0 bytes",
}


@pytest.mark.parametrize("body", list(PLAIN_REFUSALS), ids=range(len(PLAIN_REFUSALS)))
def test_refusals_of_score(one: Serving, body: str) -> None:
    answer = one.score(body, Content_Type="application/json")
    assert answer.status == 400, answer.body
    assert PLAIN_REFUSALS[body] in answer.json["message"], answer.json


def test_every_cut_of_a_protobuf_is_refused(one: Serving) -> None:
    body = predict_request([1, 2], floats(1, 2))
    for size in range(len(body)):
        assert one.score(body[:size], Content_Type="application/x-protobuf").status == 400, size


def v2_input(**changes: Any) -> Dict[str, Any]:
    return {"name": "x", "shape": [1, 2], "datatype": "FP32", "data": [1, 2], **changes}


V2_REFUSALS: List[Any] = [
    ([], "expected an object"),
    ({}, 'no "inputs"'),
    ({"inputs": [v2_input(), v2_input()]}, "given twice"),
    ({"inputs": [v2_input(name="z")]}, "no input 'z'"),
    ({"inputs": [v2_input(datatype="INT32")]}, "is INT32 [1,2], the model expects FP32 [-1,2]"),
    ({"inputs": [v2_input(datatype="FP9")]}, "datatype 'FP9'"),
    ({"inputs": [v2_input(shape=[1, 3])]}, "is said to be FP32 [1,3], which is 3 elements; its data has 2"),
    ({"inputs": [v2_input(shape=[-1, 2])]}, "has the part -1"),
    ({"inputs": [v2_input(shape=[1 << 40, 1 << 40])]}, "more elements than there can be"),
    ({"inputs": [v2_input(data=[[1], [2, 3]])]}, "the list at [1]"),
    ({"inputs": [v2_input(data=None)]}, 'neither "data"'),
    ({"inputs": [v2_input(data=None, parameters={"binary_data_size": 8})]}, "and 0 are left"),
    ({"inputs": [v2_input()], "outputs": [{"name": "z"}]}, "no output 'z'"),
    ({"inputs": [v2_input()] * 100000}, "more inputs than"),
]


@pytest.mark.parametrize("body, text", V2_REFUSALS, ids=range(len(V2_REFUSALS)))
def test_refusals_of_v2(one: Serving, body: Any, text: str) -> None:
    answer = one.send("POST", V2, body)
    assert answer.status == 400, answer.body
    assert text in answer.json["error"], answer.json


def test_truncated_binary(one: Serving) -> None:
    head = json.dumps({"inputs": [v2_input(data=None, parameters={"binary_data_size": 8})]}).encode()
    whole = head + floats(1, 2)
    length = {"Inference-Header-Content-Length": str(len(head))}
    assert one.send("POST", V2, whole, length).status == 200
    for size in range(len(whole)):
        answer = one.send("POST", V2, whole[:size], length)
        assert answer.status == 400 and answer.json["error"], size
    for wrong in ("-1", "x", "99999999999999999999", str(len(whole) + 1), "1", "0"):
        answer = one.send("POST", V2, whole, {"Inference-Header-Content-Length": wrong})
        assert answer.status == 400 and answer.json["error"], wrong


def test_encodings(one: Serving) -> None:
    body = json.dumps({"data": [[1, 2]] * 500}).encode()
    for name, packed in [("gzip", gzip.compress(body)), ("deflate", zlib.compress(body)), ("identity", body)]:
        answer = one.score(packed, Content_Type="application/json", Content_Encoding=name)
        assert answer.status == 200 and len(answer.json["result"]) == 500
        assert "content-encoding" not in answer.headers
    answer = one.score(body, Content_Type="application/json", Accept_Encoding="gzip, deflate")
    assert answer.headers["content-encoding"] == "gzip" and len(json.loads(gzip.decompress(answer.body))["result"]) == 500
    answer = one.score(body, Content_Type="application/json", Accept_Encoding="deflate")
    assert answer.headers["content-encoding"] == "deflate" and len(json.loads(zlib.decompress(answer.body))["result"]) == 500
    for name, packed in [("br", body), ("gzip", body), ("gzip", gzip.compress(body)[:-4]), ("deflate", b"")]:
        assert one.score(packed, Content_Type="application/json", Content_Encoding=name).status == 400, name


def test_bodies_of_a_hundred_megabytes(one: Serving) -> None:
    rows = 13_000_000  # 104,000,000 bytes, just below the limit
    head = json.dumps({"inputs": [v2_input(shape=[rows, 2], data=None, parameters={"binary_data_size": rows * 8})],
                       "parameters": {"binary_data_output": True}}).encode()
    length = {"Inference-Header-Content-Length": str(len(head))}
    answer = one.send("POST", V2, head + bytes(rows * 8), length)
    assert answer.status == 200 and answer.body.endswith(floats(10, 20)) and len(answer.body) > rows * 8
    bad = one.send("POST", V2, head + bytes(rows * 8 - 1), length)
    assert bad.status == 400 and "are left" in bad.json["error"]
    assert one.send("POST", V2, bytes(101 * MB), length).status == 413
    bomb = gzip.compress(bytes(300 * MB), 1)
    answer = one.send("POST", V2, bomb, {**length, "Content-Encoding": "gzip"})
    assert answer.status == 413 and "104857600" in answer.json["error"]
    # A tree of so many numbers would take twenty times the room.
    wide = one.score(b'{"data": [' + b"[1,2]," * (15 * MB) + b"[1]]}", Content_Type="application/json")
    assert wide.status == 400 and f"the list at [{15 * MB}] has 1 elements" in wide.json["message"]
    assert peak_memory_mb(one.process.pid) < 1200
    assert one.score({"data": [[1, 2]]}).status == 200
