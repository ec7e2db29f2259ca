"""Runs: one training each, from submit to its end."""

from __future__ import annotations

import functools
import os
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional, cast

import roost.run
from roost.streaming import TERMINAL

from .._errors import calling, is_code
from ..exceptions import (
    AzureMLException,
    RunEnvironmentException,
    ServiceException,
    UserErrorException,
    WebserviceException,
)
from ._offline_run import _OfflineRun
from ._run_artifacts import RunArtifacts
from ._run_children import RunChildren
from ._run_sweep import RunSweep
from ._run_waiting import RunWaiting

if TYPE_CHECKING:
    from ._config_file import PathLike
    from .environment import Environment
    from .experiment import Experiment
    from .model import Model
    from .workspace import Workspace

__all__ = ["Run", "_OfflineRun", "get_run"]


class Run(RunArtifacts, RunChildren, RunSweep, RunWaiting):
    """A run of an experiment.

    Experiment.submit and Experiment.start_logging make runs, Run(experiment, id) finds one again,
    and Run.get_context() is the one a script belongs to. Any thread may use it.
    """

    def __init__(
        self,
        experiment: Experiment,
        run_id: str,
        outputs: Optional[PathLike] = None,
        *,
        _facts: Optional[Dict[str, Any]] = None,
        **_: Any,
    ) -> None:
        self._experiment = experiment
        self._run_id = str(_facts["id"]) if _facts else run_id
        self._facts = dict(_facts) if _facts else None
        self._outputs = outputs
        self._logs: Optional[str] = None
        self._sink = None
        self._reporter = None
        if not hasattr(experiment, "workspace"):
            raise UserErrorException(
                f"Run(experiment, run_id) takes an Experiment first, not {experiment!r}."
            )
        if not isinstance(self._run_id, str) or not self._run_id:
            raise UserErrorException(
                f"Run(experiment, run_id) takes the id of a run, not {run_id!r}."
            )
        if _facts is None:
            self._check()

    # Finding.

    @staticmethod
    def get_context(allow_offline: bool = True, used_for_context_manager: bool = False) -> Run:
        """The run this script belongs to. Outside of one, an _OfflineRun that prints what would be
        reported, or RunEnvironmentException if `allow_offline` is False."""
        spool = os.environ.get("ROOST_SPOOL")
        if spool:
            return _context(spool, os.environ.get("ROOST_RUN_ID", ""))
        if allow_offline:
            return cast(Run, _offline())
        raise RunEnvironmentException(
            "this script is not in a run. Submit it with Experiment.submit() or `roost submit`, or "
            "call Run.get_context() without allow_offline=False."
        )

    @staticmethod
    def get_submitted_run(**_: Any) -> Run:
        """The older name of get_context."""
        return Run.get_context()

    @staticmethod
    def get(workspace: Workspace, run_id: str, **_: Any) -> Run:
        """The run of that id, whatever experiment it belongs to."""
        from ._run_kinds import known_run
        from .experiment import Experiment

        with calling(UserErrorException):
            facts = workspace._client.get_run(run_id)
        return known_run(Experiment(workspace, facts["experiment"]), facts)

    @staticmethod
    def list(
        experiment: Experiment,
        type: Optional[str] = None,
        tags: Any = None,
        properties: Any = None,
        status: Optional[str] = None,
        include_children: bool = False,
        _rehydrate_runs: bool = True,
    ) -> Iterator[Run]:
        """The runs of an experiment, newest first."""
        return experiment.get_runs(type, tags, properties, include_children, status)

    # Ending.

    def complete(self, _set_status: bool = True) -> None:
        """Ends a run that start_logging or child_run began; what it left in ./outputs and ./logs is
        uploaded first. A script's run ends by its exit code, whatever this says. One that has ended
        stays as it is."""
        self.flush()
        if self._is_context:
            return
        self._upload_tracked()
        if _set_status:
            self._end("complete")

    def fail(
        self,
        error_details: Any = None,
        error_code: Optional[str] = None,
        _set_status: bool = True,
    ) -> None:
        """Ends a run as Failed. In the run itself the script goes on to its end, and the run is
        Failed then, whatever the exit code. One that has ended stays as it is."""
        self.flush()
        if not self._is_context:
            self._upload_tracked()
        if not _set_status:
            return
        body: Dict[str, Any] = {}
        if error_details is not None and str(error_details):
            body["message"] = _error_text(error_details)
        if error_code:
            body["code"] = error_code
        self._end("fail", body)
        if not self._is_context and self._known["status"] not in TERMINAL:
            self._follow(None)  # its processes are being ended

    def cancel(self) -> None:
        """Asks the run to end: SIGTERM, some seconds, then SIGKILL. One that has ended stays as it
        is."""
        self._end("cancel")

    def _end(self, how: str, body: Any = None) -> None:
        from roost.heartbeat import let_go

        let_go(self._run_id)
        try:
            self._take(self._call("post", self._path(how), body))
        except AzureMLException as error:
            if not is_code(error, "failed_precondition") or self.get_status() not in TERMINAL:
                raise

    def clean(self) -> None:
        """Nothing is left to remove: nodes clean up after every run by themselves."""

    def __enter__(self) -> Run:
        return self

    def __exit__(self, kind: Any, error: Any, _: Any) -> None:
        if error is None:
            self.complete()
        else:
            self.fail(error)

    # What it used and made.

    def get_environment(self) -> Environment:
        """The environment the run was submitted with."""
        from .environment import Environment

        spec = self._known["spec"].get("environment") or {}
        if spec.get("name"):
            return Environment.get(
                self._experiment.workspace, spec["name"], version=spec.get("version")
            )
        found = self._known.get("environment") or spec
        environment = Environment("system-managed" if not found.get("python") else "user-managed")
        environment.python.user_managed_dependencies = True
        environment.python.interpreter_path = found.get("python") or "python"
        environment.environment_variables = dict(found.get("variables") or {})
        return environment

    @property
    def input_datasets(self) -> Dict[str, Any]:
        """Inputs by name: in the run, where each is on this machine, and a Dataset for one without
        as_mount() or as_download(); outside of it the Datasets that the inputs were."""
        if self._is_context:
            from azureml.data._in_run import input_datasets

            return input_datasets(lambda: self._experiment.workspace)
        from azureml.data._used_dataset import used_dataset

        workspace = self._experiment.workspace
        return {
            item["name"]: used_dataset(workspace, item)
            for item in self._known["spec"].get("inputs") or []
            if item.get("dataset")
        }

    @property
    def output_datasets(self) -> Dict[str, Any]:
        return {}

    def register_model(
        self,
        model_name: str,
        model_path: Optional[str] = None,
        tags: Optional[Dict[str, Any]] = None,
        properties: Optional[Dict[str, Any]] = None,
        model_framework: Optional[str] = None,
        model_framework_version: Optional[str] = None,
        description: Optional[str] = None,
        datasets: Any = None,
        sample_input_dataset: Any = None,
        sample_output_dataset: Any = None,
        resource_configuration: Any = None,
        **kwargs: Any,
    ) -> Model:
        """Makes a file, or a folder, that the run left behind a model. Nothing is copied."""
        from roost.run_files import clean_name

        from ._model_body import model_body, refuse_options
        from .model import Model

        refuse_options("register_model", kwargs)
        with calling(WebserviceException):
            path = clean_name(model_path or model_name)
        if self._is_context or self._outputs is not None:
            self._upload_unless_there(path)
        body = model_body(
            model_name,
            tags=tags,
            properties=properties,
            description=description,
            framework=model_framework,
            framework_version=model_framework_version,
            datasets=datasets,
            sample_input=sample_input_dataset,
            sample_output=sample_output_dataset,
            resources=resource_configuration,
        )
        return Model._register(self._experiment.workspace, {**body, "run": self.id, "path": path})

    def get_secret(self, name: str) -> str:
        """A secret of the workspace; see Keyvault. The run's logs have *** where it is printed."""
        from .keyvault import Keyvault

        return Keyvault(self._experiment.workspace).get_secret(name)

    def get_secrets(self, secrets: List[str]) -> Dict[str, Optional[str]]:
        """Secrets by name; None for what there is not."""
        from .keyvault import Keyvault

        return Keyvault(self._experiment.workspace).get_secrets(secrets)

    def get_submitted_config(self) -> Dict[str, Any]:
        """The RunSpec this run was submitted with."""
        return dict(self._known["spec"])

    # For the rest of this package.

    _is_context = False

    def _before_waiting(self) -> None:
        self.flush()

    def _track(self, outputs: Optional[PathLike]) -> None:
        """What this folder, by default ./outputs, and ./logs hold at the end belongs to the run."""
        self._outputs = os.path.abspath(os.fspath(outputs) if outputs else "outputs")
        self._logs = os.path.abspath("logs")
        os.makedirs(self._outputs, exist_ok=True)

    def _upload_tracked(self) -> None:
        """Once: a run that has ended gets no more files."""
        folders = [folder for folder in (self._outputs, self._logs) if folder is not None]
        self._outputs = self._logs = None
        if not folders or self.status in TERMINAL:
            return
        for folder in folders:
            if os.path.isdir(folder):
                name = os.path.basename(os.path.abspath(os.fspath(folder)))
                self.upload_folder(name, folder)

    def _check(self) -> None:
        """That there is such a run, in this experiment."""
        with calling(UserErrorException):
            facts = self._client.get_run(self._run_id)
        if facts["experiment"] != self._experiment.name:
            raise UserErrorException(
                f"run {self._run_id} belongs to the experiment {facts['experiment']!r}, not to "
                f"{self._experiment.name!r}. Use Run.get(workspace, run_id)."
            )
        self._take(facts)

    def _upload_unless_there(self, path: str) -> None:
        """In a run, ./outputs is collected only after the script has ended; of one that
        start_logging began, when it is completed."""
        from roost.run_files import list_files

        place = path
        if self._outputs is not None:  # the current folder may be another by now
            place = os.path.join(os.path.dirname(os.fspath(self._outputs)), path)
            if not f"{place}/".startswith(f"{os.fspath(self._outputs)}/"):
                return
        if not os.path.exists(place):
            return
        with calling(ServiceException):
            there = list_files(self._client, self.id, path)
        if os.path.isdir(place):
            self.upload_folder(path, place)
        elif path not in there:
            self.upload_file(path, place)
        if path.endswith(".onnx") and os.path.isfile(f"{place}.data"):
            self._upload_unless_there(f"{path}.data")  # its large weights; it cannot do without


