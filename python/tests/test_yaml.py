"""roost.yaml: what it reads, what it refuses, and that PyYAML agrees."""

import math
import random

import pytest

from roost import yaml

try:
    import yaml as pyyaml
except ImportError:
    pyyaml = None

CONDA = """\
# Conda file of a project
name: birds   # a name
channels:
- conda-forge
- defaults
dependencies:
  - python=3.6.2
  - pip:
    - azureml-defaults
    - torch==1.6.0
    - --extra-index-url https://example.org/simple
    - "git+https://example.org/a.git#egg=a"
    - pillow>=5,<6   # limits
  - numpy
prefix:
"""


def test_conda_file():
    assert yaml.read(CONDA) == {
        "name": "birds",
        "channels": ["conda-forge", "defaults"],
        "dependencies": [
            "python=3.6.2",
            {
                "pip": [
                    "azureml-defaults",
                    "torch==1.6.0",
                    "--extra-index-url https://example.org/simple",
                    "git+https://example.org/a.git#egg=a",
                    "pillow>=5,<6",
                ]
            },
            "numpy",
        ],
        "prefix": None,
    }


@pytest.mark.parametrize(
    "text, value",
    [
        ("", None),
        ("---\n", None),
        ("# only a comment\n", None),
        ("a: 1\n", {"a": 1}),
        ("a: 1\r\nb: 2\r\n", {"a": 1, "b": 2}),
        ("\ufeffa: 1", {"a": 1}),
        ("a: 0x1F\nb: 0o17\nc: -3\nd: +4", {"a": 31, "b": 15, "c": -3, "d": 4}),
        ("a: 1.5\nb: .5\nc: 1e3\nd: -.inf", {"a": 1.5, "b": 0.5, "c": 1000.0, "d": -math.inf}),
        ("a: true\nb: False\nc: yes\nd: ~", {"a": True, "b": False, "c": "yes", "d": None}),
        ("v: 3.6.2\nw: 1_000", {"v": "3.6.2", "w": "1_000"}),
        ("- a\n- - b\n  - c\n- d: 1\n  e: 2\n", ["a", ["b", "c"], {"d": 1, "e": 2}]),
        ("-\n  a: 1\n-\n- b", [{"a": 1}, None, "b"]),
        ("a:\n- 1\nb:\n  - 2\n", {"a": [1], "b": [2]}),
        ("[1, two, 'three', {b: 4, c: }, []]", [1, "two", "three", {"b": 4, "c": None}, []]),
        ("a: [\n  1,   # one\n  2\n]\nb: 3", {"a": [1, 2], "b": 3}),
        ("a: {b: http://x/y, 'c d': [e]}", {"a": {"b": "http://x/y", "c d": ["e"]}}),
        ("a: [b: 1, c]", {"a": [{"b": 1}, "c"]}),
        ("a: 'it''s'\nb: \"x\\ty\\u00e9\\n\"", {"a": "it's", "b": "x\ty\u00e9\n"}),
        ("'a b': 1\n\"c\": 2\n3: x", {"a b": 1, "c": 2, 3: "x"}),
        ("a: one\n  two\n\n  three\nb: 1", {"a": "one two\nthree", "b": 1}),
        ('a: "one\n  two\n\n  three \\\n  four"', {"a": "one two\nthree four"}),
        ("a: |\n  x\n   y\n\n  z\n\nb: 1", {"a": "x\n y\n\nz\n", "b": 1}),
        ("a: |-\n  x\n  y\n", {"a": "x\ny"}),
        ("a: |+\n  x\n\nb: 1", {"a": "x\n\n", "b": 1}),
        ("a: >\n  x\n  y\n\n  z\n", {"a": "x y\nz\n"}),
        ("a: |2\n    x\n", {"a": "  x\n"}),
        ("- |\n  x\n- y", ["x\n", "y"]),
        ("a: b#c\nd: e # f", {"a": "b#c", "d": "e"}),
        ("a: http://x:1/y\nb: c:d", {"a": "http://x:1/y", "b": "c:d"}),
        ("--- \na: 1\n...\n", {"a": 1}),
        ("a: $AZUREML_DATAREFERENCE_x\nb: $x", {"a": "$AZUREML_DATAREFERENCE_x", "b": "$x"}),
        ("plain text", "plain text"),
    ],
)  # fmt: skip
def test_reads(text, value):
    assert yaml.read(text) == value


