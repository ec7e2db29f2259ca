"""What scripts of web services import; of the rest of azureml.contrib nothing is here."""

from typing import Any

from .._absent import absent_name


def __getattr__(name: str) -> Any:
    return absent_name(__name__, name)