class _SubmittedRun(Run):
    """The run this process belongs to. Asks the server for nothing until it has to."""

    _is_context = True

    def __init__(self, reporter: roost.run.Run) -> None:
        self._run_id = reporter.id
        self._facts = None
        self._outputs = None
        self._logs = None
        self._sink = reporter._spool
        self._reporter = reporter
        self._found_experiment: Optional[Experiment] = None

    @property
    def _experiment(self) -> Experiment:  # type: ignore[override]
        if self._found_experiment is None:
            self._found_experiment = self._find_experiment()
        return self._found_experiment

    def _find_experiment(self) -> Experiment:
        from roost.client import Client

        from .experiment import Experiment
        from .workspace import Workspace

        with calling(RunEnvironmentException):
            client = Client.from_environment()
        name = os.environ.get("AZUREML_ARM_PROJECT_NAME", "default")
        return Experiment(Workspace._of_run(client), name)


def get_run(
    experiment: Experiment, run_id: str, rehydrate: bool = True, clean_up: bool = True
) -> Run:
    """The run of that id."""
    from ._run_kinds import known_run

    return known_run(experiment, Run(experiment, run_id)._known)


@functools.lru_cache(maxsize=None)
def _context(spool: str, run: str) -> Run:
    return _SubmittedRun(roost.run.Run.get_context())


@functools.lru_cache(maxsize=None)
def _offline() -> _OfflineRun:
    return _OfflineRun()


def _error_text(details: Any) -> str:
    if isinstance(details, BaseException):
        import traceback

        lines = traceback.format_exception(type(details), details, details.__traceback__)
        return "".join(lines).strip()[-3000:]
    return str(details)[:3000]
