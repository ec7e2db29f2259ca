"""What test_triton_client.py calls, in an interpreter that has tritonclient: triton_calls.py FUNCTION HOST:PORT[/PREFIX]."""
import asyncio
import sys
from typing import Any, Callable, List

import numpy as np
import tritonclient.http as triton
import tritonclient.http.aio as triton_aio
from tritonclient.utils import InferenceServerException

A = np.arange(8, dtype=np.float32).reshape(2, 4)
B = np.full((2, 4), 0.5, dtype=np.float32)
BIG = np.random.default_rng(1).integers(0, 3, (5000, 4)).astype(np.float32)


def tensor(name: str, value: np.ndarray, kind: str, binary: bool = True, module: Any = triton) -> Any:
    made = module.InferInput(name, list(value.shape), kind)
    made.set_data_from_numpy(value, binary_data=binary)
    return made


def pair(binary_a: bool = True, binary_b: bool = True, a: np.ndarray = A, b: np.ndarray = B) -> List[Any]:
    return [tensor("a", a, "FP32", binary_a), tensor("b", b, "FP32", binary_b)]


def expect(result: Any, name: str, value: np.ndarray) -> None:
    np.testing.assert_array_equal(result.as_numpy(name), value)
    assert result.as_numpy(name).dtype == value.dtype, (name, result.as_numpy(name).dtype)


def refused(action: Callable[[], Any], status: str, text: str) -> None:
    try:
        action()
    except InferenceServerException as error:
        assert status in str(error.status()), (error.status(), error.message())
        assert text in error.message(), error.message()
    else:
        raise AssertionError("it was taken")


def documents(client: Any) -> None:
    assert client.is_server_live() and client.is_server_ready()
    assert client.is_model_ready("pair") and client.is_model_ready("pair", "1") and not client.is_model_ready("nobody")
    server = client.get_server_metadata()
    assert "binary_tensor_data" in server["extensions"], server
    model = client.get_model_metadata("pair")
    assert sorted(model["versions"]) == ["1", "2"], model
    assert model["inputs"][0] == {"name": "a", "datatype": "FP32", "shape": [-1, 4]}, model
    config = client.get_model_config("words")
    assert config["input"][0]["data_type"] == "TYPE_STRING", config
    client.infer("one", [tensor("x", A, "FP32")])
    statistics = client.get_inference_statistics("one")["model_stats"]
    assert statistics[0]["inference_stats"]["success"]["count"] >= 1, statistics
    assert len(client.get_inference_statistics()["model_stats"]) == 5


def all_binary(client: Any) -> None:
    result = client.infer("pair", pair(), request_id="7", model_version="1")
    expect(result, "sum", A + B)
    expect(result, "difference", A - B)
    response = result.get_response()
    assert response["id"] == "7" and response["model_name"] == "pair" and response["model_version"] == "1", response
    assert "binary_data_size" in response["outputs"][0]["parameters"], response


def all_json(client: Any) -> None:
    outputs = [triton.InferRequestedOutput("difference", binary_data=False), triton.InferRequestedOutput("sum", binary_data=False)]
    odd = np.array([[np.nan, np.inf, -np.inf, 0.1], [1.2e-38, 3e38, -0.0, 16777217]], dtype=np.float32)
    result = client.infer("pair", pair(False, False, a=odd, b=np.zeros_like(odd)), outputs=outputs, model_version="1")
    expect(result, "sum", odd)
    names = [output["name"] for output in result.get_response()["outputs"]]
    assert names == ["difference", "sum"], names
    assert "data" in result.get_output("sum"), result.get_response()


def mixed(client: Any) -> None:
    outputs = [triton.InferRequestedOutput("sum", binary_data=False), triton.InferRequestedOutput("difference", binary_data=True)]
    for binary_a, binary_b in [(True, False), (False, True)]:
        result = client.infer("pair", pair(binary_a, binary_b), outputs=outputs, model_version="1")
        expect(result, "sum", A + B)
        expect(result, "difference", A - B)
        assert "data" in result.get_output("sum") and "data" not in result.get_output("difference")


def some_outputs(client: Any) -> None:
    result = client.infer("pair", pair(), outputs=[triton.InferRequestedOutput("difference")], model_version="1")
    expect(result, "difference", A - B)
    assert result.as_numpy("sum") is None


