"""The estimator of scikit-learn."""

from __future__ import annotations

from typing import List

from azureml.train.dnn import _FrameworkEstimator

__all__ = ["SKLearn"]


class SKLearn(_FrameworkEstimator):
    """Deprecated, as in Azure ML."""

    FRAMEWORK_NAME = "SKLearn"
    DEFAULT_VERSION = "0.20.3"

    @staticmethod
    def get_supported_versions() -> List[str]:
        return ["0.20.3"]

    def _own_packages(self, use_gpu: bool) -> List[str]:
        return [f"scikit-learn=={self.framework_version}"]
