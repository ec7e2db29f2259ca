"""Runs are put into the bin, taken out, and deleted for good, also if the server dies half way; rules remove what old runs left."""
import sqlite3
from typing import Any, List

import pytest

from conftest import MakeServer
from processes import wait_until
from roost_fixture import RoostServer

BIN = "/workspaces/default/bin"
OUTPUTS = ("import os\nfrom azureml.core import Run\nrun = Run.get_context()\nos.makedirs('outputs', exist_ok=True)\n"
           "open('outputs/model.txt', 'w').write('%s')\nrun.log('loss', 0.5)\nprint('done')\n")


@pytest.fixture(scope="module")
def server(shared_server: RoostServer) -> RoostServer:
    return shared_server


def listed(server: RoostServer, **query: Any) -> List[str]:
    text = "&".join(f"{key}={value}" for key, value in query.items())
    return [run["id"] for run in server.get(f"/workspaces/default/runs?limit=1000&{text}")["items"]]


def gone_for_good(server: RoostServer, run: Any) -> None:
    def is_gone() -> bool:
        return server.api("GET", f"/runs/{run['id']}").status == 404

    wait_until(is_gone, 20, f"{run['id']} is deleted for good")


def test_rm_and_restore(server: RoostServer) -> None:
    run = server.run("print(1)", experiment="binned")
    done = server.cli("runs", "rm", run["id"], check=False)
    assert done.returncode == 2 and "--yes" in done.stderr
    assert server.cli("runs", "rm", run["id"], "--dry-run").stdout == run["id"] + "\n"
    assert run["id"] in listed(server)
    assert f"roost runs restore {run['id']}" in server.cli("runs", "rm", run["id"], "--yes").stdout
    assert run["id"] not in listed(server) and run["id"] in listed(server, deleted="only")
    assert run["id"] in server.cli("runs", "bin", "--quiet").stdout.split()
    assert server.get_run(run)["deleted_at"] is not None
    for change in (("PATCH", "", {"tags": {"a": "b"}}), ("POST", "/rerun", None)):
        refused = server.api(change[0], f"/runs/{run['id']}{change[1]}", json=change[2])
        assert refused.status == 409 and "restore" in refused.json["error"]["message"], refused.body
    server.cli("runs", "restore", run["id"])
    assert run["id"] in listed(server)
    reasons = [event["reason"] for event in server.events(run)]
    assert any("into the bin" in reason for reason in reasons) and any("out of the bin" in reason for reason in reasons)


def test_what_runs_is_canceled_first(server: RoostServer) -> None:
    run = server.wait(server.submit("import time; time.sleep(60)"), "Running")
    refused = server.api("DELETE", f"/runs/{run['id']}")
    assert refused.status == 409 and f"roost cancel {run['id']}" in refused.json["error"]["message"]
    server.cancel(run)
    server.wait(run)
    server.expect(200, "DELETE", f"/runs/{run['id']}")


def test_rm_by_query_and_experiment(server: RoostServer) -> None:
    runs = [server.run("print(1)", experiment="many", tags={"n": str(n)}) for n in range(2)]
    server.cli("runs", "rm", "--query", "tags.n=1", "--experiment", "many", "--yes")
    assert listed(server, experiment="many") == [runs[0]["id"]]
    server.cli("runs", "rm", "--experiment", "many", "--yes")
    assert listed(server, experiment="many") == []
    assert server.api("POST", "/workspaces/default/runs", json={"experiment": "many", "command": "true"}).status == 409
    server.cli("runs", "restore", "--experiment", "many")
    assert listed(server, experiment="many") == [runs[0]["id"]], "what was deleted before stays in the bin"


def test_purge_takes_everything(server: RoostServer) -> None:
    run = server.run(OUTPUTS % "purged", experiment="purged")
    model = server.expect(201, "POST", "/workspaces/default/models",
                          json={"name": "of-a-purged-run", "run": run["id"], "path": "outputs/model.txt"})
    folders = list((server.data / "logs").glob(f"*/{run['id']}"))
    assert folders and model["run"] == run["id"]
    server.cli("runs", "rm", run["id"], "--purge", "--yes")
    gone_for_good(server, run)
    wait_until(lambda: not any(folder.exists() for folder in folders), 10, "its logs are gone")
    message = server.api("GET", f"/runs/{run['id']}").json["error"]["message"]
    assert "deleted for good" in message
    kept = server.get("/workspaces/default/models/of-a-purged-run")
    assert (kept["run"], kept["experiment"]) == (run["id"], "purged"), "where it came from stays as text"
    with sqlite3.connect(server.data / "roost.db") as database:
        assert database.execute("SELECT count(*) FROM artifact WHERE path = 'outputs/model.txt' AND size = 6").fetchone() == (0,)
    after = server.run("print(2)", experiment="purged")
    assert after["number"] == run["number"] + 1, "numbers are not given twice"


