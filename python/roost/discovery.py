"""Where the server is and what opens it."""

from __future__ import annotations

import json
import os
from typing import Any, Dict, NamedTuple, Optional

from .errors import RoostError

_START_ONE = "Start one with `roost up`, or set ROOST_URL and ROOST_TOKEN to use one elsewhere."


class Address(NamedTuple):
    url: str
    token: str
    ca_file: Optional[str]
    server_file: Optional[str] = None  # of the server of this machine


def data_folder() -> str:
    """The data folder of this user's own server."""
    given = os.environ.get("ROOST_DATA") or _data_of_here()
    if given:
        return given
    home = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
    return os.path.join(home, "roost")


def find_server(
    url: Optional[str] = None, token: Optional[str] = None, ca_file: Optional[str] = None
) -> Address:
    """What is given, else what the variables ROOST_URL, ROOST_TOKEN and ROOST_CA_FILE say, else what `roost login`,
    `roost context use` and `roost config` chose, else the server of this machine. Raises RoostError when there is none.
    """
    url = url or os.environ.get("ROOST_URL")
    token = token or os.environ.get("ROOST_TOKEN")
    ca_file = ca_file or os.environ.get("ROOST_CA_FILE")
    if url and token:
        return Address(url.rstrip("/"), token, ca_file)
    chosen = None if url else chosen_context()
    if chosen is not None:
        return Address(chosen["url"].rstrip("/"), chosen["token"], ca_file or chosen.get("ca_file"))
    folder = data_folder()
    server_file = os.path.join(folder, "server.json")
    local = read_server_file(server_file)
    if not url:
        if local is None:
            raise RoostError(
                "unavailable",
                f"no Roost server runs here: {folder} has no server.json and ROOST_URL is not set. "
                + _START_ONE,
            )
        url = str(local["url"])
    url = url.rstrip("/")
    if local is not None and url == str(local["url"]).rstrip("/"):
        token = token or _read_token(local)
        return Address(url, token, ca_file or local.get("ca_file"), server_file)
    if not token:
        raise RoostError(
            "unauthenticated",
            f"there is no token for the server at {url}. Set ROOST_TOKEN; whoever runs the server "
            "makes one with `roost token create`.",
        )
    return Address(url, token, ca_file)


def settings_folder() -> str:
    """Where the command line keeps what its user set for good."""
    home = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    return os.path.join(home, "roost")


def chosen_context() -> Optional[Dict[str, str]]:
    """The server that `roost login` or `roost context use` chose, unless a variable or this folder says otherwise."""
    name = os.environ.get("ROOST_CONTEXT")
    if not name:
        if os.environ.get("ROOST_DATA") or _data_of_here():
            return None
        name = str(_read_json(os.path.join(settings_folder(), "settings.json")).get("context", ""))
    if name in ("", "local"):
        return None
    if os.path.basename(name) != name:
        raise RoostError("invalid_argument", f"{name!r} is no name of a context.")
    context = _read_json(os.path.join(settings_folder(), "contexts", f"{name}.json"))
    if not context.get("url") or not context.get("token"):
        raise RoostError("not_found", f"there is no context {name!r}; `roost context ls` lists them.")
    return {key: str(value) for key, value in context.items()}


def _data_of_here() -> Optional[str]:
    """The data folder that was set for this folder or one above it."""
    settings = _read_json(os.path.join(settings_folder(), "settings.json"))
    folders = settings.get("folders")
    here = os.getcwd()
    while isinstance(folders, dict):
        values = folders.get(here)
        if isinstance(values, dict) and values.get("data"):
            return str(values["data"])
        if here == os.path.dirname(here):
            break
        here = os.path.dirname(here)
    everywhere = settings.get("everywhere")
    return str(everywhere["data"]) if isinstance(everywhere, dict) and everywhere.get("data") else None


def _read_json(path: str) -> Dict[str, Any]:
    try:
        with open(path, encoding="utf-8") as file:
            content = json.load(file)
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def read_server_file(path: str) -> Optional[Dict[str, Any]]:
    """What a running server says of itself, or None when there is none."""
    try:
        with open(path, encoding="utf-8") as file:
            content = json.load(file)
    except (OSError, ValueError):
        return None
    return content if isinstance(content, dict) and "url" in content else None


def _read_token(local: Dict[str, Any]) -> str:
    path = str(local.get("token_file", ""))
    try:
        with open(path, encoding="utf-8") as file:
            return file.read().strip()
    except OSError as error:
        raise RoostError(
            "unauthenticated",
            f"cannot read the token of the server at {local['url']} from {path}: {error.strerror}. "
            "Set ROOST_TOKEN to a token of your own.",
        ) from None
