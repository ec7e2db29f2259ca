"""Waiting for a service, with the text that notebooks show."""

from __future__ import annotations

import json
import sys
import time
import uuid
from typing import TYPE_CHECKING, Any, Dict, Optional, Set, Tuple

from azureml._errors import is_code
from azureml.exceptions import WebserviceException
from roost.times import read_time

if TYPE_CHECKING:
    from azureml.core.webservice.local import LocalWebservice
    from azureml.core.webservice.webservice import Webservice

_TIPS = (
    "Tips: You can try get_logs(): https://aka.ms/debugimage#dockerlog or local deployment: "
    "https://aka.ms/debugimage#debug-locally to debug if deployment takes longer than 10 minutes."
)
_FIRST_DELAY_SECONDS = 0.05
_LONGEST_DELAY_SECONDS = 1.0
# Neither state is final; but who waits is told some time.
_PATIENCE_SECONDS = {"Unschedulable": 300.0, "Unhealthy": 60.0}


def wait_for_deployment(
    service: Webservice, show_output: bool, timeout_sec: Optional[float] = None
) -> None:
    say = _Say(show_output)
    say.line(_TIPS)
    say.line("Running")
    began = time.monotonic()
    since: Tuple[str, float] = ("", began)
    delay = _FIRST_DELAY_SECONDS
    while True:
        try:
            service.update_deployment_state()
        except WebserviceException as error:
            if not is_code(error, "not_found"):
                raise
            say.line("Deleted")  # notebooks wait after delete() too
            return
        for step in service._facts.get("steps") or []:
            say.step(step)
        state = service.state
        if state != since[0]:
            since = (state, time.monotonic())
        if state == "Healthy":
            service._endpoint.settle()
            say.line("Succeeded")
            say.line(
                f"{service.compute_type} service creation operation finished, operation "
                '"Succeeded"'
            )
            return
        waited = time.monotonic() - since[1]
        patience = 0.0 if _is_rejected(service) else _PATIENCE_SECONDS.get(state, float("inf"))
        if state == "Failed" or waited > patience:
            raise _failure(service, say, waited)
        if timeout_sec is not None and time.monotonic() - began > timeout_sec:
            raise WebserviceException(
                f"{service.name} is still {state} after {timeout_sec} seconds. It goes on; wait "
                "for it again with wait_for_deployment(), or look at get_logs()."
            )
        time.sleep(delay)
        delay = min(2 * delay, _LONGEST_DELAY_SECONDS)


def wait_for_local(
    service: LocalWebservice, show_output: bool, timeout_sec: Optional[float]
) -> None:
    """A local service says where it is, and on failure what it printed."""
    say = _Say(show_output)
    say.line("Starting replica...")
    say.line("Checking container health...")
    try:
        wait_for_deployment(service, False, timeout_sec)
    except WebserviceException as error:
        if service.state != "Failed":
            raise
        say.line(service.get_logs() or "")
        raise WebserviceException(
            f"Error: Container has crashed. Did your init method fail?\n{error.message}"
        ) from None
    say.line(f"Local webservice is running at {service.base_url}")


def wait_until_gone(service: Webservice) -> None:
    delay = _FIRST_DELAY_SECONDS
    while True:
        try:
            service.update_deployment_state()
        except WebserviceException as error:
            if is_code(error, "not_found"):
                return
            raise
        time.sleep(delay)
        delay = min(2 * delay, _LONGEST_DELAY_SECONDS)


def failure_text(service: Webservice, waited: float = 0.0) -> str:
    error: Dict[str, Any] = service.error or {
        "code": service.state,
        "statusCode": 400,
        "message": f"the service is {service.state}",
    }
    if service.state == "Unschedulable":
        tried = time.strftime("%H:%M:%S", time.gmtime(waited))
        error = {
            **error,
            "message": "Couldn't Schedule because the kubernetes cluster didn't have available "
            f"resources after trying for {tried}. {error['message']}",
        }
    return (
        "Service deployment polling reached non-successful terminal state, current service state: "
        f"{service.state}\nOperation ID: {uuid.uuid4()}\n"
        "More information can be found using '.get_logs()'\n"
        f"Error:\n{json.dumps(error, indent=2)}"
    )


def _is_rejected(service: Webservice) -> bool:
    """A change that cannot start, while replicas from before it go on."""
    return service.state == "Unhealthy" and any(
        one.get("error")
        and any(
            replica["state"] == "ready" and replica.get("revision") != one.get("revision")
            for replica in one.get("replicas_now") or []
        )
        for one in service._facts["deployments"]
    )


def _failure(service: Webservice, say: _Say, waited: float) -> WebserviceException:
    text = failure_text(service, waited)
    say.line("Failed")
    say.line(text)
    return WebserviceException(text)


class _Say:
    """Each step once, on a line of its own, as soon as it is known."""

    def __init__(self, show: bool) -> None:
        self._show = show
        self._said: Set[Tuple[str, str]] = set()

    def step(self, step: Dict[str, Any]) -> None:
        key = (str(step["at"]), str(step["text"]))
        if key not in self._said:
            self._said.add(key)
            at = read_time(key[0]).replace(microsecond=0)
            self.line(f"{at.isoformat(sep=' ')} {key[1]}")

    def line(self, text: str) -> None:
        if self._show:
            print(text)
            sys.stdout.flush()
