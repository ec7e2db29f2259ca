"""What a sweep was asked for, by the names that Azure's run details have."""

from __future__ import annotations

from typing import Any, Dict

from .policy import (
    BanditPolicy,
    MedianStoppingPolicy,
    NoTerminationPolicy,
    TruncationSelectionPolicy,
)
from .sampling import BayesianParameterSampling, GridParameterSampling, RandomParameterSampling

_SAMPLINGS = {
    "random": RandomParameterSampling.SAMPLING_NAME,
    "sobol": RandomParameterSampling.SAMPLING_NAME,
    "grid": GridParameterSampling.SAMPLING_NAME,
    "bayesian": BayesianParameterSampling.SAMPLING_NAME,
}
_POLICIES = {
    "bandit": BanditPolicy.POLICY_NAME,
    "median": MedianStoppingPolicy.POLICY_NAME,
    "truncation": TruncationSelectionPolicy.POLICY_NAME,
}


def sweep_settings(spec: Dict[str, Any]) -> Dict[str, Any]:
    """Of the SweepSpec of the REST API. What Azure does not have keeps Roost's name."""
    sampling = str(spec["sampling"]["type"])
    policy = spec.get("policy")
    kind = str(policy["type"]) if policy else ""
    return {
        "samplingMethod": _SAMPLINGS.get(sampling, sampling.upper()),
        "terminationPolicy": _POLICIES.get(kind, kind) or NoTerminationPolicy.POLICY_NAME,
        "primaryMetricGoal": spec["metric"]["goal"],
        "maxTotalRuns": spec["max_total_runs"],
        "maxConcurrentRuns": spec["max_concurrent_runs"],
        "maxDurationMinutes": spec["max_duration_minutes"],
    }
