"""Endpoints whose environment is an image: the replica is this program all the same, started in the image."""
import json
from typing import Any, Dict

from conftest import MakeServer
from endpoint_load import call, echo, path, register, settled
from onnx_models import linear_model
from roost_fixture import RoostServer
from test_endpoints import needs_runtime
from test_images import base_image, dockerfile, pytestmark, settings, wheels  # noqa: F401  fixtures, and where they can be used

WHERE = ("import os\ndef init():\n    pass\n"
         "def run(data):\n    return {'image': os.path.exists('/is-image'), 'libc': 'roost-program' in open('/proc/self/maps').read(), 'user': os.getuid()}\n")


def create(server: RoostServer, name: str, deployment: Dict[str, Any]) -> Dict[str, Any]:
    """As that of endpoint_load, with the time that an image takes."""
    server.expect(201, "POST", path("").rstrip("/"), json={"name": name, "auth": "none", "deployments": [deployment]})
    return settled(server, name, timeout=240)


@needs_runtime
def test_replicas_run_in_an_image(make_server: MakeServer, wheels: Any, base_image: str) -> None:  # noqa: F811
    server = make_server(settings(wheels))
    definition = dockerfile(f"FROM {base_image}", "RUN touch /is-image")
    server.post("/workspaces/default/environments", {"name": "boxed", "definition": definition})
    environment = {"name": "boxed"}
    made = create(server, "where", {**echo(server, source=WHERE), "environment": environment})
    status, body, _ = call(made["scoring_uri"])
    answer = json.loads(body)
    assert status == 200 and answer["image"] and answer["user"] == 1000 and not answer["libc"]
    register(server, "double", {"double.onnx": linear_model([[2.0, 0.0], [0.0, 2.0]], [0.0, 0.0])}, framework="Onnx")
    made = create(server, "double", {"models": ["double"], "environment": environment})
    status, body, _ = call(made["scoring_uri"], json.dumps({"data": [[1, 2.5]]}).encode())
    assert status == 200 and b"5" in body, body
