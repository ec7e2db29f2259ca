"""A callback for Hugging Face's Trainer.

trainer = Trainer(..., callbacks=[RoostCallback(project="birds")])
"""

from __future__ import annotations

from typing import Any, Dict, Optional

from transformers import TrainerCallback  # type: ignore

import roost
from roost.active_run import ActiveRun

_PREFIXES = ("eval_", "test_")


class RoostCallback(TrainerCallback):  # type: ignore[misc]
    """Logs to the run of this process: that of roost.init or of the submitted run, else one that it
    begins. Takes what roost.init takes. Only the process of rank 0 logs."""

    def __init__(self, project: Optional[str] = None, **options: Any) -> None:
        self._project = project
        self._options = options
        self._run: Optional[ActiveRun] = None

    def setup(self, args: Any, state: Any, model: Any) -> None:
        """Begins the run, with the arguments and the model's configuration as parameters."""
        if self._run is not None or not state.is_world_process_zero:
            return
        self._run = _current_run() or roost.init(self._project, **self._options)
        params: Dict[str, Any] = dict(args.to_sanitized_dict())
        config = getattr(model, "config", None)
        if config is not None and hasattr(config, "to_diff_dict"):
            params["model"] = config.to_diff_dict()
        self._run.log_params(params)

    def on_train_begin(self, args: Any, state: Any, control: Any, **more: Any) -> None:
        self.setup(args, state, more.get("model"))

    def on_log(self, args: Any, state: Any, control: Any, **more: Any) -> None:
        self.setup(args, state, more.get("model"))
        if self._run is not None:
            logs = more.get("logs") or {}
            self._run.log(
                {_metric(k): v for k, v in logs.items() if _is_number(v)}, state.global_step
            )

    def on_train_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """The run goes on until the script ends: evaluate and predict may follow."""
        if self._run is not None:
            self._run.flush()


def _current_run() -> Optional[ActiveRun]:
    from roost.tracking import current

    try:
        return current()
    except roost.RoostError:
        return None


def _metric(name: str) -> str:
    """eval_loss becomes eval/loss, as in the Trainer's other callbacks."""
    for prefix in _PREFIXES:
        if name.startswith(prefix):
            return f"{prefix[:-1]}/{name[len(prefix) :]}"
    return name if name.startswith("train_") or name == "total_flos" else f"train/{name}"


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float))
