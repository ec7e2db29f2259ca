"""A conda channel made by the tests themselves: a folder that needs no network and no conda."""
import bz2
import hashlib
import io
import json
import sys
import tarfile
from pathlib import Path
from typing import Any, Dict, Iterable, Union

LINK = "link:"  # a file of a package with this before its target is a symbolic link
Content = Union[str, bytes]


class LocalChannel:
    """Packages are added one by one; the index is written anew with each."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._packages: Dict[str, Dict[str, Any]] = {"noarch": {}, "linux-64": {}}
        for subdir in self._packages:
            (folder / subdir).mkdir(parents=True)
            self._write_index(subdir)

    @property
    def url(self) -> str:
        return self.folder.as_uri()

    def add_python(self) -> str:
        """A "python" that is the interpreter of this machine, with site-packages of the environment's own."""
        version = "%d.%d.%d" % sys.version_info[:3]
        home = Path("/usr/bin")
        minor = "python%d.%d" % sys.version_info[:2]
        self.add("python", version, subdir="linux-64", files={
            "bin/python": LINK + str(home / minor),
            f"bin/{minor}": LINK + "python",
            "pyvenv.cfg": f"home = {home}\ninclude-system-site-packages = false\nversion = {version}\n",
            f"lib/{minor}/site-packages/README.txt": "packages of the environment",
        })
        return version

    def add_module(self, name: str, version: str, depends: Iterable[str] = ("python",)) -> None:
        """A package of pure Python with `__version__`."""
        self.add(name, version, depends, {f"site-packages/{name}.py": f"__version__ = {version!r}\n"}, noarch="python")

    def add(self, name: str, version: str, depends: Iterable[str] = (), files: Dict[str, str] = {},
            subdir: str = "noarch", noarch: str = "") -> None:
        record = {"name": name, "version": version, "build": "0", "build_number": 0, "depends": list(depends),
                  "subdir": subdir, **({"noarch": noarch} if noarch else {})}
        data = _archive(record, files)
        file = f"{name}-{version}-0.tar.bz2"
        (self.folder / subdir / file).write_bytes(data)
        self._packages[subdir][file] = {**record, "size": len(data), "sha256": hashlib.sha256(data).hexdigest(),
                                        "md5": hashlib.md5(data).hexdigest()}
        self._write_index(subdir)

    def _write_index(self, subdir: str) -> None:
        index = {"info": {"subdir": subdir}, "packages": self._packages[subdir], "packages.conda": {},
                 "repodata_version": 1}
        (self.folder / subdir / "repodata.json").write_text(json.dumps(index), encoding="utf-8")


def _archive(record: Dict[str, Any], files: Dict[str, str]) -> bytes:
    paths = []
    members: Dict[str, Content] = dict(files)
    for path, content in sorted(files.items()):
        linked = content.startswith(LINK)
        digest = hashlib.sha256(b"" if linked else content.encode()).hexdigest()
        paths.append({"_path": path, "path_type": "softlink" if linked else "hardlink", "sha256": digest,
                      "size_in_bytes": 0 if linked else len(content.encode())})
    members["info/index.json"] = json.dumps(record)
    members["info/paths.json"] = json.dumps({"paths": paths, "paths_version": 1})
    members["info/files"] = "".join(path + "\n" for path in sorted(files))
    if record.get("noarch") == "python":
        members["info/link.json"] = json.dumps({"noarch": {"type": "python"}, "package_metadata_version": 1})
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w") as archive:
        for path, content in members.items():
            entry = tarfile.TarInfo(path)
            entry.mode = 0o644
            text = content if isinstance(content, str) else content.decode()
            if text.startswith(LINK):
                entry.type, entry.linkname = tarfile.SYMTYPE, text[len(LINK):]
                archive.addfile(entry)
            else:
                entry.size = len(text.encode())
                archive.addfile(entry, io.BytesIO(text.encode()))
    return bz2.compress(plain.getvalue())
