"""Environment.build and friends, with packages from a folder of the test's own."""
from pathlib import Path
from typing import Any

import pytest

from conftest import MakeServer
from local_index import make_wheel
from roost_fixture import RoostServer
from sdk_fixtures import experiment, script, ws  # noqa: F401


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheels")
    make_wheel(folder, "alpha", "1.0")
    make_wheel(folder, "alpha", "1.4")
    return folder


@pytest.fixture(scope="module")
def shared_server(make_shared_server: MakeServer, wheels: Path) -> RoostServer:
    return make_shared_server({"environments": {"wheels": str(wheels), "offline": True}})


@pytest.fixture
def at_server(shared_server: RoostServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> RoostServer:
    monkeypatch.setenv("ROOST_DATA", str(shared_server.data))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    return shared_server


def with_packages(name: str, *packages: str) -> Any:
    from azureml.core import Environment

    made = Environment(name)
    for package in packages:
        made.python.conda_dependencies.add_pip_package(package)
    return made


def test_build_ahead_of_a_run(ws: Any, experiment: Any, tmp_path: Path, capsys: Any) -> None:
    from azureml.core import ScriptRunConfig

    environment = with_packages("mine", "alpha==1.4")
    build = environment.build(ws).wait_for_completion(show_output=True)
    out = capsys.readouterr().out
    assert out.startswith("Image Build Status: ") and "alpha==1.4" in out and build.status == "Succeeded"
    details = environment.get_image_details(ws)
    assert details["lock"] == ["alpha==1.4"] and details["ingredients"]["condaSpecification"]
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.py").write_text("import alpha; print('alpha', alpha.__version__)")
    run = experiment.submit(ScriptRunConfig(str(tmp_path / "src"), "a.py", environment=environment))
    run.wait_for_completion(show_output=True)
    out = capsys.readouterr().out
    assert "alpha 1.4" in out and "Streaming azureml-logs/20_image_build_log.txt" not in out, "it was ready"


def test_a_build_in_the_run_streams_first(ws: Any, experiment: Any, tmp_path: Path, capsys: Any) -> None:
    from azureml.core import ScriptRunConfig

    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.py").write_text("print('the script')")
    config = ScriptRunConfig(str(tmp_path / "src"), "a.py", environment=with_packages("other", "alpha==1.0"))
    experiment.submit(config).wait_for_completion(show_output=True)
    out = capsys.readouterr().out
    build, driver = (out.index(f"Streaming azureml-logs/{name}") for name in ("20_image_build_log.txt", "70_driver_log.txt"))
    assert build < out.index("Builder: venv") < driver < out.index("the script")


def test_failure_names_the_way_out(ws: Any) -> None:
    from azureml.exceptions import ActivityFailedException

    broken = with_packages("broken", "alpha==9.9")
    broken.pins = "strict"
    with pytest.raises(ActivityFailedException, match="alpha==9.9 cannot be had: there are 1.0, 1.4.*pins: nearest"):
        broken.build(ws).wait_for_completion(show_output=False)


def test_a_pin_that_cannot_be_had_is_moved_and_told(ws: Any) -> None:
    moved = with_packages("moved", "alpha==9.9")
    assert moved.build(ws).wait_for_completion(show_output=False).status == "Succeeded"
    details = moved.get_image_details(ws)
    assert (details["lock"], details["changes"]) == (["alpha==1.4"], ["alpha==9.9 -> alpha==1.4"])


def test_nothing_to_build(ws: Any) -> None:
    from azureml.core import Environment

    made = Environment("plain")
    made.python.user_managed_dependencies = True
    assert made.build(ws).wait_for_completion(show_output=False).status == "Succeeded"
