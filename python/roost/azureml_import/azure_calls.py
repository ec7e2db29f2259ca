"""Calls of azureml as the follower reads them.

Environments, their packages and run configurations are made by the SDK itself, which is what will
read them later; what only a server has (workspaces, computes, data) is a Thing, and is noted.
"""

# ruff: noqa: ARG001, ARG005 - handlers in a table share one signature.

from __future__ import annotations

import ast
import inspect
import re
from typing import TYPE_CHECKING, Any, Callable, Dict, Optional

from . import installed
from .downloads import is_address
from .found import UNKNOWN
from .scene import Arguments, Bound, PathText, Thing, argument, known

if TYPE_CHECKING:
    from .follow import Follower

# Made for real: they touch nothing but their arguments and the files these name.
_PURE = {
    "Environment", "Environment.from_conda_specification", "Environment.from_pip_requirements",
    "Environment.from_dockerfile", "Environment.from_docker_image", "CondaDependencies",
    "CondaDependencies.create", "RunConfiguration", "DockerConfiguration", "MpiConfiguration",
    "PyTorchConfiguration", "TensorflowConfiguration", "DockerSection", "PythonSection",
    "ContainerRegistry", "Mpi", "Nccl", "Gloo", "ParameterServer",
    "AciWebservice.deploy_configuration", "AksWebservice.deploy_configuration",
    "AksEndpoint.deploy_configuration", "LocalWebservice.deploy_configuration",
}  # fmt: skip
_FILE_PARAMETERS = {
    "file_path", "dockerfile", "conda_specification", "pip_requirements",
    "conda_dependencies_file_path",
}  # fmt: skip
_ESTIMATORS = {"Estimator", "PyTorch", "TensorFlow", "SKLearn", "Chainer"}
_NOT_PURE_METHODS = {
    "save", "save_to_file", "save_to_directory", "get", "list", "build", "build_local",
    "get_image_details", "register",
}  # fmt: skip
_SERVICE_NAME = re.compile(r"[a-z][a-z0-9-]{2,31}\Z")
_GIVEN_LATER = "_foreseen"  # what was assigned and is not known, by name


def is_ours(value: Any) -> bool:
    return type(value).__module__.startswith("azureml.")


def own_attribute(owner: Any, name: str) -> Any:
    later = vars(owner).get(_GIVEN_LATER, {})
    if name in later:
        return later[name]
    try:
        return getattr(owner, name)
    except Exception:
        return UNKNOWN


def set_own_attribute(owner: Any, name: str, value: Any) -> None:
    later = vars(owner).setdefault(_GIVEN_LATER, {})
    later.pop(name, None)
    if known(value):
        try:
            setattr(owner, name, value)
            return
        except Exception:
            pass
    later[name] = value


def name_of(path: str) -> str:
    """azureml.core.dataset.Dataset.File -> Dataset.File; functions keep their last part."""
    parts = path.split(".")
    for index, part in enumerate(parts):
        if part[:1].isupper() or part.startswith("_Offline"):
            return ".".join(parts[index:])
    return parts[-1]


def call(follower: Follower, node: ast.Call, path: str, given: Arguments) -> Any:
    name = name_of(path)
    if name in _PURE:
        return _make(follower, node, path, name, given)
    if name in _ESTIMATORS:
        return _estimator(follower, node, path, name, given)
    handler = _CALLS.get(name)
    if handler is not None:
        return handler(follower, node, given)
    return Thing(name.split(".")[0])


def _callable(path: str) -> Optional[Callable[..., Any]]:
    parts = path.split(".")
    for size in range(len(parts) - 1, 0, -1):
        module = ".".join(parts[:size])
        if not installed.has_module(module):
            continue
        try:
            found = installed.resolve(module)
            for part in parts[size:]:
                found = getattr(found, part)
            return found if callable(found) else None
        except Exception:
            return None
    return None


def _bound(called: Any, given: Arguments) -> Optional[Dict[str, Any]]:
    try:
        return dict(inspect.signature(called).bind(*given[0], **given[1]).arguments)
    except (TypeError, ValueError):
        return None


