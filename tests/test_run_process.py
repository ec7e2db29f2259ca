"""How a run's process is started, and how its end is told."""
import os
import json

import pytest

from mlflow_http import Mlflow
from roost_fixture import DRIVER_LOG, RoostServer

pytestmark = pytest.mark.both


@pytest.fixture(scope="module")
def server(shared_server: RoostServer) -> RoostServer:
    return shared_server


@pytest.mark.parametrize("code, status", [(0, "Completed"), (1, "Failed"), (137, "Failed"), (255, "Failed")])
@pytest.mark.parametrize("how", ["script", "command"])
def test_exit_code(server: RoostServer, code: int, status: str, how: str) -> None:
    run = server.run(f"import sys; print('the last words'); sys.exit({code})") if how == "script" else server.run(
        command=f"echo the last words; exit {code}")
    assert (run["status"], run["exit_code"], run["signal"]) == (status, code, None)
    if status == "Failed":
        assert str(code) in run["error"]["message"] and run["error"]["last_lines"] == ["the last words"]
        assert run["error"]["node"] == run["node"]
    else:
        assert run["error"] is None


@pytest.mark.parametrize("number, name", [(11, "SIGSEGV"), (9, "SIGKILL"), (6, "SIGABRT")])
def test_signal(server: RoostServer, number: int, name: str) -> None:
    run = server.run(f"import os; print('before', flush=True); os.kill(os.getpid(), {number})")
    assert (run["status"], run["exit_code"], run["signal"]) == ("Failed", None, number)
    assert name in run["error"]["message"] and "before" in run["error"]["last_lines"]


def test_a_real_segfault(server: RoostServer) -> None:
    run = server.run("import ctypes; ctypes.string_at(8)")
    assert (run["status"], run["signal"]) == ("Failed", 11) and "SIGSEGV" in run["error"]["message"]


def test_exception_is_in_the_error(server: RoostServer) -> None:
    run = server.run("print('fine')\nraise ValueError('too many birds')")
    assert run["exit_code"] == 1
    assert run["error"]["last_lines"][-1] == "ValueError: too many birds"
    assert server.log(run).decode().splitlines()[-1] == "ValueError: too many birds"


def test_script_that_does_not_exist(server: RoostServer) -> None:
    spec = {"experiment": "tests", "script": "trian.py", "snapshot": server.snapshot({"train.py": ""})}
    answer = server.api("POST", "/workspaces/default/runs", json=spec)
    assert (answer.status, answer.code) == (400, "invalid_argument") and "trian.py" in answer.message
    run = server.run(command="python3 trian.py", files={"train.py": ""})
    assert run["status"] == "Failed" and "trian.py" in json.dumps(run["error"]["last_lines"])


def test_script_that_is_not_readable(server: RoostServer) -> None:
    if os.geteuid() == 0:
        pytest.skip("root reads every file, whatever its mode")
    run = server.run(command="chmod 000 train.py && python3 train.py", files={"train.py": "print(1)"})
    assert run["status"] == "Failed" and "Permission denied" in json.dumps(run["error"])


def test_interpreter_that_does_not_exist(server: RoostServer) -> None:
    run = server.run("print(1)", environment={"python": "/no/such/python"})
    assert run["status"] == "Failed" and "/no/such/python" in run["error"]["message"]


def test_arguments_reach_the_script_as_they_are(server: RoostServer) -> None:
    arguments = ["--lr", "0.1", "two words", "", "quote ' \" \\ back", "new\nline", "*", "a;b", "$(echo no)",
                 "`echo no`", "ü 🐔", "#", "~", "-"]
    run = server.run("import sys, json; print(json.dumps(sys.argv[1:]))", arguments=arguments)
    assert json.loads(server.log(run)) == arguments


def test_variables_in_arguments_are_expanded_on_the_node(server: RoostServer) -> None:
    run = server.run("import sys, json; print(json.dumps(sys.argv[1:]))",
                     arguments=["$BIRD", "${BIRD}s", "x-$BIRD-y", "--id=$AZUREML_RUN_ID", "costs 5$", "a b $BIRD"],
                     environment_variables={"BIRD": "turkey two"})
    assert json.loads(server.log(run)) == ["turkey two", "turkey twos", "x-turkey two-y", "--id=" + run["id"],
                                           "costs 5$", "a b turkey two"]


def test_command_is_run_by_a_shell(server: RoostServer) -> None:
    run = server.run(command="export A=1 && echo $A | tr 1 2; for i in a b; do echo $i; done; cat data/*.txt; pwd",
                     files={"data/x.txt": "from the snapshot\n"})
    lines = server.log(run).decode().splitlines()
    assert lines[:4] == ["2", "a", "b", "from the snapshot"] and run["status"] == "Completed"


def test_a_run_needs_no_snapshot(server: RoostServer) -> None:
    run = server.run(command="ls -A; echo done")
    assert server.log(run).endswith(b"done\n") and run["status"] == "Completed"


def test_cwd_is_the_snapshot_and_imports_work(server: RoostServer) -> None:
    run = server.run("import os, helper.birds as b; print(b.NAME, sorted(os.listdir('.')))",
                     files={"helper/__init__.py": "", "helper/birds.py": "NAME = 'hen'"})
    text = server.log(run).decode()
    assert text.startswith("hen ") and "'helper'" in text and "'train.py'" in text


