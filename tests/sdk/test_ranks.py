"""Distributed runs in azureml.core: what is streamed, what is kept of every rank, and who failed."""
import re
from typing import Any

import pytest

from roost_fixture import PYTHON, RoostServer
from sdk_fixtures import at_server, experiment, script, ws  # noqa: F401

SAYS = """
    import os, sys, time
    rank = os.environ["RANK"]
    print("I am", rank, "of", os.environ["WORLD_SIZE"], flush=True)
    if sys.argv[1:] == ["fail"]:
        if rank == "2":
            raise KeyError("no such bird")
        time.sleep(600)
"""


def config(script: Any, code: str, distributed: Any = None, **more: Any) -> Any:
    from azureml.core import Environment, ScriptRunConfig

    environment = Environment("here")
    environment.python.user_managed_dependencies = True
    environment.python.interpreter_path = PYTHON
    return ScriptRunConfig(source_directory=str(script(code).folder), script="train.py", environment=environment,
                           distributed_job_config=distributed, **more)


def test_the_first_rank_is_streamed_and_all_are_kept(experiment: Any, script: Any, capsys: Any) -> None:
    from azureml.core.runconfig import PyTorchConfiguration

    run = experiment.submit(config(script, SAYS, PyTorchConfiguration(process_count=4, node_count=2)))
    details = run.wait_for_completion(show_output=True)
    out = capsys.readouterr().out
    assert "Streaming azureml-logs/70_driver_log_0.txt\n" in out and "I am 0 of 4\n" in out and "I am 1" not in out
    names = [f"azureml-logs/70_driver_log_{rank}.txt" for rank in range(4)]
    assert list(details["logFiles"]) == names and set(names) <= set(run.get_file_names())
    texts = run.get_details_with_logs()["logFiles"]
    assert [texts[name] for name in names] == [f"I am {rank} of 4\n" for rank in range(4)]
    for rank, path in enumerate(run.get_all_logs(destination="logs")):
        assert open(path).read() == f"I am {rank} of 4\n"
    run.download_file("user_logs/std_log_process_03.txt", "third.txt")
    assert open("third.txt").read() == "I am 3 of 4\n"
    ranks = run.get_ranks()
    assert [(r["rank"], r["local_rank"], r["node_rank"], r["exit_code"]) for r in ranks] == [
        (0, 0, 0, 0), (1, 1, 0, 0), (2, 0, 1, 0), (3, 1, 1, 0)]
    capsys.readouterr()
    run.stream_ranks()
    assert sorted(capsys.readouterr().out.splitlines()) == [f"[{rank}] I am {rank} of 4" for rank in range(4)]
    run.stream_ranks([1, 3])
    assert sorted(capsys.readouterr().out.splitlines()) == ["[1] I am 1 of 4", "[3] I am 3 of 4"]


def test_the_failure_names_rank_node_exception_and_traceback(experiment: Any, script: Any) -> None:
    from azureml.core.runconfig import PyTorchConfiguration
    from azureml.exceptions import ActivityFailedException

    run = experiment.submit(config(script, SAYS, PyTorchConfiguration(process_count=4, node_count=2), arguments=["fail"]))
    with pytest.raises(ActivityFailedException) as caught:
        run.wait_for_completion()
    text = str(caught.value)
    assert "Activity Failed:\n" in text and f"`roost logs {run.id} --rank 2`" in text
    assert re.search(r"rank 2 on \S+ ended with exit code 1: KeyError: 'no such bird'\\nTraceback \(most recent", text), text
    details = run.get_details()
    error = details["error"]["error"]
    assert (error["rank"], error["exception"], error["exit_code"]) == (2, "KeyError: 'no such bird'", 1)
    assert error["node"] == run.get_ranks()[2]["node"] and error["traceback"][-1] == "KeyError: 'no such bird'"
    assert [r["role"] for r in run.get_ranks()] == ["stopped", "stopped", "root_cause", "stopped"]


@pytest.mark.parametrize("how", ["nccl", "gloo", "framework", "estimator", "tensorflow"])
def test_older_ways_to_ask_for_several_processes(experiment: Any, script: Any, how: str, at_server: RoostServer) -> None:
    from azureml.core.runconfig import TensorflowConfiguration

    made: Any = config(script, SAYS)
    if how in ("nccl", "gloo"):
        made.run_config.framework, made.run_config.communicator, made.run_config.node_count = "PyTorch", how.capitalize(), 2
    elif how == "framework":
        made.run_config.framework, made.run_config.node_count = "PyTorch", 2
        made.run_config.pytorch.process_count = 2
    elif how == "tensorflow":
        made = config(script, SAYS, TensorflowConfiguration(worker_count=1, parameter_server_count=1))
    else:
        from azureml.train.dnn import Gloo, PyTorch

        made = PyTorch(source_directory=made.source_directory, entry_script="train.py", compute_target="local", node_count=2,
                       distributed_training=Gloo(), environment_definition=made.run_config.environment)
    run = experiment.submit(made)
    assert run.wait_for_completion()["status"] == "Completed"
    assert [at_server.log(run.id, r["log"]) for r in run.get_ranks()] == [b"I am 0 of 2\n", b"I am 1 of 2\n"]
    assert len({r["node"] for r in run.get_ranks()}) == 2


def test_mpi_reaches_the_specification(ws: Any, script: Any) -> None:
    from azureml.core.runconfig import MpiConfiguration

    made = config(script, SAYS)
    made.run_config.communicator, made.run_config.node_count = "OpenMpi", 2
    made.run_config.mpi.process_count_per_node = 3
    wanted = {"kind": "mpi", "process_count_per_node": 3, "node_count": 2}
    assert made._submission(ws).spec["distributed"] == wanted
    assert config(script, SAYS, MpiConfiguration(3, 2))._submission(ws).spec["distributed"] == wanted
