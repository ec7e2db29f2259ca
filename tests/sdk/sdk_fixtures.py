"""The SDK as a user has it: imported from python/, pointed at a server of the test's own."""
import sys
import textwrap
from pathlib import Path
from typing import Any, Callable

import pytest

from roost_fixture import PYTHON, ROOT, RoostServer

sys.path.insert(0, str(ROOT / "python"))


@pytest.fixture
def at_server(shared_server: RoostServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> RoostServer:
    """The SDK finds this server, as one of this machine, and works in a folder of the test's own."""
    for name in ("ROOST_URL", "ROOST_TOKEN", "ROOST_CA_FILE", "ROOST_SPOOL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ROOST_DATA", str(shared_server.data))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    return shared_server


@pytest.fixture
def ws(at_server: RoostServer) -> Any:
    from azureml.core import Workspace

    return Workspace.get("default")


@pytest.fixture
def experiment(ws: Any, name: str) -> Any:
    from azureml.core import Experiment

    return Experiment(ws, name)


class Script:
    """Python source that Experiment.submit takes: the least that is submittable."""

    def __init__(self, folder: Path, code: str, **spec: Any) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "train.py").write_text(textwrap.dedent(code), encoding="utf-8")
        self.folder = folder
        self.spec = {"script": "train.py", "environment": {"python": PYTHON}, **spec}

    def _submission(self, workspace: Any) -> Any:
        from azureml.core._submission import Submission

        return Submission(str(self.folder), self.spec)


@pytest.fixture
def script(tmp_path: Path) -> Callable[..., Script]:
    """script(code, **spec) is something to submit."""
    return lambda code, **spec: Script(tmp_path / "source", code, **spec)
