"""Lets Python 3.6 load `roost` and `azureml`, which are written for 3.7 and later.

Two things of theirs it does not know: annotations that are not evaluated, and `__getattr__` of a
module. The first are made into texts as the files are compiled, the second is looked for by the
class of the modules. Nothing else in the process is changed.
"""

import ast
import importlib.machinery
import os
import sys
import types

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Optional, Sequence

_SDK = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_FUTURE = b"from __future__ import annotations"


class _Texts(ast.NodeTransformer):
    """Every annotation becomes the name of a type that is always there."""

    def _text(self, node: "Any") -> "Any":
        return ast.copy_location(ast.Str("object"), node)

    def visit_arg(self, node: "Any") -> "Any":
        if node.annotation is not None:
            node.annotation = self._text(node.annotation)
        return node

    def visit_FunctionDef(self, node: "Any") -> "Any":
        self.generic_visit(node)
        if node.returns is not None:
            node.returns = self._text(node.returns)
        return node

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_AnnAssign(self, node: "Any") -> "Any":
        self.generic_visit(node)
        node.annotation = self._text(node.annotation)
        return node


class _Module(types.ModuleType):
    def __getattr__(self, name: str) -> "Any":
        own = self.__dict__.get("__getattr__")
        if own is None:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        return own(name)


class _Loader(importlib.machinery.SourceFileLoader):
    def source_to_code(self, data: "Any", path: "Any", *, _optimize: int = -1) -> "Any":
        if _FUTURE in data:
            tree = _Texts().visit(ast.parse(data.replace(_FUTURE, b"", 1), path))
            data = ast.fix_missing_locations(tree)
        return compile(data, path, "exec", dont_inherit=True, optimize=_optimize)

    def exec_module(self, module: types.ModuleType) -> None:
        module.__class__ = _Module
        super().exec_module(module)


class _Finder:
    """Asked first, and answers for the files of the SDK only."""

    @staticmethod
    def find_spec(
        name: str, path: "Optional[Sequence[str]]" = None, target: "Any" = None
    ) -> "Any":
        if name.partition(".")[0] not in ("roost", "azureml"):
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        origin = getattr(spec, "origin", None) or ""
        if spec is None or not os.path.abspath(origin).startswith(_SDK + os.sep):
            return spec
        spec.loader = _Loader(name, origin)
        return spec


def install() -> None:
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
