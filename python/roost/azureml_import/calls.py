"""What the follower knows of values: attributes, items, and calls of Python's own library.

azure_calls.py has those of azureml, downloads.py what goes to the internet.
"""

# ruff: noqa: ARG001, ARG005 - handlers in a table share one signature.

from __future__ import annotations

import ast
import builtins
import os
import posixpath
from typing import TYPE_CHECKING, Any, Callable, Dict

from . import azure_calls, downloads
from .found import UNKNOWN
from .scene import Arguments, Bound, PathText, Ref, Thing, argument, known

if TYPE_CHECKING:
    from .follow import Follower

_PURE_BUILTINS: Dict[str, Callable[..., Any]] = {
    "str": str, "int": int, "float": float, "bool": bool, "len": len, "dict": dict, "list": list,
    "tuple": tuple, "sorted": sorted, "range": range, "max": max, "min": min, "abs": abs,
    "round": round, "sum": sum, "repr": repr,
}  # fmt: skip
_PURE_PATHS: Dict[str, Callable[..., Any]] = {
    "os.path.join": os.path.join,
    "os.path.basename": os.path.basename,
    "os.path.dirname": os.path.dirname,
    "os.path.normpath": os.path.normpath,
    "os.path.splitext": os.path.splitext,
    "os.path.split": os.path.split,
    "os.fspath": str,
    "posixpath.join": posixpath.join,
}
_TEXT_METHODS = {
    "format", "lower", "upper", "strip", "rstrip", "lstrip", "replace", "split", "join",
    "startswith", "endswith", "title", "capitalize", "rsplit", "partition", "zfill",
}  # fmt: skip
_BRING_URLLIB = ("urllib.request", "requests", "pandas", "torch", "sklearn")
_READERS = {
    "pandas.read_csv", "pandas.read_parquet", "pandas.read_json", "pandas.read_excel",
    "numpy.load", "numpy.loadtxt", "joblib.load", "torch.load", "PIL.Image.open",
    "pickle.load_from", "yaml.load_from",
}  # fmt: skip


def is_builtin(name: str) -> bool:
    return hasattr(builtins, name)


# Attributes and items.


def attribute(follower: Follower, node: ast.AST, owner: Any, name: str) -> Any:
    if isinstance(owner, Ref):
        return _of_module(follower, node, f"{owner.path}.{name}")
    if isinstance(owner, Thing):
        found = azure_calls.attribute(follower, node, owner, name)
        return found if found is not UNKNOWN else Bound(owner, name)
    if azure_calls.is_ours(owner):
        found = azure_calls.own_attribute(owner, name)
        return Bound(owner, name) if callable(found) else found
    if isinstance(owner, PathText) and name in ("parent", "name", "stem", "suffix"):
        base = os.path.basename(owner)
        stem, suffix = os.path.splitext(base)
        folder = PathText(os.path.dirname(owner) or ".")
        return {"parent": folder, "name": base, "stem": stem, "suffix": suffix}[name]
    return Bound(owner, name)


def _of_module(follower: Follower, node: ast.AST, path: str) -> Any:
    brought = any(name.startswith(_BRING_URLLIB) for name in follower.imported_paths)
    if path == "urllib.request" and not brought:
        follower.note("urllib", node, azureml=follower.azureml_came)
    if path == "os.sep":
        return os.sep
    if path == "os.environ":
        return Thing("environ")
    return Ref(path)


def set_attribute(owner: Any, name: str, value: Any) -> None:
    if isinstance(owner, Thing):
        owner.facts[name] = value
    elif azure_calls.is_ours(owner):
        azure_calls.set_own_attribute(owner, name, value)


def item(follower: Follower, node: ast.AST, owner: Any, key: Any) -> Any:
    if isinstance(owner, Thing):
        if owner.kind == "environ" and isinstance(key, str):
            if not follower.in_run:
                follower.note("need_variable", node, name=key)
            return UNKNOWN
        return azure_calls.item(follower, node, owner, key)
    if known(key) and isinstance(owner, (dict, list, tuple, str)):
        try:
            return owner[key]
        except Exception:
            return UNKNOWN
    return UNKNOWN


def contains(follower: Follower, left: Any, right: Any, kind: ast.cmpop) -> Any:
    """`name in ws.compute_targets`, where what is there is known."""
    if isinstance(kind, (ast.In, ast.NotIn)) and isinstance(right, Thing):
        return azure_calls.contains(follower, left, right, isinstance(kind, ast.NotIn))
    if isinstance(kind, (ast.Is, ast.IsNot)) and right is None and isinstance(left, Thing):
        return isinstance(kind, ast.IsNot)
    return UNKNOWN


# Calls.


def call(follower: Follower, node: ast.Call, called: Any, given: Arguments) -> Any:
    if isinstance(called, Ref):
        return _call_name(follower, node, called.path, given)
    if isinstance(called, Bound):
        return _call_method(follower, node, called, given)
    _mention(follower, given)
    return UNKNOWN


