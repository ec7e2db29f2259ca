"""Follows code in the order in which it would run, with the values that are plain to see.

Nothing of it is run: names, texts, lists and paths are worked out, calls that matter are noted
(calls.py), all else is unknown. Both branches of an unknown condition are followed, an unknown loop
once, and functions that nobody called come last.
"""

from __future__ import annotations

import ast
import operator
from typing import Any, Callable, Dict, List, Optional, Set, Tuple

from . import calls
from .files import Files
from .found import UNKNOWN, Piece, Place
from .scene import (
    Arguments,
    Event,
    Function,
    Imported,
    PathText,
    Ref,
    Thing,
    known,
    line_of,
)

Scope = Dict[str, Any]
_DEEPEST = 12
_LONGEST_LOOP = 20
_MOST_STEPS = 20000
_OPERATORS: Dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod,
}  # fmt: skip
_COMPARISONS: Dict[type, Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le,
    ast.Gt: operator.gt, ast.GtE: operator.ge, ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b, ast.Is: operator.is_, ast.IsNot: operator.is_not,
}  # fmt: skip


class _Leave(Exception):
    """A return or raise: the rest of the body is not reached."""

    def __init__(self, value: Any = None) -> None:
        self.value = value


class Follower:
    """One script or notebook. `events` and `imports` are what it saw, in order."""

    def __init__(self, files: Files, path: str, in_run: bool = False) -> None:
        self.files = files
        self.in_run = in_run
        self.events: List[Event] = []
        self.imports: List[Imported] = []
        self.imported_paths: Set[str] = set()
        self.mentioned: Set[str] = set()  # texts handed to calls that are not known
        self.azureml_came = False
        self._path = path
        self._piece = Piece("")
        self._scopes: List[Scope] = []
        self._functions: List[Tuple[Function, Piece]] = []
        self._guards = 0
        self._depth = 0
        self._steps = 0

    def run(self, trees: List[Tuple[Piece, ast.Module]], written: Dict[Piece, str]) -> None:
        """`written` are the files that cells write, by piece; their code is not run here."""
        main: Scope = {"__name__": "__main__", "__file__": self._path}
        for piece, tree in trees:
            self._piece = piece
            if piece in written:
                self.files.write(self._expanded(written[piece], main), piece.text)
                continue
            self._scopes = [main]
            self._body(tree.body)
        while self._functions:
            function, piece = self._functions.pop(0)
            if not function.called:
                self._piece = piece
                self._scopes = list(function.scopes)
                self._enter(function, ([], {}))

    def note(self, kind: str, node: ast.AST, **facts: Any) -> None:
        self.events.append(Event(kind, self.place(node), facts, self._guards > 0))

    def place(self, node: ast.AST) -> Place:
        return self._piece.place(line_of(node))

    def _expanded(self, path: str, scope: Scope) -> str:
        """`$folder/train.py` and `{folder}/train.py`, as IPython reads them."""
        for name in sorted(scope, key=len, reverse=True):
            if isinstance(scope[name], str):
                path = path.replace("{" + name + "}", scope[name])
                path = path.replace("$" + name, scope[name])
        return path

    # Statements.

    def _body(self, body: List[ast.stmt]) -> None:
        try:
            for statement in body:
                self._statement(statement)
        except _Leave:
            if self._depth:
                raise

    def _statement(self, node: ast.AST) -> None:
        self._steps += 1
        if self._steps > _MOST_STEPS:
            return
        method = getattr(self, "_on_" + type(node).__name__, None)
        if method is not None:
            method(node)
        else:
            for child in ast.iter_child_nodes(node):
                if isinstance(child, ast.expr):
                    self.value(child)

    def _on_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            self._came(alias.name, node)
            name = alias.asname or alias.name.split(".")[0]
            self._scopes[-1][name] = Ref(alias.name if alias.asname else name)

    def _on_ImportFrom(self, node: ast.ImportFrom) -> None:
        module = "." * node.level + (node.module or "")
        if node.module != "__future__":
            self._came(module, node)
        for alias in node.names:
            self._scopes[-1][alias.asname or alias.name] = Ref(f"{module}.{alias.name}")
            self.imported_paths.add(f"{module}.{alias.name}")

    def _came(self, module: str, node: ast.AST) -> None:
        if module == "azureml" or module.startswith("azureml."):
            self.azureml_came = True
        else:
            self.imports.append(Imported(module, self.place(node), self._guards > 0))
        self.imported_paths.add(module)

    def _on_FunctionDef(self, node: Any) -> None:
        for default in [*node.args.defaults, *node.args.kw_defaults]:
            if default is not None:
                self.value(default)
        function = Function(node, list(self._scopes))
        self._scopes[-1][node.name] = function
        self._functions.append((function, self._piece))

    _on_AsyncFunctionDef = _on_FunctionDef

    def _on_ClassDef(self, node: ast.ClassDef) -> None:
        self._scopes.append({})
        for statement in node.body:
            self._statement(statement)
        self._scopes.pop()
        self._scopes[-1][node.name] = UNKNOWN

    def _on_Assign(self, node: ast.Assign) -> None:
        value = self.value(node.value)
        for target in node.targets:
            self._bind(target, value)

    def _on_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self._bind(node.target, self.value(node.value))

    def _on_AugAssign(self, node: ast.AugAssign) -> None:
        value = self.value(node.value)
        old = self.value(node.target)
        if isinstance(old, list) and isinstance(value, list):
            old.extend(value)
        else:
            self._bind(node.target, self._combined(node.op, old, value))

    def _on_If(self, node: ast.If) -> None:
        test = self.value(node.test)
        if known(test):
            self._body_or_leave(node.body if test else node.orelse)
            return
        before = dict(self._scopes[-1])
        left = [self._branch(node.body)]
        first = dict(self._scopes[-1])
        left.append(self._branch(node.orelse))
        # A name that both set: what the first branch set is as likely as the other.
        for name, value in first.items():
            if value is not before.get(name, UNKNOWN) and value is not UNKNOWN:
                self._scopes[-1][name] = value
        if all(left) and node.orelse:
            raise _Leave(UNKNOWN)

    def _branch(self, body: List[ast.stmt]) -> bool:
        """Follows a branch that may not be taken; True if it ends with return or raise."""
        try:
            for statement in body:
                self._statement(statement)
        except _Leave:
            return True
        return False

    def _body_or_leave(self, body: List[ast.stmt]) -> None:
        for statement in body:
            self._statement(statement)

    def _on_For(self, node: Any) -> None:
        items = self.value(node.iter)
        if isinstance(items, dict):
            items = list(items)
        if not isinstance(items, (list, tuple, range)) or len(items) > _LONGEST_LOOP:
            items = [UNKNOWN]
        for item in items:
            self._bind(node.target, item)
            if self._branch(node.body):
                break
        self._branch(node.orelse)

    _on_AsyncFor = _on_For

    def _on_While(self, node: ast.While) -> None:
        test = self.value(node.test)
        if not known(test) or test:
            self._branch(node.body)

    def _on_With(self, node: Any) -> None:
        for item in node.items:
            value = self.value(item.context_expr)
            if item.optional_vars is not None:
                self._bind(item.optional_vars, value)
        self._body_or_leave(node.body)

    _on_AsyncWith = _on_With

    def _on_Try(self, node: ast.Try) -> None:
        self._guards += bool(node.handlers)
        try:
            left = self._branch(node.body)
        finally:
            self._guards -= bool(node.handlers)
        before = dict(self._scopes[-1])
        for handler in node.handlers:
            if handler.name:
                self._scopes[-1][handler.name] = UNKNOWN
            self._branch(handler.body)
        self._scopes[-1].update({k: v for k, v in before.items() if v is not UNKNOWN})
        self._body_or_leave(node.orelse)
        self._body_or_leave(node.finalbody)
        if left and not node.handlers:
            raise _Leave(UNKNOWN)

    def _on_Return(self, node: ast.Return) -> None:
        raise _Leave(self.value(node.value) if node.value is not None else None)

    def _on_Raise(self, node: ast.Raise) -> None:
        raise _Leave(UNKNOWN)

    def _on_Expr(self, node: ast.Expr) -> None:
        self.value(node.value)

    def _bind(self, target: ast.AST, value: Any) -> None:
        if isinstance(target, ast.Name):
            self._scopes[-1][target.id] = value
        elif isinstance(target, (ast.Tuple, ast.List)):
            several = isinstance(value, (list, tuple)) and len(value) == len(target.elts)
            for index, part in enumerate(target.elts):
                self._bind(part, value[index] if several else UNKNOWN)
        elif isinstance(target, ast.Starred):
            self._bind(target.value, UNKNOWN)
        elif isinstance(target, ast.Attribute):
            calls.set_attribute(self.value(target.value), target.attr, value)
        elif isinstance(target, ast.Subscript):
            owner, key = self.value(target.value), self.value(target.slice)
            if isinstance(owner, dict) and known(key) and isinstance(key, (str, int)):
                owner[key] = value

    # Expressions.

    def value(self, node: ast.AST) -> Any:
        method = getattr(self, "_of_" + type(node).__name__, None)
        if method is not None:
            return method(node)
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.value(child)
        return UNKNOWN

    def _of_Constant(self, node: ast.Constant) -> Any:
        return node.value

    def _of_Name(self, node: ast.Name) -> Any:
        for scope in reversed(self._scopes):
            if node.id in scope:
                return scope[node.id]
        return Ref(f"builtins.{node.id}") if calls.is_builtin(node.id) else UNKNOWN

    def _of_Attribute(self, node: ast.Attribute) -> Any:
        return calls.attribute(self, node, self.value(node.value), node.attr)

    def _of_Call(self, node: ast.Call) -> Any:
        called = self.value(node.func)
        positional = [self.value(part) for part in node.args]
        named = {part.arg or "**": self.value(part.value) for part in node.keywords}
        more = named.pop("**", None)
        if isinstance(more, dict):
            named.update({key: value for key, value in more.items() if isinstance(key, str)})
        if isinstance(called, Function):
            return self._enter(called, (positional, named))
        return calls.call(self, node, called, (positional, named))

    def _of_List(self, node: ast.List) -> Any:
        return [self.value(part) for part in node.elts]

    def _of_Tuple(self, node: ast.Tuple) -> Any:
        return tuple(self.value(part) for part in node.elts)

    def _of_Set(self, node: ast.Set) -> Any:
        return [self.value(part) for part in node.elts]

    def _of_Dict(self, node: ast.Dict) -> Any:
        made: Dict[Any, Any] = {}
        for key, part in zip(node.keys, node.values):
            value = self.value(part)
            name = self.value(key) if key is not None else UNKNOWN
            if isinstance(name, (str, int, float)):
                made[name] = value
        return made

    def _of_JoinedStr(self, node: ast.JoinedStr) -> Any:
        parts: List[Any] = []
        for part in node.values:
            plain = not isinstance(part, ast.FormattedValue)
            value = self.value(part if plain else part.value)  # type: ignore[attr-defined]
            if not known(value) or (not plain and part.format_spec):  # type: ignore[attr-defined]
                parts.append(UNKNOWN)
            else:
                parts.append(str(value))
        return "".join(parts) if known(parts) else UNKNOWN

    def _of_BinOp(self, node: ast.BinOp) -> Any:
        return self._combined(node.op, self.value(node.left), self.value(node.right))

    def _combined(self, kind: ast.operator, left: Any, right: Any) -> Any:
        if isinstance(left, PathText) and isinstance(right, str) and isinstance(kind, ast.Div):
            return PathText(left.rstrip("/") + "/" + right)
        if isinstance(left, list) and isinstance(right, list) and isinstance(kind, ast.Add):
            return left + right
        if not known(left, right) or type(kind) not in _OPERATORS:
            return UNKNOWN
        if isinstance(kind, ast.Mult) and not all(
            isinstance(v, (int, float)) for v in (left, right)
        ):
            return UNKNOWN
        try:
            return _OPERATORS[type(kind)](left, right)
        except Exception:  # the user's mistake, or ours; either way not known
            return UNKNOWN

    def _of_Compare(self, node: ast.Compare) -> Any:
        left = self.value(node.left)
        rights = [self.value(part) for part in node.comparators]
        if len(rights) != 1:
            return UNKNOWN
        answer = calls.contains(self, left, rights[0], node.ops[0])
        if answer is not UNKNOWN:
            return answer
        if not known(left, rights[0]):
            return UNKNOWN
        try:
            return _COMPARISONS[type(node.ops[0])](left, rights[0])
        except Exception:
            return UNKNOWN

    def _of_BoolOp(self, node: ast.BoolOp) -> Any:
        is_and = isinstance(node.op, ast.And)
        value: Any = UNKNOWN
        certain = True
        for part in node.values:
            value = self.value(part)
            if not known(value):
                certain = False
            elif certain and bool(value) != is_and:
                return value
        return value if certain else UNKNOWN

    def _of_UnaryOp(self, node: ast.UnaryOp) -> Any:
        value = self.value(node.operand)
        if not known(value):
            return UNKNOWN
        if isinstance(node.op, ast.Not):
            return not value
        return (
            -value if isinstance(node.op, ast.USub) and isinstance(value, (int, float)) else UNKNOWN
        )

    def _of_IfExp(self, node: ast.IfExp) -> Any:
        test = self.value(node.test)
        if known(test):
            return self.value(node.body if test else node.orelse)
        first, second = self.value(node.body), self.value(node.orelse)
        return first if first is not UNKNOWN else second

    def _of_NamedExpr(self, node: ast.NamedExpr) -> Any:
        value = self.value(node.value)
        self._bind(node.target, value)
        return value

    def _of_Await(self, node: ast.Await) -> Any:
        return self.value(node.value)

    def _of_Subscript(self, node: ast.Subscript) -> Any:
        owner, key = self.value(node.value), self.value(node.slice)
        return calls.item(self, node, owner, key)

    def _of_Lambda(self, node: ast.Lambda) -> Any:
        return UNKNOWN

    def _comprehension(self, node: Any) -> Any:
        self._scopes.append({})
        for part in node.generators:
            items = self.value(part.iter)
            first = items[0] if isinstance(items, (list, tuple)) and items else UNKNOWN
            self._bind(part.target, first)
        for name in ("elt", "key", "value"):
            if hasattr(node, name):
                self.value(getattr(node, name))
        self._scopes.pop()
        return UNKNOWN

    _of_ListComp = _of_SetComp = _of_GeneratorExp = _of_DictComp = _comprehension

    # The user's own functions.

    def _enter(self, function: Function, given: Arguments) -> Any:
        function.called = True
        if self._depth >= _DEEPEST:
            return UNKNOWN
        outer, depth = self._scopes, self._depth
        self._scopes = [*function.scopes, self._parameters(function.node, given)]
        self._depth += 1
        try:
            for statement in function.node.body:
                self._statement(statement)
            return None
        except _Leave as left:
            return left.value
        finally:
            self._scopes, self._depth = outer, depth

    def _parameters(self, node: Any, given: Arguments) -> Scope:
        positional, named = given
        arguments = node.args
        plain = [*arguments.posonlyargs, *arguments.args]
        scope: Scope = {part.arg: UNKNOWN for part in [*plain, *arguments.kwonlyargs]}
        defaults: List[Optional[ast.expr]] = list(arguments.defaults)
        for part, default in zip(plain[len(plain) - len(defaults) :], defaults):
            scope[part.arg] = self.value(default) if default is not None else UNKNOWN
        for part, default in zip(arguments.kwonlyargs, arguments.kw_defaults):
            scope[part.arg] = self.value(default) if default is not None else UNKNOWN
        for part, value in zip(plain, positional):
            scope[part.arg] = value
        scope.update({name: value for name, value in named.items() if name in scope})
        for several in (arguments.vararg, arguments.kwarg):
            if several is not None:
                scope[several.arg] = UNKNOWN
        return scope


__all__ = ["Follower", "Thing"]