def strings(client: Any) -> None:
    text = np.array([b"", "ä".encode(), b"long " * 1000], dtype=np.object_)
    ids = np.array([[1, -(1 << 63)], [(1 << 63) - 1, 0], [5, 6]], dtype=np.int64)
    for binary in (True, False):
        inputs = [tensor("text", text, "BYTES", binary), tensor("ids", ids, "INT64", binary)]
        outputs = [triton.InferRequestedOutput(name, binary_data=binary) for name in ("text_out", "ids_out")]
        result = client.infer("words", inputs, outputs=outputs)
        got = [item if isinstance(item, bytes) else item.encode() for item in result.as_numpy("text_out").tolist()]
        assert got == text.tolist(), got
        expect(result, "ids_out", ids)
    raw = np.array([b"\xff\x00"], dtype=np.object_)
    inputs = [tensor("text", raw, "BYTES"), tensor("ids", ids[:1], "INT64")]
    assert client.infer("words", inputs).as_numpy("text_out").tolist() == [b"\xff\x00"]
    as_json = [triton.InferRequestedOutput("text_out", binary_data=False)]
    refused(lambda: client.infer("words", inputs, outputs=as_json), "400", "not UTF-8")


def zero_size(client: Any) -> None:
    text, ids = np.array([], dtype=np.object_), np.zeros((0, 3), dtype=np.int64)
    for binary in (True, False):
        inputs = [tensor("text", text, "BYTES", binary), tensor("ids", ids, "INT64", binary)]
        outputs = [triton.InferRequestedOutput(name, binary_data=binary) for name in ("text_out", "ids_out")]
        result = client.infer("words", inputs, outputs=outputs)
        assert result.as_numpy("text_out").shape == (0,)
        assert result.as_numpy("ids_out").shape == (0, 3)


def kinds(client: Any) -> None:
    flags, half, some = np.array([True, False]), np.array([1.5, -65504], dtype=np.float16), np.array([0, 255], dtype=np.uint8)
    for binary in (True, False):
        inputs = [tensor("flags", flags, "BOOL", binary), tensor("half", half, "FP16"), tensor("bytes", some, "UINT8", binary)]
        outputs = [triton.InferRequestedOutput("flags_out", binary), triton.InferRequestedOutput("half_out", True),
                   triton.InferRequestedOutput("bytes_out", binary)]
        result = client.infer("kinds", inputs, outputs=outputs)
        expect(result, "flags_out", flags)
        expect(result, "half_out", half)
        expect(result, "bytes_out", some)


def half_needs_binary(client: Any) -> None:
    inputs = [tensor("flags", np.array([True]), "BOOL"), tensor("half", np.array([1], dtype=np.float16), "FP16"),
              tensor("bytes", np.array([1], dtype=np.uint8), "UINT8")]
    refused(lambda: client.infer("kinds", inputs, outputs=[triton.InferRequestedOutput("half_out", binary_data=False)]), "400",
            "no JSON form")


def _compressed(client: Any, algorithm: str) -> None:
    for binary in (True, False):
        outputs = [triton.InferRequestedOutput("sum", binary_data=binary)]
        result = client.infer("pair", pair(binary, binary, BIG, BIG), outputs=outputs, model_version="1",
                              request_compression_algorithm=algorithm, response_compression_algorithm=algorithm)
        expect(result, "sum", BIG + BIG)


def gzip(client: Any) -> None:
    _compressed(client, "gzip")


def deflate(client: Any) -> None:
    _compressed(client, "deflate")


def raw_body(client: Any) -> None:
    body = A.tobytes()
    result = client._post("v2/models/one/infer", body, {"Inference-Header-Content-Length": "0"}, None)
    assert result.status_code == 200, result.read()
    length = int(result.get("Inference-Header-Content-Length"))
    assert result.read()[length:] == body


def classification(client: Any) -> None:
    result = client.infer("one", [tensor("x", A, "FP32")], outputs=[triton.InferRequestedOutput("x_out", class_count=2)])
    assert result.as_numpy("x_out").tolist() == [[b"3.000000:3", b"2.000000:2"], [b"7.000000:3", b"6.000000:2"]], result.as_numpy("x_out")


def versions(client: Any) -> None:
    expect(client.infer("pair", pair(), model_version="1"), "sum", A + B)
    expect(client.infer("pair", pair(), model_version="2"), "sum", A - B)
    newest = client.infer("pair", pair())
    expect(newest, "sum", A - B)
    assert newest.get_response()["model_version"] == "2"