def _make(follower: Follower, node: ast.Call, path: str, name: str, given: Arguments) -> Any:
    called = _callable(path)
    bound = _bound(called, given) if called is not None else None
    if called is None or bound is None:
        return Thing(name.split(".")[0])
    # A name that is not known changes nothing that can be foreseen.
    if bound.get("name") is UNKNOWN:
        bound["name"] = "unknown"
    for parameter in _FILE_PARAMETERS & bound.keys():
        value = bound[parameter]
        if isinstance(value, str) and (parameter != "dockerfile" or follower.files.is_file(value)):
            bound[parameter] = follower.files.real(value)
    later = {key: bound.pop(key) for key in list(bound) if not known(bound[key])}
    try:
        made = called(**bound)
    except TypeError:
        return Thing(name.split(".")[0])
    except Exception as error:
        follower.note("refused", node, text=_first_line(error))
        return Thing(name.split(".")[0])
    for key, value in later.items():
        set_own_attribute(made, key, value)
    if made is not None:
        vars(made)["_place"] = follower.place(node)
        source = given_path(given, bound)
        if source:
            vars(made)["_from"] = source
    return made


def given_path(given: Arguments, bound: Dict[str, Any]) -> str:
    """The file that an environment is read from, as the code names it."""
    values = [*given[0], *given[1].values()]
    names = [str(v) for v in values if isinstance(v, str) and re.search(r"\.(ya?ml|txt)$", v)]
    return names[-1] if names else ""


def _first_line(error: Exception) -> str:
    text = str(getattr(error, "message", "") or error).strip()
    return re.sub(r"^\w+:\s*Message:\s*", "", text).split("\n")[0]


# What is submitted.


def _script_run_config(follower: Follower, node: ast.Call, given: Arguments) -> Any:
    called = _callable("azureml.core.ScriptRunConfig")
    bound = _bound(called, given) or dict(given[1])
    config = bound.get("run_config")
    if config is None or not is_ours(config):
        config = _plain("azureml.core.runconfig.RunConfiguration")
    thing = Thing("ScriptRunConfig", **{**bound, "run_config": config})
    thing.facts["_place"] = follower.place(node)
    for parameter, attribute_name in (("environment", "environment"), ("compute_target", "target")):
        if bound.get(parameter) is not None and config is not None:
            set_own_attribute(config, attribute_name, bound[parameter])
    follower.note("config", node, config=thing)
    return thing


def _plain(path: str) -> Any:
    called = _callable(path)
    return called() if called is not None else None


def _estimator(follower: Follower, node: ast.Call, path: str, name: str, given: Arguments) -> Any:
    called = _callable(path)
    bound = (_bound(called, given) if called is not None else None) or dict(given[1])
    bound.update(bound.pop("kwargs", {}) or {})
    folder = bound.get("source_directory")
    thing = Thing("ScriptRunConfig", _place=follower.place(node), source_directory=folder)
    thing.facts["script"] = bound.get("entry_script", UNKNOWN)
    thing.facts["compute_target"] = bound.get("compute_target", "local")
    thing.facts["node_count"] = bound.get("node_count", 1)
    parameters = bound.get("script_params")
    thing.facts["arguments"] = UNKNOWN if parameters is UNKNOWN else _flat(parameters)
    real = dict(bound)
    real["source_directory"] = follower.files.absolute(folder) if isinstance(folder, str) else "."
    real["compute_target"] = "local"
    for key in [key for key, value in real.items() if not known(value)]:
        real.pop(key)
    real.pop("inputs", None)
    real.pop("script_params", None)
    try:
        if called is None or not follower.files.is_folder(real["source_directory"]):
            raise OSError
        import warnings

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            made = called(**real)
        thing.facts["run_config"] = made.run_config
    except (OSError, TypeError):
        thing.facts["run_config"] = _plain("azureml.core.runconfig.RunConfiguration")
    except Exception as error:
        follower.note("refused", node, text=_first_line(error))
        thing.facts["run_config"] = _plain("azureml.core.runconfig.RunConfiguration")
    if bound.get("environment_definition") is not None:
        set_own_attribute(thing.facts["run_config"], "environment", bound["environment_definition"])
    set_own_attribute(thing.facts["run_config"], "target", thing.facts["compute_target"])
    follower.note("config", node, config=thing)
    return thing


def _flat(parameters: Any) -> Any:
    if not isinstance(parameters, dict):
        return []
    return [word for pair in parameters.items() for word in pair if word != ""]


def _submit(follower: Follower, node: ast.Call, given: Arguments) -> Any:
    config = argument(given, 0, "config")
    if isinstance(config, Thing) and config.kind == "ScriptRunConfig":
        follower.note("submit", node, config=config)
    return Thing("Run")


# What a server has.


