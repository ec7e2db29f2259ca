"""What the azureml package beside this one really has, found by importing it."""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import os
import pkgutil
import re
import sys
import textwrap
from typing import Any, Dict, List, Optional, Set

PACKAGE_FOLDER = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Missing(Exception):
    """The facade does not have it. The text is what a user of it would read."""


class StandIn(Missing):
    """It can be imported, and says that it is not there when it is used."""


def take_from_here() -> None:
    """Makes `import azureml` mean the package beside this one, not another that is installed."""
    if sys.path[:1] != [PACKAGE_FOLDER]:
        sys.path.insert(0, PACKAGE_FOLDER)


@functools.lru_cache(maxsize=None)
def resolve(module: str, name: str = "") -> Any:
    """The object that `from module import name` gives. Raises Missing."""
    found = _resolve(module, name)
    from azureml._absent import is_stand_in, text

    if is_stand_in(found):
        raise StandIn(text(f"{module}.{name}".rstrip(".")))
    return found


def _resolve(module: str, name: str) -> Any:
    take_from_here()
    try:
        found = importlib.import_module(module)
    except ImportError as error:
        raise Missing(str(error)) from None
    except Exception as error:  # a facade that is broken must not break the report
        raise Missing(f"{module} cannot be imported: {error}") from None
    if not name:
        return found
    try:
        return getattr(found, name)
    except (AttributeError, ImportError, NotImplementedError) as error:
        try:
            return importlib.import_module(f"{module}.{name}")
        except ImportError:
            raise Missing(str(error)) from None


def has_module(name: str) -> bool:
    try:
        return inspect.ismodule(resolve(name))
    except Missing:
        return False


def is_value(module: str, name: str) -> bool:
    """A constant such as VERSION: neither class nor function."""
    try:
        found = resolve(module, name)
    except Missing:
        return False
    return not (inspect.isclass(found) or inspect.isroutine(found))


def public_names(module: str) -> List[str]:
    """What `from module import *` binds."""
    try:
        found = resolve(module)
    except Missing:
        return []
    names = getattr(found, "__all__", None) or [n for n in vars(found) if not n.startswith("_")]
    return sorted(names)


@functools.lru_cache(maxsize=None)
def classes() -> Dict[str, Any]:
    """Every class and function of the facade by its short name."""
    found: Dict[str, Any] = {}
    try:
        package = resolve("azureml")
    except Missing:
        return found
    walk = pkgutil.walk_packages(package.__path__, "azureml.", onerror=lambda _: None)
    for name in sorted((module.name for module in walk), key=lambda name: (name.count("."), name)):
        try:
            module = resolve(name)
        except Missing:
            continue
        for key, value in vars(module).items():
            own = getattr(value, "__module__", "") or ""
            if (inspect.isclass(value) or inspect.isfunction(value)) and own.startswith("azureml"):
                found.setdefault(key, value)
    return found


def find_class(name: str) -> Optional[Any]:
    """By short name; `Dataset.File` goes through the attribute. None if there is none."""
    first, _, rest = name.partition(".")
    found = classes().get(first)
    for part in rest.split(".") if rest and found is not None else []:
        try:
            found = getattr(found, part)
        except (AttributeError, ImportError, NotImplementedError):
            return None
    return found


def has_member(owner: Any, name: str) -> bool:
    """A method, property, annotated or assigned attribute, of the class or a subclass of it."""
    if not inspect.isclass(owner):
        return _static(owner, name)
    if any(_static(kind, name) or name in _assigned(kind) for kind in owner.__mro__):
        return True
    return any(has_member(kind, name) for kind in _subclasses(owner))


def _static(owner: Any, name: str) -> bool:
    missing = object()
    if inspect.getattr_static(owner, name, missing) is not missing:
        return True
    return name in getattr(owner, "__annotations__", {})


def _subclasses(owner: Any) -> List[Any]:
    try:
        return list(owner.__subclasses__())
    except TypeError:
        return []


@functools.lru_cache(maxsize=None)
def _assigned(kind: Any) -> Set[str]:
    """Attributes that its methods speak of: those they set, or that a base sets by name."""
    try:
        source = inspect.getsource(kind)
    except (OSError, TypeError):
        return set()
    return set(re.findall(r"\bself\.(\w+)", source))


def unaccepted(called: Any, keywords: List[str]) -> List[str]:
    """Those of `keywords` that the callable takes no part in."""
    try:
        parameters = inspect.signature(called).parameters
    except (TypeError, ValueError):
        return []
    if any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        return []
    return [keyword for keyword in keywords if keyword not in parameters]


def parameter_name(called: Any, index: int) -> Optional[str]:
    """Which parameter the positional argument number `index` fills."""
    try:
        parameters = list(inspect.signature(called).parameters.values())
    except (TypeError, ValueError):
        return None
    if parameters and parameters[0].name == "self":
        parameters = parameters[1:]
    positional = [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    return positional[index] if index < len(positional) else None


def member_of(owner: Any, name: str) -> Any:
    """The member itself, or None; never runs a property. A subclass that has it counts, the more
    so if the class itself only says that others have it."""
    members = []
    for kind in [owner, *(_subclasses(owner) if inspect.isclass(owner) else [])]:
        found = inspect.getattr_static(kind, name, None)
        if isinstance(found, (staticmethod, classmethod)):
            found = getattr(kind, name)
        if found is not None:
            members.append(found)
    working = [member for member in members if not refuses(member)]
    return (working or members or [None])[0]


@functools.lru_cache(maxsize=None)
def refuses(found: Any) -> bool:
    """Whether all that a function or property does is raise."""
    if isinstance(found, property):
        found = found.fget
    if not inspect.isroutine(found):
        return False
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(found)))
    except (OSError, TypeError, SyntaxError):
        return False
    body = getattr(tree.body[0], "body", [])
    acting = [
        statement
        for statement in body
        if not isinstance(statement, ast.Delete)
        and not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant))
    ]
    return len(acting) == 1 and isinstance(acting[0], ast.Raise)


def annotation(owner: str, member: str) -> str:
    """What the facade says that `owner.member`, or calling it, gives, as words."""
    kind = find_class(owner)
    found = member_of(kind, member) if kind is not None else None
    if isinstance(found, property):
        found = found.fget
    text = getattr(found, "__annotations__", {}).get("return", "")
    if not isinstance(text, str):
        text = getattr(text, "__name__", str(text))
    return re.sub(r"[\[\],|]", " ", text)
