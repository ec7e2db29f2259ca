"""Sweeps: one training with many sets of hyperparameters, and the best of them."""

from __future__ import annotations

from .parameter_expressions import (
    choice,
    lognormal,
    loguniform,
    normal,
    qlognormal,
    qloguniform,
    qnormal,
    quniform,
    randint,
    uniform,
)
from .policy import (
    BanditPolicy,
    EarlyTerminationPolicy,
    MedianStoppingPolicy,
    NoTerminationPolicy,
    TruncationSelectionPolicy,
)
from .run import HyperDriveRun, PrimaryMetricGoal
from .runconfig import HyperDriveConfig, HyperDriveRunConfig
from .sampling import (
    BayesianParameterSampling,
    GridParameterSampling,
    HyperParameterSampling,
    RandomParameterSampling,
)

__all__ = [
    "BanditPolicy",
    "BayesianParameterSampling",
    "EarlyTerminationPolicy",
    "GridParameterSampling",
    "HyperDriveConfig",
    "HyperDriveRun",
    "HyperDriveRunConfig",
    "HyperParameterSampling",
    "MedianStoppingPolicy",
    "NoTerminationPolicy",
    "PrimaryMetricGoal",
    "RandomParameterSampling",
    "TruncationSelectionPolicy",
    "choice",
    "loguniform",
    "lognormal",
    "normal",
    "qloguniform",
    "qlognormal",
    "qnormal",
    "quniform",
    "randint",
    "uniform",
]
