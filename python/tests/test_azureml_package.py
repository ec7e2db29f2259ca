"""Where names are found, and what an import costs."""

import importlib
import os
import subprocess
import sys

import pytest
from conftest import PYTHON_FOLDER

EXCEPTIONS = [
    "ActivityFailedException",
    "AuthenticationException",
    "AzureMLException",
    "ComputeTargetException",
    "DatasetTimestampMissingError",
    "DatasetValidationError",
    "DiscoveryUrlNotFoundException",
    "ExperimentException",
    "ExperimentExecutionException",
    "ModelNotFoundException",
    "OptionalDependencyMissingException",
    "ProjectSystemException",
    "RunConfigurationException",
    "RunEnvironmentException",
    "ServiceException",
    "SnapshotException",
    "TrainingException",
    "UserErrorException",
    "WebserviceException",
    "WorkspaceException",
]


@pytest.mark.parametrize("name", EXCEPTIONS)
def test_exceptions(name):
    from azureml import exceptions
    from azureml.exceptions import _azureml_exception

    kind = getattr(exceptions, name)
    assert kind is getattr(_azureml_exception, name)
    inner = ValueError("inside")
    error = kind("what was wrong", inner_exception=inner)
    assert isinstance(error, exceptions.AzureMLException) and error.message == "what was wrong"
    assert error.inner_exception is inner
    assert str(error) == f"{name}:\n\tMessage: what was wrong"


def test_parents_of_exceptions():
    from azureml import exceptions as e

    assert issubclass(e.WorkspaceException, e.ProjectSystemException)
    assert issubclass(e.ModelNotFoundException, e.WebserviceException)


def test_errors_of_the_server():
    from azureml import exceptions as e
    from azureml._errors import calling, is_code
    from roost import RoostError

    for code, kind in {
        "not_found": e.ComputeTargetException,
        "unauthenticated": e.AuthenticationException,
        "permission_denied": e.AuthenticationException,
        "unavailable": e.ServiceException,
        "internal": e.ServiceException,
    }.items():
        with pytest.raises(kind) as caught, calling(e.ComputeTargetException):
            raise RoostError(code, "it is so")
        assert "it is so" in caught.value.message and is_code(caught.value, code)


NAMES = {
    "azureml.core": "Workspace Experiment Run ScriptRunConfig RunConfiguration Environment "
    "ComputeTarget Dataset Datastore Model Keyvault get_run VERSION",
    "azureml.core.workspace": "Workspace UserErrorException AuthenticationException",
    "azureml.core.experiment": "Experiment",
    "azureml.core.run": "Run _OfflineRun get_run",
    "azureml.core.script_run": "ScriptRun",
    "azureml.core.model": "Model Dataset",
    "azureml.core.keyvault": "Keyvault",
    "azureml.core.authentication": "AuthenticationException InteractiveLoginAuthentication "
    "ServicePrincipalAuthentication AzureCliAuthentication MsiAuthentication TokenAuthentication "
    "AbstractAuthentication ArmTokenAuthentication Audience",
    "azureml.telemetry": "set_diagnostics_collection",
    "azureml._restclient.constants": "RunStatus",
    "azureml._restclient.snapshots_client": "SNAPSHOT_MAX_SIZE_BYTES",
    "azureml._base_sdk_common": "__version__",
}


@pytest.mark.parametrize("module", NAMES)
def test_names(module):
    found = importlib.import_module(module)
    for name in NAMES[module].split():
        assert getattr(found, name) is not None
    with pytest.raises(AttributeError, match="no_such_name"):
        found.no_such_name  # noqa: B018


def test_submodules_and_dir():
    import azureml.core

    assert azureml.core.run.Run is azureml.core.Run
    assert {"Workspace", "run", "VERSION"} <= set(dir(azureml.core))


def test_telemetry(capsys):
    import azureml.telemetry as telemetry

    telemetry.set_diagnostics_collection(send_diagnostics=True)
    assert telemetry.get_diagnostics_collection_info() is True
    telemetry.set_diagnostics_collection(send_diagnostics=False)
    assert telemetry.get_diagnostics_collection_info() is False
    assert telemetry.is_diagnostics_collection_info_available()
    assert "Roost sends none" in capsys.readouterr().out


def test_authentication_takes_what_azure_takes(connected):
    from azureml.core import authentication as a
    from azureml.exceptions import UserErrorException

    for auth in (
        a.InteractiveLoginAuthentication(force=True, tenant_id="t"),
        a.ServicePrincipalAuthentication("t", "id", service_principal_password="p"),
        a.AzureCliAuthentication(),
        a.MsiAuthentication(),
        a.TokenAuthentication(get_token_for_audience=lambda audience: "azure's"),
        a.ArmTokenAuthentication("azure's"),
    ):
        assert isinstance(auth, a.AbstractAuthentication)
        assert auth.get_authentication_header() == {"Authorization": "Bearer my-token"}
        assert "p" not in vars(auth).values()
    with pytest.raises(UserErrorException):
        a.TokenAuthentication("not a function")


SLOW = "http.client ssl urllib.request asyncio concurrent.futures tempfile uuid email pandas numpy"


def test_imports_are_light():
    """Each of these takes milliseconds that a script may never need."""
    code = f"""
import sys
import azureml.core
from azureml.core import Run, Workspace, Experiment, Environment, ScriptRunConfig, Model
Run.get_context()
print([name for name in {SLOW.split()!r} if name in sys.modules])
"""
    environment = {**os.environ, "PYTHONPATH": PYTHON_FOLDER}
    environment.pop("ROOST_SPOOL", None)
    done = subprocess.run(
        [sys.executable, "-S", "-c", code], env=environment, stdout=subprocess.PIPE, check=True
    )
    assert done.stdout.decode().strip() == "[]"


def test_other_packages_share_the_name(tmp_path):
    (tmp_path / "azureml" / "mine").mkdir(parents=True)
    (tmp_path / "azureml" / "mine" / "__init__.py").write_text("x = 7\n")
    code = "import azureml.core, azureml.mine; print(azureml.mine.x)"
    path = os.pathsep.join([PYTHON_FOLDER, str(tmp_path)])
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": path},
        stdout=subprocess.PIPE,
        check=True,
    )
    assert done.stdout.decode().strip() == "7"
