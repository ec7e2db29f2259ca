"""The request, for a run() that is decorated with @rawhttp."""

from roost.scoring.aml_request import AMLRequest, rawhttp

__all__ = ["AMLRequest", "rawhttp"]
