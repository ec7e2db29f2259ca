"""What somebody does with the command line every day: defaults, servers to choose from, names of runs, forms of output."""
import csv
import io
import json
import os
import pty
import re
import stat
import subprocess
from pathlib import Path
from typing import Dict, List

import pytest

from conftest import MakeServer
from local_index import make_wheel
from processes import processes_with, wait_until
from roost_fixture import RoostServer, clean_environment, roost_program


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheels")
    for version in ("1.0", "1.4"):
        make_wheel(folder, "nest", version)
    return folder


@pytest.fixture(scope="module")
def server(make_shared_server: MakeServer, wheels: Path) -> RoostServer:
    return make_shared_server({"environments": {"wheels": str(wheels), "offline": True}})


@pytest.fixture
def folder(tmp_path: Path, name: str) -> Path:
    (tmp_path / name).mkdir()
    (tmp_path / name / "train.py").write_text("import sys\nsys.exit(int(sys.argv[1]))\n")
    return tmp_path / name


def submit(server: RoostServer, folder: Path, code: int = 0, *more: str) -> str:
    done = server.cli("submit", *more, "-d", "--", "python", "train.py", code, cwd=folder)
    return str(server.wait(done.stdout.strip())["id"])


def on_a_terminal(words: List[str], environment: Dict[str, str], folder: Path, columns: int = 80, typed: bytes = b"") -> str:
    """What the command shows on a terminal of that width."""
    ours, theirs = pty.openpty()
    os.set_blocking(ours, True)
    subprocess.run(["stty", "cols", str(columns), "rows", "24"], stdin=theirs, check=True)
    process = subprocess.Popen([str(roost_program()), *words], stdin=theirs, stdout=theirs, stderr=theirs, env={**environment, "TERM": "xterm"},
                               cwd=folder, start_new_session=True)
    os.close(theirs)
    os.write(ours, typed)
    seen = b""
    while True:
        try:
            seen += os.read(ours, 65536)
        except OSError:  # the other side is closed
            break
    process.wait(60)
    os.close(ours)
    return re.sub(r"\x1b\[[\d;]*[A-Za-z]", "", seen.decode("utf-8", "replace")).replace("\r", "")


def test_the_experiment_is_the_name_of_the_folder(server: RoostServer, tmp_path: Path) -> None:
    code = tmp_path / "My birds (2026)"
    code.mkdir()
    done = server.cli("submit", "-d", "--", "true", cwd=code)
    assert server.wait(done.stdout.strip())["experiment"] == "My-birds-2026"


def test_runs_are_named_from_the_newest_and_by_short_ids(server: RoostServer, folder: Path) -> None:
    experiment = folder.name
    ids = [submit(server, folder) for _ in range(3)]

    def of(reference: str) -> str:
        return server.cli("show", reference, "-o", "template={{.id}}").stdout.strip()

    assert [of(f"@{experiment}"), of(f"@{experiment}~1"), of(f"@{experiment}~2")] == ids[::-1]
    assert of(ids[0][-8:]) == ids[0] and of(ids[1][:-2]) == ids[1]
    far = server.cli("show", f"@{experiment}~3", check=False)
    assert far.returncode == 3 and "has only 3 runs" in far.stderr
    for wrong in ("@~x", "@~-1", f"@{experiment}~", "@two birds"):
        assert server.cli("show", wrong, check=False).returncode == 2, wrong


def test_archived_runs_are_out_of_the_lists(server: RoostServer, folder: Path) -> None:
    ids = [submit(server, folder) for _ in range(3)]
    server.cli("archive", f"@{folder.name}")
    listed = server.cli("runs", "-e", folder.name, "-q").stdout.split()
    assert listed == [ids[1], ids[0]]
    assert server.cli("runs", "-e", folder.name, "-q", "--archived").stdout.split() == [ids[2]]
    assert server.cli("runs", "-e", folder.name, "-q", "-n", "1").stdout.split() == [ids[1]]
    server.cli("unarchive", ids[2])
    assert server.cli("runs", "-e", folder.name, "-q").stdout.split() == ids[::-1]


def test_doctors_runs_stay_out_of_the_list(server: RoostServer) -> None:
    server.cli("doctor", "local", "--nodes", "1")
    assert server.cli("runs", "-e", "roost-doctor", "-q").stdout == ""


