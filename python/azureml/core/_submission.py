"""What Experiment.submit sends for a configuration."""

from __future__ import annotations

from typing import Any, Dict, NamedTuple, Optional


class Submission(NamedTuple):
    """`spec` is the RunSpec of the REST API without experiment, snapshot, tags and git."""

    source_directory: Optional[str]
    spec: Dict[str, Any]
