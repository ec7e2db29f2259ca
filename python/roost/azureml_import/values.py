"""What expressions are: which of azureml's classes a value belongs to, and each use noted."""

from __future__ import annotations

import ast
import builtins
from typing import Any, Dict, List, Optional, Tuple, Union

from . import installed
from .found import UNKNOWN, Piece, Place, Use
from .kinds import (
    OTHER,
    Class,
    Constant,
    Instance,
    Items,
    Kind,
    Method,
    Module,
    Other,
    OwnFunction,
    OwnModule,
)
from .results import CONVENTIONS, SUBMITTED, result_of

Scope = Dict[str, Optional[Kind]]
_SAME_ITEMS = {"list", "sorted", "reversed", "tuple", "iter", "set", "filter"}


class Project:
    """What the files of a folder know of each other."""

    def __init__(self) -> None:
        self.modules: Dict[str, Scope] = {}
        self.returns: Dict[str, Optional[Kind]] = {}


class Values:
    """Names in their scopes, and what is made of them. Statements are the subclass's."""

    def __init__(self, project: Project) -> None:
        self.uses: List[Use] = []
        self.strings: List[Tuple[str, Place]] = []
        self._project = project
        self._attributes: Dict[str, Kind] = {}  # "Class.x" -> kind of self.x
        self._begin(imports_azureml=False)

    def _begin(self, imports_azureml: bool) -> None:
        self.uses, self.strings = [], []
        self._imports_azureml = imports_azureml
        self._piece = Piece("")
        self._scopes: List[Scope] = [{}]
        self._class = ""
        self._guards = 0

    def _statement(self, node: ast.AST) -> None:
        raise NotImplementedError

    # Names.

    def _find(self, name: str) -> Optional[Kind]:
        for scope in reversed(self._scopes):
            if name in scope:
                return scope[name] or self._guess(name)
        return OTHER if hasattr(builtins, name) else self._guess(name)

    def _guess(self, name: str) -> Optional[Kind]:
        if not self._imports_azureml or name not in CONVENTIONS:
            return None
        return Instance(CONVENTIONS[name], guessed=True)

    def _bind(self, target: ast.AST, kind: Optional[Kind]) -> None:
        if isinstance(target, ast.Name):
            self._scopes[-1][target.id] = kind
        elif isinstance(target, ast.Starred):
            self._bind(target.value, None)
        elif isinstance(target, (ast.Tuple, ast.List)):
            item = kind.item if isinstance(kind, Items) else kind if kind == OTHER else None
            for index, part in enumerate(target.elts):
                first_of_pair = isinstance(kind, Items) and kind.pairs and index == 0
                self._bind(part, OTHER if first_of_pair else item)
        elif isinstance(target, ast.Attribute):
            key = self._attribute_key(target)
            if not key:
                self._value(target)
            elif kind is not None:
                self._attributes[key] = kind
        elif isinstance(target, ast.Subscript):
            self._value(target)

    def _attribute_key(self, node: ast.Attribute) -> str:
        if isinstance(node.value, ast.Name) and node.value.id in ("self", "cls") and self._class:
            return f"{self._class}.{node.attr}"
        return ""

    def _bind_item(self, target: ast.AST, kind: Optional[Kind]) -> None:
        if isinstance(kind, Items) and kind.pairs and isinstance(target, ast.Tuple):
            self._bind(target, kind)
        else:
            self._bind(target, _yielded(kind))

    # Notes.

    def _note_import(self, node: ast.AST, module: str, name: str) -> None:
        self._note(node, module, name, imported=True)

    def _note(self, node: ast.AST, owner: str, member: str, **facts: Any) -> None:
        place = self._piece.place(getattr(node, "lineno", 1))
        self.uses.append(Use(owner, member, place, guarded=self._guards > 0, **facts))

    def _quietly(self, node: ast.AST) -> Optional[Kind]:
        kept, strings = self.uses, self.strings
        self.uses, self.strings = [], []
        try:
            return self._value(node)
        finally:
            self.uses, self.strings = kept, strings

    # Expressions.

    def _value(self, node: ast.AST) -> Optional[Kind]:
        if isinstance(node, ast.Name):
            return self._find(node.id)
        if isinstance(node, ast.Attribute):
            return self._attribute(node)
        if isinstance(node, ast.Call):
            return self._call(node)
        if isinstance(node, ast.Constant):
            if isinstance(node.value, str):
                self.strings.append((node.value, self._piece.place(node.lineno)))
            return Constant(node.value)
        if isinstance(node, (ast.Await, ast.Starred)):
            return self._value(node.value)
        if isinstance(node, ast.NamedExpr):
            kind = self._value(node.value)
            self._bind(node.target, kind)
            return kind
        if isinstance(node, (ast.IfExp, ast.BoolOp)):
            return self._either(node)
        if isinstance(node, ast.Subscript):
            kind = self._value(node.value)
            self._value(node.slice)
            return kind.item if isinstance(kind, Items) else OTHER if kind == OTHER else None
        if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            self._command_list(node)
            return self._collection([self._value(part) for part in node.elts])
        if isinstance(node, ast.Dict):
            for key in node.keys:
                if key is not None:
                    self._value(key)
            return self._collection([self._value(part) for part in node.values], mapping=True)
        if isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)):
            return self._comprehension(node)
        if isinstance(node, ast.Lambda):
            self._scopes.append({argument.arg: None for argument in node.args.args})
            self._value(node.body)
            self._scopes.pop()
            return OTHER
        self._children(node)
        return OTHER if isinstance(node, (ast.BinOp, ast.Compare, ast.JoinedStr)) else None

    def _either(self, node: Union[ast.IfExp, ast.BoolOp]) -> Optional[Kind]:
        if isinstance(node, ast.IfExp):
            self._value(node.test)
            branches = [node.body, node.orelse]
        else:
            branches = node.values
        kinds = [self._value(branch) for branch in branches]
        known = [kind for kind in kinds if kind is not None and not isinstance(kind, Constant)]
        return known[0] if known else None

    def _collection(self, kinds: List[Optional[Kind]], mapping: bool = False) -> Kind:
        for kind in kinds:
            if isinstance(kind, (Instance, Class)):
                return Items(kind, mapping=mapping)
        return OTHER

    def _command_list(self, node: Union[ast.List, ast.Tuple, ast.Set]) -> None:
        """["az", "ml", ...] as subprocess takes it."""
        words = [part.value for part in node.elts if isinstance(part, ast.Constant)]
        if words[:2] == ["az", "ml"]:
            place = self._piece.place(node.lineno)
            self.strings.append((" ".join(str(word) for word in words), place))

    def _comprehension(
        self, node: Union[ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp]
    ) -> Kind:
        self._scopes.append({})
        for part in node.generators:
            self._bind_item(part.target, self._value(part.iter))
            for condition in part.ifs:
                self._value(condition)
        if isinstance(node, ast.DictComp):
            self._value(node.key)
            kind = self._value(node.value)
        else:
            kind = self._value(node.elt)
        self._scopes.pop()
        return self._collection([kind], mapping=isinstance(node, ast.DictComp))

    def _attribute(self, node: ast.Attribute, call: Optional[ast.Call] = None) -> Optional[Kind]:
        key = self._attribute_key(node)
        if key in self._attributes:
            return self._attributes[key]
        base = self._value(node.value)
        if isinstance(base, Module):
            return self._from_module(node, base, call)
        if isinstance(base, (Class, Instance)):
            facts: Dict[str, Any] = {"module": base.module}
            if isinstance(base, Instance):
                facts["guessed"] = base.guessed
            if call is None:
                self._note(node, base.name, node.attr, **facts)
                return result_of(base.name, node.attr) or Method(base, node.attr)
            self._note(node, base.name, node.attr, called=True, **facts, **self._arguments(call))
            return Method(base, node.attr)
        if isinstance(base, Items):
            if node.attr in ("values", "copy", "items"):
                mapping = base.mapping and node.attr == "copy"
                return Items(base.item, pairs=node.attr == "items", mapping=mapping)
            if node.attr == "keys":
                return OTHER
            return base.item if node.attr in ("get", "pop") else None
        if isinstance(base, OwnModule):
            return base.names.get(node.attr)
        return OTHER if isinstance(base, (Other, Constant)) else None

    def _from_module(
        self, node: ast.Attribute, base: Module, call: Optional[ast.Call]
    ) -> Optional[Kind]:
        full = f"{base.name}.{node.attr}"
        if installed.has_module(full):
            return Module(full)
        if node.attr[:1].islower() and call is None and not _has(base.name, node.attr):
            self._note_import(node, full, "")
            return Module(full)
        self._note_import(node, base.name, node.attr)
        return self._imported(base.name, node.attr)

    def _call(self, node: ast.Call) -> Optional[Kind]:
        if isinstance(node.func, ast.Attribute):
            called = self._attribute(node.func, call=node)
        else:
            called = self._value(node.func)
        given = [self._value(argument) for argument in node.args]
        for keyword in node.keywords:
            given.append(self._value(keyword.value))
        if isinstance(called, Class):
            if called.module != "" or "." not in called.name:
                facts = self._arguments(node)
                self._note(node, called.name, "", called=True, module=called.module, **facts)
            return Instance(called.name, called.module) if called.name[:1].isupper() else None
        if isinstance(called, Method):
            return self._result(called, given)
        if isinstance(called, OwnFunction):
            return self._project.returns.get(called.key)
        if isinstance(called, (Items, Instance)):
            return called  # a dict's method, or a property that was taken for one
        return self._result_of_builtin(node, given) if called == OTHER else None

    def _result(self, called: Method, given: List[Optional[Kind]]) -> Optional[Kind]:
        if called.name in ("submit", "submit_child"):
            for kind in given:
                if isinstance(kind, Instance) and kind.name in SUBMITTED:
                    return Instance(SUBMITTED[kind.name])
        return result_of(called.owner.name, called.name)

    def _result_of_builtin(self, node: ast.Call, given: List[Optional[Kind]]) -> Kind:
        first = given[0] if given else None
        if isinstance(node.func, ast.Name) and isinstance(first, Items):
            yielded = _yielded(first)
            if node.func.id == "next":
                return yielded or OTHER
            if node.func.id in _SAME_ITEMS and yielded is not None:
                return Items(yielded, pairs=first.pairs)
            if node.func.id == "enumerate" and yielded is not None:
                return Items(yielded, pairs=True)
        return OTHER

    def _arguments(self, call: ast.Call) -> Dict[str, Any]:
        keywords = [
            (keyword.arg, self._constant(keyword.value)) for keyword in call.keywords if keyword.arg
        ]
        plain = [self._constant(argument) for argument in call.args]
        return {"keywords": tuple(keywords), "positional": tuple(plain)}

    def _constant(self, node: ast.AST) -> Any:
        if not isinstance(node, (ast.Constant, ast.Name)):
            return UNKNOWN
        kind = self._quietly(node)
        return kind.value if isinstance(kind, Constant) else UNKNOWN

    def _children(self, node: ast.AST) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self._value(child)
            else:
                self._statement(child)

    def _imported(self, module: str, name: str) -> Kind:
        full = f"{module}.{name}"
        if installed.has_module(full):
            return Module(full)
        return OTHER if installed.is_value(module, name) else Class(name, module)


def _yielded(kind: Optional[Kind]) -> Optional[Kind]:
    """What a loop over it gets."""
    if isinstance(kind, Items):
        return OTHER if kind.mapping else kind.item
    return OTHER if kind == OTHER else None


def _has(module: str, name: str) -> bool:
    try:
        installed.resolve(module, name)
        return True
    except installed.Missing:
        return False
