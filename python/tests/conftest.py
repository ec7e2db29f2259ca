import json
import os
import subprocess
import sys

import pytest
from fake_api import api, connected  # noqa: F401
from serving_fixtures import inference, model, project, server, ws  # noqa: F401

PYTHON_FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def read_spool_file(path):
    """Reads by docs/spool.md: up to the first NUL, only lines complete with a newline."""
    with open(path, "rb") as file:
        written = file.read().split(b"\0", 1)[0]
    lines = written.split(b"\n")[:-1]
    return [json.loads(line, parse_constant=_refuse) for line in lines]


def read_spool(folder):
    records = []
    for name in sorted(os.listdir(folder)):
        if name.endswith(".spool"):
            records += read_spool_file(os.path.join(folder, name))
    return records


def _refuse(constant):
    raise ValueError(f"{constant} is not JSON")


class Script:
    """Runs Python code as a run's process, reporting into `spool`."""

    def __init__(self, spool):
        self.spool = str(spool)

    def start(self, code, **variables):
        environment = {
            key: value for key, value in os.environ.items() if not key.startswith("ROOST_")
        }
        environment.update(
            PYTHONPATH=PYTHON_FOLDER, ROOST_SPOOL=self.spool, ROOST_RUN_ID="birds_1_0a1b2c3d"
        )
        environment.update(variables)
        return subprocess.Popen(
            [sys.executable, "-c", code],
            env={key: value for key, value in environment.items() if value is not None},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            universal_newlines=True,
        )

    def run(self, code, **variables):
        process = self.start(code, **variables)
        out, err = process.communicate(timeout=60)
        assert process.returncode == 0, err
        return out, err


@pytest.fixture
def script(tmp_path):
    folder = tmp_path / "spool"
    folder.mkdir()
    return Script(folder)
