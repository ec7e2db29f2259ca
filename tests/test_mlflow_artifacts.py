"""Files through MLflow's API: /api/2.0/mlflow-artifacts/..."""
import os
from urllib.parse import quote

import pytest

from conftest import Gate
from http_api import Answer, strict_json
from mlflow_http import Mlflow
from processes import wait_until
from raw_http import exchange
from roost_fixture import RoostServer

FILES = "/api/2.0/mlflow-artifacts/artifacts"


@pytest.fixture(scope="module")
def server(shared_server: RoostServer) -> RoostServer:
    return shared_server


@pytest.fixture
def mlflow(server: RoostServer) -> Mlflow:
    return Mlflow(server)


@pytest.fixture
def root(mlflow: Mlflow, name: str) -> str:
    """The folder of a new run's files, as its artifact_uri says."""
    run = mlflow.run(mlflow.experiment(name))
    return mlflow.read(run)["info"]["artifact_uri"].split(":", 1)[1].strip("/")


def send(server: RoostServer, method: str, path: str, body: bytes = b"", **more) -> Answer:
    return server.api_client.send(method, f"{FILES}/{quote(path)}", body, **more)


def put(server: RoostServer, path: str, body: bytes) -> None:
    answer = send(server, "PUT", path, body)
    assert (answer.status, answer.body) == (200, b""), answer.body


def files(server: RoostServer, path: str) -> dict:
    answer = server.api_client.send("GET", f"{FILES}?path={quote(path)}")
    assert answer.status == 200, answer.body
    return {file["path"]: (file["is_dir"], file.get("file_size")) for file in strict_json(answer.body).get("files", [])}


def test_files_come_back(server: RoostServer, mlflow: Mlflow, root: str) -> None:
    names = {"a.txt": b"hello", "model/MLmodel": b"x: 1", "model/data/w.bin": os.urandom(3_000_000), "empty": b"",
             "50%.txt": b"p", "\u00e4 b+c=~;,&.txt": b"odd", "model.txt": b"beside"}
    for path, body in names.items():
        put(server, f"{root}/{path}", body)
    for path, body in names.items():
        answer = send(server, "GET", f"{root}/{path}")
        assert (answer.status, answer.body) == (200, body), path
        assert answer.headers["content-disposition"].startswith("attachment") and answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["etag"] and answer.headers["accept-ranges"] == "bytes"
    assert files(server, root) == {"a.txt": (False, 5), "model": (True, None), "empty": (False, None), "50%.txt": (False, 1),
                                   "\u00e4 b+c=~;,&.txt": (False, 3), "model.txt": (False, 6)}
    assert files(server, f"{root}/model") == {"MLmodel": (False, 4), "data": (True, None)}
    assert files(server, f"{root}/a.txt") == files(server, f"{root}/none") == {}
    run = root.split("/")[1]
    assert set(server.artifacts(run)) == set(names)
    listed = mlflow.get("artifacts/list", run_id=run, path="model")
    assert listed["root_uri"].endswith(root) and [file["path"] for file in listed["files"]] == ["model/MLmodel", "model/data"]
    page = server.api_client.send("GET", f"/get-artifact?run_id={run}&path=a.txt")
    assert page.body == b"hello"


def test_ranges_and_heads(server: RoostServer, root: str) -> None:
    put(server, f"{root}/f", b"0123456789")
    part = send(server, "GET", f"{root}/f", headers={"Range": "bytes=2-4"})
    assert (part.status, part.body, part.headers["content-range"]) == (206, b"234", "bytes 2-4/10")
    head = send(server, "HEAD", f"{root}/f")
    assert (head.status, head.body, head.headers["content-length"]) == (200, b"", "10")


def test_overwriting_and_deleting(server: RoostServer, root: str) -> None:
    for body in (b"one", b"two"):
        put(server, f"{root}/d/f", body)
    assert send(server, "GET", f"{root}/d/f").body == b"two"
    put(server, f"{root}/d/g", b"g")
    put(server, f"{root}/dx", b"stays")
    for _ in range(2):
        answer = send(server, "DELETE", f"{root}/d")
        assert (answer.status, strict_json(answer.body)) == (200, {})
    assert files(server, root) == {"dx": (False, 5)}
    assert send(server, "GET", f"{root}/d/f").status == 404
    assert send(server, "PUT", f"{root}/dx/y", b"1").status == 400, "a file is no folder"
    put(server, f"{root}/e/f", b"1")
    assert send(server, "PUT", f"{root}/e", b"1").status == 400, "a folder is no file"
    assert send(server, "GET", f"{root}/e").status == 400


def test_nothing_leads_elsewhere(server: RoostServer, root: str) -> None:
    for path in ("../../x", "%2e%2e/x", "%252e%252e/x", "..%2fx", "/etc/passwd", "a//b", "./a", "%2Fetc/passwd", "a%00b", "a%0ab"):
        for method in ("GET", "PUT", "DELETE"):
            answer = server.api_client.send(method, f"{FILES}/{root}/{path}", b"x" if method == "PUT" else b"")
            assert answer.status in (400, 404), (method, path, answer.status)
            assert answer.status == 400 or path.startswith(("..", "./")), (method, path, answer.body)
        listed = server.api_client.send("GET", f"{FILES}?path={root}/{path}")
        assert listed.status == 400, (path, listed.body)
    assert files(server, root) == {}


