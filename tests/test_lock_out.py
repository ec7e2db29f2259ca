"""Nobody is locked out of his own server: not by revoking tokens, nor by what lies in a data folder or a variable."""
import threading

from conftest import Gate, MakeServer
from roost_fixture import RoostServer


def owners(server: RoostServer) -> list:
    return [token for token in server.get("/tokens")["items"] if token["role"] == "owner" and not token["revoked"]]


def test_the_last_owner_stays(make_server: MakeServer) -> None:
    server = make_server()
    (only,) = owners(server)
    refused = server.api("DELETE", f"/tokens/{only['id']}")
    assert refused.status == 409 and "last owner" in refused.message and "roost token create" in refused.message
    done = server.cli("token", "rm", only["id"], check=False)
    assert done.returncode != 0 and "last owner" in done.stderr
    others = [server.new_token("owner", name=f"owner {i}") for i in range(4)]
    statuses = []

    def revoke(token: str) -> None:
        statuses.append(server.api("DELETE", f"/tokens/{token}", token=others[0]["token"]).status)

    threads = [threading.Thread(target=revoke, args=[token["id"]]) for token in [only, *others[1:]]]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert statuses.count(200) == 4, statuses
    assert server.api("DELETE", f"/tokens/{others[0]['id']}", token=others[0]["token"]).status == 409
    assert server.api("GET", "/tokens", token=others[0]["token"]).status == 200
    listed = server.cli("token", "ls", env={**server.environment, "ROOST_TOKEN": others[0]["token"]}).stdout
    assert listed.count("revoked") == 4 and "never" in listed
    # The file of the data folder opens nothing any more; whoever can read the folder stops the server all the same.
    assert server.cli("token", "ls", check=False).returncode != 0
    assert "stopped" in server.cli("down").stdout
    assert server.process.wait(20) == 0


def test_down_whatever_token_is_set(make_server: MakeServer, gate: Gate) -> None:
    server = make_server()
    run = server.submit(gate.wait_code)
    server.wait(run, "Running")
    reader = {**server.environment, "ROOST_TOKEN": server.new_token("reader")["token"]}
    assert server.cli("token", "create", "x", check=False, env=reader).returncode != 0
    assert "stopped" in server.cli("down", "--keep-runs", env=reader).stdout
    server.process.wait(20)
    server.start()
    assert server.get_run(run)["status"] in ("Running", "NotResponding")
    gate.open()
    server.wait(run)
    (server.data / "owner.token").unlink()
    assert "stopped" in server.cli("down").stdout
    server.process.wait(20)
    server.start()
    assert server.get("/tokens"), "a new one was made"


def test_the_folders_key_stops_and_does_nothing_else(make_server: MakeServer) -> None:
    import hashlib
    import hmac
    server = make_server()
    key = (server.data / "secret").read_bytes().strip()
    token = "roost_stop_" + hmac.new(key, b"stop", hashlib.sha256).hexdigest()
    for method, path in (("GET", "/tokens"), ("GET", "/server"), ("POST", "/workspaces"), ("GET", "/workspaces/default/runs")):
        assert server.api(method, path, token=token, json={} if method == "POST" else None).status == 401
    assert server.api("POST", "/server/shutdown", token=token[:-1] + ("0" if token[-1] != "0" else "1"), json={}).status == 401
    assert server.api("POST", "/server/shutdown", token=token, json={}).status == 202
    assert server.process.wait(20) == 0
