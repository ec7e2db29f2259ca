"""RunDetails: a run in a notebook while it goes on, or as text on a terminal."""

from __future__ import annotations

from typing import Any, Dict, Optional

__all__ = ["RunDetails"]


class RunDetails:
    """Shows a run: state, stages, curves, last lines of its log."""

    def __init__(self, run_instance: Any) -> None:
        if not hasattr(run_instance, "get_status"):
            from azureml.exceptions import UserErrorException

            raise UserErrorException(
                f"RunDetails takes a run, not {type(run_instance).__name__}. "
                "Give it what Experiment.submit() returned."
            )
        from ._run_view import RunView

        self.run_instance = run_instance
        self._view = RunView(run_instance)
        self._settings: Dict[str, Any] = {}

    def show(
        self, render_lib: Optional[Any] = None, widget_settings: Optional[Dict[str, Any]] = None
    ) -> None:
        """Returns at once. In a notebook what is shown goes on until the run has ended; on a
        terminal it is the state of this moment. `render_lib` is taken and not used, and
        `widget_settings` are kept for the repr."""
        self._settings = dict(widget_settings or {})
        from ._live import notebook, show_live
        from ._text import as_text

        display = notebook()
        if display is None:
            print(as_text(self._view.read()))
        else:
            show_live(display, self._view)

    def get_widget_data(self, widget_settings: Optional[Dict[str, Any]] = None) -> Dict[str, Any]:
        """What is shown, as plain values."""
        return self._view.read().as_dict()

    def __repr__(self) -> str:
        """By the name that Azure's widget of this kind has."""
        kind = getattr(self.run_instance, "type", None)
        name = "_HyperDriveWidget" if kind == "hyperdrive" else "_UserRunWidget"
        return f"{name}(widget_settings={self._settings!r})"
