"""RunDetails of a sweep: as text, as HTML, and its repr."""

import math

import pytest
from fake_run import FakeRun
from test_widgets_page import HOSTILE, Outline

from azureml.widgets import RunDetails
from azureml.widgets._page import as_html
from azureml.widgets._parallel import draw_parallel
from azureml.widgets._run_view import RunView, Search
from azureml.widgets._text import as_text

SPACE = ["lr", "kind", "momentum"]


class FakeSweep(FakeRun):
    type = "hyperdrive"

    def __init__(self, trials, goal="maximize", **facts):
        super().__init__(run_id="HD_1")
        self.facts["type"] = "hyperdrive"
        best = [t for t in trials if isinstance(t["best"], (int, float)) and t["best"] == t["best"]]
        top = max(best, key=lambda t: t["best"], default=None)
        self.sweep = {
            "spec": {
                "metric": {"name": "accuracy", "goal": goal},
                "space": [{"name": name} for name in SPACE],
            },
            "message": "3 of at most 8 children ended, 1 running",
            "counts": {"completed": 3, "running": 1, "failed": 0},
            "best": top and {"run": top["run"], "value": top["best"]},
            **facts,
        }
        self._client.get_sweep = lambda run: self.sweep
        self._client.list_trials = lambda run, limit: iter(trials)


def trial(number, best, reason="", **parameters):
    return {
        "number": number,
        "run": f"HD_1_{number}",
        "parameters": parameters,
        "status": "Canceled" if reason else "Completed",
        "state": "stopped" if reason else "completed",
        "best": best,
        "reason": reason,
        "started_at": "2026-01-02T03:04:05.000000Z",
        "ended_at": "2026-01-02T03:04:07.500000Z" if best is not None else None,
    }


TRIALS = [
    trial(0, 0.5, lr=0.001, kind="sgd", momentum=0.9),
    trial(1, 0.9, lr=0.2, kind="adam"),
    trial(2, 0.25, "stopped at interval 3: 0.250 is below the cut 0.8", lr=0.0001, kind="sgd"),
    trial(3, None, lr=0.1, kind="adam"),
]


def state_of(trials=TRIALS, **more):
    return RunView(FakeSweep(trials, **more)).read()


def test_best_first_and_those_without_a_value_last():
    state = state_of()
    assert [child.id[-1] for child in state.children] == ["1", "0", "2", "3"]
    assert [child.seconds for child in state.children] == [2.5, 2.5, 2.5, None]
    low_first = state_of(goal="minimize")
    assert [child.id[-1] for child in low_first.children] == ["2", "0", "1", "3"]
    assert state.search.parameters == SPACE and state.search.counts == {
        "completed": 3,
        "running": 1,
    }


def test_text():
    lines = as_text(state_of()).splitlines()
    start = lines.index("Sweep: maximize accuracy. 3 of at most 8 children ended, 1 running")
    assert lines[start + 1] == "Best: 0.9 by HD_1_1"
    head, best, second, stopped, waiting = (line.split() for line in lines[start + 2 : start + 7])
    assert head == ["run", "accuracy", "status", "time", *SPACE, "why"]
    assert best[:6] == ["*", "HD_1_1", "0.9", "Completed", "2.5", "s"] and best[6:] == [
        "0.2",
        "adam",
    ]
    assert second[:2] == ["HD_1_0", "0.5"]
    assert stopped[2] == "Stopped" and "below the cut 0.8" in " ".join(stopped)
    assert waiting == ["HD_1_3", "Completed", "0.1", "adam"]


def test_html():
    page = as_html(state_of())
    outline = Outline(page)
    assert outline.tags.count("svg") == 2 and outline.tags.count("polyline") == 1 + 3
    assert "best accuracy" in outline.texts and "trial 0" in outline.texts
    assert page.count('<tr class="roost-best">') == 1
    assert "stopped at interval 3" in page and "best: 0.9 by HD_1_1" in page


def test_the_best_so_far_goes_one_way():
    trials = [trial(n, value, lr=0.1) for n, value in enumerate([0.5, 0.2, math.nan, 0.7, 0.6])]
    (curve,) = state_of(trials).curves
    assert curve.points == [(0, 0.5), (1, 0.5), (3, 0.7), (4, 0.7)] and curve.last == 0.7
    (curve,) = state_of(trials, goal="minimize").curves
    assert [y for _, y in curve.points] == [0.5, 0.2, 0.2, 0.2]


def test_nothing_yet():
    state = state_of([], message="", best=None, counts={})
    assert "Sweep: maximize accuracy." in as_text(state) and "svg" not in as_html(state)
    one = state_of([trial(0, math.nan, lr=1), trial(1, 0.5, lr=2)])
    assert one.curves == [] and 'roost-parallel"' not in as_html(one)


def test_hostile_names_and_values():
    trials = [trial(n, n / 2, HOSTILE, **{HOSTILE: HOSTILE, "lr": n}) for n in range(3)]
    sweep = FakeSweep(trials, message=HOSTILE)
    sweep.sweep["spec"]["space"] = [{"name": HOSTILE}, {"name": "lr"}]
    sweep.sweep["spec"]["metric"]["name"] = HOSTILE
    state = RunView(sweep).read()
    outline = Outline(as_html(state))
    assert not {"script", "img"} & set(outline.tags)
    assert "\x1b" not in as_text(state)


@pytest.mark.parametrize(
    "values",
    [
        [1, 1],
        [1e-300, 1e300],
        [5e-324, 1.7e308],
        [-1.7e308, 1.7e308],
        [0, 1e-5],
        ["a", 1],
        [True, False],
        [None, None],
        [None, 3],
        [[1, 2], [3]],
    ],
)
def test_axes_hold_any_value(values):
    search = Search("m", "maximize", "", parameters=["p"])
    search.tried = [({} if v is None else {"p": v}, float(i)) for i, v in enumerate(values)]
    drawn = draw_parallel(search)
    Outline(drawn)
    assert drawn.count("<polyline") == 2 and "nan" not in drawn and "inf" not in drawn


def test_many_trials_are_cut():
    state = state_of([trial(n, n / 1000, lr=0.1) for n in range(1000)])
    assert len(state.children) == 20 and state.children_left_out
    assert as_html(state).count("<polyline") == 1 + 200
    assert as_text(state).count("HD_1_") == 20 + 1 and "and more" in as_text(state)


def test_repr(monkeypatch, capsys):
    details = RunDetails(FakeSweep(TRIALS))
    assert repr(details) == "_HyperDriveWidget(widget_settings={})"
    details.show(widget_settings={"childWidgetDisplay": "popup"})
    assert repr(details) == "_HyperDriveWidget(widget_settings={'childWidgetDisplay': 'popup'})"
    assert "HD_1_1" in capsys.readouterr().out
    assert repr(RunDetails(FakeRun())) == "_UserRunWidget(widget_settings={})"
