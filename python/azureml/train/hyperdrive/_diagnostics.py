"""The logs of a sweep in one file."""

from __future__ import annotations

import io
import json
import os
import zipfile
from typing import Any, Dict, List

from roost.client import Client, quote


def write_diagnostics(client: Client, sweep: str, trials: List[Dict[str, Any]]) -> str:
    """Writes <sweep>-diagnostics.zip in the current folder: trials.json, and the logs of each run
    in a folder of its name."""
    path = os.path.abspath(f"{sweep}-diagnostics.zip")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("trials.json", json.dumps(trials, indent=2))
        for run in [sweep, *(str(trial["run"]) for trial in trials)]:
            start = f"/api/v1/runs/{quote(run)}/logs"
            for log in client.get(start)["items"]:
                content = io.BytesIO()
                client.fetch(f"{start}/{quote(log['name'], '/')}", content)
                archive.writestr(f"{run}/{log['name']}", content.getvalue())
    return path
