"""When a child is stopped before its end.

Each value that a child logs of the primary metric is one interval of that child. A policy looks at
every `evaluation_interval`-th, from `delay_evaluation` on.
"""

from __future__ import annotations

from typing import Any, Dict, Optional

from ._checks import number, refusal, whole

__all__ = [
    "BanditPolicy",
    "EarlyTerminationPolicy",
    "MedianStoppingPolicy",
    "NoTerminationPolicy",
    "TruncationSelectionPolicy",
]


class EarlyTerminationPolicy:
    """The base of the policies."""

    POLICY_NAME = ""

    def __init__(
        self,
        name: str,
        evaluation_interval: int = 1,
        delay_evaluation: int = 0,
        properties: Optional[Dict[str, Any]] = None,
    ) -> None:
        self._name = name
        self._evaluation_interval = whole(evaluation_interval, "evaluation_interval", 1)
        self._delay_evaluation = whole(delay_evaluation, "delay_evaluation", 0)
        self._properties = dict(properties or {})

    @property
    def name(self) -> str:
        return self._name

    @property
    def evaluation_interval(self) -> int:
        return self._evaluation_interval

    @property
    def delay_evaluation(self) -> int:
        return self._delay_evaluation

    # For HyperDriveConfig.

    def _policy(self) -> Optional[Dict[str, Any]]:
        return {
            "type": self._type,
            "evaluation_interval": self._evaluation_interval,
            "delay_evaluation": self._delay_evaluation,
            **self._properties,
        }

    _type = ""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._policy()!r})"


class BanditPolicy(EarlyTerminationPolicy):
    """Stops a child whose best is too far from the best of all at the same interval: by
    `slack_factor`, a part of it, or by `slack_amount`."""

    POLICY_NAME = "Bandit"
    _type = "bandit"

    def __init__(
        self,
        evaluation_interval: int = 1,
        slack_factor: Optional[float] = None,
        slack_amount: Optional[float] = None,
        delay_evaluation: int = 0,
    ) -> None:
        if (slack_factor is None) == (slack_amount is None):
            given = "neither" if slack_factor is None else "both"
            raise refusal(
                "BanditPolicy takes slack_factor (a part of the best, such as 0.1) or slack_amount "
                f"(in units of the metric), and got {given}. Give one of them by name."
            )
        name = "slack_amount" if slack_factor is None else "slack_factor"
        slack = number(slack_amount if slack_factor is None else slack_factor, name)
        if slack < 0:
            raise refusal(f"{name} must be 0 or more, not {slack}.")
        super().__init__(self.POLICY_NAME, evaluation_interval, delay_evaluation, {name: slack})

    @property
    def slack_factor(self) -> Optional[float]:
        return self._properties.get("slack_factor")

    @property
    def slack_amount(self) -> Optional[float]:
        return self._properties.get("slack_amount")


class MedianStoppingPolicy(EarlyTerminationPolicy):
    """Stops a child whose best is worse than the median of the running averages of all."""

    POLICY_NAME = "MedianStopping"
    _type = "median"

    def __init__(self, evaluation_interval: int = 1, delay_evaluation: int = 0) -> None:
        super().__init__(self.POLICY_NAME, evaluation_interval, delay_evaluation)


class TruncationSelectionPolicy(EarlyTerminationPolicy):
    """Stops the worst `truncation_percentage` percent at each interval."""

    POLICY_NAME = "TruncationSelection"
    _type = "truncation"

    def __init__(
        self,
        truncation_percentage: int,
        evaluation_interval: int = 1,
        delay_evaluation: int = 0,
        exclude_finished_jobs: bool = False,
    ) -> None:
        properties = {
            "truncation_percentage": whole(truncation_percentage, "truncation_percentage", 1, 99),
            "exclude_finished_jobs": bool(exclude_finished_jobs),
        }
        super().__init__(self.POLICY_NAME, evaluation_interval, delay_evaluation, properties)

    @property
    def truncation_percentage(self) -> int:
        return int(self._properties["truncation_percentage"])


class NoTerminationPolicy(EarlyTerminationPolicy):
    """Lets every child run to its end."""

    POLICY_NAME = "Default"

    def __init__(self) -> None:
        super().__init__(self.POLICY_NAME)

    def _policy(self) -> Optional[Dict[str, Any]]:
        return None
