"""What every refused request must look like, and how to see that it changed nothing."""
from typing import Any, Dict

from http_api import Answer, quote
from roost_fixture import RoostServer


def refused(answer: Answer, status: Any, code: Any, *named: str) -> None:
    """The one error shape, with these words in the message."""
    statuses = status if isinstance(status, tuple) else (status,)
    codes = code if isinstance(code, tuple) else (code,)
    assert answer.status in statuses and answer.code in codes, (answer.status, answer.body[:1000])
    for word in named:
        assert word in answer.message, f"{word!r} is not in {answer.message!r}"
    assert len(answer.message) < 2000, "an error message must not repeat a huge input"


def state_of(server: RoostServer) -> Dict[str, Any]:
    """Everything a request could have left behind."""
    names = {
        kind: [item["name"] for item in server.pages(f"/workspaces{kind}")]
        for kind in ("", "/default/experiments", "/default/computes")
    }
    runs = {run["id"]: (run["status"], run["tags"], run["properties"], run["display_name"])
            for run in server.pages("/workspaces/default/runs", limit=1000)}
    files = {run: sorted(server.artifacts(quote(run))) for run in runs}
    tokens = [token["id"] for token in server.pages("/tokens")]
    return {"names": names, "runs": runs, "files": files, "tokens": tokens}
