"""In an MPI run an uncaught exception ends every rank, as under `python -m mpi4py`.

Without this the rank that failed waits in MPI_Finalize for the others, and they wait for it in
their collective call.
"""

import os
import sys
import time

TYPE_CHECKING = False  # every rank of a run loads this: typing takes longer than all the rest
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Optional, Type

_show = sys.excepthook


def end_together() -> None:
    global _show
    _show, sys.excepthook = sys.excepthook, _show_and_end


def _show_and_end(
    kind: "Type[BaseException]", error: BaseException, trace: "Optional[TracebackType]"
) -> None:
    _show(kind, error, trace)
    mpi = sys.modules.get("mpi4py.MPI")
    if mpi is None or kind is KeyboardInterrupt:
        return
    if mpi.Is_initialized() and not mpi.Is_finalized() and mpi.COMM_WORLD.Get_size() > 1:
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except (AttributeError, OSError, ValueError):
                pass
        _tell_the_runner()
        mpi.COMM_WORLD.Abort(1)


def _tell_the_runner() -> None:
    """mpirun may end this rank, and what watches it, before its own end could be seen."""
    path = os.environ["ROOST_MPI_END"]
    try:
        with open(path + ".mine", "w") as file:
            file.write(f"exit 1 {int(time.time() * 1e6)}\n")
        os.replace(path + ".mine", path)
    except OSError:
        pass
