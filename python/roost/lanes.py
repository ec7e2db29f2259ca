"""Work done on a few threads at a time."""

from __future__ import annotations

import threading
from typing import Callable, List, Optional, Sequence, TypeVar

Item = TypeVar("Item")

_FAREWELL_SECONDS = 2.0


def run_lanes(
    items: Sequence[Item],
    work: Callable[[Item], None],
    lanes: int,
    stop: Optional[threading.Event] = None,
) -> None:
    """Calls `work` for every item. The first exception ends all lanes and is raised here; `stop`
    is then set, so that work under way can end early."""
    if lanes <= 1 or len(items) <= 1:
        for item in items:
            work(item)
        return
    ended = stop or threading.Event()
    lock = threading.Lock()
    remaining = iter(items)
    failures: List[BaseException] = []

    def lane() -> None:
        while True:
            with lock:
                item = None if ended.is_set() else next(remaining, None)
            if item is None:
                return
            try:
                work(item)
            except BaseException as error:
                with lock:
                    failures.append(error)
                ended.set()

    threads = [threading.Thread(target=lane, daemon=True) for _ in range(min(lanes, len(items)))]
    for thread in threads:
        thread.start()
    try:
        for thread in threads:
            while thread.is_alive():
                thread.join(0.2)  # in slices, so that Ctrl-C gets through
    except BaseException:
        ended.set()
        for thread in threads:
            thread.join(_FAREWELL_SECONDS / len(threads))
        raise
    if failures:
        raise failures[0]
