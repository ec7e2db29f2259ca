"""What tests of web services begin with: a fake server, a model, a folder with scripts."""

import pytest
from fake_endpoints import FakeEndpoints

from azureml.core import Environment, Model, Workspace
from azureml.core.model import InferenceConfig


@pytest.fixture
def server(connected):
    return FakeEndpoints(connected)


@pytest.fixture
def ws(server):
    return Workspace.get("default")


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A folder with a script, one beside it, and one that git is told to leave out."""
    source = tmp_path / "source"
    (source / "deep").mkdir(parents=True)
    (source / "score.py").write_text("def init(): pass\ndef run(data): return data\n")
    (source / "deep" / "score.py").write_text("")
    (source / ".gitignore").write_text("extra.json\n")
    (source / ".amlignore").write_text("extra.json\n")
    (source / "extra.json").write_text("{}")
    (tmp_path / "score.py").write_text("")
    (tmp_path / "env.yml").write_text("dependencies: [python=3.8, {pip: [numpy==1.24.2]}]\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def model(server, ws):
    server.add_model("birds")
    return Model(ws, "birds")


@pytest.fixture
def inference(project):
    return InferenceConfig(entry_script="score.py", environment=Environment("scoring"))
