"""Workspace.from_config and what can be wrong with it."""

import json
import os

import pytest
from fake_api import refusal

from azureml.core import Workspace
from azureml.core.authentication import InteractiveLoginAuthentication
from azureml.exceptions import (
    AuthenticationException,
    ProjectSystemException,
    ServiceException,
    UserErrorException,
    WorkspaceException,
)

CONFIG = {"subscription_id": "s", "resource_group": "g", "workspace_name": "default"}


def write(path, content=CONFIG):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


@pytest.mark.parametrize("place", ["config.json", ".azureml/config.json", "aml_config/config.json"])
def test_it_is_found_here_and_above(connected, tmp_path, monkeypatch, place):
    write(tmp_path / place)
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    ws = Workspace.from_config()
    assert (ws.name, ws.subscription_id, ws.resource_group, ws.location) == (
        "default", "s", "g", "local",
    )  # fmt: skip
    assert Workspace.from_config(tmp_path).name == "default"
    assert Workspace.from_config(path=str(tmp_path / place)).name == "default"
    assert repr(ws) == "Workspace.create(name='default', subscription_id='s', resource_group='g')"


def test_the_nearest_wins_and_names_can_be_given(connected, tmp_path):
    write(tmp_path / "config.json", {"workspace_name": "far"})
    write(tmp_path / "a" / ".azureml" / "config.json")
    write(tmp_path / "a" / "mine.json", {**CONFIG, "subscription_id": "t"})
    assert Workspace.from_config(tmp_path / "a").subscription_id == "s"
    assert Workspace.from_config(tmp_path / "a", _file_name="mine.json").subscription_id == "t"


def test_no_config(connected, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserErrorException) as caught:
        Workspace.from_config()
    assert str(tmp_path) in caught.value.message and "workspace_name" in caught.value.message
    with pytest.raises(UserErrorException, match="neither a file nor a folder"):
        Workspace.from_config(tmp_path / "nowhere")


@pytest.mark.parametrize(
    "content", ["{", "[]", "{}", {"workspace_name": ""}, {"workspace_name": 3}]
)
def test_bad_config(connected, tmp_path, content):
    path = write(tmp_path / "config.json", content)
    with pytest.raises(UserErrorException) as caught:
        Workspace.from_config(tmp_path)
    assert str(path) in caught.value.message


def test_unknown_workspace(connected, tmp_path):
    write(tmp_path / "config.json", {**CONFIG, "workspace_name": "prod"})
    with pytest.raises(WorkspaceException) as caught:
        Workspace.from_config(tmp_path)
    assert isinstance(caught.value, ProjectSystemException)
    for part in ("'prod'", "default", "roost workspace create prod", connected.url):
        assert part in caught.value.message


def test_server_down(connected, tmp_path):
    write(tmp_path / "config.json")
    connected.stop()
    with pytest.raises(ServiceException, match="roost up"):
        Workspace.from_config(tmp_path)


def test_no_server_at_all(connected, monkeypatch):
    monkeypatch.delenv("ROOST_URL")
    monkeypatch.delenv("ROOST_TOKEN")
    with pytest.raises(ServiceException, match="roost up"):
        Workspace.get("default")


def test_token_expired(connected):
    connected.routes["GET /api/v1/workspaces/default"] = refusal(
        401, "unauthenticated", "the token expired"
    )
    with pytest.raises(AuthenticationException, match="the token expired.*roost token create"):
        Workspace.get("default")


def test_write_config(connected, tmp_path, monkeypatch):
    ws = Workspace("s", "g", "default", auth=InteractiveLoginAuthentication())
    monkeypatch.chdir(tmp_path)
    ws.write_config()
    assert json.loads((tmp_path / ".azureml/config.json").read_text()) == CONFIG
    ws.write_config(path=".azureml")
    assert not (tmp_path / ".azureml/.azureml").exists()
    ws.write_config(tmp_path / "deep" / "er", file_name="other.json")
    assert (tmp_path / "deep/er/.azureml/other.json").exists()
    assert Workspace.from_config().name == "default"
    with pytest.raises(UserErrorException, match="is a file"):
        ws.write_config(tmp_path / ".azureml/config.json")