def test_wait_ends_as_the_first_that_failed(server: RoostServer, folder: Path) -> None:
    ids = [submit(server, folder, 0), submit(server, folder, 7), submit(server, folder, 9)]
    done = server.cli("wait", *ids, check=False)
    assert done.returncode == 7 and [line.split()[1] for line in done.stdout.splitlines()] == ["Completed", "Failed", "Failed"]
    assert server.cli("wait", ids[0]).returncode == 0
    assert server.cli("wait", "no-such-run", check=False).returncode == 123
    items = json.loads(server.cli("wait", *ids, "--json", check=False).stdout)["items"]
    assert [item["id"] for item in items] == ids


def test_tags(server: RoostServer, folder: Path) -> None:
    run = submit(server, folder)
    assert server.cli("tag", run, "stage=baseline", "best").stdout.strip().endswith("best stage=baseline")
    server.cli("tag", run, "--rm", "best")
    assert server.get(f"/runs/{run}")["tags"] == {"stage": "baseline"}
    assert server.cli("tag", run, check=False).returncode == 2
    assert server.cli("tag", run, "=x", check=False).returncode == 2


def test_forms_of_output(server: RoostServer, folder: Path) -> None:
    ids = [submit(server, folder, 0, "--tag", "lr=0.1"), submit(server, folder)]
    rows = list(csv.DictReader(io.StringIO(server.cli("runs", "-e", folder.name, "-o", "csv").stdout)))
    assert [row["id"] for row in rows] == ids[::-1] and [row["tags.lr"] for row in rows] == ["", "0.1"]
    text = server.cli("runs", "-e", folder.name, "-o", "template={{.status}}\\t{{.tags.lr}}").stdout
    assert text == "Completed\t\nCompleted\t0.1\n"
    assert json.loads(server.cli("runs", "-o", "json").stdout) == json.loads(server.cli("runs", "--json").stdout)
    for wrong in ("xml", "template={{.id"):
        refused = server.cli("runs", "-o", wrong, check=False)
        assert refused.returncode == 2 and refused.stdout == "", refused
    assert server.cli("submit", "-o", "xml", "--", "true", check=False, cwd=folder).returncode == 122


def test_tables_fit_80_columns(server: RoostServer, tmp_path: Path) -> None:
    code = tmp_path / ("a-project-with-a-long-name" * 2)
    code.mkdir()
    (code / "train.py").write_text("import sys\n")
    run = submit(server, code, 0, "--tag", "stage=baseline", "--tag", "who=somebody with a long name", "-n", "a name for people")
    server.cli("env", "create", "an-environment-with-a-long-name", "-r", "/dev/null", check=False)
    for words in (["runs"], ["env", "ls"], ["compute", "ls"], ["queue"], ["status"], ["artifacts", "ls", run], ["show", run], ["help"],
                  ["help", "submit"], ["help", "compute", "create"], ["context", "ls"], ["config", "ls"], ["logs", "-l", run], ["token", "ls"],
                  ["workspace", "ls"], ["model", "ls"]):
        shown = on_a_terminal(words, server.environment, tmp_path)
        long = [line for line in shown.splitlines() if len(line) > 80 and "/" not in line and run not in line]  # what is for copying is not cut
        assert not long, (words, long)
    short = on_a_terminal(["runs"], server.environment, tmp_path)
    assert run[-8:] in short and run not in short
    assert run in on_a_terminal(["runs"], server.environment, tmp_path, columns=400)
    assert run in server.cli("runs").stdout, "whole in a pipe"


def test_settings_and_where_they_are_from(server: RoostServer, folder: Path) -> None:
    home = {**server.environment, "HOME": str(folder.parent)}
    (folder / "below").mkdir()
    server.cli("config", "set", "experiment", "owls", cwd=folder, env=home)
    server.cli("config", "set", "-g", "compute", "nowhere", cwd=folder, env=home)
    listed = {item["name"]: item for item in server.cli_json("config", "ls", cwd=folder / "below", env=home)["items"]}
    assert listed["experiment"]["value"] == "owls" and listed["experiment"]["from"] == str(folder)
    assert listed["compute"]["value"] == "nowhere" and listed["compute"]["from"] == "everywhere"
    assert listed["workspace"]["value"] == "default" and listed["workspace"]["from"] == ""
    refused = server.cli("submit", "--", "true", cwd=folder, env=home, check=False)
    assert refused.returncode == 123 and "nowhere" in refused.stderr
    done = server.cli("submit", "-d", "--", "true", cwd=folder, env={**home, "ROOST_COMPUTE": "local"})
    assert server.wait(done.stdout.strip())["experiment"] == "owls"
    server.cli("config", "unset", "experiment", cwd=folder, env=home)
    assert server.cli("config", "get", "experiment", cwd=folder, env=home).stdout == "\n"
    wrong = server.cli("config", "set", "exprmnt", "x", env=home, check=False)
    assert wrong.returncode == 2 and "did you mean `experiment`" in wrong.stderr
    assert server.cli("config", "set", "experiment", "two birds", env=home, check=False).returncode == 2
    (folder.parent / ".config/roost/settings.json").write_text("{broken")
    broken = server.cli("runs", env=home, check=False)
    assert broken.returncode == 2 and "settings.json" in broken.stderr


