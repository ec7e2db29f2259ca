"""Who may: tokens, roles, run tokens, TLS, and one server a folder."""
import stat
import subprocess
from pathlib import Path

import pytest

from conftest import Gate, MakeServer
from http_api import Api
from processes import wait_until
from roost_fixture import RoostServer

RUNS = "/workspaces/default/runs"


def test_owner_token_file_is_private(server: RoostServer) -> None:
    path = Path(server.info["token_file"])
    assert path.name == "owner.token" and stat.S_IMODE(path.stat().st_mode) == 0o600
    token = path.read_text().strip()
    assert len(token) >= 32
    server.restart()
    assert path.read_text().strip() == token, "a restart must not make a new owner"


def test_tokens_are_stored_hashed(server: RoostServer) -> None:
    secrets = [server.api_client.token, server.new_token("reader")["token"]]
    server.restart()
    for path in server.data.rglob("*"):
        if path.is_file() and path.name != "owner.token":
            content = path.read_bytes()
            assert not any(secret.encode() in content for secret in secrets), path


def test_reader_may_read_and_nothing_else(server: RoostServer) -> None:
    run = server.run("print('x')")
    token = server.new_token("reader")["token"]
    for path in ("/server", "/workspaces", RUNS, f"/runs/{run['id']}", f"/runs/{run['id']}/logs",
                 f"/snapshots/{run['snapshot']}"):
        assert server.api("GET", path, token=token).status == 200, path
    for method, path, body in [
        ("POST", "/workspaces", {"name": "mine"}),
        ("POST", RUNS, {"experiment": "e", "command": "true"}),
        ("PATCH", f"/runs/{run['id']}", {"tags": {"a": "b"}}),
        ("POST", f"/runs/{run['id']}/cancel", None),
        ("POST", "/workspaces/default/computes", {"name": "cc"}),
        ("DELETE", "/workspaces/default/computes/local", None),
        ("POST", "/tokens", {"name": "n", "role": "owner"}),
        ("GET", "/tokens", None),
        ("POST", "/blobs/collect", {}),
        ("POST", "/server/shutdown", {}),
        ("PUT", f"/runs/{run['id']}/artifacts/outputs/x", None),
        ("PUT", "/blobs/" + "0" * 64, None),
        ("POST", "/snapshots", None),
    ]:
        answer = server.api(method, path, json=body, token=token)
        assert (answer.status, answer.code) == (403, "permission_denied"), (method, path, answer.body)
        assert "reader" in answer.message
    assert server.get_run(run)["tags"] == {}


def test_contributor_may_train_but_not_rule(server: RoostServer) -> None:
    token = server.new_token("contributor")["token"]
    run = server.expect(201, "POST", RUNS, json={"experiment": "e", "command": "true"}, token=token)
    assert server.wait(run)["status"] == "Completed" and "contributor" in server.get_run(run)["created_by"]
    for method, path, body in [("POST", "/tokens", {"name": "n", "role": "owner"}), ("GET", "/tokens", None),
                               ("POST", "/blobs/collect", {}), ("POST", "/server/shutdown", {})]:
        answer = server.api(method, path, json=body, token=token)
        assert (answer.status, answer.code) == (403, "permission_denied"), (method, path)


def test_expired_token(server: RoostServer) -> None:
    token = server.new_token("reader", expires_in_seconds=1)["token"]
    assert server.api("GET", "/server", token=token).status == 200
    wait_until(lambda: server.api("GET", "/server", token=token).status == 401, 5, "the token has expired")
    assert "expired" in server.api("GET", "/server", token=token).message


def test_revoked_token(server: RoostServer) -> None:
    made = server.new_token("contributor")
    server.expect(200, "DELETE", f"/tokens/{made['id']}")
    answer = server.api("GET", "/server", token=made["token"])
    assert (answer.status, answer.code) == (401, "unauthenticated")
    server.restart()
    assert server.api("GET", "/server", token=made["token"]).status == 401


def test_run_token_opens_that_run_only(server: RoostServer, gate: Gate) -> None:
    other = server.run("print('x')")
    run = server.submit("import os\nprint(os.environ['ROOST_TOKEN'], flush=True)\n" + gate.wait_code)
    wait_until(lambda: server.log(run), 20, "the run has printed its token")
    token = server.log(run).decode().strip()
    tags = {"a": "b"}
    assert server.expect(200, "PATCH", f"/runs/{run['id']}", json={"tags": tags}, token=token)["tags"] == tags
    server.expect(201, "PUT", f"/runs/{run['id']}/artifacts/outputs/mine", data=b"x", token=token,
                  content_type="application/octet-stream")
    assert server.api("GET", f"/runs/{run['id']}", token=token).status == 200
    for method, path, body in [
        ("GET", f"/runs/{other['id']}", None), ("PATCH", f"/runs/{other['id']}", {"tags": {"a": "b"}}),
        ("POST", f"/runs/{other['id']}/cancel", None), ("PUT", f"/runs/{other['id']}/artifacts/outputs/x", None),
        ("POST", RUNS, {"experiment": "e", "command": "true"}), ("POST", "/tokens", {"name": "n", "role": "owner"}),
        ("GET", "/tokens", None), ("POST", "/workspaces", {"name": "mine"}), ("POST", "/server/shutdown", {}),
    ]:
        answer = server.api(method, path, json=body, token=token)
        assert answer.status == 403, (method, path, answer.body)
    gate.open()
    server.wait(run)
    wait_until(lambda: server.api("PATCH", f"/runs/{run['id']}", json={"tags": {"c": "d"}}, token=token).status
               in (401, 403, 410), 5, "the token of a finished run opens nothing")


