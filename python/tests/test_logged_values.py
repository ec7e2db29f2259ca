"""What roost.log_image, log_table, log_histogram and config take."""

import argparse
import dataclasses
import enum
import io
import math
import struct
import sys
import zlib
from pathlib import Path

import pytest

from roost import image_values, params, table_values
from roost.image_values import image_file
from roost.params import params_of
from roost.table_values import columns_of, histogram_of

numpy = pytest.importorskip("numpy")


def read_png(content):
    """(width, height, channels, pixels), by the rules of the format."""
    assert content.startswith(b"\x89PNG\r\n\x1a\n")
    at, chunks = 8, {}
    while at < len(content):
        (length,) = struct.unpack(">I", content[at : at + 4])
        kind, data = content[at + 4 : at + 8], content[at + 8 : at + 8 + length]
        (checksum,) = struct.unpack(">I", content[at + 8 + length : at + 12 + length])
        assert checksum == zlib.crc32(kind + data)
        chunks[kind] = data
        at += 12 + length
    width, height, depth, colour, *_ = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
    assert depth == 8
    channels = {0: 1, 4: 2, 2: 3, 6: 4}[colour]
    raw = zlib.decompress(chunks[b"IDAT"])
    stride = width * channels + 1
    assert len(raw) == stride * height and not any(raw[::stride])
    pixels = b"".join(raw[i + 1 : i + stride] for i in range(0, len(raw), stride))
    return width, height, channels, list(pixels)


@pytest.fixture(params=["numpy", "without numpy"])
def arrays(request, monkeypatch):
    """Arrays as numpy's, or as lists where there is no numpy."""
    if request.param == "numpy":
        return numpy.array
    monkeypatch.setattr(image_values, "_as_numpy", lambda _: None)
    return lambda rows, dtype=None: numpy.array(rows, dtype=dtype).tolist()


def test_arrays(arrays):
    grey = [[0, 128, 255], [1, 2, 300]]
    assert read_png(image_file(arrays(grey)).content) == (3, 2, 1, [0, 128, 255, 1, 2, 255])
    fractions = [[0.0, 0.5], [1.0, math.nan]]
    assert read_png(image_file(arrays(fractions)).content) == (2, 2, 1, [0, 128, 255, 0])
    assert read_png(image_file(arrays([[0.0, 200.0]])).content)[3] == [0, 200]
    assert read_png(image_file(arrays([[True, False]])).content)[3] == [255, 0]
    colour = [[[1, 2, 3], [4, 5, 6]]]
    assert read_png(image_file(arrays(colour)).content) == (2, 1, 3, [1, 2, 3, 4, 5, 6])
    channels_first = numpy.moveaxis(numpy.array([[[1, 2, 3]] * 5]), -1, 0)  # 3 x 1 x 5
    assert read_png(image_file(arrays(channels_first)).content) == (5, 1, 3, [1, 2, 3] * 5)


def test_what_is_no_array_of_an_image(arrays):
    refused = {(2, 3, 5): "1, 3 or 4 channels", (2, 3, 4, 4): "one by one", (3,): "3"}
    for shape, says in refused.items():
        with pytest.raises(ValueError, match=says):
            image_file(arrays(numpy.zeros(shape)))
    with pytest.raises(ValueError):
        image_file(arrays(numpy.zeros((0, 3))))


def test_other_images(tmp_path):
    content = image_file(numpy.zeros((2, 2))).content
    (tmp_path / "a.PNG").write_bytes(content)
    assert image_file(tmp_path / "a.PNG") == (content, ".png") == image_file(content)
    assert image_file(b"\xff\xd8\xff\xe0").suffix == ".jpg"
    with pytest.raises(ValueError, match="not those of an image file"):
        image_file(b"hello")

    class Figure:
        def savefig(self, out, format):
            out.write(b"\x89PNG\r\n\x1a\n")

    class Axes:
        figure = Figure()

    assert image_file(Figure()) == image_file(Axes()) == (b"\x89PNG\r\n\x1a\n", ".png")
    for wrong in (None, 3, object()):
        with pytest.raises((TypeError, ValueError)):
            image_file(wrong)


def test_pillow():
    image = pytest.importorskip("PIL.Image")
    made = image.fromarray(numpy.arange(12, dtype="uint8").reshape(2, 2, 3))
    again = image.open(io.BytesIO(image_file(made).content))
    assert numpy.array_equal(numpy.asarray(again), numpy.asarray(made))
    cmyk = image.new("CMYK", (2, 2))
    assert image.open(io.BytesIO(image_file(cmyk).content)).mode == "RGB"
    own = image.open(io.BytesIO(image_file(numpy.asarray(made)).content))
    assert numpy.array_equal(numpy.asarray(own), numpy.asarray(made)), "our PNG is one"


