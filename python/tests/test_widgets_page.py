"""RunDetails as HTML and as text."""

import math
from html.parser import HTMLParser

import pytest
from fake_run import FakeRun, training_run

from azureml.widgets._cells import duration
from azureml.widgets._curve import draw, number
from azureml.widgets._page import as_html
from azureml.widgets._run_view import Curve, RunView, tail_lines
from azureml.widgets._text import as_text

HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>&amp;"
VOID = {"img", "br", "hr"}
BLOCKS = [
    "roost-run",
    "roost-head",
    "roost-status",
    "roost-title",
    "roost-stages",
    "roost-legend",
    "roost-note",
    "roost-curves",
    "roost-log",
]


class Outline(HTMLParser):
    """Tags with their classes, in order; fails on what is not closed in order."""

    def __init__(self, page):
        super().__init__(convert_charrefs=True)
        self.tags, self.open, self.texts, self.attributes = [], [], [], []
        self.feed(page)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)

    @property
    def classes(self):
        return [value for name, value in self.attributes if name == "class"]


def page_of(run, problem=""):
    page = as_html(RunView(run).read(), problem)
    return page, Outline(page)


def test_structure_of_a_training_run():
    page, outline = page_of(training_run())
    blocks = [c for c in outline.classes if c.split()[0] in BLOCKS]
    assert blocks == BLOCKS
    assert outline.tags.count("svg") == 6  # one per scalar curve, two columns of the row
    assert outline.tags.count("table") == 1
    assert "script" not in outline.tags
    for text in ("eager_bird_3", "Running", "Queued 4.0 s", "best_val_acc", "0.9536", "pytorch"):
        assert any(text in found for found in outline.texts), text
    assert "http://127.0.0.1:7000/runs/birds_1_0a1b2c3d" in page


def test_nothing_is_fetched_by_the_page():
    _, outline = page_of(training_run())
    names = {name for name, _ in outline.attributes}
    assert not names & {"src", "onclick", "onload", "onerror", "srcset", "data"}
    assert "url(" not in "".join(outline.texts)


def hostile_run():
    run = FakeRun(name=HOSTILE, status="Failed")
    run.facts.update(experiment=HOSTILE, compute=HOSTILE, notices=[HOSTILE], durations={HOSTILE: 3})
    run.facts["error"] = {"code": "user_error", "message": HOSTILE}
    run.metrics = {
        HOSTILE: ("scalar", [1.0, 2.0]),
        HOSTILE + "2": ("scalar", [HOSTILE]),
        HOSTILE + "3": ("row", [{HOSTILE: 1}, {HOSTILE: 2}]),
        HOSTILE + "4": ("table", [{HOSTILE: [HOSTILE]}]),
    }
    run.logs = {HOSTILE: (HOSTILE + "\n\x1b]0;title\x07\x1b[2Jend").encode()}
    run.children = [{"id": HOSTILE, "display_name": HOSTILE, "status": HOSTILE, "durations": {}}]
    return run


def test_hostile_strings_are_text():
    page, outline = page_of(hostile_run(), problem=HOSTILE)
    assert "script" not in outline.tags
    assert "img" not in outline.tags
    assert "<script" not in page
    assert not [name for name, _ in outline.attributes if name.startswith("on")]
    assert sum(HOSTILE in text for text in outline.texts) >= 9
    assert "\x1b" not in page


def test_hostile_strings_do_not_steer_a_terminal():
    run = hostile_run()
    run.facts["display_name"] = "a\x1b[2J\nb"
    text = as_text(RunView(run).read())
    assert "\x1b" not in text
    assert "\x07" not in text
    assert text.startswith("a\N{REPLACEMENT CHARACTER}[2J\N{REPLACEMENT CHARACTER}b  Failed")


def test_a_link_that_is_not_http_is_not_shown():
    run = FakeRun()
    run.get_portal_url = lambda: "javascript:alert(1)"
    page, outline = page_of(run)
    assert "a" not in outline.tags
    assert "javascript" not in page


def test_a_new_run_has_little_to_show():
    run = FakeRun(status="Starting")
    run.facts["durations"] = {}
    _, outline = page_of(run)
    assert {"svg", "table", "pre"}.isdisjoint(outline.tags)
    assert "roost-stages" not in outline.classes


