"""Loaded by every Python that a run starts.

Lets `roost stacks` see where it is, lets old Pythons load the SDK, puts PyTorch's launchers right,
has pip keep to the run, makes way for another module of this name, and has the
ranks of an MPI run end together.
"""

import os
import sys


def _answer_roost() -> None:
    folder = os.environ.get("ROOST_STACKS")
    if not folder:
        return
    try:
        import _signal
        import faulthandler

        # A bare descriptor: it stays open as long as the process.
        place = os.path.join(folder, str(os.getpid()))
        answers = os.open(place + ".new", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        faulthandler.register(_signal.SIGRTMIN + 5, file=answers, all_threads=True)
        # Only now: who has this file is sent the signal, and would end of it.
        os.rename(place + ".new", place)
    except (ImportError, AttributeError, OSError, ValueError, RuntimeError):
        pass  # a Python without it, or a folder that cannot be written: no stacks then


def _load_the_next() -> None:
    here = os.path.dirname(os.path.abspath(__file__))
    for folder in sys.path:
        place = os.path.join(folder or ".", "sitecustomize.py")
        if os.path.abspath(folder or ".") == here or not os.path.isfile(place):
            continue
        with open(place, "rb") as file:
            names = {"__name__": "sitecustomize", "__file__": place}
            exec(compile(file.read(), place, "exec"), names)
        return


_answer_roost()
if sys.version_info < (3, 7):
    import roost_old_python

    roost_old_python.install()
else:
    import roost_torch

    roost_torch.install()
if "ROOST_PACKAGES" in os.environ:
    import roost_pip

    roost_pip.install()
_load_the_next()
if "ROOST_MPI_END" in os.environ:
    import roost_mpi_end

    roost_mpi_end.end_together()