def test_tensors():
    torch = pytest.importorskip("torch")
    tensor = torch.rand(3, 4, 4, requires_grad=True)  # the channels of a tensor come first
    width, height, channels, pixels = read_png(image_file(tensor).content)
    assert (width, height, channels) == (4, 4, 3)
    assert pixels[:3] == [round(float(tensor[c, 0, 0]) * 255) for c in range(3)]
    assert read_png(image_file(tensor.bfloat16()).content)[2] == 3
    counts = histogram_of(tensor.bfloat16(), bins=4)["counts"]
    assert sum(counts) == 48


class Kind(enum.Enum):
    FAST = "fast"


@dataclasses.dataclass
class Optimizer:
    name: str = "adam"
    betas: tuple = (0.9, 0.999)


@dataclasses.dataclass
class Config:
    optimizer: Optimizer = dataclasses.field(default_factory=Optimizer)
    kind: Kind = Kind.FAST
    path: Path = Path("/data")
    act: object = math.sqrt
    nothing: object = None


def test_configs():
    assert params_of(Config()) == {
        "optimizer.name": "adam",
        "optimizer.betas": "[0.9,0.999]",
        "kind": "fast",
        "path": "/data",
        "act": "math.sqrt",
        "nothing": None,
    }
    assert params_of(argparse.Namespace(lr=0.1, amp=True)) == {"lr": 0.1, "amp": True}
    nested = {"a": {"b": {"c": 1}, "empty": {}}, 3: numpy.float32(0.5), "x": numpy.zeros((2, 3))}
    assert params_of(nested) == {"a.b.c": 1, "a.empty": "{}", "3": 0.5, "x": "ndarray(2, 3)"}
    assert params_of({"lr": math.nan}) == {"lr": "NaN"}
    endless = {"lr": 1}
    endless["self"] = endless
    with pytest.raises((RecursionError, ValueError)):
        params_of(endless)
    for wrong in (None, 3, "lr=1", [1], Config):
        with pytest.raises(TypeError, match="give a dict"):
            params_of(wrong)


def test_secrets_are_masked():
    config = {"db": {"password": "p", "API_KEY": "k"}, "hub_token": "t", "eos_token": "</s>"}
    assert params_of({**config, "max_tokens": 5, "access_key": None}) == {
        "db.password": params.MASK,
        "db.API_KEY": params.MASK,
        "hub_token": params.MASK,
        "eos_token": "</s>",
        "max_tokens": 5,
        "access_key": None,
    }


def test_configs_of_other_libraries():
    pydantic = pytest.importorskip("pydantic")

    class Inner(pydantic.BaseModel):
        lr: float = 0.1

    class Outer(pydantic.BaseModel):
        inner: Inner = Inner()
        name: str = "a"

    assert params_of(Outer()) == {"inner.lr": 0.1, "name": "a"}


def test_omegaconf():
    omegaconf = pytest.importorskip("omegaconf")
    made = omegaconf.OmegaConf.create({"a": {"lr": 0.1}, "b": "${a.lr}", "c": [1, 2], "d": "???"})
    assert params_of(made) == {"a.lr": 0.1, "b": 0.1, "c": "[1,2]", "d": "???"}


def test_attrs():
    attr = pytest.importorskip("attr")
    made = attr.make_class("Made", {"lr": attr.ib(default=0.1)})
    assert params_of(made()) == {"lr": 0.1}


def test_tables():
    columns = {"a": [1, 2], "b": ["x", None]}
    assert columns_of(columns) == columns
    assert columns_of([{"a": 1, "b": "x"}, {"a": 2}]) == columns
    assert columns_of([(1, "x"), (2, None)], ["a", "b"]) == columns
    assert columns_of({"a": numpy.array([1, 2]), "b": 3}) == {"a": [1, 2], "b": [3]}
    for wrong, says in (([(1, 2)], "columns="), ([(1,)], "columns=")):
        with pytest.raises(ValueError, match=says):
            columns_of(wrong)
    with pytest.raises(ValueError, match="1 values, and there are 2 columns"):
        columns_of([(1,)], ["a", "b"])
    pandas = pytest.importorskip("pandas")
    plain = {"a": [1, 2], "b": ["x", "y"]}
    assert columns_of(pandas.DataFrame(plain)) == plain


@pytest.mark.parametrize("has_numpy", [True, False])
def test_histograms(has_numpy, monkeypatch):
    if not has_numpy:
        monkeypatch.setitem(sys.modules, "numpy", None)
    values = [[0.0, 1.0, 1.0], [math.nan, math.inf, 0.5]]
    assert histogram_of(values, 2) == {"edges": [0.0, 0.5, 1.0], "counts": [1, 3]}
    assert histogram_of([2, 2], 1) == {"edges": [1.5, 2.5], "counts": [2]}
    for wrong in ([], [math.nan]):
        with pytest.raises(ValueError, match="no finite number"):
            histogram_of(wrong)
    with pytest.raises(ValueError, match="bins"):
        histogram_of([1], table_values._MOST_BINS + 1)