def test_script_in_a_folder_of_the_snapshot(server: RoostServer) -> None:
    run = server.run(files={"code/go.py": "import os; print(os.path.exists('code/go.py'))"}, script="code/go.py")
    assert server.log(run) == b"True\n"


def test_environment_variables(server: RoostServer) -> None:
    run = server.run("import os, json; print(json.dumps(dict(os.environ)))", environment_variables={"MINE": "a=b c"},
                     environment={"variables": {"THEIRS": "ü"}})
    seen = json.loads(server.log(run))
    expected = {
        "AZUREML_RUN_ID": run["id"], "AZUREML_ROOT_RUN_ID": run["id"], "AZUREML_ARM_WORKSPACE_NAME": "default",
        "AZUREML_ARM_PROJECT_NAME": "tests", "AZUREML_NODE_COUNT": "1",
        "ROOST_RUN_ID": run["id"], "ROOST_WORKSPACE": "default", "PYTHONUNBUFFERED": "1", "MINE": "a=b c",
        "THEIRS": "ü",
    }
    assert {key: seen.get(key) for key in expected} == expected
    for key in ("AZUREML_RUN_TOKEN", "AZUREML_RUN_TOKEN_EXPIRY", "AZUREML_EXPERIMENT_ID", "AZUREML_WORKSPACE_ID",
                "AZUREML_ARM_SUBSCRIPTION", "AZUREML_ARM_RESOURCEGROUP", "AZUREML_SERVICE_ENDPOINT",
                "AZUREML_RUN_HISTORY_SERVICE_ENDPOINT", "AZUREML_FRAMEWORK", "AZUREML_DRIVERLOG_PATH",
                "ROOST_URL", "ROOST_TOKEN", "ROOST_SPOOL", "PATH", "PYTHONPATH"):
        assert seen.get(key), f"{key} is not set"
    assert seen["AZUREML_EXPERIMENT_SCOPE"].endswith("/workspaces/default/experiments/tests")
    assert seen["AZUREML_WORKSPACE_SCOPE"].endswith("/workspaces/default")
    assert DRIVER_LOG in seen["AZUREML_DRIVERLOG_PATH"]
    assert {key: value for key, value in seen.items() if key.startswith("MLFLOW_")} == {
        "MLFLOW_TRACKING_URI": seen["ROOST_URL"] + "/mlflow/default", "MLFLOW_TRACKING_TOKEN": seen["ROOST_TOKEN"],
        "MLFLOW_RUN_ID": run["id"],
        "MLFLOW_EXPERIMENT_ID": Mlflow(server, "default").get("runs/get", run_id=run["id"])["run"]["info"]["experiment_id"]}
    owner = server.api_client.token
    assert owner not in json.dumps(seen), "the owner token must not reach a run"


def test_stdin_is_empty(server: RoostServer) -> None:
    run = server.run("import sys; print(repr(sys.stdin.read()))")
    assert server.log(run) == b"''\n"


def test_the_roost_package_is_importable(server: RoostServer) -> None:
    run = server.run("import roost; print(roost.Run.get_context().id)")
    assert server.log(run).decode().strip() == run["id"]


def test_stdout_and_stderr_keep_their_order(server: RoostServer) -> None:
    run = server.run("import os\nfor i in range(200): os.write(1 + i % 2, b'%d\\n' % i)")
    assert server.log(run).split() == [b"%d" % i for i in range(200)]


def test_a_plain_command_needs_no_shell_and_is_as_with_one(server: RoostServer) -> None:
    """`python3 show.py` is started without a shell, the same line in quotes is not: the script sees no difference."""
    show = "import os, sys\nprint(os.getppid(), os.environ['PWD'] == os.getcwd(), sys.argv[1:])"
    plain, quoted = (server.log(server.run(command=line, files={"show.py": show})).decode()
                     for line in ("python3 show.py --lr=0.1 a", "python3 show.py --lr=0.1 'a'"))
    assert plain == quoted and plain.endswith("True ['--lr=0.1', 'a']\n")


@pytest.mark.parametrize("line, said", [("no-such-program --x", "command not found"), ("./not-a-program", "Permission denied"),
                                        ("./folder", "Is a directory")])
def test_a_plain_command_that_cannot_be_started_is_explained_by_the_shell(server: RoostServer, line: str, said: str) -> None:
    run = server.run(command=line, files={"not-a-program": "x", "folder/file": "x"})
    assert (run["status"], run["exit_code"]) == ("Failed", 127 if "no-such" in line else 126)
    assert said in run["error"]["last_lines"][-1]


def test_a_script_without_a_first_line_is_read_by_the_shell(server: RoostServer) -> None:
    """The kernel does not start it; bash does, and by its own rules: dash would not know `[[`."""
    run = server.run(command="bash -c 'chmod +x go && exec ./go'", files={"go": "[[ a == a ]] && echo read by bash\n"})
    assert server.log(run) == b"read by bash\n"


def test_what_the_shell_is_told_by_its_environment_holds(server: RoostServer) -> None:
    run = server.run(command="true", environment_variables={"BASH_ENV": "./before.sh"}, files={"before.sh": "echo told more\n"})
    assert server.log(run) == b"told more\n"


def test_a_run_that_ends_at_once_has_begun(server: RoostServer) -> None:
    run = server.run(command="true")
    states = server.states(run)
    assert states[-1] == "Completed" and "Running" in states
    assert run["started_at"] is not None and run["started_at"] <= run["ended_at"]
