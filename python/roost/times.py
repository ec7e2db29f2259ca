"""Times, also in Python 3.6."""

import time
from typing import Any

_time_ns = getattr(time, "time_ns", lambda: int(time.time() * 1e9))


def time_micros() -> int:
    """Now, since 1970."""
    return int(_time_ns()) // 1000


def read_time(text: str) -> Any:
    """The datetime of what the server writes: UTC, with any number of digits after the seconds."""
    import re
    from datetime import datetime, timezone

    match = re.match(r"(.*?)(?:\.([0-9]+))?(?:Z|\+00:00)?\Z", text)
    assert match is not None
    whole = f"{match.group(1)}.{(match.group(2) or '0'):0<6.6}"
    return datetime.strptime(whole, "%Y-%m-%dT%H:%M:%S.%f").replace(tzinfo=timezone.utc)
