"""TensorBoard over the ./logs of runs, while they go on."""

from __future__ import annotations

from typing import Any, Optional, Sequence, Union

from ._mirror import LogMirror
from ._program import TensorboardProgram

__all__ = ["Tensorboard"]


class Tensorboard:
    """Fetches what runs write to ./logs and shows it with the `tensorboard` program."""

    def __init__(
        self, runs: Union[Any, Sequence[Any]], local_root: Optional[str] = None, port: int = 6006
    ) -> None:
        """Without `local_root` the files go to a temporary folder that stop() removes. Port 0
        takes a free one."""
        runs = list(runs) if isinstance(runs, (list, tuple, set)) else [runs]
        for run in runs:
            if getattr(run, "_client", None) is None:
                from azureml.exceptions import UserErrorException

                raise UserErrorException(
                    f"Tensorboard takes runs of a workspace, not {type(run).__name__}. "
                    "Give it what Experiment.submit() returned."
                )
        self._mirror = LogMirror(runs, local_root)
        self._program = TensorboardProgram(port)

    def start(self, start_browser: bool = False) -> str:
        """Returns the address to open. What runs write from now on appears there too."""
        self._program.find()
        folder = self._mirror.start()
        try:
            url = self._program.start(folder)
        except BaseException:
            self._mirror.stop()
            raise
        print(url)
        if start_browser:
            import webbrowser

            webbrowser.open(url)
        return url

    def stop(self) -> None:
        """Ends the program and stops following the runs."""
        self._program.stop()
        self._mirror.stop()