def test_login_and_contexts(server: RoostServer, folder: Path) -> None:
    token = server.cli("token", "create", "anna", "--role", "reader").stdout.strip()
    home = {**clean_environment(folder), "XDG_CONFIG_HOME": str(folder / "config")}
    url = server.info["url"]

    def login(typed: str, *words: str) -> int:
        return subprocess.run([str(roost_program()), "login", *words], input=typed, env=home, text=True, capture_output=True, timeout=60).returncode

    assert login("wrong\n", url) == 4 and login("", url) == 2 and not (folder / "config").exists()
    assert login(token + "\n", url + "/", "--name", "lab") == 0
    kept = folder / "config/roost/contexts/lab.json"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600 and json.loads(kept.read_text())["token"] == token
    assert stat.S_IMODE(kept.parent.stat().st_mode) == 0o700
    assert server.cli("runs", env=home).returncode == 0
    assert server.cli("compute", "create", "mine", env=home, check=False).returncode == 4
    listed = {item["name"]: item["in_use"] for item in server.cli_json("context", "ls", env=home)["items"]}
    assert listed == {"local": False, "lab": True}
    server.cli("context", "use", "local", env=home)
    assert server.cli("runs", env=home, check=False).returncode == 5
    assert server.cli("runs", "--context", "lab", env=home).returncode == 0
    assert server.cli("runs", env={**home, "ROOST_CONTEXT": "lab"}).returncode == 0
    assert server.cli("runs", "--context", "../lab", env=home, check=False).returncode == 2
    gone = server.cli("runs", "--context", "lib", env=home, check=False)
    assert gone.returncode == 3 and "local, lab" in gone.stderr
    program = "from roost.discovery import find_server; print(find_server().url)"
    said = subprocess.run(["/usr/bin/python3", "-c", program], env={**home, "ROOST_CONTEXT": "lab", "PYTHONPATH": str(Path(__file__).parent.parent / "python")},
                          capture_output=True, text=True, timeout=60, check=True)
    assert said.stdout.strip() == url
    server.cli("context", "rm", "lab", env=home)
    assert not kept.exists() and server.cli("login", "nonsense", env=home, check=False).returncode == 2


def test_up_twice_and_a_data_folder_of_this_folder(folder: Path) -> None:
    home = clean_environment(folder.parent)

    def roost(*words: str, where: Path = folder, code: int = 0) -> str:
        done = subprocess.run([str(roost_program()), *words], cwd=where, env=home, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=60)
        assert done.returncode == code, done.stdout
        return done.stdout

    try:
        assert "find it" in roost("up", "-d", "--port", "0", "--data", "./data")
        assert "Roost is up already at" in roost("up", "-d")
        assert "with the options that it was started with" in roost("up", "--port", "0")
        (folder / "below").mkdir()
        assert "none under way" in roost("status", where=folder / "below")
        assert "roost up" in roost("status", where=folder.parent, code=5)
    finally:
        roost("down")
        wait_until(lambda: not processes_with(str(folder)), 20, "the server to end")


@pytest.mark.parametrize("words, says", [
    (["submit", "--scrpt", "train.py", "--", "true"], "has no option --scrpt"),
    (["submit", "--experment=x", "--", "true"], "did you mean `--experiment`?"),
    (["runs", "--proceses", "4"], "`roost submit` has --processes"),
    (["help", "sumbit"], "did you mean `submit`?"),
])
def test_mistyped(server: RoostServer, words: List[str], says: str) -> None:
    done = server.cli(*words, check=False)
    assert done.returncode != 0 and says in done.stderr, done.stderr


