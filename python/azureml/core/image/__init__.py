"""Images, as services were deployed from before Model.deploy()."""

from __future__ import annotations

from azureml.core.image.container import ContainerImage
from azureml.core.image.image import Image

__all__ = ["ContainerImage", "Image"]
