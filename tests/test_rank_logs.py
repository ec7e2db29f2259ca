"""The logs of several ranks together: in the order of time, whole lines, and nothing lost by a reconnection."""
import threading
from pathlib import Path
from typing import Any, Callable, Dict, List, Tuple

from processes import wait_until
from roost_fixture import RoostServer

DDP = {"kind": "pytorch", "process_count": 4, "node_count": 2}

# The ranks take turns, each when it is told to; each line is written in two halves.
TURNS = """
    import os, sys, time
    rank = int(os.environ["RANK"])
    for turn in range(3):
        while not os.path.exists(f"{sys.argv[1]}/{turn}-{rank}"): time.sleep(0.01)
        sys.stdout.write(f"turn {turn} "); sys.stdout.flush(); time.sleep(0.05)
        print(f"of {rank}", flush=True)
"""
IN_TURN = [(rank, f"turn {turn} of {rank}\n") for turn in range(3) for rank in (3, 2, 1, 0)]


def lines_of(events: Any) -> List[Tuple[int, str]]:
    """(rank, line) as they came; every piece must hold whole lines of one rank."""
    lines: List[Tuple[int, str]] = []
    for event in events:
        if event["type"] == "log":
            assert event["text"].endswith("\n") and event["name"] == f"azureml-logs/70_driver_log_{event['rank']}.txt"
            lines += [(event["rank"], line) for line in event["text"].splitlines(keepends=True)]
    return lines


def take_turns(server: RoostServer, folder: Path) -> Tuple[Dict[str, Any], Callable[[], None]]:
    """A run whose ranks speak in turn, and what lets them speak: the next one when the server has the line of the last."""
    run = server.submit(TURNS, distributed=DDP, arguments=[str(folder)])

    def has_come(rank: int, line: str) -> bool:
        answer = server.api("GET", f"/runs/{run['id']}/logs/azureml-logs/70_driver_log_{rank}.txt")
        return answer.status == 200 and line.encode() in answer.body

    def conduct() -> None:
        for rank, line in IN_TURN:
            (folder / f"{line.split()[1]}-{rank}").touch()
            wait_until(lambda: has_come(rank, line), 60, f"{line!r} of rank {rank} is with the server")

    return run, conduct


def test_ranks_are_merged_in_the_order_of_time_live_and_afterwards(server: RoostServer, tmp_path: Path) -> None:
    run, conduct = take_turns(server, tmp_path)
    live: List[Dict[str, Any]] = []
    follower = threading.Thread(target=lambda: live.extend(server.follow(run, ranks="all")))
    follower.start()
    conduct()
    follower.join(60)
    assert live[-1]["type"] == "end" and live[-1]["run"]["status"] == "Completed"
    assert lines_of(live) == IN_TURN
    assert lines_of(server.follow(run, ranks="all")) == IN_TURN
    assert lines_of(server.follow(run, ranks="3,1")) == [(rank, line) for rank, line in IN_TURN if rank in (1, 3)]
    names = [log["name"] for log in server.get(f"/runs/{run['id']}/logs")["items"]]
    assert names == [f"azureml-logs/70_driver_log_{rank}.txt" for rank in range(4)], "the times are not listed"


def test_taken_up_again_anywhere(server: RoostServer) -> None:
    run = server.run("import os\nfor i in range(50): print(os.environ['RANK'], i)", distributed=DDP, timeout=60)
    whole = lines_of(server.follow(run, ranks="all"))
    assert len(whole) == 200
    offsets, lines = [0, 0, 0, 0], []
    for _ in range(1000):
        events = list(server.follow(run, ranks="all", offsets=",".join(map(str, offsets)), live="false"))
        pieces = [event for event in events if event["type"] == "log"]
        if not pieces:
            break
        offsets[pieces[0]["rank"]] = pieces[0]["offset"]
        lines += lines_of(pieces[:1])
    assert sorted(lines) == sorted(whole) and len(lines) == 200


def test_what_there_is_by_now(server: RoostServer) -> None:
    run = server.submit("import time\nprint('here', flush=True)\ntime.sleep(600)", distributed=DDP)
    seen = 0
    for event in server.follow(run, ranks="all"):
        seen += event["type"] == "log"
        if seen == 4:
            break
    events = list(server.follow(run, ranks="0,2", live="false"))
    assert lines_of(events) == [(0, "here\n"), (2, "here\n")] or lines_of(events) == [(2, "here\n"), (0, "here\n")]
    assert events[-1]["type"] == "end" and events[-1]["run"]["status"] == "Running"
    server.cancel(run)


def test_a_single_process_is_rank_0(server: RoostServer) -> None:
    run = server.run("print('alone')")
    (log,) = [event for event in server.follow(run, ranks="all") if event["type"] == "log"]
    assert (log["rank"], log["text"], log["name"]) == (0, "alone\n", "azureml-logs/70_driver_log.txt")


def test_wrong_ranks_are_named(server: RoostServer) -> None:
    run = server.run("pass", distributed=DDP, timeout=60)
    for query, says in (("ranks=4", "has 4 ranks, 0 to 3; there is no rank 4"), ("ranks=x", "it must be all, or ranks like 0,3"),
                        ("ranks=all&offsets=1,2,3,4,5", "has 5 bytes for 4 ranks"), ("ranks=0&offsets=x", "it must be bytes like 0,4711"),
                        ("ranks=0&offset=3", "for a single log"), ("ranks=-1", "0 to 3")):
        answer = server.api("GET", f"/runs/{run['id']}/follow?{query}")
        assert answer.status == 400 and says in answer.json["error"]["message"], answer.json
    answer = server.api("GET", f"/runs/{server.run('pass')['id']}/follow?ranks=1")
    assert "has one process, rank 0; there is no rank 1" in answer.json["error"]["message"]


def test_followers_of_all_ranks_do_not_disturb_one_another(server: RoostServer, tmp_path: Path) -> None:
    run, conduct = take_turns(server, tmp_path)
    seen: List[List[Tuple[int, str]]] = []
    threads = [threading.Thread(target=lambda: seen.append(lines_of(server.follow(run, ranks="all")))) for _ in range(4)]
    for thread in threads:
        thread.start()
    conduct()
    for thread in threads:
        thread.join(60)
    assert seen == [IN_TURN] * 4
