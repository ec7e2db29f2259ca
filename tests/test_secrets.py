"""Secrets: sealed on the disk, given to the processes of runs, in no answer, and masked where they are printed."""
import base64
import json
import os
import pty
import select
import sqlite3
import subprocess
from pathlib import Path
from typing import Any, Dict, Iterator, List

import pytest

from conftest import Gate, MakeServer
from processes import wait_until
from roost_fixture import RoostServer, roost_program

VALUE = "correct-horse-battery"
MADE = "xyzzy-plugh-twenty"
SHOUT = "import os\nprint('it is', os.environ['{0}'], flush=True)\nprint(os.environ['{0}'][::-1])\n"
RUNS = "/workspaces/default/runs"


@pytest.fixture(scope="module")
def server(shared_server: RoostServer) -> RoostServer:
    return shared_server


def put(server: RoostServer, name: str, value: str = VALUE, **more: Any) -> Any:
    return server.expect(200, "PUT", f"/workspaces/default/secrets/{name}", json={"value": value}, **more)


def mirror(value: str = VALUE) -> str:
    return value[::-1]


def files_with(folder: Path, value: str) -> List[str]:
    """Every file of the folder, whatever it is, that has the value in it."""
    done = subprocess.run(["grep", "-rlaF", "--", value, str(folder)], stdout=subprocess.PIPE, text=True)
    return done.stdout.split()


def test_a_run_gets_it_and_its_log_does_not(server: RoostServer) -> None:
    put(server, "db-password")
    run = server.run(SHOUT.format("DB"), secrets={"DB": "db-password"})
    assert server.log(run).decode() == f"it is ***\n{mirror()}\n"
    assert run["spec"]["secrets"] == {"DB": "db-password"} and VALUE not in json.dumps(run)


def test_variables_are_sealed_by_their_names(server: RoostServer) -> None:
    run = server.run(SHOUT.format("HF_TOKEN"), environment_variables={"HF_TOKEN": VALUE, "MONKEY": "business"})
    assert server.log(run).decode() == f"it is ***\n{mirror()}\n"
    assert run["spec"]["environment_variables"] == {"HF_TOKEN": "***", "MONKEY": "business"}
    run = server.run(SHOUT.format("MINE"), environment_variables={"MINE": VALUE}, sealed_variables=["MINE"])
    assert server.log(run).decode() == f"it is ***\n{mirror()}\n"
    assert run["spec"]["environment_variables"] == {"MINE": "***"}
    run = server.run(SHOUT.format("API_KEY"), environment={"variables": {"API_KEY": VALUE}})
    assert server.log(run).decode().startswith("it is ***\n") and VALUE not in json.dumps(run)


def test_nothing_of_it_is_on_the_disk_in_clear(server: RoostServer, gate: Gate) -> None:
    value = "nowhere-to-be-found-7"
    put(server, "kept", value)
    code = SHOUT.format("KEPT") + "open('logs/own.log', 'w').write(os.environ['API_TOKEN'])\nimport sys\n" \
        "print(os.environ['API_TOKEN'], file=sys.stderr, flush=True)\n" + gate.wait_code
    run = server.submit(code, secrets={"KEPT": "kept"}, environment_variables={"API_TOKEN": value})
    wait_until(lambda: b"it is" in server.log(run), 20, "its output")
    everything = [f"/runs/{run['id']}", RUNS, f"/runs/{run['id']}/events", f"/runs/{run['id']}/ranks",
                  "/workspaces/default/run-table?column=params.*", "/workspaces/default/queue?running=true",
                  "/workspaces/default/secrets"]
    for path in everything:
        assert value.encode() not in server.api("GET", path).body, path
    gate.open()
    server.wait(run)
    assert server.log(run, "logs/own.log") == b"***"
    assert value.encode() not in server.api("GET", f"/runs/{run['id']}/follow").body
    wait_until(lambda: files_with(server.data, value) == [], 20, "the node to clear the folder of the run that ended")
    assert value not in server.output
    key = server.data / "secrets.key"
    assert key.stat().st_mode & 0o777 == 0o600


def test_no_list_of_processes_shows_it(server: RoostServer, gate: Gate) -> None:
    run = server.submit(gate.wait_code, environment_variables={"API_TOKEN": "not-in-the-list"})
    server.wait(run, "Running")
    shown = subprocess.run(["ps", "axww", "-o", "args"], stdout=subprocess.PIPE, text=True).stdout
    assert "train.py" in shown and "not-in-the-list" not in shown
    gate.open()
    server.wait(run)