def test_text():
    lines = as_text(RunView(training_run()).read()).splitlines()
    assert lines[:4] == [
        "eager_bird_3  Running  (experiment birds, on gpu-cluster)",
        "RunId: birds_1_0a1b2c3d",
        "Web View: http://127.0.0.1:7000/runs/birds_1_0a1b2c3d",
        "Stages: Preparing 0.2 s, Queued 4.0 s, Running 1 min 1 s",
    ]
    assert ["loss", "0.1892", "0.1892", "2.4", "40"] in [line.split() for line in lines]
    assert lines[-1] == "  epoch 4: 100%|##########|"
    assert "  epoch 29 ok" in lines


def test_children_are_listed():
    run = FakeRun()
    run.children = [{"id": "c_1", "display_name": "child 1", "status": "Completed"}]
    _, outline = page_of(run)
    assert "child 1" in outline.texts
    assert "  child 1  Completed" in as_text(RunView(run).read()).splitlines()


def test_only_what_changed_is_asked_for_again():
    run = training_run()
    view = RunView(run)
    view.read()
    run._client.asked.clear()
    view.read()
    assert not [path for path in run._client.asked if "/metrics/" in path or "/logs/" in path]
    run.metrics["loss"][1].append(0.05)
    run.logs["azureml-logs/70_driver_log.txt"] += b"more\n"
    run._client.asked.clear()
    state = view.read()
    assert [p for p in run._client.asked if "/metrics/" in p] == [
        "/api/v1/runs/birds_1_0a1b2c3d/metrics/loss"
    ]
    assert state.log_lines[-1] == "more"


def test_the_offline_run_says_so():
    class Offline:
        id = "OfflineRun_1"

        def get_status(self):
            return "Running"

    state = RunView(Offline()).read()
    assert "offline" in as_html(state)
    assert "offline" in as_text(state)


@pytest.mark.parametrize(
    "values",
    [
        [0.0, 0.0],
        [5.0],
        [-1e308, 1e308],
        [1e-320, 2e-320],
        [1e308, 1.7e308],
        [math.nan, 1.0, math.nan],
        [1, 2, 3],
        [-3.0, -3.0],
        [123456789.0, 123456789.1],
    ],
)
def test_any_finite_numbers_can_be_drawn(values):
    drawing = draw(Curve("m", [(float(i), float(v)) for i, v in enumerate(values)]))
    outline = Outline(drawing)
    assert outline.tags[0] == "svg"
    for name, value in outline.attributes:
        if name in ("points", "cx", "cy", "x", "y", "y1", "y2"):
            for part in value.replace(",", " ").split():
                assert -1 <= float(part) <= 330, drawing


def test_a_curve_with_nothing_to_draw():
    assert "no finite value" in draw(Curve("m", [(0.0, math.nan)]))


def test_many_curves_are_cut():
    run = FakeRun()
    run.metrics = {f"m{i}": ("scalar", [1.0, 2.0]) for i in range(100)}
    state = RunView(run).read()
    assert len(state.curves) == 9
    assert "and 40 more" in as_html(state)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (3, "3"),
        (3.0, "3"),
        (0.123456, "0.1235"),
        (1e-9, "1e-09"),
        (1234567.0, "1.235e+06"),
        (math.nan, "NaN"),
        (math.inf, "∞"),
        (True, "True"),
        ("<b>", "&lt;b&gt;"),
    ],
)
def test_numbers(value, text):
    assert number(value) == text


def test_durations():
    assert [duration(s) for s in (0.04, 59.94, 61, 3600 * 5 + 60)] == [
        "40 ms",
        "59.9 s",
        "1 min 1 s",
        "5 h 1 min",
    ]


def test_the_tail_starts_at_a_whole_line():
    assert tail_lines(b"half a line\nwhole\n\n", cut=True) == ["whole"]
    assert tail_lines(b"\xff\x00a\r\n") == ["\N{REPLACEMENT CHARACTER}a"]
    assert tail_lines(b"a\tb\r\n") == ["a" + " " * 7 + "b"]
    assert tail_lines(b"") == []
