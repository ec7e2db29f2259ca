"""Packages bring programs that run while they are built: those reach their environment and nothing else of the data folder."""
import io
import json
import os
import tarfile
from pathlib import Path
from typing import Any, Dict, Iterator

import pytest

from conftest import MakeServer
from plain_user import NOBODY, PlainServer
from roost_fixture import RoostServer
from test_confinement import without_namespaces

pytestmark = pytest.mark.both

BUILD_LOG = "azureml-logs/20_image_build_log.txt"
PROJECT = """
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
"""
# The program of the package: what pip starts to make a wheel of a source, as it would start a setup.py.
BACKEND = '''
import base64, ctypes, glob, hashlib, os, sqlite3, subprocess, sys, tempfile, zipfile

DATA, SERVER = {data!r}, {server}
doors, works = {{}}, {{}}

def attempt(name, way, into=doors):
    try:
        into[name] = repr(way())
    except Exception:
        pass

def read(path):
    with open(path, "rb") as file:
        return file.read(200)

def append(path):
    with open(path, "ab") as file:
        return file.write(b"# poisoned")

def any_of(pattern, way):
    found = [path for path in glob.glob(pattern, recursive=True) if os.path.isfile(path)]
    if not found:
        raise OSError("nothing there")
    return way(found[0])

def query():
    return sqlite3.connect(f"file:{{DATA}}/roost.db?mode=ro", uri=True).execute("SELECT count(*) FROM run").fetchall()

def trace():
    libc = ctypes.CDLL(None)
    if libc.ptrace(16, SERVER, 0, 0) != 0:
        raise OSError("ptrace")
    os.waitpid(SERVER, 0)
    libc.ptrace(17, SERVER, 0, 0)

def look():
    for name in ("owner.token", "secret", "server.json", "roost.db", "roost.db-wal"):
        attempt(name, lambda: read(f"{{DATA}}/{{name}}"))
    attempt("database", query)
    for folder in ("blobs", "logs", "nodes", "environments/*.json", "environments/*.order"):
        attempt(folder, lambda: any_of(f"{{DATA}}/{{folder}}/**" if "." not in folder else f"{{DATA}}/{{folder}}", read))
    for place in ("new", "nodes/new", "nodes/cache/new", "environments/new", "environments/new.json", "blobs/new"):
        attempt(f"a new file {{place}}", lambda: append(f"{{DATA}}/{{place}}"))
    attempt("the package of every run", lambda: any_of(f"{{DATA}}/nodes/cache/sdk-*/in_run/sitecustomize.py", append))
    attempt("other environments", lambda: any_of(f"{{DATA}}/environments/*/theirs", append))
    for place in ("packages/uv/theirs", "packages/pip/theirs", "packages/new"):  # may seem to work
        attempt(place, lambda: append(f"{{DATA}}/{{place}}"), {{}})
    attempt("environment of the server", lambda: read(f"/proc/{{SERVER}}/environ"))
    attempt("memory of the server", lambda: read(f"/proc/{{SERVER}}/mem"))
    attempt("files of the server", lambda: read(f"/proc/{{SERVER}}/root{{DATA}}/secret"))
    attempt("files of the builder", lambda: read(f"/proc/{{os.getppid()}}/root{{DATA}}/secret"))
    attempt("tracing the server", trace)
    attempt("taking the cover away", lambda: 1 / (ctypes.CDLL(None).umount2(DATA.encode(), 2) == 0))
    attempt("owner.token in the end", lambda: read(f"{{DATA}}/owner.token"))
    attempt("temporary files", lambda: tempfile.NamedTemporaryFile().write(b"x"), works)
    attempt("its own folder", lambda: append(os.path.join(sys.prefix, "ours")), works)
    attempt("home", lambda: append(os.path.expanduser("~/of-the-build")), works)
    attempt("programs", lambda: subprocess.run(["true"], check=True), works)

def build_wheel(folder, *_, **__):
    look()
    info = "spy-1.0.dist-info"
    files = {{"spy.py": f"doors = {{doors!r}}\\nworks = {{sorted(works)!r}}\\n",
              info + "/METADATA": "Metadata-Version: 2.1\\nName: spy\\nVersion: 1.0\\n",
              info + "/WHEEL": "Wheel-Version: 1.0\\nGenerator: spy\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n"}}
    record = ""
    for name, text in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
        record += f"{{name}},sha256={{digest}},{{len(text.encode())}}\\n"
    files[info + "/RECORD"] = record + info + "/RECORD,,\\n"
    name = "spy-1.0-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(folder, name), "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
    return name
'''
SHOW = "import json, spy; print(json.dumps([spy.doors, spy.works]))"


