"""What the server knows about a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Optional, Type

from roost.client import Client, quote
from roost.streaming import TERMINAL

from .._errors import calling
from ..exceptions import AzureMLException, UserErrorException

if TYPE_CHECKING:
    from .experiment import Experiment


class RunRecord:
    """Names a run and reads its facts, which are asked for when they are needed first."""

    _experiment: Experiment
    _run_id: str
    _facts: Optional[Dict[str, Any]]

    # Who it is.

    @property
    def id(self) -> str:
        return self._run_id

    @property
    def run_id(self) -> str:
        """The same."""
        return self._run_id

    @property
    def experiment(self) -> Experiment:
        return self._experiment

    @property
    def number(self) -> int:
        """Counts the runs of the experiment."""
        return int(self._known["number"])

    @property
    def name(self) -> str:
        return str(self._known["display_name"])

    @property
    def display_name(self) -> str:
        return str(self._known["display_name"])

    @display_name.setter
    def display_name(self, name: str) -> None:
        self._change({"display_name": name})

    @property
    def description(self) -> Optional[str]:
        """The tag "description", where Roost keeps it."""
        return self.tags.get("description")

    @description.setter
    def description(self, text: str) -> None:
        self._change({"tags": {"description": text}})

    @property
    def type(self) -> Optional[str]:
        """azureml.scriptrun, or None for one that start_logging began."""
        kind = str(self._known["type"])
        return {"interactive": None, "script": "azureml.scriptrun"}.get(kind, kind)

    # How it is.

    @property
    def status(self) -> str:
        """The state; the server is asked unless the run has ended."""
        if self._facts is not None and self._facts["status"] in TERMINAL:
            return str(self._facts["status"])
        return self.get_status()

    def get_status(self) -> str:
        """The state, as the server says now."""
        return str(self._refresh()["status"])

    @property
    def tags(self) -> Dict[str, Optional[str]]:
        return dict(self._known["tags"])

    @property
    def properties(self) -> Dict[str, str]:
        return dict(self._known["properties"])

    def get_tags(self) -> Dict[str, Optional[str]]:
        """All tags, as the server has them now."""
        return dict(self._refresh()["tags"])

    def get_properties(self) -> Dict[str, str]:
        """All properties, as the server has them now."""
        return dict(self._refresh()["properties"])

    def tag(self, key: str, value: Any = None) -> None:
        """Sets a tag; without a value it is there and has none."""
        self.set_tags({key: value})

    def set_tags(self, tags: Dict[str, Any]) -> None:
        """Sets tags; those not named stay."""
        self._change({"tags": {_key(key): _text(value) for key, value in tags.items()}})

    def remove_tags(self, tags: Any) -> None:
        """Removes tags, given as one key or a list of keys."""
        keys = [tags] if isinstance(tags, str) else list(tags)
        self._change({"remove_tags": [_key(key) for key in keys]})

    def add_properties(self, properties: Dict[str, Any]) -> None:
        """Adds properties, which stay as they are: one that is there already is refused."""
        given = {_key(key): str(value) for key, value in properties.items()}
        present = sorted(set(given) & set(self.get_properties()))
        if present:
            raise UserErrorException(
                f"run {self._run_id} has the properties {', '.join(map(repr, present))} already, "
                "and properties never change. Use run.tag(key, value) for what may."
            )
        self._change({"properties": given})

    def get_portal_url(self) -> str:
        """The run's page in the studio."""
        return f"{self._client.url}/runs/{quote(self._run_id)}"

    # For the rest of this package.

    @property
    def _client(self) -> Client:
        return self._experiment.workspace._client

    def _path(self, *parts: str) -> str:
        return "/".join(["/api/v1/runs", quote(self._run_id), *parts])

    @property
    def _known(self) -> Dict[str, Any]:
        return self._refresh() if self._facts is None else self._facts

    def _refresh(self) -> Dict[str, Any]:
        return self._take(self._call("get", self._path()))

    def _change(self, body: Dict[str, Any]) -> None:
        self._take(self._call("patch", self._path(), body))

    def _take(self, facts: Any) -> Dict[str, Any]:
        self._facts = dict(facts)
        return self._facts

    def _call(
        self,
        method: str,
        *arguments: Any,
        _raises: Type[AzureMLException] = UserErrorException,
        **query: Any,
    ) -> Any:
        with calling(_raises):
            return getattr(self._client, method)(*arguments, **query)

    def _describe(self) -> Dict[str, str]:
        try:
            status = self.status
        except AzureMLException:  # to print a run is not to need the server
            status = str(self._facts["status"]) if self._facts else "unknown"
        return {
            "Experiment": self._experiment.name,
            "Id": self._run_id,
            "Type": str(self.type) if self._facts else "unknown",
            "Status": status,
        }

    def __repr__(self) -> str:
        return "Run({})".format(",\n".join(f"{k}: {v}" for k, v in self._describe().items()))

    def _repr_html_(self) -> str:
        import html

        facts = self._describe()
        url = html.escape(self.get_portal_url(), quote=True)
        cells = "".join(f"<td>{html.escape(text)}</td>" for text in facts.values())
        heads = "".join(f"<th>{name}</th>" for name in [*facts, "Details Page"])
        link = f'<td><a href="{url}" target="_blank" rel="noopener">{html.escape(self.id)}</a></td>'
        return f'<table style="width:100%"><tr>{heads}</tr><tr>{cells}{link}</tr></table>'

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RunRecord) and self._run_id == other._run_id

    def __hash__(self) -> int:
        return hash(self._run_id)


def _key(key: Any) -> str:
    if not isinstance(key, str) or not key:
        raise UserErrorException(f"the name of a tag or property must be a string, not {key!r}.")
    return key


def _text(value: Any) -> Optional[str]:
    return None if value is None else str(value)
