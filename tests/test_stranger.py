"""A stranger's first afternoon: some forty commands in one folder, in the order of the story, as they are typed in a shell.

A step is a line of STEPS: what it is for, the command, and what has to be seen of it (regular expressions on what a terminal
would show; the exit code, 0 unless given). What was printed last by a step can be used as $LAST. A new feature gets its step
where a stranger would meet it.
"""
import re
import shutil
import subprocess
from pathlib import Path
from typing import Dict, Iterator, List, NamedTuple, Tuple

import pytest

from local_index import make_wheel
from processes import processes_with, wait_until
from roost_fixture import clean_environment, roost_program

TRAIN = """
import argparse, os
from roost.run import run
words = argparse.ArgumentParser()
words.add_argument("--lr", type=float, default=0.1)
words.add_argument("--epochs", type=int, default=3)
arguments = words.parse_args()
loss = 1.0
for epoch in range(arguments.epochs):
    loss *= 1 - arguments.lr
    run.log("loss", loss, step=epoch)
    print("epoch", epoch, "loss", round(loss, 3))
open("outputs/model.txt", "w").write(str(loss))
"""
WORKERS = """
import os, sys, time
rank = int(os.environ["RANK"])
print("rank", rank, "of", os.environ["WORLD_SIZE"])
if rank == 1:
    raise ValueError("the batch of rank 1 is empty")
time.sleep(60)
"""
SWEEP = """
experiment: birds
command: python train.py --lr ${lr}
parameter_space:
  lr: {choice: [0.1, 0.5]}
sampling: grid
metric: loss
goal: minimize
"""


class Step(NamedTuple):
    why: str
    command: str
    sees: Tuple[str, ...] = ()
    code: int = 0


STEPS: List[Step] = [
    Step("install", "install -D -m 755 $PROGRAM $HOME/bin/roost && roost --version", (r"^roost \d",)),
    Step("look what there is", "roost", ("submit", "roost help VERB")),
    Step("explain a verb", "roost help submit", ("-r, --requirements", r"-- COMMAND")),
    Step("try before anything runs", "roost runs", ("roost up",), 5),
    Step("start", "roost up --detach --port 0", ("Roost is up at http://127.0.0.1", "roost studio")),
    Step("start again by mistake", "roost up --detach", ("Roost is up already at",)),
    Step("look at it", "roost status", ("none under way", "local")),
    Step("nothing there yet", "roost runs", ("no runs",)),
    Step("train", "roost submit -- python train.py", ("epoch 2 loss 0.729", "Completed in", "1 metric")),
    Step("list", "roost runs", (r"birds\s+Completed",)),
    Step("look at the run", "roost show @", ("Completed", "python train.py")),
    Step("its curve", "roost metrics @", (r"loss\s+scalar\s+3\s+0.729",)),
    Step("its output", "roost logs @ --tail 1", (r"^epoch 2 loss 0.729$",)),
    Step("its files", "roost artifacts ls @", ("outputs/model.txt",)),
    Step("fetch one", "roost artifacts get @ outputs/model.txt -o fetched && cat fetched/model.txt", ("SHA-256 verified", r"0\.72")),
    Step("mistype an option", "roost submit --experment birds -- python train.py", ("did you mean `--experiment`",), 122),
    Step("mistype a verb", "roost sumbit -- python train.py", ("did you mean `submit`",), 2),
    Step("fail", "sed -i 's/loss \\*= 1/loss *= one/' train.py && roost submit -- python train.py",
         ("NameError: name 'one' is not defined", "Failed after", "exit code 1"), 1),
    Step("read why", "roost show @", ("NameError", "line 10")),
    Step("fix", "sed -i 's/\\*= one/*= 1/' train.py && roost submit --tag fixed -- python train.py --lr 0.5", ("epoch 2 loss 0.125",)),
    Step("compare", "roost diff @~2 @", (r"train.py --lr 0\.5", r"loss\s+0\.729\s+0\.125")),
    Step("search", "roost runs --query 'metrics.loss<0.2' -q", (r"^birds_\d+_[0-9a-f]{8}\n$",)),
    Step("a table for a spreadsheet", "roost runs -o csv", (r"^id,experiment,display_name,status,", r"\n.*Failed")),
    Step("one word for a script", "roost show @ -o template='{{.status}} {{.tags}}'", ("^Completed .*fixed",)),
    Step("tag", "roost tag @ stage=baseline", ("stage=baseline",)),
    Step("set a default", "roost config set experiment birds && roost config ls", (r"experiment\s+birds\s+/",)),
    Step("two processes, one fails", "roost submit --processes 2 -- python workers.py", ("ValueError: the batch of rank 1 is empty", "--rank 1"), 1),
    Step("read that rank", "roost logs @ --rank 1", ("Traceback", "the batch of rank 1 is empty")),
    Step("go on meanwhile", "roost submit -d -- python train.py --epochs 2 && roost wait @", ("Completed in",)),
    Step("repeat", "roost rerun @~3", ("epoch 2 loss 0.125",)),
    Step("stop one", "roost submit -d -- sleep 300 && roost cancel @ && roost wait @", ("Canceled",), 120),
    Step("put it away", "roost archive @ && roost runs --archived", ("archived", "Canceled")),
    Step("packages", "roost submit -r requirements.txt -- python -c 'import nest; print(\"nest\", nest.__version__)'", ("nest 1.4",)),
    Step("the same by name", "roost env create packages -r requirements.txt && roost env ls", ("packages:1",)),
    Step("search for parameters", "roost sweep start sweep.yaml && roost sweep best @", ("0.125",)),
    Step("keep the model", "roost model register birds --run @birds~1 --path outputs/model.txt && roost model ls", ("birds:1",)),
    Step("a compute of one's own", "roost compute create small --vm-size STANDARD_D2 --max-nodes 1 && roost submit -c small -- python train.py", ("epoch 2",)),
    Step("let somebody look", "roost token create anna --role reader > anna.token && cat anna.token", (r"\w{20}",)),
    Step("who logs in", "HOME=$HOME/anna roost login $URL --name lab < anna.token && HOME=$HOME/anna roost runs", ("as context lab", "Completed")),
    Step("and may not train", "HOME=$HOME/anna roost submit -- python train.py", ("reader",), 124),
    Step("see it in a browser", "roost open @ --print", (r"http://127.0.0.1:\d+/login\?next=%2Fruns%2Fbirds.*#code=",)),
    Step("complete words", "roost completion bash | bash -n && roost completion bash | grep -c compgen", (r"\d",)),
    Step("does it fit", "roost doctor local --nodes 1 && roost runs -q | wc -l", ("ok",)),
    Step("stop", "roost down", ("stopped the server",)),
]


