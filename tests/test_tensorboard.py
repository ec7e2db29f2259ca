"""What a script writes for TensorBoard to ./logs or ./outputs is among the metrics of its run, without an import."""
from pathlib import Path

import pytest

from conftest import Gate, MakeServer
from processes import wait_until
from roost_fixture import RoostServer, own_properties

EVENT_FILES = {"event_files.py": (Path(__file__).parent / "event_files.py").read_text(encoding="utf-8")}
PNG = b"\x89PNG\r\n\x1a\n some picture"


@pytest.fixture(scope="module")
def server(shared_server: RoostServer) -> RoostServer:
    return shared_server


def kinds(server: RoostServer, run: dict) -> dict:
    return {metric["name"]: metric["kind"] for metric in server.get(f"/runs/{run['id']}/metrics")["items"]}


def values(server: RoostServer, run: dict, name: str) -> list:
    return [point["value"] for point in server.metric(run, name)["points"]]


def test_every_kind(server: RoostServer) -> None:
    run = server.run(f"""
        import struct
        import event_files as ev
        writer = ev.Writer("logs")
        for step in range(3):
            writer.add_scalar("loss", 0.5 / (step + 1), step)
        writer.add("tensor", 7, ev.plugin("scalars") + ev.bytes_field(8, ev.number_field(1, 1) + ev.float_field(5, 2.5)))
        limits = b"".join(struct.pack("<d", one) for one in (0, 1))
        writer.add("weights", 1, ev.bytes_field(5, ev.double_field(1, -1) + ev.double_field(2, 2) +
                                                   ev.bytes_field(6, limits) + ev.bytes_field(7, limits)))
        writer.add("picture", 4, ev.bytes_field(4, ev.bytes_field(4, {PNG!r})))
        writer.add("note/text_summary", 0, ev.plugin("text") + ev.tensor_of_strings(b"hello **you**"))
        rate = ev.bytes_field(1, b"lr") + ev.bytes_field(2, ev.double_field(2, 0.1))
        ev.Writer("logs/1763497123.4").add("_hparams_/session_start_info", 0,
                                           ev.plugin("hparams", ev.bytes_field(3, ev.bytes_field(1, rate))))
        ev.Writer("outputs/tb/val").add_scalar("loss", 1, 9)
        writer.add("sound", 0, ev.bytes_field(6, b"wave"))
    """, files=EVENT_FILES)
    assert run["status"] == "Completed", (run["error"], server.log(run))
    assert kinds(server, run) == {"loss": "scalar", "tensor": "scalar", "weights": "table", "picture": "image",
                                  "note": "scalar", "tb/val/loss": "scalar"}
    assert values(server, run, "loss") == [0.5, 0.25, 0.1666666716337204]
    assert [point["step"] for point in server.metric(run, "loss")["points"]] == [0, 1, 2]
    assert values(server, run, "tensor") == [2.5]
    assert values(server, run, "weights") == [{"left": [-1.0, 0.0], "right": [0.0, 2.0], "count": [0.0, 1.0]}]
    (picture,) = values(server, run, "picture")
    assert server.artifact(run, picture["path"]) == PNG
    assert values(server, run, "note") == ["hello **you**"]
    assert values(server, run, "tb/val/loss") == [1.0]
    assert own_properties(run)["lr"] == "0.1"
    assert any("not shown: audio (1)" in notice for notice in run["notices"]), run["notices"]


def test_points_appear_while_the_run_goes_on(server: RoostServer, gate: Gate) -> None:
    run = server.submit(f"""
        import event_files as ev
        writer = ev.Writer("logs/train")
        writer.add_scalar("loss", 1, 1)
        {gate.wait_code.replace(chr(10), chr(10) + "        ")}
        writer.add_scalar("loss", 2, 2)
    """, files=EVENT_FILES)
    wait_until(lambda: "train/loss" in kinds(server, run), 20, "the first point is there")
    assert server.get_run(run)["status"] == "Running"
    gate.open()
    server.wait(run, "Completed")
    assert values(server, run, "train/loss") == [1.0, 2.0]


def test_what_is_written_anew_copied_or_cut_is_read_once(server: RoostServer) -> None:
    run = server.run("""
        import shutil
        import event_files as ev
        writer = ev.Writer("logs")
        for step in range(100):
            writer.add_scalar("loss", step, step)
        shutil.copy(writer.path, "outputs")
        shutil.copytree("logs", "outputs/all")
        bad = ev.Writer("logs/bad")
        broken = bytearray(bad.event("loss", 2, ev.float_field(2, 2)))
        broken[20] ^= 1
        bad.add_scalar("loss", 1, 1)
        bad.file.write(bytes(broken))
        bad.add_scalar("loss", 3, 3)
        bad.file.write(bad.event("loss", 4, ev.float_field(2, 4))[:-3])
    """, files=EVENT_FILES)
    assert run["status"] == "Completed", (run["error"], server.log(run))
    assert values(server, run, "loss") == [float(step) for step in range(100)]
    assert values(server, run, "bad/loss") == [1.0, 3.0]
    (notice,) = [notice for notice in run["notices"] if "logs/bad/" in notice]
    assert "are no events and were passed over; ends in the middle of an event" in notice


def test_a_run_that_does_not_want_it(server: RoostServer) -> None:
    run = server.run("""
        import event_files as ev
        ev.Writer("logs").add_scalar("loss", 1, 1)
    """, files=EVENT_FILES, environment_variables={"ROOST_TENSORBOARD": "0"})
    assert run["status"] == "Completed" and kinds(server, run) == {}


def test_no_point_is_lost_or_doubled_when_the_server_is_killed(make_server: MakeServer, tmp_path: Path) -> None:
    server = make_server()
    gate = Gate(tmp_path / "gate")
    run = server.submit(f"""
        import event_files as ev
        writer = ev.Writer("outputs")
        template = [writer.event("loss", step, ev.float_field(2, step)) for step in range(20_000)]
        for piece in range(10):
            writer.file.write(b"".join(template[piece * 1000:(piece + 1) * 1000]))
        {gate.wait_code.replace(chr(10), chr(10) + "        ")}
        writer.file.write(b"".join(template[10_000:]))
    """, files=EVENT_FILES)
    wait_until(lambda: "loss" in kinds(server, run), 30, "the first points are there")
    server.kill9()
    gate.open()
    server.start()
    run = server.wait(run, timeout=60)
    assert run["status"] == "Completed", run["error"]
    points = []
    while len(points) < 20_000:
        page = server.metric(run, "loss", from_index=len(points), limit=5000)
        assert page["count"] == 20_000 and page["points"]
        points += page["points"]
    assert [point["value"] for point in points] == list(range(20_000))
