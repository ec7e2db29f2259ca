"""A script, or a command, to run."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Union

from azureml._absent import not_here
from azureml.core._distributed import (
    MpiConfiguration,
    ParallelTaskConfiguration,
    PyTorchConfiguration,
    TensorflowConfiguration,
)
from azureml.core._submission import Submission
from azureml.core.environment import Environment
from azureml.core.runconfig import (
    DEFAULT_MAX_RUN_DURATION_SECONDS,
    DockerConfiguration,
    RunConfiguration,
    reference_config,
    target_name,
)
from azureml.exceptions import RunConfigurationException, UserErrorException

if TYPE_CHECKING:
    from azureml.core.workspace import Workspace
    from azureml.data._inputs import Inputs

__all__ = ["ScriptRunConfig", "get_run_config_from_script_run"]

_DISTRIBUTED = (
    MpiConfiguration,
    PyTorchConfiguration,
    TensorflowConfiguration,
    ParallelTaskConfiguration,
)


class ScriptRunConfig:
    """A folder of code, what to run in it, where, and in which environment.

    `run_config` is alive: change it and submit again.
    """

    MAX_RUN_DURATION_SECONDS_DEFAULT = DEFAULT_MAX_RUN_DURATION_SECONDS

    def __init__(
        self,
        source_directory: Optional[Union[str, os.PathLike[str]]] = None,
        script: Optional[Union[str, os.PathLike[str]]] = None,
        arguments: Optional[List[Any]] = None,
        run_config: Optional[RunConfiguration] = None,
        _telemetry_values: Any = None,
        compute_target: Any = None,
        environment: Optional[Environment] = None,
        distributed_job_config: Any = None,
        resume_from: Any = None,
        max_run_duration_seconds: Optional[int] = DEFAULT_MAX_RUN_DURATION_SECONDS,
        command: Optional[Union[str, List[Any]]] = None,
        docker_runtime_config: Optional[DockerConfiguration] = None,
    ) -> None:
        self.source_directory = _checked_folder(source_directory)
        self.run_config = _checked_run_config(run_config)
        given = None if script is None else _checked_script(script)
        self.script = given if given is not None else self.run_config.script
        self.arguments: List[Any] = [] if arguments is None else _checked_arguments(arguments)
        self.command = command
        self.distributed_job_config = _checked_distributed(distributed_job_config)
        self.max_run_duration_seconds = _checked_duration(max_run_duration_seconds)
        self.resume_from = resume_from
        if compute_target is not None:
            self.run_config.target = compute_target
        if environment is not None:
            self.run_config.environment = environment
        if docker_runtime_config is not None:
            self.run_config.docker = _checked_docker(docker_runtime_config)
        if self.distributed_job_config is not None:
            self.run_config._distributed = self.distributed_job_config
            _mirror_distributed(self.run_config, self.distributed_job_config)
        if max_run_duration_seconds != DEFAULT_MAX_RUN_DURATION_SECONDS:
            self.run_config.max_run_duration_seconds = self.max_run_duration_seconds
        if resume_from is not None:
            raise not_here(
                "ScriptRunConfig(resume_from=)",
                "copies the outputs of an earlier run",
                "Read them in the script with Run.download_files().",
            )
        self._check_what_to_run(script, arguments, command)

    def _check_what_to_run(self, script: Any, arguments: Any, command: Any) -> None:
        if command is not None and (script is not None or arguments is not None):
            raise UserErrorException(
                "ScriptRunConfig takes either a command, or a script with its arguments, not both."
            )
        if command is not None and not isinstance(command, (str, list, tuple)):
            raise UserErrorException(
                f"command must be a text or a list, not {type(command).__name__}."
            )
        if command is not None and not command:
            raise UserErrorException("The command is empty. Say what to run, or give a script.")

    def __repr__(self) -> str:
        what = f"command={self.command!r}" if self.command else f"script={self.script!r}"
        return f"ScriptRunConfig(source_directory={self.source_directory!r}, {what})"

    # For Experiment.submit.

    def _submission(self, workspace: Workspace) -> Submission:
        from azureml.data._inputs import Inputs

        config = self.run_config
        inputs = Inputs(workspace)
        spec: Dict[str, Any] = {"compute": target_name(config.target)}
        command = self.command or (None if self.script else config.command)
        if command:
            spec["command"] = _command_line(command, inputs)
        else:
            spec["script"] = self._script_in_folder()
            arguments = self.arguments or config.arguments or []
            spec["arguments"] = [_argument(item, inputs) for item in arguments]
        for name, reference in config.data_references.items():
            inputs.add_reference(name, reference_config(reference))
        for name, data in config.data.items():
            inputs.add_data(name, data)
        distributed = config._distributed_spec()
        if distributed is not None:
            spec["distributed"] = distributed
        spec["node_count"] = config._node_count(distributed)
        if config.resources is not None:
            resources = config.resources._spec()
            if resources:
                spec["resources"] = resources
        variables = {str(key): str(value) for key, value in config.environment_variables.items()}
        if distributed is None and config.framework != "Python":
            variables.setdefault("AZUREML_FRAMEWORK", config.framework)
        if variables:
            spec["environment_variables"] = variables
        environment = config.environment._spec(workspace, spec["compute"])
        if environment:
            spec["environment"] = environment
        duration = _checked_duration(config.max_run_duration_seconds)
        if duration is not None:
            spec["max_run_duration_seconds"] = duration
        if config.docker._to_dict() != DockerConfiguration()._to_dict():
            import json

            spec["properties"] = {"azureml.docker": json.dumps(config.docker._to_dict())}
        docker = config.docker._spec()
        if docker:
            spec.setdefault("environment", {})["docker"] = docker
        if config.priority is not None:
            spec["priority"] = config.priority
        if inputs.specs:
            spec["inputs"] = inputs.specs
        return Submission(self.source_directory, spec)

    def _script_in_folder(self) -> str:
        given = self.script or self.run_config.script
        if not given:
            raise UserErrorException(
                "There is nothing to run. Give ScriptRunConfig a script, or a command."
            )
        script = _checked_script(given)
        if os.path.isabs(script):
            script = os.path.relpath(script, os.path.abspath(self.source_directory))
        script = os.path.normpath(script).replace(os.sep, "/")
        if script.lower().endswith(".ipynb"):
            raise UserErrorException(
                f"The script {given} is a notebook, which Python cannot run. Make a script of it "
                f"(`jupyter nbconvert --to script {given}`) and submit that, or give "
                f"command='jupyter execute {given}' with jupyter in the environment."
            )
        if script.startswith("../"):
            raise UserErrorException(
                f"The script {given} is outside source_directory {self.source_directory}. "
                "Only that folder is sent; move the script into it, or name a folder above both."
            )
        if not os.path.isfile(os.path.join(self.source_directory, script)):
            raise UserErrorException(
                f"There is no script {script} in {os.path.abspath(self.source_directory)}. "
                "`script` is a path relative to source_directory."
            )
        return script


def get_run_config_from_script_run(script_run_config: ScriptRunConfig) -> RunConfiguration:
    return script_run_config.run_config


def _argument(item: Any, inputs: Inputs) -> str:
    if item is None:
        raise UserErrorException(
            "An argument of the script is None. Leave it out, or pass a text for it."
        )
    return inputs.argument(item) if inputs.is_data(item) else _text(item)


def _text(item: Any) -> str:
    if isinstance(item, (str, bool, int, float)):
        return str(item)
    if isinstance(item, os.PathLike):
        return str(os.fspath(item))
    if type(item).__module__ == "numpy" and hasattr(item, "item"):
        return str(item.item())
    raise UserErrorException(
        f"An argument of the script is of type {type(item).__name__}. Pass texts, numbers, paths "
        "or data such as dataset.as_mount()."
    )


def _command_line(command: Union[str, List[Any]], inputs: Inputs) -> str:
    """A list is joined by blanks, as the shell will read it."""
    if isinstance(command, str):
        return command
    if any(item is None for item in command):
        raise UserErrorException("An item of the command is None. Leave it out.")
    return " ".join(
        inputs.argument(item) if inputs.is_data(item) else _command_word(item) for item in command
    )


def _command_word(item: Any) -> str:
    return shlex.quote(os.fspath(item)) if isinstance(item, os.PathLike) else _text(item)


def _checked_folder(folder: Any) -> str:
    if folder is None or folder == "":
        return "."
    if not isinstance(folder, (str, os.PathLike)):
        raise UserErrorException(
            f"source_directory must be the path of a folder, not {type(folder).__name__}."
        )
    path = os.fspath(folder)
    if not os.path.isdir(path):
        what = "is a file" if os.path.exists(path) else "does not exist"
        raise UserErrorException(
            f"source_directory {path!r} {what} (looked from {os.getcwd()}). "
            "Give the folder that holds the script."
        )
    return str(path)


def _checked_run_config(run_config: Any) -> RunConfiguration:
    if run_config is None:
        return RunConfiguration()
    if not isinstance(run_config, RunConfiguration):
        raise UserErrorException(
            f"run_config must be a RunConfiguration, not {type(run_config).__name__}."
        )
    return run_config


def _checked_script(script: Any) -> str:
    if not isinstance(script, (str, os.PathLike)):
        raise UserErrorException(f"script must be a path, not {type(script).__name__}.")
    return str(os.fspath(script))


def _checked_arguments(arguments: Any) -> List[Any]:
    if isinstance(arguments, str) or not isinstance(arguments, (list, tuple)):
        raise UserErrorException(
            f"arguments must be a list such as ['--epochs', 30], not {type(arguments).__name__}."
        )
    return list(arguments)


def _checked_distributed(distributed: Any) -> Any:
    if distributed is not None and not isinstance(distributed, _DISTRIBUTED):
        raise UserErrorException(
            "distributed_job_config must be an MpiConfiguration, PyTorchConfiguration or "
            f"TensorflowConfiguration, not {type(distributed).__name__}."
        )
    return distributed


def _checked_docker(docker: Any) -> DockerConfiguration:
    if not isinstance(docker, DockerConfiguration):
        raise UserErrorException(
            f"docker_runtime_config must be a DockerConfiguration, not {type(docker).__name__}."
        )
    return docker


def _checked_duration(seconds: Any) -> Optional[int]:
    if seconds is None:
        return None
    if isinstance(seconds, bool) or not isinstance(seconds, int) or seconds < 1:
        raise RunConfigurationException(
            f"max_run_duration_seconds must be a whole number of seconds, not {seconds!r}."
        )
    return seconds


def _mirror_distributed(config: RunConfiguration, distributed: Any) -> None:
    """So that code which looks at run_config sees the same."""
    if isinstance(distributed, MpiConfiguration):
        config.mpi, config.communicator = distributed, "IntelMpi"
    elif isinstance(distributed, PyTorchConfiguration):
        config.pytorch, config.framework = distributed, "PyTorch"
        config.communicator = distributed.communication_backend
    elif isinstance(distributed, TensorflowConfiguration):
        config.tensorflow, config.framework = distributed, "TensorFlow"
        config.communicator = "ParameterServer"
    config.node_count = distributed.node_count
