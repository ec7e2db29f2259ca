"""Children of a sweep in an environment that Roost builds: once for all of them."""
from typing import Any

import pytest

from conftest import MakeServer
from hyperdrive_fixtures import TRAIN, config, training  # noqa: F401
from local_index import make_wheel
from roost_fixture import RoostServer
from sdk_fixtures import at_server, experiment, script, ws  # noqa: F401


@pytest.fixture(scope="module")
def shared_server(make_shared_server: MakeServer, tmp_path_factory: pytest.TempPathFactory) -> RoostServer:
    wheels = tmp_path_factory.mktemp("wheels")
    make_wheel(wheels, "alpha", "1.4")
    return make_shared_server({"environments": {"wheels": str(wheels), "offline": True}})


def packages(*names: str) -> Any:
    from azureml.core import Environment

    made = Environment("packed")
    for name in names:
        made.python.conda_dependencies.add_pip_package(name)
    return made


def test_it_is_built_once(experiment: Any, config: Any, training: Any, at_server: RoostServer) -> None:
    code = TRAIN + "    import alpha\n    print('alpha', alpha.__version__)\n"
    sweep = experiment.submit(config(run_config=training(code, environment=packages("alpha==1.4")), max_concurrent_runs=3))
    assert sweep.wait_for_completion()["status"] == "Completed"
    logs = [child.get_details_with_logs()["logFiles"] for child in sweep.get_children()]
    assert [log["azureml-logs/70_driver_log.txt"] for log in logs] == ["alpha 1.4\n"] * 3
    (built,) = at_server.get("/environment-builds")["items"]
    assert built["lock"] == ["alpha==1.4"]


def test_a_package_that_cannot_be_had_ends_the_sweep(experiment: Any, config: Any, training: Any) -> None:
    from azureml.exceptions import ActivityFailedException

    sweep = experiment.submit(config(run_config=training(environment=packages("no-such-bird==1")), max_total_runs=1))
    with pytest.raises(ActivityFailedException, match="no-such-bird"):
        sweep.wait_for_completion()
    assert sweep.get_status() == "Failed"