def _needs(kind: str, result: str, *names: str, index: int = 1) -> Callable[..., Any]:
    def handler(follower: Follower, node: ast.Call, given: Arguments) -> Any:
        name = argument(given, index, *names)
        follower.note(kind, node, name=name)
        return Thing(result, name=name)

    return handler


def _from_config(follower: Follower, node: ast.Call, given: Arguments) -> Any:
    path = argument(given, 0, "path")
    none_given = not given[0] and "path" not in given[1]
    follower.note(
        "need_config", node, path=None if none_given else path, file_name=given[1].get("_file_name")
    )
    return Thing("Workspace")


def _make_workspace(follower: Follower, node: ast.Call, given: Arguments) -> Any:
    name = argument(given, 0, "name")
    follower.note("make_workspace", node, name=name, exist_ok=given[1].get("exist_ok", False))
    return Thing("Workspace", name=name)


def _workspace(follower: Follower, node: ast.Call, given: Arguments) -> Any:
    name = argument(given, 2, "workspace_name")
    follower.note("need_workspace", node, name=name)
    return Thing("Workspace", name=name)


def _provisioning(follower: Follower, node: ast.Call, given: Arguments) -> Any:
    size = argument(given, 0, "vm_size")
    return Thing("Provisioning", vm_size=size, max_nodes=given[1].get("max_nodes", 1))


def _aks_provisioning(follower: Follower, node: ast.Call, given: Arguments) -> Any:
    size = argument(given, 1, "vm_size")
    return Thing("Provisioning", vm_size=None if size is UNKNOWN else size, max_nodes=UNKNOWN)


def _make_compute(follower: Follower, node: ast.Call, given: Arguments) -> Any:
    name = argument(given, 1, "name")
    how = argument(given, 2, "provisioning_configuration")
    facts = how.facts if isinstance(how, Thing) else {}
    follower.note(
        "make_compute",
        node,
        name=name,
        vm_size=facts.get("vm_size", UNKNOWN),
        max_nodes=facts.get("max_nodes", UNKNOWN),
    )
    return Thing("Compute", name=name)


def _from_files(follower: Follower, node: ast.Call, given: Arguments) -> Any:
    path = argument(given, 0, "path")
    made = Thing("FileDataset", sources=path)
    for item in path if isinstance(path, list) else [path]:
        if is_address(item):
            follower.note("internet", node, url=item, by="Dataset.File.from_files")
        elif isinstance(item, tuple) and len(item) == 2:
            _needs_data(follower, node, item[0], item[1], given[1].get("validate", True))
        elif isinstance(item, Thing) and item.kind == "DataPath":
            _needs_data(follower, node, item.get("datastore"), item.get("path"), True)
        elif isinstance(item, str):
            follower.note(
                "refused",
                node,
                text=f"{item!r} is a path on this machine, which runs cannot see. "
                "Upload it: Dataset.File.upload_directory(src_dir, target=(datastore, 'path')).",
            )
    return made


def _needs_data(follower: Follower, node: ast.AST, store: Any, path: Any, validate: Any) -> None:
    name = store.get("name") if isinstance(store, Thing) else UNKNOWN
    if validate is not False:
        follower.note("need_data", node, datastore=name, path=path)


def _upload_directory(follower: Follower, node: ast.Call, given: Arguments) -> Any:
    _needs_local(follower, node, argument(given, 0, "src_dir"), "a folder that the code uploads")
    target = argument(given, 1, "target")
    if isinstance(target, tuple) and len(target) == 2:
        name = target[0].get("name") if isinstance(target[0], Thing) else UNKNOWN
        follower.note("uploaded", node, datastore=name, path=target[1])
    return Thing("FileDataset")


def _needs_local(follower: Follower, node: ast.AST, path: Any, what: str) -> None:
    if not isinstance(path, str):
        return
    full = follower.files.absolute(path)
    if full in follower.mentioned:
        return
    there = (
        follower.files.has_files(path)
        if follower.files.is_folder(path)
        else follower.files.is_file(path)
    )
    if not there:
        follower.note("need_file", node, path=path, what=what)


def _register_model(follower: Follower, node: ast.Call, given: Arguments) -> Any:
    _needs_local(follower, node, argument(given, 1, "model_path"), "the model that is registered")
    name = argument(given, 2, "model_name")
    follower.note("make_model", node, name=name)
    return Thing("Model", name=name)


