"""The command line as a user on the same machine meets it."""
import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

from conftest import Gate
from roost_fixture import RoostServer, roost_program, sha256


@pytest.fixture(scope="module")
def server(shared_server: RoostServer) -> RoostServer:
    return shared_server


@pytest.fixture
def source(source: Path) -> Path:
    (source / "train.py").write_text("""
import os, sys
import roost.run
print("arguments", sys.argv[1:])
for i in range(10): roost.run.log("loss", 1 / (i + float(sys.argv[1])), step=i)
open("outputs/model.txt", "w").write("model " + sys.argv[1])
sys.exit(int(sys.argv[2]))
""")
    return source


def submit(server: RoostServer, source: Path, *arguments: str, **more: object) -> dict:
    """Submits, waits and returns the run."""
    done = server.cli("submit", "--experiment", "birds", "--source", source, "--detach", "--", "python", "train.py",
                      *arguments, **more)
    return server.wait(done.stdout.strip())


@pytest.mark.parametrize("code", [0, 1, 137])
def test_submit_streams_the_run_and_exits_with_its_code(server: RoostServer, source: Path, code: int) -> None:
    done = server.cli("submit", "--experiment", "birds", "--source", source, "--", "python", "train.py", "1", code,
                      check=False)
    assert done.returncode == code, done.stderr
    assert f"arguments ['1', '{code}']" in done.stdout
    run = server.get("/workspaces/default/runs?limit=1")["items"][0]
    assert run["experiment"] == "birds" and run["exit_code"] == code


def test_submit_says_what_to_do_without_a_server(server: RoostServer, source: Path, tmp_path: Path) -> None:
    environment = {**server.environment, "ROOST_DATA": str(tmp_path / "none")}
    done = server.cli("submit", "--experiment", "e", "--source", source, "--", "true", check=False, env=environment)
    assert done.returncode == 125 and "roost up" in done.stderr


@pytest.mark.parametrize("arguments, code, words", [
    (["nonsense"], 2, ["nonsense"]),
    (["runz"], 2, ["runs"]),
    (["submit", "--experiment", "e", "--source", "/no/such/folder", "--", "true"], None, ["/no/such/folder"]),
    (["submit", "--experiment", "../e", "--", "true"], 122, ["../e"]),
    (["show", "no-such-run"], 3, ["no-such-run"]),
    (["logs", "no-such-run"], 3, ["no-such-run"]),
    (["cancel", "no-such-run"], 3, ["no-such-run"]),
    (["compute", "show", "nope"], 3, ["nope"]),
    (["compute", "create", "x/y"], 2, ["x/y"]),
    (["token", "create", "x", "--role", "emperor"], 2, ["emperor"]),
    (["runs", "--status", "Nope"], 2, ["Nope"]),
])
def test_wrong_call(server: RoostServer, arguments: list, code: int, words: list) -> None:
    done = server.cli(*arguments, check=False)
    assert done.returncode == code if code else done.returncode not in (0, 139, 134), done
    for word in words:
        assert word in done.stderr, done.stderr
    assert "Traceback" not in done.stderr and "terminate called" not in done.stderr


@pytest.mark.parametrize("arguments, words", [
    (["runs", "-w", "nowhere"], ["there is no workspace \"nowhere\"", "`roost workspace create`"]),
    (["submit", "-e", "two birds", "--", "true"], ["is not an experiment name"]),
    (["env", "show", "two birds"], ["is not an environment name"]),
    (["model", "show", "two birds"], ["two birds"]),
    (["compute", "create", "x y"], ["is not a compute name"]),
])
def test_texts_are_for_people(server: RoostServer, arguments: list, words: list) -> None:
    """What to do next is a verb of this program, never a request by hand."""
    done = server.cli(*arguments, check=False)
    assert done.returncode != 0
    for word in words:
        assert word in done.stderr, done.stderr
    assert "/api/" not in done.stderr and "POST" not in done.stderr


def test_show_logs_metrics_artifacts(server: RoostServer, source: Path, tmp_path: Path) -> None:
    run = submit(server, source, "1", "0")
    assert run["id"] in server.cli("show", run["id"]).stdout
    assert server.cli_json("show", run["id"])["id"] == run["id"]
    assert server.cli("logs", run["id"]).stdout == "arguments ['1', '0']\n"
    assert server.cli("logs", "-f", run["id"]).stdout == "arguments ['1', '0']\n"
    assert "loss" in server.cli("metrics", run["id"]).stdout
    assert len(server.cli("metrics", run["id"], "loss", "--csv").stdout.splitlines()) == 11
    assert "outputs/model.txt" in server.cli("artifacts", "ls", run["id"]).stdout
    server.cli("artifacts", "get", run["id"], "--all", "-o", tmp_path / "got")
    assert (tmp_path / "got" / "outputs" / "model.txt").read_text() == "model 1"


def test_runs_by_unique_beginning_and_newest(server: RoostServer, source: Path) -> None:
    run = submit(server, source, "1", "0")
    assert server.cli_json("show", "@")["id"] == run["id"]
    assert server.cli_json("show", run["id"][:-1])["id"] == run["id"]
    ambiguous = server.cli("show", "birds", check=False)
    assert submit(server, source, "1", "0") and ambiguous.returncode in (0, 2, 3)
    assert server.cli("show", "birds", check=False).returncode != 0


def test_logs_follow_is_live(server: RoostServer, gate: Gate) -> None:
    run = server.submit("print('first', flush=True)\n" + gate.wait_code + "print('second')")
    follower = subprocess.Popen([str(roost_program()), "logs", "-f", run["id"]], env=server.environment,
                                stdout=subprocess.PIPE, text=True)
    try:
        assert follower.stdout.readline() == "first\n"
        assert server.get_run(run)["status"] == "Running"
        gate.open()
        assert follower.stdout.read() == "second\n" and follower.wait(20) == 0
    finally:
        follower.kill()
        follower.wait()


def test_interrupt_of_submit_leaves_the_run(server: RoostServer, tmp_path: Path, gate: Gate) -> None:
    (tmp_path / "go.py").write_text("print('started', flush=True)\n" + gate.wait_code)
    command = [str(roost_program()), "submit", "-e", "interrupted", "-s", str(tmp_path), "--", "python", "go.py"]
    client = subprocess.Popen(command, env=server.environment, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)
    try:
        assert client.stdout.readline() == "started\n"
        client.send_signal(signal.SIGINT)
        _, errors = client.communicate(timeout=20)
    finally:
        client.kill()
        client.wait()
    (run,) = server.get("/workspaces/default/runs?experiment=interrupted")["items"]
    assert client.returncode == 130 and run["id"] in errors and run["status"] == "Running"
    gate.open()
    assert server.wait(run)["status"] == "Completed"


def test_rerun_repeats_exactly(server: RoostServer, source: Path) -> None:
    first = submit(server, source, "2", "0", check=True)
    (source / "train.py").write_text("raise SystemExit(9)")
    done = server.cli("rerun", first["id"], check=False)
    assert done.returncode == 0 and done.stdout == "arguments ['2', '0']\n"
    again = server.get("/workspaces/default/runs?limit=1")["items"][0]
    assert again["id"] != first["id"]
    for key in ("snapshot", "experiment", "compute", "environment", "git", "priority"):
        assert again[key] == first[key], key
    for key in ("script", "command", "arguments", "environment_variables"):
        assert again["spec"].get(key) == first["spec"].get(key), key


def test_diff_shows_code_arguments_and_metrics(server: RoostServer, source: Path) -> None:
    first = submit(server, source, "1", "0")
    text = (source / "train.py").read_text()
    (source / "train.py").write_text(text.replace("1 /", "2 /"))
    (source / "new.py").write_text("pass")
    second = submit(server, source, "3", "0")
    diff = server.cli_json("diff", first["id"], second["id"])
    assert {file["path"] for file in diff["code"]} == {"train.py", "new.py"}
    assert any(d["name"] == "loss" and d["a"] != d["b"] for d in diff["metrics"])
    assert any("3" in json.dumps(d["b"]) for d in diff["spec"])
    shown = server.cli("diff", first["id"], second["id"]).stdout
    assert "-for i in range(10): roost.run.log(\"loss\", 1 /" in shown and "new.py" in shown
    same = server.cli_json("diff", first["id"], first["id"])
    assert same["code"] == [] and same["spec"] == []


def test_cancel(server: RoostServer) -> None:
    run = server.submit("import time; time.sleep(600)")
    server.wait(run, "Running")
    server.cli("cancel", run["id"])
    assert server.wait(run)["status"] == "Canceled"


def test_compute_life(server: RoostServer) -> None:
    server.cli("compute", "create", "gpu-cluster", "--vm-size", "STANDARD_NC6", "--max-nodes", "4")
    assert "gpu-cluster" in server.cli("compute", "ls").stdout
    assert server.cli_json("compute", "show", "gpu-cluster")["max_nodes"] == 4
    server.cli("compute", "update", "gpu-cluster", "--max-nodes", "2")
    assert server.get("/workspaces/default/computes/gpu-cluster")["max_nodes"] == 2
    server.cli("compute", "rm", "gpu-cluster")
    assert server.api("GET", "/workspaces/default/computes/gpu-cluster").status == 404


def test_token_life(server: RoostServer) -> None:
    made = server.cli_json("token", "create", "anna", "--role", "reader", "--expires", "1h")
    reader = {**server.environment, "ROOST_URL": server.info["url"], "ROOST_TOKEN": made["token"]}
    server.cli("runs", env=reader)
    denied = server.cli("compute", "create", "mine", env=reader, check=False)
    assert denied.returncode == 4 and "reader" in denied.stderr
    assert "anna" in server.cli("token", "ls").stdout
    alone = {**server.environment, "ROOST_TOKEN": made["token"]}
    server.cli("runs", env=alone)
    assert server.cli("compute", "create", "mine", env=alone, check=False).returncode == 4
    server.cli("token", "rm", made["id"])
    assert server.cli("runs", env=reader, check=False).returncode == 4
    assert server.cli("runs", env=alone, check=False).returncode == 4


@pytest.mark.parametrize("arguments", [
    ["runs"], ["queue"], ["status"], ["compute", "ls"], ["compute", "show", "local"], ["token", "ls"], ["show", "@"],
    ["metrics", "@"], ["artifacts", "ls", "@"], ["logs", "--list", "@"], ["diff", "@", "@"],
])
def test_json_everywhere(server: RoostServer, arguments: list) -> None:
    server.run("open('outputs/x', 'w').write('x')")
    assert server.cli_json(*arguments) is not None


def test_output_to_a_pipe_has_no_colours(server: RoostServer) -> None:
    server.run("print('x')")
    for arguments in (["runs"], ["status"], ["show", "@"], ["--help"]):
        done = server.cli(*arguments)
        assert "\x1b" not in done.stdout + done.stderr and done.stdout


def test_git_is_recorded(server: RoostServer, source: Path) -> None:
    git = ["git", "-c", "user.name=n", "-c", "user.email=e@x", "-c", "commit.gpgsign=false"]
    environment = {**server.environment, "GIT_CONFIG_GLOBAL": os.devnull}
    for arguments in (["init", "-q", "-b", "trunk"], ["add", "."], ["commit", "-q", "-m", "m"],
                      ["remote", "add", "origin", "https://example.org/birds.git"]):
        subprocess.run([*git, *arguments], cwd=source, env=environment, check=True, timeout=20)
    commit = subprocess.check_output([*git, "rev-parse", "HEAD"], cwd=source, text=True, timeout=20).strip()
    clean = submit(server, source, "1", "0")
    (source / "train.py").write_text((source / "train.py").read_text() + "\n# changed")
    dirty = submit(server, source, "1", "0")
    assert clean["git"] == {"repository_uri": "https://example.org/birds.git", "branch": "trunk", "commit": commit,
                            "dirty": False}
    assert dirty["git"]["dirty"] is True and dirty["git"]["commit"] == commit


def test_resubmit_of_an_unchanged_folder_uploads_nothing(server: RoostServer, source: Path) -> None:
    first = submit(server, source, "1", "0")
    blobs = sorted(path for path in (server.data / "blobs").rglob("*") if path.is_file())
    second = submit(server, source, "1", "0")
    after = sorted(path for path in (server.data / "blobs").rglob("*") if path.is_file())
    assert first["snapshot"] == second["snapshot"] and blobs == after
    entries = server.get(f"/snapshots/{first['snapshot']}")["entries"]
    assert [(e["path"], e["digest"]) for e in entries] == [("train.py", sha256((source / "train.py").read_bytes()))]


def test_status_tells_where_the_server_is(server: RoostServer) -> None:
    shown = server.cli("status").stdout
    assert server.info["url"] in shown and str(server.data) in shown


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(server: RoostServer, shell: str) -> None:
    script = server.cli("completion", shell).stdout
    assert "submit" in script and "compute" in script
    if shell == "bash":
        subprocess.run(["bash", "-n"], input=script, text=True, check=True, timeout=20)


def test_help_names_every_verb(server: RoostServer) -> None:
    shown = server.cli("--help").stdout
    verbs = "up down status submit runs queue show logs metrics cancel rerun diff artifacts snapshot"
    for verb in [*verbs.split(), "model", "compute", "workspace", "token", "import"]:
        assert verb in shown
