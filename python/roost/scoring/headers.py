"""Names with several values each: headers, queries, forms."""

from typing import Any, Dict, Iterable, Iterator, List, Mapping, Optional, Tuple, Union

Pairs = Iterable[Tuple[str, Any]]


class MultiDict(Dict[str, Any]):
    """A dict that gives the first of the values of a name; getlist() gives all."""

    def __init__(self, pairs: Pairs = ()) -> None:
        super().__init__()
        self._lists: Dict[str, List[Any]] = {}
        for name, value in pairs:
            self._lists.setdefault(name, []).append(value)
            self.setdefault(name, value)

    def getlist(self, name: str) -> List[Any]:
        return list(self._lists.get(name, []))

    def lists(self) -> List[Tuple[str, List[Any]]]:
        return [(name, list(values)) for name, values in self._lists.items()]

    def to_dict(self, flat: bool = True) -> Dict[str, Any]:
        return dict(self) if flat else dict(self.lists())

    def get(self, name: str, default: Any = None, type: Any = None) -> Any:
        """With `type` the value is converted; one that cannot be is as if it were not there."""
        if name not in self:
            return default
        if type is None:
            return self[name]
        try:
            return type(self[name])
        except ValueError:
            return default


class Headers:
    """Headers in their order; names are compared without regard to case."""

    def __init__(self, start: Union[Mapping[str, Any], Pairs] = ()) -> None:
        pairs = start.items() if isinstance(start, Mapping) else start
        self._pairs: List[Tuple[str, str]] = [(name, str(value)) for name, value in pairs]

    def add(self, name: str, value: Any) -> None:
        self._pairs.append((name, str(value)))

    add_header = add

    def set(self, name: str, value: Any) -> None:
        """In the place of the first of this name; further ones go."""
        wanted = name.lower()
        at = next((i for i, (each, _) in enumerate(self._pairs) if each.lower() == wanted), None)
        self._pairs = [
            pair for i, pair in enumerate(self._pairs) if pair[0].lower() != wanted or i == at
        ]
        if at is None:
            self._pairs.append((name, str(value)))
        else:
            self._pairs[at] = (name, str(value))

    def remove(self, name: str) -> None:
        self._pairs = [pair for pair in self._pairs if pair[0].lower() != name.lower()]

    def extend(self, more: Union[Mapping[str, Any], Pairs]) -> None:
        for name, value in more.items() if isinstance(more, Mapping) else more:
            self.add(name, value)

    def get(self, name: str, default: Optional[str] = None) -> Any:
        found = self.getlist(name)
        return found[0] if found else default

    def getlist(self, name: str) -> List[str]:
        return [value for each, value in self._pairs if each.lower() == name.lower()]

    get_all = getlist

    def setdefault(self, name: str, value: Any) -> Any:
        if name not in self:
            self.add(name, value)
        return self[name]

    def items(self) -> List[Tuple[str, str]]:
        return list(self._pairs)

    def keys(self) -> List[str]:
        return [name for name, _ in self._pairs]

    def values(self) -> List[str]:
        return [value for _, value in self._pairs]

    def __getitem__(self, name: str) -> str:
        found = self.getlist(name)
        if not found:
            raise KeyError(name)
        return found[0]

    def __setitem__(self, name: str, value: Any) -> None:
        self.set(name, value)

    def __delitem__(self, name: str) -> None:
        self.remove(name)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and bool(self.getlist(name))

    def __iter__(self) -> Iterator[Tuple[str, str]]:
        return iter(self._pairs)

    def __len__(self) -> int:
        return len(self._pairs)

    def __repr__(self) -> str:
        return f"Headers({self._pairs!r})"
