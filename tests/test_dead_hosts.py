"""A host of the configuration on which nothing comes up is passed over."""
from typing import Any, List

import pytest

from conftest import MakeServer

GOOD = {"address": "127.0.0.1", "start": ["env"]}


@pytest.mark.parametrize("start", [["/nosuch/program"], ["false"], ["sh", "-c", "exec sleep 1000"]], ids=["missing", "fails", "silent"])
def test_a_dead_host_is_passed_over(make_server: MakeServer, start: List[str]) -> None:
    dead: Any = {"address": "127.0.0.1", "start": start}
    server = make_server({"hosts": [dead, GOOD], "heartbeat_seconds": 1, "node_silent_seconds": 2, "node_lost_seconds": 3,
                          "cancel_grace_seconds": 1})
    server.expect(201, "POST", "/workspaces/default/computes", json={"name": "one", "min_nodes": 0, "max_nodes": 1,
                                                                     "idle_seconds_before_scaledown": 0})
    for _ in range(2):
        run = server.run("print('here')", compute="one", timeout=30)
        assert run["status"] == "Completed", run["error"]
    assert server.output.count("is passed over for a while") == 1
