"""Python's onnxruntime behind a web server, written to be as quick as such a server is: no framework, nothing checked.

As ASGI (uvicorn) and as WSGI (gunicorn). /v2/models/M/infer takes what Roost takes: one FP32 input in the binary form of the
v2 protocol, all outputs binary. /raw takes the bytes of the input alone, and answers with those of the output.
"""

import json
import os
from typing import Any, Awaitable, Callable, Dict, Iterable, List, Tuple

import numpy
import onnxruntime

options = onnxruntime.SessionOptions()
options.intra_op_num_threads = int(os.environ["PEER_INTRA_OP"])
session = onnxruntime.InferenceSession(os.environ["PEER_MODEL"], options, providers=["CPUExecutionProvider"])
INPUT = session.get_inputs()[0].name
OUTPUT = session.get_outputs()[0].name
ROW = (-1, *session.get_inputs()[0].shape[1:])


def infer_raw(body: bytes) -> bytes:
    return session.run([OUTPUT], {INPUT: numpy.frombuffer(body, numpy.float32).reshape(ROW)})[0].tobytes()


def infer_v2(body: bytes, head_size: int) -> Tuple[bytes, int]:
    head = json.loads(body[:head_size])
    tensor = head["inputs"][0]
    size = tensor["parameters"]["binary_data_size"]
    rows = numpy.frombuffer(body, numpy.float32, size // 4, head_size).reshape(tensor["shape"])
    result = session.run([OUTPUT], {tensor["name"]: rows})[0]
    data = result.tobytes()
    answer = json.dumps({"model_name": "peer", "model_version": "1", "outputs": [
        {"name": OUTPUT, "datatype": "FP32", "shape": result.shape, "parameters": {"binary_data_size": len(data)}}]}).encode()
    return answer + data, len(answer)


async def asgi(scope: Dict[str, Any], receive: Callable[[], Awaitable[Any]], send: Callable[[Any], Awaitable[None]]) -> None:
    if scope["type"] != "http":
        return
    message = await receive()
    body = message.get("body", b"")
    if message.get("more_body"):
        parts = [body]
        while message.get("more_body"):
            message = await receive()
            parts.append(message.get("body", b""))
        body = b"".join(parts)
    headers: List[Tuple[bytes, bytes]] = [(b"content-type", b"application/octet-stream")]
    if scope["path"] == "/raw":
        answer = infer_raw(body)
    else:
        size = next(int(value) for name, value in scope["headers"] if name == b"inference-header-content-length")
        answer, own = infer_v2(body, size)
        headers.append((b"inference-header-content-length", b"%d" % own))
    headers.append((b"content-length", b"%d" % len(answer)))
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": answer})


def wsgi(environ: Dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    body = environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"]))
    headers = [("Content-Type", "application/octet-stream")]
    if environ["PATH_INFO"] == "/raw":
        answer = infer_raw(body)
    else:
        answer, own = infer_v2(body, int(environ["HTTP_INFERENCE_HEADER_CONTENT_LENGTH"]))
        headers.append(("Inference-Header-Content-Length", str(own)))
    headers.append(("Content-Length", str(len(answer))))
    start_response("200 OK", headers)
    return [answer]
