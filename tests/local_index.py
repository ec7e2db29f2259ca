"""Packages made by the tests themselves: a folder of them is an index that needs no network, and a small server one that does."""
import base64
import hashlib
import html
import http.server
import io
import platform
import sys
import tarfile
import threading
import zipfile
from pathlib import Path
from typing import Any, Dict, Iterable, Iterator, List, Optional, Set

PURE = "py3-none-any"
HERE = "cp%d%d-cp%d%d-manylinux_2_17_%s" % (*sys.version_info[:2], *sys.version_info[:2], platform.machine())
OLD = f"cp36-cp36m-manylinux1_{platform.machine()}"  # of a Python that no machine of today has

# A backend that needs nothing but Python, so that a source can be built where there is no index.
BACKEND = '''
import zipfile
NAME, VERSION, REQUIRES, PROBLEM, CODE = %r
if CODE:
    def prepare_metadata_for_build_wheel(folder, settings=None):
        import os
        info = "%%s-%%s.dist-info" %% (NAME, VERSION)
        os.mkdir(folder + "/" + info)
        with open(folder + "/" + info + "/METADATA", "w") as file:
            file.write("Metadata-Version: 2.1\\nName: %%s\\nVersion: %%s\\n" %% (NAME, VERSION))
        return info
def build_wheel(folder, settings=None, metadata=None):
    exec(CODE)
    if PROBLEM:
        raise RuntimeError(PROBLEM)
    file = "%%s-%%s-py3-none-any.whl" %% (NAME, VERSION)
    info = "%%s-%%s.dist-info/" %% (NAME, VERSION)
    needs = "".join("Requires-Dist: %%s\\n" %% line for line in REQUIRES)
    with zipfile.ZipFile(folder + "/" + file, "w") as wheel:
        wheel.writestr(NAME + "/__init__.py", "__version__ = %%r\\n" %% VERSION)
        wheel.writestr(info + "METADATA", "Metadata-Version: 2.1\\nName: %%s\\nVersion: %%s\\n%%s" %% (NAME, VERSION, needs))
        wheel.writestr(info + "WHEEL", "Wheel-Version: 1.0\\nGenerator: t\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        wheel.writestr(info + "RECORD", "")
    return file
'''


def make_wheel(folder: Path, name: str, version: str, requires: Iterable[str] = (), code: str = "", tag: str = PURE,
               extras: Iterable[str] = (), scripts: Optional[Dict[str, str]] = None, modules: int = 0) -> Path:
    """Writes the wheel of a package `name` into `folder`, made if it is not there, and returns its path.

    The package has `__version__` and then `code`, and beside it empty modules m0, m1 and so on. `requires` are
    requirement lines, like "numpy>=1.0", `scripts` programs and the functions that they call.
    """
    module = name.replace("-", "_").replace(".", "_")
    info = f"{module}-{version}.dist-info"
    metadata = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}",
                *(f"Provides-Extra: {extra}" for extra in extras), *(f"Requires-Dist: {line}" for line in requires)]
    wheel = ["Wheel-Version: 1.0", "Generator: roost-tests", "Root-Is-Purelib: true", f"Tag: {tag}"]
    files = {
        f"{module}/__init__.py": f"__version__ = {version!r}\n{code}",
        f"{info}/METADATA": _lines(metadata),
        f"{info}/WHEEL": _lines(wheel),
    }
    files.update({f"{module}/m{number}.py": "" for number in range(modules)})
    if scripts:
        lines = ["[console_scripts]", *(f"{program} = {function}" for program, function in scripts.items())]
        files[f"{info}/entry_points.txt"] = _lines(lines)
    files[f"{info}/RECORD"] = _record(files, f"{info}/RECORD")
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{module}-{version}-{tag}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file, text in files.items():
            archive.writestr(file, text)
    return path


def source_files(name: str, version: str, requires: Iterable[str] = (), problem: str = "", code: str = "") -> Dict[str, str]:
    """What a folder needs to be built: with `problem` the build fails with these words; `code` runs while it is built."""
    module = name.replace("-", "_")
    return {"pyproject.toml": '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n',
            "backend.py": BACKEND % ((module, version, list(requires), problem, code),),
            "PKG-INFO": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"}


def make_source(folder: Path, name: str, version: str, requires: Iterable[str] = (), problem: str = "", code: str = "") -> Path:
    """A source distribution."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name.replace('-', '_')}-{version}.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for file, text in source_files(name, version, requires, problem, code).items():
            entry = tarfile.TarInfo(f"{name.replace('-', '_')}-{version}/{file}")
            entry.size = len(text.encode())
            archive.addfile(entry, io.BytesIO(text.encode()))
    return path


class LocalIndex:
    """An index of the files in a folder over HTTP, which notes what was fetched."""

    def __init__(self, folder: Path, user: str = "") -> None:
        self.folder = folder
        self.yanked: Set[str] = set()  # names of files
        self.fetched: List[str] = []   # names of files
        self.user = user               # "name:password" that is asked for
        index = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                index.answer(self)

            def do_HEAD(self) -> None:
                self.send_error(405)

            def log_message(self, *_: Any) -> None:
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    def url(self, user: str = "") -> str:
        return f"http://{user + '@' if user else ''}127.0.0.1:{self._server.server_address[1]}/simple"

    def __enter__(self) -> "LocalIndex":
        self._thread.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answer(self, request: http.server.BaseHTTPRequestHandler) -> None:
        wanted = "Basic " + base64.b64encode(self.user.encode()).decode()
        if self.user and request.headers.get("Authorization") != wanted:
            request.send_response(401)
            request.send_header("WWW-Authenticate", 'Basic realm="index"')
            request.send_header("Content-Length", "0")
            request.end_headers()
            return
        kind, _, name = request.path.strip("/").partition("/")
        if kind == "simple" and name:
            page = "".join(self._links(name))
            self._send(request, f"<!DOCTYPE html><html><body>{page}</body></html>".encode() if page else None, "text/html")
        else:
            file = self.folder / Path(name).name
            if file.is_file():
                self.fetched.append(file.name)
            self._send(request, file.read_bytes() if file.is_file() else None, "application/octet-stream")

    def _links(self, name: str) -> Iterator[str]:
        for path in sorted(self.folder.iterdir()):
            if path.name.split("-")[0].replace("_", "-").lower() != name:
                continue
            digest = hashlib.sha256(path.read_bytes()).hexdigest()
            yanked = ' data-yanked="withdrawn"' if path.name in self.yanked else ""
            yield f'<a href="/files/{html.escape(path.name)}#sha256={digest}"{yanked}>{path.name}</a>\n'

    @staticmethod
    def _send(request: http.server.BaseHTTPRequestHandler, body: Optional[bytes], kind: str) -> None:
        request.send_response(404 if body is None else 200)
        request.send_header("Content-Type", kind)
        request.send_header("Content-Length", str(len(body or b"")))
        if kind != "text/html":  # as the public one says of its files, which never change
            request.send_header("Cache-Control", "max-age=365000000, immutable, public")
        request.end_headers()
        request.wfile.write(body or b"")


def _lines(lines: List[str]) -> str:
    return "\n".join(lines) + "\n"


def _record(files: Dict[str, str], own: str) -> str:
    rows = []
    for file, text in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
        rows.append(f"{file},sha256={digest},{len(text.encode())}")
    return _lines([*rows, f"{own},,"])
