"""In an MPI run an uncaught exception ends every rank, as under `python -m mpi4py`.

Without this the rank that failed waits in MPI_Finalize for the others, and they wait for it in
their collective call.
"""

import sys
from types import TracebackType
from typing import Optional, Type

_show = sys.excepthook


def end_together() -> None:
    global _show
    _show, sys.excepthook = sys.excepthook, _show_and_end


def _show_and_end(
    kind: Type[BaseException], error: BaseException, trace: Optional[TracebackType]
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
        mpi.COMM_WORLD.Abort(1)
