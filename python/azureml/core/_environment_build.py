"""A build of an environment on the server, asked for ahead of any run."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any, Dict, Optional

from azureml._errors import calling
from azureml.exceptions import ActivityFailedException, UserErrorException

if TYPE_CHECKING:
    from .workspace import Workspace

_POLL_SECONDS = 0.2
_STATUSES = {
    "queued": "Queued",
    "building": "Running",
    "built": "Succeeded",
    "nothing_to_build": "Succeeded",
    "failed": "Failed",
}


class ImageBuildDetails:
    """What `Environment.build` returns: follows the build and gives its log."""

    def __init__(self, workspace: Workspace, build: Dict[str, Any]) -> None:
        self._workspace = workspace
        self._build = build

    @property
    def status(self) -> str:
        """Queued, Running, Succeeded or Failed, as the server has it now."""
        if self._build["status"] in ("queued", "building"):
            with calling(UserErrorException):
                self._build = self._workspace._client.get(self._path())
        return _STATUSES[self._build["status"]]

    @property
    def log(self) -> str:
        return self._log_from(0)

    def wait_for_completion(self, show_output: bool = True) -> ImageBuildDetails:
        """Waits for the end of the build; ActivityFailedException says why it failed."""
        shown = 0
        if show_output:
            print("Image Build Status:", self.status)
        while True:
            status = self.status
            if show_output:
                text = self._log_from(shown)
                shown += len(text.encode())
                sys.stdout.write(text)
                sys.stdout.flush()
            if status not in ("Queued", "Running"):
                break
            time.sleep(_POLL_SECONDS)
        if show_output:
            print("Image Build Status:", status)
        if status == "Failed":
            raise ActivityFailedException(
                f"The environment could not be built: {self._build['message']}"
            )
        return self

    def _path(self) -> str:
        return f"/api/v1/environment-builds/{self._build['digest']}"

    def _log_from(self, offset: int) -> str:
        if self._build["status"] == "nothing_to_build":
            return ""
        with calling(UserErrorException):
            path = self._path() + "/log"
            answer = self._workspace._client.send("GET", path, b"", "", offset=offset)
        return bytes(answer).decode("utf-8", "replace")


def start_build(
    workspace: Workspace, name: str, version: Optional[str], pins: Optional[str] = None
) -> ImageBuildDetails:
    with calling(UserErrorException):
        build = workspace._client.post(
            workspace._path("environments", name, "build"),
            {"pins": pins} if pins else {},
            version=version,
        )
    return ImageBuildDetails(workspace, build)


def image_details(details: ImageBuildDetails, definition: Dict[str, Any]) -> Dict[str, Any]:
    """What is known of a built environment, in the form of Azure ML as far as it fits."""
    built = details._build.get("environment") or {}
    docker = definition.get("docker") or {}
    return {
        "imageExistsInRegistry": bool(built),
        "dockerImage": {"name": f"roost/{details._build['digest'][:32]}", "registry": None},
        "pythonEnvironment": {
            "interpreterPath": built.get("python"),
            "builder": built.get("builder"),
        },
        "ingredients": {
            "dockerfile": docker.get("baseDockerfile"),
            "condaSpecification": (definition.get("python") or {}).get("condaDependencies"),
        },
        "lock": built.get("lock", []),
        "changes": built.get("changes", []),
    }
