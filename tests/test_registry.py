"""What runs start from and leave behind: models, environments, data."""
from pathlib import Path

from conftest import MakeServer
from roost_fixture import RoostServer, manifest_line, sha256

WORKSPACE = "/workspaces/default"
BYTES = "application/octet-stream"


def blob(server: RoostServer, content: bytes) -> str:
    server.expect((200, 201), "PUT", f"/blobs/{sha256(content)}", data=content, content_type=BYTES)
    return sha256(content)


def tree(server: RoostServer, **files: bytes) -> str:
    for content in files.values():
        blob(server, content)
    manifest = b"".join(manifest_line(path, files[path]) for path in sorted(files))
    assert server.expect(200, "POST", "/snapshots", data=manifest, content_type="text/plain")["created"]
    return sha256(manifest)


def count_blobs(server: RoostServer) -> int:
    return sum(1 for path in (server.data / "blobs").rglob("*") if path.is_file())


def test_registering_an_output_copies_nothing_and_outlives_collection(make_server: MakeServer) -> None:
    server = make_server({"blob_lease_seconds": 0})
    run = server.run("import os\nos.makedirs('outputs/net')\n"
                     "for n in 'ab': open(f'outputs/net/{n}.bin', 'wb').write(n.encode() * 100000)")
    before = count_blobs(server)
    model = server.post(f"{WORKSPACE}/models", {"name": "net", "run": run["id"], "path": "outputs/net"})
    assert (model["id"], model["files"], model["size"]) == ("net:1", 2, 200000)
    assert count_blobs(server) == before + 1, "the manifest and nothing else"
    server.collect_garbage()
    entries = server.get(f"/snapshots/{model['content']}")["entries"]
    assert [e["path"] for e in entries] == ["net/a.bin", "net/b.bin"]
    assert server.get(f"/blobs/{entries[0]['digest']}") == b"a" * 100000
    server.expect(200, "DELETE", f"{WORKSPACE}/models/net/versions/1")
    server.collect_garbage()
    assert server.api("GET", f"/snapshots/{model['content']}").status == 404
    again = server.post(f"{WORKSPACE}/models", {"name": "net", "run": run["id"], "path": "./outputs/net/"})
    assert again["version"] == 2, "a deleted version's number is not given again"


def test_models_survive_a_kill(server: RoostServer) -> None:
    content = tree(server, model=b"weights")
    for _ in range(3):
        server.post(f"{WORKSPACE}/models", {"name": "m", "content": content})
    server.kill9()
    server.start()
    assert [m["version"] for m in server.get(f"{WORKSPACE}/models")["items"]] == [3, 2, 1]


def test_inputs_are_laid_out_before_the_start(server: RoostServer, tmp_path: Path) -> None:
    content = tree(server, **{"train/a.txt": b"one", "b.txt": b"two"})
    absolute = tmp_path / "data"
    spec = {"experiment": "e", "inputs": [{"name": "birds", "content": content},
                                          {"name": "fish", "content": content, "mode": "mount", "path": "data/fish"},
                                          {"name": "deep", "content": content, "path": str(absolute)}]}
    script = ("import os, sys\nprint(open(sys.argv[1] + '/train/a.txt').read(), open('data/fish/b.txt').read(),\n"
              "      open(os.environ['AZUREML_DATAREFERENCE_deep'] + '/b.txt').read())")
    for _ in range(2):  # the second time nothing of the first is in the way
        run = server.run(script, arguments=["$AZUREML_DATAREFERENCE_birds"], **spec)
        assert run["status"] == "Completed", server.log(run)
        assert server.log(run).split() == [b"one", b"two", b"two"]
    assert not absolute.exists(), "what was laid out goes with the run"
    server.collect_garbage()
    assert server.get(f"/snapshots/{content}")["files"] == 2, "the run still names it"


def test_an_input_in_the_way_of_something_fails_the_run(server: RoostServer, tmp_path: Path) -> None:
    content = tree(server, b=b"two")
    (tmp_path / "mine").write_text("precious")
    run = server.run("print('never')", experiment="e",
                     inputs=[{"name": "x", "content": content, "path": str(tmp_path)}])
    assert (run["status"], run["error"]["code"]) == ("Failed", "staging_failed")
    assert str(tmp_path) in run["error"]["message"]
    assert (tmp_path / "mine").read_text() == "precious"


def test_bad_inputs_are_refused(server: RoostServer) -> None:
    content = tree(server, b=b"two")
    for bad, code in [
        ({"name": "x", "content": "0" * 64}, "failed_precondition"),
        ({"name": "x", "content": content, "path": "../up"}, "invalid_argument"),
        ({"name": "x y", "content": content}, "invalid_argument"),
        ({"name": "x", "content": content, "mode": "teleport"}, "invalid_argument"),
        ({"name": "x"}, "invalid_argument"),
    ]:
        answer = server.api("POST", f"{WORKSPACE}/runs", json={"experiment": "e", "command": "true", "inputs": [bad]})
        assert answer.code == code, (bad, answer.body)


def test_a_run_keeps_the_definition_its_environment_had(server: RoostServer) -> None:
    definition = {"python": {"userManagedDependencies": True}, "environmentVariables": {"COLOUR": "red"}}
    server.post(f"{WORKSPACE}/environments", {"name": "mine", "definition": definition})
    run = server.run("import os; print(os.environ['COLOUR'])", environment={"name": "mine"})
    server.post(f"{WORKSPACE}/environments", {"name": "mine", "definition": {}})
    run = server.get_run(run)
    assert (run["environment"]["version"], run["environment"]["definition"]) == ("1", definition)
    assert server.log(run).strip() == b"red"
    answer = server.api("POST", f"{WORKSPACE}/runs",
                        json={"experiment": "e", "command": "true", "environment": {"name": "nobodys"}})
    assert (answer.status, answer.code) == (404, "not_found")


def test_an_operators_curated_environments(make_server: MakeServer, tmp_path: Path) -> None:
    file = tmp_path / "curated.yaml"
    file.write_text("environments: {house: {python: '3.11', pip: [torch]}}\n"
                    "aliases: {'AzureML-PyTorch-*': house}\n", encoding="utf-8")
    server = make_server(config={"curated_environments": str(file)})
    found = server.get(f"{WORKSPACE}/environments/AZUREML-PYTORCH-1.9-gpu")
    assert found["alias_of"] == "house" and "house" in found["notice"]
    named = server.get(f"{WORKSPACE}/environments/AzureML-PyTorch-1.6-GPU")
    assert named["alias_of"] == "house", "also where a built-in alias has the whole name"


def test_the_minimal_curated_environment_is_the_servers_python(server: RoostServer) -> None:
    run = server.run("import sys; print(sys.executable)", environment={"name": "AzureML-Minimal"})
    assert run["status"] == "Completed" and run["environment"]["kind"] == "existing", run["environment"]