def _inference_config(follower: Follower, node: ast.Call, given: Arguments) -> Any:
    script = argument(given, 0, "entry_script", "execution_script")
    folder = given[1].get("source_directory")
    if isinstance(script, str) and folder is None:
        _needs_local(follower, node, script, "the script that answers requests")
    elif isinstance(script, str) and isinstance(folder, str):
        path = script if script.startswith("/") else f"{folder.rstrip('/')}/{script}"
        _needs_local(follower, node, path, "the script that answers requests")
    conda = given[1].get("conda_file")
    if folder is None:
        _needs_local(follower, node, conda, "the packages that the script needs")
    return Thing("InferenceConfig", environment=given[1].get("environment"))


def _deploy(follower: Follower, node: ast.Call, given: Arguments) -> Any:
    name = argument(given, 1, "name")
    configuration = argument(given, 4, "deployment_config")
    is_local = type(configuration).__name__.startswith("Local")
    if isinstance(name, str) and not is_local and not _SERVICE_NAME.match(name):
        follower.note(
            "refused",
            node,
            text=f"{name!r} cannot name a web service: use 3 to 32 lower-case letters, digits and "
            "'-', starting with a letter.",
        )
    return Thing("Webservice", name=name)


def _model_path(follower: Follower, node: ast.Call, given: Arguments) -> Any:
    follower.note("need_model", node, name=argument(given, 0, "model_name"))
    return UNKNOWN


_CALLS: Dict[str, Callable[..., Any]] = {
    "Workspace.from_config": _from_config,
    "Workspace.get": _needs("need_workspace", "Workspace", "name", index=0),
    "Workspace.create": _make_workspace,
    "Workspace": _workspace,
    "ScriptRunConfig": _script_run_config,
    "ComputeTarget": _needs("need_compute", "Compute", "name"),
    "AmlCompute": _needs("need_compute", "Compute", "name"),
    "ComputeInstance": _needs("need_compute", "Compute", "name"),
    "AmlCompute.provisioning_configuration": _provisioning,
    "AksCompute": _needs("need_compute", "Compute", "name"),
    "AksCompute.provisioning_configuration": _aks_provisioning,
    "ComputeTarget.create": _make_compute,
    "AmlCompute.create": _make_compute,
    "Environment.get": _needs("need_environment", "Environment", "name"),
    "Dataset.get_by_name": _needs("need_dataset", "FileDataset", "name"),
    "Dataset.File.from_files": _from_files,
    "FileDatasetFactory.from_files": _from_files,
    "Dataset.File.upload_directory": _upload_directory,
    "FileDatasetFactory.upload_directory": _upload_directory,
    "Datastore.get": _needs("need_datastore", "Datastore", "datastore_name"),
    "Datastore": _needs("need_datastore", "Datastore", "name"),
    "Datastore.get_default": lambda follower, node, given: Thing(
        "Datastore", name="workspaceblobstore"
    ),
    "Datastore.register_azure_blob_container": _needs(
        "make_datastore", "Datastore", "datastore_name"
    ),
    "Datastore.register_azure_file_share": _needs("make_datastore", "Datastore", "datastore_name"),
    "Model": _needs("need_model", "Model", "name"),
    "Model.register": _register_model,
    "Model.deploy": _deploy,
    "Webservice.deploy_from_model": _deploy,
    "Webservice.deploy_from_image": _deploy,
    "InferenceConfig": _inference_config,
    "ContainerImage.image_configuration": _inference_config,
    "Model.get_model_path": _model_path,
    "Experiment": _needs("experiment", "Experiment", "name"),
    "Run.get_context": lambda follower, node, given: Thing("Run"),
}

# Attributes and methods of Things.

_MAPS = {
    ("Workspace", "compute_targets"): ("need_compute", "Compute"),
    ("Workspace", "datasets"): ("need_dataset", "FileDataset"),
    ("Workspace", "datastores"): ("need_datastore", "Datastore"),
    ("Workspace", "models"): ("need_model", "Model"),
    ("Workspace", "environments"): ("need_environment", "Environment"),
}


def attribute(follower: Follower, node: ast.AST, owner: Thing, name: str) -> Any:
    if name in owner.facts:
        return owner.facts[name]
    if (owner.kind, name) in _MAPS:
        kind, result = _MAPS[owner.kind, name]
        return Thing("Map", need=kind, result=result)
    if owner.kind == "Run" and name == "experiment":
        return Thing("Experiment")
    if name == "workspace":
        return Thing("Workspace")
    return UNKNOWN


def item(follower: Follower, node: ast.AST, owner: Thing, key: Any) -> Any:
    if owner.kind == "Map":
        follower.note(owner.get("need"), node, name=key)
        return Thing(owner.get("result"), name=key)
    return UNKNOWN