def test_one_that_is_split_over_writes_is_masked(server: RoostServer, gate: Gate) -> None:
    code = f"import os, sys\ns = os.environ['API_TOKEN']\nprint('a', s[:9], end='', flush=True)\nprint('b' + s[:9], end='', flush=True)\n" \
        f"open('half', 'w')\n{gate.wait_code}print(s[9:] + 'c', flush=True)\nprint(s, end='')"
    run = server.submit(code, environment_variables={"API_TOKEN": VALUE})
    first = f"a {VALUE[:9]}b".encode()
    wait_until(lambda: server.log(run) == first, 20, "what is surely no secret")
    gate.open()
    server.wait(run)
    assert server.log(run) == first + b"***c\n***"


def test_masks_survive_a_killed_server(make_server: MakeServer, gate: Gate) -> None:
    server = make_server()
    code = "import os\nfor i in range(300): print(i, os.environ['API_TOKEN'], i, flush=True)\n" + gate.wait_code + \
        "for i in range(300): print(i, os.environ['API_TOKEN'], flush=True)\n"
    run = server.submit(code, environment_variables={"API_TOKEN": VALUE})
    wait_until(lambda: server.log(run).endswith(b"299 *** 299\n"), 20, "the first half")
    server.kill9()
    # As if the disk had not got the end of it, in the middle of a mask.
    (log,) = [file for file in (server.data / "logs").rglob("*") if file.is_file() and b"299 *** 299" in file.read_bytes()]
    whole = log.read_bytes()
    os.truncate(log, whole.rindex(b"***") + 1)
    server.start()
    gate.open()
    server.wait(run)
    wanted = "".join(f"{i} *** {i}\n" for i in range(300)) + "".join(f"{i} ***\n" for i in range(300))
    assert server.log(run).decode() == wanted


def test_lines_of_one_are_masked_and_short_ones_are_not(server: RoostServer) -> None:
    value = "-----BEGIN KEY-----\nMIIEvQIBADANBgkqh\nab\n-----END KEY-----\n"
    run = server.run("import os\nprint(os.environ['PRIVATE_KEY'], os.environ['PIN_TOKEN'])",
                     environment_variables={"PRIVATE_KEY": value, "PIN_TOKEN": "1234"})
    assert server.log(run).decode() == "***\n***\nab\n***\n 1234\n"


def test_the_root_cause_is_masked(server: RoostServer) -> None:
    run = server.run("import os\nraise ValueError('bad key ' + os.environ['API_KEY'])", environment_variables={"API_KEY": VALUE})
    assert run["status"] == "Failed" and "bad key ***" in run["error"]["message"] and VALUE not in json.dumps(run)


def test_a_dollar_in_a_password_is_a_dollar(server: RoostServer) -> None:
    run = server.run("import os\nprint(os.environ['DB_PASSWORD'] == 'pa$HOME$$x${LANG}')",
                     environment_variables={"DB_PASSWORD": "pa$HOME$$x${LANG}"})
    assert server.log(run) == b"True\n"


def test_it_goes_with_reruns_children_and_retries(server: RoostServer) -> None:
    run = server.run(SHOUT.format("API_TOKEN"), environment_variables={"API_TOKEN": VALUE})
    again = server.wait(server.expect(201, "POST", f"/runs/{run['id']}/rerun"))
    assert server.log(again) == server.log(run)
    sweep = server.expect(201, "POST", "/workspaces/default/sweeps", json={
        "run": {"experiment": "tests", "script": "train.py", "snapshot": run["snapshot"], "environment_variables": {"API_TOKEN": VALUE}},
        "space": [{"name": "x", "expression": "choice", "values": [1, 2]}], "sampling": {"type": "grid"},
        "metric": {"name": "m", "goal": "maximize"}, "max_total_runs": 2, "max_concurrent_runs": 2})
    assert VALUE not in json.dumps(sweep)
    wait_until(lambda: server.get(f"/sweeps/{sweep['id']}")["phase"] == "ended", 40, "the sweep")
    trials = server.get(f"/sweeps/{sweep['id']}/trials")["trials"]
    assert len(trials) == 2 and all(server.log(trial["run"]) == server.log(run) for trial in trials)
    assert files_with(server.data / "roost.db", VALUE) == files_with(server.data / "roost.db-wal", VALUE) == []


def test_every_rank_of_every_node_has_it(server: RoostServer) -> None:
    put(server, "shared")
    server.expect(201, "POST", "/workspaces/default/computes", json={"name": "two", "max_nodes": 2})
    run = server.run(SHOUT.format("SHARED"), compute="two", secrets={"SHARED": "shared"},
                     distributed={"kind": "pytorch", "node_count": 2, "process_count": 4})
    assert run["status"] == "Completed", run["error"]
    for rank in range(4):
        assert server.log(run, f"azureml-logs/70_driver_log_{rank}.txt").decode() == f"it is ***\n{mirror()}\n"


