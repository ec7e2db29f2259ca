"""api/openapi.yaml as something requests and answers can be held against."""
import functools
import hashlib
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, List, Optional, Set, Tuple

import jsonschema
import yaml

from http_api import NDJSON, Answer, strict_json

FILE = Path(__file__).resolve().parent.parent / "api" / "openapi.yaml"
METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")


@dataclass
class Operation:
    id: str
    method: str
    path: str
    parameters: List[Dict[str, Any]] = field(repr=False)
    body: Optional[Dict[str, Any]] = field(repr=False)
    answers: Dict[str, Any] = field(repr=False)
    pattern: "re.Pattern[str]" = field(repr=False)
    need: str = ""  # who may call it

    @property
    def route(self) -> str:
        """The path as the server's route table writes it: {name...} takes the rest of the path."""
        rest = {p["name"] for p in self.parameters if p.get("x-rest-of-path")}
        return re.sub(r"{(\w+)}", lambda m: "{%s...}" % m[1] if m[1] in rest else m[0], self.path)


class Contract:
    def __init__(self, document: Dict[str, Any]) -> None:
        self.document = _with_null_types(document)
        self._resolver = jsonschema.RefResolver.from_schema(self.document)
        self._validators: Dict[int, jsonschema.Draft7Validator] = {}
        self._sound: Set[Tuple[int, bytes]] = set()  # a schema, and the digest of an answer that keeps to it
        self.operations: Dict[str, Operation] = {}
        self.open_to_all: set = set()
        for path, item in self.document["paths"].items():
            for method in METHODS:
                if method in item:
                    operation = self._operation(method.upper(), path, item, item[method])
                    assert operation.id not in self.operations, f"{operation.id} is there twice"
                    self.operations[operation.id] = operation
                    if item[method].get("security") == [] or {} in item[method].get("security", []):
                        self.open_to_all.add(operation.id)

    def find(self, method: str, path: str) -> Optional[Operation]:
        """The operation of a request; a path without parameters wins over one with."""
        plain = path.split("?")[0]
        found = [o for o in self.operations.values() if o.method == method and o.pattern.fullmatch(plain)]
        return min(found, key=lambda o: o.path.count("{"), default=None)

    def check_query(self, operation: Operation, values: Dict[str, Any]) -> None:
        known = {p["name"]: p for p in operation.parameters if p["in"] == "query"}
        for name, value in values.items():
            assert name in known, f"{operation.id} has no query parameter {name}"
            self.check(known[name]["schema"], value, f"query parameter {name} of {operation.id}")

    def check_request(self, operation: Operation, content_type: str, body: bytes) -> None:
        if operation.body is None:
            assert not body, f"{operation.id} takes no body"
            return
        content = operation.body["content"]
        assert content_type in content, f"{operation.id} takes {list(content)}, not {content_type}"
        if content_type == "application/json":
            self.check(content[content_type]["schema"], strict_json(body), f"request of {operation.id}")

    def check_answer(self, operation: Operation, answer: Answer) -> None:
        where = f"{operation.id} -> {answer.status}"
        declared = self.resolve(operation.answers.get(str(answer.status)) or operation.answers["default"])
        if str(answer.status) not in operation.answers:
            assert answer.status >= 400, f"{where} is not in the contract: {answer.body[:500]!r}"
        content = declared.get("content", {})
        if not content:
            assert not answer.body, f"{where} must have no body"
            return
        assert answer.content_type in content, f"{where} has type {answer.content_type!r}, not {list(content)}"
        schema = content[answer.content_type]["schema"]
        if answer.content_type == "application/json":
            # Tests ask for the same again and again, to see that nothing has changed.
            same = (id(schema), hashlib.sha256(answer.body).digest())
            if same not in self._sound:
                self.check(schema, answer.json, where)
                self._sound.add(same)
        elif answer.content_type == NDJSON:
            for line in answer.body.splitlines():
                self.check(schema, strict_json(line), where)

    def check(self, schema: Dict[str, Any], value: Any, where: str) -> None:
        validator = self._validators.get(id(schema))
        if validator is None:
            validator = jsonschema.Draft7Validator(schema, resolver=self._resolver)
            self._validators[id(schema)] = validator
        error = jsonschema.exceptions.best_match(validator.iter_errors(value))
        if error:
            place = "/".join(str(part) for part in error.absolute_path) or "the whole"
            raise AssertionError(f"{where}: {place}: {error.message[:2000]}")

    def schema(self, name: str) -> Dict[str, Any]:
        return self.document["components"]["schemas"][name]

    def resolve(self, node: Dict[str, Any]) -> Dict[str, Any]:
        return self._resolver.resolve(node["$ref"])[1] if "$ref" in node else node

    def _operation(self, method: str, path: str, item: Dict[str, Any], node: Dict[str, Any]) -> Operation:
        parameters = [self.resolve(p) for p in item.get("parameters", []) + node.get("parameters", [])]
        rest = {p["name"] for p in parameters if p.get("x-rest-of-path")}
        parts = re.split(r"{(\w+)}", path)
        pattern = "".join(
            (".+" if part in rest else "[^/]+") if i % 2 else re.escape(part) for i, part in enumerate(parts))
        body = self.resolve(node["requestBody"]) if "requestBody" in node else None
        return Operation(node["operationId"], method, path, parameters, body, node["responses"], re.compile(pattern),
                         node.get("x-roost-need", ""))


@functools.lru_cache(maxsize=1)
def load() -> Contract:
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # a tenth of the time, in each of the test processes
    return Contract(yaml.load(FILE.read_text(encoding="utf-8"), Loader=loader))


def _with_null_types(node: Any) -> Any:
    """OpenAPI 3.0 writes `nullable: true` where JSON Schema has a type "null"."""
    if isinstance(node, list):
        return [_with_null_types(item) for item in node]
    if not isinstance(node, dict):
        return node
    out = {key: _with_null_types(value) for key, value in node.items() if key != "nullable"}
    if node.get("nullable") is not True:
        return out
    return {"anyOf": [out, {"type": "null"}]}