def test_create(connected, capsys):
    route = "POST /api/v1/workspaces"
    connected.routes[route] = (201, {"name": "default"})
    options = {"subscription_id": "s", "resource_group": "g", "location": "eastus"}
    ws = Workspace.create(name="default", create_resource_group=True, sku="basic", **options)
    assert ws.location == "eastus" and connected.calls(route)[0].json == {"name": "default"}
    assert "default" in capsys.readouterr().out
    connected.routes[route] = refusal(409, "already_exists")
    assert Workspace.create("default", exist_ok=True, **options).name == "default"
    with pytest.raises(WorkspaceException, match="exist_ok=True"):
        Workspace.create("default", **options)


def test_mlflow_is_told_where_the_workspace_is_and_let_in(connected, monkeypatch):
    monkeypatch.delenv("MLFLOW_TRACKING_TOKEN", raising=False)
    ws = Workspace.get(name="default")
    assert ws.get_mlflow_tracking_uri() == ws.discovery_url
    assert os.environ["MLFLOW_TRACKING_TOKEN"] == ws._client.token
    ws._client.token = "another"
    ws.get_mlflow_tracking_uri()
    assert os.environ["MLFLOW_TRACKING_TOKEN"] == "another"
    monkeypatch.setenv("MLFLOW_TRACKING_TOKEN", "the user's own")
    ws.get_mlflow_tracking_uri()
    assert os.environ["MLFLOW_TRACKING_TOKEN"] == "the user's own"
    options = {"_disable_service_check": True, "_client": ws._client}
    other = Workspace(workspace_name="deep space", **options)
    assert other.get_mlflow_tracking_uri() == f"{ws.discovery_url}/mlflow/deep%20space"
    import azureml.mlflow

    assert azureml.mlflow.__name__ == "azureml.mlflow"


def test_details_and_refusals(connected):
    ws = Workspace.get(name="default", subscription_id="s", resource_group="g")
    assert ws.get_details()["workspaceid"] == "w-1" and ws._workspace_id == "w-1"
    assert list(Workspace.list("s")) == ["default"]
    with pytest.raises(WorkspaceException, match="does not delete"):
        ws.delete()
    for wrong in (None, "", 3):
        with pytest.raises(UserErrorException):
            Workspace("s", "g", wrong)


def test_authentication(connected):
    header = InteractiveLoginAuthentication(tenant_id="t").get_authentication_header()
    assert header == {"Authorization": "Bearer my-token"}


SECRETS = "/api/v1/workspaces/default/secrets"


def test_keyvault(connected, monkeypatch, tmp_path):
    vault = Workspace.get("default").get_default_keyvault()
    monkeypatch.delenv("ROOST_SPOOL", raising=False)
    stored = {}

    def put(asked, name):
        stored[name] = asked.json["value"]
        return {"name": name}

    def get(asked, name):
        if name not in stored:
            return 404, {"error": {"code": "not_found", "message": f"there is no secret {name}"}}
        return {"name": name, "value": stored[name]}

    def remove(asked, name):
        stored.pop(name)
        return {"name": name}

    for method, answer in (("PUT", put), ("GET", get), ("DELETE", remove)):
        connected.patterns.append((f"{method} {SECRETS}/([^/]+)", answer))
    connected.routes[f"GET {SECRETS}"] = lambda asked: {
        "items": [{"name": name, "updated_by": "me"} for name in sorted(stored)],
        "next_cursor": None,
    }
    vault.set_secret(name="db-password", value="tr0ub4dor")
    vault.set_secrets({"a": "1", "b": "2"})
    assert vault.get_secret(name="db-password") == "tr0ub4dor"
    assert vault.get_secrets(["a", "other"]) == {"a": "1", "other": None}
    assert vault.list_secrets() == [{"name": "a"}, {"name": "b"}, {"name": "db-password"}]
    vault.delete_secret("a")
    vault.delete_secrets(["b"])
    assert list(stored) == ["db-password"]
    monkeypatch.setenv("API_KEY", "of the environment")
    assert vault.get_secret("api-key") == "of the environment"
    with pytest.raises(UserErrorException, match="roost secret set none-such"):
        vault.get_secret("none-such")
    for wrong in (None, "", 3):
        with pytest.raises(UserErrorException, match="name of a secret"):
            vault.get_secret(wrong)
    with pytest.raises(UserErrorException, match="must be a string"):
        vault.set_secrets({"c": "fine", "d": 4})
    assert "c" not in stored, "none of them is stored"
    # In a run the runner hears of it first.
    monkeypatch.setenv("ROOST_SPOOL", str(tmp_path))
    vault.get_secret("db-password")
    assert (tmp_path / "secrets").read_text() == '"tr0ub4dor"\n'