def test_one_that_is_gone_fails_the_run_with_its_name(server: RoostServer, gate: Gate) -> None:
    refused = server.api("POST", RUNS, json={"experiment": "e", "command": "true", "secrets": {"A": "never-there"}})
    assert refused.status == 409 and "never-there" in refused.message and "roost secret set" in refused.message
    put(server, "short-lived")
    server.expect(201, "POST", "/workspaces/default/computes", json={"name": "busy", "max_nodes": 1})
    first = server.submit(gate.wait_code, compute="busy")
    server.wait(first, "Running")
    run = server.submit("print(1)", compute="busy", secrets={"A": "short-lived"})
    server.expect(200, "DELETE", "/workspaces/default/secrets/short-lived")
    gate.open()
    run = server.wait(run)
    assert run["status"] == "Failed" and "short-lived" in run["error"]["message"] and "deleted" in run["error"]["message"]


def test_masks_and_sealed_texts_are_no_values(server: RoostServer) -> None:
    for value in ("***", "roost-sealed:00000000:AAAA"):
        refused = server.api("POST", RUNS, json={"experiment": "e", "command": "true", "environment_variables": {"API_KEY": value}})
        assert refused.status == 400 and "API_KEY" in refused.message
    bad: List[Dict[str, Any]] = [{"secrets": {"A": 1}}, {"secrets": []}, {"secrets": {"1A": "x"}}, {"secrets": {"A": "no name"}},
                                 {"sealed_variables": ["B"]}, {"sealed_variables": "B"},
                                 {"secrets": {"A": "x"}, "environment_variables": {"A": "y"}}]
    for one in bad:
        assert server.api("POST", RUNS, json={"experiment": "e", "command": "true", **one}).status == 400, one


def test_who_may_read_one(server: RoostServer, gate: Gate) -> None:
    put(server, "read-me")
    path = "/workspaces/default/secrets/read-me"
    reader, contributor = (server.new_token(role)["token"] for role in ("reader", "contributor"))
    assert server.api("GET", path, token=reader).status == 403
    assert server.api("GET", path, token=contributor).json["value"] == VALUE
    assert [item for item in server.get("/workspaces/default/secrets", token=reader)["items"] if item["name"] == "read-me"]
    server.expect((200, 201), "POST", "/workspaces", json={"name": "elsewhere"})
    run = server.submit(gate.wait_code, workspace="elsewhere")
    server.wait(run, "Running")
    import hashlib
    import hmac
    key = (server.data / "secret").read_bytes().strip()
    token = "roost_run_" + hmac.new(key, f"attempt/{run['id']}/1".encode(), hashlib.sha256).hexdigest()
    assert server.api("GET", path, token=token).status == 403, "of another workspace"
    assert server.api("PUT", "/workspaces/elsewhere/secrets/mine", json={"value": "v"}, token=token).status == 403
    gate.open()
    server.wait(run)


GET_SECRET = """
from azureml.core import Run
run = Run.get_context()
secret = run.get_secret("from-the-vault")
print("it is", secret)
print(secret[::-1], run.get_secrets(["from-the-vault", "none"])["none"])
"""


def test_what_a_run_asks_for_is_masked_too(server: RoostServer) -> None:
    put(server, "from-the-vault")
    run = server.run(GET_SECRET)
    assert server.log(run).decode() == f"it is ***\n{mirror()} None\n"


def test_an_old_key_opens_and_a_lost_one_is_named(make_server: MakeServer) -> None:
    server = make_server()
    put(server, "old")
    run = server.run("print(1)", environment_variables={"API_TOKEN": VALUE})
    key = server.data / "secrets.key"
    before = key.read_text()
    server.stop()
    key.write_text("0a1b2c3d " + "5e" * 32 + "\n" + before)
    server.start()
    assert server.get("/workspaces/default/secrets/old")["value"] == VALUE
    again = server.wait(server.expect(201, "POST", f"/runs/{run['id']}/rerun"))
    assert again["status"] == "Completed"
    server.stop()
    rows = sqlite3.connect(server.data / "roost.db").execute("SELECT sealed FROM secret").fetchall()
    assert all(row[0].startswith("roost-sealed:0a1b2c3d:") for row in rows), "sealed anew with the first key"
    key.write_text("0a1b2c3d " + "5e" * 32 + "\n")
    server.start()
    assert server.get("/workspaces/default/secrets/old")["value"] == VALUE
    lost = server.wait(server.expect(201, "POST", f"/runs/{run['id']}/rerun"))
    assert lost["status"] == "Failed" and "secrets.key" in lost["error"]["message"] and "API_TOKEN" in lost["error"]["message"]


