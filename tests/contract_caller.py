"""Calls operations of the contract by their id, and keeps the list of exercises."""
from typing import Any, Callable, Dict, Optional
from urllib.parse import quote

from contract import Contract
from http_api import Answer, query
from roost_fixture import RoostServer, dump

EXERCISES: Dict[str, Callable[["Caller"], None]] = {}


class Caller:
    """Calls operations by their id, and holds both the request and the answer to the contract."""

    def __init__(self, server: RoostServer, contract: Contract) -> None:
        self.server = server
        self.contract = contract
        self.accepted: set = set()
        self._finished_run: Optional[Dict[str, Any]] = None
        self._count = 0

    def call(self, operation_id: str, expected: int, *path: Any, json: Any = None, data: bytes = b"", type: str = "",
             token: Optional[str] = None, headers: Optional[Dict[str, str]] = None, **options: Any) -> Answer:
        """`path` fills the path parameters in order; `options` is the query."""
        operation = self.contract.operations[operation_id]
        body, content_type = (dump(json), "application/json") if json is not None else (data, type)
        self.contract.check_query(operation, options)
        self.contract.check_request(operation, content_type, body)
        target = operation.path
        for parameter in [p for p in operation.parameters if p["in"] == "path"]:
            value, path = str(path[0]), path[1:]
            safe = "/" if "x-rest-of-path" in parameter else ""
            target = target.replace("{%s}" % parameter["name"], quote(value, safe=safe))
        assert not path, "more path values than parameters"
        text = {key: str(value).lower() if isinstance(value, bool) else value for key, value in options.items()}
        target += query(**text)
        answer = self.server.api_client.send(operation.method, target, body, content_type, token, headers)
        assert answer.status == expected, (operation_id, answer.status, answer.body[:2000])
        self.contract.check_answer(operation, answer)
        if expected < 400:
            self.accepted.add(operation_id)
        return answer

    def at(self, server: RoostServer) -> "Caller":
        """The same towards another server."""
        return Caller(server, self.contract)

    def new_name(self) -> str:
        self._count += 1
        return f"new-{self._count}"

    def finished_run(self) -> Dict[str, Any]:
        """A completed run with a log, metrics of every kind, tags and outputs."""
        if self._finished_run is None:
            self._finished_run = self.server.run(EVERYTHING, environment_variables={"A": "1"}, tags={"k": "v"},
                                                 properties={"p": "q"}, git={"branch": "main", "dirty": False})
            assert self._finished_run["status"] == "Completed", self._finished_run
        return self._finished_run


EVERYTHING = """
import math, os
import roost.run as run
print("hello")
os.makedirs("outputs", exist_ok=True)
open("outputs/model.bin", "wb").write(bytes(range(256)))
for i in range(100):
    run.log("loss", 1 / (i + 1), step=i)
run.log("nan", math.nan); run.log("inf", math.inf); run.log("word", "yes"); run.log("flag", True)
run.log_list("list", [1, 2, 3]); run.log_row("row", x=1, y=2.5); run.log_table("table", {"x": [1, 2], "y": [3, 4]})
run.log_confusion_matrix("matrix", {"schema_type": "confusion_matrix", "data": {"matrix": [[1, 0], [0, 1]]}})
"""


def exercise(function: Callable[[Caller], None]) -> Callable[[Caller], None]:
    EXERCISES[function.__name__] = function
    return function
