"""What runs of `roost model export` and `roost score` are made of, without PyTorch."""

import json

import pytest

from roost.inference.input_shapes import other_sizes, parse_inputs
from roost.inference.load_torch import find_file, parse_function
from roost.inference.problem import Problem
from roost.inference.score_inputs import ImageOptions, read_inputs, write_outputs
from roost.inference.script_definitions import ScriptDefinitions
from roost.inference.tensors import from_values, read_npy, to_values, write_npy


def test_the_first_dimension_is_the_batch_and_never_traced_at_one():
    (one,) = parse_inputs(["1x3x8x8"])
    assert (one.sizes, one.names, one.dtype) == ((2, 3, 8, 8), ("batch", "", "", ""), "float32")
    assert other_sizes([one]) == [{"batch": 1}, {"batch": 3}]
    assert parse_inputs(["1x3"], fixed=True)[0].sizes == (1, 3)


def test_names_types_and_other_dimensions():
    ids, mask = parse_inputs(["ids=2xlength@16:int64:100", "mask=2xlength@16"])
    assert (ids.name, ids.names, ids.dtype, ids.below) == ("ids", ("batch", "length"), "int64", 100)
    assert mask.at({"batch": 3, "length": 5}) == (3, 5)
    (apart,) = parse_inputs(["16xbatch@4x8"])
    assert apart.names == ("", "batch", "")


@pytest.mark.parametrize(
    "words",
    [[], ["2xx"], ["2x3:complex"], ["a=2", "3"], ["2x0"], ["2:float32:5"], ["a=2xn@3", "b=2xn@4"]],
)
def test_inputs_that_cannot_be_read(words):
    with pytest.raises(Problem):
        parse_inputs(words)


def test_functions():
    assert parse_function("net:make") == ("net", "make", {})
    assert parse_function("a/net.py:Net(classes=2)") == ("a/net.py", "Net", {"classes": 2})
    for wrong in ("net", "net:", ":make", "net:make(2)", "net:make(x=y)"):
        with pytest.raises(Problem):
            parse_function(wrong)


def test_a_script_gives_its_classes_without_training(tmp_path):
    script = tmp_path / "train.py"
    script.write_text(
        "import json\nimport no_such_module\nWIDTH = 3\n"
        "class Base: pass\nclass Net(Base):\n    size = WIDTH\n"
        "    def text(self): return json.dumps(self.size)\n"
        "raise SystemExit('trains')\n"
    )
    definitions = ScriptDefinitions(str(script))
    assert definitions.get("Net")().text() == "3"
    assert definitions.get("Net") is definitions.get("Net")
    with pytest.raises(AttributeError):
        definitions.get("Other")


def test_which_file_is_the_model(tmp_path):
    (tmp_path / "net").mkdir()
    (tmp_path / "net" / "model.pt").write_text("")
    (tmp_path / "net" / "labels.txt").write_text("")
    assert find_file(str(tmp_path)).endswith("net/model.pt")
    (tmp_path / "net" / "other.pt").write_text("")
    with pytest.raises(Problem, match="--file"):
        find_file(str(tmp_path))
    assert find_file(str(tmp_path), "other.pt").endswith("net/other.pt")


@pytest.mark.parametrize("datatype", ["FP32", "INT64", "UINT8", "BOOL", "FP64", "BYTES"])
def test_tensors_there_and_back(datatype):
    values = [["a", "bc"]] if datatype == "BYTES" else [[1, 0], [1, 1]]
    tensor = from_values(values, datatype)
    assert to_values(tensor) == values
    if datatype != "BYTES":
        assert read_npy(write_npy(tensor), "x.npy") == tensor


def test_files_are_read_as_the_model_takes_them(tmp_path):
    wanted = [("data", "FP32", [-1, 3])]
    options = ImageOptions()

    def read(name, content):
        path = tmp_path / name
        path.write_bytes(content)
        return read_inputs(str(path), wanted, options)["data"]

    expected = from_values([[1, 2, 3]], "FP32")
    for text in (
        "[[1, 2, 3]]",
        "[1, 2, 3]",
        '{"data": [[1, 2, 3]]}',
        '{"inputs": {"data": [[1, 2, 3]]}}',
    ):
        assert read("a.json", text.encode()) == expected
    assert read("a.csv", b"x,y,z\n1,2,3\n") == expected
    assert read("a.npy", write_npy(from_values([[1, 2, 3]], "INT64"))) == expected
    for name, content in (
        ("a.json", b"{"),
        ("b.csv", b"a,b\nc,d\n"),
        ("c.npy", b"no"),
        ("d.zip", b""),
    ):
        with pytest.raises(Problem):
            read(name, content)


def test_results_are_of_the_kind_of_the_file(tmp_path):
    outputs = {"scores": from_values([[0.5, 1]], "FP32"), "label": from_values([1], "INT64")}
    where = str(tmp_path / "a")
    assert write_outputs("a.csv", where + ".csv", outputs) == where + ".csv"
    assert (tmp_path / "a.csv").read_text() == "scores_0,scores_1,label\n0.5,1.0,1\n"
    assert write_outputs("a.npy", where + ".npy", outputs) == where + ".npy.npz"
    assert write_outputs("a.png", where + ".png", outputs) == where + ".png.json"
    assert json.loads((tmp_path / "a.png.json").read_text()) == {
        "scores": [[0.5, 1.0]],
        "label": [1],
    }
