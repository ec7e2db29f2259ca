"""Workspaces and experiments through azureml.core, and what goes wrong with them."""
import json
import os
from pathlib import Path
from typing import Any

import pytest

from roost_fixture import RoostServer
from sdk_fixtures import at_server, experiment, script, ws  # noqa: F401


def test_create_and_find(at_server: RoostServer) -> None:
    from azureml.core import Workspace
    from azureml.exceptions import WorkspaceException

    made = Workspace.create(name="made", subscription_id="s", resource_group="g", location="eastus2",
                            create_resource_group=True, show_output=False)
    made.write_config()
    found = Workspace.from_config()
    assert (found.name, found.subscription_id, found.resource_group) == ("made", "s", "g") and found == made
    assert {"default", "made"} <= set(Workspace.list("s"))
    assert Workspace.create("made", exist_ok=True, show_output=False).get_details()["name"] == "made"
    with pytest.raises(WorkspaceException, match="exist_ok"):
        Workspace.create("made")
    with pytest.raises(WorkspaceException):
        Workspace.create("no blanks")


def test_what_is_in_it(ws: Any, experiment: Any) -> None:
    assert experiment.id and experiment.name in ws.experiments
    assert "local" in ws.compute_targets and ws.compute_targets["local"].name == "local"
    assert ws.get_default_datastore().name == "workspaceblobstore"
    assert {"workspaceblobstore", "workspacefilestore"} <= set(ws.datastores)
    assert ws.datasets == {} and isinstance(ws.models, dict)
    assert any(name.lower().startswith("azureml-") for name in ws.environments)
    ws.set_default_datastore("workspaceblobstore")


def test_unknown_workspace(at_server: RoostServer) -> None:
    from azureml.core import Workspace
    from azureml.exceptions import WorkspaceException

    Path("config.json").write_text(json.dumps({"workspace_name": "prod"}))
    with pytest.raises(WorkspaceException) as caught:
        Workspace.from_config()
    assert "'prod'" in caught.value.message and "default" in caught.value.message


def test_tokens(at_server: RoostServer, monkeypatch: Any) -> None:
    from azureml.core import Experiment, Workspace
    from azureml.exceptions import AuthenticationException

    monkeypatch.setenv("ROOST_URL", at_server.info["url"])
    monkeypatch.setenv("ROOST_TOKEN", "roost_wrong")
    with pytest.raises(AuthenticationException, match="token create"):
        Workspace.get("default")
    reader = at_server.new_token("reader")
    monkeypatch.setenv("ROOST_TOKEN", reader["token"])
    ws = Workspace.get("default")
    with pytest.raises(AuthenticationException, match="contributor"):
        Experiment(ws, "refused").start_logging(snapshot_directory=None)
    at_server.expect(200, "DELETE", f"/tokens/{reader['id']}")
    with pytest.raises(AuthenticationException):
        ws.get_details()


def test_an_expired_token(at_server: RoostServer, monkeypatch: Any) -> None:
    from azureml.core import Workspace
    from azureml.exceptions import AuthenticationException
    from processes import wait_until

    token = at_server.new_token("owner", expires_in_seconds=1)
    monkeypatch.setenv("ROOST_URL", at_server.info["url"])
    monkeypatch.setenv("ROOST_TOKEN", token["token"])
    seen = []

    def expired() -> bool:
        try:
            Workspace.get("default")
            return False
        except AuthenticationException as error:
            seen.append(error.message)
            return True

    wait_until(expired, 20, "the token to expire")
    assert "ROOST_TOKEN" in seen[0] or "token create" in seen[0]


def test_server_down(make_server: Any, monkeypatch: Any) -> None:
    from azureml.core import Workspace
    from azureml.exceptions import ServiceException

    server = make_server()
    monkeypatch.setenv("ROOST_DATA", str(server.data))
    for name in ("ROOST_URL", "ROOST_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    assert Workspace.get("default").name == "default"
    url = server.info["url"]
    server.terminate()
    with pytest.raises(ServiceException, match="roost up"):
        Workspace.get("default")
    monkeypatch.setenv("ROOST_URL", url)
    monkeypatch.setenv("ROOST_TOKEN", "t")
    with pytest.raises(ServiceException, match=url):
        Workspace.get("default")


def test_experiments(ws: Any, experiment: Any) -> None:
    from azureml.core import Experiment
    from azureml.exceptions import ExperimentExecutionException

    experiment.tag("area", "birds")
    assert experiment.tags == {"area": "birds"}
    assert [found.name for found in Experiment.list(ws, tags={"area": "birds"})] == [experiment.name]
    experiment.remove_tags(["area"])
    assert experiment.tags == {}
    experiment.archive()
    assert experiment.name not in ws.experiments
    assert experiment.name in [found.name for found in Experiment.list(ws, view_type="All")]
    experiment.reactivate()
    assert experiment.name in ws.experiments
    with pytest.raises(ExperimentExecutionException, match="not an? experiment name"):
        Experiment(ws, "no blanks").start_logging(snapshot_directory=None)


def test_wrong_submissions(ws: Any, experiment: Any, script: Any) -> None:
    from azureml.exceptions import AzureMLException, SnapshotException

    with pytest.raises(AzureMLException, match="nowhere"):
        experiment.submit(script("print(1)\n", compute="nowhere"))
    config = script("print(1)\n")
    config.folder = config.folder / "missing"
    with pytest.raises(SnapshotException, match="missing"):
        experiment.submit(config)
    assert not [name for name in os.listdir(".") if name != "config.json"]


def test_a_server_with_tls(make_server: Any, monkeypatch: Any, tmp_path: Path) -> None:
    from azureml.core import Experiment, Workspace
    from azureml.exceptions import ServiceException

    server = make_server({"tls": {"self_signed": True}})
    monkeypatch.setenv("ROOST_DATA", str(server.data))
    for name in ("ROOST_URL", "ROOST_TOKEN", "ROOST_CA_FILE"):
        monkeypatch.delenv(name, raising=False)
    run = Experiment(Workspace.get("default"), "tls").start_logging(snapshot_directory=None)
    run.log("a", 1)
    run.complete()
    assert run.get_metrics() == {"a": 1}
    monkeypatch.setenv("ROOST_URL", server.info["url"])
    monkeypatch.setenv("ROOST_TOKEN", "t")
    monkeypatch.setenv("ROOST_DATA", str(tmp_path))
    with pytest.raises(ServiceException, match="ROOST_CA_FILE"):
        Workspace.get("default")
