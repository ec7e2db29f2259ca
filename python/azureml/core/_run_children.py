"""Runs below a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Iterable, Iterator, List, Optional

from .._errors import calling
from ..exceptions import ServiceException, UserErrorException
from ._config_file import PathLike
from ._run_logging import RunLogging

if TYPE_CHECKING:
    from .run import Run


class RunChildren(RunLogging):
    """A child has a status of its own: it ends by itself, whatever happens to its parent."""

    @property
    def parent(self) -> Optional[Run]:
        """The run above, or None."""
        from .run import Run

        parent = self._known["parent"]
        if not parent:
            return None
        return Run.get(self._experiment.workspace, parent)

    def child_run(
        self,
        name: Optional[str] = None,
        run_id: Optional[str] = None,
        outputs: Optional[PathLike] = None,
    ) -> Run:
        """Begins a child that this process reports to; end it with complete()."""
        return self._experiment._start(outputs, None, name, self.id)

    def create_children(
        self,
        count: Optional[int] = None,
        tag_key: Optional[str] = None,
        tag_values: Optional[List[Any]] = None,
    ) -> List[Run]:
        """Begins several children: `count` of them, or one for each of `tag_values`."""
        if (tag_key is None) != (tag_values is None):
            raise UserErrorException("create_children takes tag_key and tag_values together.")
        if count is None and tag_values is None:
            raise UserErrorException("create_children takes count, or tag_key and tag_values.")
        if count is not None and tag_values is not None and count != len(tag_values):
            raise UserErrorException(
                f"count is {count}, but there are {len(tag_values)} tag_values."
            )
        tags: List[Dict[str, Any]] = (
            [{str(tag_key): value} for value in tag_values]
            if tag_values is not None
            else [{} for _ in range(int(count or 0))]
        )
        return [self._experiment._start(None, None, None, self.id, tag) for tag in tags]

    def submit_child(
        self, config: Any, tags: Optional[Dict[str, Any]] = None, **kwargs: Any
    ) -> Run:
        """Submits a configuration as a child of this run."""
        return self._experiment._submit(config, tags, self.id, **kwargs)

    def get_children(
        self,
        recursive: bool = False,
        tags: Any = None,
        properties: Any = None,
        type: Optional[str] = None,
        status: Optional[str] = None,
        _rehydrate_runs: bool = True,
    ) -> Iterator[Run]:
        """The runs below this one, newest first; with `recursive` those below them too."""
        from ._run_kinds import known_run
        from .experiment import filters

        workspace = self._experiment.workspace
        query = {
            "parent": self.id,
            "tag": filters(tags),
            "property": filters(properties),
            "type": type,
            "status": status,
        }
        if recursive:  # a child that does not match may have children that do
            wanted = {run.id for run in self.get_children(False, tags, properties, type, status)}
            for child in self.get_children():
                if child.id in wanted:
                    yield child
                yield from child.get_children(True, tags, properties, type, status)
            return
        with calling(ServiceException):
            for facts in workspace._client.pages(workspace._path("runs"), **query, limit=100):
                yield known_run(self._experiment, facts)

    def _descendants(self, run_type: Optional[str]) -> Iterable[RunLogging]:
        return self.get_children(recursive=True, type=run_type)
