"""pip in a run: what it installs goes to a folder of that run, $ROOST_PACKAGES.

The folder is laid out like a virtual environment, and its packages come before those of the
interpreter. A process that is pip, or setup.py, is told that it works in there, with the packages of the real
interpreter in sight. So pip's own rules for virtual environments keep it from the machine's Python
and from the environments that runs share: it replaces and removes nothing outside.
"""

import os
import sys

TYPE_CHECKING = False  # every Python of a run loads this: typing takes longer than all the rest
if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec
    from types import ModuleType
    from typing import List, Optional, Sequence, Set

_CONFIG = "pyvenv.cfg"
_WORKING = "ROOST_PIP"  # set below a pip that works in the folder, to the folder
# Where pip has a main function, by its age.
_MAINS = ("pip._internal", "pip._internal.main", "pip._internal.cli.main")


def install() -> None:
    packages = os.environ["ROOST_PACKAGES"]
    if _is_of_the_run(packages):
        return
    finder = _Packages(packages)
    finder.look()
    sys.meta_path.insert(0, finder)
    if os.environ.get(_WORKING) == packages:
        finder.move_in()  # as `setup.py develop`, which an older pip starts


def _is_of_the_run(packages: str) -> bool:
    """True in an environment that this run made for itself: pip may do there what it wants."""
    if sys.prefix.startswith(os.path.dirname(packages) + os.sep) and sys.prefix != packages:
        return True
    for mark in (_CONFIG, "conda-meta/history"):
        try:
            made = os.stat(os.path.join(sys.prefix, mark)).st_mtime
            return made > float(os.environ["ROOST_LAUNCHED"])
        except (OSError, KeyError, ValueError):
            pass
    return False


class _Packages:
    """Looks before each import whether pip has brought something; finds nothing itself but pip."""

    def __init__(self, packages: str) -> None:
        self.packages = packages
        threads = "t" if "t" in getattr(sys, "abiflags", "") else ""
        kind = "pypy" if sys.implementation.name == "pypy" else "python"
        version = "%s%d.%d%s" % (kind, sys.version_info[0], sys.version_info[1], threads)
        self.folder = os.path.join(packages, "lib", version, "site-packages")
        self.seen = 0
        self.links = set()  # type: Set[str]

    def find_spec(
        self,
        name: str,
        path: "Optional[Sequence[str]]" = None,
        target: "Optional[ModuleType]" = None,
    ) -> "Optional[ModuleSpec]":
        if path is None:
            self.look()
            if name in ("setuptools", "distutils") and _is_setup():
                self.move_in()
            return _find_pip() if name == "pip" else None
        if name in _MAINS:
            if not _is_pip():
                return _find_with_other_main(name, path)
            self.move_in()
        return None

    def look(self) -> None:
        try:
            changed = os.stat(self.folder).st_mtime_ns
        except OSError:
            return
        if changed == self.seen:
            return
        self.seen = changed
        import site

        before = list(sys.path)
        if self.folder not in sys.path:
            sys.path_importer_cache.pop(self.folder, None)
            sys.path.append(self.folder)
        known = set(sys.path)
        for name in sorted(os.listdir(self.folder)):
            if name.endswith(".pth") and name not in self.links:
                self.links.add(name)
                site.addpackage(self.folder, name, known)
        new = [path for path in sys.path if path not in before]
        kept = [path for path in sys.path if path in before]
        at = _first_of_interpreter(kept)
        sys.path[:] = kept[:at] + new + kept[at:]

    def move_in(self) -> None:
        """Makes this process one of the virtual environment of the run, as pip sees it."""
        if sys.prefix == self.packages or self.removes_from_own_view():
            return
        self.lock()
        import site

        try:
            os.makedirs(self.folder)
        except FileExistsError:
            pass
        lib64 = os.path.join(self.packages, "lib64")
        if getattr(sys, "platlibdir", "lib") != "lib" and not os.path.lexists(lib64):
            os.symlink("lib", lib64)
        config = os.path.join(self.packages, _CONFIG)
        if not os.path.exists(config):
            # Without the last line pip would refuse --user.
            with open(config, "w") as file:
                file.write("home = %s\n" % os.path.dirname(sys.executable))
                file.write("include-system-site-packages = true\n")
        # Where packages come from may be set beside the interpreter.
        settings = os.path.join(sys.prefix, "pip.conf")
        if os.path.exists(settings) and not os.path.lexists(os.path.join(self.packages, "pip.conf")):
            os.symlink(settings, os.path.join(self.packages, "pip.conf"))
        self.look()
        sys.prefix = sys.exec_prefix = self.packages
        os.environ["PYTHONUSERBASE"] = site.USER_BASE = self.packages
        site.USER_SITE = self.folder
        site.ENABLE_USER_SITE = True
        sys.modules.pop("sysconfig", None)  # it keeps the prefix
        os.environ[_WORKING] = self.packages

    def lock(self) -> None:
        """Several ranks of a node may call pip at once: one after the other changes the folder."""
        if _WORKING in os.environ or not {"install", "uninstall"}.intersection(_words()):
            return
        import fcntl

        # Held until this process ends.
        held = os.open(os.path.join(self.packages, ".lock"), os.O_RDWR | os.O_CREAT, 0o666)
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            sys.stderr.write("roost: waiting for another pip of this run\n")
            sys.stderr.flush()
            fcntl.flock(held, fcntl.LOCK_EX)

    def removes_from_own_view(self) -> bool:
        """pip uninstall of what the environment brought, where the run has its own view of that."""
        words = _words()
        if "uninstall" not in words:
            return False
        named = {_plain(word) for word in words if not word.startswith("-")}
        try:
            here = {_plain(name.split("-")[0]) for name in os.listdir(self.folder)}
        except OSError:
            here = set()
        if named & here or "-r" in words:
            return False
        try:
            with open("/proc/self/mountinfo") as mounts:
                fields = [line.split(" ") for line in mounts]
        except OSError:
            return False
        return any(row[4] == sys.prefix and "overlay" in row[6:] for row in fields)


