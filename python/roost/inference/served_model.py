"""An ONNX model that Roost's own program serves here, asked by the Open Inference Protocol."""

from __future__ import annotations

import http.client
import json
import os
import re
import subprocess
import threading
import time
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from .problem import Problem
from .tensors import Tensor, from_values

_ADDRESS = re.compile(r"https?://([\w.\-]+|\[[0-9a-f:]+\]):(\d+)")
_START_SECONDS = 300.0
_SHOWN_LINES = 20
Metadata = List[Tuple[str, str, List[int]]]  # name, datatype, shape with -1 where it may differ


class ServedModel:
    """Starts `roost serve`; close() ends it. Raises Problem with what it said when it cannot."""

    def __init__(self, path: str, options: Sequence[str] = ()) -> None:
        program = os.environ.get("ROOST_PROGRAM", "")
        if not program:
            raise Problem("this run knows no Roost program (ROOST_PROGRAM is not set)")
        self.said: List[str] = []
        self.name = "model"
        command = [program, "serve", path, "--name", self.name, "--port", "0", *options]
        environment = {k: v for k, v in os.environ.items() if k != "ROOST_REPLICA"}
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                env=environment,
            )
        except OSError as error:
            raise Problem(f"{program} cannot be started: {error.strerror}") from None
        self._found = threading.Event()
        self._address: Optional[Tuple[str, int]] = None
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        try:
            self._wait_until_ready()
            about = self._get(f"/v2/models/{self.name}")
        except BaseException:
            self.close()
            raise
        self.inputs = _tensors(about["inputs"])
        self.outputs = _tensors(about["outputs"])

    def close(self) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        self._reader.join(5)
        if self._process.stdout is not None:
            self._process.stdout.close()

    def __enter__(self) -> ServedModel:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def infer(self, inputs: Mapping[str, Tensor]) -> Dict[str, Tensor]:
        """Outputs by name. Raises Problem with the answer's text when they are refused."""
        head = {
            "inputs": [
                {
                    "name": name,
                    "shape": list(tensor.shape),
                    "datatype": tensor.datatype,
                    "parameters": {"binary_data_size": len(tensor.data)},
                }
                for name, tensor in inputs.items()
            ],
            "parameters": {"binary_data_output": True},
        }
        text = json.dumps(head).encode()
        body = text + b"".join(tensor.data for tensor in inputs.values())
        headers = {
            "Content-Type": "application/octet-stream",
            "Inference-Header-Content-Length": str(len(text)),
        }
        status, answer_headers, content = self._ask(
            "POST", f"/v2/models/{self.name}/infer", body, headers
        )
        if status != 200:
            raise Problem(_refusal(status, content))
        size = answer_headers.get("inference-header-content-length")
        return _outputs(content, int(size) if size else len(content))

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            text = line.decode("utf-8", "replace").rstrip()
            self.said = self.said[-_SHOWN_LINES:] + [text]
            match = _ADDRESS.search(text)
            if match and self._address is None:
                self._address = (match[1].strip("[]"), int(match[2]))
                self._found.set()
        self._found.set()

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + _START_SECONDS
        self._found.wait(_START_SECONDS)
        while self._process.poll() is None and time.monotonic() < deadline:
            if self._address is not None:
                try:
                    if self._ask("GET", f"/v2/models/{self.name}/ready")[0] == 200:
                        return
                except OSError:
                    pass
            time.sleep(0.02)
        self._process.poll()
        said = "\n".join(self.said).strip() or "it said nothing"
        code = self._process.returncode
        how = "is not ready" if code is None else f"ended with {code}"
        raise Problem(f"Roost's own runtime cannot serve the model: `roost serve` {how}:\n{said}")

    def _get(self, path: str) -> Any:
        status, _, content = self._ask("GET", path)
        if status != 200:
            raise Problem(_refusal(status, content))
        return json.loads(content)

    def _ask(
        self,
        method: str,
        path: str,
        body: Optional[bytes] = None,
        headers: Optional[Dict[str, str]] = None,
    ) -> Tuple[int, Dict[str, str], bytes]:
        assert self._address is not None
        connection = http.client.HTTPConnection(*self._address, timeout=600)
        try:
            connection.request(method, path, body, headers or {})
            answer = connection.getresponse()
            found = {name.lower(): value for name, value in answer.getheaders()}
            return answer.status, found, answer.read()
        except http.client.HTTPException as error:
            raise ConnectionError(str(error)) from None
        finally:
            connection.close()


def _tensors(items: Any) -> Metadata:
    return [(str(i["name"]), str(i["datatype"]), [int(n) for n in i["shape"]]) for i in items]


def _refusal(status: int, content: bytes) -> str:
    try:
        return str(json.loads(content)["error"])
    except (ValueError, KeyError, TypeError):
        return f"status {status}: {content[:300].decode('utf-8', 'replace')}"


def _outputs(content: bytes, size: int) -> Dict[str, Tensor]:
    head = json.loads(content[:size])
    at = size
    found = {}
    for item in head["outputs"]:
        length = (item.get("parameters") or {}).get("binary_data_size")
        if length is None:
            tensor = from_values(item["data"], item["datatype"])
            tensor = tensor._replace(shape=tuple(item["shape"]))
        else:
            tensor = Tensor(item["datatype"], tuple(item["shape"]), content[at : at + length])
            at += length
        found[str(item["name"])] = tensor
    return found
