"""Runs the blocks of the article that the given one needs, and then that one, as a reader pasting them would. A
block that only makes a ScriptRunConfig is submitted as the article's own next block does it.

usage: run_distributed_block.py FILE WORDS_IN_THE_BLOCK [CONDA_FILE]

With a conda file the environment is made of that, as the article's own block does it, also in blocks that name the
curated one; else it is the curated one.
"""
import re
import sys

text = open(sys.argv[1], encoding="utf-8").read()
blocks = re.findall(r"```[Pp]ython\n(.*?)```", text, re.S)
namespace: dict = {"__name__": "__main__"}


def run_block(words: str) -> str:
    (block,) = [block for block in blocks if words in block]
    exec(compile(block, words, "exec"), namespace)
    return block


for needed in ("import Workspace", "Workspace.from_config", "project_folder = ", "cluster_name = "):
    run_block(needed)
if len(sys.argv) > 3:
    own = namespace["Environment"].from_conda_specification("pytorch-1.6-gpu", sys.argv[3])
    namespace["Environment"].get = staticmethod(lambda workspace, name, version=None: own)
    namespace["pytorch_env"] = own
else:
    namespace["pytorch_env"] = namespace["Environment"].get(workspace=namespace["ws"], name="AzureML-PyTorch-1.6-GPU")
if ".submit(src)" not in run_block(sys.argv[2]):
    run_block("run.wait_for_completion")
run = namespace["run"]
run.wait_for_completion(show_output=True)
print("RUN", run.id, run.status)