def _plain(name: str) -> str:
    return name.lower().replace("_", "-").replace(".", "-")


def _first_of_interpreter(paths: "List[str]") -> int:
    """Where the packages of the interpreter begin in sys.path."""
    import site

    own = set(getattr(site, "getsitepackages", list)())
    if site.ENABLE_USER_SITE and site.USER_SITE:
        own.add(site.USER_SITE)
    for at, path in enumerate(paths):
        if path in own:
            return at
    return len(paths)


def _words() -> "List[str]":
    return getattr(sys, "argv", [])[1:]  # before 3.8 there are none yet when Python starts


def _is_pip() -> bool:
    folder, name = os.path.split(sys.argv[0])
    if name in ("__main__.py", "__pip-runner__.py"):
        return os.path.basename(folder) == "pip"
    return name == "get-pip.py" or name.startswith("pip") and not name[3:].strip("0123456789.")


def _is_setup() -> bool:
    """The older way to install: `python setup.py install`."""
    name = os.path.basename(getattr(sys, "argv", [""])[0])
    return name == "setup.py" and bool({"install", "develop"}.intersection(_words()))


def _find_pip() -> "Optional[ModuleSpec]":
    """pip of an interpreter that has none: the one that it, or what it was made of, could install."""
    from importlib.machinery import PathFinder

    spec = PathFinder.find_spec("pip")
    if spec is not None:
        return spec
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    for folder in ("python3/dist-packages", version + "/site-packages"):
        spec = PathFinder.find_spec("pip", [os.path.join(sys.base_prefix, "lib", folder)])
        if spec is not None and spec.origin is not None:
            return spec
    import glob

    try:
        import ensurepip
    except ImportError:
        return None
    bundled = os.path.join(os.path.dirname(ensurepip.__file__), "_bundled")
    for folder in (bundled, "/usr/share/python-wheels"):
        for wheel in sorted(glob.glob(os.path.join(folder, "pip-*.whl"))):
            return PathFinder.find_spec("pip", [wheel])
    return None


def _find_with_other_main(name: str, path: "Sequence[str]") -> "Optional[ModuleSpec]":
    """pip as a module of another program, whose own idea of where it lives must stay as it is."""
    from importlib.machinery import PathFinder

    spec = PathFinder.find_spec(name, path)
    if spec is None or spec.loader is None:
        return spec
    execute = spec.loader.exec_module

    def execute_and_replace(module: "ModuleType") -> None:
        execute(module)
        module.main = _start_pip  # type: ignore[attr-defined]

    spec.loader.exec_module = execute_and_replace  # type: ignore
    return spec


def _start_pip(args: "Optional[List[str]]" = None) -> int:
    import subprocess

    words = sys.argv[1:] if args is None else list(args)
    return subprocess.call([sys.executable, "-m", "pip"] + words)
