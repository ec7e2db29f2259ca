"""From models, code and an environment to an endpoint of the server."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Dict, List, Optional

from azureml._errors import calling, is_code
from azureml.core._made_by import environment_of, run_that_made
from azureml.core.webservice._checks import given
from azureml.core.webservice._configuration import (
    WebserviceDeploymentConfiguration,
    tell_who_serves,
)
from azureml.exceptions import WebserviceException
from roost.endpoint import create_endpoint

if TYPE_CHECKING:
    from azureml.core.webservice.webservice import Webservice
    from azureml.core.workspace import Workspace

_MOST_MODELS = 1000
DEFAULT_DEPLOYMENT = "default"
_HIDDEN = "***"
# Of what the server tells about a deployment, what can be sent back to it.
_SENT = (
    "runtime",
    "code",
    "environment",
    "environment_variables",
    "replicas",
    "workers",
    "max_concurrent_requests",
    "queue_limit",
    "queue_wait_ms",
    "scoring_timeout_ms",
    "batching",
    "threads",
    "description",
    "tags",
    "properties",
)


def deploy_models(
    workspace: Workspace,
    name: str,
    models: Any,
    inference_config: Any = None,
    deployment_config: Any = None,
    deployment_target: Any = None,
    overwrite: bool = False,
) -> Webservice:
    """What Model.deploy does."""
    configuration = _configuration(deployment_config, deployment_target)
    name = configuration._service._checked_name(name)
    compute = _compute_name(configuration, deployment_target)
    deployment: Dict[str, Any] = {"models": model_ids(models)}
    settings: Dict[str, Any] = {}
    if inference_config is not None:
        check_inference_config(inference_config)
        deployment.update(inference_config._deployment(workspace, compute))
        settings["sources"] = inference_config._sources()
    else:
        deployment.update(_no_code(workspace, models))
        settings.update(_resources(models))
    made = _deploy(workspace, name, deployment, configuration, compute, overwrite, settings)
    made._inference_config = inference_config
    return made


def deploy_image(
    workspace: Workspace,
    name: str,
    image: Any,
    deployment_config: Any = None,
    deployment_target: Any = None,
    overwrite: bool = False,
) -> Webservice:
    """What Webservice.deploy_from_image does."""
    configuration = _configuration(deployment_config, deployment_target)
    name = configuration._service._checked_name(name)
    compute = _compute_name(configuration, deployment_target)
    print("Creating service")
    settings = {"image_id": image.id}
    return _deploy(
        workspace, name, image._deployment(), configuration, compute, overwrite, settings
    )


def redeploy(
    workspace: Workspace,
    name: str,
    service: Webservice,
    deployment_config: Any,
    deployment_target: Any,
) -> Webservice:
    """A service like one that is there."""
    configuration = _configuration(deployment_config, deployment_target)
    name = configuration._service._checked_name(name)
    compute = _compute_name(configuration, deployment_target)
    deployment = sent_deployment(service._deployment)
    for key in ("replicas", "max_concurrent_requests", "queue_wait_ms", "scoring_timeout_ms"):
        deployment.pop(key, None)
    sources = given({"sources": service._settings.get("sources")})
    made = _deploy(workspace, name, deployment, configuration, compute, False, sources)
    made._inference_config = service._inference_config
    return made


def _deploy(
    workspace: Workspace,
    name: str,
    deployment: Dict[str, Any],
    configuration: WebserviceDeploymentConfiguration,
    compute: Optional[str],
    overwrite: bool,
    settings: Dict[str, Any],
) -> Webservice:
    body = configuration._endpoint()
    first = {"name": DEFAULT_DEPLOYMENT, **deployment, **configuration._deployment()}
    body = {
        **body,
        "name": name,
        "overwrite": bool(overwrite),
        "settings": {**settings, **body["settings"]},
        "deployments": [first],
        **given({"compute": compute}),
    }
    body["description"] = body["description"] or str(first.get("description") or "")
    configuration._before_deploy(workspace, body)
    tell_who_serves(configuration._kind)
    try:
        with calling(WebserviceException):
            endpoint = create_endpoint(workspace._client, workspace.name, body)
    except WebserviceException as error:
        if not is_code(error, "already_exists"):
            raise
        raise WebserviceException(
            f"there is a web service {name!r} already. Pass overwrite=True to put this one in its "
            f"place, or delete it first: Webservice(workspace, {name!r}).delete().",
            status_code=409,
            inner_exception=error.inner_exception,
        ) from None
    made: Webservice = configuration._service(workspace, name, _facts=endpoint.facts)
    return made


def changed_deployment(
    service: Webservice, models: Any, inference_config: Any, image: Any, scale: Dict[str, Any]
) -> Optional[Dict[str, Any]]:
    """The deployment of a service with what is given in the place of what it has; None if nothing
    is."""
    if models is None and inference_config is None and image is None and not scale:
        return None
    deployment = sent_deployment(service._deployment)
    if image is not None:
        deployment.update(image._deployment())
    if models is not None:
        deployment["models"] = model_ids(models)
    if inference_config is not None:
        check_inference_config(inference_config)
        compute = service._facts.get("compute")
        deployment.update(inference_config._deployment(service.workspace, compute))
    if not (models is None and inference_config is None and image is None):
        deployment.pop("runtime", None)  # it follows from these
    replicas = {**(deployment.get("replicas") or {}), **(scale.pop("replicas", None) or {})}
    return {**deployment, **scale, **({"replicas": replicas} if replicas else {})}


def sent_deployment(found: Dict[str, Any]) -> Dict[str, Any]:
    """A deployment as it is sent, of one that the server told of."""
    sent = {key: found[key] for key in _SENT if found.get(key) is not None}
    from roost.secret_names import names_secret

    # Secrets are hidden from everybody, and the server keeps those that come back hidden.
    variables = sent.get("environment_variables") or {}
    if any(value == _HIDDEN and not names_secret(name) for name, value in variables.items()):
        raise WebserviceException(
            "The environment variables of this service are hidden from all but its owner, so that "
            "they cannot be kept. Deploy it anew: Model.deploy(..., overwrite=True)."
        )
    return {**sent, "models": [model["id"] for model in found.get("models") or []]}


def model_ids(models: Any) -> List[str]:
    """Models are objects, or ids such as "birds:3"."""
    if models is None:
        return []
    if isinstance(models, (str, bytes)) or not isinstance(models, (list, tuple)):
        models = [models]
    found = []
    for model in models:
        id = model if isinstance(model, str) else getattr(model, "id", None)
        if not isinstance(id, str) or os.sep in id:
            raise WebserviceException(
                f"models is a list of Model objects or of ids such as 'birds:3', and has {model!r}."
                " Register files first, with Model.register()."
            )
        found.append(id)
    if len(found) > _MOST_MODELS:
        raise WebserviceException(f"A service has at most {_MOST_MODELS} models, not {len(found)}.")
    return found


def check_inference_config(config: Any) -> None:
    from azureml.core._inference_config import InferenceConfig

    if not isinstance(config, InferenceConfig):
        raise WebserviceException(
            "inference_config must be made by InferenceConfig(entry_script=..., environment=...), "
            f"not {type(config).__name__}."
        )


def register_paths(workspace: Workspace, paths: Any) -> List[Any]:
    from azureml.core.model import Model

    return [
        Model.register(workspace, path, os.path.basename(os.path.normpath(os.fspath(path))))
        for path in ([paths] if isinstance(paths, (str, os.PathLike)) else paths or [])
    ]


def _configuration(given_one: Any, target: Any) -> WebserviceDeploymentConfiguration:
    """Without one the target decides; without a target it is as Azure Container Instances had."""
    from azureml.core.webservice.aci import AciWebservice
    from azureml.core.webservice.aks import AksWebservice

    if given_one is None:
        made: WebserviceDeploymentConfiguration = (
            AciWebservice.deploy_configuration()
            if target is None
            else AksWebservice.deploy_configuration()
        )
        return made
    if not isinstance(given_one, WebserviceDeploymentConfiguration):
        raise WebserviceException(
            "deployment_config must be made by deploy_configuration() of LocalWebservice, "
            f"AciWebservice, AksWebservice or AksEndpoint, not {type(given_one).__name__}."
        )
    return given_one


def _compute_name(configuration: WebserviceDeploymentConfiguration, target: Any) -> Optional[str]:
    """The compute whose nodes the replicas get; None leaves it to the server."""
    if target is None:
        named: Optional[str] = getattr(configuration, "compute_target_name", None)
        return named
    if configuration._kind != "aks":
        raise WebserviceException(
            f"{type(configuration).__name__} takes no deployment_target. Leave it out, or deploy "
            "with AksWebservice.deploy_configuration()."
        )
    name = target if isinstance(target, str) else getattr(target, "name", None)
    if not isinstance(name, str):
        raise WebserviceException(
            f"deployment_target must be a compute of the workspace, not {type(target).__name__}."
        )
    return name


def _no_code(workspace: Workspace, models: Any) -> Dict[str, Any]:
    """A model of scikit-learn is served in the environment of the run that made it."""
    found = models if isinstance(models, (list, tuple)) else [models]
    if len(found) != 1 or getattr(found[0], "model_framework", None) != "ScikitLearn":
        return {}
    facts = run_that_made(workspace, getattr(found[0], "run_id", None))
    environment = environment_of(facts) if facts else {}
    return {"environment": environment} if environment else {}


def _resources(models: Any) -> Dict[str, Any]:
    """What was said when a model was registered, as cores and memory of its service."""
    found = models if isinstance(models, (list, tuple)) else [models]
    wanted = getattr(found[0], "resource_configuration", None) if found else None
    if not isinstance(wanted, dict):
        return {}
    return given({"cpu_cores": wanted.get("cpu"), "memory_gb": wanted.get("memory_in_gb")})


__all__ = [
    "changed_deployment",
    "check_inference_config",
    "deploy_image",
    "deploy_models",
    "model_ids",
    "redeploy",
    "register_paths",
    "sent_deployment",
]