def test_unknown_ones(server: RoostServer, root: str) -> None:
    for method, path, status, code in (
            ("GET", f"{root}/none", 404, "RESOURCE_DOES_NOT_EXIST"), ("GET", "0/none/artifacts/a", 404, "RESOURCE_DOES_NOT_EXIST"),
            ("PUT", "0/none/artifacts/a", 404, "RESOURCE_DOES_NOT_EXIST"), ("PUT", "0/a", 400, "INVALID_PARAMETER_VALUE"),
            ("PUT", "0/models/m-1/artifacts/a", 404, "RESOURCE_DOES_NOT_EXIST")):
        answer = send(server, method, path, b"x" if method == "PUT" else b"")
        assert (answer.status, strict_json(answer.body)["error_code"]) == (status, code), (method, path)
    parts = server.api_client.send("POST", f"/api/2.0/mlflow-artifacts/mpu/create/{root}", b"{}", "application/json")
    assert parts.status == 501 and strict_json(parts.body)["message"].startswith(
        "Multipart upload is not supported for the current artifact repository")


def test_who_may(server: RoostServer, root: str) -> None:
    reader = server.new_token("reader")["token"]
    put(server, f"{root}/f", b"1")
    assert send(server, "GET", f"{root}/f", token=reader).body == b"1"
    for method in ("PUT", "DELETE"):
        answer = send(server, method, f"{root}/f", token=reader)
        assert (answer.status, strict_json(answer.body)["error_code"]) == (403, "PERMISSION_DENIED")
    nobody = send(server, "GET", f"{root}/f", token="")
    assert (nobody.status, strict_json(nobody.body)["error_code"]) == (401, "UNAUTHENTICATED")


def test_a_large_body_of_a_reader_is_refused_on_its_head(server: RoostServer, root: str) -> None:
    reader = server.new_token("reader")["token"]
    answer = exchange(server, f"PUT {FILES}/{root}/big HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {reader}\r\n"
                              f"Content-Length: 1000000000\r\n\r\n".encode())
    assert answer is not None and answer.status == 403


def test_an_empty_body_in_chunks(server: RoostServer, root: str) -> None:
    answer = exchange(server, f"PUT {FILES}/{root}/empty HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {server.api_client.token}\r\n"
                              f"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n".encode())
    assert answer is not None and answer.status == 200, answer
    assert files(server, root) == {"empty": (False, None)}


def test_a_deleted_run_takes_no_files(server: RoostServer, mlflow: Mlflow, root: str) -> None:
    put(server, f"{root}/f", b"1")
    mlflow.post("runs/delete", run_id=root.split("/")[1])
    assert send(server, "GET", f"{root}/f").body == b"1"
    assert send(server, "PUT", f"{root}/g", b"1").status == 400
    assert send(server, "DELETE", f"{root}/f").status == 400


def test_files_of_a_run_that_was_handed_in(server: RoostServer, mlflow: Mlflow) -> None:
    run = server.run("import os\nopen('outputs/model.bin', 'w').write('m')")
    root = mlflow.read(run["id"])["info"]["artifact_uri"].split(":", 1)[1].strip("/")
    assert files(server, root) == {"outputs": (True, None)}
    assert send(server, "GET", f"{root}/outputs/model.bin").body == b"m"
    assert send(server, "DELETE", f"{root}/outputs").status == 403
    put(server, f"{root}/later.txt", b"kept, as by the other API")


def test_the_token_of_a_run(server: RoostServer, mlflow: Mlflow, gate: Gate, root: str) -> None:
    run = server.submit("import os\nprint('token', os.environ['ROOST_TOKEN'], flush=True)\n" + gate.wait_code)
    wait_until(lambda: server.log(run).endswith(b"\n"), 30, "the script says its token")
    token = server.log(run).decode().split()[1]
    own = mlflow.read(run["id"])["info"]["artifact_uri"].split(":", 1)[1].strip("/")
    assert send(server, "PUT", f"{own}/f", b"1", token=token).status == 200
    assert send(server, "GET", f"{own}/f", token=token).body == b"1"
    assert send(server, "DELETE", f"{own}/f", token=token).status == 200
    for method in ("GET", "PUT", "DELETE"):
        assert send(server, method, f"{root}/f", token=token).status == 403, method
    gate.open()
    server.wait(run, "Completed")


def test_a_logged_model_has_files_of_its_own(server: RoostServer, mlflow: Mlflow, name: str) -> None:
    experiment = mlflow.experiment(name)
    run = mlflow.run(experiment)
    model = mlflow.post("logged-models", experiment_id=experiment, name="m", source_run_id=run)["model"]["info"]
    place = model["artifact_uri"].split(":", 1)[1].strip("/")
    put(server, f"{place}/MLmodel", b"x: 1")
    put(server, f"{place}/data/w", b"w")
    assert files(server, place) == {"MLmodel": (False, 4), "data": (True, None)}
    assert send(server, "GET", f"{place}/data/w").body == b"w"
    assert server.artifacts(run) == {}
    server.collect_garbage()
    assert send(server, "GET", f"{place}/MLmodel").body == b"x: 1", "garbage collection knows it"
    assert send(server, "DELETE", f"{place}/data").status == 200 and set(files(server, place)) == {"MLmodel"}