@pytest.mark.parametrize(
    "text, line, words",
    [
        ("a: 1\nb: &x 2\n", 2, "anchors"),
        ("a: 1\nb: *x\n", 2, "aliases"),
        ("a: !!python/object:os.system x", 1, "tags"),
        ("a: 1\n\tb: 2", 2, "tab"),
        ("a: 1\n---\nb: 2\n", 2, "second document"),
        ("%YAML 1.2\n---\na: 1", 1, "directives"),
        ("a: 1\nb: 2\na: 3", 3, "twice"),
        ("a: {b: 1, b: 2}", 1, "twice"),
        ("a:\n  b: 1\n c: 2", 3, "indent"),
        ("a: 'x", 1, "closing"),
        ("x: 1\na: [1, 2", 2, "closing"),
        ('a: "\\q"', 1, "escape"),
        ("a: b: c", 1, "quotes"),
        ("a: 1\njust text", 2, "key: value"),
        ("- a\nb: 1", 2, "indentation"),
        ("a: - b", 1, "next line"),
        ("? a\n: b", 1, "'?'"),
        ("a: @x", 1, "quotes"),
        ("a: [x] y", 1, "after the value"),
        ("- " * 200 + "x", 1, "deep"),
        ("[" * 200, 1, "deep"),
    ],
)
def test_refuses_with_the_line(text, line, words):
    with pytest.raises(yaml.YamlError) as caught:
        yaml.read(text, "conda.yml")
    assert caught.value.line == line
    assert str(caught.value).startswith(f"conda.yml, line {line}: ")
    assert words in str(caught.value)


def test_writes_block_style_in_order():
    value = {"name": "x", "dependencies": ["python=3.8", {"pip": ["a==1"]}], "e": {}, "z": None}
    assert yaml.write(value) == (
        "name: x\ndependencies:\n- python=3.8\n- pip:\n  - a==1\ne: {}\nz: null\n"
    )


def test_writes_texts_of_several_lines_as_blocks():
    assert yaml.write({"a": "FROM x\nRUN y\n"}) == "a: |\n  FROM x\n  RUN y\n"


def test_refuses_to_write_objects():
    with pytest.raises(TypeError):
        yaml.write({"a": object()})


WORDS = [
    "", "a", "yes", "No", "on", "null", "~", "true", "1", "1.5", "1e3", "010", "0x10", "1:30",
    ".5", "2020-01-01", "- x", "-x", "a: b", "a:", ":a", "#a", "a #b", "a#b", "a ", " a", "'a'",
    '"a"', "a\nb", "a\n", "\na", "a\n\n", "a\tb", "é", "\u2028", "\x07", "&a", "*a", "!a", "%a",
    "@a", "`a", "|", ">", "{a", "[a]", "a]", "a,b", "?", "? a", "-", "---", "...", "=", "<<",
    "a" * 200, "x y " * 60, "\\n", "a\\b", "\U0001f600", "git+https://example.org/a#egg=b",
    "numpy>=1.2,<2", "a\n b\n", " a\nb", "a \nb", "\x85",
]  # fmt: skip


def some_value(draw, depth=0):
    kind = draw.randrange(6 if depth < 4 else 3)
    if kind < 2:
        return draw.choice(WORDS)
    if kind == 2:
        return draw.choice([None, True, False, 0, -7, 1.5, 1e300, -1e-9, 10**20, draw.random()])
    if kind == 3:
        return [some_value(draw, depth + 1) for _ in range(draw.randrange(4))]
    return {draw.choice(WORDS): some_value(draw, depth + 1) for _ in range(draw.randrange(4))}


@pytest.mark.parametrize("seed", range(300))
def test_what_is_written_is_read_again(seed):
    value = some_value(random.Random(seed))
    assert yaml.read(yaml.write(value)) == value


@pytest.mark.skipif(pyyaml is None, reason="PyYAML is not installed")
@pytest.mark.parametrize("seed", range(300))
def test_pyyaml_reads_what_is_written(seed):
    value = some_value(random.Random(seed))
    assert pyyaml.safe_load(yaml.write(value)) == value


@pytest.mark.skipif(pyyaml is None, reason="PyYAML is not installed")
@pytest.mark.parametrize("flow", [False, True, None])
@pytest.mark.parametrize("seed", range(200))
def test_reads_what_pyyaml_writes(seed, flow):
    value = some_value(random.Random(seed))
    unicode = bool(seed % 2) and not any(mark in repr(value) for mark in ("x85", "u2028"))
    text = pyyaml.safe_dump(value, default_flow_style=flow, allow_unicode=unicode)
    if "'1e3'" in repr(value) or "? " in text:
        return  # a number in YAML 1.2 only; keys marked by "?", which long ones are
    assert yaml.read(text) == value, text


def test_garbage_gives_a_value_or_a_yaml_error():
    draw = random.Random(7)
    for _ in range(5000):
        text = "".join(
            draw.choice("ab:-[]{},'\"#&*!|>%@` \n\t\\x?~1.") for _ in range(draw.randrange(30))
        )
        try:
            yaml.read(text)
        except yaml.YamlError as error:
            assert 1 <= error.line <= text.count("\n") + 1