def make_source(server: RoostServer, name: str = "spy-1.0") -> None:
    files = {"pyproject.toml": PROJECT, "PKG-INFO": "Metadata-Version: 2.1\nName: spy\nVersion: 1.0\n",
             "backend.py": BACKEND.format(data=str(server.data), server=server.pid)}
    with tarfile.open(wheels_of(server) / f"{name}.tar.gz", "w:gz") as archive:
        for path, text in files.items():
            entry = tarfile.TarInfo(f"{name}/{path}")
            entry.size = len(text.encode())
            archive.addfile(entry, io.BytesIO(text.encode()))


def wheels_of(server: RoostServer) -> Path:
    return server.folder / "wheels"


def prepare(server: RoostServer) -> RoostServer:
    server.config = {"environments": {"wheels": str(wheels_of(server)), "offline": True}}
    wheels_of(server).mkdir(parents=True)
    # Not the folder above the data folder: Landlock cannot allow what comes up there.
    server.environment["HOME"] = str(server.folder / "home")
    (server.folder / "home").mkdir()
    return server


def works_in_a_build(server: RoostServer, **environment: Any) -> Any:
    """What the package's program can do, of what it may. Another environment and a node's cache are there."""
    make_source(server)
    definition: Dict[str, Any] = {"python": {"condaDependencies": {"dependencies": [{"pip": ["spy"]}]}}}
    server.post("/workspaces/default/environments", {"name": "spy", "definition": definition})
    theirs = server.data / "environments" / "other"
    theirs.mkdir()
    (theirs / "theirs").write_text("theirs", encoding="utf-8")
    # All environments are made from one cache of downloads, by uv or pip.
    cached = [server.data / "packages" / tool / "theirs" for tool in ("uv", "pip")]
    for path in cached:
        path.parent.mkdir(parents=True)
        path.write_text("theirs", encoding="utf-8")
    if os.geteuid() == 0 and isinstance(server, PlainServer):
        for path in (theirs, theirs / "theirs", server.data / "packages", *cached, *(path.parent for path in cached)):
            os.chown(path, NOBODY, NOBODY)
    assert server.run("pass")["status"] == "Completed"
    run = server.run(SHOW, timeout=120, environment={"name": "spy", **environment})
    assert run["status"] == "Completed", (run["error"], server.log(run, BUILD_LOG)[-3000:])
    doors, works = json.loads(server.log(run).splitlines()[-1])
    assert (doors, (theirs / "theirs").read_text(encoding="utf-8")) == ({}, "theirs")
    assert [path.read_text(encoding="utf-8") for path in cached] == ["theirs"] * 2, "what others install from is as it was"
    assert not (server.data / "packages" / "new").exists()
    return works


EVERYTHING = ["home", "its own folder", "programs", "temporary files"]


@pytest.fixture
def plain_server() -> Iterator[PlainServer]:
    server = PlainServer()
    prepare(server)
    if os.geteuid() == 0:
        for path in (wheels_of(server), Path(server.environment["HOME"])):
            os.chown(path, NOBODY, NOBODY)
    yield server.start()  # type: ignore[misc]
    server.close()


def test_a_package_reaches_nothing_of_the_server(make_server: MakeServer) -> None:
    assert works_in_a_build(prepare(make_server(start=False)).start()) == EVERYTHING


def test_a_package_reaches_nothing_of_a_server_that_is_not_root(plain_server: PlainServer) -> None:
    assert works_in_a_build(plain_server) == EVERYTHING


def test_a_package_reaches_nothing_where_there_are_no_namespaces(make_server: MakeServer) -> None:
    server = prepare(make_server(start=False))
    without_namespaces(server)
    if "neither namespaces nor Landlock" in server.output:
        pytest.skip("this kernel has no Landlock")
    assert works_in_a_build(server) == EVERYTHING


def test_wheels_in_the_data_folder_are_found(make_server: MakeServer) -> None:
    """An operator may keep them there; a package still cannot change them."""
    server = make_server(start=False)
    prepare(server)
    inside = server.data / "own" / "wheels"
    inside.parent.mkdir(parents=True)
    wheels_of(server).rename(inside)
    wheels_of(server).symlink_to(inside)
    server.config = {"environments": {"wheels": str(inside), "offline": True}}
    assert works_in_a_build(server.start()) == EVERYTHING
