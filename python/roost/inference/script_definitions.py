"""Classes and functions of a training script, without running the training.

A script that ends with `main()` cannot be imported: it would train again. Of such a file only the
statements are run that a wanted name is made of, and what those need in turn.
"""

from __future__ import annotations

import ast
import os
from typing import Any, Dict, Iterator, List, Set


class ScriptDefinitions:
    """The names of one script. What was run once stays; any name can be asked for later."""

    def __init__(self, path: str) -> None:
        self.path = path
        with open(path, encoding="utf-8") as file:
            body = ast.parse(file.read(), path).body
        self._makers: Dict[str, List[int]] = {}
        self._statements = body
        for number, statement in enumerate(body):
            for name in _made_names(statement):
                self._makers.setdefault(name, []).append(number)
        name = "roost_definitions_of_" + os.path.splitext(os.path.basename(path))[0]
        self.names: Dict[str, Any] = {"__name__": name, "__file__": os.path.abspath(path)}
        self._done: Set[int] = set()

    def get(self, name: str) -> Any:
        """Raises AttributeError if the script defines no such name."""
        if name not in self._makers:
            raise AttributeError(f"{self.path} defines no {name!r} at its top level")
        numbers = sorted(self._needed(name) - self._done)
        self._done.update(numbers)
        for number in numbers:
            module = ast.Module(body=[self._statements[number]], type_ignores=[])
            exec(compile(module, self.path, "exec"), self.names)
        return self.names[name]

    def _needed(self, name: str) -> Set[int]:
        found: Set[int] = set()
        wanted = [name]
        while wanted:
            for number in self._makers.get(wanted.pop(), ()):
                if number not in found:
                    found.add(number)
                    wanted += _used_names(self._statements[number])
        return found


def _made_names(statement: ast.stmt) -> Iterator[str]:
    if isinstance(statement, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
        yield statement.name
    elif isinstance(statement, (ast.Import, ast.ImportFrom)):
        for alias in statement.names:
            yield alias.asname or alias.name.split(".")[0]
    elif isinstance(statement, (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Try, ast.If)):
        # `try: import x` and `if cuda: device = ...` make names as well.
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                yield node.id
            elif isinstance(node, (ast.ClassDef, ast.FunctionDef)):
                yield node.name
            elif isinstance(node, (ast.Import, ast.ImportFrom)):
                for alias in node.names:
                    yield alias.asname or alias.name.split(".")[0]


def _used_names(statement: ast.stmt) -> List[str]:
    return [
        node.id
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    ]
