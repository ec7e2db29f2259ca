"""Whether Workspace.from_config() will find its config.json, by the rules it searches by."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Tuple

from .found import FileReport

_LARGEST = 1 << 20


@dataclass(frozen=True)
class ConfigFile:
    needed: bool
    path: Optional[str] = None
    workspace: Optional[str] = None
    problem: Optional[str] = None

    def as_json(self) -> Dict[str, Any]:
        return {
            "needed": self.needed,
            "path": self.path,
            "workspace": self.workspace,
            "problem": self.problem,
        }


def look_for_config(path: str, reports: List[FileReport]) -> ConfigFile:
    needed = any(
        finding.symbol == "Workspace.from_config()"
        for report in reports
        for finding in report.findings
    )
    folder = path if os.path.isdir(path) else os.path.dirname(path)
    found = find_config(os.path.abspath(folder))
    if found is None:
        return ConfigFile(needed)
    workspace, problem = read_workspace(found)
    return ConfigFile(needed, found, workspace, problem)


def read_workspace(path: str) -> Tuple[Optional[str], Optional[str]]:
    """The workspace that the file names, or what is wrong with the file."""
    try:
        with open(path, "rb") as file:
            content = json.loads(file.read(_LARGEST).decode("utf-8-sig"))
        workspace = content["workspace_name"]
    except (OSError, ValueError, RecursionError):
        return None, "is not readable JSON"
    except (KeyError, TypeError):
        return None, "names no workspace_name"
    if not isinstance(workspace, str) or not workspace:
        return None, "names no workspace_name"
    return workspace, None


def find_config(folder: str) -> Optional[str]:
    """config.json here, in .azureml or aml_config, or in a folder above."""
    while True:
        for place in ("", ".azureml", "aml_config"):
            candidate = os.path.join(folder, place, "config.json")
            if os.path.isfile(candidate):
                return candidate
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent
