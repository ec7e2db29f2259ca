"""roost deploy, endpoints and score: what is served, how it is called and changed, and files through a model."""
import json
import signal
import struct
import subprocess
import urllib.request
from pathlib import Path
from typing import Any, Dict

import pytest

from onnx_models import linear_answer, linear_model, picture_model
from processes import wait_until
from roost_fixture import PYTHON, RoostServer, roost_program
from serving import serve

WEIGHTS = [[1.0, 0.0], [0.5, -1.0], [0.0, 2.0]]
ROW = [1.0, 2.0, 3.0]


@pytest.fixture(scope="module")
def server(shared_server: RoostServer, tmp_path_factory: pytest.TempPathFactory) -> RoostServer:
    folder = tmp_path_factory.mktemp("models")
    for version, bias in enumerate(([0.0, 0.0], [10.0, 10.0]), 1):
        (folder / "model.onnx").write_bytes(linear_model(WEIGHTS, bias))
        done = shared_server.cli("model", "register", "lines", folder / "model.onnx", "--framework", "Onnx")
        assert done.stdout == f"lines:{version}\n"
    (folder / "score.py").write_text(SCORE)
    return shared_server


@pytest.fixture(scope="module", autouse=True)
def needs_runtime(server: RoostServer, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("runtime")
    (folder / "model.onnx").write_bytes(linear_model(WEIGHTS, [0.0, 0.0]))
    with serve(folder, folder / "model.onnx"):
        pass


SCORE = """
import json, os

def init():
    global files
    files = sorted(os.listdir(os.environ["AZUREML_MODEL_DIR"]))

def run(data):
    return {"got": json.loads(data), "files": files, "name": os.environ.get("BIRD")}
"""


def answer(bias: float) -> list:
    return list(linear_answer(WEIGHTS, [bias, bias], ROW))


def ask(server: RoostServer, endpoint: str, *more: Any, **options: Any) -> Any:
    done = server.cli("endpoints", "call", endpoint, "--data", json.dumps({"data": [ROW]}), *more, **options)
    return json.loads(done.stdout)


def scores(found: Any) -> list:
    """Of the plain form of an answer, whatever it is wrapped in."""
    while isinstance(found, dict):
        found = found["scores"] if "scores" in found else next(iter(found.values()))
    return found[0]


@pytest.fixture(scope="module")
def lines(server: RoostServer, needs_runtime: None) -> str:
    done = server.cli("deploy", "lines:1", "--as", "lines", "--deployment", "blue", "--tag", "stage=test", timeout=120)
    assert "lines  Healthy" in done.stdout and "call it   curl" in done.stdout
    return "lines"


def test_a_deployed_model_answers(server: RoostServer, lines: str) -> None:
    assert scores(ask(server, lines)) == answer(0)
    shown = server.cli_json("endpoints", "show", lines)
    assert (shown["state"], shown["traffic"], shown["tags"]) == ("Healthy", {"blue": 100}, {"stage": "test"})
    request = urllib.request.Request(shown["scoring_uri"], json.dumps({"data": [ROW]}).encode(),
                                     {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=30) as response:
        assert scores(json.load(response)) == answer(0)
    about = server.cli("endpoints", "call", lines, "--path", "/v2/models/lines").stdout
    assert json.loads(about)["inputs"][0]["shape"] == [-1, 3]


def test_lists_and_pages(server: RoostServer, lines: str) -> None:
    assert lines in server.cli("endpoints", "ls", "-q").stdout.split()
    table = server.cli("endpoints", "ls").stdout
    assert table.splitlines()[0].split() == ["ENDPOINT", "STATE", "TRAFFIC", "READY", "ADDRESS", "CHANGED"]
    page = server.cli("endpoints", "show", lines).stdout
    assert "DEPLOYMENT" in page and "lines:1" in page and "REPLICA" in page
    assert any(one["endpoint"] == lines for one in server.cli_json("model", "show", "lines:1")["serves"])
    held = server.cli("model", "rm", "lines:1", check=False)
    assert held.returncode != 0 and "lines" in held.stderr


def test_another_version_beside_it(server: RoostServer, lines: str) -> None:
    server.cli("deploy", "lines:2", "--as", lines, "--deployment", "green", "--traffic", "10", timeout=120)
    assert server.cli("endpoints", "traffic", lines).stdout == "blue 90 %, green 10 %\n"
    assert scores(ask(server, lines, "--deployment", "green")) == answer(10)
    assert scores(ask(server, lines, "--deployment", "blue")) == answer(0)
    server.cli("endpoints", "traffic", lines, "blue=0", "green=100", "--shadow", "blue=50")
    assert server.cli_json("endpoints", "traffic", lines) == {"traffic": {"blue": 0, "green": 100}, "shadow": {"blue": 50}}
    wait_until(lambda: scores(ask(server, lines)) == answer(10), 10, "all goes to green")
    few = server.cli("endpoints", "traffic", lines, "blue=50", check=False)
    assert few.returncode == 2 and "must make 100 %" in few.stderr
    unknown = server.cli("endpoints", "traffic", lines, "red=100", check=False)
    assert unknown.returncode == 2 and "it has blue, green" in unknown.stderr
    server.cli("endpoints", "traffic", lines, "blue=100")
    server.cli("endpoints", "rm", lines, "green")
    assert [one["name"] for one in server.cli_json("endpoints", "show", lines)["deployments"]] == ["blue"]


def test_replaced_and_rolled_back(server: RoostServer, lines: str) -> None:
    server.cli("deploy", "lines:2", "--as", lines, timeout=120)
    wait_until(lambda: scores(ask(server, lines)) == answer(10), 10, "the new version answers")
    server.cli("endpoints", "rollback", lines)
    wait_until(lambda: scores(ask(server, lines)) == answer(0), 30, "the old version answers again")


def test_how_it_runs_is_changed(server: RoostServer, lines: str) -> None:
    server.cli("endpoints", "update", lines, "--max-batch", "4", "--replicas", "2", timeout=120)
    (blue,) = server.cli_json("endpoints", "show", lines)["deployments"]
    assert (blue["replicas"]["min"], blue["replicas"]["max"], blue["batching"]["max_batch"]) == (2, 2, 4)
    nothing = server.cli("endpoints", "update", lines, check=False)
    assert nothing.returncode == 2 and "--replicas 3" in nothing.stderr
    server.cli("endpoints", "restart", lines)
    assert scores(ask(server, lines)) == answer(0)


def test_a_key(server: RoostServer) -> None:
    server.cli("deploy", "lines:1", "--as", "locked", "--auth", "key", timeout=120)
    assert scores(ask(server, "locked")) == answer(0)
    key = server.cli("endpoints", "keys", "locked", "-q").stdout.strip()
    wrong = server.cli("endpoints", "call", "locked", "--data", "{}", "--key", "no", check=False)
    assert wrong.returncode == 1 and "status 401" in wrong.stderr
    fresh = server.cli("endpoints", "keys", "locked", "--regenerate", "primary", "-q").stdout.strip()
    assert fresh != key
    wait_until(lambda: ask_status(server, "locked", key) == 401, 10, "the old key opens nothing")
    assert ask_status(server, "locked", fresh) == 200
    server.cli("endpoints", "rm", "locked")
    gone = server.cli("endpoints", "show", "locked", check=False)
    assert gone.returncode == 4 or "locked" in gone.stderr


def ask_status(server: RoostServer, endpoint: str, key: str) -> int:
    done = server.cli("endpoints", "call", endpoint, "--data", json.dumps({"data": [ROW]}), "--key", key, check=False)
    return int(done.stderr.split("status ")[1].split()[0])


def test_a_script(server: RoostServer, tmp_path: Path) -> None:
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "score.py").write_text(SCORE)
    server.cli("deploy", "lines:1", "--as", "scripted", "--code", tmp_path / "code", "--entry", "score.py", "--python", PYTHON,
               "--env", "BIRD=owl", "--workers", "2", timeout=120)
    assert ask(server, "scripted") == {"got": {"data": [ROW]}, "files": ["model.onnx"], "name": "owl"}
    wait_until(lambda: "POST /score 200" in server.cli("endpoints", "logs", "scripted").stdout, 30, "the request is in the log")
    follower = subprocess.Popen([str(roost_program()), "endpoints", "logs", "scripted", "-f"], stdout=subprocess.PIPE,
                                env=server.environment, cwd=server.folder, text=True)
    assert follower.stdout is not None
    assert any("POST /score 200" in line for line in follower.stdout)
    follower.send_signal(signal.SIGINT)
    follower.stdout.close()
    assert follower.wait(20) == 130
    (tmp_path / "code" / "score.py").write_text("raise KeyError('feathers')\n")
    failed = server.cli("deploy", "lines:1", "--as", "scripted", "--code", tmp_path / "code", "--python", PYTHON, check=False,
                        timeout=180)
    assert failed.returncode != 0 and "KeyError: 'feathers'" in failed.stderr
    server.cli("endpoints", "rm", "scripted")


def test_what_is_wrong_is_said(server: RoostServer, tmp_path: Path) -> None:
    def refused(*words: Any) -> str:
        done = server.cli("deploy", *words, check=False)
        assert done.returncode != 0 and done.stdout == ""
        return done.stderr

    assert "there is no model" in refused("no-such", "--as", "x-wrong")
    assert "--replicas N is for exactly so many" in refused("lines", "--as", "x-wrong", "--replicas", 2, "--min", 1)
    assert "it is none (anybody may call), key or token" in refused("lines", "--as", "x-wrong", "--auth", "password")
    assert "there is no entry script" in refused("lines", "--as", "x-wrong", "--code", tmp_path)
    assert "first deployment takes all traffic" in refused("lines", "--as", "x-wrong", "--traffic", 10)
    (tmp_path / "m.txt").write_text("x")
    server.cli("model", "register", "plain", tmp_path / "m.txt")
    assert "plain" in refused("plain", "--as", "x-wrong")
    bad = tmp_path / "bad.onnx"
    bad.write_bytes(b"\x08\x07 this is no graph")
    server.cli("model", "register", "broken", bad, "--framework", "Onnx")
    failed = server.cli("deploy", "broken", "--as", "broken", check=False, timeout=180)
    assert failed.returncode != 0 and "roost endpoints logs broken" in failed.stderr
    server.cli("endpoints", "rm", "broken")


def test_files_through_a_model(server: RoostServer, tmp_path: Path) -> None:
    inside = tmp_path / "in"
    (inside / "deep").mkdir(parents=True)
    (inside / "a.json").write_text(json.dumps({"data": [ROW, [0, 0, 0]]}))
    (inside / "b.csv").write_text("x,y,z\n1,2,3\n4,5,6\n")
    (inside / "deep" / "c.npy").write_bytes(npy([ROW]))
    (inside / "wrong.json").write_text("[[1, 2]]")
    (inside / "what.xyz").write_text("?")
    done = server.cli("score", "lines:2", "--input", inside, "--output", tmp_path / "out", check=False, timeout=120)
    assert done.returncode == 1 and done.stdout.startswith("3 of 5 files scored"), done.stderr
    assert "failed what.xyz: files that end in .xyz cannot be scored" in done.stderr
    assert "failed wrong.json: " in done.stderr
    out = tmp_path / "out"
    assert json.loads((out / "a.json").read_text())["scores"] == [answer(10), [10.0, 10.0]]
    rows = (out / "b.csv").read_text().splitlines()
    assert rows[0] == "scores_0,scores_1" and [float(x) for x in rows[1].split(",")] == answer(10)
    assert (out / "deep" / "c.npy").read_bytes()[-8:] == struct.pack("<2f", *answer(10))
    summary = json.loads((out / "summary.json").read_text())
    assert (summary["model"], summary["files"], summary["scored"]) == ("lines:2", 5, 3)
    assert {one["file"] for one in summary["failed"]} == {"wrong.json", "what.xyz"}
    forgiven = server.cli("score", "lines:2", "-i", inside, "-o", tmp_path / "again", "--error-threshold", 2, timeout=120)
    assert forgiven.returncode == 0


def npy(rows: list) -> bytes:
    head = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({len(rows)}, {len(rows[0])}), }}".encode()
    head += b" " * (-(len(head) + 11) % 64) + b"\n"
    flat = [value for row in rows for value in row]
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + struct.pack(f"<{len(flat)}f", *flat)


def test_pictures_through_a_model(server: RoostServer, tmp_path: Path) -> None:
    images = pytest.importorskip("PIL.Image", reason="needs Pillow for /usr/bin/python3")
    (tmp_path / "model.onnx").write_bytes(picture_model(3, 4, 4))
    server.cli("model", "register", "colours", tmp_path / "model.onnx")
    inside = tmp_path / "pictures"
    inside.mkdir()
    images.new("RGB", (9, 7), (255, 51, 0)).save(inside / "red.png")
    server.cli("score", "colours", "-i", inside, "-o", tmp_path / "out", "--python", PYTHON, timeout=120)
    found = json.loads((tmp_path / "out" / "red.png.json").read_text())["colours"]
    assert [round(one[0][0], 4) for one in found[0]] == [1.0, 0.2, 0.0]


def test_files_through_a_script(server: RoostServer, tmp_path: Path) -> None:
    code, inside = tmp_path / "batch", tmp_path / "in"
    code.mkdir()
    inside.mkdir()
    (code / "score.py").write_text("""
import os

def init():
    global size
    size = os.path.getsize(os.path.join(os.environ["AZUREML_MODEL_DIR"], "model.onnx"))

def run(mini_batch):
    for path in mini_batch:
        if path.endswith("bad.txt"):
            raise ValueError("it is bad")
    return [{"name": os.path.basename(path), "size": size} for path in mini_batch]
""")
    for name in ("a.txt", "bad.txt", "c.txt"):
        (inside / name).write_text(name)
    done = server.cli("score", "lines:1", "-i", inside, "-o", tmp_path / "out", "--code", code, "--python", PYTHON, check=False,
                      timeout=120)
    assert done.returncode == 1 and "failed bad.txt: ValueError: it is bad" in done.stderr
    found: Dict[str, Any] = json.loads((tmp_path / "out" / "c.txt.json").read_text())
    assert found["name"] == "c.txt" and found["size"] > 100
