"""ScriptRunConfig and RunConfiguration on a real server: what the script is given."""
import json
from pathlib import Path
from typing import Any, Dict

import pytest

from sdk_fixtures import at_server, experiment, script, ws  # noqa: F401

TELL = """
    import json, os, sys
    print(json.dumps({"arguments": sys.argv[1:], "cwd": os.getcwd(), "files": sorted(os.listdir(".")),
                      "variables": {k: v for k, v in os.environ.items() if k.startswith("MY_")}}))
"""


def log_of(run: Any) -> str:
    return run.get_details_with_logs()["logFiles"]["azureml-logs/70_driver_log.txt"]


def told(run: Any) -> Dict[str, Any]:
    assert run.wait_for_completion()["status"] == "Completed"
    return json.loads([line for line in log_of(run).splitlines() if line.startswith("{")][-1])


def test_arguments(experiment: Any, script: Any) -> None:
    from azureml.core import ScriptRunConfig

    arguments = ["--n", 30, 0.5, True, Path("a/b"), "", "with blank", "ü", "$MY_LEVEL/x", "$NOT_SET", "--n=3"]
    config = ScriptRunConfig(source_directory=script(TELL).folder, script="train.py", arguments=arguments)
    config.run_config.environment_variables = {"MY_LEVEL": 7}
    run = experiment.submit(config)
    facts = told(run)
    assert facts["arguments"][:8] == ["--n", "30", "0.5", "True", "a/b", "", "with blank", "ü"]
    assert facts["arguments"][8] == "7/x" and facts["arguments"][10] == "--n=3"
    assert facts["variables"] == {"MY_LEVEL": "7"} and "train.py" in facts["files"]
    definition = run.get_details()["runDefinition"]
    assert definition["script"] == "train.py" and definition["arguments"][:2] == ["--n", "30"]


def test_changed_and_submitted_again(experiment: Any, script: Any) -> None:
    from azureml.core import Environment, ScriptRunConfig

    config = ScriptRunConfig(script(TELL).folder, "train.py", ["first"])
    assert told(experiment.submit(config))["arguments"] == ["first"]
    config.arguments = ["second"]
    config.run_config.environment = Environment("changed")
    config.run_config.environment.environment_variables = {"MY_OWN": "yes"}
    facts = told(experiment.submit(config, tags={"a": "b"}))
    assert (facts["arguments"], facts["variables"]) == (["second"], {"MY_OWN": "yes"})


@pytest.mark.parametrize("command, words", [
    ("export A=1 && echo got $A".split(), "got 1"),
    (["python3 train.py --x", 3, "$MY_LEVEL"], '["--x", "3", "9"]'),
    ("echo one; echo two", "one\ntwo"),
])
def test_commands(experiment: Any, script: Any, command: Any, words: str) -> None:
    from azureml.core import ScriptRunConfig

    config = ScriptRunConfig(script(TELL).folder, command=command)
    config.run_config.environment_variables["MY_LEVEL"] = "9"
    run = experiment.submit(config)
    run.wait_for_completion()
    assert words in log_of(run)


def test_a_saved_run_configuration(experiment: Any, script: Any, tmp_path: Path) -> None:
    from azureml.core import RunConfiguration, ScriptRunConfig

    made = RunConfiguration(script="train.py", arguments=["from", "file"])
    made.environment_variables = {"MY_FILE": "1"}
    made.save(str(tmp_path), "birds")
    again = RunConfiguration.load(str(tmp_path), "birds")
    facts = told(experiment.submit(ScriptRunConfig(script(TELL).folder, run_config=again)))
    assert (facts["arguments"], facts["variables"]) == (["from", "file"], {"MY_FILE": "1"})


def test_too_long(experiment: Any, script: Any) -> None:
    from azureml.core import ScriptRunConfig

    config = ScriptRunConfig(script("import time; time.sleep(60)").folder, "train.py", max_run_duration_seconds=1)
    run = experiment.submit(config)
    run.wait_for_completion(raise_on_error=False)
    assert run.get_status() == "Canceled"


def test_what_a_cluster_cannot_hold_is_refused(experiment: Any, script: Any) -> None:
    from azureml.core import ScriptRunConfig
    from azureml.core.runconfig import MpiConfiguration, PyTorchConfiguration
    from azureml.exceptions import ExperimentExecutionException

    folder = script(TELL).folder
    with pytest.raises(ExperimentExecutionException, match="wants 99 nodes, but local has at most"):
        experiment.submit(ScriptRunConfig(folder, "train.py", distributed_job_config=MpiConfiguration(node_count=99)))
    single = ScriptRunConfig(folder, "train.py", distributed_job_config=PyTorchConfiguration(node_count=1))
    run = experiment.submit(single)
    assert run.wait_for_completion()["status"] == "Completed"


def test_nothing_is_sent_when_the_script_is_missing(ws: Any, name: str, script: Any) -> None:
    from azureml.core import Experiment, ScriptRunConfig
    from azureml.exceptions import UserErrorException

    with pytest.raises(UserErrorException, match="no script wrong.py"):
        Experiment(ws, name).submit(ScriptRunConfig(script(TELL).folder, "wrong.py"))
    assert list(Experiment(ws, name).get_runs()) == []
    with pytest.raises(UserErrorException, match="does not exist"):
        ScriptRunConfig("no/such/folder", "train.py")


def test_docker_arguments_have_their_effect_or_say_why_not(experiment: Any, script: Any, at_server: Any) -> None:
    from azureml.core import ScriptRunConfig
    from azureml.core.runconfig import DockerConfiguration

    docker = DockerConfiguration(use_docker=True, arguments=["-e", "MY_LEVEL=7", "--cap-add", "SYS_ADMIN"], shm_size="64m")
    run = experiment.submit(ScriptRunConfig(script(TELL).folder, "train.py", docker_runtime_config=docker))
    assert told(run)["variables"] == {"MY_LEVEL": "7"}
    notices = at_server.get_run(run.id)["notices"]
    assert any("--cap-add has no effect" in notice for notice in notices), notices
    assert any("shm_size=64m has no effect: the run is in no image" in notice for notice in notices), notices
    plain = experiment.submit(ScriptRunConfig(script(TELL).folder, "train.py", docker_runtime_config=DockerConfiguration(True)))
    told(plain)
    assert at_server.get_run(plain.id)["notices"] == []
    with pytest.raises(Exception, match="docker argument --shm-size"):
        wrong = DockerConfiguration(use_docker=True, shm_size="much")
        experiment.submit(ScriptRunConfig(script(TELL).folder, "train.py", docker_runtime_config=wrong))
