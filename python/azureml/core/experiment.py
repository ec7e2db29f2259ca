"""Experiments: runs that belong together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional, Union

from .._errors import calling, is_code
from ..exceptions import (
    AzureMLException,
    ExperimentException,
    ExperimentExecutionException,
    UserErrorException,
)
from .workspace import Workspace

if TYPE_CHECKING:
    from ._config_file import PathLike
    from .run import Run

__all__ = ["Experiment"]

Filter = Union[str, Dict[str, Any], None]


class Experiment:
    """A name under which runs are kept. The server makes it with the first run."""

    def __init__(
        self,
        workspace: Workspace,
        name: str,
        _skip_name_validation: bool = False,
        _id: Optional[str] = None,
        _archived_time: Any = None,
        _create_in_cloud: bool = True,
        _facts: Optional[Dict[str, Any]] = None,
        **_: Any,
    ) -> None:
        if not isinstance(workspace, Workspace):
            raise UserErrorException(
                f"Experiment(workspace, name) takes a Workspace first, not {workspace!r}. "
                "Get one with Workspace.from_config()."
            )
        if not isinstance(name, str) or not name:
            raise UserErrorException(
                f"the name of an experiment must be a string that is not empty, not {name!r}."
            )
        self._workspace = workspace
        self._name = name
        self._facts = _facts

    @property
    def workspace(self) -> Workspace:
        return self._workspace

    @property
    def workspace_object(self) -> Workspace:
        return self._workspace

    @property
    def name(self) -> str:
        return self._name

    @property
    def id(self) -> str:
        return str(self._read_or_make()["id"])

    @property
    def archived_time(self) -> Optional[str]:
        """The time of the last run of an archived experiment, as nearly as Roost keeps it."""
        facts = self._read_or_make()
        return (facts["last_run_at"] or facts["created_at"]) if facts["archived"] else None

    # Runs.

    def submit(self, config: Any, tags: Optional[Dict[str, Any]] = None, **kwargs: Any) -> Run:
        """Sends a ScriptRunConfig, or an estimator, with its folder to the server and returns the
        run, which begins on its own; for a HyperDriveConfig a HyperDriveRun. `show_output=True`
        waits and prints what it prints. The server makes the id; `run_id` becomes the display
        name."""
        return self._submit(config, tags, None, **kwargs)

    def start_logging(
        self,
        *args: Any,
        outputs: Any = None,
        snapshot_directory: Optional[PathLike] = ".",
        display_name: Optional[str] = None,
        **kwargs: Any,
    ) -> Run:
        """Begins a run that this process reports to, with no compute. Until it ends a thread says
        that the process lives; without that it ends as Failed in time, "crashed". `outputs` is a
        folder, by default ./outputs, which is made, and kept with the run when it ends, as ./logs
        is; False keeps none. `snapshot_directory` is kept with the run; None keeps none."""
        if args:
            raise UserErrorException(
                "start_logging takes its arguments by name: outputs=, snapshot_directory=."
            )
        run = self._start(None, snapshot_directory, display_name, None)
        if outputs is not False:
            run._track(outputs)
        return run

    def get_runs(
        self,
        type: Optional[str] = None,
        tags: Filter = None,
        properties: Filter = None,
        include_children: bool = False,
        status: Optional[str] = None,
    ) -> Iterator[Run]:
        """The runs, newest first. `tags` and `properties` are a key, or a dict of key to value."""
        from ._run_kinds import known_run

        query = {
            "experiment": self._name,
            "type": type,
            "tag": filters(tags),
            "property": filters(properties),
            "top_level": None if include_children else True,
            "status": status,
            "limit": 100,
        }
        with calling(ExperimentException):
            for facts in self._workspace._client.pages(self._workspace._path("runs"), **query):
                yield known_run(self, facts)

    @staticmethod
    def from_directory(path: PathLike, auth: Any = None) -> Experiment:
        """Refuses: folders are not attached to experiments here."""
        raise NotImplementedError(
            f"Experiment.from_directory: Roost attaches no folder to an experiment. Use "
            f"Experiment(Workspace.from_config({str(path)!r}), name)."
        )

    @staticmethod
    def list(
        workspace: Workspace,
        experiment_name: Optional[str] = None,
        view_type: str = "ActiveOnly",
        tags: Filter = None,
    ) -> List[Experiment]:
        """The experiments of a workspace. `view_type` is ActiveOnly, ArchivedOnly or All."""
        views = {"activeonly": (False,), "archivedonly": (True,), "all": (False, True)}
        if view_type.lower() not in views:
            raise UserErrorException(
                f"view_type is ActiveOnly, ArchivedOnly or All, not {view_type!r}."
            )
        wanted = [part.split("=", 1) for part in filters(tags) or []]
        with calling(ExperimentException):
            items = [*workspace._client.pages(workspace._path("experiments"), limit=1000)]
        return [
            Experiment(workspace, item["name"], _facts=item)
            for item in items
            if item["archived"] in views[view_type.lower()]
            and (experiment_name is None or item["name"] == experiment_name)
            and all(_has(item["tags"], *pair) for pair in wanted)
        ]

    # The experiment itself.

    @property
    def tags(self) -> Dict[str, Optional[str]]:
        return dict(self.refresh()["tags"])

    def tag(self, key: str, value: Optional[str] = None) -> None:
        """Sets a tag."""
        self.set_tags({key: value})

    def set_tags(self, tags: Dict[str, Any]) -> None:
        """Sets tags; those not named stay."""
        self._change({"tags": _texts(tags)})

    def remove_tags(self, tags: Union[str, List[str]]) -> None:
        """Removes tags by key."""
        self._change({"remove_tags": [tags] if isinstance(tags, str) else [*tags]})

    def archive(self) -> None:
        """Takes the experiment out of lists. Its runs stay."""
        self._change({"archived": True})

    def reactivate(self, new_name: Optional[str] = None) -> None:
        """Brings it back into lists."""
        if new_name not in (None, self._name):
            raise UserErrorException("an experiment keeps its name: its runs carry it in their id.")
        self._change({"archived": False})

    @staticmethod
    def delete(workspace: Workspace, experiment_id: str) -> None:
        """Puts it and all its runs into the bin, from where `roost runs restore` takes them out."""
        with calling(ExperimentException):
            found = [
                item["name"]
                for item in workspace._client.pages(workspace._path("experiments"), limit=1000)
                if item["id"] == experiment_id
            ]
            if not found:
                raise ExperimentException(f"there is no experiment with the id {experiment_id!r}")
            workspace._client.delete(workspace._path("experiments", found[0]))

    def refresh(self) -> Dict[str, Any]:
        """Reads the experiment from the server again."""
        self._facts = None
        return self._read_or_make()

    def get_portal_url(self) -> str:
        """The experiment's runs in the studio."""
        from roost.client import quote

        table = f"{self._workspace._client.url}/w/{quote(self._workspace.name)}/runs"
        return f"{table}?q=experiment%3A{quote(self._name)}"

    # For the rest of this package.

    def _submit(
        self, config: Any, tags: Optional[Dict[str, Any]], parent: Optional[str], **kwargs: Any
    ) -> Run:
        from roost.git_facts import git_facts

        from .run import Run

        if not hasattr(config, "_submission"):
            raise UserErrorException(
                f"{type(config).__name__} cannot be submitted. Make a "
                "ScriptRunConfig(source_directory=..., script=...) and submit that."
            )
        if parent and hasattr(config, "_sweep_spec"):
            raise UserErrorException(
                "a sweep has no run above it. Submit it with experiment.submit(config)."
            )
        show_output = bool(kwargs.pop("show_output", False))
        display_name = kwargs.pop("run_id", None)
        _refuse_options(kwargs)
        submission = config._submission(self._workspace)
        spec: Dict[str, Any] = {
            **submission.spec,
            "experiment": self._name,
            "subscription_id": self._workspace.subscription_id,
            "resource_group": self._workspace.resource_group,
        }
        if display_name:
            spec["display_name"] = str(display_name)
        spec["tags"] = {**(spec.get("tags") or {}), **_texts(tags)}
        if parent:
            spec["parent"] = parent
        folder = submission.source_directory
        if folder is not None:
            spec["snapshot"] = self._snapshot(folder)
            spec["git"] = git_facts(folder)
        if hasattr(config, "_sweep_spec"):
            run = self._start_sweep(config, spec)
        else:
            run = Run(self, "", _facts=self._post(spec))
        if show_output:
            run.wait_for_completion(show_output=True)
        return run

    def _start_sweep(self, config: Any, spec: Dict[str, Any]) -> Run:
        from azureml.train.hyperdrive.run import HyperDriveRun

        path = self._workspace._path("sweeps")
        with calling(ExperimentExecutionException):
            made = self._workspace._client.create_sweep(path, config._sweep_spec(spec))
        return HyperDriveRun(self, made["id"], config)

    def _start(
        self,
        outputs: Optional[PathLike],
        snapshot_directory: Optional[PathLike],
        display_name: Optional[str],
        parent: Optional[str],
        tags: Optional[Dict[str, Any]] = None,
    ) -> Run:
        import os

        from roost.git_facts import git_facts
        from roost.heartbeat import keep_alive

        from .run import Run

        spec: Dict[str, Any] = {
            "experiment": self._name,
            "interactive": True,
            "tags": _texts(tags),
        }
        if display_name:
            spec["display_name"] = display_name
        if parent:
            spec["parent"] = parent
        if snapshot_directory is not None:
            folder = os.fspath(snapshot_directory)
            spec["snapshot"] = self._snapshot(folder)
            spec["git"] = git_facts(folder)
        run = Run(self, "", outputs=outputs, _facts=self._post(spec))
        keep_alive(self._workspace._client, run.id)
        return run

    def _snapshot(self, folder: str) -> str:
        from roost.snapshot import take_snapshot

        from ..exceptions import SnapshotException

        with calling(SnapshotException):
            return take_snapshot(self._workspace._client, folder).digest

    def _post(self, spec: Dict[str, Any]) -> Dict[str, Any]:
        with calling(ExperimentExecutionException):
            return dict(self._workspace._client.submit_run(self._workspace._path("runs"), spec))

    def _read_or_make(self) -> Dict[str, Any]:
        if self._facts is None:
            client, path = self._workspace._client, self._workspace._path("experiments", self._name)
            try:
                with calling(ExperimentException):
                    self._facts = dict(client.get(path))
            except AzureMLException as error:
                if not is_code(error, "not_found"):
                    raise
                with calling(ExperimentException):
                    self._facts = dict(
                        client.post(self._workspace._path("experiments"), {"name": self._name})
                    )
        return self._facts

    def _change(self, body: Dict[str, Any]) -> None:
        self._read_or_make()
        with calling(ExperimentException):
            path = self._workspace._path("experiments", self._name)
            self._facts = dict(self._workspace._client.patch(path, body))

    def __repr__(self) -> str:
        return f"Experiment(Name: {self._name},\nWorkspace: {self._workspace.name})"

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Experiment)
            and self._name == other._name
            and self._workspace == other._workspace
        )

    def __hash__(self) -> int:
        return hash((self._name, self._workspace))


def filters(given: Filter) -> Optional[List[str]]:
    """A key, or keys with their values, as the server takes them."""
    if not given:
        return None
    if isinstance(given, str):
        return [given]
    return [key if value is None else f"{key}={value}" for key, value in dict(given).items()]


def _has(tags: Dict[str, Any], key: str, *value: str) -> bool:
    return key in tags and (not value or tags[key] == value[0])


def _texts(values: Optional[Dict[str, Any]]) -> Dict[str, Optional[str]]:
    if values is not None and not isinstance(values, dict):
        raise UserErrorException(f"tags must be a dict of key to value, not {values!r}.")
    return {
        str(key): None if value is None else str(value) for key, value in (values or {}).items()
    }


def _refuse_options(options: Dict[str, Any]) -> None:
    for name, value in options.items():
        if name in ("pipeline_parameters", "regenerate_outputs", "continue_on_step_failure"):
            raise UserErrorException(
                f"{name}= belongs to pipelines, which Roost does not have yet; see docs/azureml.md."
            )
        if value is not None:
            raise UserErrorException(f"submit has no option {name}=; leave it out.")
