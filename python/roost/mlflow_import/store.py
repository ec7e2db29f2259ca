"""What an MLflow store has, whatever it is kept in."""

from __future__ import annotations

from typing import BinaryIO, Dict, Iterator, List, NamedTuple, Optional

Labels = Dict[str, str]


class StoreError(Exception):
    """The store cannot be read; the message says why and what to do."""


class Experiment(NamedTuple):
    id: str
    name: str
    is_deleted: bool
    tags: Labels


class DatasetInput(NamedTuple):
    dataset: Dict[str, str]  # name, digest, source_type, source, schema, profile
    tags: Labels


class Run(NamedTuple):
    id: str
    name: str
    user: str
    status: str  # RUNNING, SCHEDULED, FINISHED, FAILED, KILLED
    start: Optional[int]  # milliseconds
    end: Optional[int]
    is_deleted: bool
    artifact_uri: str  # or where the run lies, for a store of files
    params: Labels
    tags: Labels
    metrics: List[str]
    inputs: List[DatasetInput]


class Point(NamedTuple):
    at: int  # milliseconds
    step: int
    value: float


class File(NamedTuple):
    path: str  # below the run's artifacts
    size: int


class Version(NamedTuple):
    number: int
    source: str
    run: str
    description: str
    stage: str
    tags: Labels
    run_link: str
    model_id: str  # of the logged model it was made of


class RegisteredModel(NamedTuple):
    name: str
    description: str
    tags: Labels
    aliases: Labels  # alias -> number of a version
    versions: List[Version]  # by number; those that were deleted are missing


class Store:
    """Reads one store. Nothing of it is changed."""

    where = ""

    def experiments(self) -> Iterator[Experiment]:
        raise NotImplementedError

    def runs(self, experiment: Experiment) -> Iterator[Run]:
        """Also deleted ones."""
        raise NotImplementedError

    def history(self, run: Run, metric: str) -> Iterator[Point]:
        raise NotImplementedError

    def files(self, run: Run) -> Iterator[File]:
        """StoreError if they lie where they cannot be had from here."""
        raise NotImplementedError

    def open_file(self, run: Run, path: str) -> BinaryIO:
        """Seekable, from its start."""
        raise NotImplementedError

    def artifact_root(self, run: Run) -> str:
        """Where MLflow says the run's files are."""
        return run.artifact_uri

    def models(self) -> Iterator[RegisteredModel]:
        raise NotImplementedError

    def close(self) -> None:
        pass