def test_an_experiment_is_deleted_for_good(server: RoostServer) -> None:
    run = server.run("print(1)", experiment="short-lived")
    server.cli("runs", "rm", "--experiment", "short-lived", "--purge", "--yes")
    gone_for_good(server, run)
    wait_until(lambda: server.api("GET", "/workspaces/default/experiments/short-lived").status == 404, 10, "it is gone")
    again = server.run("print(1)", experiment="short-lived")
    assert again["number"] == 1


def test_kill_9_while_deleting(make_server: MakeServer) -> None:
    """What was to be deleted is in the database: the next server goes on with it."""
    server = make_server()
    run = server.run(OUTPUTS % "x")
    server.expect(200, "DELETE", f"/runs/{run['id']}")
    server.kill9()
    with sqlite3.connect(server.data / "roost.db") as database:  # as if it had died after the first step
        database.execute("INSERT INTO purge SELECT seq, 'ann', 1 FROM run")
        database.execute("DELETE FROM metric_block")
    server.start()
    gone_for_good(server, run)
    assert server.run("print(1)")["status"] == "Completed"


def test_the_bin_empties_itself(make_server: MakeServer) -> None:
    server = make_server()
    old, young = server.run("print(1)"), server.run("print(2)")
    for run in (old, young):
        server.expect(200, "DELETE", f"/runs/{run['id']}")
    assert server.get(BIN)["keep_days"] == 30
    server.stop()
    with sqlite3.connect(server.data / "roost.db") as database:
        database.execute("UPDATE run SET deleted = deleted - 31 * 86400000000 WHERE id = ?", (old["id"],))
    server.start()
    gone_for_good(server, old)
    assert server.get(BIN)["runs"] == 1
    server.cli("runs", "bin", "--empty", "--yes")
    gone_for_good(server, young)


def test_a_rule_removes_outputs_and_says_so(server: RoostServer) -> None:
    run = server.run(OUTPUTS % "by a rule", experiment="ruled-out")
    kept = server.run(OUTPUTS % "kept", experiment="ruled-out")
    server.expect(201, "POST", "/workspaces/default/models", json={"name": "kept", "run": kept["id"], "path": "outputs/model.txt"})
    dry = server.cli("retention", "set", "old-outputs", "outputs", "--older-than", "0s", "--experiment", "ruled-out", "--dry-run")
    assert run["id"] in dry.stdout and kept["id"] not in dry.stdout
    assert server.artifacts(run)
    server.cli("retention", "set", "old-outputs", "outputs", "--older-than", "0s", "--experiment", "ruled-out")
    wait_until(lambda: not server.artifacts(run), 20, "its outputs are gone")
    assert server.artifacts(kept), "a model is registered from it"
    gone = server.api("GET", f"/runs/{run['id']}/artifacts/outputs/model.txt")
    assert gone.status == 404 and "\"old-outputs\"" in gone.json["error"]["message"]
    wait_until(lambda: [e for e in server.events(run) if "removed by rule old-outputs" in e["reason"]], 10, "its history says so")
    assert "old-outputs" in server.cli("retention", "ls").stdout
    server.cli("retention", "rm", "old-outputs")
    server.cli("retention", "set", "old-logs", "logs", "--older-than", "0s", "--experiment", "ruled-out")
    wait_until(lambda: server.api("GET", f"/runs/{run['id']}/logs/azureml-logs/70_driver_log.txt").status == 404, 20, "its log is gone")
    server.cli("retention", "rm", "old-logs")


def test_disk_use_counts_shared_files_once(server: RoostServer) -> None:
    text = "s" * 5000
    first, second = (server.run(OUTPUTS % text, experiment="on-disk") for _ in range(2))
    alone = server.run(OUTPUTS % ("a" * 7000), experiment="on-disk")
    uses = server.get("/workspaces/default/disk?experiment=on-disk&limit=100")
    of = {use["run"]: use for use in uses["runs"]}
    assert of[alone["id"]]["outputs"] == 7000
    assert [of[run["id"]]["shared"] for run in (first, second)] == [5000, 5000]
    [experiment] = [use for use in uses["experiments"] if use["experiment"] == "on-disk"]
    assert experiment["outputs"] == 12000 and experiment["runs"] == 3 and experiment["logs"] > 0
    assert "on-disk" in server.cli("disk").stdout
