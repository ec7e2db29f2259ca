"""What a service was asked to have, as the attributes of its object show it."""

from __future__ import annotations

from typing import Any, Dict, Optional

_NAMES = {
    "cpu": "cpu",
    "memory_in_gb": "memoryInGB",
    "gpu": "gpu",
    "cpu_limit": "cpuLimit",
    "memory_in_gb_limit": "memoryInGBLimit",
    "autoscale_enabled": "autoscaleEnabled",
    "max_replicas": "maxReplicas",
    "min_replicas": "minReplicas",
    "refresh_period_seconds": "refreshPeriodInSeconds",
    "target_utilization": "targetUtilization",
    "period_seconds": "periodSeconds",
    "initial_delay_seconds": "initialDelaySeconds",
    "timeout_seconds": "timeoutSeconds",
    "success_threshold": "successThreshold",
    "failure_threshold": "failureThreshold",
    "storage_enabled": "storageEnabled",
    "event_hub_enabled": "eventHubEnabled",
}


class _Requirements:
    def serialize(self) -> Dict[str, Any]:
        return {_NAMES[name]: value for name, value in vars(self).items()}

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in vars(self).items())
        return f"{type(self).__name__}({shown})"


class ContainerResourceRequirements(_Requirements):
    """Kept with the service; replicas share the cores and the memory of their node."""

    def __init__(
        self,
        cpu: Optional[float],
        memory_in_gb: Optional[float],
        gpu: Optional[int] = None,
        cpu_limit: Optional[float] = None,
        memory_in_gb_limit: Optional[float] = None,
    ) -> None:
        self.cpu = cpu
        self.memory_in_gb = memory_in_gb
        self.gpu = gpu
        self.cpu_limit = cpu_limit
        self.memory_in_gb_limit = memory_in_gb_limit


class AutoScaler(_Requirements):
    """Between how many replicas, and how busy they are to be in percent."""

    def __init__(
        self,
        autoscale_enabled: bool,
        max_replicas: int,
        min_replicas: int,
        refresh_period_seconds: int,
        target_utilization: int,
    ) -> None:
        self.autoscale_enabled = autoscale_enabled
        self.max_replicas = max_replicas
        self.min_replicas = min_replicas
        self.refresh_period_seconds = refresh_period_seconds
        self.target_utilization = target_utilization


class LivenessProbeRequirements(_Requirements):
    """Kept with the service; Roost's replicas tell every second how they are."""

    def __init__(
        self,
        period_seconds: int,
        initial_delay_seconds: int,
        timeout_seconds: int,
        success_threshold: int,
        failure_threshold: int,
    ) -> None:
        self.period_seconds = period_seconds
        self.initial_delay_seconds = initial_delay_seconds
        self.timeout_seconds = timeout_seconds
        self.success_threshold = success_threshold
        self.failure_threshold = failure_threshold


class DataCollection(_Requirements):
    """Whether azureml.monitoring was asked for."""

    def __init__(self, storage_enabled: bool, event_hub_enabled: bool = False) -> None:
        self.storage_enabled = storage_enabled
        self.event_hub_enabled = event_hub_enabled