def _call_name(follower: Follower, node: ast.Call, path: str, given: Arguments) -> Any:
    if path.startswith("azureml."):
        return azure_calls.call(follower, node, path, given)
    downloads.look(follower, node, path, given)
    if path.startswith("builtins."):
        return _call_builtin(follower, node, path[9:], given)
    positional, named = given
    if path in _PURE_PATHS and known(positional) and not named:
        return _safely(_PURE_PATHS[path], positional, {})
    if path in _FILE_CALLS:
        return _FILE_CALLS[path](follower, node, given)
    if path in ("pathlib.Path", "pathlib.PurePath"):
        return PathText(os.path.join(*positional)) if positional and known(positional) else UNKNOWN
    if path in _READERS:
        _reads(
            follower, node, argument(given, 0, "filepath_or_buffer", "file", "f", "filename", "fp")
        )
        return UNKNOWN
    if path == "argparse.ArgumentParser":
        return Thing("ArgumentParser", options={}, required=[])
    _mention(follower, given)
    return UNKNOWN


def _call_builtin(follower: Follower, node: ast.Call, name: str, given: Arguments) -> Any:
    positional, named = given
    if name == "open":
        return _open(follower, node, given)
    if name == "input":
        follower.note("need_input", node)
        return UNKNOWN
    if name in _PURE_BUILTINS and known(positional, named):
        return _safely(_PURE_BUILTINS[name], positional, named)
    if name not in ("print", "isinstance", "len", "str"):
        _mention(follower, given)
    return UNKNOWN


def _call_method(follower: Follower, node: ast.Call, called: Bound, given: Arguments) -> Any:
    owner, name = called.owner, called.name
    positional, named = given
    if isinstance(owner, Thing) or azure_calls.is_ours(owner):
        if isinstance(owner, Thing) and owner.kind in _OWN_METHODS:
            return _OWN_METHODS[owner.kind](follower, node, owner, name, given)
        return azure_calls.call_method(follower, node, owner, name, given)
    if isinstance(owner, PathText) and name in _PATH_METHODS:
        return _PATH_METHODS[name](follower, node, owner, given)
    if isinstance(owner, str):
        if name in _TEXT_METHODS and known(positional, named):
            return _safely(getattr(str(owner), name), positional, named)
        return UNKNOWN
    if isinstance(owner, list) and name in ("append", "extend", "insert", "remove"):
        return _safely(getattr(owner, name), positional, named)
    if isinstance(owner, dict):
        if name == "update" and positional and isinstance(positional[0], dict):
            owner.update(positional[0])
            return None
        if name == "get" and known(positional[:1]):
            return owner.get(*positional[:2])
        if name in ("keys", "values", "items"):
            return list(getattr(owner, name)())
        return UNKNOWN
    downloads.look_at_method(follower, node, name, given)
    found = azure_calls.call_unknown(follower, node, name, given)
    _mention(follower, given)
    return found


def _safely(function: Callable[..., Any], positional: Any, named: Any) -> Any:
    try:
        return function(*positional, **named)
    except Exception:
        return UNKNOWN


def _mention(follower: Follower, given: Arguments) -> None:
    """A call that is not known may write the file it is handed the name of."""
    positional, named = given
    for value in [*positional, *named.values()]:
        if isinstance(value, str) and value and len(value) < 300 and "\n" not in value:
            follower.mentioned.add(follower.files.absolute(value))


# Files.


def _open(follower: Follower, node: ast.Call, given: Arguments) -> Any:
    path, mode = argument(given, 0, "file"), argument(given, 1, "mode")
    mode = mode if isinstance(mode, str) else "r"
    if isinstance(path, str) and any(letter in mode for letter in "wax"):
        follower.files.write(path, "")
        return Thing("file", path=path)
    _reads(follower, node, path)
    return Thing("file", path=path)


def _reads(follower: Follower, node: ast.AST, path: Any) -> None:
    if not isinstance(path, str) or "://" in path or os.path.isabs(path):
        return
    full = follower.files.absolute(path)
    maybe = any(full == name or full.startswith(name + os.sep) for name in follower.mentioned)
    if not maybe and not follower.files.exists(path):
        follower.note("need_file", node, path=path, what="a file that the code reads")


def _file_method(
    follower: Follower, node: ast.Call, owner: Thing, name: str, given: Arguments
) -> Any:
    path, text = owner.get("path"), argument(given, 0, "s")
    if name in ("write", "writelines") and isinstance(path, str):
        old = follower.files.read(path)
        follower.files.write(
            path, old + text if isinstance(text, str) and old is not None else None
        )
    return UNKNOWN


def _make_folder(follower: Follower, node: ast.Call, given: Arguments) -> Any:
    path = argument(given, 0, "name", "path")
    if isinstance(path, str):
        follower.files.make_folder(path)
    return None


