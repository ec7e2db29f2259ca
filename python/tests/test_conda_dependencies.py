"""CondaDependencies: what it holds, how it is changed, what it writes."""

import pytest

from azureml.core.conda_dependencies import TENSORFLOW_DEFAULT_VERSION, CondaDependencies
from azureml.exceptions import UserErrorException

FILE = """\
channels:
- conda-forge
dependencies:
- python=3.6.2
- pip:
  - azureml-defaults
  - torch==1.6.0
"""


def test_a_new_one_has_python_and_the_sdk():
    made = CondaDependencies()
    assert made.get_python_version() is None
    assert list(made.pip_packages) == ["azureml-defaults"]


def test_create():
    made = CondaDependencies.create(
        pip_packages=["torch==1.6"], conda_packages=["numpy"], python_version="3.9"
    )
    assert made.as_dict()["dependencies"] == ["python=3.9", "numpy", {"pip": ["torch==1.6"]}]
    assert list(CondaDependencies.create(conda_packages=["x"]).pip_packages) == ["azureml-defaults"]


def test_reads_a_file(tmp_path):
    path = tmp_path / "env.yml"
    path.write_text(FILE)
    made = CondaDependencies(conda_dependencies_file_path=path)
    assert list(made.conda_channels) == ["conda-forge"]
    assert list(made.pip_packages) == ["azureml-defaults", "torch==1.6.0"]
    assert made.get_python_version() == "3.6.2"


def test_add_replaces_the_same_package():
    made = CondaDependencies.create(pip_packages=["Some_Thing==1", "b"], conda_packages=["numpy=1"])
    made.add_pip_package("some-thing==2")
    made.add_conda_package("numpy=2")
    assert list(made.pip_packages) == ["b", "some-thing==2"]
    assert list(made.conda_packages) == ["python", "numpy=2"]


def test_remove():
    made = CondaDependencies.create(pip_packages=["a==1"], conda_packages=["b=1"])
    made.remove_pip_package("a")
    made.remove_conda_package("b")
    made.remove_channel("conda-forge")
    assert made.as_dict()["dependencies"] == ["python"]
    assert list(made.conda_channels) == []
    made.add_pip_package("c")
    assert list(made.pip_packages) == ["c"]


def test_options_of_pip():
    made = CondaDependencies.create(pip_packages=["a"], pip_indexurl="https://example.org/simple")
    assert list(made.pip_options) == ["--index-url https://example.org/simple"]
    assert list(made.pip_packages) == ["a"]
    made.set_pip_option("--pre")
    made.remove_pip_option("--index-url")
    assert list(made.pip_options) == ["--pre"]


def test_tensorflow_and_cntk():
    made = CondaDependencies()
    made.add_tensorflow_conda_package()
    made.add_tensorflow_pip_package(core_type="gpu", version="2.1")
    made.add_cntk_package("gpu")
    assert f"tensorflow={TENSORFLOW_DEFAULT_VERSION}" in made.conda_packages
    assert "tensorflow-gpu==2.1" in made.pip_packages
    made.remove_tensorflow_pip_package()
    assert list(made.pip_packages) == ["azureml-defaults", "cntk-gpu==2.7"]
    with pytest.raises(UserErrorException, match="cpu"):
        made.add_tensorflow_conda_package("tpu")


def test_what_is_saved_is_read_again(tmp_path):
    made = CondaDependencies.create(pip_packages=["a==1", "git+https://example.org/b#egg=b"])
    assert made.save_to_file(str(tmp_path), "env.yml") == "env.yml"
    assert CondaDependencies(str(tmp_path / "env.yml")) == made
    made.save(str(tmp_path))
    assert CondaDependencies(str(tmp_path / "conda_dependencies.yml")) == made
    with open(tmp_path / "env.yml") as file:
        assert file.read() == made.serialize_to_string()


def test_merge_requirements():
    merged = CondaDependencies.merge_requirements(["a>1", "b", "a<2"])
    assert merged == ["a>1,<2", "b"]


@pytest.mark.parametrize(
    "text, words",
    [
        ("- a", "dependencies"),
        ("dependencies: x", "must be a list"),
        ("dependencies:\n- 3", "neither"),
        ("dependencies:\n- &x a", "line 2"),
    ],
)
def test_wrong_files(tmp_path, text, words):
    path = tmp_path / "env.yml"
    path.write_text(text)
    with pytest.raises(UserErrorException, match=words):
        CondaDependencies(str(path))


def test_wrong_use(tmp_path):
    with pytest.raises(UserErrorException, match="none.yml"):
        CondaDependencies(str(tmp_path / "none.yml"))
    with pytest.raises(UserErrorException, match="list"):
        CondaDependencies.create(pip_packages="numpy")
    with pytest.raises(UserErrorException, match="text"):
        CondaDependencies().add_pip_package(None)
