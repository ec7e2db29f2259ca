"""How a service of the kind that Azure Kubernetes had is to be deployed."""

from __future__ import annotations

from typing import Any, Dict, Optional

from azureml.core.webservice._checks import check_positive, check_whole, given
from azureml.core.webservice._configuration import WebserviceDeploymentConfiguration
from azureml.exceptions import WebserviceException

__all__ = ["DEFAULTS", "AksServiceDeploymentConfiguration"]

DEFAULTS: Dict[str, Any] = {
    "autoscale_min_replicas": 1,
    "autoscale_max_replicas": 10,
    "autoscale_refresh_seconds": 1,
    "autoscale_target_utilization": 70,
    "cpu_cores": 0.1,
    "memory_gb": 0.5,
    "scoring_timeout_ms": 60000,
    "replica_max_concurrent_requests": 1,
    "max_request_wait_time": 500,
    "gpu_cores": 1,
    "period_seconds": 10,
    "initial_delay_seconds": 310,
    "timeout_seconds": 2,
    "success_threshold": 1,
    "failure_threshold": 3,
}
_WHOLE = (
    "autoscale_max_replicas",
    "autoscale_refresh_seconds",
    "scoring_timeout_ms",
    "replica_max_concurrent_requests",
    "num_replicas",
    "period_seconds",
    "timeout_seconds",
    "success_threshold",
    "failure_threshold",
)
_POSITIVE = ("cpu_cores", "memory_gb", "cpu_cores_limit", "memory_gb_limit")


class AksServiceDeploymentConfiguration(WebserviceDeploymentConfiguration):
    _kind = "aks"
    _settings_names = (
        "autoscale_enabled",
        "autoscale_refresh_seconds",
        "collect_model_data",
        "cpu_cores",
        "memory_gb",
        "cpu_cores_limit",
        "memory_gb_limit",
        "gpu_cores",
        "enable_app_insights",
        "num_replicas",
        "period_seconds",
        "initial_delay_seconds",
        "timeout_seconds",
        "success_threshold",
        "failure_threshold",
        "namespace",
        "blobfuse_enabled",
    )

    def __init__(
        self,
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
    ) -> None:
        super().__init__(description, tags, properties, primary_key, secondary_key)
        self.autoscale_enabled = autoscale_enabled
        self.autoscale_min_replicas = autoscale_min_replicas
        self.autoscale_max_replicas = autoscale_max_replicas
        self.autoscale_refresh_seconds = autoscale_refresh_seconds
        self.autoscale_target_utilization = autoscale_target_utilization
        self.collect_model_data = collect_model_data
        self.auth_enabled = auth_enabled
        self.cpu_cores = cpu_cores
        self.memory_gb = memory_gb
        self.enable_app_insights = enable_app_insights
        self.scoring_timeout_ms = scoring_timeout_ms
        self.replica_max_concurrent_requests = replica_max_concurrent_requests
        self.max_request_wait_time = max_request_wait_time
        self.num_replicas = num_replicas
        self.gpu_cores = gpu_cores
        self.period_seconds = period_seconds
        self.initial_delay_seconds = initial_delay_seconds
        self.timeout_seconds = timeout_seconds
        self.success_threshold = success_threshold
        self.failure_threshold = failure_threshold
        self.namespace = namespace
        self.token_auth_enabled = token_auth_enabled
        self.compute_target_name = compute_target_name
        self.cpu_cores_limit = cpu_cores_limit
        self.memory_gb_limit = memory_gb_limit
        self.blobfuse_enabled = blobfuse_enabled
        self.validate_configuration()

    def validate_configuration(self) -> None:
        super().validate_configuration()
        for name in _POSITIVE:
            check_positive(getattr(self, name), name)
        for name in _WHOLE:
            check_whole(getattr(self, name), name)
        # Roost can do without a replica until a request comes; it takes no GPU unless told.
        for name in ("autoscale_min_replicas", "max_request_wait_time", "initial_delay_seconds"):
            check_whole(getattr(self, name), name, least=0)
        check_whole(self.gpu_cores, "gpu_cores", least=0)
        check_whole(self.autoscale_target_utilization, "autoscale_target_utilization", most=100)
        if self.auth_enabled and self.token_auth_enabled:
            raise WebserviceException(
                "auth_enabled and token_auth_enabled exclude each other: a service is opened by "
                "keys or by tokens. Set one of them to False."
            )
        self._check_scale()

    def _check_scale(self) -> None:
        ranges = (self.autoscale_min_replicas, self.autoscale_max_replicas)
        if self.autoscale_enabled and self.num_replicas:
            raise WebserviceException(
                "num_replicas and autoscale_enabled=True exclude each other. Set "
                "autoscale_min_replicas and autoscale_max_replicas, or autoscale_enabled=False."
            )
        if self.autoscale_enabled is False and ranges != (None, None):
            raise WebserviceException(
                "autoscale_min_replicas and autoscale_max_replicas need autoscale_enabled=True. "
                "Without it num_replicas says how many there are."
            )
        low, high = self._range()
        if low > high:
            raise WebserviceException(
                f"autoscale_min_replicas is {low}, above autoscale_max_replicas, {high}."
            )

    def _range(self) -> Any:
        """The fewest and the most replicas."""
        if self.num_replicas is not None:
            return self.num_replicas, self.num_replicas
        if self.autoscale_enabled is False:
            return 1, 1
        low = self.autoscale_min_replicas
        high = self.autoscale_max_replicas
        low = DEFAULTS["autoscale_min_replicas"] if low is None else low
        if high is None:
            high = max(low, DEFAULTS["autoscale_max_replicas"])
        return low, high

    def _auth(self) -> str:
        if self.token_auth_enabled:
            return "token"
        return "none" if self.auth_enabled is False else "key"

    def _deployment(self) -> Dict[str, Any]:
        low, high = self._range()
        wait = self.max_request_wait_time
        replicas = {"target_utilization": self.autoscale_target_utilization}
        return {
            "replicas": {"min": low, "max": high, **given(replicas)},
            "queue_wait_ms": DEFAULTS["max_request_wait_time"] if wait is None else wait,
            **self._limits(),
        }

    def _limits(self) -> Dict[str, Any]:
        return given(
            {
                "max_concurrent_requests": self.replica_max_concurrent_requests,
                "scoring_timeout_ms": self.scoring_timeout_ms,
            }
        )

    def _changed_scale(self) -> Dict[str, Any]:
        """What is given of it, for update()."""
        replicas: Dict[str, Any] = given({"target_utilization": self.autoscale_target_utilization})
        if self.num_replicas is not None:
            replicas.update(min=self.num_replicas, max=self.num_replicas)
        elif self.autoscale_min_replicas is not None or self.autoscale_max_replicas is not None:
            low, high = self.autoscale_min_replicas, self.autoscale_max_replicas
            replicas.update(given({"min": low, "max": high}))
        elif self.autoscale_enabled is not None:
            low, high = self._range()
            replicas.update(min=low, max=high)
        return {
            **given({"replicas": replicas or None, "queue_wait_ms": self.max_request_wait_time}),
            **self._limits(),
        }

    def _changed_auth(self) -> Optional[str]:
        if self.auth_enabled is None and self.token_auth_enabled is None:
            return None
        if self.token_auth_enabled is False and self.auth_enabled is None:
            return "key"
        return self._auth()
