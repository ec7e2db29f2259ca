"""Calls that fetch something from the internet, as far as their names tell."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Any

from .found import UNKNOWN
from .scene import Arguments

if TYPE_CHECKING:
    from .follow import Follower

_URL = re.compile(r"^(?:https?|ftp)://\S+$", re.IGNORECASE)
_SHELL = re.compile(r"\b(?:wget|curl|git\s+clone|azcopy|gdown)\b.*?((?:https?|ftp)://[^\s'\"|;]+)")

# Calls of the libraries that people train with which fetch data or weights, by the start of a name.
_LIBRARIES = (
    "torchvision.datasets.",
    "torchvision.models.",
    "torch.hub.load",
    "sklearn.datasets.fetch_",
    "tensorflow.keras.datasets.",
    "keras.datasets.",
    "datasets.load_dataset",
    "transformers.",
    "nltk.download",
    "spacy.cli.download",
)


def look(follower: Follower, node: ast.Call, path: str, given: Arguments) -> None:
    """Notes a fetch by a call of the library `path`."""
    positional, named = given
    if path in (
        "os.system",
        "subprocess.run",
        "subprocess.call",
        "subprocess.check_call",
        "subprocess.check_output",
        "subprocess.Popen",
    ):
        command = positional[0] if positional else named.get("args", UNKNOWN)
        if isinstance(command, list):
            command = " ".join(str(word) for word in command)
        if isinstance(command, str):
            look_at_command(follower, node, command)
        return
    if path.startswith(("urllib.parse.", "builtins.")):
        return
    for value in [*positional, *named.values()]:
        if isinstance(value, str) and _URL.match(value):
            follower.note("internet", node, url=value, by=path)
            _keeps(follower, given)
            return
    _look_at_library(follower, node, path, given)


def _look_at_library(follower: Follower, node: ast.Call, path: str, given: Arguments) -> None:
    positional, named = given
    for prefix in _LIBRARIES:
        if not path.startswith(prefix):
            continue
        if prefix == "torchvision.datasets." and named.get("download") is not True:
            return
        if prefix == "torchvision.models.":
            weights = named.get("weights", named.get("pretrained", None))
            if weights in (None, False):
                return
        if prefix == "transformers.":
            name = positional[0] if positional else UNKNOWN
            if not path.endswith(".from_pretrained") or not isinstance(name, str):
                return
            if follower.files.exists(name):
                return
        follower.note("internet", node, url="", by=path)
        return


def look_at_method(follower: Follower, node: ast.Call, name: str, given: Arguments) -> None:
    """The same for a method of a value that is not known."""
    for value in given[0][:1]:
        if (
            isinstance(value, str)
            and _URL.match(value)
            and name in ("get", "download", "retrieve", "urlopen")
        ):
            follower.note("internet", node, url=value, by=name)


def look_at_command(follower: Follower, node: ast.AST, command: str) -> None:
    found = _SHELL.search(command)
    if found:
        follower.note("internet", node, url=found.group(1), by=command.split()[0])


def shell_address(command: str) -> str:
    """The address that a shell line fetches, or ""."""
    found = _SHELL.search(command)
    return found.group(1) if found else ""


def _keeps(follower: Follower, given: Arguments) -> None:
    """What is fetched into a file is there afterwards."""
    positional, named = given
    for value in [*positional[1:], *(v for k, v in named.items() if k not in ("url", "origin"))]:
        if isinstance(value, str) and value and not _URL.match(value) and len(value) < 300:
            follower.files.write(value, None)
            follower.mentioned.add(follower.files.absolute(value))


def is_address(value: Any) -> bool:
    return isinstance(value, str) and bool(_URL.match(value))
