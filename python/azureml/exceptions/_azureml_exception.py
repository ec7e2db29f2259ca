"""The exceptions real code catches, by the names and the parents it knows."""

from __future__ import annotations

from typing import Any, Optional


class AzureMLException(Exception):
    """Something could not be done. `message` says what was wrong and what to do next."""

    def __init__(
        self, exception_message: str = "", inner_exception: Optional[BaseException] = None, **_: Any
    ) -> None:
        super().__init__(exception_message)
        self.message = exception_message
        self.inner_exception = inner_exception

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.message!r})"

    def __str__(self) -> str:
        return f"{type(self).__name__}:\n\tMessage: {self.message}"


class UserErrorException(AzureMLException):
    """The caller can put this right: a wrong argument, a missing file."""


class ArgumentBlankOrEmpty(UserErrorException):
    """An argument that must say something says nothing."""


class ProjectSystemException(AzureMLException):
    """A workspace, or something in it, could not be used."""


class WorkspaceException(ProjectSystemException):
    """The workspace does not exist, or cannot be used."""


class ComputeTargetException(AzureMLException):
    """The compute does not exist, or cannot be used."""


class SnapshotException(AzureMLException):
    """The code of a run could not be stored, or given back."""


class ExperimentException(AzureMLException):
    """The experiment cannot be used."""


class ExperimentExecutionException(AzureMLException):
    """A run could not be submitted."""


class RunEnvironmentException(AzureMLException):
    """This process is not in a run, and was asked to be."""


class RunConfigurationException(AzureMLException):
    """A run configuration is wrong."""


class EnvironmentImageException(AzureMLException):
    """An environment could not be made."""


class TrainingException(AzureMLException):
    """A training could not be set up."""


class ActivityFailedException(AzureMLException):
    """A run ended as Failed or Canceled; the message holds the cause as JSON."""

    def __init__(
        self,
        exception_message: str = "",
        inner_exception: Optional[BaseException] = None,
        error_details: Any = None,
        **_: Any,
    ) -> None:
        super().__init__(exception_message, inner_exception)
        self.error_details = error_details


class AuthenticationException(AzureMLException):
    """The server does not accept the token, or there is none."""


class ServiceException(AzureMLException):
    """The server does not answer, or answered with an error of its own."""

    def __init__(
        self,
        exception_message: str = "",
        inner_exception: Optional[BaseException] = None,
        status_code: Optional[int] = None,
        **_: Any,
    ) -> None:
        super().__init__(exception_message, inner_exception)
        self.status_code = status_code


class DiscoveryUrlNotFoundException(AzureMLException):
    """There is no server to be found."""


class WebserviceException(AzureMLException):
    """A model or a web service could not be used."""

    def __init__(
        self,
        exception_message: str = "",
        status_code: Optional[int] = None,
        logger: Any = None,
        inner_exception: Optional[BaseException] = None,
        **_: Any,
    ) -> None:
        super().__init__(exception_message, inner_exception)
        self.status_code = status_code


class ModelNotFoundException(WebserviceException):
    """There is no such model, or no such version of it."""


class ModelPathNotFoundException(WebserviceException):
    """The files to register, or to read, are not there."""


class ImageException(AzureMLException):
    """An image could not be used."""


class DatasetValidationError(AzureMLException):
    """Data is not where its definition says, or not what it says."""


class DatasetExecutionError(AzureMLException):
    """Data could not be read."""


class DatasetTimestampMissingError(AzureMLException):
    """A dataset has no column of times."""


class OptionalDependencyMissingException(AzureMLException):
    """A package this call needs is not installed."""


class PipelineNotFoundException(AzureMLException):
    """There is no such pipeline."""
