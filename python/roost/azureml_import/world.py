"""What is outside of the code: the server, the interpreters, addresses on the web.

Each question is asked once and has three answers: yes, no, and None when nobody can tell.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any, Dict, List, Optional, Set

from .memo import once

_PATIENCE_SECONDS = 6.0
USUAL_PYTHON = "/usr/bin/python3"

_FIND_MODULES = """
import importlib.util, json, sys
sys.path[:] = [path for path in sys.path if path]
missing = []
for name in json.loads(sys.argv[1]):
    try:
        if importlib.util.find_spec(name) is None: missing.append(name)
    except Exception:
        pass
print(json.dumps([missing, list(sys.version_info[:3])]))
"""
_URLLIB = "import azureml.core, urllib; urllib.request"


class World:
    """`offline` asks neither the server nor anybody on the web."""

    def __init__(self, offline: bool = False, python: Optional[str] = None) -> None:
        self.offline = offline
        self.python = python or users_python()
        self._client: Any = None
        self._connected = False

    # The server.

    def server(self) -> Any:
        """A client, or None if there is no server to ask."""
        if self._connected or self.offline:
            return self._client
        self._connected = True
        from roost.client import Client
        from roost.discovery import find_server
        from roost.errors import RoostError

        try:
            address = find_server()
            client = Client(
                address.url,
                address.token,
                address.ca_file,
                patience_seconds=2.0,
                first_patience_seconds=1.0,
            )
            client.get("/api/v1/server")
            self._client = client
        except (RoostError, OSError, ValueError):
            self._client = None
        return self._client

    def is_server_here(self) -> bool:
        from roost.discovery import data_folder, read_server_file

        return read_server_file(os.path.join(data_folder(), "server.json")) is not None

    @once
    def names(self, workspace: str, kind: str) -> Optional[Set[str]]:
        """Names of computes, datasets, models or datastores of a workspace."""
        if self.server() is None:
            return None
        if kind == "workspaces":
            return self._listed("/api/v1/workspaces")
        from roost.client import quote

        return self._listed(f"/api/v1/workspaces/{quote(workspace)}/{kind}")

    def _listed(self, path: str) -> Optional[Set[str]]:
        from roost.errors import RoostError

        try:
            return {str(item["name"]) for item in self._client.pages(path)}
        except (RoostError, KeyError):
            return None

    @once
    def find(self, workspace: str, kind: str, name: str) -> Any:
        """What the server says of one thing by its name; None if it is not there."""
        from roost.client import quote
        from roost.errors import RoostError

        if self.server() is None:
            return None
        try:
            return self._client.get(f"/api/v1/workspaces/{quote(workspace)}/{kind}/{quote(name)}")
        except RoostError:
            return None

    @once
    def vm_sizes(self) -> Optional[Set[str]]:
        from roost.errors import RoostError

        if self.server() is None:
            return None
        try:
            answer = self._client.get("/api/v1/vm-sizes")
            return {str(item["name"]).lower() for item in answer["items"]}
        except (RoostError, KeyError, TypeError):
            return None

    @once
    def has_files(self, workspace: str, datastore: str, path: str) -> Optional[bool]:
        from roost.client import quote
        from roost.errors import RoostError

        if self.server() is None:
            return None
        start = path.strip("/").split("*")[0]
        place = f"/api/v1/workspaces/{quote(workspace)}/datastores/{quote(datastore)}/files"
        try:
            return bool(self._client.get(place, prefix=start or None, limit=1)["items"])
        except (RoostError, KeyError):
            return None

    # Interpreters.

    def missing_modules(self, python: str, modules: List[str]) -> List[str]:
        """Those that the interpreter does not find; none if it cannot be asked."""
        wanted = tuple(sorted(set(modules)))
        return list(self._ask_python(python, wanted)[0]) if wanted else []

    def is_python_own(self, module: str) -> bool:
        """A module of Python's own library."""
        listed = getattr(sys, "stdlib_module_names", None)
        if listed is not None:
            return module in listed
        import importlib.util

        try:
            found = importlib.util.find_spec(module)
        except (ImportError, ValueError):
            return False
        return found is not None and "-packages" not in (found.origin or "")

    def version_of(self, python: str) -> str:
        return ".".join(map(str, self._ask_python(python, ())[1][:2]))

    @once
    def _ask_python(self, python: str, modules: Any) -> Any:
        environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONHOME")}
        try:
            done = subprocess.run(
                [python, "-c", _FIND_MODULES, json.dumps(modules)],
                env=environment,
                cwd="/",
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=30,
            )
            return json.loads(done.stdout)
        except (OSError, ValueError, subprocess.TimeoutExpired):
            return [[], list(sys.version_info[:3])]

    def servers_python(self) -> str:
        """Of runs whose environment names no packages, on a server of this machine."""
        return USUAL_PYTHON if os.access(USUAL_PYTHON, os.X_OK) else sys.executable

    @once
    def urllib_comes_with_azureml(self) -> bool:
        """Whether `urllib.request` is there after `import azureml.core`, as people rely on."""
        from .installed import PACKAGE_FOLDER

        environment = {**os.environ, "PYTHONPATH": PACKAGE_FOLDER}
        done = subprocess.run(
            [sys.executable, "-S", "-c", _URLLIB], env=environment, cwd="/", capture_output=True
        )
        return done.returncode == 0

    # The web.

    @once
    def answers(self, url: str) -> Optional[str]:
        """ "" if the address can be fetched from here, else why not; None if nobody may ask."""
        if self.offline or not url:
            return None
        import http.client
        import urllib.error
        import urllib.request

        request = urllib.request.Request(url, headers={"Range": "bytes=0-0", "User-Agent": "roost"})
        try:
            with urllib.request.urlopen(request, timeout=_PATIENCE_SECONDS):
                return ""
        except urllib.error.HTTPError as error:
            return "" if error.code == 416 else f"it answers {error.code} {error.reason}"
        except (OSError, ValueError, http.client.HTTPException) as error:
            return f"it cannot be reached from here ({getattr(error, 'reason', error)})"


def users_python() -> str:
    """The one that `python` means in the shell this was called from."""
    active = os.environ.get("VIRTUAL_ENV")
    if active and os.access(os.path.join(active, "bin", "python"), os.X_OK):
        return os.path.join(active, "bin", "python")
    return sys.executable or USUAL_PYTHON


def environment_of(found: Dict[str, Any]) -> Any:
    """The SDK's object for an environment of the server."""
    from azureml.core import Environment

    return Environment._from_server(found, quiet=True)