def errors(client: Any) -> None:
    refused(lambda: client.infer("nobody", pair()), "404", "nobody")
    refused(lambda: client.infer("pair", pair(), model_version="9"), "404", "9")
    refused(lambda: client.get_model_metadata("nobody"), "404", "nobody")
    refused(lambda: client.infer("pair", pair()[:1]), "400", "input 'b' is missing")
    refused(lambda: client.infer("pair", [*pair(), tensor("z", A, "FP32")]), "400", "no input 'z'")
    wrong = [tensor("a", A.astype(np.int64), "INT64"), tensor("b", B, "FP32")]
    refused(lambda: client.infer("pair", wrong), "400", "input 'a' is INT64 [2,4], the model expects FP32 [-1,4]")
    narrow = np.zeros((2, 3), dtype=np.float32)
    refused(lambda: client.infer("pair", [tensor("a", narrow, "FP32"), tensor("b", B, "FP32")]), "400",
            "input 'a' is FP32 [2,3], the model expects FP32 [-1,4]")
    refused(lambda: client.infer("pair", pair(), outputs=[triton.InferRequestedOutput("nothing")]), "400", "no output 'nothing'")
    # The same name of a size in both shapes: only the model itself can tell.
    refused(lambda: client.infer("pair", pair(a=np.zeros((3, 4), dtype=np.float32))), "400", "")


def too_large(client: Any) -> None:
    big = np.zeros(((9 << 20) // 16, 4), dtype=np.float32)
    refused(lambda: client.infer("one", [tensor("x", big, "FP32")]), "413", "")
    # Small on the wire, and far over the limit when it is read.
    refused(lambda: client.infer("one", [tensor("x", big, "FP32")], request_compression_algorithm="gzip"), "413", "8388608")
    expect(client.infer("one", [tensor("x", A, "FP32")]), "x_out", A)


def repository(client: Any) -> None:
    index = client.get_model_repository_index()
    assert {"name": "pair", "version": "1", "state": "READY", "reason": ""} in index, index
    client.unload_model("kinds")
    assert not client.is_model_ready("kinds")
    client.load_model("kinds")
    assert client.is_model_ready("kinds")


def many_at_once(client: Any) -> None:
    """The client's own pool of connections; answers must not be mixed up."""
    asked = [(np.full((2, 4), i, dtype=np.float32), i) for i in range(100)]
    waiting = [client.async_infer("pair", pair(a=a), model_version="1", request_id=str(i)) for a, i in asked]
    for (a, i), one in zip(asked, waiting):
        result = one.get_result()
        assert result.get_response()["id"] == str(i)
        expect(result, "sum", a + B)


async def _aio(address: str) -> None:
    async with triton_aio.InferenceServerClient(address) as client:
        assert await client.is_server_ready() and await client.is_model_ready("pair")
        assert (await client.get_model_metadata("pair"))["name"] == "pair"

        async def one(number: int) -> None:
            a = np.full((2, 4), number, dtype=np.float32)
            result = await client.infer("pair", pair(number % 2 == 0, number % 3 == 0, a=a), model_version="1")
            expect(result, "sum", a + B)

        await asyncio.gather(*(one(number) for number in range(100)))


async def _aio_gzip(address: str) -> None:
    async with triton_aio.InferenceServerClient(address) as client:
        for algorithm in ("gzip", "deflate"):
            for binary in (True, False):
                outputs = [triton.InferRequestedOutput("sum", binary_data=binary)]
                result = await client.infer("pair", pair(binary, binary, BIG, BIG), outputs=outputs, model_version="1",
                                            request_compression_algorithm=algorithm, response_compression_algorithm=algorithm)
                expect(result, "sum", BIG + BIG)


async def _aio_errors(address: str) -> None:
    async with triton_aio.InferenceServerClient(address) as client:
        for name, inputs, status, text in [("nobody", pair(), "404", "nobody"), ("pair", pair()[:1], "400", "input 'b' is missing")]:
            try:
                await client.infer(name, inputs)
            except InferenceServerException as error:
                assert status in str(error.status()) and text in error.message(), (error.status(), error.message())
            else:
                raise AssertionError("it was taken")


def main() -> None:
    name, address = sys.argv[1:]
    if name.startswith("aio"):
        asyncio.run(globals()[f"_{name}"](address))
        return
    with triton.InferenceServerClient(address, concurrency=8) as client:
        globals()[name](client)


if __name__ == "__main__":
    main()
