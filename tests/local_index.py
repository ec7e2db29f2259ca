"""Wheels made by the tests themselves: a folder of them is an index that needs no network."""
import base64
import hashlib
import zipfile
from pathlib import Path
from typing import Dict, Iterable, List, Optional


def make_wheel(folder: Path, name: str, version: str, requires: Iterable[str] = (), code: str = "",
               scripts: Optional[Dict[str, str]] = None, modules: int = 0) -> Path:
    """Writes the wheel of a package `name` into `folder`, made if it is not there, and returns its path.

    The package has `__version__` and then `code`, and beside it empty modules m0, m1 and so on. `requires` are
    requirement lines, like "numpy>=1.0", `scripts` programs and the functions that they call.
    """
    module = name.replace("-", "_").replace(".", "_")
    info = f"{module}-{version}.dist-info"
    metadata = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}",
                *(f"Requires-Dist: {line}" for line in requires)]
    wheel = ["Wheel-Version: 1.0", "Generator: roost-tests", "Root-Is-Purelib: true", "Tag: py3-none-any"]
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
    path = folder / f"{module}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file, text in files.items():
            archive.writestr(file, text)
    return path


def _lines(lines: List[str]) -> str:
    return "\n".join(lines) + "\n"


def _record(files: Dict[str, str], own: str) -> str:
    rows = []
    for file, text in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
        rows.append(f"{file},sha256={digest},{len(text.encode())}")
    return _lines([*rows, f"{own},,"])
