"""The examples in docs/spool.md do what it says."""

import os
import re
import shutil
import subprocess
import sys

import pytest
from conftest import PYTHON_FOLDER, read_spool

DOCUMENT = os.path.join(os.path.dirname(PYTHON_FOLDER), "docs", "spool.md")


def example(language):
    with open(DOCUMENT, encoding="utf-8") as file:
        return re.search(rf"```{language}\n(.*?)```", file.read(), re.DOTALL).group(1)


def run_example(command, folder):
    environment = {**os.environ, "ROOST_SPOOL": str(folder), "PYTHONPATH": PYTHON_FOLDER}
    subprocess.run(command, env=environment, check=True)
    (record,) = read_spool(folder)
    assert record[:4] == ["scalar", "loss", 0.5, 1]
    assert record[4] > 1.7e9


def test_shell(tmp_path):
    run_example(["sh", "-c", example("sh")], tmp_path)


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler on PATH")
def test_c(tmp_path):
    (tmp_path / "trainer.c").write_text(example("c"))
    program = str(tmp_path / "trainer")
    subprocess.run(["cc", "-Wall", "-Wextra", "-Werror", "-o", program, program + ".c"], check=True)
    run_example([program], tmp_path)


def test_python(tmp_path):
    run_example([sys.executable, "-c", example("python")], tmp_path)
