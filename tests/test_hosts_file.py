"""A run of several nodes finds them by name, and every other name that the machine knows."""
from pathlib import Path

from roost_fixture import RoostServer

SHOW = """
    import os, socket
    print(socket.gethostbyname(socket.gethostname()))
    print(open("/etc/hosts").read())
"""


def test_the_names_of_the_machine_are_kept(server: RoostServer) -> None:
    server.expect(201, "POST", "/workspaces/default/computes", json={"name": "pair", "max_nodes": 2})
    run = server.run(SHOW, compute="pair", timeout=60, distributed={"kind": "pytorch", "node_count": 2})
    assert run["status"] == "Completed", run["error"]
    hosts = Path("/etc/hosts")
    known = hosts.read_text(encoding="utf-8").splitlines() if hosts.exists() else []
    for rank in server.get(f"/runs/{run['id']}/ranks")["items"]:
        log = server.log(run, rank["log"]).decode().splitlines()
        assert log[0].startswith("127.77.")
        assert [line for line in known if line not in log] == []
        assert len([line for line in log[1:] if line.startswith("127.77.")]) == 2
