"""AmlCompute.wait_for_completion: looks at the real state and prints as Azure's notebooks show."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Optional, Set, Tuple

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
    if is_delete:
        say.state("Deleting")
    elif compute._was_created:
        say.state("Creating")
    compute._was_created = False
    delay = _FIRST_DELAY_SECONDS
    while True:
        try:
            compute.refresh_state()
        except ComputeTargetException as error:
            if is_delete and is_code(error, "not_found"):
                say.line('SucceededProvisioning operation finished, operation "Succeeded"')
                return
            raise
        say.state(compute.provisioning_state)
        scaling = None if is_delete else _scaling(compute, min_node_count)
        if scaling is None and not is_delete:
            break
        if scaling is not None and scaling[0] > 0:
            ready, wanted = scaling
            say.state(f"Waiting for cluster to scale. {ready} out of {wanted} nodes ready.")
        if time.monotonic() + delay > deadline:
            _say_timeout(say, compute)
            return
        time.sleep(delay)
        delay = min(2 * delay, _LONGEST_DELAY_SECONDS)
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


def _scaling(compute: AmlCompute, min_node_count: Optional[int]) -> Optional[Tuple[int, int]]:
    """How many nodes are ready of how many the wait is for, or None when it is over. A steady
    cluster starts no more nodes without runs: there is nothing to wait for even if it has fewer."""
    facts = compute._facts
    state = facts["provisioning_state"]
    if state == "Failed":
        raise ComputeTargetException(f"The compute {compute.name} could not be made.")
    wanted = facts["min_nodes"] if min_node_count is None else min_node_count
    ready = facts["node_state_counts"]["idle"] + facts["node_state_counts"]["running"]
    reachable = min(wanted, max(facts["target_node_count"], facts["min_nodes"]))
    return None if state == "Succeeded" and ready >= reachable else (ready, reachable)


def _say_timeout(say: _Say, compute: AmlCompute) -> None:
    facts = compute._facts
    say.line("AmlCompute wait for completion finished")
    say.line("Wait timeout has been reached")
    say.line(
        f'Current provisioning state of AmlCompute is "{facts["provisioning_state"]}" '
        f'and current node count is "{facts["current_node_count"]}"'
    )


class _Say:
    """Each new state once, on a line of its own."""

    def __init__(self, show: bool) -> None:
        self._show = show
        self._said: Set[str] = set()

    def state(self, state: str) -> None:
        if state not in self._said:
            self.line(state)
        self._said.add(state)

    def line(self, text: str) -> None:
        if self._show:
            print(text)
            sys.stdout.flush()