@pytest.fixture
def shell(tmp_path: Path) -> Iterator[Dict[str, str]]:
    """The variables of a new user with an empty home, a folder with code, and packages to be had without any network."""
    home, wheels = tmp_path / "home", tmp_path / "wheels"
    (home / "birds").mkdir(parents=True)
    (home / "anna").mkdir()
    wheels.mkdir()
    make_wheel(wheels, "nest", "1.4")
    for name, text in {"train.py": TRAIN, "workers.py": WORKERS, "sweep.yaml": SWEEP, "requirements.txt": "nest==1.4  # packages\n"}.items():
        (home / "birds" / name).write_text(text)
    environment = clean_environment(home)
    environment.update(PROGRAM=str(roost_program()), PATH=f"{home}/bin:{environment['PATH']}", PIP_NO_INDEX="1", PIP_FIND_LINKS=str(wheels))
    yield environment
    subprocess.run([str(roost_program()), "down"], env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
    wait_until(lambda: not processes_with(str(home)), 20, "everything of the stranger's to end")
    shutil.rmtree(home, ignore_errors=True)


def test_the_afternoon(shell: Dict[str, str]) -> None:
    assert len(STEPS) >= 40
    for number, step in enumerate(STEPS, 1):
        done = subprocess.run(["bash", "-c", step.command], cwd=Path(shell["HOME"]) / "birds", env=shell, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
        told = f"step {number}, {step.why}: $ {step.command}\n{done.stdout}"
        assert done.returncode == step.code, f"{told}\nended with {done.returncode}"
        for pattern in step.sees:
            assert re.search(pattern, done.stdout, re.M), f"{told}\nhas no {pattern}"
        assert not re.search(r"Traceback|terminate called|invariant", done.stdout) or step.code or "logs" in step.command, told
        found = re.search(r"Roost is up at (http://\S+)", done.stdout)
        if found:
            shell["URL"] = found[1]
        shell["LAST"] = done.stdout.strip().splitlines()[-1] if done.stdout.strip() else ""
