"""What stands in for a run where there is none."""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, Optional

import roost.run


class _OfflineRun:
    """Run.get_context() outside of a run: prints what would be reported, so that a script can be
    tried by itself. It belongs to no experiment, and asking for one is an error."""

    def __init__(self, parent: Optional[_OfflineRun] = None, name: Optional[str] = None) -> None:
        self._report = roost.run.OfflineRun()
        self.id = self.run_id = self._report.id
        self.number = 0
        self.type = None
        self.status = "Running"
        self.parent = parent
        self.display_name = self.name = name or self.id
        self.tags: Dict[str, Optional[str]] = {}
        self.properties: Dict[str, str] = {}
        self.input_datasets: Dict[str, Any] = {}
        self.output_datasets: Dict[str, Any] = {}

    def log(self, name: str, value: Any, description: str = "", step: Optional[int] = None) -> None:
        self._report.log(name, value, step)

    def log_list(self, name: str, value: Any, description: str = "") -> None:
        self._report.log_list(name, list(value))

    def log_row(self, name: str, description: Optional[str] = None, **kwargs: Any) -> None:
        self._report._record("row", name, kwargs)

    def log_table(self, name: str, value: Any, description: str = "") -> None:
        self._report.log_table(name, value)

    def log_image(
        self, name: str, path: Any = None, plot: Any = None, description: str = ""
    ) -> None:
        self._report.log_image(name, path, plot)

    def log_confusion_matrix(self, name: str, value: Any, description: str = "") -> None:
        self._report._record("confusion_matrix", name, value)

    def log_accuracy_table(self, name: str, value: Any, description: str = "") -> None:
        self._report._record("accuracy_table", name, value)

    def log_residuals(self, name: str, value: Any, description: str = "") -> None:
        self._report._record("residuals", name, value)

    def log_predictions(self, name: str, value: Any, description: str = "") -> None:
        self._report._record("predictions", name, value)

    def tag(self, key: str, value: Optional[str] = None) -> None:
        self._report.tag(key, value)
        self.tags[key] = value

    def set_tags(self, tags: Dict[str, Any]) -> None:
        for key, value in tags.items():
            self.tag(key, value)

    def remove_tags(self, tags: Any) -> None:
        for key in [tags] if isinstance(tags, str) else tags:
            self.tags.pop(key, None)

    def get_tags(self) -> Dict[str, Optional[str]]:
        return dict(self.tags)

    def add_properties(self, properties: Dict[str, Any]) -> None:
        self._report.add_properties(properties)
        self.properties.update({key: str(value) for key, value in properties.items()})

    def get_properties(self) -> Dict[str, str]:
        return dict(self.properties)

    def upload_file(
        self, name: str, path_or_stream: Any, datastore_name: Optional[str] = None
    ) -> None:
        self._report.upload_file(name, path_or_stream)

    def upload_files(self, names: List[str], paths: List[Any], **_: Any) -> None:
        for name, path in zip(names, paths):
            self._report.upload_file(name, path)

    def upload_folder(self, name: str, path: Any, datastore_name: Optional[str] = None) -> None:
        self._report.upload_folder(name, path)

    def get_metrics(self, *_: Any, **__: Any) -> Dict[str, Any]:
        """Empty: what was printed is not kept."""
        return {}

    def get_file_names(self) -> List[str]:
        return []

    def get_children(self, *_: Any, **__: Any) -> Iterator[_OfflineRun]:
        return iter(())

    def get_status(self) -> str:
        return self.status

    def get_details(self) -> Dict[str, Any]:
        return {"runId": self.id, "status": self.status, "properties": self.get_properties()}

    def child_run(
        self, name: Optional[str] = None, run_id: Optional[str] = None, outputs: Any = None
    ) -> _OfflineRun:
        return _OfflineRun(self, name)

    def create_children(
        self, count: Optional[int] = None, tag_key: Any = None, tag_values: Any = None
    ) -> List[_OfflineRun]:
        children = [_OfflineRun(self) for _ in (tag_values or range(count or 0))]
        for child, value in zip(children, tag_values or []):
            child.tag(tag_key, value)
        return children

    def get_secret(self, name: str) -> str:
        """The environment variable of that name; see Keyvault."""
        from .keyvault import secret_of_environment

        return secret_of_environment(name)

    def flush(self, timeout_seconds: float = 300) -> None:
        pass

    def complete(self, _set_status: bool = True) -> None:
        self.status = "Completed"

    def fail(
        self, error_details: Any = None, error_code: Optional[str] = None, _set_status: bool = True
    ) -> None:
        self.status = "Failed"

    def cancel(self) -> None:
        self.status = "Canceled"

    def __enter__(self) -> _OfflineRun:
        return self

    def __exit__(self, kind: Any, error: Any, _: Any) -> None:
        self.complete() if error is None else self.fail(error)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(
            f"this script is not in a run, so there is no {name}. Submit it with "
            "Experiment.submit() or `roost submit`, or test for it: "
            "run.id.startswith('OfflineRun')."
        )

    def __repr__(self) -> str:
        return f"_OfflineRun(Id: {self.id})"
