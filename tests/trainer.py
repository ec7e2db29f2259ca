"""A script that prints, logs and writes numbered things, and keeps a diary of its own outside of Roost."""
from pathlib import Path
from typing import List, Set, Tuple

from processes import processes_with
from roost_fixture import DRIVER_LOG, RoostServer

CODE = """
import os, sys, time
import roost.run
diary, count, pause = open(sys.argv[1], "a"), int(sys.argv[2]), float(sys.argv[3])
me = os.urandom(4).hex()
live = open("logs/live.log", "a")
for i in range(count):
    diary.write(f"{me} {i} {time.monotonic()}\\n"); diary.flush()
    print(f"line {i:06d}", flush=True)
    roost.run.log("n", i, step=i)
    live.write(f"{i}\\n"); live.flush()
    with open(f"outputs/part-{i // 50:04d}.txt", "a" if i % 50 else "w") as part: part.write(f"{i}\\n")
    time.sleep(pause)
"""


class Training:
    """One submitted run of CODE."""

    def __init__(self, server: RoostServer, diary: Path, count: int, pause: float = 0.005, **spec: object) -> None:
        self.server, self.diary, self.count = server, diary, count
        self.run = server.submit(CODE, arguments=[str(diary), str(count), str(pause)], **spec)

    def entries(self) -> List[Tuple[str, int, float]]:
        """(start, number, time) of each step so far; `start` is another for each process that ran the script."""
        lines = self.diary.read_text().splitlines() if self.diary.exists() else []
        return [(start, int(i), float(at)) for start, i, at in (line.split() for line in lines)]

    def steps(self) -> int:
        return len(self.entries())

    def starts(self) -> Set[str]:
        return {start for start, _, _ in self.entries()}

    def processes(self) -> List[int]:
        """What runs of it now. A pid the script itself sees means nothing here: it has a namespace of its own."""
        return processes_with(str(self.diary))

    def check_it_never_stopped(self, longest_pause: float) -> None:
        entries = self.entries()
        assert len(self.starts()) == 1, "the training was started more than once"
        assert [i for _, i, _ in entries] == list(range(self.count))
        gaps = [after[2] - before[2] for before, after in zip(entries, entries[1:])]
        assert max(gaps) < longest_pause, f"the training stood still for {max(gaps):.2f} s"

    def check_all_is_there_once(self) -> None:
        """Of a run that was retried: all that its last attempt made, and nothing else."""
        server, run, numbers = self.server, self.run, range(self.count)
        assert server.log(run, DRIVER_LOG) == b"".join(b"line %06d\n" % i for i in numbers)
        assert server.log(run, "logs/live.log") == b"".join(b"%d\n" % i for i in numbers)
        points = server.metric(run, "n")["points"]
        assert [point["index"] for point in points] == list(range(len(points)))
        assert [(point["step"], point["value"]) for point in points] == [(i, i) for i in numbers]
        parts = server.artifacts(run, "outputs/")
        for start in range(0, self.count, 50):
            expected = b"".join(b"%d\n" % i for i in numbers[start:start + 50])
            path = f"outputs/part-{start // 50:04d}.txt"
            assert server.artifact(run, path) == expected and parts.pop(path)["size"] == len(expected)
        assert parts == {}
