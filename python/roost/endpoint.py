"""Endpoints: models that answer requests, and asking them.

from roost.endpoint import Endpoint, list_endpoints

birds = Endpoint("birds")
print(birds.facts["state"], birds.score('{"data": [[1, 2, 3]]}').json)
"""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, NamedTuple, Optional, Union

from .client import Client, quote
from .errors import RoostError

if TYPE_CHECKING:
    from .connections import Connections

__all__ = ["Answer", "Caller", "Endpoint", "create_endpoint", "list_endpoints"]

_SCORING_SECONDS = 3700.0  # the longest scoring timeout there is, and a little
# The front looks for a new table of routes every 50 ms, and nobody tells when it has read one.
_SETTLING_SECONDS = 0.2
_ROUTED = ("auth", "default", "port", "primary_key", "secondary_key", "shadow", "traffic")


class Answer(NamedTuple):
    """What an endpoint answered, good or bad."""

    status: int
    headers: Dict[str, str]  # names in lower case
    body: bytes

    @property
    def json(self) -> Any:
        """ValueError if the body is something else."""
        return json.loads(self.body.decode("utf-8"))


class Caller:
    """Sends requests to one address, over connections that stay open. Any thread may use it."""

    def __init__(self, url: str, ca_file: Optional[str] = None) -> None:
        from .connections import Connections

        self.url = url
        self._connections: Connections = Connections(url, ca_file)

    def post(self, body: bytes, headers: Mapping[str, str]) -> Answer:
        """Raises RoostError if nobody answers. Nothing is sent twice: it may have been counted."""
        import http.client

        connection = self._connections.borrow()
        if connection.sock is None:
            connection.timeout = _SCORING_SECONDS
        else:
            connection.sock.settimeout(_SCORING_SECONDS)
        target = self._connections.target("") or "/"
        try:
            connection.request("POST", target, body, {**self._connections.headers(), **headers})
            answer = connection.getresponse()
            content = answer.read()
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise RoostError(
                "unavailable",
                f"no answer from the endpoint at {self.url} ({error or type(error).__name__}). "
                "`roost endpoints show` tells how it is.",
            ) from None
        except BaseException:
            connection.close()
            raise
        if answer.will_close:
            connection.close()
        else:
            self._connections.give_back(connection)
        found = {name.lower(): value for name, value in answer.getheaders()}
        return Answer(answer.status, found, content)


class Endpoint:
    """An endpoint on the server. `facts` is how it was when it was last looked at.

    Every call raises RoostError when the server refuses it.
    """

    def __init__(
        self,
        name: str,
        workspace: str = "default",
        client: Optional[Client] = None,
        facts: Optional[Dict[str, Any]] = None,
    ) -> None:
        self.name = name
        self.workspace = workspace
        self.client = client or Client.connect()
        self._path = f"{_endpoints(workspace)}/{quote(name)}"
        self._keys: Optional[List[str]] = None
        self._caller: Optional[Caller] = None
        self.facts: Dict[str, Any] = facts if facts is not None else self.refresh()

    def refresh(self) -> Dict[str, Any]:
        return self._take(self.client.get(self._path))

    def update(self, **changes: Any) -> Dict[str, Any]:
        """Sets description, tags, auth, port, traffic, shadow, default; adds to properties and
        settings."""
        self._keys = None
        facts = self._take(self.client.patch(self._path, changes))
        if any(name in changes for name in _ROUTED):
            self.settle()
        return facts

    def settle(self) -> None:
        """Waits until requests go by what was changed last."""
        time.sleep(_SETTLING_SECONDS)

    def delete(self) -> None:
        """It takes no more requests; those under way are answered."""
        self.client.delete(self._path)

    # Deployments: what answers under the name.

    def put_deployment(self, name: str, deployment: Dict[str, Any]) -> Dict[str, Any]:
        """Adds it, or puts it in the place of the one there without failing a request."""
        path = f"{self._path}/deployments/{quote(name)}"
        return self._take(self.client.put(path, deployment))

    def delete_deployment(self, name: str) -> Dict[str, Any]:
        return self._take(self.client.delete(f"{self._path}/deployments/{quote(name)}"))

    def rollback(self) -> Dict[str, Any]:
        """Back to the revision before."""
        return self._take(self.client.post(f"{self._path}/rollback"))

    def restart(self, deployment: Optional[str] = None) -> Dict[str, Any]:
        """New replicas in the place of those there."""
        return self._take(self.client.post(f"{self._path}/restart", {"deployment": deployment}))

    def revisions(self) -> List[Dict[str, Any]]:
        """What it was before, the newest first."""
        return list(self.client.get(f"{self._path}/revisions")["revisions"])

    def statistics(self) -> Dict[str, Any]:
        return dict(self.client.get(f"{self._path}/statistics"))

    def logs(
        self, deployment: Optional[str] = None, replica: Optional[str] = None, lines: int = 5000
    ) -> str:
        path = f"{self._path}/logs"
        found = self.client.get(path, deployment=deployment, replica=replica, lines=lines)
        return str(found["text"])

    # Who may call.

    def keys(self) -> List[str]:
        """The primary and the secondary one; either opens it."""
        return self._take_keys(self.client.get(f"{self._path}/keys"))

    def set_key(self, key: str, value: Optional[str] = None) -> List[str]:
        """A new "primary" or "secondary" key: `value`, or a random one."""
        body = {"key": key, "value": value}
        found = self._take_keys(self.client.post(f"{self._path}/keys", body))
        self.settle()
        return found

    def token(self) -> Dict[str, Any]:
        found = dict(self.client.post(f"{self._path}/token"))
        self.settle()
        return found

    def _take(self, facts: Any) -> Dict[str, Any]:
        self.facts = dict(facts)
        return self.facts

    def _take_keys(self, found: Dict[str, Any]) -> List[str]:
        self._keys = [str(found["primary"]), str(found["secondary"])]
        return self._keys

    # Asking it.

    def score(
        self, body: Union[str, bytes], headers: Optional[Mapping[str, str]] = None
    ) -> Answer:
        """Posts `body` to the scoring address, with a key or token if it asks for one."""
        data = body.encode("utf-8") if isinstance(body, str) else bytes(body)
        url = str(self.facts["scoring_uri"])
        if self._caller is None or self._caller.url != url:
            self._caller = Caller(url, self.client.ca_file)
        sent = {"Content-Type": "application/json", **(headers or {})}
        known = self._keys is not None
        answer = self._caller.post(data, {**sent, **self._authorization()})
        if answer.status == 401 and known:  # the key was changed meanwhile
            self._keys = None
            answer = self._caller.post(data, {**sent, **self._authorization()})
        return answer

    def _authorization(self) -> Dict[str, str]:
        auth = self.facts.get("auth")
        if auth not in ("key", "token"):
            return {}
        if self._keys is None:
            self._keys = [str(self.token()["token"])] if auth == "token" else self.keys()
        return {"Authorization": f"Bearer {self._keys[0]}"}


def create_endpoint(client: Client, workspace: str, body: Dict[str, Any]) -> Endpoint:
    """Begins to deploy; `body` is the NewEndpoint of the REST API."""
    facts = client.post(_endpoints(workspace), body)
    return Endpoint(str(facts["name"]), workspace, client, dict(facts))


def list_endpoints(client: Client, workspace: str) -> List[Endpoint]:
    found = client.get(_endpoints(workspace))["endpoints"]
    return [Endpoint(str(facts["name"]), workspace, client, dict(facts)) for facts in found]


def _endpoints(workspace: str) -> str:
    return f"/api/v1/workspaces/{quote(workspace)}/endpoints"
