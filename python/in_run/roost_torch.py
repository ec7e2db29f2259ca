"""Puts right what keeps PyTorch's launchers from starting, when their modules have been loaded.

PyTorch from before 2.0 on Python 3.11, as Debian has it, ends on every start: it looks for a flag
among the members of its class, and since Python 3.11 those are the ones of a single bit. So none is
found for "0", which is the default.

torchrun of any version chooses the port at which its workers meet among those that the kernel gives
away by itself, and lets go of it until the first worker has loaded PyTorch. Whatever connects
anywhere in these seconds may get it (roost_port.py).
"""

import sys

TYPE_CHECKING = False  # every Python of a run loads this: typing takes longer than all the rest
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any, Callable, Dict, Optional


class _Watch:
    """Finds the modules that need a repair, each once, and nothing else."""

    def __init__(self, repairs: "Dict[str, Callable[[ModuleType], None]]") -> None:
        self.repairs = repairs

    def find_spec(self, name: str, path: "Any" = None, target: "Any" = None) -> "Optional[Any]":
        repair = self.repairs.pop(name, None)
        if repair is None:
            return None
        from importlib.machinery import PathFinder

        spec = PathFinder.find_spec(name, path)
        if spec is not None and spec.loader is not None:
            load = spec.loader.exec_module

            def exec_module(module: "ModuleType") -> None:
                load(module)
                repair(module)

            spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


def _find_flags(module: "ModuleType") -> None:
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


def _hold_port(module: "ModuleType") -> None:
    import roost_port

    for name in ("get_socket_with_port", "_get_socket_with_port"):
        if hasattr(module, name):
            setattr(module, name, roost_port.bound_socket)


def install() -> None:
    elastic = "torch.distributed.elastic."
    choosers = ("utils.api", "utils.distributed", "agent.server.api")
    repairs = {elastic + name: _hold_port for name in choosers}
    if sys.version_info >= (3, 11):
        repairs[elastic + "multiprocessing.api"] = _find_flags
    sys.meta_path.insert(0, _Watch(repairs))  # type: ignore[arg-type]
