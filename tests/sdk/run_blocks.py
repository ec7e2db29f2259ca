"""Runs the Python blocks of a text, one after the other in one namespace, as a reader pasting them would.

usage: run_blocks.py FILE [FIRST_WORDS_OF_THE_LAST_BLOCK]
"""
import re
import sys

text = open(sys.argv[1], encoding="utf-8").read()
last = sys.argv[2] if len(sys.argv) > 2 else None
namespace: dict = {"__name__": "__main__"}
count = 0
for block in re.findall(r"```[Pp]ython\n(.*?)```", text, re.S):
    count += 1
    exec(compile(block, f"block {count}", "exec"), namespace)
    if last and last in block:
        break
run, model = namespace["run"], namespace["model"]
print("BLOCKS", count)
print("METRICS", run.get_metrics())
print("MODEL", model.name, model.version, model.run_id == run.id)
