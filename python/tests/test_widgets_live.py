"""RunDetails.show(): at once, and up to date while the run goes on."""

import sys
import threading
import types

import pytest
from fake_run import FakeRun, training_run

from azureml.exceptions import UserErrorException
from azureml.widgets import RunDetails, _live


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(_live, "_FIRST_PAUSE_SECONDS", 0.005)
    monkeypatch.setattr(_live, "_LONGEST_PAUSE_SECONDS", 0.01)
    yield
    for stop in list(_live._watchers.values()):
        stop.set()


class Notebook:
    """What IPython.display does, kept in a list."""

    def __init__(self, kernel=True):
        self.shown = []
        self.changed = threading.Condition()
        shell = types.SimpleNamespace(kernel=object() if kernel else None)
        self.package = types.ModuleType("IPython")
        self.package.get_ipython = lambda: shell
        self.package.__path__ = []
        self.display_module = types.ModuleType("IPython.display")
        self.display_module.display = lambda bundle, raw, display_id: self._show(
            "display", bundle, raw, display_id
        )
        self.display_module.update_display = lambda bundle, raw, display_id: self._show(
            "update", bundle, raw, display_id
        )

    def _show(self, how, bundle, raw, display_id):
        assert raw is True
        assert set(bundle) == {"text/html", "text/plain"}
        with self.changed:
            self.shown.append((how, bundle["text/html"], display_id))
            self.changed.notify_all()

    def wait_for(self, text):
        with self.changed:
            assert self.changed.wait_for(lambda: text in self.shown[-1][1], 10), self.shown[-1][1]

    def install(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "IPython", self.package)
        monkeypatch.setitem(sys.modules, "IPython.display", self.display_module)


@pytest.fixture
def notebook(monkeypatch):
    notebook = Notebook()
    notebook.install(monkeypatch)
    return notebook


def watchers():
    return [thread for thread in threading.enumerate() if thread.name.startswith("RunDetails ")]


def wait_for_watchers():
    for thread in watchers():
        thread.join(10)
    assert not watchers()


def test_follows_to_the_end_and_stops(notebook):
    run = FakeRun(status="Queued")
    assert RunDetails(run).show() is None
    assert notebook.shown[0][0] == "display"
    assert "Queued" in notebook.shown[0][1]
    run.facts["status"] = "Running"
    run.metrics["loss"] = ("scalar", [3.0, 2.0])
    notebook.wait_for("</svg>")
    run.facts["status"] = "Completed"
    notebook.wait_for(">Completed<")
    wait_for_watchers()
    assert {shown[0] for shown in notebook.shown[1:]} == {"update"}
    assert len({shown[2] for shown in notebook.shown}) == 1
    assert _live._watchers == {}


def test_a_run_that_has_ended_needs_no_thread(notebook):
    RunDetails(FakeRun(status="Completed")).show()
    assert not watchers()
    assert len(notebook.shown) == 1


def test_nothing_new_is_not_shown_again(notebook):
    run = FakeRun()
    RunDetails(run).show()
    asked = len(run._client.asked)
    while len(run._client.asked) < asked + 20:
        pass
    assert len(notebook.shown) == 1
    run.facts["status"] = "Canceled"
    wait_for_watchers()


def test_a_server_that_is_away_is_told_and_tried_again(notebook):
    run = FakeRun()
    RunDetails(run).show()
    run.failure = RuntimeError("no answer <here>")
    notebook.wait_for("not up to date: no answer &lt;here&gt;")
    run.failure = None
    run.facts["status"] = "Failed"
    notebook.wait_for(">Failed<")
    assert "not up to date" not in notebook.shown[-1][1]
    wait_for_watchers()


@pytest.mark.usefixtures("notebook")
def test_a_second_show_takes_over():
    run = FakeRun()
    details = RunDetails(run)
    details.show()
    first = watchers()
    details.show()
    first[0].join(10)
    assert not first[0].is_alive()
    assert len(watchers()) == 1
    run.facts["status"] = "Completed"
    wait_for_watchers()


@pytest.mark.parametrize("ipython", ["absent", "without a kernel"])
def test_text_on_a_terminal(monkeypatch, capsys, ipython):
    monkeypatch.setitem(sys.modules, "IPython", None)
    if ipython != "absent":
        Notebook(kernel=False).install(monkeypatch)
    RunDetails(training_run()).show(render_lib=None, widget_settings={"debug": True})
    assert capsys.readouterr().out.startswith("eager_bird_3  Running")
    assert not watchers()


def test_ipython_is_never_imported_for_this(script):
    out, _ = script.run(
        "import sys\n"
        "from azureml.widgets import RunDetails, _live\n"
        "assert _live.notebook() is None\n"
        "from azureml.train.widgets import RunDetails as Old\n"
        "assert Old is RunDetails\n"
        "print('IPython' in sys.modules)\n"
    )
    assert out == "False\n"


def test_widget_data_is_plain():
    import json

    data = RunDetails(training_run()).get_widget_data()
    assert data["status"] == "Running"
    assert data["metrics"][0]["name"] == "loss"
    json.dumps(data)


def test_only_runs_can_be_shown():
    with pytest.raises(UserErrorException, match="takes a run, not str"):
        RunDetails("birds_1")
