"""Model.export_onnx: the run that makes an ONNX model of a PyTorch model."""

from __future__ import annotations

import os
import re
import shlex
from typing import TYPE_CHECKING, Any, Dict, List, Optional

from azureml._errors import calling
from azureml.core._made_by import environment_of, run_that_made
from azureml.exceptions import WebserviceException

if TYPE_CHECKING:
    from azureml.core.environment import Environment
    from azureml.core.model import Model
    from azureml.core.run import Run

_INPUT = "roost_model"
_FOLDER = f'"$AZUREML_DATAREFERENCE_{_INPUT}"'


def submit_export(
    model: Model,
    input_shape: Any,
    options: Dict[str, Any],
    code: Optional[str],
    environment: Optional[Environment],
    compute: Any,
) -> Run:
    """Begins the run; `options` are those of roost.inference.export_onnx by the names it has."""
    from azureml.core.experiment import Experiment
    from azureml.core.run import Run

    workspace = model.workspace
    made_by = run_that_made(workspace, model.run_id) or {}
    if not options.get("script"):
        options["script"] = script_of(made_by)
    code = code or _take_local_function(options)
    spec: Dict[str, Any] = {
        "experiment": model.experiment_name or "export",
        "display_name": f"export {model.id}",
        "command": _command(model, input_texts(input_shape), options),
        "tags": {"roost": "export"},
        "inputs": [{"name": _INPUT, "content": model._facts["content"]}],
        "properties": {"model": model.id},
        **_same_as(made_by),
    }
    name = compute if compute is None or isinstance(compute, str) else compute.name
    if name is not None:
        spec["compute"] = name
    if environment is not None:
        spec["environment"] = environment._spec(workspace, name or "local")
    elif not spec.get("environment"):
        spec["environment"] = _own_python(model)
    if code is not None:
        from roost.snapshot import take_snapshot

        with calling(WebserviceException):
            spec["snapshot"] = take_snapshot(workspace._client, code).digest
    experiment = Experiment(workspace, spec["experiment"])
    with calling(WebserviceException):
        facts = workspace._client.submit_run(workspace._path("runs"), spec)
    return Run(experiment, "", _facts=facts)


def exported_model(model: Model, run: Run) -> Model:
    """What the run registered."""
    found: List[Model] = type(model).list(model.workspace, run_id=run.id)
    if not found:
        raise WebserviceException(
            f"The run {run.id} registered no model; run.get_details_with_logs() tells more."
        )
    return found[0]


def input_texts(given: Any) -> List[str]:
    """Shapes as the command line has them: "2x3x224x224", "ids=2x16:int64"."""
    if isinstance(given, str):
        return given.split()
    if isinstance(given, dict):
        return [f"{name}={_shape_text(shape)}" for name, shape in given.items()]
    if isinstance(given, (list, tuple)) and given:
        if all(isinstance(size, (int, str)) and not isinstance(size, bool) for size in given) and (
            isinstance(given[0], int)
        ):
            return [_shape_text(given)]
        return [_shape_text(shape) for shape in given]
    raise WebserviceException(
        "input_shape must say what the model takes: (2, 3, 224, 224), or for several inputs "
        f"{{'ids': '2x16:int64', 'mask': (2, 16)}}, not {given!r}."
    )


def script_of(run: Dict[str, Any]) -> str:
    """The script that saved the model, as far as the run's spec says."""
    spec = run.get("spec") or {}
    if spec.get("script"):
        return str(spec["script"])
    words = re.split(r"[\s'\";]+", str(spec.get("command") or ""))
    return next((word for word in words if word.endswith(".py")), "")


def _shape_text(shape: Any) -> str:
    if isinstance(shape, str):
        return shape
    return "x".join(str(size) for size in shape)


def _command(model: Model, inputs: List[str], options: Dict[str, Any]) -> str:
    words = ["python", "-m", "roost.inference.export_onnx"]
    rest = ["--exported-from", model.id]
    for text in inputs:
        rest += ["--input", text]
    for name, value in options.items():
        word = "--" + name.replace("_", "-")
        if value is True:
            rest.append(word)
        elif value not in (None, False, ""):
            rest += [word, str(value)]
    quoted = [shlex.quote(word) for word in rest]
    return " ".join([*words, "--model", _FOLDER, *quoted])


def _same_as(made_by: Dict[str, Any]) -> Dict[str, Any]:
    """Code, place and environment of the run that made the model."""
    if not made_by:
        return {}
    found = {
        "environment": environment_of(made_by),
        "environment_variables": _shown(made_by),
        "secrets": (made_by.get("spec") or {}).get("secrets"),
        "compute": made_by.get("compute"),
        "snapshot": made_by.get("snapshot"),
    }
    return {key: value for key, value in found.items() if value}


def _shown(made_by: Dict[str, Any]) -> Dict[str, str]:
    """Its variables but for those whose values nobody is shown."""
    variables = (made_by.get("spec") or {}).get("environment_variables") or {}
    return {name: value for name, value in variables.items() if value != "***"}


def _own_python(model: Model) -> Dict[str, Any]:
    """Of a model that no run made: the interpreter of what asks, if it is on the same machine."""
    from azureml.core._own_interpreter import own_interpreter

    own = own_interpreter(model.workspace)
    return {"python": own} if own else {}


def _take_local_function(options: Dict[str, Any]) -> Optional[str]:
    """A file of this machine in model_function brings its folder along."""
    path, colon, function = str(options.get("model_function") or "").rpartition(":")
    if not colon or not path.endswith(".py") or not os.path.isfile(path):
        return None
    options["model_function"] = f"{os.path.basename(path)}:{function}"
    return os.path.dirname(path) or "."