def _copy(follower: Follower, node: ast.Call, given: Arguments) -> Any:
    source, target = argument(given, 0, "src"), argument(given, 1, "dst")
    if isinstance(source, str) and isinstance(target, str):
        if not follower.files.copy(source, target):
            _reads(follower, node, source)
            follower.files.write(target, None)
    elif isinstance(target, str):
        follower.files.fill_folder(target)
    return target


def _looks(question: str) -> Callable[..., Any]:
    def answer(follower: Follower, node: ast.Call, given: Arguments) -> Any:
        path = argument(given, 0, "path", "s")
        if not isinstance(path, str):
            return UNKNOWN
        if follower.files.absolute(path) in follower.mentioned:
            return UNKNOWN
        return getattr(follower.files, question)(path)

    return answer


def _unpack(follower: Follower, node: ast.Call, given: Arguments) -> Any:
    folder = argument(given, 1, "extract_dir", "path")
    follower.files.fill_folder(folder if isinstance(folder, str) else ".")
    return UNKNOWN


_FILE_CALLS: Dict[str, Callable[..., Any]] = {
    "os.makedirs": _make_folder,
    "os.mkdir": _make_folder,
    "shutil.copy": _copy,
    "shutil.copy2": _copy,
    "shutil.copyfile": _copy,
    "shutil.copytree": _copy,
    "os.path.exists": _looks("exists"),
    "os.path.isfile": _looks("is_file"),
    "os.path.isdir": _looks("is_folder"),
    "os.getcwd": lambda follower, node, given: follower.files.folder,
    "os.path.abspath": lambda follower, node, given: (
        follower.files.absolute(given[0][0])
        if given[0] and isinstance(given[0][0], str)
        else UNKNOWN
    ),
    "os.path.realpath": lambda follower, node, given: (
        follower.files.absolute(given[0][0])
        if given[0] and isinstance(given[0][0], str)
        else UNKNOWN
    ),
    "os.getenv": lambda follower, node, given: UNKNOWN,
    "shutil.unpack_archive": _unpack,
}


def _path_write(follower: Follower, node: ast.Call, owner: PathText, given: Arguments) -> Any:
    text = argument(given, 0, "data")
    follower.files.write(owner, text if isinstance(text, str) else None)
    return UNKNOWN


def _path_mkdir(follower: Follower, node: ast.Call, owner: PathText, given: Arguments) -> Any:
    follower.files.make_folder(owner)
    return None


_PATH_METHODS: Dict[str, Callable[..., Any]] = {
    "write_text": _path_write,
    "write_bytes": _path_write,
    "mkdir": _path_mkdir,
    "exists": lambda follower, node, owner, given: follower.files.exists(owner),
    "is_file": lambda follower, node, owner, given: follower.files.is_file(owner),
    "is_dir": lambda follower, node, owner, given: follower.files.is_folder(owner),
    "resolve": lambda follower, node, owner, given: PathText(follower.files.absolute(owner)),
    "absolute": lambda follower, node, owner, given: PathText(follower.files.absolute(owner)),
    "as_posix": lambda follower, node, owner, given: str(owner),
    "joinpath": lambda follower, node, owner, given: (
        PathText(os.path.join(owner, *given[0])) if known(given[0]) else UNKNOWN
    ),
    "open": lambda follower, node, owner, given: _open(
        follower, node, ([owner, *given[0]], given[1])
    ),
}


# Arguments and variables.


def _parser_method(
    follower: Follower, node: ast.Call, owner: Thing, name: str, given: Arguments
) -> Any:
    if name in ("add_argument_group", "add_mutually_exclusive_group"):
        return owner
    if name == "add_argument":
        _add_option(owner, given)
        return UNKNOWN
    if name in ("parse_args", "parse_known_args"):
        missing = [flags for flags in owner.get("required") if flags]
        if missing:
            follower.note("need_arguments", node, flags=missing)
        args = Thing("args", **owner.get("options"))
        return (args, UNKNOWN) if name == "parse_known_args" else args
    return UNKNOWN


def _add_option(owner: Thing, given: Arguments) -> None:
    flags = [flag for flag in given[0] if isinstance(flag, str)]
    if not flags:
        return
    named = given[1]
    long = next((flag for flag in flags if flag.startswith("--")), flags[0])
    dest = named.get("dest")
    name = dest if isinstance(dest, str) else long.lstrip("-").replace("-", "_")
    default = named.get("default", False if named.get("action") == "store_true" else None)
    optional = flags[0].startswith("-")
    if named.get("required") is True or (not optional and named.get("nargs") not in ("?", "*")):
        owner.facts["required"].append(tuple(flags))
        default = UNKNOWN
    # What stands on the command line is not known: a default is only what holds without one.
    owner.facts["options"][name] = default


def _environ_method(
    follower: Follower, node: ast.Call, owner: Thing, name: str, given: Arguments
) -> Any:
    return UNKNOWN


_OWN_METHODS: Dict[str, Callable[..., Any]] = {
    "file": _file_method,
    "ArgumentParser": _parser_method,
    "environ": _environ_method,
}