def test_rows_of_before_are_still_run(make_server: MakeServer) -> None:
    server = make_server()
    run = server.run("import os\nprint(os.environ['API_TOKEN'][::-1])", environment_variables={"API_TOKEN": VALUE})
    server.stop()
    database = sqlite3.connect(server.data / "roost.db")
    (text,) = database.execute("SELECT spec_json FROM run WHERE id = ?", [run["id"]]).fetchone()
    spec = json.loads(text)
    assert spec["environment_variables"]["API_TOKEN"].startswith("roost-sealed:") and VALUE not in text
    spec["environment_variables"]["API_TOKEN"] = VALUE
    database.execute("UPDATE run SET spec_json = ? WHERE id = ?", [json.dumps(spec), run["id"]])
    database.commit()
    database.close()
    server.start()
    assert server.get_run(run)["spec"]["environment_variables"] == {"API_TOKEN": "***"}
    again = server.wait(server.expect(201, "POST", f"/runs/{run['id']}/rerun"))
    assert server.log(again) == server.log(run) == mirror().encode() + b"\n"


# The command line.

def secret(server: RoostServer, *words: str, value: str = "", **more: Any) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([str(roost_program()), "secret", *words], input=value, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, timeout=60, **{"env": server.environment, "cwd": server.folder, **more})


def test_the_command_line(server: RoostServer) -> None:
    assert secret(server, "set", "CLI_KEY", value=VALUE + "\n").returncode == 0
    assert server.get("/workspaces/default/secrets/CLI_KEY")["value"] == VALUE
    done = secret(server, "set", "PIN", value="1234")
    assert done.returncode == 0 and "fewer than 6" in done.stderr
    done = secret(server, "set", "FROM_ENV", "--from-env", "GIVEN", env={**server.environment, "GIVEN": MADE})
    assert done.returncode == 0 and server.get("/workspaces/default/secrets/FROM_ENV")["value"] == MADE
    listed = secret(server, "ls").stdout
    assert "CLI_KEY" in listed and "PIN" in listed and VALUE not in listed and "1234" not in listed
    assert secret(server, "rm", "PIN").returncode == 0
    for words in (["set", "A=b"], ["set", "no name"], ["set", "EMPTY"], ["set", "X", "--from-env", "NOT_SET"], ["rm", "PIN"]):
        wrong = secret(server, *words)
        assert wrong.returncode != 0 and wrong.stderr.startswith("roost: "), (words, wrong.stderr)


def typed(server: RoostServer, words: List[str], text: str) -> str:
    """What a terminal shows while the text is typed after the prompt."""
    main, side = pty.openpty()
    child = subprocess.Popen([str(roost_program()), *words], stdin=side, stdout=side, stderr=side, env=server.environment,
                             start_new_session=True)
    os.close(side)
    shown = b""

    def read() -> Iterator[bytes]:
        while select.select([main], [], [], 20)[0]:
            try:
                yield os.read(main, 4096)
            except OSError:
                return

    pieces = read()
    while b"not shown" not in shown:
        shown += next(pieces)
    os.write(main, text.encode())
    shown += b"".join(pieces)
    assert child.wait(20) == 0, shown
    os.close(main)
    return shown.decode()


def test_a_terminal_does_not_show_what_is_typed(server: RoostServer) -> None:
    shown = typed(server, ["secret", "set", "TYPED"], "typed-on-a-keyboard\n")
    assert "typed-on" not in shown and "set TYPED" in shown
    assert server.get("/workspaces/default/secrets/TYPED")["value"] == "typed-on-a-keyboard"


def test_submit_with_secrets(server: RoostServer, source: Path) -> None:
    (source / "train.py").write_text("import os\nprint(os.environ['STORED'][::-1], os.environ['OWN'][::-1], os.environ['AS'][::-1])")
    put(server, "STORED")
    environment = {**server.environment, "OWN": MADE, "STORED": "not-this-one"}
    words = ["submit", "-e", "e", "-s", source, "--secret", "STORED", "--secret", "OWN", "--secret", "AS=stored", "--", "python", "train.py"]
    done = server.cli(*words, env=environment)
    assert done.stdout == f"{mirror()} {mirror(MADE)} {mirror()}\n"
    run = server.get(RUNS)["items"][0]
    assert run["spec"]["secrets"] == {"STORED": "STORED", "AS": "STORED"} and run["spec"]["environment_variables"] == {"OWN": "***"}
    for wrong in ("NOT_THERE", "A=never-stored-value", "1A"):
        done = server.cli("submit", "-e", "e", "-s", source, "--secret", wrong, "--", "true", check=False)
        assert done.returncode != 0 and "--secret" in done.stderr and "never-stored-value" not in done.stderr, done.stderr


def test_masking_finds_only_what_was_given(server: RoostServer) -> None:
    coded = base64.b64encode(VALUE.encode()).decode()
    run = server.run("import base64, os\nprint(base64.b64encode(os.environ['API_KEY'].encode()).decode())",
                     environment_variables={"API_KEY": VALUE})
    assert server.log(run).decode() == coded + "\n", "docs/secrets.md says so"
