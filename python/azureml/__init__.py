"""Azure ML SDK v1, as far as docs/azureml.md says, on a Roost server."""

from pkgutil import extend_path

# Other packages may put modules of their own below azureml.
__path__ = extend_path(__path__, __name__)

from ._absent import install  # noqa: E402

install()
del install