def test_two_servers_on_one_folder(server: RoostServer, make_server: MakeServer) -> None:
    second = make_server(data=server.data, start=False)
    process = second.begin_start()
    assert process.wait(10) == 0, "there is a server, which is what was asked for"
    second._killed = True  # the folder is in use by the first
    assert server.info["url"] in second.output and "roost down" in second.output
    second.data = second.folder / "none"
    assert server.get("/server")["pid"] == server.pid and server.info["pid"] == server.pid


@pytest.mark.parametrize("config, words", [
    ({"address": "0.0.0.0"}, ["TLS", "allow_insecure"]),
    ({"adress": "127.0.0.1"}, ["adress"]),
    ({"port": "many"}, ["port"]),
    ({"port": 70000}, ["port"]),
    ({"node_lost_seconds": -1}, ["node_lost_seconds"]),
    ({"tls": {"certificate": "/no/such/file", "key": "/no/such/key"}}, ["/no/such/file"]),
    ({"tls": {"certificat": "x"}}, ["certificat"]),
    ({"data": 5}, ["data"]),
])
def test_configuration_that_is_refused(make_server: MakeServer, config: dict, words: list) -> None:
    server = make_server(config, start=False)
    process = server.begin_start()
    assert process.wait(10) not in (0, -6, -11)
    server._killed = True
    for word in words:
        assert word in server.output, server.output


def test_configuration_that_is_not_yaml(make_server: MakeServer) -> None:
    server = make_server({}, start=False)
    server.folder.mkdir()
    (server.folder / "bad.yaml").write_text("port: 0\naddress: [unclosed\n")
    done = server.cli("server", "--config", server.folder / "bad.yaml", check=False, timeout=10)
    assert done.returncode != 0 and "line" in done.stderr and "bad.yaml" in done.stderr
    done = server.cli("server", "--config", server.folder / "absent.yaml", check=False, timeout=10)
    assert done.returncode != 0 and "absent.yaml" in done.stderr


def test_other_address_when_told_so(make_server: MakeServer) -> None:
    server = make_server({"address": "0.0.0.0", "allow_insecure": True})
    port = server.api_client.url.port
    assert Api(f"http://127.0.0.1:{port}", server.api_client.token).send("GET", "/healthz").status == 200


def test_tls_with_a_certificate_of_its_own(make_server: MakeServer) -> None:
    server = make_server({"tls": {"self_signed": True}})
    assert server.info["url"].startswith("https://") and Path(server.info["ca_file"]).exists()
    for key in server.data.rglob("*key*.pem"):
        assert stat.S_IMODE(key.stat().st_mode) == 0o600
    run = server.run("import os, roost.run\nroost.run.log('x', 1)\nprint(os.environ['ROOST_CA_FILE'])\n"
                     "open('outputs/o', 'w').write('x')")
    assert run["status"] == "Completed", run["error"]
    assert server.artifact(run, "outputs/o") == b"x" and server.metric(run, "x")["count"] == 1
    assert run["id"] in server.cli("runs").stdout
    plain = Api(f"http://127.0.0.1:{server.api_client.url.port}", server.api_client.token, timeout=5)
    try:
        assert plain.send("GET", "/healthz").status >= 400
    except (OSError, ValueError):
        pass
    except Exception as error:  # http.client: the answer is not HTTP
        assert "BadStatusLine" in type(error).__name__


def test_tls_with_given_files(make_server: MakeServer, tmp_path: Path) -> None:
    make = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout k.pem -out c.pem -days 2 " \
           "-subj /CN=localhost -addext subjectAltName=DNS:localhost,IP:127.0.0.1"
    subprocess.run(make.split(), cwd=tmp_path, check=True, capture_output=True, timeout=20)
    server = make_server({"tls": {"certificate": str(tmp_path / "c.pem"), "key": str(tmp_path / "k.pem")}})
    assert server.get("//healthz")["status"] == "ok"
    assert server.run("print('over TLS')")["status"] == "Completed"


def test_run_tokens_do_not_reach_a_log_file_of_the_server(server: RoostServer) -> None:
    run = server.run("import os; print(os.environ['ROOST_TOKEN'])")
    token = server.log(run).decode().strip()
    assert len(token) >= 32 and token not in server.output and server.api_client.token not in server.output
