"""Bodies and queries made from api/openapi.yaml that nobody means: null, a wrong type and a key too many at every
depth, numbers and texts without measure, and bytes that are no JSON."""
import copy
import json
from typing import Any, Dict, Iterator, List, Tuple

from contract import Contract

Schema = Dict[str, Any]
Where = Tuple[Any, ...]

WRONG: List[Any] = [None, True, 7, -1, 1.5, 2**63, 2**64, 1e308, "", "x", "\0", "é" * 3000, [], {}, [None], [[]], {"x": None}]
NO_JSON: List[bytes] = [b"", b" ", b"{", b"null", b"[]", b"7", b'"x"', b"\xef\xbb\xbf{}", b'{"\xff":1}', b'{"a":"\xff"}',
                        b'{"a":NaN}', b'{"a":1e999}', b'{"a":' + b"9" * 5000 + b"}", b"[" * 5000, b'{"a":' * 70 + b"1",
                        b'{"a":"\\ud800"}', b"{}{}", b"\0" * 10]
WRONG_TEXTS = ["", "%00", "%FF", "x", "-1", "9" * 30, "1e400", "NaN", "a" * 3000, "null", "%5B%5D", "..", "%2e%2e%2f", "%27",
               "%F0%9F%98%80", "true,false", "0", "1"]


def bodies(contract: Contract, schema: Schema, valid: Any) -> Iterator[Tuple[Where, Any]]:
    """Variants of a valid body, each wrong in one place at most: what is there is replaced, and what the contract knows
    besides is added, as it should be and as it should not."""
    for where in _places(valid):
        for wrong in WRONG:
            yield where, _replaced(valid, where, wrong)
    for where in _places(valid):
        known = _properties(contract, _schema_at(contract, schema, where))
        here = _at(valid, where)
        if not isinstance(here, dict):
            continue
        yield where + ("a key that nobody knows",), _replaced(valid, where, {**here, "a key that nobody knows": 1})
        for name in sorted(set(known) - set(here)):
            sample = example(contract, known[name])
            grown = _replaced(valid, where, {**here, name: sample})
            for inner in _places(sample):
                place = where + (name,) + inner
                for wrong in [_at(sample, inner), *WRONG]:
                    yield place, _replaced(grown, place, wrong)
                if isinstance(_at(sample, inner), dict):
                    yield place, _replaced(grown, place, {**_at(sample, inner), "a key that nobody knows": 1})


def frames(header: Dict[str, Any]) -> Iterator[bytes]:
    """Bodies of frames whose header is wrong, and frames that are none."""
    for wrong in WRONG:
        yield json.dumps(wrong).encode() + b"\nxxx"
        for key in [*header, "length", "a key that nobody knows"]:
            yield json.dumps({**header, "length": 3, key: wrong}).encode() + b"\nxxx"
    for raw in [*NO_JSON, b"x" * 100_000, b'{"length":99999}\nxxx', b'{"length":-1}\n']:
        yield raw
        yield raw + b"\nxxx"


def raw_bodies(valid: Any) -> Iterator[bytes]:
    text = json.dumps(valid).encode()
    yield from NO_JSON
    yield text[:-1]
    yield text + b"x"
    if isinstance(valid, dict):
        for key in valid:  # twice the same key, of two types
            yield text[:-1] + b',"%s":null}' % key.encode()
            yield b'{"%s":[7],' % key.encode() + text[1:]


def example(contract: Contract, schema: Schema, depth: int = 0) -> Any:
    """Something the schema allows, with everything it knows."""
    schema = contract.resolve(schema)
    if "enum" in schema:
        return schema["enum"][0]
    if "default" in schema or "example" in schema:
        return schema.get("example", schema.get("default"))
    for key in ("anyOf", "oneOf"):
        if key in schema:
            return example(contract, schema[key][0], depth)
    known = _properties(contract, schema)
    if known or schema.get("type") == "object":
        if depth > 6:
            return {}
        out = {name: example(contract, inner, depth + 1) for name, inner in known.items()}
        more = schema.get("additionalProperties")
        return {**out, "NAME": example(contract, more, depth + 1)} if isinstance(more, dict) else out
    if schema.get("type") == "array":
        return [example(contract, schema.get("items", {}), depth + 1)]
    plain = {"integer": schema.get("minimum", 1), "number": schema.get("minimum", 1.5), "boolean": True}
    return plain.get(schema.get("type", ""), "a" * max(1, schema.get("minLength", 1)))


def _properties(contract: Contract, schema: Schema) -> Dict[str, Schema]:
    schema = contract.resolve(schema)
    out = dict(schema.get("properties", {}))
    for key in ("allOf", "anyOf", "oneOf"):
        for part in schema.get(key, []):
            out.update(_properties(contract, part))
    return out


def _schema_at(contract: Contract, schema: Schema, where: Where) -> Schema:
    for step in where:
        if isinstance(step, int):
            parts = [schema, *contract.resolve(schema).get("anyOf", [])]
            items = [contract.resolve(part).get("items") for part in parts]
            schema = next((item for item in items if item), {})
        else:
            more = contract.resolve(schema).get("additionalProperties")
            schema = _properties(contract, schema).get(step, more if isinstance(more, dict) else {})
    return schema


def _places(value: Any, where: Where = ()) -> Iterator[Where]:
    yield where
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _places(inner, where + (key,))
    elif isinstance(value, list):
        for index, inner in enumerate(value[:2]):
            yield from _places(inner, where + (index,))


def _at(value: Any, where: Where) -> Any:
    for step in where:
        value = value[step]
    return value


def _replaced(value: Any, where: Where, new: Any) -> Any:
    if not where:
        return new
    out = copy.deepcopy(value)
    _at(out, where[:-1])[where[-1]] = new
    return out
