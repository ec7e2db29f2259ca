"""An answer with a status and headers of the script's own."""

from roost.scoring.aml_response import AMLResponse

__all__ = ["AMLResponse"]
