"""tritonclient[http] as it is on the package index, unmodified, against `roost serve`: in its own interpreter, which
tests/triton_calls.py runs in. Each test here is one function there."""
import subprocess
from pathlib import Path
from typing import Iterator

import pytest

from onnx_files import BOOL, FLOAT, FLOAT16, INT64, STRING, UINT8, identity_model, onnx_model
from serving import Serving, front, serve
from torch_python import make_python

CLIENT = "tritonclient[http]==2.73.0"
CALLS = Path(__file__).with_name("triton_calls.py")


def write_models(folder: Path) -> Path:
    def write(name: str, version: int, model: bytes) -> None:
        path = folder / name / str(version) / "model.onnx"
        path.parent.mkdir(parents=True)
        path.write_bytes(model)

    pair = [("a", FLOAT, ["n", 4]), ("b", FLOAT, ["n", 4])]
    out = [("sum", FLOAT, ["n", 4]), ("difference", FLOAT, ["n", 4])]
    write("pair", 1, onnx_model([("Add", ["a", "b"], ["sum"]), ("Sub", ["a", "b"], ["difference"])], pair, out))
    write("pair", 2, onnx_model([("Sub", ["a", "b"], ["sum"]), ("Add", ["a", "b"], ["difference"])], pair, out))
    write("words", 1, identity_model(("text", STRING, ["n"]), ("ids", INT64, ["n", "m"])))
    write("kinds", 1, identity_model(("flags", BOOL, ["n"]), ("half", FLOAT16, ["n"]), ("bytes", UINT8, ["n"])))
    write("one", 1, identity_model(("x", FLOAT, ["n", 4])))
    return folder


@pytest.fixture(scope="module")
def triton_python() -> str:
    python = make_python("triton", [CLIENT])
    if not python:
        pytest.skip(f"{CLIENT} cannot be installed: no package index is reachable")
    return python


@pytest.fixture(scope="module")
def replica(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    folder = tmp_path_factory.mktemp("triton")
    with serve(folder, write_models(folder / "models"), "--max-body-bytes", 8 << 20) as serving:
        yield serving


@pytest.fixture(scope="module")
def prefix(tmp_path_factory: pytest.TempPathFactory, replica: Serving) -> Iterator[str]:
    with front(tmp_path_factory.mktemp("front"), "birds", replica) as process:
        yield f"{process.address}/endpoints/birds"


def call(python: str, name: str, address: str) -> None:
    done = subprocess.run([python, str(CALLS), name, address], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr


# Those of triton_calls.py.
SYNC = ["documents", "all_binary", "all_json", "mixed", "some_outputs", "strings", "zero_size", "kinds", "half_needs_binary", "gzip", "deflate",
        "raw_body", "classification", "versions", "errors", "too_large", "repository", "many_at_once"]


@pytest.mark.parametrize("name", SYNC)
def test_client(triton_python: str, replica: Serving, name: str) -> None:
    call(triton_python, name, replica.address)


@pytest.mark.parametrize("name", ["aio", "aio_gzip", "aio_errors"])
def test_aio_client(triton_python: str, replica: Serving, name: str) -> None:
    call(triton_python, name, replica.address)


@pytest.mark.parametrize("name", ["documents", "all_binary", "strings", "gzip", "errors", "aio"])
def test_below_the_path_of_an_endpoint(triton_python: str, prefix: str, name: str) -> None:
    call(triton_python, name, prefix)
