"""Keyvault and secret variables of environments, as Azure's code uses them, against the real server."""
from typing import Any

import pytest

from roost_fixture import PYTHON, RoostServer
from sdk_fixtures import at_server, experiment, script, ws  # noqa: F401

VALUE = "tr0ub4dor-and-3"


def test_the_vault(ws: Any) -> None:
    from azureml.core import Keyvault
    from azureml.exceptions import UserErrorException

    vault = ws.get_default_keyvault()
    assert isinstance(vault, Keyvault)
    vault.set_secret(name="db-password", value=VALUE)
    vault.set_secrets({"one": "1", "two": "zwei\nDrei"})
    assert vault.get_secret("DB-Password") == VALUE and vault.get_secret(name="two") == "zwei\nDrei"
    assert vault.get_secrets(["one", "three"]) == {"one": "1", "three": None}
    assert {"name": "db-password"} in vault.list_secrets()
    vault.delete_secret("one")
    vault.delete_secrets(["two"])
    assert [item["name"] for item in vault.list_secrets()] == ["db-password"]
    with pytest.raises(UserErrorException, match="there is no secret"):
        vault.delete_secret("one")
    with pytest.raises(UserErrorException, match="secret name"):
        vault.set_secret("not a name", "x")
    with pytest.raises(UserErrorException):
        vault.set_secret("empty", "")


def test_a_reader_sees_names_only(ws: Any, at_server: RoostServer, monkeypatch: Any) -> None:
    from azureml.core import Workspace
    from azureml.exceptions import AuthenticationException

    ws.get_default_keyvault().set_secret("hidden", VALUE)
    monkeypatch.setenv("ROOST_TOKEN", at_server.new_token("reader")["token"])
    vault = Workspace.get("default").get_default_keyvault()
    assert {"name": "hidden"} in vault.list_secrets()
    for refused in (lambda: vault.get_secret("hidden"), lambda: vault.set_secret("hidden", "x"), lambda: vault.delete_secret("hidden")):
        with pytest.raises(AuthenticationException):
            refused()


def test_in_a_run(ws: Any, experiment: Any, script: Any, at_server: RoostServer) -> None:
    ws.get_default_keyvault().set_secret("for-runs", VALUE)
    run = experiment.submit(script("""
        from azureml.core import Run
        run = Run.get_context()
        secret = run.get_secret(name="for-runs")
        vault = run.experiment.workspace.get_default_keyvault()
        print("it is", secret, vault.get_secret("for-runs") == secret, run.get_secrets(["for-runs"])["for-runs"][::-1])
    """))
    run.wait_for_completion()
    assert at_server.log(run.id).decode() == f"it is *** True {VALUE[::-1]}\n"
    assert run.type == "azureml.scriptrun" and at_server.get_run(run.id)["type"] == "script"


def test_secrets_of_an_environment(ws: Any, experiment: Any, tmp_path: Any, at_server: RoostServer) -> None:
    from azureml.core import Environment, ScriptRunConfig

    (tmp_path / "train.py").write_text("import os\nprint(os.environ['API_KEY'], os.environ['API_KEY'][::-1], os.environ['MODE'])")
    environment = Environment("with-a-key")
    environment.python.user_managed_dependencies = True
    environment.python.interpreter_path = PYTHON
    environment.environment_variables = {"API_KEY": VALUE, "MODE": "fast"}
    run = experiment.submit(ScriptRunConfig(str(tmp_path), "train.py", environment=environment))
    run.wait_for_completion()
    assert at_server.log(run.id).decode() == f"*** {VALUE[::-1]} fast\n"
    assert VALUE not in str(run.get_details()) and VALUE not in str(at_server.get_run(run.id))
    environment.register(ws)
    assert Environment.get(ws, "with-a-key").environment_variables == {"MODE": "fast"}
    assert environment.environment_variables == {"API_KEY": VALUE, "MODE": "fast"}
