"""Endpoints of several versions, among which the requests are split."""

from __future__ import annotations

from enum import Enum
from typing import Any, Dict, List, Optional

from azureml._errors import calling
from azureml.core.webservice._aks_configuration import AksServiceDeploymentConfiguration
from azureml.core.webservice._checks import check_name, check_whole, given
from azureml.core.webservice._endpoint_configuration import (
    CONTROL,
    TREATMENT,
    AksEndpointDeploymentConfiguration,
    texts_of,
    traffic_of,
)
from azureml.core.webservice.aks import AksWebservice
from azureml.exceptions import WebserviceException

__all__ = ["AksEndpoint", "AksEndpointDeploymentConfiguration"]

_MOST_VERSIONS = 6


class Version:
    """One version of an endpoint, as it was when the endpoint was last looked at."""

    def __init__(self, endpoint: AksEndpoint, facts: Dict[str, Any]) -> None:
        self._facts = facts
        known = endpoint._versions.get(facts["name"], {})
        self.name = str(facts["name"])
        self.state = str(facts.get("state") or endpoint.state)
        self.error = facts.get("error")
        self.description = str(facts.get("description") or "")
        self.tags: Dict[str, Any] = dict(facts.get("tags") or {})
        self.properties: Dict[str, Any] = dict(facts.get("properties") or {})
        self.is_default = self.name == endpoint._facts.get("default")
        self.traffic_percentile = int(
            known.get("traffic_percentile", endpoint._facts["traffic"].get(self.name, 0))
        )
        self.version_type = AksEndpoint.VersionType(known.get("type") or TREATMENT)
        self.model_ids: List[str] = [model["id"] for model in facts.get("models") or []]

    def __repr__(self) -> str:
        return (
            f"Version(name={self.name}, state={self.state}, "
            f"traffic_percentile={self.traffic_percentile}, is_default={self.is_default})"
        )


