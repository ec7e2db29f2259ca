"""Stands in for Slurm where a test needs an answer that a real cluster gives only with a database or a broken clock.

Usage, as "through" of a server's configuration: python3 fake_slurm.py FOLDER sbatch|squeue|sinfo|scancel ARGUMENTS.
FOLDER/refusal holds what sbatch is to say on its error output; scripts that it takes go to FOLDER/<job name>."""
import sys
from pathlib import Path


def main() -> int:
    folder, words = Path(sys.argv[1]), sys.argv[2:]
    if words[0] == "env":  # -i and the few variables of sbatch
        words = words[words.index("sbatch"):]
    program, arguments = words[0], words[1:]
    if program != "sbatch":
        return 0
    refusal = folder / "refusal"
    if refusal.exists():
        sys.stderr.write(refusal.read_text(encoding="utf-8"))
        return 1
    name = next(word.split("=", 1)[1] for word in arguments if word.startswith("--job-name="))
    if "--test-only" not in arguments:
        (folder / name).write_text(sys.stdin.read(), encoding="utf-8")
    print(len(list(folder.iterdir())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