def contains(follower: Follower, left: Any, right: Thing, negated: bool) -> Any:
    return UNKNOWN


def call_method(follower: Follower, node: ast.Call, owner: Any, name: str, given: Arguments) -> Any:
    if is_ours(owner):
        return _call_own(follower, node, owner, name, given)
    handler = _METHODS.get((owner.kind, name)) or _ANY_METHODS.get(name)
    if handler is not None:
        return handler(follower, node, owner, given)
    return UNKNOWN


def call_unknown(follower: Follower, node: ast.Call, name: str, given: Arguments) -> Any:
    """A method of something that is not known: enough if it is handed what can be submitted."""
    if name in ("submit", "submit_child"):
        return _submit(follower, node, given)
    return UNKNOWN


def _call_own(follower: Follower, node: ast.Call, owner: Any, name: str, given: Arguments) -> Any:
    if name == "register":
        follower.note("make_environment", node, name=own_attribute(owner, "name"))
        return owner
    if name == "save_to_file":
        target = [
            given[1].get("base_directory", given[0][0] if given[0] else "."),
            given[1].get(
                "conda_file_path", given[0][1] if len(given[0]) > 1 else "conda_dependencies.yml"
            ),
        ]
        if known(target):
            follower.files.write("/".join(map(str, target)), owner.serialize_to_string())
        return UNKNOWN
    if name in ("build", "build_local"):
        follower.note("build", node, environment=owner)
        return UNKNOWN
    if name in _NOT_PURE_METHODS or not known(given[0], given[1]):
        return UNKNOWN
    try:
        return getattr(owner, name)(*given[0], **given[1])
    except Exception as error:
        follower.note("refused", node, text=_first_line(error))
        return UNKNOWN


def _upload(follower: Follower, node: ast.Call, owner: Thing, given: Arguments) -> Any:
    _needs_local(follower, node, argument(given, 0, "src_dir"), "a folder that the code uploads")
    path = argument(given, 1, "target_path")
    follower.note(
        "uploaded",
        node,
        datastore=owner.get("name"),
        path=""
        if path in (None, UNKNOWN) and "target_path" not in given[1] and len(given[0]) < 2
        else path,
    )
    return Thing("DataPath", datastore=owner, path=path)


def _upload_files(follower: Follower, node: ast.Call, owner: Thing, given: Arguments) -> Any:
    files = argument(given, 0, "files")
    for path in files if isinstance(files, list) else []:
        _needs_local(follower, node, path, "a file that the code uploads")
    path = given[1].get("target_path", "")
    follower.note("uploaded", node, datastore=owner.get("name"), path=path)
    return Thing("DataPath", datastore=owner, path=path)


def _data_path(follower: Follower, node: ast.Call, owner: Thing, given: Arguments) -> Any:
    return Thing("DataPath", datastore=owner, path=argument(given, 0, "path"))


def _register_dataset(follower: Follower, node: ast.Call, owner: Thing, given: Arguments) -> Any:
    name = argument(given, 1, "name")
    follower.note("make_dataset", node, name=name)
    owner.facts["name"] = name
    return owner


def _map_get(follower: Follower, node: ast.Call, owner: Thing, given: Arguments) -> Any:
    return UNKNOWN


_METHODS: Dict[Any, Callable[..., Any]] = {
    ("Datastore", "upload"): _upload,
    ("Datastore", "upload_files"): _upload_files,
    ("Datastore", "path"): _data_path,
    ("Workspace", "get_default_datastore"): lambda f, n, o, g: Thing(
        "Datastore", name="workspaceblobstore"
    ),
    ("Workspace", "get_default_keyvault"): lambda f, n, o, g: Thing("Keyvault"),
    ("Map", "get"): _map_get,
    ("FileDataset", "register"): _register_dataset,
    ("Experiment", "submit"): lambda f, n, o, g: _submit(f, n, g),
    ("Experiment", "start_logging"): lambda f, n, o, g: Thing("Run"),
    ("Run", "submit_child"): lambda f, n, o, g: _submit(f, n, g),
}


def _secret(follower: Follower, node: ast.Call, owner: Thing, given: Arguments) -> Any:
    follower.note("need_secret", node, name=argument(given, 0, "name"))
    return UNKNOWN


_ANY_METHODS: Dict[str, Callable[..., Any]] = {
    "get_secret": _secret,
    "submit": lambda f, n, o, g: _submit(f, n, g),
}

__all__ = ["Bound", "PathText", "call", "is_ours"]