class AksEndpoint(AksWebservice):
    """Several versions behind one address. What is not given to a version goes to the default."""

    class VersionType(Enum):
        control = "Control"
        treatment = "Treatment"

    @staticmethod
    def deploy_configuration(
        autoscale_enabled: Optional[bool] = None,
        autoscale_min_replicas: Optional[int] = None,
        autoscale_max_replicas: Optional[int] = None,
        autoscale_refresh_seconds: Optional[int] = None,
        autoscale_target_utilization: Optional[int] = None,
        collect_model_data: Optional[bool] = None,
        auth_enabled: Optional[bool] = None,
        cpu_cores: Optional[float] = None,
        memory_gb: Optional[float] = None,
        enable_app_insights: Optional[bool] = None,
        scoring_timeout_ms: Optional[int] = None,
        replica_max_concurrent_requests: Optional[int] = None,
        max_request_wait_time: Optional[int] = None,
        num_replicas: Optional[int] = None,
        primary_key: Optional[str] = None,
        secondary_key: Optional[str] = None,
        tags: Optional[Dict[str, Any]] = None,
        properties: Optional[Dict[str, Any]] = None,
        description: Optional[str] = None,
        gpu_cores: Optional[int] = None,
        period_seconds: Optional[int] = None,
        initial_delay_seconds: Optional[int] = None,
        timeout_seconds: Optional[int] = None,
        success_threshold: Optional[int] = None,
        failure_threshold: Optional[int] = None,
        namespace: Optional[str] = None,
        token_auth_enabled: Optional[bool] = None,
        compute_target_name: Optional[str] = None,
        cpu_cores_limit: Optional[float] = None,
        memory_gb_limit: Optional[float] = None,
        blobfuse_enabled: Optional[bool] = None,
        version_name: Optional[str] = None,
        traffic_percentile: Optional[int] = None,
        is_default: Optional[bool] = None,
        is_control_version_type: Optional[bool] = None,
    ) -> AksEndpointDeploymentConfiguration:
        """The first version is the default, whatever is_default says."""
        return AksEndpointDeploymentConfiguration(**locals())

    @property
    def versions(self) -> Dict[str, Version]:
        return {facts["name"]: Version(self, facts) for facts in self._facts["deployments"]}

    @property
    def _versions(self) -> Dict[str, Dict[str, Any]]:
        """What was said of each, besides what it serves."""
        return dict(self._settings.get("versions") or {})

    def create_version(
        self,
        version_name: str,
        autoscale_enabled: Optional[bool] = None,
        autoscale_min_replicas: Optional[int] = None,
        autoscale_max_replicas: Optional[int] = None,
        autoscale_refresh_seconds: Optional[int] = None,
        autoscale_target_utilization: Optional[int] = None,
        collect_model_data: Optional[bool] = None,
        cpu_cores: Optional[float] = None,
        memory_gb: Optional[float] = None,
        scoring_timeout_ms: Optional[int] = None,
        replica_max_concurrent_requests: Optional[int] = None,
        max_request_wait_time: Optional[int] = None,
        num_replicas: Optional[int] = None,
        tags: Optional[Dict[str, Any]] = None,
        properties: Optional[Dict[str, Any]] = None,
        description: Optional[str] = None,
        models: Any = None,
        inference_config: Any = None,
        gpu_cores: Optional[int] = None,
        period_seconds: Optional[int] = None,
        initial_delay_seconds: Optional[int] = None,
        timeout_seconds: Optional[int] = None,
        success_threshold: Optional[int] = None,
        failure_threshold: Optional[int] = None,
        traffic_percentile: Optional[int] = None,
        is_default: Optional[bool] = None,
        is_control_version_type: Optional[bool] = None,
    ) -> None:
        """Adds one; it gets no request until it has traffic or is the default."""
        check_name(version_name, "a version")
        self.update_deployment_state()
        if version_name in self.versions:
            raise WebserviceException(
                f"{self.name} has a version {version_name} already. Change it with "
                "update_version(), or delete it first."
            )
        if len(self.versions) >= _MOST_VERSIONS:
            raise WebserviceException(
                f"{self.name} has {_MOST_VERSIONS} versions, and may have no more. Delete one."
            )
        configuration = AksServiceDeploymentConfiguration(
            autoscale_enabled=autoscale_enabled,
            autoscale_min_replicas=autoscale_min_replicas,
            autoscale_max_replicas=autoscale_max_replicas,
            autoscale_refresh_seconds=autoscale_refresh_seconds,
            autoscale_target_utilization=autoscale_target_utilization,
            collect_model_data=collect_model_data,
            cpu_cores=cpu_cores,
            memory_gb=memory_gb,
            scoring_timeout_ms=scoring_timeout_ms,
            replica_max_concurrent_requests=replica_max_concurrent_requests,
            max_request_wait_time=max_request_wait_time,
            num_replicas=num_replicas,
            tags=tags,
            properties=properties,
            description=description,
            gpu_cores=gpu_cores,
            period_seconds=period_seconds,
            initial_delay_seconds=initial_delay_seconds,
            timeout_seconds=timeout_seconds,
            success_threshold=success_threshold,
            failure_threshold=failure_threshold,
        )
        deployment = self._new_deployment(models, inference_config)
        deployment.update(configuration._deployment(), **texts_of(configuration))
        self._put(
            version_name, deployment, traffic_percentile, is_default, is_control_version_type
        )

    def update_version(
        self,
        version_name: str,
        autoscale_enabled: Optional[bool] = None,
        autoscale_min_replicas: Optional[int] = None,
        autoscale_max_replicas: Optional[int] = None,
        autoscale_refresh_seconds: Optional[int] = None,
        autoscale_target_utilization: Optional[int] = None,
        collect_model_data: Optional[bool] = None,
        cpu_cores: Optional[float] = None,
        memory_gb: Optional[float] = None,
        scoring_timeout_ms: Optional[int] = None,
        replica_max_concurrent_requests: Optional[int] = None,
        max_request_wait_time: Optional[int] = None,
        num_replicas: Optional[int] = None,
        tags: Optional[Dict[str, Any]] = None,
        properties: Optional[Dict[str, Any]] = None,
        description: Optional[str] = None,
        models: Any = None,
        inference_config: Any = None,
        gpu_cores: Optional[int] = None,
        period_seconds: Optional[int] = None,
        initial_delay_seconds: Optional[int] = None,
        timeout_seconds: Optional[int] = None,
        success_threshold: Optional[int] = None,
        failure_threshold: Optional[int] = None,
        traffic_percentile: Optional[int] = None,
        is_default: Optional[bool] = None,
        is_control_version_type: Optional[bool] = None,
    ) -> None:
        """None leaves a thing as it is."""
        from azureml.core.webservice._deploying import sent_deployment

        self.update_deployment_state()
        before = self._version_facts(version_name)
        configuration = AksServiceDeploymentConfiguration(
            autoscale_enabled=autoscale_enabled,
            autoscale_min_replicas=autoscale_min_replicas,
            autoscale_max_replicas=autoscale_max_replicas,
            autoscale_refresh_seconds=autoscale_refresh_seconds,
            autoscale_target_utilization=autoscale_target_utilization,
            collect_model_data=collect_model_data,
            cpu_cores=cpu_cores,
            memory_gb=memory_gb,
            scoring_timeout_ms=scoring_timeout_ms,
            replica_max_concurrent_requests=replica_max_concurrent_requests,
            max_request_wait_time=max_request_wait_time,
            num_replicas=num_replicas,
            tags=tags,
            properties=properties,
            description=description,
            gpu_cores=gpu_cores,
            period_seconds=period_seconds,
            initial_delay_seconds=initial_delay_seconds,
            timeout_seconds=timeout_seconds,
            success_threshold=success_threshold,
            failure_threshold=failure_threshold,
        )
        changes = {
            **self._new_deployment(models, inference_config),
            **texts_of(configuration),
            **configuration._changed_scale(),
        }
        if "replicas" in changes:
            changes["replicas"] = {**(before.get("replicas") or {}), **changes["replicas"]}
        deployment = {**sent_deployment(before), **changes}
        if not (models is None and inference_config is None):
            deployment.pop("runtime", None)  # it follows from these
        self._put(
            version_name,
            deployment if changes else None,
            traffic_percentile,
            is_default,
            is_control_version_type,
        )

    def delete_version(self, version_name: str) -> None:
        """Its traffic goes to the default. The default goes last."""
        self.update_deployment_state()
        self._version_facts(version_name)
        rest = [name for name in self.versions if name != version_name]
        if rest and self.versions[version_name].is_default:
            raise WebserviceException(
                f"{version_name} is the default version of {self.name}. Make another one that "
                f"first: update_version({rest[0]!r}, is_default=True)."
            )
        if not rest:
            raise WebserviceException(
                f"{version_name} is the only version of {self.name}. Delete the endpoint: delete()."
            )
        known = {name: said for name, said in self._versions.items() if name != version_name}
        self._share(known, str(self._facts.get("default")))
        with calling(WebserviceException):
            self._endpoint.delete_deployment(version_name)

    def update(  # type: ignore[override]
        self,
        auth_enabled: Optional[bool] = None,
        token_auth_enabled: Optional[bool] = None,
        enable_app_insights: Optional[bool] = None,
        description: Optional[str] = None,
        tags: Optional[Dict[str, Any]] = None,
        properties: Optional[Dict[str, Any]] = None,
        **settings: Any,
    ) -> None:
        """Of the endpoint itself; update_version() changes what a version serves."""
        for name in settings:
            raise WebserviceException(
                f"{name}= belongs to a version: update_version(version_name, {name}=...)."
            )
        super().update(
            auth_enabled=auth_enabled,
            token_auth_enabled=token_auth_enabled,
            enable_app_insights=enable_app_insights,
            description=description,
            tags=tags,
            properties=properties,
        )

    def serialize(self) -> Dict[str, Any]:
        versions = self.versions.values()
        return {
            **super().serialize(),
            "versions": {
                one.name: {
                    "state": one.state,
                    "trafficPercentile": one.traffic_percentile,
                    "isDefault": one.is_default,
                    "type": one.version_type.value,
                }
                for one in versions
            },
        }

    def _version_facts(self, name: str) -> Dict[str, Any]:
        for facts in self._facts["deployments"]:
            if facts["name"] == name:
                return dict(facts)
        raise WebserviceException(
            f"{self.name} has no version {name!r}; it has {', '.join(self.versions)}."
        )

    def _new_deployment(self, models: Any, inference_config: Any) -> Dict[str, Any]:
        from azureml.core.webservice._deploying import check_inference_config, model_ids

        made: Dict[str, Any] = {}
        if inference_config is not None:
            check_inference_config(inference_config)
            compute = self._facts.get("compute")
            made.update(inference_config._deployment(self.workspace, compute))
        if models is not None:
            made["models"] = model_ids(models)
        return made

    def _put(
        self,
        name: str,
        deployment: Optional[Dict[str, Any]],
        percent: Optional[int],
        is_default: Optional[bool],
        is_control: Optional[bool],
    ) -> None:
        check_whole(percent, "traffic_percentile", least=0, most=100)
        known = self._versions
        before: Dict[str, Any] = known.get(name) or {}
        said = {"traffic_percentile": 0, "type": TREATMENT, **before}
        said.update(given({"traffic_percentile": percent}))
        if is_control is not None:
            said["type"] = CONTROL if is_control else TREATMENT
        if is_control:  # there is one control, and there may be many treatments
            known = {other: {**one, "type": TREATMENT} for other, one in known.items()}
        known = {**known, name: said}
        default = name if is_default else str(self._facts.get("default"))
        traffic_of(known, default)  # refused before anything is done
        if deployment is not None:
            with calling(WebserviceException):
                self._endpoint.put_deployment(name, deployment)
        self._share(known, default)

    def _share(self, known: Dict[str, Dict[str, Any]], default: str) -> None:
        self._change(
            traffic=traffic_of(known, default), default=default, settings={"versions": known}
        )


AksEndpointDeploymentConfiguration._service = AksEndpoint
