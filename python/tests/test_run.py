import math
import os
import re
import subprocess
import sys

import pytest
from conftest import PYTHON_FOLDER, read_spool

from roost import OfflineRun, RoostError, Run
from roost.spool import SpoolWriter


@pytest.fixture
def run(tmp_path):
    return Run("birds_1_0a1b2c3d", SpoolWriter(str(tmp_path)))


class Scalar:
    """As a numpy or torch scalar."""

    def __init__(self, value):
        self.value = value

    def item(self):
        return self.value


class Array:
    def __init__(self, values):
        self.values = values

    def tolist(self):
        return self.values

    def item(self):
        raise ValueError("only one element tensors can be converted to Python scalars")


@pytest.mark.parametrize(
    "value, logged",
    [
        (0.1, 0.1),
        (-1e-300, -1e-300),
        (5, 5),
        (1 << 62, 1 << 62),
        (1 << 64, float(1 << 64)),
        (10**400, "Infinity"),
        (True, True),
        ("done", "done"),
        ('quote " newline \n nul \0 bird \U0001f414', 'quote " newline \n nul \0 bird \U0001f414'),
        ("\udcff", "\ufffd"),
        (math.nan, "NaN"),
        (math.inf, "Infinity"),
        (-math.inf, "-Infinity"),
        (Scalar(0.25), 0.25),
        (Scalar(math.nan), "NaN"),
        (Scalar(False), False),
        (Array([0.5]), 0.5),
        (b"raw", "b'raw'"),
    ],
)
def test_scalar_values(run, tmp_path, value, logged):
    run.log("m", value)
    ((_, _, read, _, _),) = read_spool(tmp_path)
    assert read == logged and type(read) is type(logged)


def test_what_is_no_scalar_is_said_once_and_stops_nothing(run, tmp_path, capfd):
    for value in (Array([1, 2]), [0.5, 0.25], {"a": 1}, None):
        for _ in range(3):
            run.log(f"a {type(value).__name__}", value)
    assert read_spool(tmp_path) == []
    told = capfd.readouterr().err.splitlines()
    assert len(told) == 4
    assert all(line.startswith("roost: run.log: 'a ") and "log_histogram" in line for line in told)


def test_every_double_comes_back_exactly(run, tmp_path):
    values = [math.ldexp(math.sin(n), n % 2000 - 1000) for n in range(1, 5000)]
    for value in values:
        run.log("m", value)
    assert [record[2] for record in read_spool(tmp_path)] == values


def test_numpy_and_torch(run, tmp_path):
    numpy = pytest.importorskip("numpy")
    torch = pytest.importorskip("torch")
    run.log("m", numpy.float64(0.1), numpy.int64(1))
    run.log("m", numpy.float32(0.5), torch.tensor(2))
    run.log("m", torch.tensor([0.25], requires_grad=True), 3.0)
    run.log("m", numpy.bool_(True), 4)
    run.log_list("m", torch.tensor([1.0, math.inf]))
    run.log_table("t", {"x": numpy.arange(3)})
    values = [(record[2], record[3]) for record in read_spool(tmp_path)]
    assert values[:4] == [(0.1, 1), (0.5, 2), (0.25, 3), (True, 4)]
    assert values[4:] == [([1.0, "Infinity"], None), ({"x": [0, 1, 2]}, None)]


def test_other_kinds(run, tmp_path):
    run.log_list("l", (n / 2 for n in range(3)), step=4)
    run.log_row("r", x=1, y=math.nan)
    run.log_table("t", {"x": [1, 2], "y": "one"})
    run.log_confusion_matrix("c", {"data": {"matrix": [[1, 0], [0, Scalar(2)]]}})
    run.log_accuracy_table("a", {"data": 1})
    run.log_residuals("e", {"data": 2})
    run.log_predictions("p", {"data": 3})
    run.tag("phase", "warm")
    run.tag("seen")
    run.add_properties({"seed": 7})
    assert [record[:4] for record in read_spool(tmp_path)] == [
        ["list", "l", [0.0, 0.5, 1.0], 4],
        ["row", "r", {"x": 1, "y": "NaN"}, None],
        ["table", "t", {"x": [1, 2], "y": ["one"]}, None],
        ["confusion_matrix", "c", {"data": {"matrix": [[1, 0], [0, 2]]}}, None],
        ["accuracy_table", "a", {"data": 1}, None],
        ["residuals", "e", {"data": 2}, None],
        ["predictions", "p", {"data": 3}, None],
        ["tag", "phase", "warm", None],
        ["tag", "seen", None, None],
        ["property", "seed", "7", None],
    ]


def test_context_in_a_run(script):
    out, _ = script.run(
        """
import roost
from roost.run import run, log
context = roost.Run.get_context()
assert context is run and context.get_context(allow_offline=False) is run
roost.run.log("loss", 0.5, step=1)
log("loss", 0.25, step=2)
run.flush()
print(run.id, run.experiment, run.workspace)
""",
        AZUREML_ARM_PROJECT_NAME="birds",
        ROOST_WORKSPACE="farm",
    )
    assert out == "birds_1_0a1b2c3d birds farm\n"
    assert [(record[2], record[3]) for record in read_spool(script.spool)] == [(0.5, 1), (0.25, 2)]


def test_offline(script):
    out, err = script.run(
        """
import roost, roost.run
from roost.run import run
roost.run.log("loss", 0.5, step=1)
run.log_row("r", x=1)
run.log_list("l", [1, 2])
run.log_table("t", 3)
run.log_image("i", plot=object())
run.log_confusion_matrix("c", None)
run.tag("k"), run.add_properties(None)
run.upload_file("a", "/nowhere"), run.upload_folder("a", "/nowhere")
run.flush()
assert run.id.startswith("OfflineRun_") and run.parent is None
try:
    run.get_context(allow_offline=False)
except roost.RoostError as error:
    print(error.code)
""",
        ROOST_SPOOL=None,
    )
    assert out.startswith(
        "Attempted to log scalar metric loss:\n0.5\nAttempted to log row metric r:\n{'x': 1}\n"
    )
    assert out.endswith("failed_precondition\n")
    assert err == ""


def test_offline_survives_a_closed_stdout():
    code = "import sys, roost.run\nsys.stdout.close()\nroost.run.log('loss', 1)\nsys.stdout = None"
    environment = {**os.environ, "PYTHONPATH": PYTHON_FOLDER}
    environment.pop("ROOST_SPOOL", None)
    subprocess.run([sys.executable, "-c", code], env=environment, check=True)


@pytest.mark.parametrize("name", ["", ".", "/etc/passwd", "outputs/../../x"])
def test_artifact_name_stays_inside(run, name):
    with pytest.raises(RoostError, match=re.escape(repr(name))):
        run.upload_file(name, __file__)


def test_log_image_takes_one_source(run):
    with pytest.raises(ValueError):
        run.log_image("i")
    assert isinstance(OfflineRun(), Run)
