"""PyTorch from before 2.0 on Python 3.11, as Debian has it: its launchers end on every start.

They look for a flag among the members of its class, and since Python 3.11 those are the ones of
a single bit. So none is found for "0", which is the default. This puts the flag right when
PyTorch's module has been loaded.
"""

import sys

TYPE_CHECKING = False  # every Python of a run loads this: typing takes longer than all the rest
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any, Optional

NAME = "torch.distributed.elastic.multiprocessing.api"


class _Watch:
    """Finds the one module, once, and nothing else."""

    def find_spec(self, name: str, path: "Any" = None, target: "Any" = None) -> "Optional[Any]":
        if name != NAME:
            return None
        sys.meta_path.remove(self)  # type: ignore[arg-type]
        from importlib.machinery import PathFinder

        spec = PathFinder.find_spec(name, path)
        if spec is not None and spec.loader is not None:
            load = spec.loader.exec_module

            def exec_module(module: "ModuleType") -> None:
                load(module)
                _repair(module)

            spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


def _repair(module: "ModuleType") -> None:
    std = getattr(module, "Std", None)
    try:
        if std.from_str("0") is not None:  # type: ignore[union-attr]
            return
    except Exception:  # another PyTorch, which has it otherwise
        return
    old = std.from_str  # type: ignore[union-attr]

    def from_str(cls: "Any", text: str) -> "Any":
        found = old(text)  # raises for what is no value
        if found is None:
            return cls(int(text))
        if isinstance(found, dict):
            parts = (each.split(":") for each in text.split(","))
            return {int(rank): cls(int(value)) for rank, value in parts}
        return found

    std.from_str = classmethod(from_str)  # type: ignore[union-attr]


def install() -> None:
    sys.meta_path.insert(0, _Watch())  # type: ignore[arg-type]
