"""Goes through a file's code in order and notes each use of azureml.

Twice: the first time learns what the user's own functions return and which attributes hold what,
the second time notes. Function bodies come after the code around them, as they run later.
"""

from __future__ import annotations

import ast
from typing import Callable, Dict, List, Optional, Set, Tuple, Union

from . import installed
from .found import Piece
from .kinds import (
    OTHER,
    Class,
    Constant,
    Instance,
    Items,
    Kind,
    Module,
    Other,
    OwnFunction,
    OwnModule,
)
from .results import CONTAINERS
from .values import Project, Scope, Values

_Function = Union[ast.FunctionDef, ast.AsyncFunctionDef]
_IMPORT_ERRORS = {"ImportError", "ModuleNotFoundError", "Exception", "BaseException"}


class Walk(Values):
    """One file. Call `run` twice: learn first, then note."""

    def __init__(self, path: str, project: Project) -> None:
        super().__init__(project)
        self._path = path
        self._returned: List[Optional[Kind]] = []
        self._later: List[Callable[[], None]] = []

    def run(self, trees: List[Tuple[Piece, ast.Module]]) -> None:
        self._begin(_imports_azureml(trees))
        self._returned, self._later = [], []
        scopes: Dict[str, Scope] = {}
        for piece, tree in trees:
            self._piece = piece
            self._scopes = [scopes.setdefault(piece.scope, {})]
            self._statements(tree.body)
        while self._later:
            later, self._later = self._later, []
            for body in later:
                body()
        for name in _dotted_suffixes(self._path):
            self._project.modules.setdefault(name, {}).update(scopes.get("", {}))

    # Statements.

    def _statements(self, body: List[ast.stmt]) -> None:
        for statement in body:
            self._statement(statement)

    def _statement(self, node: ast.AST) -> None:
        if isinstance(node, ast.Import):
            self._import(node)
        elif isinstance(node, ast.ImportFrom):
            self._import_from(node)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            self._define_function(node)
        elif isinstance(node, ast.ClassDef):
            self._define_class(node)
        elif isinstance(node, ast.Assign):
            kind = self._value(node.value)
            for target in node.targets:
                self._bind(target, kind)
        elif isinstance(node, ast.AnnAssign):
            kind = self._value(node.value) if node.value else None
            self._bind(node.target, kind or self._annotated(node.annotation))
        elif isinstance(node, (ast.For, ast.AsyncFor)):
            self._bind_item(node.target, self._value(node.iter))
            self._statements(node.body + node.orelse)
        elif isinstance(node, (ast.With, ast.AsyncWith)):
            for item in node.items:
                kind = self._value(item.context_expr)
                if item.optional_vars:
                    self._bind(item.optional_vars, kind)
            self._statements(node.body)
        elif isinstance(node, ast.Return):
            self._returned.append(self._value(node.value) if node.value else None)
        elif isinstance(node, ast.Try):
            self._try(node)
        else:
            self._children(node)

    def _try(self, node: ast.Try) -> None:
        guarded = any(_catches_import_error(handler) for handler in node.handlers)
        self._guards += guarded
        self._statements(node.body)
        self._guards -= guarded
        for handler in node.handlers:
            if handler.type:
                self._value(handler.type)
            if handler.name:
                self._scopes[-1][handler.name] = OTHER
            self._statements(handler.body)
        self._statements(node.orelse + node.finalbody)

    def _define_function(self, node: _Function) -> None:
        for expression in [*node.decorator_list, *node.args.defaults, *node.args.kw_defaults]:
            if expression is not None:
                self._value(expression)
        key = f"{self._path}:{self._piece.scope}:{self._class}.{node.name}"
        if self._class:
            self._attributes[f"{self._class}.{node.name}"] = OwnFunction(key)
        self._scopes[-1][node.name] = OwnFunction(key)
        scopes, piece, own_class = list(self._scopes), self._piece, self._class

        def body() -> None:
            self._piece, self._class = piece, own_class
            self._scopes = [*scopes, self._parameters(node)]
            self._returned = []
            self._statements(node.body)
            known = [kind for kind in self._returned if kind is not None]
            self._project.returns[key] = known[0] if known else None

        self._later.append(body)

    def _parameters(self, node: _Function) -> Scope:
        arguments = node.args
        scope: Scope = {}
        plain = [*arguments.posonlyargs, *arguments.args]
        defaults = [None] * (len(plain) - len(arguments.defaults)) + list(arguments.defaults)
        pairs = [*zip(plain, defaults), *zip(arguments.kwonlyargs, arguments.kw_defaults)]
        for argument, default in pairs:
            kind = self._annotated(argument.annotation) if argument.annotation else None
            if kind is None and default is not None:
                kind = self._quietly(default)
            scope[argument.arg] = None if isinstance(kind, (Constant, Other)) else kind
        for several in (arguments.vararg, arguments.kwarg):
            if several:
                scope[several.arg] = OTHER
        return scope

    def _define_class(self, node: ast.ClassDef) -> None:
        for expression in [*node.decorator_list, *node.bases]:
            self._value(expression)
        outer, self._class = self._class, f"{self._path}:{node.name}"
        self._scopes.append({})
        self._statements(node.body)
        self._scopes.pop()
        self._class = outer
        self._scopes[-1][node.name] = OTHER

    def _annotated(self, annotation: ast.AST) -> Optional[Kind]:
        if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
            try:
                annotation = ast.parse(annotation.value, mode="eval").body
            except (SyntaxError, ValueError):
                return None
        if isinstance(annotation, ast.Subscript):
            name = getattr(annotation.value, "id", getattr(annotation.value, "attr", ""))
            inner = self._annotated(annotation.slice)
            if name in CONTAINERS and inner is not None:
                return Items(inner, mapping=CONTAINERS[name])
            return inner
        if isinstance(annotation, (ast.Name, ast.Attribute)):
            kind = self._quietly(annotation)
            return Instance(kind.name, kind.module) if isinstance(kind, Class) else None
        found = [self._annotated(part) for part in ast.iter_child_nodes(annotation)]
        known = [kind for kind in found if kind is not None]
        return known[-1] if known else None

    # Imports.

    def _import(self, node: ast.Import) -> None:
        for alias in node.names:
            name = alias.asname or alias.name.split(".")[0]
            if _of_azureml(alias.name):
                self._note_import(node, alias.name, "")
                bound = alias.name if alias.asname else "azureml"
                self._scopes[-1][name] = Module(bound)
            elif _of_sdk_v2(alias.name):
                self._note_import(node, alias.name, "")
                self._scopes[-1][name] = OTHER
            else:
                own = self._project.modules.get(alias.name)
                self._scopes[-1][name] = OwnModule(own) if own is not None else OTHER

    def _import_from(self, node: ast.ImportFrom) -> None:
        module = node.module or ""
        if node.level == 0 and any(_of_sdk_v2(f"{module}.{alias.name}") for alias in node.names):
            self._note_import(node, "azure.ai.ml", "")
            for alias in node.names:
                self._scopes[-1][alias.asname or alias.name] = OTHER
        elif node.level == 0 and _of_azureml(module):
            self._import_from_azureml(node, module)
        else:
            own = self._project.modules.get(module)
            for alias in node.names:
                if alias.name == "*":
                    self._scopes[-1].update(own or {})
                    continue
                kind = own.get(alias.name) if own is not None else OTHER
                inner = self._project.modules.get(f"{module}.{alias.name}".lstrip("."))
                if inner is not None and (own is None or alias.name not in own):
                    kind = OwnModule(inner)
                self._scopes[-1][alias.asname or alias.name] = kind

    def _import_from_azureml(self, node: ast.ImportFrom, module: str) -> None:
        for alias in node.names:
            if alias.name == "*":
                self._note_import(node, module, "")
                for name in installed.public_names(module):
                    self._scopes[-1][name] = self._imported(module, name)
                continue
            self._note_import(node, module, alias.name)
            self._scopes[-1][alias.asname or alias.name] = self._imported(module, alias.name)


def _of_azureml(module: str) -> bool:
    return module == "azureml" or module.startswith("azureml.")


def _of_sdk_v2(module: str) -> bool:
    return module == "azure.ai.ml" or module.startswith("azure.ai.ml.")


def _imports_azureml(trees: List[Tuple[Piece, ast.Module]]) -> bool:
    for _, tree in trees:
        for node in ast.walk(tree):
            if isinstance(node, ast.Import) and any(_of_azureml(a.name) for a in node.names):
                return True
            if isinstance(node, ast.ImportFrom) and _of_azureml(node.module or ""):
                return True
    return False


def _catches_import_error(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    caught: Set[str] = {part.id for part in ast.walk(handler.type) if isinstance(part, ast.Name)}
    return bool(caught & _IMPORT_ERRORS)


def _dotted_suffixes(path: str) -> List[str]:
    """a/b/c.py is importable as c, b.c or a.b.c, depending on where Python starts."""
    if not path.endswith(".py"):
        return []
    parts = path[:-3].replace("\\", "/").split("/")
    if parts[-1] == "__init__":
        parts.pop()
    return [".".join(parts[-count:]) for count in range(1, min(len(parts), 6) + 1)]
