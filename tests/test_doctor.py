"""`roost doctor`: can the nodes meet, before a script is blamed."""
import json

from conftest import MakeServer
from netns import Hosts
from roost_fixture import RoostServer

CHECKS = ["rendezvous", "names", "ports", "shared memory", "clocks", "libraries"]


def test_sound_nodes(server: RoostServer) -> None:
    done = server.cli("doctor", "local")
    lines = done.stdout.splitlines()
    assert [line for line in lines if " ok " in line] == lines[1:] and len(lines) == 1 + len(CHECKS), done.stdout
    report = json.loads(server.cli("doctor", "local", "--nodes", "1", "--json").stdout)
    assert [check["name"] for check in report["checks"]] == CHECKS and len(report["nodes"]) == 1


def test_the_nodes_and_environment_of_a_run(server: RoostServer) -> None:
    run = server.run("print(1)", distributed={"kind": "pytorch", "node_count": 2})
    report = json.loads(server.cli("doctor", run["id"], "--json").stdout)
    assert [node["rank"] for node in report["nodes"]] == [0, 1] and "torch" in report["nodes"][0]["versions"]
    assert all(reach["milliseconds"] is not None for node in report["nodes"] for reach in node["reaches"])


def test_what_is_neither_a_run_nor_a_compute(server: RoostServer) -> None:
    done = server.cli("doctor", "nothing-of-the-kind", check=False)
    assert done.returncode != 0 and "neither a run nor a compute" in done.stderr


def test_hosts_that_cannot_reach_one_another(hosts: Hosts, make_server: MakeServer) -> None:
    """Each still reaches the server: a firewall between nodes, the usual reason for a hanging start."""
    server = make_server({"address": hosts.server_address, "allow_insecure": True, "hosts": hosts.config(),
                          "variables": {"ROOST_DOCTOR_SECONDS": "4"}})
    server.expect(201, "POST", "/workspaces/default/computes", json={"name": "hosts", "min_nodes": 0, "max_nodes": 2})
    hosts.part()
    done = server.cli("doctor", "hosts", check=False)
    assert done.returncode == 1 and "failed" in done.stdout and "never came" in done.stdout, done.stdout + done.stderr
