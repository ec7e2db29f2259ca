"""Samples: what they convert, and the swagger that is made of them."""

import datetime
import json

import pytest
from scoring import Worker, clean_process

from roost.scoring import swagger


@pytest.fixture(autouse=True)
def schema():
    with clean_process():
        yield


def standard(sample):
    from inference_schema.parameter_types.standard_py_parameter_type import (
        StandardPythonParameterType,
    )

    return StandardPythonParameterType(sample)


@pytest.mark.parametrize(
    "sample, given, made",
    [
        (1, 2, 2),
        (1.5, 2, 2),
        ("a", "b", "b"),
        (True, False, False),
        ([1], [1.5, "x"], [1.5, "x"]),
        ({"a": 1}, {"b": 2}, {"b": 2}),
        (b"x", "YWJj", b"abc"),
        (
            datetime.datetime(2020, 1, 1),
            "2021-02-03T04:05:06",
            datetime.datetime(2021, 2, 3, 4, 5, 6),
        ),
    ],
)
def test_standard(sample, given, made):
    assert standard(sample).deserialize_input(given) == made


@pytest.mark.parametrize("sample, given", [(1, "x"), (1, 1.5), ("a", 1), ([1], "x"), ({"a": 1}, 3)])
def test_standard_refuses(sample, given):
    with pytest.raises(ValueError):
        standard(sample).deserialize_input(given)


def test_nested():
    kind = standard({"a": standard([1]), "c": 0})
    made = kind.deserialize_input({"a": [3], "c": 5})
    assert made == {"a": [3], "c": 5}


def test_numpy():
    numpy = pytest.importorskip("numpy")
    from inference_schema.parameter_types.numpy_parameter_type import NumpyParameterType

    kind = NumpyParameterType(numpy.array([[1.5, 2.5]]))
    made = kind.deserialize_input([[1, 2], [3, 4]])
    assert made.shape == (2, 2) and made.dtype == numpy.float64
    for wrong in ([[1]], [1, 2], [["x", "y"]]):
        with pytest.raises(ValueError):
            kind.deserialize_input(wrong)
    loose = NumpyParameterType(numpy.array([[1.5, 2.5]]), enforce_shape=False)
    assert loose.deserialize_input([1]).shape == (1,)
    described = kind.input_to_swagger()
    assert described == {
        "type": "array",
        "items": {"type": "array", "items": {"type": "number", "format": "double"}},
        "format": "numpy.ndarray",
        "example": [[1.5, 2.5]],
    }
    with pytest.raises(Exception, match=r"array|ndarray"):
        NumpyParameterType([1])


def test_records():
    numpy = pytest.importorskip("numpy")
    from inference_schema.parameter_types.numpy_parameter_type import NumpyParameterType

    fields = numpy.dtype([("name", "U16"), ("grades", numpy.float64, (2,))])
    kind = NumpyParameterType(numpy.array([("Sarah", (8.0, 7.0))], dtype=fields))
    made = kind.deserialize_input([{"name": "John", "grades": [1, 2]}])
    assert made["name"][0] == "John" and made["grades"].tolist() == [[1.0, 2.0]]
    described = kind.input_to_swagger()
    assert described["example"] == [{"name": "Sarah", "grades": [8.0, 7.0]}]
    assert described["items"]["properties"]["grades"]["items"]["format"] == "double"


@pytest.mark.parametrize("orient", ["split", "records", "index", "columns", "values", "table"])
def test_pandas(orient):
    pandas = pytest.importorskip("pandas")
    from inference_schema.parameter_types.pandas_parameter_type import PandasParameterType

    frame = pandas.DataFrame({"a": [1.5, 2.0], "b": [1, 2]})
    kind = PandasParameterType(frame, apply_column_names=True, orient=orient)
    made = kind.deserialize_input(json.loads(frame.to_json(orient=orient)))
    assert made["a"].tolist() == [1.5, 2.0] and made["b"].tolist() == [1, 2]
    assert kind.input_to_swagger()["format"] == f"pandas.DataFrame:{orient}"


def test_documents(tmp_path, monkeypatch):
    from inference_schema.schema_decorators import input_schema, output_schema

    @input_schema("data", standard([[1.5]]))
    @output_schema(standard("label"))
    def run(data):
        return data

    monkeypatch.setenv("SERVICE_NAME", "birds")
    found = swagger.documents(run, str(tmp_path))
    assert sorted(found) == ["2", "3", "3.1"] and not found["2"]["own"]
    two, three = found["2"]["document"], found["3"]["document"]
    assert (two["swagger"], two["info"]["title"], two["info"]["version"]) == ("2.0", "birds", "1.0")
    assert two["schemes"] == ["https"] and sorted(two["paths"]) == ["/", "/score", "/swagger.json"]
    post = two["paths"]["/score"]["post"]
    assert post["operationId"] == "RunMLService"
    assert post["parameters"][0]["name"] == "serviceInputPayload"
    number = {"type": "number", "format": "double"}
    assert two["definitions"]["ServiceInput"] == {
        "type": "object",
        "properties": {
            "data": {"type": "array", "items": {"type": "array", "items": number}}
        },
        "example": {"data": [[1.5]]},
    }
    assert two["definitions"]["ServiceOutput"] == {"type": "string", "example": "label"}
    assert three["components"]["schemas"]["ServiceInput"] == two["definitions"]["ServiceInput"]
    assert (three["openapi"], found["3.1"]["document"]["openapi"]) == ("3.0.3", "3.1.0")


def test_document_without_samples(tmp_path):
    found = swagger.documents(lambda data: data, str(tmp_path))
    definitions = found["2"]["document"]["definitions"]
    assert definitions["ServiceInput"] == {"type": "object", "example": {}}


def test_documents_of_the_user(tmp_path):
    (tmp_path / "swagger.json").write_text('{"mine": 2}')
    (tmp_path / "swagger3.json").write_text("{")
    found = swagger.documents(lambda data: data, str(tmp_path))
    assert found["2"] == {"own": True, "document": {"mine": 2}} and not found["3"]["own"]


def test_stand_in_is_used_in_a_worker(tmp_path):
    """And only where the real one is not installed."""
    (tmp_path / "packages" / "inference_schema").mkdir(parents=True)
    (tmp_path / "packages" / "inference_schema" / "__init__.py").write_text("REAL = True")
    text = """
        import inference_schema
        def init(): pass
        def run(data): return [inference_schema.__file__, hasattr(inference_schema, "REAL")]
    """
    import os

    worker = Worker(tmp_path, text)
    file, is_real = worker.ask("x").json
    assert not is_real
    worker.close()
    both = os.pathsep.join([str(tmp_path / "packages"), os.path.dirname(os.path.dirname(__file__))])
    worker = Worker(tmp_path, text, PYTHONPATH=both)
    assert worker.ask("x").json[1]
    worker.close()
