"""MLflow's own clients, unmodified, against Roost; and the same scenario against MLflow's own server, which is what shows that
it asks for the right thing. mlflow_scenario.py is that scenario."""
import contextlib
import os
import signal
import socket
import subprocess
import urllib.request
from pathlib import Path
from typing import Dict, Iterator

import pytest

from processes import wait_until
from roost_fixture import RoostServer
from torch_python import make_python

SCENARIO = Path(__file__).resolve().parent / "mlflow_scenario.py"
CLIENTS = {"mlflow-3": ["mlflow==3.17.2"], "mlflow-2": ["mlflow-skinny==2.22.5"]}

pytestmark = pytest.mark.heavy("mlflow")


def python_of(client: str) -> str:
    python = make_python(client, CLIENTS[client])
    if not python:
        pytest.skip(f"{CLIENTS[client][0]} cannot be installed here: no package index can be reached")
    return python


def play(python: str, uri: str, folder: Path, **variables: str) -> None:
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "MLFLOW_TRACKING_URI": uri, "MLFLOW_DISABLE_TELEMETRY": "true",
                   "DO_NOT_TRACK": "true", "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "1", "PYTHONDONTWRITEBYTECODE": "1", **variables}
    done = subprocess.run([python, str(SCENARIO)], cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and "\ndone " in done.stdout, done.stdout[-2000:] + done.stderr[-6000:]


@pytest.mark.parametrize("client", sorted(CLIENTS))
def test_a_client_finds_everything_it_asks_for(shared_server: RoostServer, client: str, tmp_path: Path) -> None:
    assert shared_server.api_client is not None
    play(python_of(client), shared_server.info["url"], tmp_path, ROOST="1", MLFLOW_TRACKING_TOKEN=shared_server.api_client.token)


def test_a_workspace_and_a_password(shared_server: RoostServer, tmp_path: Path) -> None:
    shared_server.post("/workspaces", json={"name": "team"})
    assert shared_server.api_client is not None
    python = python_of("mlflow-3")
    code = ("import mlflow\nmlflow.set_experiment('there')\nwith mlflow.start_run(run_name='one') as run:\n    mlflow.log_metric('loss', 1)\n"
            "print(run.info.run_id, run.info.user_id)")
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "MLFLOW_TRACKING_URI": shared_server.info["url"] + "/mlflow/team",
                   "MLFLOW_TRACKING_USERNAME": "somebody else", "MLFLOW_TRACKING_PASSWORD": shared_server.api_client.token,
                   "MLFLOW_DISABLE_TELEMETRY": "true"}
    done = subprocess.run([python, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-3000:]
    run, user = next(line for line in done.stdout.splitlines() if "View" not in line).split(" ", 1)
    kept = shared_server.get_run(run)
    assert kept["workspace"] == "team" and kept["status"] == "Completed" and kept["created_by"] == user != "somebody else"


@contextlib.contextmanager
def mlflow_server(python: str, folder: Path) -> Iterator[str]:
    with contextlib.closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    command = [python, "-m", "mlflow", "server", "--backend-store-uri", f"sqlite:///{folder}/mlflow.db", "--artifacts-destination",
               str(folder / "artifacts"), "--host", "127.0.0.1", "--port", str(port), "--workers", "1"]
    environment: Dict[str, str] = {**os.environ, "MLFLOW_DISABLE_TELEMETRY": "true", "DO_NOT_TRACK": "true",
                                   "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false"}  # eight processes that the scenario asks nothing of
    with open(folder / "server.out", "ab") as output:
        server = subprocess.Popen(command, cwd=folder, stdout=output, stderr=output, start_new_session=True, env=environment)
    try:
        wait_until(lambda: answers(url + "/health"), 120, "MLflow's server to answer")
        yield url
    finally:
        os.killpg(server.pid, signal.SIGKILL)  # how it ends is not what is tested, and it takes its time
        server.wait()


def answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=2) as answer:
            return answer.status == 200
    except OSError:
        return False


def test_the_scenario_is_true_of_mlflows_own_server(tmp_path: Path) -> None:
    python = python_of("mlflow-3")
    with mlflow_server(python, tmp_path) as url:
        play(python, url, tmp_path)