def test_environments_of_files(server: RoostServer, folder: Path) -> None:
    (folder / "show.py").write_text("import nest; print('nest', nest.__version__)\n")
    (folder / "requirements.txt").write_text("# pinned\nnest==1.4\n")
    (folder / "pyproject.toml").write_text('[project]\nname = "x"\ndependencies = ["nest<1.4"]\n')
    (folder / "conda.yml").write_text("dependencies:\n  - pip:\n    - nest==1.0\n")
    for options, version in ((["-r", "requirements.txt"], "1.4"), (["--environment-file", "pyproject.toml"], "1.0"),
                             (["--environment-file", "conda.yml"], "1.0")):
        done = server.cli("submit", *options, "--", "python", "show.py", cwd=folder)
        assert f"nest {version}" in done.stdout, done.stdout
    assert server.cli("env", "ls", "-q").stdout.find("anonymous-") == -1
    made = server.cli("env", "create", folder.name, "-r", "requirements.txt", "--build", cwd=folder)
    assert re.fullmatch(r"[0-9a-f]{64}\n", made.stdout)
    assert "nest 1.4" in server.cli("submit", "--environment", folder.name, "--", "python", "show.py", cwd=folder).stdout
    for options, says in ((["-r", "none.txt"], "none.txt"), (["-r", "requirements.txt", "--python", "/usr/bin/python3"], "give one of them"),
                          (["--environment-file", "show.py", "-e", "two birds"], "two birds")):
        refused = server.cli("submit", *options, "--", "true", cwd=folder, check=False)
        assert refused.returncode in (122, 123) and says in refused.stderr, refused.stderr


def test_another_python_is_told_once(server: RoostServer, folder: Path) -> None:
    (folder / "bin").mkdir()
    other = folder / "bin" / "python"
    other.write_text("#!/bin/sh\necho 3.99.0\n")
    other.chmod(0o755)
    environment = {**server.environment, "PATH": f"{folder}/bin:{server.environment['PATH']}", "XDG_CACHE_HOME": str(folder.parent / "cache")}
    first = server.cli("submit", "-d", "--", "true", cwd=folder, env=environment).stderr
    assert f"your shell's is {other} (3.99.0)" in first
    again = server.cli("submit", "-d", "--", "true", cwd=folder, env=environment).stderr
    assert "your shell's" not in again


def test_a_large_upload_is_asked_about(server: RoostServer, folder: Path) -> None:
    (folder / ".venv").mkdir()
    with open(folder / ".venv" / "torch.so", "wb") as file:
        file.truncate(250_000_000)
    shown = on_a_terminal(["submit", "--", "true"], server.environment, folder, typed=b"n\n")
    assert re.search(r"250(\.0)? MB +\.venv/", shown) and ".amlignore" in shown and "nothing was uploaded" in shown, shown
    assert server.cli("runs", "-e", folder.name, "-q").stdout == ""
    (folder / ".amlignore").write_text(".venv/\n")
    assert "Upload it all" not in on_a_terminal(["submit", "-d", "--", "true"], server.environment, folder)


@pytest.mark.parametrize("kind, has", [("computes", "local"), ("statuses", "Completed"), ("workspaces", "default"), ("settings", "experiment"),
                                       ("verbs", "submit"), ("contexts", "local"), ("forms", "csv"), ("pins", "nearest")])
def test_words_for_completion(server: RoostServer, tmp_path: Path, kind: str, has: str) -> None:
    assert has in server.cli("complete", kind).stdout.split()
    alone = {**clean_environment(tmp_path)}
    quiet = server.cli("complete", kind, env=alone)
    assert quiet.stderr == "" and quiet.returncode == 0


def test_words_of_a_run(server: RoostServer, folder: Path) -> None:
    (folder / "train.py").write_text("open('outputs/model.txt', 'w').write('x')\n")
    run = submit(server, folder)
    assert server.cli("complete", "artifacts", run).stdout.split() == ["outputs/model.txt"]
    assert run in server.cli("complete", "runs").stdout.split()
    assert folder.name in server.cli("complete", "experiments").stdout.split()
    script = server.cli("completion", "bash").stdout
    ask = f"{script}\nPATH={roost_program().parent}:$PATH\nCOMP_WORDS=(roost artifacts get {run} out); COMP_CWORD=4; _roost; echo ${{COMPREPLY[@]}}"
    assert subprocess.run(["bash", "-c", ask], env=server.environment, capture_output=True, text=True, timeout=60).stdout.strip() == "outputs/model.txt"
