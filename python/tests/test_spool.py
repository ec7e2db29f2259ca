import os
import re
import signal
import subprocess
import sys
import threading
import time

import pytest
from conftest import read_spool, read_spool_file

from roost.spool import SEGMENT, SpoolWriter


def test_scalar_line_has_five_fields(tmp_path):
    spool = SpoolWriter(str(tmp_path))
    before = time.time()
    spool.log("loss", 0.1, 7)
    spool.log("epochs", 3)
    (kind, name, value, step, at), second = read_spool(tmp_path)
    assert (kind, name, value, step) == ("scalar", "loss", 0.1, 7)
    assert before - 1e-5 <= at <= time.time()
    assert second[:4] == ["scalar", "epochs", 3, None]


def test_file_is_named_after_the_process_and_made_on_first_use(tmp_path):
    spool = SpoolWriter(str(tmp_path))
    assert os.listdir(tmp_path) == []
    spool.log("loss", 1.0)
    (name,) = os.listdir(tmp_path)
    assert re.fullmatch(rf"{os.getpid()}-[0-9a-f]{{8}}\.spool", name)


def test_close_cuts_the_file_and_a_later_record_follows_on(tmp_path):
    spool = SpoolWriter(str(tmp_path))
    spool.log("loss", 1.0)
    (path,) = tmp_path.iterdir()
    assert path.stat().st_size == SEGMENT
    spool.close()
    assert path.read_bytes().endswith(b"]\n")
    spool.log("loss", 2.0)
    spool.close()
    assert [record[2] for record in read_spool_file(path)] == [1.0, 2.0]


def test_many_segments_and_a_record_larger_than_one(tmp_path):
    spool = SpoolWriter(str(tmp_path))
    for step in range(40000):
        spool.log("loss", step / 7, step)
    spool.record("list", "long", list(range(500000)))
    spool.log("loss", 1.0, 40000)
    spool.close()
    records = read_spool(tmp_path)
    assert [record[3] for record in records if record[0] == "scalar"] == list(range(40001))
    assert [record[2] for record in records[:40000]] == [step / 7 for step in range(40000)]
    assert records[40000][2] == list(range(500000))


def test_threads_never_tear_a_line(tmp_path):
    spool = SpoolWriter(str(tmp_path))

    def work(number):
        for step in range(10000):
            spool.log(f"thread {number}", number + step / 3, step)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    records = read_spool(tmp_path)
    for number in range(4):
        points = [
            (value, step) for _, name, value, step, _ in records if name == f"thread {number}"
        ]
        assert points == [(number + step / 3, step) for step in range(10000)]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_forked_child_writes_its_own_file(script):
    script.run("""
import os, sys, roost.run
roost.run.log("x", 1, 0)
for child in (1, 2):
    if os.fork() == 0:
        for step in range(20000):
            roost.run.log("child", child, step)
        if child == 1: sys.exit()  # cuts its file
        os._exit(0)                # leaves the zeros
    roost.run.log("x", 1, child)
os.wait(), os.wait()
roost.run.log("x", 1, 3)
""")
    files = [read_spool_file(os.path.join(script.spool, name)) for name in os.listdir(script.spool)]
    assert sorted(len(records) for records in files) == [4, 20000, 20000]
    for records in files:
        assert [record[3] for record in records] == list(range(len(records)))
        assert len({(record[1], record[2]) for record in records}) == 1


def test_fork_while_threads_log(script):
    script.run("""
import os, threading, roost.run
stop = threading.Event()
def work():
    while not stop.is_set(): roost.run.log("thread", 1.5)
threads = [threading.Thread(target=work) for _ in range(3)]
for thread in threads: thread.start()
for child in range(20):
    if os.fork() == 0:
        roost.run.log("child", child)
        os._exit(0)
for child in range(20): os.wait()
stop.set()
""")
    assert sorted(record[2] for record in read_spool(script.spool) if record[1] == "child") == list(
        range(20)
    )


def test_kill_leaves_all_complete_lines(script):
    process = script.start("""
import roost.run
step = 0
while True:
    roost.run.log("loss", step / 3, step)
    step += 1
    if step % 1000 == 0: print(step, flush=True)
""")
    while int(process.stdout.readline()) < 60000:
        pass
    process.send_signal(signal.SIGKILL)
    reported = [int(line) for line in process.stdout.read().split()]
    process.communicate()
    records = read_spool(script.spool)
    assert len(records) >= max(reported, default=60000)
    assert [(record[2], record[3]) for record in records] == [
        (step / 3, step) for step in range(len(records))
    ]


def test_signal_handler_may_log_at_any_moment(script):
    script.run("""
import itertools, signal, roost.run
count = itertools.count()
def beat(*_): roost.run.log("beat", "x" * 3000, next(count))
signal.signal(signal.SIGALRM, beat)
signal.setitimer(signal.ITIMER_REAL, 0.0002, 0.0002)
for step in range(100000): roost.run.log("loss", 1.5, step)
signal.setitimer(signal.ITIMER_REAL, 0)
roost.run.log("beats", next(count))
""")
    records = read_spool(script.spool)
    assert [record[3] for record in records if record[1] == "loss"] == list(range(100000))
    beats = sorted(record[3] for record in records if record[1] == "beat")
    assert beats == list(range(records[-1][2])) and beats


def test_log_inside_the_change_of_segment(tmp_path, monkeypatch):
    spool = SpoolWriter(str(tmp_path))
    change = spool._map_next_segment

    def interrupted_change(needed):
        spool.log("inner", 1)
        change(needed)
        spool.log("inner", 2)

    monkeypatch.setattr(spool, "_map_next_segment", interrupted_change)
    spool.log("outer", 1)
    assert sorted((record[1], record[2]) for record in read_spool(tmp_path)) == [
        ("inner", 1),
        ("inner", 2),
        ("outer", 1),
    ]


def test_missing_folder_warns_once_and_goes_on(script):
    _, err = script.run(
        "import roost.run\nfor step in range(5): roost.run.log('loss', 1.5)",
        ROOST_SPOOL="/nowhere/at/all",
    )
    assert err.count("roost: cannot write metrics to /nowhere/at/all") == 1


@pytest.fixture
def small_disk(tmp_path):
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        pytest.skip("needs root to mount a small tmpfs")
    folder = tmp_path / "small"
    folder.mkdir()
    mount = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=2560k", "roost-test", str(folder)],
        stderr=subprocess.PIPE,
    )
    if mount.returncode != 0:
        pytest.skip(f"cannot mount a tmpfs: {mount.stderr.decode().strip()}")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_full_disk_drops_metrics_and_recovers(script, small_disk):
    (small_disk / "ballast").write_bytes(bytes(1 << 20))
    _, err = script.run(
        """
import os, time, roost.run
for step in range(30000): roost.run.log("loss", 1.5, step)
os.remove(os.environ["ROOST_SPOOL"] + "/ballast")
time.sleep(1.1)
roost.run.log("after", 1.5)
print("trained")
""",
        ROOST_SPOOL=str(small_disk),
    )
    assert err.count("roost: cannot write metrics") == 1
    assert "No space left" in err or sys.implementation.name != "cpython"
    *losses, after = read_spool(small_disk)
    assert 10000 < len(losses) < 30000
    assert [record[3] for record in losses] == list(range(len(losses)))
    assert after[1] == "after"
