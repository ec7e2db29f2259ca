"""AmlCompute.wait_for_completion: looks at the real state and prints as Azure's notebooks show."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Optional

from azureml._errors import is_code
from azureml.exceptions import ComputeTargetException

if TYPE_CHECKING:
    from azureml.core.compute.amlcompute import AmlCompute

_FIRST_DELAY_SECONDS = 0.05
_LONGEST_DELAY_SECONDS = 1.0


def wait_for_nodes(
    compute: AmlCompute,
    show_output: bool,
    min_node_count: Optional[int],
    timeout_in_minutes: Optional[float],
    is_delete: bool,
) -> None:
    deadline = time.monotonic() + 60 * (25 if timeout_in_minutes is None else timeout_in_minutes)
    say = _Say(show_output)
    if compute._was_created:
        compute._was_created = False
        say.state("Creating")
    delay = _FIRST_DELAY_SECONDS
    while True:
        try:
            compute.refresh_state()
        except ComputeTargetException as error:
            if is_delete and is_code(error, "not_found"):
                say.line("Compute target deleted")
                return
            raise
        problem = None if is_delete else _still_missing(compute, min_node_count)
        say.state(compute.provisioning_state)
        if problem is None and not is_delete:
            break
        if time.monotonic() + delay > deadline:
            say.end()
            say.line("Wait timeout has been reached")
            say.line(f"{compute.name}: {problem or 'it is not deleted yet'}")
            return
        time.sleep(delay)
        delay = min(2 * delay, _LONGEST_DELAY_SECONDS)
    say.end()
    say.line("AmlCompute wait for completion finished")
    facts = compute._facts
    wanted = facts["min_nodes"] if min_node_count is None else min_node_count
    if facts["current_node_count"] >= wanted:
        say.line("Minimum number of nodes requested have been provisioned")
    else:
        say.line(
            f"{compute.name} has {facts['current_node_count']} of {wanted} nodes; with min_nodes="
            f"{facts['min_nodes']} the others start when runs need them"
        )


def _still_missing(compute: AmlCompute, min_node_count: Optional[int]) -> Optional[str]:
    """What the wait is for, or None. A steady cluster starts no more nodes without runs, so there
    is nothing to wait for even if it has fewer than asked for."""
    facts = compute._facts
    state = facts["provisioning_state"]
    if state == "Failed":
        raise ComputeTargetException(f"The compute {compute.name} could not be made.")
    if state != "Succeeded":
        return f"its state is {state}"
    wanted = facts["min_nodes"] if min_node_count is None else min_node_count
    ready = facts["node_state_counts"]["idle"] + facts["node_state_counts"]["running"]
    reachable = min(wanted, max(facts["target_node_count"], facts["min_nodes"]))
    if ready >= reachable:
        return None
    return f"{ready} of {reachable} nodes are ready"


class _Say:
    """Each new state once, on a line of its own."""

    def __init__(self, show: bool) -> None:
        self._show = show
        self._last = ""

    def state(self, state: str) -> None:
        if state != self._last:
            self.line(state)
        self._last = state

    def end(self) -> None:
        self._last = ""

    def line(self, text: str) -> None:
        if self._show:
            print(text)
            sys.stdout.flush()
