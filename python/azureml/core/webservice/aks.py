"""Services of the kind that Azure Kubernetes had: replicas that follow the load, behind a key."""

from __future__ import annotations

from typing import Any, Dict, Optional

from azureml.core.webservice._aks_configuration import (
    DEFAULTS,
    AksServiceDeploymentConfiguration,
)
from azureml.core.webservice._checks import refuse_options
from azureml.core.webservice._requirements import (
    AutoScaler,
    ContainerResourceRequirements,
    DataCollection,
    LivenessProbeRequirements,
)
from azureml.core.webservice.webservice import Webservice

__all__ = ["AksServiceDeploymentConfiguration", "AksWebservice"]

class AksWebservice(Webservice):
    """Between a fewest and a most of replicas by load, behind a key unless told otherwise."""

    _kinds = ("aks",)
    _compute_type = "AKS"

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
    ) -> AksServiceDeploymentConfiguration:
        """Replicas, timeouts, keys and queue count; cores, memory, probes and namespaces are kept
        as given and change nothing here."""
        return AksServiceDeploymentConfiguration(**locals())

    # What it was asked to have.

    def _asked(self, name: str) -> Any:
        return self._settings.get(name, DEFAULTS.get(name))

    @property
    def compute_name(self) -> Optional[str]:
        found: Optional[str] = self._facts.get("compute")
        return found

    @property
    def namespace(self) -> Optional[str]:
        found: Optional[str] = self._settings.get("namespace")
        return found

    @property
    def autoscaler(self) -> AutoScaler:
        replicas = self._deployment.get("replicas") or {}
        low, high = replicas.get("min", 1), replicas.get("max", 1)
        target = replicas.get("target_utilization", DEFAULTS["autoscale_target_utilization"])
        refresh = self._asked("autoscale_refresh_seconds")
        return AutoScaler(low != high, high, low, refresh, target)

    @property
    def num_replicas(self) -> int:
        """How many there are now."""
        return int(self._deployment.get("ready") or 0)

    @property
    def container_resource_requirements(self) -> ContainerResourceRequirements:
        names = ("cpu_cores", "memory_gb")
        limits = ("gpu_cores", "cpu_cores_limit", "memory_gb_limit")
        return ContainerResourceRequirements(
            *(self._asked(name) for name in names), *(self._settings.get(name) for name in limits)
        )

    @property
    def liveness_probe_requirements(self) -> LivenessProbeRequirements:
        return LivenessProbeRequirements(
            self._asked("period_seconds"),
            self._asked("initial_delay_seconds"),
            self._asked("timeout_seconds"),
            self._asked("success_threshold"),
            self._asked("failure_threshold"),
        )

    @property
    def data_collection(self) -> DataCollection:
        return DataCollection(bool(self._settings.get("collect_model_data")))

    @property
    def enable_app_insights(self) -> bool:
        return bool(self._settings.get("enable_app_insights"))

    @property
    def scoring_timeout_ms(self) -> int:
        return int(self._deployment.get("scoring_timeout_ms") or DEFAULTS["scoring_timeout_ms"])

    @property
    def max_concurrent_requests_per_container(self) -> int:
        found = self._deployment.get("max_concurrent_requests")
        return int(self._deployment.get("workers") or 1) if found is None else int(found)

    @property
    def max_request_wait_time(self) -> int:
        found = self._deployment.get("queue_wait_ms")
        return int(DEFAULTS["max_request_wait_time"] if found is None else found)

    # Changing it.

    def update(
        self,
        image: Any = None,
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
        namespace: Optional[str] = None,
        token_auth_enabled: Optional[bool] = None,
        cpu_cores_limit: Optional[float] = None,
        memory_gb_limit: Optional[float] = None,
        **options: Any,
    ) -> None:
        """None leaves a thing as it is. Tags replace those there, properties are added."""
        refuse_options("AksWebservice.update", options)
        configuration = AksServiceDeploymentConfiguration(
            autoscale_enabled=autoscale_enabled,
            autoscale_min_replicas=autoscale_min_replicas,
            autoscale_max_replicas=autoscale_max_replicas,
            autoscale_refresh_seconds=autoscale_refresh_seconds,
            autoscale_target_utilization=autoscale_target_utilization,
            collect_model_data=collect_model_data,
            auth_enabled=auth_enabled,
            cpu_cores=cpu_cores,
            memory_gb=memory_gb,
            enable_app_insights=enable_app_insights,
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
            namespace=namespace,
            token_auth_enabled=token_auth_enabled,
            cpu_cores_limit=cpu_cores_limit,
            memory_gb_limit=memory_gb_limit,
        )
        self._update(
            configuration,
            models,
            inference_config,
            image,
            auth=configuration._changed_auth(),
            scale=configuration._changed_scale(),
        )


AksServiceDeploymentConfiguration._service = AksWebservice


def __getattr__(name: str) -> Any:
    if name == "AksEndpoint":  # which is made of what is here
        from azureml.core.webservice.endpoint import AksEndpoint

        return AksEndpoint
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
